package providers

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// Limits that drivers share where their service has none of its own. A note that people write is far smaller; attachments and logs
// are read in parts up to MaxRead.
const (
	MaxRead  = 16 << 20 // bytes
	MaxWrite = 1 << 20  // bytes
	MaxBatch = 100      // changes in one Commit
)

var revisionEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// ContentRevision is the revision of a body where the service has none of its own: a hash, so that equal bytes are one revision.
func ContentRevision(body []byte) vault.Revision {
	sum := sha256.Sum256(body)
	return RevisionOf(sum)
}

// RevisionOf is ContentRevision for a body whose SHA-256 is known.
func RevisionOf(sum [sha256.Size]byte) vault.Revision {
	const bytes = 13 // 104 bits, 21 characters
	return vault.Revision("r1" + strings.ToLower(revisionEncoding.EncodeToString(sum[:bytes])))
}

// Missing is the answer for a path where there is no file.
func Missing(p vault.Path) error {
	return vault.Errorf(vault.NotFound, "there is no file %s in this vault", p).
		With("missing", "note").
		With("path", string(p))
}

// Conflict is the answer when the file at p is not what the change demanded. An empty current says that there is none.
func Conflict(p vault.Path, expected, current vault.Revision) error {
	e := vault.Errorf(vault.RevisionConflict, "%s has changed since it was read", p)
	if current == "" {
		e = vault.Errorf(vault.RevisionConflict, "%s is gone", p)
	}
	return e.Next("Read the note again, and make the change on what it holds now.").
		With("path", string(p)).
		With("expected", string(expected)).
		With("current", string(current))
}

// Exists is the answer when p must be absent and there is a file at existing, which may differ from p by case or Unicode form, or be
// where p needs a folder.
func Exists(p, existing vault.Path) error {
	e := vault.Errorf(vault.AlreadyExists, "there is already a file %s", existing)
	switch {
	case p == existing:
	case p.In(existing):
		e = vault.Errorf(vault.AlreadyExists, "there is already a file %s, so that nothing can be stored below it", existing)
	default:
		e = vault.Errorf(vault.AlreadyExists, "there is already a file %s, which differs from %s only by case or Unicode form", existing, p)
	}
	return e.Next("Change that file, or choose another path.").
		With("path", string(p)).
		With("existing", string(existing))
}

// TooLarge is the answer for a file that can be listed and not read.
func TooLarge(p vault.Path, size, most int64) error {
	return vault.Errorf(vault.NoteTooLarge, "%s has %d bytes; files of up to %d bytes can be read", p, size, most).
		With("path", string(p)).
		With("sizeBytes", size).
		With("limit", most)
}

// Busy is the answer when another program is writing the file at p. Nothing was changed, as Untouched reports.
func Busy(p vault.Path) error {
	return vault.Errorf(vault.ProviderUnavailable, "%s is open for writing in another program", p).
		Next("Try again in a moment.").
		With("path", string(p)).
		With("untouched", true)
}

// Untouched reports whether err says that a change was not begun, or was taken back, so that it has not landed and never will.
func Untouched(err error) bool {
	var e *vault.Error
	return errors.As(err, &e) && e.Details["untouched"] == true
}
