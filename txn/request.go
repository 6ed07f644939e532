package txn

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

const (
	minKey = 8
	maxKey = 128
)

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID makes a transaction's id: txn_ and 26 characters that hold 128 random bits.
func newID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make a transaction id: %w", err)
	}
	return "txn_" + crockford.EncodeToString(b[:]), nil
}

// checkForm tells whether r is one of the two forms of an application.
func checkForm(r plan.Request) error {
	switch {
	case r.Transaction != "" && len(r.Actions) > 0:
		return vault.Errorf(vault.InvalidArgument, "both actions and a transactionId are given").
			Next("Apply a preview by transactionId and paths, or send actions with an idempotencyKey.").With("field", "transactionId")
	case r.Transaction != "":
		if len(r.Paths) == 0 {
			return vault.Errorf(vault.InvalidArgument, "a preview is applied by its transactionId and its paths").
				Next("Copy the call in the preview's next.").With("field", "paths")
		}
		if r.Key != "" && r.Key != r.Transaction {
			return vault.Errorf(vault.InvalidArgument, "a preview's transactionId is its idempotency key").
				Next("Leave idempotencyKey out.").With("field", "idempotencyKey")
		}
		return nil
	}
	if err := plan.Check(r.Actions); err != nil {
		return err
	}
	return checkKey(r.Key)
}

func checkKey(key string) error {
	if key == "" {
		return vault.Errorf(vault.KeyRequired, "applying actions directly needs an idempotencyKey").
			Next("Preview first and apply by transactionId, or send a key of your own, such as a UUID, that names this one change.")
	}
	bad := slices.ContainsFunc([]byte(key), func(c byte) bool { return c <= ' ' || c > '~' })
	if len(key) < minKey || len(key) > maxKey || bad {
		return vault.Errorf(vault.InvalidArgument, "an idempotencyKey is %d to %d visible ASCII characters", minKey, maxKey).
			Next("A UUID is a good one.").With("field", "idempotencyKey")
	}
	return nil
}

// fingerprint is what tells one request from another: everything that decides what it does, and not the reason.
func fingerprint(r plan.Request) (string, error) {
	actions := r.Actions
	if r.Sent != "" {
		actions = nil
	}
	data, err := json.Marshal(struct {
		Actions     []plan.Action
		Transaction string
		Paths       []vault.Path
		Sent        string `json:",omitempty"`
	}{actions, r.Transaction, r.Paths, r.Sent})
	if err != nil {
		return "", vault.Errorf(vault.InvalidArgument, "the actions hold a value that is no JSON").With("field", "actions")
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
