package account

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// Token is a manual token without its secret, which is shown once and never stored.
type Token struct {
	ID       string // tok_…
	Account  string
	Name     string
	Scopes   []vault.Scope
	Mappings []string // handles that it is held to; nil is all of the account's, those of the future too
	Created  time.Time
	Expires  time.Time // zero for never
	Revoked  time.Time // zero while it is valid
	Used     time.Time // zero if it was never used; exact to a minute
	UsedFrom string    // address of that use
}

// NewToken is what a token is made of.
type NewToken struct {
	Account  string
	Name     string
	Scopes   []vault.Scope // empty is vault.ScopeRead
	Mappings []string
	Expires  time.Time // zero for never
}

// CreateToken makes a token and returns its secret, this once.
func (s *Store) CreateToken(ctx context.Context, n NewToken) (secret string, t Token, err error) {
	return s.createToken(ctx, s.db, n)
}

// RotateToken makes a new token like the one that is named, and keeps the old one valid for a while: 0 to 24 hours.
func (s *Store) RotateToken(ctx context.Context, account, id string, keep time.Duration) (secret string, t Token, err error) {
	if keep < 0 || keep > 24*time.Hour {
		return "", Token{}, vault.Errorf(vault.InvalidArgument, "the old token can be kept for 0 to 24 hours")
	}
	err = s.db.Tx(ctx, func(tx *sqldb.Tx) error {
		old, err := s.token(ctx, tx, account, id)
		if err != nil {
			return err
		}
		now := s.now()
		if !old.Revoked.IsZero() || (!old.Expires.IsZero() && !now.Before(old.Expires)) {
			return vault.Errorf(vault.InvalidArgument, "the token has ended already").Next("make a new one")
		}
		until := now.Add(keep)
		if !old.Expires.IsZero() && old.Expires.Before(until) {
			until = old.Expires
		}
		secret, t, err = s.createToken(ctx, tx, NewToken{account, old.Name, old.Scopes, old.Mappings, old.Expires})
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `
			UPDATE tokens
			SET expires_at = ?
			WHERE id = ? AND account_id = ?`, toMilli(until), id, account)
		return one(n, err, "token")
	})
	return secret, t, err
}

func (s *Store) createToken(ctx context.Context, on sqldb.Querier, n NewToken) (string, Token, error) {
	if len(n.Scopes) == 0 {
		n.Scopes = []vault.Scope{vault.ScopeRead}
	}
	if err := s.check(n); err != nil {
		return "", Token{}, err
	}
	id, err := opaque.ID(s.random, "tok_")
	if err != nil {
		return "", Token{}, err
	}
	var random [tokenBytes]byte
	if _, err := io.ReadFull(s.random, random[:]); err != nil {
		return "", Token{}, fmt.Errorf("make a token: %w", err)
	}
	secret := formatSecret(random)
	hash := sha256.Sum256([]byte(secret))
	if _, err := on.Exec(ctx, `
		INSERT INTO tokens (id, account_id, name, secret_hash, scopes, mappings, created_at, expires_at, revoked_at, used_at, used_from)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '')`,
		id, n.Account, n.Name, hash[:], joined(n.Scopes), joined(n.Mappings), s.now().UnixMilli(), toMilli(n.Expires)); err != nil {
		return "", Token{}, fmt.Errorf("store a token: %w", err)
	}
	t, err := s.token(ctx, on, n.Account, id)
	return secret, t, err
}

func (s *Store) check(n NewToken) error {
	if err := checkName(n.Name); err != nil {
		return err
	}
	for _, scope := range n.Scopes {
		if scope != vault.ScopeRead && scope != vault.ScopeWrite {
			return vault.Errorf(vault.InvalidArgument, "there is no scope %q", string(scope)).
				Next("use mcp:read or mcp:write").With("field", "scopes")
		}
	}
	for _, m := range n.Mappings {
		if !opaque.Valid(m, "map_") {
			return vault.Errorf(vault.InvalidArgument, "%q is not the handle of a vault", m).With("field", "mappings")
		}
	}
	if !n.Expires.IsZero() && !s.now().Before(n.Expires) {
		return vault.Errorf(vault.InvalidArgument, "the token would expire before it is used").With("field", "expires")
	}
	return nil
}

const tokenColumns = `t.id, t.account_id, t.name, t.scopes, t.mappings, t.created_at, t.expires_at, t.revoked_at, t.used_at, t.used_from`

// Tokens lists the account's tokens, oldest first, ended ones too.
func (s *Store) Tokens(ctx context.Context, account string) ([]Token, error) {
	rows, err := s.db.Query(ctx, `
		SELECT `+tokenColumns+`
		FROM tokens t
		WHERE t.account_id = ?
		ORDER BY t.created_at, t.id`, account)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	defer rows.Close() // its error is that of Err
	var all []Token
	for rows.Next() {
		var t tokenRow
		if err := rows.Scan(t.fields()...); err != nil {
			return nil, fmt.Errorf("list tokens: %w", err)
		}
		all = append(all, t.token())
	}
	return all, rows.Err()
}

// RevokeToken ends the token, which is refused from the next request on. Revoking again changes nothing.
func (s *Store) RevokeToken(ctx context.Context, account, id string) error {
	n, err := s.db.Exec(ctx, `
		UPDATE tokens
		SET revoked_at = CASE WHEN revoked_at = 0 THEN ? ELSE revoked_at END
		WHERE id = ? AND account_id = ?`, s.now().UnixMilli(), id, account)
	return one(n, err, "token")
}

func (s *Store) token(ctx context.Context, on sqldb.Querier, account, id string) (Token, error) {
	var t tokenRow
	err := on.QueryRow(ctx, `
		SELECT `+tokenColumns+`
		FROM tokens t
		WHERE t.id = ? AND t.account_id = ?`, id, account).Scan(t.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Token{}, vault.Errorf(vault.NotFound, "there is no such token")
	}
	if err != nil {
		return Token{}, fmt.Errorf("read a token: %w", err)
	}
	return t.token(), nil
}

// tokenRow is a token as the database has it.
type tokenRow struct {
	t                               Token
	scopes, mappings                string
	created, expires, revoked, used int64
}

// fields are where tokenColumns go.
func (r *tokenRow) fields() []any {
	return []any{&r.t.ID, &r.t.Account, &r.t.Name, &r.scopes, &r.mappings, &r.created, &r.expires, &r.revoked, &r.used, &r.t.UsedFrom}
}

func (r *tokenRow) token() Token {
	t := r.t
	for _, scope := range strings.Fields(r.scopes) {
		t.Scopes = append(t.Scopes, vault.Scope(scope))
	}
	if r.mappings != "" {
		t.Mappings = strings.Fields(r.mappings)
	}
	t.Created, t.Expires, t.Revoked, t.Used = fromMilli(r.created), fromMilli(r.expires), fromMilli(r.revoked), fromMilli(r.used)
	return t
}

// joined is a list in one column: its items hold no spaces. Sorted, so that equal sets are equal texts.
func joined[S ~string](items []S) string {
	words := make([]string, len(items))
	for i, it := range items {
		words[i] = string(it)
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}
