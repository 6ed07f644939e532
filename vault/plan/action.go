// Package plan turns actions on notes into exact changes. It is pure: it reads notes through a function that it is given, writes
// nothing, and knows neither clock nor chance, so that the server and a browser plan alike.
package plan

import (
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Kind is what an action does.
type Kind string

// The kinds that are served. Others of the contract (edit, set_properties, task, move, rename_heading, rename_tag, restore) are
// added as cases here.
const (
	Create         Kind = "create"
	Append         Kind = "append"
	CreateOrAppend Kind = "create_or_append"
	Replace        Kind = "replace"
	Delete         Kind = "delete"
)

// MaxActions is the most that one transaction may hold.
const MaxActions = 100

// MaxNote is the most bytes that a planned note may have.
const MaxNote = 1 << 20

// Action is one wanted change, as a caller writes it. Absent and null are the same; pointers tell "absent" from "empty".
type Action struct {
	Kind             Kind           `json:"kind" jsonschema:"create, append, create_or_append, replace or delete"`
	Path             string         `json:"path" jsonschema:"vault-relative path of the note, such as Projects/Alpha.md"`
	Content          *string        `json:"content,omitempty" jsonschema:"the text to write or to add; Markdown"`
	Heading          string         `json:"heading,omitempty" jsonschema:"append to the end of this heading's section; Plan > Risks names a nested one"`
	Prepend          bool           `json:"prepend,omitempty" jsonschema:"append at the start of the body or section instead of its end"`
	Properties       map[string]any `json:"properties,omitempty" jsonschema:"frontmatter of a new note"`
	ExpectedRevision vault.Revision `json:"expectedRevision,omitempty" jsonschema:"the revision that you read; needed for replace and delete"`
	AllowShrink      bool           `json:"allowShrink,omitempty" jsonschema:"replace may lose more than half of the note"`
}

// Request asks for a preview or an application. Either Actions are given, or Transaction and Paths of an earlier preview.
type Request struct {
	Actions     []Action
	Transaction string       // txn_… of a preview
	Paths       []vault.Path // must equal the previewed paths
	Key         string       // idempotency key of a direct apply; 8–128 visible ASCII characters
	Reason      string
	Tool        string // which tool asked, for the event
}

// Status is where a transaction stands.
type Status string

// The statuses on the wire.
const (
	StatusPreview   Status = "preview"
	StatusApplied   Status = "applied"
	StatusUnchanged Status = "unchanged"
	StatusConflict  Status = "conflict"
	StatusFailed    Status = "failed"
	StatusUnknown   Status = "unknown"
)

// Effects of one action.
const (
	EffectCreated   = "created"
	EffectChanged   = "changed"
	EffectDeleted   = "deleted"
	EffectUnchanged = "unchanged"
)

// Outcome is a previewed or applied transaction, in the shape that every door answers with. Summary is always the first key.
type Outcome struct {
	Summary     string          `json:"summary"`
	Transaction string          `json:"transactionId"`
	ExpiresAt   *time.Time      `json:"expiresAt,omitempty"`
	DryRun      bool            `json:"dryRun"`
	Status      Status          `json:"status"`
	Replayed    bool            `json:"replayed,omitempty"`
	Actions     []ActionOutcome `json:"actions"`
	Atomicity   string          `json:"atomicity"`
	Allowed     bool            `json:"allowed"` // would this mapping accept it now?
	Reason      *Refusal        `json:"reason"`  // why not
	Receipt     *Receipt        `json:"receipt,omitempty"`
	Next        *NextCall       `json:"next,omitempty"`
}

// Refusal is why an apply would be refused.
type Refusal struct {
	Code    vault.Code `json:"code"`
	Message string     `json:"message"`
	Next    string     `json:"next,omitempty"`
}

// ActionOutcome is what one action does or did.
type ActionOutcome struct {
	Index         int        `json:"index"`
	Kind          Kind       `json:"kind"`
	Path          vault.Path `json:"path"`
	Effect        string     `json:"effect"`
	Before        *State     `json:"before,omitempty"` // absent for a note that did not exist
	After         *State     `json:"after,omitempty"`  // in previews without revision
	Diff          string     `json:"diff,omitempty"`   // unified
	DiffTruncated bool       `json:"diffTruncated,omitempty"`
	LinkUpdates   []string   `json:"linkUpdates,omitempty"`
	Warnings      []string   `json:"warnings,omitempty"`
	Rebased       bool       `json:"rebased,omitempty"`
}

// State is one stored state of a note.
type State struct {
	Revision  vault.Revision `json:"revision,omitempty"`
	SizeBytes int            `json:"sizeBytes"`
	Hash      string         `json:"hash,omitempty"` // SHA-256 of the bytes, hex; only when asked for
}

// Receipt proves an applied transaction.
type Receipt struct {
	Transaction  string    `json:"transactionId"`
	Account      string    `json:"account"`
	Client       string    `json:"client"`
	AppliedAt    time.Time `json:"appliedAt"`
	EventHash    string    `json:"eventHash"`
	PreviousHash string    `json:"previousHash"`
}

// NextCall is the exact call that goes on from here.
type NextCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}
