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

// Capabilities says what a driver can do. It is the same for the life of a driver.
type Capabilities struct {
	Provider  string // "hosted", "folder", "memory", …
	Write     bool
	MaxBatch  int    // changes that Commit takes at once; 1 where there is no Committer
	Atomicity string // "atomic", "recoverable", "single"
	Trash     bool
	History   bool
	Live      bool   // reads are cheap enough that an answer can be checked against the stored file each time
	Replace   string // how a file is replaced: "transaction", "exchange", "check-and-rename"
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

// Cursor is a place in a change feed. The zero Cursor asks for a complete listing.
type Cursor string

// ChangePage is what changed since a cursor. With Reset, everything known before is void: list again.
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
