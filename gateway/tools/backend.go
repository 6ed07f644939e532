package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// Backend is all that tools ask for. The server implements it over authority, index and transactions; a browser over a local store.
// Its methods return vault.Error for what a caller can act on.
type Backend interface {
	// Vaults lists the vaults that the caller may see, in a stable order.
	Vaults(ctx context.Context, c vault.Caller) ([]VaultRow, error)

	// Open returns one vault, already held to policy and scope. A handle that is foreign, malformed or unknown is vault.NotFound, with
	// the same text. With vault.NeedPropose a mapping that does not accept writes still opens; with vault.NeedApply it is refused with
	// the code that says why.
	Open(ctx context.Context, c vault.Caller, mappingID string, need vault.Need) (Vault, error)

	// Account describes the caller for list_vaults.
	Account(ctx context.Context, c vault.Caller) (AccountRow, error)
}

// Vault is one open vault. It is valid for the call that opened it.
type Vault interface {
	ID() string
	Search(ctx context.Context, r SearchRequest) (SearchAnswer, error)
	// Note reads one note. Ref is a path (".md" may be missing), a link text or an alias. An ambiguous one is vault.AmbiguousPath
	// with details.candidates; an unknown one vault.NotFound with details.near.
	Note(ctx context.Context, ref string) (NoteAnswer, error)
	Relations(ctx context.Context, r RelationsRequest) (RelationsAnswer, error)
	// Schema counts what the notes have.
	Schema(ctx context.Context, r SchemaRequest) (SchemaAnswer, error)
	// Settings are those of the vault's editor; the zero Settings where the vault has none.
	Settings(ctx context.Context) (vault.Settings, error)
	Preview(ctx context.Context, r plan.Request) (plan.Outcome, error)
	Apply(ctx context.Context, r plan.Request) (plan.Outcome, error)
	Events(ctx context.Context, r EventsRequest) (EventsAnswer, error)
}

// AccountRow is the caller as list_vaults shows it.
type AccountRow struct {
	Account        string
	Client         string
	Plan           string
	Scopes         []vault.Scope
	OperationsLeft *int64 // nil without a monthly limit
}

// VaultRow is one vault as list_vaults shows it.
type VaultRow struct {
	MappingID         string
	Name              string
	Provider          string
	ReadOnly          bool
	WriteAccess       string // "none", "propose", "apply"
	Encryption        string // "none" or the kind
	Available         bool
	UnavailableReason string
	NoteCount         *int
	Index             IndexState
	LastSyncedAt      *time.Time
}

// IndexState is how far the index of a vault is.
type IndexState struct {
	State   string `json:"state"`           // "ready", "building", "waiting", "failed"
	Percent int    `json:"percent"`         // 0 to 100
	Notes   int    `json:"notes,omitempty"` // indexed so far
	Of      int    `json:"of,omitempty"`    // known so far; 0 while unknown
}

// Freshness is where an answer came from, and as of when.
type Freshness struct {
	Source string    `json:"source"` // "live" or "index"
	AsOf   time.Time `json:"asOf"`
}

// Coverage is how much of a set was searched.
type Coverage struct {
	Searched   int
	Of         int
	Encrypted  int // skipped
	Unreadable int // skipped
}

// Bound is a limit of the server that an answer met.
type Bound struct {
	Limit string `json:"limit"`
	Value int64  `json:"value"`
}

// SearchRequest is what search_notes asks. Text may be empty: then it lists. The query language is that of vault/search.
type SearchRequest struct {
	Text          string
	Sort          string // "relevance", "modified", "created", "path", "title"
	Limit         int    // 1 to 50
	Offset        int
	PathPrefix    vault.Path
	Tags          []string
	Properties    map[string]string
	ModifiedAfter time.Time
}

// SearchAnswer is one page.
type SearchAnswer struct {
	Hits         []Hit
	Total        int // notes that match, those with some of the words included
	Full         int // of Total: notes with all of the words, but for those that are common in the vault
	TotalIsExact bool
	More         bool
	DidYouMean   string     // the whole query, corrected; "" unless no note matches in full
	Missing      []string   // words that stand in no note, if no note matches in full
	NoFilters    []string   // what was written as a filter ("heading:x"), is none, and was searched as words
	Blank        bool       // Text is of punctuation alone: nothing was searched for
	Folder       vault.Path // what PathPrefix was taken as, if it differs in case or Unicode form
	Unmet        []Unmet    // if nothing matches: what no note of the vault meets
	Coverage     Coverage
	Freshness    Freshness
	Bounds       []Bound
}

// Unmet is a name that a search asks for and the vault does not have.
type Unmet struct {
	Kind string // "folder", "tag", "property", or "value" of a property
	Key  string // of a "value": the property
	Name string
	Near string // a name like it that there is; "" for none
}

