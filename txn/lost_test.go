package txn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

func TestEditorBetweenPlanAndWrite(t *testing.T) {
	t.Run("an addition goes onto the editor's text", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		w.write(t, "a.md", "one\n")
		saves := 0
		w.driver.Before = func([]providers.Change) error {
			if saves++; saves <= 3 {
				w.write(t, "a.md", w.note(t, "a.md")+"editor\n")
			}
			return nil
		}
		o, err := w.apply(t, "key-12345", add("a.md", "two"))
		if err != nil || !o.Actions[0].Rebased || w.note(t, "a.md") != "one\neditor\neditor\neditor\ntwo\n" {
			t.Errorf("Apply = %+v, %v, the note holds %q", o, err, w.note(t, "a.md"))
		}
	})
	t.Run("a replacement does not", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		r := w.write(t, "a.md", "one\n")
		w.driver.Before = func([]providers.Change) error { w.driver.Before = nil; w.write(t, "a.md", "editor\n"); return nil }
		_, err := w.apply(t, "key-12345", plan.Action{Kind: plan.Replace, Path: "a.md", Content: text("mine\n"), ExpectedRevision: r})
		e := vault.AsError(err)
		if e.Code != vault.RevisionConflict || e.Details["preview"] == nil || w.note(t, "a.md") != "editor\n" || len(w.events(t)) != 0 {
			t.Errorf("Apply = %+v, the note holds %q", e, w.note(t, "a.md"))
		}
	})
	t.Run("an editor that never stops is a conflict", func(t *testing.T) {
		w := newWorld(t, sqldbtest.Open(t), nil)
		w.write(t, "a.md", "one\n")
		w.driver.Before = func([]providers.Change) error { w.write(t, "a.md", w.note(t, "a.md")+"e\n"); return nil }
		if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.RevisionConflict) {
			t.Errorf("Apply = %v, want %v", err, vault.RevisionConflict)
		}
		if strings.Contains(w.note(t, "a.md"), "two") {
			t.Errorf("the note holds %q", w.note(t, "a.md"))
		}
	})
}

var errLost = errors.New("the connection broke")

func TestLostAnswer(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after int // how many attempts fail there
		editor        bool
		driver        func(providers.Driver) providers.Driver
		want          string
		err           error
	}{
		{name: "of a write that landed", after: 1, want: "one\ntwo\n"},
		{name: "of a write that did not", before: 1, want: "one\ntwo\n"},
		{name: "of two writes that did not", before: 2, want: "one\ntwo\n"},
		{name: "of every write", before: 99, want: "one\n", err: vault.ProviderUnavailable},
		{name: "of every write far away", before: 99, want: "one\n", driver: func(d providers.Driver) providers.Driver { return far{d} }, err: vault.OutcomeUnknown},
		{name: "of a write that landed, and was written over", after: 1, editor: true, want: "one\ntwo\neditor\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, sqldbtest.Open(t), nil)
			w.write(t, "a.md", "one\n")
			if tt.driver != nil {
				w.driver.Driver = tt.driver(w.driver.Driver)
				w.vault = providers.New(w.driver)
			}
			w.driver.Before = func([]providers.Change) error {
				if tt.before--; tt.before >= 0 {
					return errLost
				}
				return nil
			}
			w.driver.After = func([]providers.Change) error {
				if tt.editor {
					w.driver.After = nil
					w.write(t, "a.md", w.note(t, "a.md")+"editor\n")
				}
				if tt.after--; tt.after >= 0 {
					return errLost
				}
				return nil
			}
			_, err := w.apply(t, "key-12345", add("a.md", "two"))
			if !errors.Is(err, tt.err) || w.note(t, "a.md") != tt.want {
				t.Fatalf("Apply = %v, the note holds %q, want %v and %q", err, w.note(t, "a.md"), tt.err, tt.want)
			}
			if tt.err == nil {
				if n := len(w.events(t)); n != 1 {
					t.Errorf("%d events", n)
				}
				return
			}
			// Once the provider is back, the same call settles it.
			w.count()
			o, err := w.apply(t, "key-12345", add("a.md", "two"))
			if err != nil || o.Status != plan.StatusApplied || w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 {
				t.Errorf("Apply afterwards = %+v, %v, the note holds %q", o, err, w.note(t, "a.md"))
			}
		})
	}
}

// far is a driver whose writes may still be under way when their answer is lost.
type far struct{ providers.Driver }

func (f far) Capabilities() providers.Capabilities {
	c := f.Driver.Capabilities()
	c.Live = false
	return c
}

// TestContested: the answer is lost, an editor saves, and nobody can tell from the note whether ours was there before.
func TestContested(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.Driver = blind{w.driver.Driver}
	w.driver.After = func([]providers.Change) error {
		w.driver.After = nil
		w.write(t, "a.md", "one\neditor\n")
		w.driver.Reading = func(vault.Path) error { return errLost }
		return errLost
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); !errors.Is(err, vault.OutcomeUnknown) {
		t.Fatalf("Apply = %v, want %v", err, vault.OutcomeUnknown)
	}
	w.count()
	w.writes = 0
	if err := w.service.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := w.apply(t, "key-12345", add("a.md", "two"))
	e := vault.AsError(err)
	if e.Code != vault.RevisionConflict || e.Details["preview"] != nil || w.writes != 0 || w.note(t, "a.md") != "one\neditor\n" || len(w.events(t)) != 0 {
		t.Errorf("the next call = %+v, %d writes, the note holds %q", e, w.writes, w.note(t, "a.md"))
	}
	if _, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || w.note(t, "a.md") != "one\neditor\ntwo\n" {
		t.Errorf("sent again knowingly: %v, the note holds %q", err, w.note(t, "a.md"))
	}
}

func TestLostAnswerIsReconciledInTheBackground(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "a.md", "one\n")
	w.driver.After = func([]providers.Change) error {
		w.driver.Reading = func(vault.Path) error { return errLost }
		return errLost
	}
	w.driver.Driver = blind{w.driver.Driver}
	_, err := w.apply(t, "key-12345", add("a.md", "two"))
	if !errors.Is(err, vault.OutcomeUnknown) || len(w.events(t)) != 0 {
		t.Fatalf("Apply = %v, want %v", err, vault.OutcomeUnknown)
	}
	w.count()
	w.writes = 0
	if err := w.service.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.note(t, "a.md") != "one\ntwo\n" || len(w.events(t)) != 1 || w.writes != 0 {
		t.Errorf("the note holds %q, %d events, %d writes", w.note(t, "a.md"), len(w.events(t)), w.writes)
	}
	if o, err := w.apply(t, "key-12345", add("a.md", "two")); err != nil || !o.Replayed {
		t.Errorf("Apply afterwards = %+v, %v", o, err)
	}
}

// blind is a driver that knows no attempts, so that what is stored is all the evidence.
type blind struct{ providers.Driver }
