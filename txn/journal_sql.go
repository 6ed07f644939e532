package txn

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// SQLJournal is the journal in Notelatch's database.
type SQLJournal struct {
	db       *sqldb.DB
	log      *events.Log
	finisher finisher
}

// NewSQLJournal returns the journal of db. Its events go to log, which must be of the same database.
func NewSQLJournal(db *sqldb.DB, log *events.Log) *SQLJournal { return &SQLJournal{db: db, log: log} }

const columns = `account_id, mapping_id, idempotency_key, id, fingerprint, state, version, instance, run, lease_until,
		attempts, origin, plan, outcome, created_at, updated_at`

// Reserve implements Journal.
func (j *SQLJournal) Reserve(ctx context.Context, r Record) (Record, bool, error) {
	r.Version = 1
	args, err := values(r)
	if err != nil {
		return Record{}, false, err
	}
	var held Record
	mine := false
	err = j.db.Tx(ctx, func(tx *sqldb.Tx) error {
		// The version goes on from where it was: a holder from before the key became free stays fenced off.
		stored, err := scan(tx.QueryRow(ctx, `
			INSERT INTO transactions (`+columns+`)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (account_id, mapping_id, idempotency_key) DO UPDATE
			SET id = excluded.id, fingerprint = excluded.fingerprint, state = excluded.state, version = transactions.version + 1,
				instance = excluded.instance, run = excluded.run, lease_until = excluded.lease_until, attempts = excluded.attempts,
				origin = excluded.origin, plan = excluded.plan, outcome = excluded.outcome,
				created_at = excluded.created_at, updated_at = excluded.updated_at
			WHERE transactions.state IN ('failed', 'released')
			RETURNING `+columns, args...))
		if err == nil {
			held, mine = stored, true
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		held, err = scan(tx.QueryRow(ctx, `
			SELECT `+columns+`
			FROM transactions
			WHERE account_id = ? AND mapping_id = ? AND idempotency_key = ?`, r.Account, r.Mapping, r.Key))
		mine = false
		return err
	})
	if err != nil {
		return Record{}, false, fmt.Errorf("reserve an idempotency key: %w", err)
	}
	return held, mine, nil
}

// Save implements Journal.
func (j *SQLJournal) Save(ctx context.Context, r Record) (Record, error) {
	saved, err := save(ctx, j.db, r)
	if err != nil {
		return Record{}, fmt.Errorf("save transaction %s: %w", r.ID, err)
	}
	return saved, nil
}

func save(ctx context.Context, q sqldb.Querier, r Record) (Record, error) {
	before := r.Version
	r.Version++
	n, err := update(ctx, q, r, before)
	if err == nil && n == 0 {
		err = ErrStale
	}
	return r, err
}

// update stores r in place of the record of a version.
func update(ctx context.Context, q sqldb.Querier, r Record, version int64) (rows int64, err error) {
	origin, planned, outcome, err := r.encode()
	if err != nil {
		return 0, err
	}
	return q.Exec(ctx, `
		UPDATE transactions
		SET state = ?, version = ?, instance = ?, run = ?, lease_until = ?, attempts = ?, origin = ?, plan = ?, outcome = ?,
			updated_at = ?
		WHERE account_id = ? AND mapping_id = ? AND idempotency_key = ? AND version = ?`,
		string(r.State), r.Version, r.Holder.Instance, r.Holder.Run, millis(r.LeaseUntil), r.Attempts, origin, planned, outcome,
		millis(r.UpdatedAt), r.Account, r.Mapping, r.Key, version)
}

// Renew implements Journal.
func (j *SQLJournal) Renew(ctx context.Context, r Record, until time.Time) error {
	n, err := j.db.Exec(ctx, `
		UPDATE transactions
		SET lease_until = ?
		WHERE account_id = ? AND mapping_id = ? AND idempotency_key = ? AND version = ?`,
		millis(until), r.Account, r.Mapping, r.Key, r.Version)
	if err == nil && n == 0 {
		err = ErrStale
	}
	if err != nil {
		return fmt.Errorf("renew the lease of transaction %s: %w", r.ID, err)
	}
	return nil
}

// Open implements Journal.
func (j *SQLJournal) Open(ctx context.Context, before time.Time) ([]Record, error) {
	rows, err := j.db.Query(ctx, `
		SELECT `+columns+`
		FROM transactions
		WHERE state IN ('reserved', 'applying', 'unknown') AND lease_until <= ?
		ORDER BY lease_until
		LIMIT 100`, millis(before))
	if err != nil {
		return nil, fmt.Errorf("list open transactions: %w", err)
	}
	defer rows.Close() // its error is that of Err
	var open []Record
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("list open transactions: %w", err)
		}
		open = append(open, r)
	}
	return open, rows.Err()
}

