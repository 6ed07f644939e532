package txn

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

const maxReason = 1000 // bytes

// apply is Apply for a target.
func (s *Service) apply(ctx context.Context, t target, r plan.Request) (plan.Outcome, error) {
	if err := t.mayApply(); err != nil {
		return plan.Outcome{}, err
	}
	if err := checkForm(r); err != nil {
		return plan.Outcome{}, err
	}
	print, err := fingerprint(r)
	if err != nil {
		return plan.Outcome{}, err
	}
	if len(r.Reason) > maxReason {
		return plan.Outcome{}, vault.Errorf(vault.InvalidArgument, "the reason has %d bytes; it may have %d", len(r.Reason), maxReason).
			With("field", "reason")
	}
	paths := slices.Clone(r.Paths)
	for _, a := range r.Actions {
		paths = append(paths, vault.Path(a.Path))
	}
	unlock, err := s.notes.lock(ctx, t.mapping, paths)
	if err != nil {
		return plan.Outcome{}, err
	}
	defer unlock()

	rec, err := s.newRecord(t, r, print)
	if err != nil {
		return plan.Outcome{}, err
	}
	held, mine, err := s.journal.Reserve(ctx, rec)
	if err != nil {
		return plan.Outcome{}, err
	}
	if !mine {
		if held.Fingerprint != print {
			return plan.Outcome{}, vault.Errorf(vault.KeyReused, "this idempotency key was used for another request").
				Next("Use a new key for a new change; repeat a request with its own.")
		}
		if held.State == Applied {
			return replay(held), nil
		}
		if held.State != Unknown && held.LeaseUntil.After(s.now()) {
			return plan.Outcome{}, inProgress()
		}
		if held, err = s.claim(ctx, held); err != nil {
			return plan.Outcome{}, err
		}
		if held.State != Reserved {
			done, err := s.carryOut(context.WithoutCancel(ctx), t, held, resumed)
			return replay(done), err
		}
	}
	return s.begin(ctx, t, r, held)
}

func (s *Service) newRecord(t target, r plan.Request, print string) (Record, error) {
	id, key := r.Transaction, r.Transaction
	if id == "" {
		var err error
		if id, err = newID(s.random); err != nil {
			return Record{}, err
		}
		key = r.Key
	}
	now := s.now()
	return Record{
		Account: t.account, Mapping: t.mapping, Key: key, ID: id, Fingerprint: print, State: Reserved,
		Holder: s.holder, LeaseUntil: now.Add(leaseLife), CreatedAt: now, UpdatedAt: now,
		Origin: Origin{
			Client: t.caller.Client, Door: t.caller.Door, Tool: r.Tool,
			Reason: clean(r.Reason),
		},
	}, nil
}

// clean is a reason as databases can keep it.
func clean(reason string) string {
	reason = strings.ReplaceAll(strings.ToValidUTF8(reason, ""), "\x00", "")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return reason
}

func replay(r Record) plan.Outcome {
	o := r.Outcome
	if o.Replayed = r.State == Applied; o.Replayed && o.Status == plan.StatusApplied {
		o.Summary = "Written before, by the first call with this key; this one changed nothing."
	}
	return o
}

func inProgress() error {
	return vault.Errorf(vault.KeyInProgress, "the request with this idempotency key is still being worked on").
		Next("Send the same call again in a few seconds; it changes nothing twice.").With("retryAfterSeconds", 2)
}

// claim takes an open record over whose holder has let it go. The holder's next save is refused.
func (s *Service) claim(ctx context.Context, r Record) (Record, error) {
	r.Holder, r.LeaseUntil, r.UpdatedAt = s.holder, s.now().Add(leaseLife), s.now()
	r.Attempts++
	r, err := s.journal.Save(ctx, r)
	if errors.Is(err, ErrStale) {
		return Record{}, inProgress()
	}
	return r, err
}

