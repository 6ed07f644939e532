package txn_test

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

func TestPreviewIsAppliedByItsNextCall(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		r := w.write(t, "a.md", "one\n")
		p, err := w.preview(t, add("a.md", "two"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != plan.StatusPreview || !p.DryRun || !p.Allowed || p.Reason != nil || p.Actions[0].Diff == "" ||
			p.Actions[0].Before.Revision != r || !p.ExpiresAt.Equal(w.clock.now().Add(time.Hour)) || w.writes != 0 {
			t.Errorf("preview = %+v, %d writes", p, w.writes)
		}
		if !regexp.MustCompile("^txn_[0-9a-hjkmnp-tv-z]{26}$").MatchString(p.Transaction) {
			t.Errorf("the id is %q", p.Transaction)
		}
		want := &plan.NextCall{Tool: "apply_note_transaction", Arguments: map[string]any{
			"mappingId": string(w.m.ID), "transactionId": p.Transaction, "paths": []vault.Path{"a.md"}, "dryRun": false,
		}}
		if d := cmp.Diff(want, p.Next); d != "" {
			t.Errorf("next (-want +got):\n%s", d)
		}
		o, err := w.applyPreview(t, p.Transaction, "a.md")
		if err != nil || o.Status != plan.StatusApplied || o.Replayed || o.DryRun || o.Actions[0].Rebased {
			t.Fatalf("Apply = %+v, %v", o, err)
		}
		if got := w.note(t, "a.md"); got != "one\ntwo\n" {
			t.Errorf("the note holds %q", got)
		}
		f, err := w.vault.Read(t.Context(), "a.md")
		if err != nil || o.Actions[0].After.Revision != f.Revision {
			t.Errorf("after = %+v, stored is %s, %v", o.Actions[0].After, f.Revision, err)
		}
		evs := w.events(t)
		if len(evs) != 1 || evs[0].Transaction != p.Transaction || evs[0].Before != r || evs[0].After != f.Revision || evs[0].Client != "Codex" ||
			o.Receipt.EventHash != evs[0].Hash || o.Receipt.PreviousHash != evs[0].PreviousHash {
			t.Errorf("events = %+v, receipt %+v", evs, o.Receipt)
		}
	})
}

func TestPreviewIsBoundToClientVaultPathsAndTime(t *testing.T) {
	db := sqldbtest.Open(t)
	w := newWorld(t, db, nil)
	w.write(t, "a.md", "one\n")
	p, err := w.preview(t, add("a.md", "two"))
	if err != nil {
		t.Fatal(err)
	}
	stranger := w.caller()
	stranger.Client = "Another"
	if _, err := w.service.Apply(t.Context(), w.access(t, stranger, vault.NeedApply), plan.Request{Transaction: p.Transaction, Paths: []vault.Path{"a.md"}}); !errors.Is(err, vault.PreviewExpired) {
		t.Errorf("another client: %v, want %v", err, vault.PreviewExpired)
	}
	if _, err := w.applyPreview(t, p.Transaction, "b.md"); !errors.Is(err, vault.InvalidArgument) {
		t.Errorf("other paths: %v, want %v", err, vault.InvalidArgument)
	}
	if _, err := w.applyPreview(t, "txn_00000000000000000000000000", "a.md"); !errors.Is(err, vault.PreviewExpired) {
		t.Errorf("no such preview: %v, want %v", err, vault.PreviewExpired)
	}
	other := newWorld(t, db, nil)
	other.write(t, "a.md", "one\n")
	if _, err := other.applyPreview(t, p.Transaction, "a.md"); !errors.Is(err, vault.PreviewExpired) {
		t.Errorf("another vault: %v, want %v", err, vault.PreviewExpired)
	}
	if w.writes+other.writes != 0 {
		t.Errorf("the provider was written to %d times", w.writes+other.writes)
	}
	w.clock.move(time.Hour - time.Second)
	if o, err := w.applyPreview(t, p.Transaction, "a.md"); err != nil || o.Status != plan.StatusApplied {
		t.Errorf("in time: %+v, %v", o, err)
	}

	late, err := w.preview(t, add("a.md", "three"))
	if err != nil {
		t.Fatal(err)
	}
	w.clock.move(time.Hour)
	if _, err := w.applyPreview(t, late.Transaction, "a.md"); !errors.Is(err, vault.PreviewExpired) {
		t.Errorf("too late: %v, want %v", err, vault.PreviewExpired)
	}
	if o, err := w.applyPreview(t, p.Transaction, "a.md"); err != nil || !o.Replayed {
		t.Errorf("the applied one after that: %+v, %v", o, err)
	}
}

