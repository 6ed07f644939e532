package txn_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

func TestReplayAsksNoProvider(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		first, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || first.Status != plan.StatusApplied || first.Replayed || first.Summary != "Written: 1 note." {
			t.Fatalf("Apply = %+v, %v", first, err)
		}
		if w.reads == 0 || w.writes != 1 {
			t.Errorf("the provider was read %d times and written %d times", w.reads, w.writes)
		}
		w.reads, w.writes = 0, 0
		w.restart(t)
		again, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || !again.Replayed || w.reads+w.writes != 0 {
			t.Errorf("again = %+v, %v, after %d reads and %d writes", again, err, w.reads, w.writes)
		}
		if !strings.Contains(again.Summary, "this one changed nothing") {
			t.Errorf("again says %q", again.Summary)
		}
		again.Replayed, again.Summary = false, first.Summary
		if d := cmp.Diff(first, again, cmpopts.EquateApproxTime(time.Millisecond)); d != "" {
			t.Errorf("the stored result differs (-first +again):\n%s", d)
		}
		if _, err := w.apply(t, "key-12345", add("a.md", "three")); !errors.Is(err, vault.KeyReused) {
			t.Errorf("another request with the key: %v, want %v", err, vault.KeyReused)
		}
		if _, err := w.apply(t, "key-12346", add("a.md", "three")); err != nil {
			t.Errorf("another request with its own key: %v", err)
		}
		if got := w.note(t, "a.md"); got != "one\ntwo\nthree\n" {
			t.Errorf("the note holds %q", got)
		}
	})
}

func TestKeysOfTwoVaultsAreIndependent(t *testing.T) {
	db := sqldbtest.Open(t)
	for range 2 {
		w := newWorld(t, db, nil)
		w.write(t, "a.md", "one\n")
		if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || o.Replayed || w.note(t, "a.md") != "one\ntwo\n" {
			t.Errorf("Apply = %+v, %v", o, err)
		}
	}
}

func TestApplyForms(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	access := w.access(t, w.caller(), vault.NeedApply)
	one := []plan.Action{add("a.md", "x")}
	for _, tt := range []struct {
		name string
		r    plan.Request
		want vault.Code
	}{
		{"nothing", plan.Request{}, vault.InvalidArgument},
		{"no key", plan.Request{Actions: one}, vault.KeyRequired},
		{"a short key", plan.Request{Actions: one, Key: "1234567"}, vault.InvalidArgument},
		{"a long key", plan.Request{Actions: one, Key: strings.Repeat("k", 129)}, vault.InvalidArgument},
		{"a key with a blank", plan.Request{Actions: one, Key: "1234 5678"}, vault.InvalidArgument},
		{"a key that is not ASCII", plan.Request{Actions: one, Key: "1234567ü"}, vault.InvalidArgument},
		{"both forms", plan.Request{Actions: one, Key: "12345678", Transaction: "txn_x", Paths: []vault.Path{"a.md"}}, vault.InvalidArgument},
		{"a preview without paths", plan.Request{Transaction: "txn_x"}, vault.InvalidArgument},
		{"too many actions, told before the key", plan.Request{Actions: make([]plan.Action, 101)}, vault.TooManyActions},
		{"a bad path, told before the key", plan.Request{Actions: []plan.Action{add("../a.md", "x")}}, vault.InvalidArgument},
		{"a replace without a revision", plan.Request{Actions: []plan.Action{{Kind: plan.Replace, Path: "a.md", Content: text("x")}}, Key: "12345678"}, vault.InvalidArgument},
		{"a long reason", plan.Request{Actions: one, Key: "12345678", Reason: strings.Repeat("r", 1001)}, vault.InvalidArgument},
	} {
		if _, err := w.service.Apply(t.Context(), access, tt.r); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if w.writes != 0 || len(w.events(t)) != 0 {
		t.Errorf("%d writes, %d events", w.writes, len(w.events(t)))
	}
	for _, key := range []string{"12345678", strings.Repeat("k", 128)} {
		if _, err := w.apply(t, key, one...); err != nil {
			t.Errorf("the key %q: %v", key, err)
		}
	}
}

func TestUnchangedWritesNothing(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	r := w.write(t, "a.md", "one\n")
	same := plan.Action{Kind: plan.Replace, Path: "a.md", Content: text("one\n"), ExpectedRevision: r}
	o, err := w.apply(t, "key-12345", same)
	if err != nil || o.Status != plan.StatusUnchanged || o.Actions[0].Effect != plan.EffectUnchanged || w.writes != 0 || len(w.events(t)) != 0 {
		t.Errorf("Apply = %+v, %v, %d writes", o, err, w.writes)
	}
	if again, err := w.apply(t, "key-12345", same); err != nil || !again.Replayed {
		t.Errorf("again = %+v, %v", again, err)
	}
}

func TestEveryKindOfAction(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, nil)
		r := w.write(t, "old.md", "to go\n")
		r2 := w.write(t, "text.md", "some text\n")
		o, err := w.apply(t, "key-12345",
			plan.Action{Kind: plan.Create, Path: "new.md", Content: text("x\n"), Properties: map[string]any{"k": "v"}},
			add("new.md", "y"),
			plan.Action{Kind: plan.CreateOrAppend, Path: "log.md", Content: text("entry\n")},
			plan.Action{Kind: plan.Replace, Path: "text.md", Content: text("other text\n"), ExpectedRevision: r2},
			plan.Action{Kind: plan.Delete, Path: "old.md", ExpectedRevision: r})
		if err != nil || o.Summary != "Written: 4 notes." {
			t.Fatalf("Apply = %+v, %v", o, err)
		}
		for p, want := range map[vault.Path]string{"new.md": "---\nk: v\n---\nx\ny\n", "log.md": "entry\n", "text.md": "other text\n", "old.md": "(none)"} {
			if got := w.note(t, p); got != want {
				t.Errorf("%s holds %q, want %q", p, got, want)
			}
		}
		var kinds []events.Kind
		for _, e := range w.events(t) {
			kinds = append(kinds, e.Kind)
		}
		if d := cmp.Diff([]events.Kind{events.NoteDeleted, events.NoteChanged, events.NoteCreated, events.NoteCreated}, kinds); d != "" {
			t.Errorf("events, newest first (-want +got):\n%s", d)
		}
		if o.Actions[0].After.Revision != "" || o.Actions[1].After.Revision == "" || o.Actions[4].After != nil {
			t.Errorf("only the last action on a note has its revision: %+v", o.Actions)
		}
	})
}

func TestBatchIsAllOrNone(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "a\n")
	w.driver.Before = func([]providers.Change) error { // an editor is faster than the provider
		w.driver.Before = nil
		w.write(t, "new.md", "editor\n")
		return nil
	}
	create := plan.Action{Kind: plan.Create, Path: "new.md", Content: text("x\n")}
	if _, err := w.apply(t, "key-12345", add("a.md", "x"), create); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Apply = %v, want %v", err, vault.AlreadyExists)
	}
	if w.note(t, "a.md") != "a\n" || w.note(t, "new.md") != "editor\n" || len(w.events(t)) != 0 {
		t.Errorf("a.md holds %q, new.md %q", w.note(t, "a.md"), w.note(t, "new.md"))
	}
	create.Path = "free.md"
	if _, err := w.apply(t, "key-12345", add("a.md", "x"), create); err != nil || w.note(t, "a.md") != "a\nx\n" || w.note(t, "free.md") != "x\n" {
		t.Errorf("with a free path: %v", err)
	}
}
