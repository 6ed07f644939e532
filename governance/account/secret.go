package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
)

const secretBytes = 32

// Secret returns the random secret of that name, the same on every replica for the life of the database. It is made when it is first
// asked for.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	secret, err := s.readSecret(ctx, name)
	if !errors.Is(err, sql.ErrNoRows) {
		return secret, err
	}
	made := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.random, made); err != nil {
		return nil, fmt.Errorf("make the secret %s: %w", name, err)
	}
	// Of several that are made at once, the first one stored is everybody's.
	if _, err := s.db.Exec(ctx, `
		INSERT INTO settings (name, value)
		VALUES (?, ?)
		ON CONFLICT DO NOTHING`, "secret."+name, made); err != nil {
		return nil, fmt.Errorf("store the secret %s: %w", name, err)
	}
	return s.readSecret(ctx, name)
}

func (s *Store) readSecret(ctx context.Context, name string) (secret []byte, err error) {
	if err := s.db.QueryRow(ctx, `
		SELECT value
		FROM settings
		WHERE name = ?`, "secret."+name).Scan(&secret); err != nil {
		return nil, fmt.Errorf("read the secret %s: %w", name, err)
	}
	return secret, nil
}
