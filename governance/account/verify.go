package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// ErrInvalidToken is the answer to a token that is misspelt, unknown, expired or revoked: which of them is not told.
var ErrInvalidToken = errors.New("the token is not valid")

// usedEvery is how exact a token's last use is known. It bounds the writes that reading costs.
const usedEvery = time.Minute

const maxAddress = 64 // bytes of an address that is kept

// Verify returns the caller that the secret stands for, with no Door, and its account. It is one query, or none for a secret whose
// checksum is wrong. The address that the request came from is kept with the time of use, about once a minute.
//
// The error is ErrInvalidToken, vault.AccountInactive, or a failure of the database.
func (s *Store) Verify(ctx context.Context, secret, from string) (vault.Caller, Account, error) {
	if !wellFormed(secret) {
		return vault.Caller{}, Account{}, ErrInvalidToken
	}
	hash := sha256.Sum256([]byte(secret))
	var t tokenRow
	var a Account
	var created int64
	var stored []byte
	err := s.db.QueryRow(ctx, `
		SELECT `+tokenColumns+`, t.secret_hash, `+accountColumns+`
		FROM tokens t
		JOIN accounts a ON a.id = t.account_id
		WHERE t.secret_hash = ?`, hash[:]).
		Scan(append(t.fields(), &stored, &a.ID, &a.Name, &a.Status, &a.Plan, &created)...)
	if errors.Is(err, sql.ErrNoRows) {
		return vault.Caller{}, Account{}, ErrInvalidToken
	}
	if err != nil {
		return vault.Caller{}, Account{}, fmt.Errorf("look up a token: %w", err)
	}
	now := s.now()
	// The index found the row by its hash. Comparing again, in constant time, leaves nothing to how the database compares.
	if subtle.ConstantTimeCompare(stored, hash[:]) != 1 || t.revoked != 0 || (t.expires != 0 && now.UnixMilli() >= t.expires) {
		return vault.Caller{}, Account{}, ErrInvalidToken
	}
	a.Created = fromMilli(created)
	if err := a.Usable(); err != nil {
		return vault.Caller{}, Account{}, err
	}
	s.noteUse(ctx, t, now, from)
	k := t.token()
	return vault.Caller{Account: a.ID, Client: k.Name, Token: k.ID, Scopes: k.Scopes, Mappings: k.Mappings}, a, nil
}

// noteUse stores that the token was used, unless that is known well enough. What cannot be stored now is stored by a later request:
// it is no reason to refuse this one.
func (s *Store) noteUse(ctx context.Context, t tokenRow, now time.Time, from string) {
	before := now.Add(-usedEvery).UnixMilli()
	if t.used > before {
		return
	}
	if len(from) > maxAddress || !printable(from) {
		from = ""
	}
	// Several requests find out at once; the condition lets one of them write.
	_, _ = s.db.Exec(ctx, `
		UPDATE tokens
		SET used_at = ?, used_from = ?
		WHERE id = ? AND used_at <= ?`, now.UnixMilli(), from, t.t.ID, before)
}
