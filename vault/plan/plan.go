package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// MaxBytes is the most that all results of one transaction may hold together.
const MaxBytes = 16 << 20

// Plan is what a transaction would do, exactly: the result of each action, and what has to be stored. It depends on nothing but the
// actions and the notes that were read, so that equal input gives an equal plan. It goes to JSON and back whole.
type Plan struct {
	Actions []Action        `json:"actions"`
	Steps   []ActionOutcome `json:"steps"`   // one for each action
	Changes []Change        `json:"changes"` // one for each note that ends up different, in the order in which they were first touched
}

// Change is what becomes of one note.
type Change struct {
	Path       vault.Path     `json:"path"`
	Delete     bool           `json:"delete,omitempty"`
	Body       []byte         `json:"body,omitempty"`
	Hash       string         `json:"hash,omitempty"`       // SHA-256 of Body, hex; "" for a deletion
	Before     vault.Revision `json:"before,omitempty"`     // "" for a note that does not exist
	BeforeHash string         `json:"beforeHash,omitempty"` // "" likewise
}

// Pre is what must hold when the change is written: nobody else has written since the plan was made.
func (c Change) Pre() vault.Precondition {
	if c.Before == "" {
		return vault.MustBeAbsent()
	}
	return vault.MustBe(c.Before)
}

// Landed reports whether a note with this body, or none (nil), is what the change makes of it.
func (c Change) Landed(f *vault.File) bool {
	if c.Delete || f == nil {
		return c.Delete && f == nil
	}
	return bytes.Equal(f.Body, c.Body)
}

// Hash is the SHA-256 of a note's bytes, in hex.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Reader reads one note as it is now; vault.NotFound is a note that does not exist. A reader that knows of a note whose path differs
// from p in case or Unicode form alone returns that, with its stored path.
type Reader func(ctx context.Context, p vault.Path) (vault.File, error)

// World is what a plan is made from.
type World struct {
	Read  Reader
	Today time.Time // whose date is written where a task is done
	Links func(ctx context.Context) (Links, error)
}

// Make plans actions. Each sees what the ones before it did; revisions that it expects mean the state before the transaction. The
// first action that cannot be done fails all, with a vault.Error whose details hold its index and path. An error of w.Read that is
// no vault.NotFound is returned as it is. Equal worlds give equal plans.
func Make(ctx context.Context, actions []Action, w World) (Plan, error) {
	if err := Check(actions); err != nil {
		return Plan{}, err
	}
	m := maker{World: w, notes: make(map[string]*note)}
	p := Plan{Actions: actions, Steps: make([]ActionOutcome, 0, len(actions))}
	for i, a := range actions {
		step, err := m.plan(ctx, a)
		if err != nil {
			return Plan{}, at(err, i, a)
		}
		step.Index = i
		p.Steps = append(p.Steps, step)
		if a.Kind == Task && a.Line > 0 && a.ExpectedRevision == "" && step.Before != nil && step.Before.Revision != "" {
			// When this plan is made again, the line must still be that task's.
			p.Actions = slices.Clone(p.Actions)
			p.Actions[i].ExpectedRevision = step.Before.Revision
		}
	}
	var err error
	p.Changes, err = m.changes()
	return p, err
}

// at says which action an error is about.
func at(err error, index int, a Action) error {
	var e *vault.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = make(map[string]any, 2)
	}
	c.Details["index"] = index
	if _, ok := c.Details["path"]; !ok {
		c.Details["path"] = a.Path
	}
	return &c
}

// Paths are the paths of the actions and of all notes that would change, each once: first the actions', in their order.
func (p Plan) Paths() []vault.Path {
	var paths []vault.Path
	seen := make(map[vault.Path]bool, len(p.Steps)+len(p.Changes))
	add := func(q vault.Path) {
		if q != "" && !seen[q] {
			seen[q] = true
			paths = append(paths, q)
		}
	}
	for _, s := range p.Steps {
		add(s.Path)
		add(s.NewPath)
	}
	for _, c := range p.Changes {
		add(c.Path)
	}
	return paths
}

// note is one note while a plan is made.
type note struct {
	path   vault.Path
	stored *vault.File // before the transaction; nil if there was none
	body   []byte      // after the actions so far
	exists bool
}

// touched reports whether the transaction has made another note of it.
func (n *note) touched() bool {
	return n.exists != (n.stored != nil) || n.exists && !bytes.Equal(n.body, n.stored.Body)
}

type maker struct {
	World
	links Links            // once they were asked for
	notes map[string]*note // by Path.Key
	order []*note
}

// note finds the state of the note at p, and reads it when it is met first.
func (m *maker) note(ctx context.Context, p vault.Path) (*note, error) {
	if n, ok := m.notes[p.Key()]; ok {
		return n, m.sameSpelling(n, p)
	}
	n := &note{path: p}
	f, err := m.Read(ctx, p)
	switch {
	case err == nil:
		n.stored, n.body, n.exists = &f, f.Body, true
		if f.Path != "" {
			n.path = f.Path
		}
	case !errors.Is(err, vault.NotFound):
		return nil, err
	}
	m.notes[p.Key()] = n
	m.order = append(m.order, n)
	return n, m.sameSpelling(n, p)
}

func (m *maker) sameSpelling(n *note, p vault.Path) error {
	if n.path == p {
		return nil
	}
	return vault.Errorf(vault.AlreadyExists, "there is a note at this path in another spelling: %s", n.path).
		Next("Use the path as it is stored, or another name: on many systems the two are one file.").
		With("stored", n.path)
}

// changes are what the notes came to.
func (m *maker) changes() ([]Change, error) {
	changes := make([]Change, 0, len(m.order))
	total := 0
	for _, n := range m.order {
		c := Change{Path: n.path, Delete: !n.exists}
		if n.stored != nil {
			c.Before, c.BeforeHash = n.stored.Revision, Hash(n.stored.Body)
		}
		if n.exists {
			c.Body, c.Hash = n.body, Hash(n.body)
		}
		if c.Hash != c.BeforeHash {
			total += len(n.body)
			changes = append(changes, c)
		}
	}
	if len(changes) > MaxChanges {
		return nil, vault.Errorf(vault.TooManyActions, "the transaction would change %d notes; it may change %d", len(changes), MaxChanges).
			Next("Send the actions in several transactions; move with updateLinks false changes no other note.").With("limit", MaxChanges)
	}
	if total > MaxBytes {
		return nil, vault.Errorf(vault.BudgetExceeded, "the notes of the transaction would hold %d bytes; together they may hold %d", total, MaxBytes).
			Next("Send the actions in several transactions.").With("limit", MaxBytes)
	}
	return changes, nil
}

// WithoutBodies is the plan with what it is known by, and not the notes themselves.
func (p Plan) WithoutBodies() Plan {
	p.Changes = slices.Clone(p.Changes)
	for i := range p.Changes {
		p.Changes[i].Body = nil
	}
	return p
}

// Check tells whether actions make sense by themselves, without reading a note. Make does so too.
func Check(actions []Action) error {
	switch {
	case len(actions) == 0:
		return vault.Errorf(vault.InvalidArgument, "a transaction needs at least one action").With("field", "actions")
	case len(actions) > MaxActions:
		return vault.Errorf(vault.TooManyActions, "the transaction has %d actions; it may have %d", len(actions), MaxActions).
			Next("Send the actions in several transactions.").With("limit", MaxActions)
	}
	for i, a := range actions {
		if _, err := a.check(); err != nil {
			return at(err, i, a)
		}
	}
	return nil
}