// begin plans a reserved request, stores the plan, and carries it out. Until the plan is stored nothing has happened, so that
// whatever fails frees the key.
func (s *Service) begin(ctx context.Context, t target, r plan.Request, rec Record) (plan.Outcome, error) {
	p, reason, err := s.planFor(ctx, t, r)
	if err != nil {
		s.end(ctx, rec, Released)
		return plan.Outcome{}, err
	}
	rec.Plan = p
	if rec.Origin.Reason == "" {
		rec.Origin.Reason = reason
	}
	if len(p.Changes) == 0 {
		rec.Outcome = outcome(rec, p, t, plan.StatusUnchanged, "Nothing to write: the notes already say so.")
		return s.finished(ctx, rec, nil)
	}
	rec.State = Applying
	if rec, err = s.save(ctx, rec); err != nil {
		return plan.Outcome{}, err
	}
	rec, err = s.carryOut(context.WithoutCancel(ctx), t, rec, fresh)
	return rec.Outcome, err
}

// planFor plans a request on the current text, and holds it to what this vault can do. Reason is that of the preview, if it applies one.
func (s *Service) planFor(ctx context.Context, t target, r plan.Request) (p plan.Plan, reason string, err error) {
	var previewed plan.Plan
	if r.Transaction != "" {
		pv, err := s.previewed(ctx, t, r)
		if err != nil {
			return plan.Plan{}, "", err
		}
		previewed, reason = pv.Plan, pv.Reason
		r.Actions = previewed.Actions
	}
	p, err = plan.Make(ctx, r.Actions, s.world(t, t.read))
	if err != nil {
		return plan.Plan{}, "", s.withPreview(ctx, t, r, err)
	}
	if r.Transaction != "" {
		p = markRebased(p, previewed)
	}
	if refusal := t.tooMany(p); refusal != nil {
		return plan.Plan{}, "", refusal
	}
	return p, reason, nil
}

// previewed finds the preview that a request applies. One that is somebody else's is the same as none.
func (s *Service) previewed(ctx context.Context, t target, r plan.Request) (Preview, error) {
	pv, err := s.journal.Preview(ctx, r.Transaction)
	if err != nil && !errors.Is(err, vault.NotFound) {
		return Preview{}, err
	}
	if err != nil || pv.Account != t.account || pv.Mapping != t.mapping || pv.Client != t.caller.Client || !s.now().Before(pv.ExpiresAt) {
		return Preview{}, vault.Errorf(vault.PreviewExpired, "there is no such preview, or it is older than %d minutes", int(previewLife.Minutes())).
			Next("Preview the change again, show it, and apply the new transactionId.")
	}
	if want := pv.Plan.Paths(); !samePaths(want, r.Paths) {
		return Preview{}, vault.Errorf(vault.InvalidArgument, "the paths are not those of the preview").
			Next("Copy the call in the preview's next.").With("field", "paths").With("paths", want)
	}
	return pv, nil
}

func samePaths(a, b []vault.Path) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// markRebased marks the steps of p on notes that have moved on since the other plan was made.
func markRebased(p, since plan.Plan) plan.Plan {
	before := func(p plan.Plan) map[vault.Path]vault.Revision {
		m := make(map[vault.Path]vault.Revision)
		for _, s := range p.Steps {
			if _, ok := m[s.Path]; ok {
				continue
			}
			m[s.Path] = ""
			if s.Before != nil {
				m[s.Path] = s.Before.Revision
			}
		}
		return m
	}
	now, then := before(p), before(since)
	p.Steps = slices.Clone(p.Steps)
	for i, s := range p.Steps {
		p.Steps[i].Rebased = s.Rebased || now[s.Path] != then[s.Path]
	}
	return p
}

// save stores r; that somebody else has taken it over is told as what it is to the caller.
func (s *Service) save(ctx context.Context, r Record) (Record, error) {
	r.LeaseUntil, r.UpdatedAt = s.now().Add(leaseLife), s.now()
	r, err := s.journal.Save(ctx, r)
	if errors.Is(err, ErrStale) {
		return Record{}, inProgress()
	}
	return r, err
}

// end closes a record that changed nothing. It is best effort: what stays open is ended when its lease has run out.
func (s *Service) end(ctx context.Context, r Record, state State) {
	r.State, r.UpdatedAt, r.LeaseUntil = state, s.now(), s.now()
	r.Plan = r.Plan.WithoutBodies()
	if _, err := s.journal.Save(context.WithoutCancel(ctx), r); err != nil && !errors.Is(err, ErrStale) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "left a transaction to be reconciled",
			slog.String("transaction", r.ID), slog.String("mapping", r.Mapping), slog.Any("error", err))
	}
}
