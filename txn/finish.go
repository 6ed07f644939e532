package txn

import (
	"context"
	"errors"
	"log/slog"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// applied finishes a record whose changes are stored: it reads the notes back, and stores outcome and events in one transaction.
func (s *Service) applied(ctx context.Context, t target, rec Record, entries []vault.Entry) (Record, error) {
	after := make(map[vault.Path]plan.State, len(entries))
	evs := make([]events.Event, len(rec.Plan.Changes))
	now := s.now()
	for i, c := range rec.Plan.Changes {
		kind := events.NoteChanged
		switch {
		case c.Delete:
			kind = events.NoteDeleted
		case c.Before == "":
			kind = events.NoteCreated
		}
		var revision vault.Revision
		if !c.Delete {
			revision = t.stored(ctx, c, entries[i])
			after[c.Path] = plan.State{Revision: revision, SizeBytes: len(c.Body)}
		}
		evs[i] = events.Event{
			Account: rec.Account, Mapping: rec.Mapping, At: now, Kind: kind, Path: c.Path,
			Client: rec.Origin.Client, Tool: rec.Origin.Tool, Door: rec.Origin.Door, Transaction: rec.ID, Reason: rec.Origin.Reason,
			Before: c.Before, After: revision,
		}
	}
	rec.Outcome = outcome(rec, rec.Plan, t, plan.StatusApplied, "Written: "+counted(len(rec.Plan.Changes))+".")
	for i := len(rec.Outcome.Actions) - 1; i >= 0; i-- { // the last action on a note made what is stored
		a := &rec.Outcome.Actions[i]
		p := a.Path
		if a.NewPath != "" {
			p = a.NewPath
		}
		if state, ok := after[p]; ok && a.After != nil {
			a.After = &state
			delete(after, p)
		}
	}
	rec.Outcome.Receipt = &plan.Receipt{Transaction: rec.ID, Account: rec.Account, Client: rec.Origin.Client, AppliedAt: now}
	o, err := s.finished(ctx, rec, evs)
	rec.State, rec.Outcome = Applied, o
	if err == nil {
		s.log.LogAttrs(ctx, slog.LevelInfo, "applied transaction", slog.String("transaction", rec.ID), slog.String("mapping", rec.Mapping),
			slog.String("provider", t.vault.Capabilities().Provider), slog.Int("actions", len(rec.Plan.Actions)))
	}
	return rec, err
}

// stored reads a note back and returns its revision. If it says something else already, ours was stored all the same, and is the
// answer.
func (t target) stored(ctx context.Context, c plan.Change, e vault.Entry) vault.Revision {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	f, err := t.read(ctx, c.Path)
	if err == nil && c.Landed(&f) {
		return f.Revision
	}
	return e.Revision
}

// outcome is the answer for a plan, with what its steps say.
func outcome(rec Record, p plan.Plan, t target, status plan.Status, summary string) plan.Outcome {
	o := plan.Outcome{
		Summary: summary, Transaction: rec.ID, Status: status, Atomicity: t.vault.Capabilities().Atomicity, Allowed: true,
		Actions: make([]plan.ActionOutcome, len(p.Steps)),
	}
	for i, step := range p.Steps {
		if rec.Key == rec.ID && !step.Rebased {
			step.Diff, step.DiffTruncated = "", false // the preview showed it
		}
		o.Actions[i] = step
	}
	return o
}

// finished stores the end of a transaction. If the database fails here, the notes are changed and the record is open: it is tried
// once more, and then left to be reconciled.
func (s *Service) finished(ctx context.Context, rec Record, evs []events.Event) (plan.Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	rec.State, rec.UpdatedAt, rec.LeaseUntil = Applied, s.now(), s.now()
	done, err := s.journal.Finish(ctx, rec, evs)
	if err != nil && !errors.Is(err, ErrStale) {
		done, err = s.journal.Finish(ctx, rec, evs)
	}
	switch {
	case errors.Is(err, ErrStale):
		return plan.Outcome{}, inProgress() // whoever took it over finishes it
	case err != nil:
		s.log.LogAttrs(ctx, slog.LevelError, "could not record an applied transaction", slog.String("transaction", rec.ID),
			slog.String("mapping", rec.Mapping), slog.Any("error", err))
		return plan.Outcome{}, undecided(rec)
	}
	return done.Outcome, nil
}
