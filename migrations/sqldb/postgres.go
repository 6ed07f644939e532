package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresConns bounds the connections of one replica; PostgreSQL has 100 by default for all of them.
const postgresConns = 16

// postgres is a PostgreSQL database. pgx keeps prepared statements for each connection itself.
type postgres struct {
	pool
	db *sql.DB
}

func openPostgres(ctx context.Context, url string) (engine, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns / 2)
	p := &postgres{pool: pool{db}, db: db}
	if err := db.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", closeAfter(p, err))
	}
	return p, nil
}

func (p *postgres) dialect() string { return Postgres }

func (p *postgres) ping(ctx context.Context) error { return p.db.PingContext(ctx) }

func (p *postgres) close() error { return p.db.Close() }

func (p *postgres) transact(ctx context.Context, fn func(session) error) error {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer tx.Rollback() // does nothing after Commit
	if err := fn(pool{tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// lockSchema holds other migrations of this schema off until the transaction ends.
func (p *postgres) lockSchema(ctx context.Context, s session) error {
	return s.script(ctx, `SELECT pg_advisory_xact_lock(hashtext('notelatch migrations'), hashtext(current_schema()))`)
}

func (p *postgres) hasTable(ctx context.Context, name string) (found bool, err error) {
	err = p.db.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&found)
	return found, err
}

// pool is a session on a *sql.DB or a *sql.Tx of PostgreSQL.
type pool struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
}

func (p pool) exec(ctx context.Context, s *statement, args []any) (sql.Result, error) {
	return p.on.ExecContext(ctx, s.text, args...)
}

func (p pool) query(ctx context.Context, s *statement, args []any) (*sql.Rows, error) {
	return p.on.QueryContext(ctx, s.text, args...)
}

func (p pool) queryRow(ctx context.Context, s *statement, args []any) *sql.Row {
	return p.on.QueryRowContext(ctx, s.text, args...)
}

// script runs several statements. Only the simple protocol takes more than one at a time.
func (p pool) script(ctx context.Context, text string) error {
	_, err := p.on.ExecContext(ctx, text, pgx.QueryExecModeSimpleProtocol)
	return err
}
