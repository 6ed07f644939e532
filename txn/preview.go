package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// applyTool is the tool that applies a preview.
const applyTool = "apply_note_transaction"

// preview plans actions on the current text and keeps the plan.
func (s *Service) preview(ctx context.Context, t target, r plan.Request) (plan.Outcome, error) {
	p, err := plan.Make(ctx, r.Actions, s.world(t, t.readOrTwin))
	if err != nil {
		return plan.Outcome{}, s.withPreview(ctx, t, r, err)
	}
	return s.keep(ctx, t, p, r.Reason)
}

func (s *Service) keep(ctx context.Context, t target, p plan.Plan, reason string) (plan.Outcome, error) {
	id, err := newID(s.random)
	if err != nil {
		return plan.Outcome{}, err
	}
	expires := s.now().Add(previewLife).UTC().Truncate(time.Second)
	if err := s.journal.SavePreview(ctx, Preview{
		ID: id, Account: t.account, Mapping: t.mapping, Client: t.caller.Client, Reason: clean(reason), Plan: p, ExpiresAt: expires,
	}); err != nil {
		return plan.Outcome{}, err
	}
	o := plan.Outcome{
		Summary:     "Preview only: nothing was written. " + would(p),
		Transaction: id,
		ExpiresAt:   &expires,
		DryRun:      true,
		Status:      plan.StatusPreview,
		Actions:     p.Steps,
		Atomicity:   t.vault.Capabilities().Atomicity,
	}
	refusal := t.refusal
	if refusal == nil {
		refusal = t.tooMany(p)
	}
	o.Allowed = refusal == nil
	switch {
	case refusal != nil:
		o.Reason = &plan.Refusal{Code: refusal.Code, Message: refusal.Message, Next: refusal.Hint}
	case len(p.Changes) > 0:
		o.Next = &plan.NextCall{Tool: applyTool, Arguments: map[string]any{
			"mappingId": t.mapping, "transactionId": id, "paths": p.Paths(), "dryRun": false,
		}}
	}
	return o, nil
}

// world is what the plans for t are made from.
func (s *Service) world(t target, read plan.Reader) plan.World {
	return plan.World{Read: read, Today: s.now(), Links: t.links}
}

// read is what plans are made from.
func (t target) read(ctx context.Context, p vault.Path) (vault.File, error) {
	return t.vault.Read(ctx, p)
}

// twins is how many files of a folder are looked at for one whose path differs in case or Unicode form alone.
const twins = 5000

// readOrTwin is read for previews: a note that does not exist may have a twin, which a provider would refuse at the write.
func (t target) readOrTwin(ctx context.Context, p vault.Path) (vault.File, error) {
	f, err := t.read(ctx, p)
	if !errors.Is(err, vault.NotFound) {
		return f, err
	}
	n := 0
	for e, listing := range t.vault.List(ctx, p.Dir()) {
		if n++; listing != nil || n > twins {
			break // the provider still finds out
		}
		if e.Path.Key() == p.Key() {
			return vault.File{Entry: e}, nil
		}
	}
	return f, err
}

// tooMany refuses a plan that the vault cannot make as one. It names the actions that can be sent instead.
func (t target) tooMany(p plan.Plan) *vault.Error {
	c := t.vault.Capabilities()
	if len(p.Changes) <= 1 || (c.Atomicity == "atomic" && len(p.Changes) <= c.MaxBatch) {
		return nil
	}
	one := vault.Errorf(vault.BatchNotAtomic, "a %s vault changes one note at a time; this transaction changes %d", c.Provider, len(p.Changes)).
		With("limit", 1)
	if len(p.Actions) == 1 { // it cannot be taken apart
		switch p.Actions[0].Kind {
		case plan.Move:
			return one.Next("Create the note at its new path, edit the links to it, and delete the old note, each as a transaction of its own.")
		default:
			return one.Next("Edit the notes that are named in linkUpdates or in the diff, each as a transaction of its own.")
		}
	}
	return vault.Errorf(vault.BatchNotAtomic, "a %s vault changes one note at a time; this transaction changes %d", c.Provider, len(p.Changes)).
		Next("Send each action as a transaction of its own; actions on one note can stay together.").
		With("limit", 1).With("actions", p.Actions)
}

// withPreview adds to a conflict what the same change would do to the current text, as a preview of its own.
func (s *Service) withPreview(ctx context.Context, t target, r plan.Request, conflict error) error {
	var e *vault.Error
	if !errors.As(conflict, &e) || e.Code != vault.RevisionConflict {
		return conflict
	}
	actions := slices.Clone(r.Actions)
	for i, a := range actions {
		if a.ExpectedRevision == "" {
			continue
		}
		f, err := t.read(ctx, vault.Path(a.Path))
		if err != nil {
			return conflict // the note is gone, or cannot be read: there is nothing to show
		}
		actions[i].ExpectedRevision = f.Revision
	}
	p, err := plan.Make(ctx, actions, s.world(t, t.read))
	if err != nil {
		return conflict
	}
	fresh, err := s.keep(ctx, t, p, r.Reason)
	if err != nil {
		return conflict
	}
	return e.With("preview", fresh).Next("The preview above is on the current text: show it, then apply it.")
}

// would says in words what a plan does.
func would(p plan.Plan) string {
	if len(p.Changes) == 0 {
		return "Nothing would change."
	}
	return counted(len(p.Changes)) + " would change."
}

func counted(n int) string {
	if n == 1 {
		return "1 note"
	}
	return fmt.Sprintf("%d notes", n)
}
