// Package events keeps what happened: append-only knowledge events, chained by hash for each account, so that an event which was
// changed, removed or moved afterwards is found.
package events

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Kind is what happened.
type Kind string

// The kinds of events.
const (
	NoteCreated    Kind = "note_created"
	NoteChanged    Kind = "note_changed"
	NoteDeleted    Kind = "note_deleted"
	NoteRestored   Kind = "note_restored"
	NoteMoved      Kind = "note_moved"
	TokenCreated   Kind = "token_created"
	TokenRevoked   Kind = "token_revoked"
	VaultMapped    Kind = "vault_mapped"
	VaultRemoved   Kind = "vault_removed"
	WritesEnabled  Kind = "writes_enabled"
	WritesDisabled Kind = "writes_disabled"
)

// Event is one thing that happened. Sequence, ID, PreviousHash and Hash are given by Append.
type Event struct {
	Sequence    int64  // 1, 2, 3, … for each account, without gaps
	ID          string // evt_…
	Account     string
	Mapping     string    // handle; empty for what concerns no vault
	At          time.Time // to the millisecond
	Kind        Kind
	Path        vault.Path
	Client      string
	Tool        string
	Door        string
	Transaction string
	Before      vault.Revision // empty for a note that was created
	After       vault.Revision // empty for a note that was deleted
	TrashID     string
	Reason      string

	PreviousHash string // of the account's event before; FirstHash for the first
	Hash         string // SHA-256, hex
}

// FirstHash is what the first event of a chain names as the hash before it.
const FirstHash = "0000000000000000000000000000000000000000000000000000000000000000"

// hashVersion begins what is hashed, so that a later form cannot be taken for this one.
const hashVersion = "notelatch event 1"

// clean takes off what a database would not give back as it was: parts of a millisecond, and in what callers wrote freely, NUL and
// bytes that are not UTF-8. An event is never refused for its wording, because what it tells of has happened.
func (e *Event) clean() {
	e.At = time.UnixMilli(e.At.UnixMilli()).UTC()
	for _, s := range []*string{&e.Client, &e.Reason} {
		*s = strings.ToValidUTF8(strings.ReplaceAll(*s, "\x00", ""), "\uFFFD")
	}
}

// hash returns the hash of e, which covers every field but Hash. Each field is preceded by its length, so that no two events have the
// same input. The input never changes for stored events: audit tools elsewhere compute it too.
func (e Event) hash() string {
	var in []byte
	for _, field := range []string{
		hashVersion, e.PreviousHash, e.ID, e.Account, e.Mapping, string(e.Kind), string(e.Path), e.Client, e.Tool, e.Door,
		e.Transaction, string(e.Before), string(e.After), e.TrashID, e.Reason,
	} {
		in = binary.BigEndian.AppendUint64(in, uint64(len(field)))
		in = append(in, field...)
	}
	in = binary.BigEndian.AppendUint64(in, uint64(e.Sequence))
	in = binary.BigEndian.AppendUint64(in, uint64(e.At.UnixMilli()))
	sum := sha256.Sum256(in)
	return hex.EncodeToString(sum[:])
}
