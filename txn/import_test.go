package txn_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
)

func TestImport(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.write(t, "same.md", "same\n")
	w.write(t, "other.md", "other\n")
	files := []txn.Incoming{
		{Path: "new.md", Body: []byte("new\n")}, {Path: "picture.png", Body: []byte("\x89PNG\x00")},
		{Path: "same.md", Body: []byte("same\n")}, {Path: "other.md", Body: []byte("mine\n")},
	}
	access := w.access(t, w.caller(), vault.NeedApply)
	got, err := w.service.Import(t.Context(), access, files)
	want := txn.Imported{Stored: []vault.Path{"new.md", "picture.png"}, Same: []vault.Path{"same.md"}, Kept: []vault.Path{"other.md"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("Import: %v (-want +got):\n%s", err, d)
	}
	if w.note(t, "new.md") != "new\n" || w.note(t, "picture.png") != "\x89PNG\x00" || w.note(t, "other.md") != "other\n" || len(w.events(t)) != 2 {
		t.Errorf("new.md holds %q, other.md %q, %d events", w.note(t, "new.md"), w.note(t, "other.md"), len(w.events(t)))
	}
	again, err := w.service.Import(t.Context(), access, files)
	if err != nil || len(again.Stored) != 0 || len(again.Same) != 3 || len(w.events(t)) != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestImportMeetsAnEditor(t *testing.T) {
	w := newWorld(t, sqldbtest.Open(t), nil)
	w.driver.Before = func([]providers.Change) error { w.driver.Before = nil; w.write(t, "b.md", "editor\n"); return nil }
	access := w.access(t, w.caller(), vault.NeedApply)
	files := []txn.Incoming{{Path: "a.md", Body: []byte("a\n")}, {Path: "b.md", Body: []byte("b\n")}}
	if _, err := w.service.Import(t.Context(), access, files); !errors.Is(err, vault.AlreadyExists) {
		t.Errorf("Import = %v, want %v", err, vault.AlreadyExists)
	}
	if w.note(t, "a.md") != "(none)" || w.note(t, "b.md") != "editor\n" {
		t.Errorf("a.md holds %q, b.md %q", w.note(t, "a.md"), w.note(t, "b.md"))
	}
	got, err := w.service.Import(t.Context(), access, files)
	if err != nil || len(got.Stored) != 1 || len(got.Kept) != 1 || w.note(t, "a.md") != "a\n" {
		t.Errorf("again: %+v, %v", got, err)
	}
}

func TestCrashOfAnImport(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		files := []txn.Incoming{{Path: "a.md", Body: []byte("a\n")}, {Path: "b.md", Body: []byte("b\n")}}
		for at := 1; at < 50; at++ {
			w := newWorld(t, db, nil)
			k := &killer{at: at}
			doomed := w.serve(mortal{w.journal, k}, "doomed")
			w.driver.Before = func([]providers.Change) error { k.step("before write"); return nil }
			w.driver.After = func([]providers.Change) error { k.step("after write"); return nil }
			access := w.access(t, w.caller(), vault.NeedApply)
			died := run(k, func() { _, _ = doomed.Import(t.Context(), access, files) })
			w.count()
			w.restart(t)
			if err := w.service.Reconcile(t.Context()); err != nil {
				t.Fatal(err)
			}
			whole := w.note(t, "a.md") == "a\n" && w.note(t, "b.md") == "b\n"
			absent := w.note(t, "a.md") == "(none)" && w.note(t, "b.md") == "(none)"
			if evs := len(w.events(t)); whole && evs != 2 || absent && evs != 0 || whole == absent {
				t.Errorf("killed at %q: whole %v, absent %v, %d events", died, whole, absent, evs)
			}
			if _, err := w.service.Import(t.Context(), access, files); err != nil || len(w.events(t)) != 2 {
				t.Errorf("killed at %q, imported again: %v, %d events", died, err, len(w.events(t)))
			}
			if open, err := w.journal.Open(t.Context(), w.clock.now().Add(time.Hour)); err != nil || len(open) > 0 {
				t.Errorf("killed at %q, open are %+v, %v", died, open, err)
			}
			if died == "" {
				if at < 8 {
					t.Errorf("it lived at step %d", at)
				}
				return
			}
		}
	})
}
