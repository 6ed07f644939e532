package providers

import (
	"context"
	"iter"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Driver stores the files of one vault, notes and attachments alike, as bytes. Its methods are safe for concurrent use.
//
// It does not retry and does not wrap: Vault does. It turns its service's errors into vault.Error codes in one function: a missing
// file is vault.NotFound, a precondition that does not hold is vault.RevisionConflict (details: expected, current), or
// vault.AlreadyExists for one that demanded absence. It lists and reads no dot-folders, and refuses to write hidden paths
// (vault.InvalidArgument).
type Driver interface {
	Capabilities() Capabilities

	// List yields every file at or below dir, in no promised order. An error ends it: a listing is complete or it failed, and
	// a file that cannot be looked at is an Entry whose Stamp says so, never left out.
	List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error]

	// Read returns a file of at most Capabilities.MaxRead bytes (vault.NoteTooLarge otherwise).
	Read(ctx context.Context, p vault.Path) (vault.File, error)

	// Write stores c.Body at c.Path if c.Pre holds, durably when it returns. Folders are made as needed.
	Write(ctx context.Context, c Change) (vault.Entry, error)

	// Delete moves the file to the trash, where there is one, if c.Pre holds.
	Delete(ctx context.Context, c Change) error
}

// Unreadable begins the Stamp of an entry that is listed and cannot be read; what is wrong with it follows.
const Unreadable = "unreadable: "

// Change is one write or deletion.
type Change struct {
	Path    vault.Path
	Body    []byte // what to store; nil for a deletion
	Delete  bool
	Pre     vault.Precondition // the zero Precondition is refused with vault.InvalidArgument
	Attempt Attempt
}

// Attempt names the transaction that a change belongs to, so that a provider can be asked after a lost answer whether it landed.
type Attempt struct {
	Transaction string // txn_…
	Index       int    // of the change in the transaction
	Message     string // for providers that record one
}

// Check refuses what no driver may do: a change without a precondition, one of a hidden or malformed path, a body of more than most
// bytes, and a deletion of what must be absent. Drivers call it first, so that a change that is refused has touched nothing.
func (c Change) Check(most int64) error {
	if _, err := vault.ParsePath(string(c.Path)); err != nil {
		return err
	}
	switch {
	case c.Path.Hidden():
		return vault.Errorf(vault.InvalidArgument, "%s is hidden; names that begin with a dot belong to programs", c.Path).
			Next("Choose a path in which no name begins with a dot.").
			With("field", "path")
	case c.Pre.IsZero():
		return vault.Errorf(vault.InvalidArgument, "the change of %s says nothing of what must be there; no write is blind", c.Path).
			Next("Name the revision that you read, or demand that the note is absent.").
			With("field", "expectedRevision")
	case c.Delete && c.Pre.Absent():
		return vault.Errorf(vault.InvalidArgument, "%s cannot be deleted and absent at once", c.Path).
			With("field", "expectedRevision")
	case int64(len(c.Body)) > most:
		return vault.Errorf(vault.NoteTooLarge, "%s would be %d bytes; a note may have %d", c.Path, len(c.Body), most).
			Next("Split the note.").
			With("sizeBytes", len(c.Body)).
			With("limit", most)
	}
	return nil
}

// Capabilities says what a driver can do. It is the same for the life of a driver.
type Capabilities struct {
	Provider  string // "hosted", "folder", "memory", …
	Write     bool
	MaxBatch  int    // changes that Commit takes at once; 1 where there is no Committer
	Atomicity string // "atomic", "recoverable", "single"
	Trash     bool
	History   bool
	Live      bool   // reads are cheap enough that an answer can be checked against the stored file each time
	Replace   string // how a file is replaced: "transaction", "exchange", "exchange-unleased" (see folder), "check-and-rename"
	Freshness string // how outside edits are noticed: "counter", "inotify", "sweep"
	MaxRead   int64  // bytes
	MaxWrite  int64  // bytes
}

// The optional interfaces. Vault finds out which of them a driver has, and falls back or answers vault.UnsupportedHere.

// Committer makes several changes, all or none.
type Committer interface {
	Commit(ctx context.Context, changes []Change) ([]vault.Entry, error)
}

// TrashID names one deleted file.
type TrashID string

// Trashed is a file in the trash.
type Trashed struct {
	ID        TrashID
	Entry     vault.Entry // where it was, and as what
	DeletedAt time.Time
}

// Trasher lists and restores what Delete moved away.
type Trasher interface {
	Trash(ctx context.Context) iter.Seq2[Trashed, error]
	Restore(ctx context.Context, id TrashID, to vault.Path) (vault.Entry, error)
}

// Witness knows after a lost answer whether an attempt landed. It is asked only when the stored content alone does not tell.
type Witness interface {
	Landed(ctx context.Context, c Change) (vault.Entry, bool, error)
}

// Historian keeps earlier revisions of a note.
type Historian interface {
	Revisions(ctx context.Context, p vault.Path) iter.Seq2[vault.Entry, error]
	ReadRevision(ctx context.Context, p vault.Path, r vault.Revision) (vault.File, error)
}

// Mover renames without copying.
type Mover interface {
	Move(ctx context.Context, from vault.Path, c Change) (vault.Entry, error)
}

// Anchored is for a driver whose root can be taken away while it is open, such as a folder that is moved.
type Anchored interface {
	// Adrift reports whether the root no longer leads to what is open. It is asked before each call, so it must be cheap.
	Adrift() bool
}

// Cursor is a place in a change feed. The zero Cursor asks for a complete listing.
type Cursor string

// ChangePage is what changed since a cursor. With Reset, everything known before is void, and Changed is the complete listing, over as
// many pages as More says. The zero Cursor, and one that the driver does not know (any more), are answered with a Reset.
type ChangePage struct {
	Changed []vault.Entry
	Deleted []vault.Path
	Next    Cursor
	More    bool
	Reset   bool
	Checked string // how sure the feed is: "inotify", "sweep", "counter"
}

// ChangeFeed tells what changed since a cursor. A change that was finished before the call is in the answer.
type ChangeFeed interface {
	Changes(ctx context.Context, since Cursor) (ChangePage, error)
}
