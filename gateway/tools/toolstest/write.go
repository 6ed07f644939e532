package toolstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// previewLife is how long a preview can be applied.
const previewLife = time.Hour

// transaction is a stored plan with what became of it.
type transaction struct {
	id      string
	asked   string // fingerprint of the request
	plan    plan.Plan
	expires time.Time
	outcome plan.Outcome
	applied bool
}

func (s *session) make(ctx context.Context, r plan.Request) (*transaction, error) {
	p, err := plan.Make(ctx, r.Actions, plan.World{Today: s.b.now(), Read: func(_ context.Context, p vault.Path) (vault.File, error) {
		for q, f := range s.files {
			if q.Key() != p.Key() {
				continue
			}
			return f, nil
		}
		return vault.File{}, vault.Errorf(vault.NotFound, "there is no note at %s", p)
	}})
	if err != nil {
		return nil, err
	}
	s.b.serial++
	asked, err := fingerprint(r)
	return &transaction{
		id: fmt.Sprintf("txn_%026d", s.b.serial), asked: string(asked), plan: p, expires: s.b.now().Add(previewLife),
	}, err
}

// Preview implements tools.Vault.
func (s *session) Preview(ctx context.Context, r plan.Request) (plan.Outcome, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	t, err := s.make(ctx, r)
	if err != nil {
		return plan.Outcome{}, err
	}
	return s.keep(t), nil
}

// keep stores a plan as a preview.
func (s *session) keep(t *transaction) plan.Outcome {
	s.previews[t.id] = t
	o := plan.Outcome{
		Transaction: t.id, ExpiresAt: &t.expires, DryRun: true, Status: plan.StatusPreview, Actions: t.plan.Steps, Atomicity: "atomic",
		Allowed: s.access == "apply", Summary: fmt.Sprintf("Preview only: nothing was written. %d notes would change.", len(t.plan.Changes)),
	}
	if !o.Allowed {
		e := s.refusal()
		o.Reason = &plan.Refusal{Code: e.Code, Message: e.Message, Next: e.Hint}
	}
	if len(t.plan.Changes) == 0 {
		o.Status, o.Summary = plan.StatusUnchanged, "Nothing would change."
	}
	return o
}

// find is the preview that r names, or an error; without a transaction it is neither.
func (s *session) find(r plan.Request) (*transaction, error) {
	if r.Transaction == "" {
		return nil, nil
	}
	t := s.previews[r.Transaction]
	switch {
	case t == nil:
		return nil, vault.Errorf(vault.NotFound, "there is no such preview").With("missing", "transaction").
			Next("Preview the change again.")
	case !t.applied && s.b.now().After(t.expires):
		return nil, vault.Errorf(vault.PreviewExpired, "this preview has expired").Next("Preview the change again.")
	case !slices.Equal(slices.Sorted(slices.Values(r.Paths)), slices.Sorted(slices.Values(t.plan.Paths()))):
		return nil, vault.Errorf(vault.InvalidArgument, "paths are not those of the preview").With("field", "paths").
			With("paths", t.plan.Paths()).Next("Send the paths of the preview.")
	}
	return t, nil
}

// Apply implements tools.Vault.
func (s *session) Apply(ctx context.Context, r plan.Request) (plan.Outcome, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	t, err := s.find(r)
	if err != nil {
		return plan.Outcome{}, err
	}
	if t == nil {
		if t, err = s.direct(ctx, r); err != nil {
			return plan.Outcome{}, err
		}
	}
	if t.applied {
		o := t.outcome
		o.Replayed = true
		return o, nil
	}
	for _, c := range t.plan.Changes {
		if f, ok := s.files[c.Path]; ok && f.Revision != c.Before || !ok && c.Before != "" {
			e := vault.Errorf(vault.RevisionConflict, "%s changed since the preview", c.Path).
				With("path", c.Path).With("expected", c.Before).With("current", f.Revision).Next("Preview the change again.")
			if again, err := s.make(ctx, plan.Request{Actions: t.plan.Actions}); err == nil {
				return plan.Outcome{}, e.With("preview", s.keep(again)).Next("The preview above is on the current text: show it, then apply it.")
			}
			return plan.Outcome{}, e
		}
	}
	s.commit(t, r)
	return t.outcome, nil
}

// fingerprint is what two requests of one key must have in common.
func fingerprint(r plan.Request) ([]byte, error) {
	if r.Sent != "" {
		return []byte(r.Sent), nil
	}
	return json.Marshal(r.Actions)
}

// direct is the transaction of an idempotency key.
func (s *session) direct(ctx context.Context, r plan.Request) (*transaction, error) {
	asked, err := fingerprint(r)
	if err != nil {
		return nil, err
	}
	if t := s.keys[r.Key]; t != nil {
		if t.asked != string(asked) {
			return nil, vault.Errorf(vault.KeyReused, "this idempotency key was used for another change").Next("Use a new key.")
		}
		return t, nil
	}
	t, err := s.make(ctx, r)
	if err == nil {
		s.keys[r.Key] = t
	}
	return t, err
}

func (s *session) commit(t *transaction, r plan.Request) {
	steps := slices.Clone(t.plan.Steps)
	for _, c := range t.plan.Changes {
		var after vault.Revision
		if c.Delete {
			s.remove(c.Path)
		} else {
			after = s.store(c.Path, c.Body).Revision
		}
		for i := range steps {
			if steps[i].Path == c.Path && !c.Delete {
				steps[i].After = &plan.State{Revision: after, SizeBytes: len(c.Body)}
			}
		}
		n := int64(len(s.events) + 1)
		s.events = append(s.events, tools.Event{
			Sequence: n, ID: fmt.Sprintf("evt_%026d", n), At: s.b.now(), Kind: "note_changed", Path: c.Path, Account: s.caller.Account,
			Client: s.caller.Client, Tool: r.Tool, Door: s.caller.Door, Transaction: t.id, Before: c.Before, After: after, Reason: r.Reason,
			Hash: plan.Hash(fmt.Append(nil, n)), PreviousHash: plan.Hash(fmt.Append(nil, n-1)),
		})
	}
	t.applied = true
	t.outcome = plan.Outcome{
		Summary: fmt.Sprintf("Written: %d notes.", len(t.plan.Changes)), Transaction: t.id, Status: plan.StatusApplied,
		Actions: steps, Atomicity: "atomic", Allowed: true,
		Receipt: &plan.Receipt{Transaction: t.id, Account: s.caller.Account, Client: s.caller.Client, AppliedAt: s.b.now()},
	}
	if len(t.plan.Changes) == 0 {
		t.outcome.Status, t.outcome.Summary, t.outcome.Receipt = plan.StatusUnchanged, "Nothing changed.", nil
	}
}

// Events implements tools.Vault.
func (s *session) Events(_ context.Context, r tools.EventsRequest) (tools.EventsAnswer, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	a := tools.EventsAnswer{Freshness: s.fresh()}
	for _, e := range slices.Backward(s.events) {
		switch {
		case r.Before != 0 && e.Sequence >= r.Before, r.Path != "" && e.Path != r.Path, e.At.Before(r.Since),
			r.Kinds != nil && !slices.Contains(r.Kinds, e.Kind):
			continue
		case len(a.Events) == r.Limit:
			a.More = true
			return a, nil
		}
		a.Events = append(a.Events, e)
	}
	return a, nil
}
