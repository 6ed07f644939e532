package mapping

import (
	"context"
	"fmt"
	"strings"

	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// SaveConnection stores a connection, as a new one if its ID is empty, and returns it with its ID. An ID that is not the account's is
// vault.NotFound. What changed holds from the next call on each of its mappings.
func (s *Store) SaveConnection(ctx context.Context, c Connection) (Connection, error) {
	if c.ID == "" {
		return s.insertConnection(ctx, s.db, c)
	}
	n, err := s.db.Exec(ctx, `
		UPDATE connections
		SET status = ?, capabilities = ?, credentials = ?
		WHERE id = ? AND account_id = ?`, string(c.Status), strings.Join(c.Capabilities, " "), notNull(c.Credentials), c.ID, c.Account)
	if err != nil {
		return Connection{}, fmt.Errorf("store a connection: %w", err)
	}
	if n == 0 {
		return Connection{}, noConnection()
	}
	return c, nil
}

func (s *Store) insertConnection(ctx context.Context, on sqldb.Querier, c Connection) (Connection, error) {
	id, err := opaque.ID(s.random, "con_")
	if err != nil {
		return Connection{}, err
	}
	c.ID = id
	// Concurrent mappings of a local provider may both make its connection: one of them is stored, and both find it.
	if _, err := on.Exec(ctx, `
		INSERT INTO connections (id, account_id, provider, status, capabilities, credentials, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Account, c.Provider, string(c.Status), strings.Join(c.Capabilities, " "), notNull(c.Credentials), s.now().UnixMilli()); err != nil {
		return Connection{}, fmt.Errorf("store a connection: %w", err)
	}
	return c, nil
}

// local returns the id of the account's connection to a provider on this server, and makes it if there is none.
func (s *Store) local(ctx context.Context, tx *sqldb.Tx, account, provider string) (id string, err error) {
	if provider != Hosted && provider != Folder {
		return "", vault.Errorf(vault.InvalidArgument, "a vault of %s needs a connection", provider)
	}
	if _, err := s.insertConnection(ctx, tx, Connection{
		Account: account, Provider: provider, Status: Active, Capabilities: []string{FilesRead, FilesWrite},
	}); err != nil {
		return "", err
	}
	if err := tx.QueryRow(ctx, `
		SELECT id
		FROM connections
		WHERE account_id = ? AND provider = ?`, account, provider).Scan(&id); err != nil {
		return "", fmt.Errorf("read a connection: %w", err)
	}
	return id, nil
}

// owns checks that the connection that m names is of the same account and provider.
func (s *Store) owns(ctx context.Context, tx *sqldb.Tx, m Mapping) error {
	var n int
	if err := tx.QueryRow(ctx, `
		SELECT COUNT(*)
		FROM connections
		WHERE id = ? AND account_id = ? AND provider = ?`, m.ConnectionID, m.Account, m.Provider).Scan(&n); err != nil {
		return fmt.Errorf("read a connection: %w", err)
	}
	if n == 0 {
		return noConnection()
	}
	return nil
}

func noConnection() *vault.Error { return vault.Errorf(vault.NotFound, "there is no such connection") }

// notNull is b as a column that is never NULL takes it.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
