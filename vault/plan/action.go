// Package plan turns actions on notes into exact changes. It is pure: it reads notes through a function that it is given, writes
// nothing, and knows neither clock nor chance, so that the server and a browser plan alike.
package plan

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Kind is what an action does.
type Kind string

// The kinds. Restoring from a trash is a provider's work, and no kind of a plan.
const (
	Create         Kind = "create"
	Append         Kind = "append"
	CreateOrAppend Kind = "create_or_append"
	Replace        Kind = "replace"
	EditText       Kind = "edit"
	SetProperties  Kind = "set_properties"
	Task           Kind = "task"
	Move           Kind = "move"
	RenameHeading  Kind = "rename_heading"
	RenameTag      Kind = "rename_tag"
	Delete         Kind = "delete"
)

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{Create, Append, CreateOrAppend, Replace, EditText, SetProperties, Task, Move, RenameHeading, RenameTag, Delete}
}

// MaxActions is the most that one transaction may hold.
const MaxActions = 100

// MaxNote is the most bytes that a planned note may have.
const MaxNote = 1 << 20

// MaxChanges is the most files that one transaction may change: a moved note is two, and notes whose links are updated count.
const MaxChanges = 100

// Action is one wanted change, as a caller writes it. Absent and null are the same; pointers tell "absent" from "empty".
type Action struct {
	Kind             Kind           `json:"kind" jsonschema:"what to do"`
	Path             string         `json:"path,omitempty" jsonschema:"of the note; move: or a folder"`
	Content          *string        `json:"content,omitempty" jsonschema:"Markdown"`
	Heading          string         `json:"heading,omitempty" jsonschema:"as in Plan > Risks"`
	Prepend          bool           `json:"prepend,omitempty" jsonschema:"append at the start"`
	Properties       map[string]any `json:"properties,omitempty" jsonschema:"of a new note"`
	Edits            []Edit         `json:"edits,omitempty" jsonschema:"on the text as it is"`
	Set              map[string]any `json:"set,omitempty" jsonschema:"properties to set"`
	Unset            []string       `json:"unset,omitempty" jsonschema:"keys to remove"`
	Line             int            `json:"line,omitempty" jsonschema:"of the task"`
	BlockID          string         `json:"blockId,omitempty" jsonschema:"or its block"`
	Status           string         `json:"status,omitempty" jsonschema:"todo, done, in_progress, cancelled or a character"`
	Text             *string        `json:"text,omitempty" jsonschema:"new, of the task"`
	NewPath          string         `json:"newPath,omitempty" jsonschema:"links are updated"`
	UpdateLinks      *bool          `json:"updateLinks,omitempty" jsonschema:"default true"`
	NewHeading       string         `json:"newHeading,omitempty" jsonschema:"its new text"`
	Tag              string         `json:"tag,omitempty" jsonschema:"nested ones too"`
	NewTag           string         `json:"newTag,omitempty" jsonschema:"its new name"`
	PathPrefix       string         `json:"pathPrefix,omitempty" jsonschema:"folder of rename_tag"`
	ExpectedRevision vault.Revision `json:"expectedRevision,omitempty" jsonschema:"as read; for replace, move, delete, edit by place"`
	AllowShrink      bool           `json:"allowShrink,omitempty" jsonschema:"for replace: may lose half"`
}

// Edit is one replacement in a note. It is found by one of Find, Heading, BlockID and Lines.
type Edit struct {
	Find       string `json:"find,omitempty" jsonschema:"unique text, or give a place"`
	Occurrence int    `json:"occurrence,omitempty" jsonschema:"nth of find"`
	Heading    string `json:"heading,omitempty" jsonschema:"a section's text"`
	BlockID    string `json:"blockId,omitempty" jsonschema:"this block"`
	Lines      string `json:"lines,omitempty" jsonschema:"as 4-6"`
	Replace    string `json:"replace" jsonschema:"new text"`
}

// Request asks for a preview or an application. Either Actions are given, or Transaction and Paths of an earlier preview.
type Request struct {
	Actions     []Action
	Transaction string       // txn_… of a preview
	Paths       []vault.Path // must equal the previewed paths
	Key         string       // idempotency key of a direct apply; 8–128 visible ASCII characters
	Reason      string
	Tool        string // which tool asked, for the event

	// Sent is what the caller sent, where a tool made the actions of something that may make others tomorrow ("today's note"). It
	// stands for the actions when requests of one key are compared; "" is the actions themselves.
	Sent string

	// Links makes what is known of the vault's links current and returns it. It is asked only by actions that go beyond one note, and
	// may be nil where there is none.
	Links func(ctx context.Context) (Links, error)
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
	EffectMoved     = "moved"
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
	Path          vault.Path `json:"path"`              // "" for an action on the whole vault
	NewPath       vault.Path `json:"newPath,omitempty"` // of a note that was moved
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
