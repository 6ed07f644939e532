package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"

	"github.com/notelatch/notelatch/migrations"
)

// Migration is one step of the schema. Applied tells whether the database has it.
type Migration struct {
	Version int
	Name    string
	Applied bool

	text     string
	checksum string
}

const migrationsTable = "schema_migrations"

// migrate applies what the database lacks, in one transaction under a lock.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := readMigrations(migrations.Files, db.Dialect())
	if err != nil {
		return err
	}
	return db.apply(ctx, steps)
}

func (db *DB) apply(ctx context.Context, steps []Migration) error {
	// Nothing to do is the usual case, and must not wait for a writer.
	if found, err := db.engine.hasTable(ctx, migrationsTable); err != nil {
		return err
	} else if found {
		pending, err := compare(ctx, db, slices.Clone(steps))
		if err != nil || len(pending) == 0 {
			return err
		}
	}
	return db.Tx(ctx, func(tx *Tx) error {
		if err := db.engine.lockSchema(ctx, tx.on); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			CREATE TABLE IF NOT EXISTS schema_migrations (
				version BIGINT NOT NULL PRIMARY KEY,
				name TEXT NOT NULL,
				checksum TEXT NOT NULL
			)`); err != nil {
			return err
		}
		pending, err := compare(ctx, tx, slices.Clone(steps))
		if err != nil {
			return err
		}
		for _, m := range pending {
			if err := tx.on.script(ctx, m.text); err != nil {
				return fmt.Errorf("apply %04d_%s: %w", m.Version, m.Name, err)
			}
			if _, err := tx.Exec(ctx, `
				INSERT INTO schema_migrations (version, name, checksum)
				VALUES (?, ?, ?)`, m.Version, m.Name, m.checksum); err != nil {
				return err
			}
		}
		return nil
	})
}

// Migrations lists the steps of this binary's schema, in order.
func (db *DB) Migrations(ctx context.Context) ([]Migration, error) {
	steps, err := readMigrations(migrations.Files, db.Dialect())
	if err != nil {
		return nil, err
	}
	_, err = compare(ctx, db, steps)
	return steps, err
}

// compare marks which of steps the database has and returns the others. The record of the database must be a beginning of steps.
func compare(ctx context.Context, on Querier, steps []Migration) (pending []Migration, err error) {
	rows, err := on.Query(ctx, `
		SELECT version, name, checksum
		FROM schema_migrations
		ORDER BY version`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error is that of Err
	done := 0
	for ; rows.Next(); done++ {
		var version int
		var name, checksum string
		if err := rows.Scan(&version, &name, &checksum); err != nil {
			return nil, err
		}
		switch {
		case done >= len(steps) || version > steps[len(steps)-1].Version:
			return nil, fmt.Errorf("the database is newer than this program: it has migration %04d_%s; use a newer notelatch", version, name)
		case version != steps[done].Version:
			return nil, fmt.Errorf("migration %04d_%s is numbered below %04d_%s, which the database has already",
				steps[done].Version, steps[done].Name, version, name)
		case checksum != steps[done].checksum:
			return nil, fmt.Errorf("migration %04d_%s was edited after the database had applied it", version, name)
		}
		steps[done].Applied = true
	}
	return steps[done:], rows.Err()
}

var (
	migrationName = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)(?:\.(sqlite|postgres))?\.sql$`)
	byteaWord     = regexp.MustCompile(`\bBYTEA\b`)
)

// readMigrations returns the migrations for a database, in the order of their numbers.
func readMigrations(files fs.FS, dialect string) ([]Migration, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	var steps []Migration
	for _, name := range names {
		parts := migrationName.FindStringSubmatch(name)
		if parts == nil {
			return nil, fmt.Errorf("the migration %s is not named NNNN_name.sql", name)
		}
		if parts[3] != "" && parts[3] != dialect {
			continue
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		version, err := strconv.Atoi(parts[1])
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		m := Migration{Version: version, Name: parts[2], text: string(body), checksum: hex.EncodeToString(sum[:])}
		if dialect == SQLite {
			// SQLite would take an unknown type for a number, and turn text that looks like one into it.
			m.text = byteaWord.ReplaceAllString(m.text, "BLOB")
		}
		steps = append(steps, m)
	}
	slices.SortFunc(steps, func(a, b Migration) int { return a.Version - b.Version })
	for i := 1; i < len(steps); i++ {
		if steps[i].Version == steps[i-1].Version {
			return nil, fmt.Errorf("two migrations have the number %04d", steps[i].Version)
		}
	}
	return steps, nil
}