// Hit is one found note or attachment.
type Hit struct {
	Path       vault.Path
	Title      string
	Score      float64
	Partial    bool // a telling word of the query is missing
	Tags       []string
	ModifiedAt time.Time
	SizeBytes  int64
	Revision   vault.Revision
	Problems   []string // codes
	Snippets   []Snippet
}

// Snippet is a passage. Hidden characters in it are escaped.
type Snippet struct {
	Text      string `json:"text"`
	Heading   string `json:"heading,omitempty"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
}

// NoteAnswer is a note as stored now.
type NoteAnswer struct {
	File      vault.File
	Note      *vault.Note // parsed from File.Body
	Origin    Origin
	Freshness Freshness
	// Taken says how Ref was understood, where it was not the path itself ("" otherwise).
	Taken string
}

// Origin is who wrote the stored state of a note.
type Origin struct {
	By       string // "owner", "agent", "outside"
	Client   string
	At       time.Time
	Reviewed bool
}

// RelationsRequest is what query_graph_relations asks. Without a path it spans the vault.
type RelationsRequest struct {
	Path      string // as Vault.Note's ref; "" for the whole vault
	Direction string // "incoming", "outgoing", "both"
	Depth     int    // 1 to 3
	Kinds     []string
	Filter    string // "", "orphans", "unresolved"
	Limit     int
	Offset    int
}

// RelationsAnswer is one page of edges with the nodes that they touch.
type RelationsAnswer struct {
	Nodes     []Node
	Edges     []Edge
	Total     int
	More      bool
	Coverage  Coverage
	Freshness Freshness
	Bounds    []Bound
}

// Node is a file in the graph.
type Node struct {
	Path   vault.Path `json:"path"`
	Title  string     `json:"title"`
	Exists bool       `json:"exists"`
}

// Edge is a link. An unresolved one has no To.
type Edge struct {
	From            vault.Path   `json:"from"`
	To              vault.Path   `json:"to,omitempty"`
	Kind            string       `json:"kind"`
	Text            string       `json:"text"`
	Subpath         string       `json:"subpath,omitempty"`
	Relation        string       `json:"relation,omitempty"`
	Via             string       `json:"via,omitempty"` // ViaCanvasText, or ""
	Resolved        bool         `json:"resolved"`
	Self            bool         `json:"self,omitempty"`
	AliasCandidates []vault.Path `json:"aliasCandidates,omitempty"`
	Line            int          `json:"line"`
	Context         string       `json:"context"` // the line around the link, hidden characters escaped
}

// ViaCanvasText is said of an edge that stands in the text of a canvas's card.
const ViaCanvasText = "canvas-text"

// SchemaRequest is what get_vault_schema asks.
type SchemaRequest struct {
	PathPrefix vault.Path // zero: all
}

// SchemaAnswer is what the notes below a folder have.
type SchemaAnswer struct {
	Schema    *vault.Schema
	Types     vault.PropertyTypes // that the owner declared
	Total     int                 // notes there are, counted or not
	Stats     SchemaStats
	Coverage  Coverage
	Freshness Freshness
}

// SchemaStats are totals below a folder.
type SchemaStats struct {
	Notes          int   `json:"notes"`
	WithProperties int   `json:"withProperties"`
	Attachments    int   `json:"attachments"`
	Canvases       int   `json:"canvases"`
	Bytes          int64 `json:"bytes"` // of notes
	Problems       int   `json:"problems"`
	Encrypted      int   `json:"encrypted"`
	Unreadable     int   `json:"unreadable"`
}

// EventsRequest is what get_knowledge_events asks.
type EventsRequest struct {
	Path   vault.Path // zero: all
	Since  time.Time
	Kinds  []string
	Limit  int
	Before int64 // sequence to go on from, newest first; 0 starts
}

// EventsAnswer is one page, newest first.
type EventsAnswer struct {
	Events    []Event
	More      bool
	Freshness Freshness
}

// Event is one knowledge event.
type Event struct {
	Sequence     int64
	ID           string
	At           time.Time
	Kind         string
	Path         vault.Path
	Account      string // actor
	Client       string
	Tool         string
	Door         string
	Transaction  string
	Before       vault.Revision
	After        vault.Revision
	TrashID      string
	Reason       string
	Hash         string
	PreviousHash string
}

// Definition is one tool as doors see it. Descriptor is the complete JSON object that tools/list shows for it.
type Definition struct {
	Name       string
	Title      string
	Scope      vault.Scope
	Write      bool // counts against the writes per minute
	Core       bool // in the named set "core"
	Knowledge  bool // in the named set "knowledge"
	Untrusted  bool // its answers carry text of notes: results say so in _meta
	Descriptor json.RawMessage
}

// Meter is asked before a call's arguments are decoded, and told how it ended. See 429 and monthly limits in the contract.
type Meter interface {
	// Reserve takes one operation. A refusal is a vault.Error (rate_limited, monthly_limit_reached, …).
	Reserve(ctx context.Context, c vault.Caller, tool Definition) error
}