func TestPreviewOfAnAdditionIsRebasedOnANoteThatMovedOn(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	p, err := w.preview(t, add("a.md", "three"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "a.md", "one\ntwo\n")
	o, err := w.applyPreview(t, p.Transaction, "a.md")
	if err != nil || !o.Actions[0].Rebased || o.Actions[0].Diff == "" {
		t.Errorf("Apply = %+v, %v, want it rebased and shown", o, err)
	}
	if got := w.note(t, "a.md"); got != "one\ntwo\nthree\n" {
		t.Errorf("the note holds %q", got)
	}
}

func TestConflictHoldsAFreshPreview(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	r := w.write(t, "a.md", "one\n")
	replace := plan.Action{Kind: plan.Replace, Path: "a.md", Content: text("new\n"), ExpectedRevision: r}
	p, err := w.preview(t, replace)
	if err != nil {
		t.Fatal(err)
	}
	moved := w.write(t, "a.md", "two\n")
	_, err = w.applyPreview(t, p.Transaction, "a.md")
	e := vault.AsError(err)
	if e.Code != vault.RevisionConflict || e.Details["expected"] != r || e.Details["current"] != moved {
		t.Fatalf("Apply = %+v", e)
	}
	if w.note(t, "a.md") != "two\n" || w.writes != 0 {
		t.Errorf("the note holds %q after %d writes", w.note(t, "a.md"), w.writes)
	}
	fresh, ok := e.Details["preview"].(plan.Outcome)
	if !ok || fresh.Actions[0].Before.Revision != moved {
		t.Fatalf("the conflict's preview is %+v", e.Details["preview"])
	}
	if o, err := w.applyPreview(t, fresh.Transaction, "a.md"); err != nil || o.Status != plan.StatusApplied || w.note(t, "a.md") != "new\n" {
		t.Errorf("Apply of the fresh preview = %+v, %v, the note holds %q", o, err, w.note(t, "a.md"))
	}
	// A direct apply with a stale revision is told the same.
	if _, err = w.apply(t, "key-12345", replace); vault.AsError(err).Details["preview"] == nil {
		t.Errorf("a direct apply of the same = %+v", vault.AsError(err))
	}
}

func TestPreviewWithoutTheRightToWriteSaysWhy(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	reader := w.caller()
	reader.Scopes = []vault.Scope{vault.ScopeRead}
	a := w.access(t, reader, vault.NeedPropose)
	p, err := w.service.Preview(t.Context(), a, plan.Request{Actions: []plan.Action{add("a.md", "two")}})
	if err != nil || p.Allowed || p.Reason == nil || p.Reason.Code != vault.InsufficientScope || p.Next != nil || p.Actions[0].Diff == "" {
		t.Errorf("Preview = %+v, %v", p, err)
	}
	if _, err := w.service.Apply(t.Context(), a, plan.Request{Actions: []plan.Action{add("a.md", "two")}, Key: "key-12345"}); !errors.Is(err, vault.InsufficientScope) {
		t.Errorf("Apply = %v, want %v", err, vault.InsufficientScope)
	}
	if w.note(t, "a.md") != "one\n" {
		t.Error("it was written")
	}
}

func TestPreviewFindsATwin(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "Notes/Alpha.md", "one\n")
	create := plan.Action{Kind: plan.Create, Path: "Notes/alpha.md", Content: text("x")}
	if _, err := w.preview(t, create); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Preview = %v, want %v", err, vault.AlreadyExists)
	}
	if _, err := w.apply(t, "key-12345", create); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Apply = %v, want %v", err, vault.AlreadyExists)
	}
	create.Path = "Notes/beta.md"
	if _, err := w.apply(t, "key-12345", create); err != nil {
		t.Errorf("Apply of another with the key that is free again: %v", err)
	}
}

// single is a driver that takes one note at a time.
type single struct{ providers.Driver }

func (s single) Capabilities() providers.Capabilities {
	c := s.Driver.Capabilities()
	c.Atomicity, c.MaxBatch = "recoverable", 100
	return c
}

func TestBatchOnAVaultThatTakesOneNote(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.driver.Driver = single{w.driver.Driver}
	w.vault = providers.New(w.driver)
	w.write(t, "a.md", "a\n")
	w.write(t, "b.md", "b\n")
	both := []plan.Action{add("a.md", "x"), add("b.md", "x")}
	p, err := w.preview(t, both...)
	if err != nil || p.Allowed || p.Reason.Code != vault.BatchNotAtomic {
		t.Errorf("Preview = %+v, %v", p, err)
	}
	_, err = w.apply(t, "key-12345", both...)
	e := vault.AsError(err)
	if actions, ok := e.Details["actions"].([]plan.Action); e.Code != vault.BatchNotAtomic || !ok || len(actions) != 2 || w.writes != 0 {
		t.Errorf("Apply = %+v", e)
	}
	if o, err := w.apply(t, "key-12345", add("a.md", "x"), add("a.md", "y")); err != nil || o.Status != plan.StatusApplied {
		t.Errorf("two actions on one note: %+v, %v", o, err)
	}
}

func TestTheReasonOfAPreviewIsOnRecord(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	p, err := w.service.Preview(t.Context(), w.access(t, w.caller(), vault.NeedPropose),
		plan.Request{Actions: []plan.Action{add("a.md", "two")}, Tool: "test", Reason: "the list was short"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.applyPreview(t, p.Transaction, "a.md"); err != nil {
		t.Fatal(err)
	}
	if evs := w.events(t); len(evs) != 1 || evs[0].Reason != "the list was short" {
		t.Errorf("events = %+v, want one with the reason", evs)
	}
}
