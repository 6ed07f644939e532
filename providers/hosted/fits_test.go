package hosted_test

import (
	"errors"
	"testing"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// A name is a file or a folder, and never both: else the vault could not be written out.
func TestANameIsAFileOrAFolder(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		newID := ids()
		d := create(t, db, clock, newID)
		note := put(t, d, "A.md", "x", vault.MustBeAbsent())
		put(t, d, "Deep/Er/B.md", "x", vault.MustBeAbsent())
		for _, p := range []vault.Path{"A.md/c.md", "a.md/c.md", "A.md/d/c.md", "Deep/Er", "Deep/Er/B.md/c.md", "deep"} {
			_, err := d.Write(t.Context(), providers.Change{Path: p, Body: []byte("y"), Pre: vault.MustBeAbsent()})
			if !errors.Is(err, vault.AlreadyExists) {
				t.Errorf("Write(%q) = %v, want %s", p, err, vault.AlreadyExists)
			}
		}
		for _, p := range []vault.Path{"A.md0", "A.m", "A", "Deep/Er.md", "Deep/E/c.md", "Deep0", "Dee/p.md"} {
			put(t, d, p, "y", vault.MustBeAbsent())
		}
		if err := d.Delete(t.Context(), providers.Change{Path: "A.md", Delete: true, Pre: vault.MustBe(note.Revision)}); err != nil {
			t.Fatal(err)
		}
		put(t, d, "A.md/c.md", "the name is free now", vault.MustBeAbsent())
		other := create(t, db, clock, newID)
		put(t, other, "Deep/Er", "another vault", vault.MustBeAbsent())
	})
}