// Free implements Journal.
func (j *SQLJournal) Free(ctx context.Context, h Holder) error {
	_, err := j.db.Exec(ctx, `
		UPDATE transactions
		SET lease_until = 0
		WHERE state IN ('reserved', 'applying', 'unknown') AND instance = ? AND run <> ?`, h.Instance, h.Run)
	if err != nil {
		return fmt.Errorf("free what an earlier run held: %w", err)
	}
	return nil
}

// SavePreview implements Journal.
func (j *SQLJournal) SavePreview(ctx context.Context, p Preview) error {
	planned, err := json.Marshal(p.Plan.WithoutBodies())
	if err != nil {
		return fmt.Errorf("store a preview: %w", err)
	}
	err = j.db.Tx(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.Exec(ctx, `
			INSERT INTO previews (id, account_id, mapping_id, client, reason, plan, size, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			p.ID, p.Account, p.Mapping, p.Client, p.Reason, planned, len(planned), millis(p.ExpiresAt)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			DELETE FROM previews
			WHERE id IN (
				SELECT id
				FROM (
					SELECT id,
						ROW_NUMBER() OVER newest AS place,
						SUM(size) OVER newest AS total
					FROM previews
					WHERE account_id = ?
					WINDOW newest AS (ORDER BY expires_at DESC, id)
				) AS kept
				WHERE place > ? OR (total > ? AND place > 1)
			)`, p.Account, MaxPreviews, MaxPreviewBytes)
		return err
	})
	if err != nil {
		return fmt.Errorf("store a preview: %w", err)
	}
	return nil
}

// Preview implements Journal.
func (j *SQLJournal) Preview(ctx context.Context, id string) (Preview, error) {
	var (
		p       Preview
		planned []byte
		expires int64
	)
	err := j.db.QueryRow(ctx, `
		SELECT id, account_id, mapping_id, client, reason, plan, expires_at
		FROM previews
		WHERE id = ?`, id).Scan(&p.ID, &p.Account, &p.Mapping, &p.Client, &p.Reason, &planned, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return Preview{}, vault.Errorf(vault.NotFound, "there is no such preview")
	}
	if err == nil {
		err = json.Unmarshal(planned, &p.Plan)
	}
	if err != nil {
		return Preview{}, fmt.Errorf("load a preview: %w", err)
	}
	p.ExpiresAt = at(expires)
	return p, nil
}

// Purge implements Journal.
func (j *SQLJournal) Purge(ctx context.Context, previews, records time.Time) error {
	_, err := j.db.Exec(ctx, `DELETE FROM previews WHERE expires_at < ?`, millis(previews))
	if err == nil {
		_, err = j.db.Exec(ctx, `
			DELETE FROM transactions
			WHERE updated_at < ? AND state IN ('applied', 'failed', 'released')`, millis(records))
	}
	if err != nil {
		return fmt.Errorf("purge old transactions: %w", err)
	}
	return nil
}

func (r Record) encode() (origin, planned, outcome []byte, err error) {
	if origin, err = json.Marshal(r.Origin); err != nil {
		return nil, nil, nil, err
	}
	planned, outcome = []byte("{}"), []byte("{}")
	if len(r.Plan.Steps) > 0 {
		if planned, err = json.Marshal(r.Plan); err != nil {
			return nil, nil, nil, err
		}
	}
	if r.State == Applied {
		if outcome, err = json.Marshal(r.Outcome); err != nil {
			return nil, nil, nil, err
		}
	}
	return origin, planned, outcome, nil
}

func values(r Record) ([]any, error) {
	origin, planned, outcome, err := r.encode()
	if err != nil {
		return nil, err
	}
	return []any{r.Account, r.Mapping, r.Key, r.ID, r.Fingerprint, string(r.State), r.Version, r.Holder.Instance, r.Holder.Run,
		millis(r.LeaseUntil), r.Attempts, origin, planned, outcome, millis(r.CreatedAt), millis(r.UpdatedAt)}, nil
}

func scan(row interface{ Scan(...any) error }) (r Record, err error) {
	var (
		lease, created, updated  int64
		origin, planned, outcome []byte
	)
	if err := row.Scan(&r.Account, &r.Mapping, &r.Key, &r.ID, &r.Fingerprint, &r.State, &r.Version, &r.Holder.Instance, &r.Holder.Run,
		&lease, &r.Attempts, &origin, &planned, &outcome, &created, &updated); err != nil {
		return Record{}, err
	}
	r.LeaseUntil, r.CreatedAt, r.UpdatedAt = at(lease), at(created), at(updated)
	return r, errors.Join(decode(origin, &r.Origin), decode(planned, &r.Plan), decode(outcome, &r.Outcome))
}

func decode[T Origin | plan.Plan | plan.Outcome](data []byte, into *T) error {
	if string(data) == "{}" {
		return nil
	}
	return json.Unmarshal(data, into)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
