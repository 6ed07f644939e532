// Package account keeps accounts, their manual tokens, and the random secrets of this installation.
//
// Nothing here is cached: what is suspended or revoked is refused on the next request, on every replica. The price is one look-up
// by primary key for each request.
package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// Status is whether an account may be used.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Closed    Status = "closed"
)

// SelfHosted is the plan of a fresh installation: no monthly limits.
const SelfHosted = "self-hosted"

const maxName = 200 // bytes, of accounts and tokens

// Account owns mappings, connections, tokens and governance records.
type Account struct {
	ID      string // acc_…
	Name    string
	Status  Status
	Plan    string
	Created time.Time
}

// Usable returns vault.AccountInactive unless the account is active.
func (a Account) Usable() error {
	if a.Status == Active {
		return nil
	}
	return vault.Errorf(vault.AccountInactive, "the account is %s", a.Status).Next("ask the operator of this server to activate it")
}

// Store keeps accounts in the database.
type Store struct {
	db     *sqldb.DB
	now    func() time.Time
	random io.Reader
}

// New returns the accounts of db. Random must be cryptographic.
func New(db *sqldb.DB, now func() time.Time, random io.Reader) *Store {
	return &Store{db: db, now: now, random: random}
}

const accountColumns = `a.id, a.name, a.status, a.plan, a.created_at`

// EnsureOwner returns the owner of this installation, and makes one called name if there is none. Concurrent calls, also of other
// replicas, return the same account.
func (s *Store) EnsureOwner(ctx context.Context, name string) (Account, error) {
	a, err := s.Owner(ctx)
	if err == nil || !errors.Is(err, vault.NotFound) {
		return a, err
	}
	if _, err := s.insert(ctx, name, true); err != nil {
		return Account{}, err
	}
	return s.Owner(ctx)
}

// Owner returns the first account, or vault.NotFound on an empty database.
func (s *Store) Owner(ctx context.Context) (Account, error) {
	return scanAccount(s.db.QueryRow(ctx, `
		SELECT `+accountColumns+`
		FROM accounts a
		WHERE a.owner`))
}

// Create makes another account.
func (s *Store) Create(ctx context.Context, name string) (Account, error) {
	id, err := s.insert(ctx, name, false)
	if err != nil {
		return Account{}, err
	}
	return s.Get(ctx, id)
}

// Get returns the account, or vault.NotFound.
func (s *Store) Get(ctx context.Context, id string) (Account, error) {
	return scanAccount(s.db.QueryRow(ctx, `
		SELECT `+accountColumns+`
		FROM accounts a
		WHERE a.id = ?`, id))
}

// SetStatus changes the status, from the next request on.
func (s *Store) SetStatus(ctx context.Context, id string, status Status) error {
	switch status {
	case Active, Suspended, Closed:
	default:
		return vault.Errorf(vault.InvalidArgument, "an account is active, suspended or closed, not %q", string(status))
	}
	n, err := s.db.Exec(ctx, `
		UPDATE accounts
		SET status = ?
		WHERE id = ?`, string(status), id)
	return one(n, err, "account")
}

// insert stores a new account. A second owner is silently not stored.
func (s *Store) insert(ctx context.Context, name string, owner bool) (id string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	if id, err = opaque.ID(s.random, "acc_"); err != nil {
		return "", err
	}
	if _, err := s.db.Exec(ctx, `
		INSERT INTO accounts (id, name, status, plan, owner, created_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, id, name, string(Active), SelfHosted, owner, s.now().UnixMilli()); err != nil {
		return "", fmt.Errorf("store an account: %w", err)
	}
	return id, nil
}

func scanAccount(row *sql.Row) (Account, error) {
	var a Account
	var created int64
	err := row.Scan(&a.ID, &a.Name, &a.Status, &a.Plan, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, vault.Errorf(vault.NotFound, "there is no such account")
	}
	if err != nil {
		return Account{}, fmt.Errorf("read an account: %w", err)
	}
	a.Created = fromMilli(created)
	return a, nil
}

// one turns "no row was touched" into vault.NotFound.
func one(n int64, err error, what string) error {
	if err != nil {
		return fmt.Errorf("change the %s: %w", what, err)
	}
	if n == 0 {
		return vault.Errorf(vault.NotFound, "there is no such %s", what)
	}
	return nil
}

// ValidName reports whether name can be that of an account, a token or a vault: 1 to 200 bytes, without control characters, not blank.
func ValidName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= maxName && printable(name)
}

func checkName(name string) error {
	if !ValidName(name) {
		return vault.Errorf(vault.InvalidArgument, "a name has 1 to %d bytes and no control characters", maxName).With("field", "name")
	}
	return nil
}

func fromMilli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func toMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
