package txn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

const (
	maxSends   = 3  // of one plan whose answer is lost
	maxReplans = 8  // of additions, while somebody else keeps writing
	maxWaits   = 20 // at reconciling, for a caller who decides about a contested note

	longestWait   = 10 * time.Minute // between two looks in the background
	undecidedLife = 24 * time.Hour   // after which there are no more
)

// start is where carryOut begins.
type start uint8

const (
	fresh      start = iota // the plan was never sent
	resumed                 // it may have been; a caller asks
	unattended              // it may have been; nobody asks
)

// carryOut sends a stored plan to the provider until its fate is known, and finishes the record. The notes are locked, and rec is
// ours. What it returns with an error is the record as far as it is known.
func (s *Service) carryOut(ctx context.Context, t target, rec Record, from start) (Record, error) {
	replans := 0
	for sends := 0; ; sends++ {
		var lost error
		if from == fresh || sends > 0 {
			entries, err := s.send(ctx, t, rec)
			if err == nil {
				return s.applied(ctx, t, rec, entries)
			}
			if refused(err) {
				s.end(ctx, rec, Failed)
				return rec, err
			}
			lost = err
		}
		seen, err := s.settle(ctx, t, rec)
		if err != nil {
			return rec, s.leave(ctx, rec, err)
		}
		switch {
		case seen.landed():
			return s.applied(ctx, t, rec, seen.entries)
		case seen.partly():
			return rec, s.leave(ctx, rec, errPartly)
		case seen.untouched() && conflicting(lost): // a twin is in the way, or somebody changed the note and changed it back
			s.end(ctx, rec, Failed)
			return rec, lost
		case seen.untouched() && sends+1 < maxSends:
			continue
		case seen.untouched() && t.vault.Capabilities().Live: // and nothing can still be under way
			s.end(ctx, rec, Failed)
			return rec, notStored(lost)
		case seen.untouched():
			return rec, s.leave(ctx, rec, lost)
		}
		// Somebody else's change stands in the way. Where it is sure that ours did not land, additions go onto the current text.
		sure := conflicting(lost) || seen.witnessed && t.vault.Capabilities().Replace == "transaction"
		if from == unattended && !sure && rec.Attempts < maxWaits {
			return rec, s.leave(ctx, rec, errContested)
		}
		if from == unattended || !sure || replans == maxReplans || len(rec.Plan.Actions) == 0 { // an import is planned by who asks for it
			return rec, s.contested(ctx, t, rec, seen, lost, sure)
		}
		replans++
		p, _, err := s.planFor(ctx, t, plan.Request{Actions: rec.Plan.Actions})
		if err != nil {
			s.end(ctx, rec, Failed)
			return rec, err
		}
		rec.Plan = markRebased(p, rec.Plan)
		if rec, err = s.save(ctx, rec); err != nil {
			return rec, err
		}
		from, sends = fresh, -1
	}
}

var (
	errPartly    = errors.New("a part of the changes landed")
	errContested = errors.New("somebody else's change stands in the way")
)

// refused reports whether a provider's answer is a plain no, before any effect. A conflict is not: it may be our own attempt, met again.
func refused(err error) bool {
	var e *vault.Error
	if !errors.As(err, &e) || conflicting(err) {
		return false
	}
	if providers.Untouched(err) {
		return true
	}
	switch e.Code {
	case vault.ProviderUnavailable, vault.DeadlineExceeded, vault.OutcomeUnknown, vault.Internal:
		return false
	}
	return true
}

func conflicting(err error) bool {
	return errors.Is(err, vault.RevisionConflict) || errors.Is(err, vault.AlreadyExists) || errors.Is(err, vault.NotFound)
}

// send makes one attempt. The lease is renewed meanwhile; if it is lost, the attempt is called off.
func (s *Service) send(ctx context.Context, t target, rec Record) ([]vault.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	done := make(chan struct{})
	renewing := make(chan struct{})
	go func() {
		defer close(renewing)
		tick := time.NewTimer(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if err := s.journal.Renew(ctx, rec, s.now().Add(leaseLife)); errors.Is(err, ErrStale) {
				cancel()
				return
			}
			tick.Reset(renewEvery)
		}
	}()
	defer func() {
		close(done)
		<-renewing
	}()
	return t.vault.Commit(ctx, rec.changes())
}

// changes are what the provider is asked for.
func (r Record) changes() []providers.Change {
	out := make([]providers.Change, len(r.Plan.Changes))
	for i, c := range r.Plan.Changes {
		out[i] = providers.Change{
			Path: c.Path, Body: c.Body, Delete: c.Delete, Pre: c.Pre(),
			Attempt: providers.Attempt{Transaction: r.ID, Index: i, Message: r.Origin.Reason},
		}
		if !c.Delete && c.Body == nil {
			out[i].Body = []byte{}
		}
	}
	return out
}

// sight is what the stored notes say about a plan.
type sight struct {
	entries []vault.Entry    // of the notes that landed
	did     []bool           // landed
	before  []bool           // still what they were before
	current []vault.Revision // "" if there is none

	witnessed bool // by the provider's own evidence
}

func (v sight) landed() bool    { return !slices.Contains(v.did, false) }
func (v sight) partly() bool    { return slices.Contains(v.did, true) }
func (v sight) untouched() bool { return !slices.Contains(v.before, false) }

// settle looks whether a plan landed: by the provider's own evidence where it has any, else by what is stored.
func (s *Service) settle(ctx context.Context, t target, rec Record) (sight, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	n := len(rec.Plan.Changes)
	v := sight{make([]vault.Entry, n), make([]bool, n), make([]bool, n), make([]vault.Revision, n), true}
	for i, c := range rec.changes() {
		entry, landed, err := t.vault.Landed(ctx, c)
		unknown := errors.Is(err, vault.UnsupportedHere)
		if err != nil && !unknown {
			return sight{}, err
		}
		v.witnessed = v.witnessed && !unknown
		if landed {
			v.entries[i], v.did[i] = entry, true
			continue
		}
		f, err := t.read(ctx, c.Path)
		stored := &f
		switch {
		case errors.Is(err, vault.NotFound):
			stored, err = nil, nil
		case errors.Is(err, vault.UnsupportedHere), errors.Is(err, vault.NoteTooLarge):
			continue // what is there is no note that was written here, and will be none by waiting
		}
		if err != nil {
			return sight{}, err
		}
		if stored != nil {
			v.entries[i], v.current[i] = f.Entry, f.Revision
		}
		v.did[i] = unknown && rec.Plan.Changes[i].Landed(stored)
		v.before[i] = !v.did[i] && v.current[i] == rec.Plan.Changes[i].Before
	}
	return v, nil
}

// contested ends a record whose notes somebody else has changed, and reports both sides.
func (s *Service) contested(ctx context.Context, t target, rec Record, seen sight, lost error, sure bool) error {
	s.end(ctx, rec, Failed)
	if errors.Is(lost, vault.AlreadyExists) {
		return lost
	}
	for i, c := range rec.Plan.Changes {
		if seen.before[i] {
			continue
		}
		conflict := vault.Errorf(vault.RevisionConflict, "%s was changed by somebody else", c.Path).
			Next("Read the note again and plan the change on its current text.").
			With("path", c.Path).With("expected", c.Before).With("current", seen.current[i])
		if !sure {
			conflict.Message = fmt.Sprintf("%s was changed by somebody else while the answer to this write was lost", c.Path)
			return conflict.Next("Read the note and see whether it holds this change already; only then send it again.")
		}
		return s.withPreview(ctx, t, plan.Request{Actions: rec.Plan.Actions}, conflict)
	}
	return lost
}

// notStored is a provider's failure that is known to have changed nothing.
func notStored(err error) error {
	var e *vault.Error
	if errors.As(err, &e) {
		return err
	}
	return vault.Errorf(vault.ProviderUnavailable, "the change could not be stored; the notes are as they were").
		Next("Send the same call again later.").With("cause", "storage")
}

// leave puts off what cannot be decided now. It is looked at again on the next call with the key, and in the background: more and more
// rarely, and after a day no more. Operators hear of it at its beginning and at its end.
func (s *Service) leave(ctx context.Context, rec Record, cause error) error {
	level, message := slog.LevelDebug, "could still not tell whether a write landed"
	if rec.State != Unknown {
		level, message = slog.LevelWarn, "could not tell whether a write landed"
	}
	wait := time.Duration(0)
	if rec.Attempts > 0 {
		wait = min(10*time.Second<<min(rec.Attempts-1, 10), longestWait)
	}
	if s.now().Sub(rec.CreatedAt) >= undecidedLife {
		level, message = slog.LevelError, "gave up on finding out whether a write landed, unless its caller asks again"
		wait = recordLife
	}
	rec.State, rec.UpdatedAt, rec.LeaseUntil = Unknown, s.now(), s.now().Add(wait)
	if _, err := s.journal.Save(ctx, rec); err != nil {
		cause = errors.Join(cause, err)
	}
	s.log.LogAttrs(ctx, level, message, slog.String("transaction", rec.ID), slog.String("mapping", rec.Mapping),
		slog.Int("attempts", rec.Attempts), slog.Any("error", cause))
	return undecided(rec)
}

func undecided(rec Record) error {
	return vault.Errorf(vault.OutcomeUnknown, "the answer to the write was lost; whether it landed is being found out").
		Next("Send the same call again with the same key: it never writes twice.").
		With("transactionId", rec.ID).With("retryAfterSeconds", 2)
}
