package mapping_test

import (
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

type fixture struct {
	*mapping.Store
	db           *sqldb.DB
	owner, other account.Account
}

func run(t *testing.T, fn func(t *testing.T, f fixture)) {
	t.Helper()
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		accounts := account.New(db, now, rand.Reader)
		owner, err := accounts.EnsureOwner(t.Context(), "Owner")
		if err != nil {
			t.Fatal(err)
		}
		other, err := accounts.Create(t.Context(), "Other")
		if err != nil {
			t.Fatal(err)
		}
		fn(t, fixture{mapping.New(db, now, rand.Reader), db, owner, other})
	})
}

func (f fixture) create(t *testing.T, n mapping.NewMapping) mapping.Mapping {
	t.Helper()
	if n.Account == "" {
		n.Account = f.owner.ID
	}
	m, err := f.Create(t.Context(), n)
	if err != nil {
		t.Fatalf("Create(%+v): %v", n, err)
	}
	return m
}

func TestJoinedIsOneQuery(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		m := f.create(t, mapping.NewMapping{Name: "Notes", Provider: mapping.Folder, Root: "/srv/ä\xff", Encryption: "meld", PullOnly: true})
		before := f.db.Queries()
		got, err := f.Joined(t.Context(), f.owner.ID, m.ID)
		if n := f.db.Queries() - before; n != 1 {
			t.Errorf("Joined took %d queries, want 1", n)
		}
		want := mapping.Joined{
			Mapping: mapping.Mapping{ID: m.ID, Account: f.owner.ID, Name: "Notes", Provider: "folder", Root: "/srv/ä\xff", ConnectionID: m.ConnectionID,
				PullOnly: true, Encryption: "meld", Created: noon},
			Connection: mapping.Connection{ID: m.ConnectionID, Account: f.owner.ID, Provider: "folder", Status: mapping.Active,
				Capabilities: []string{mapping.FilesRead, mapping.FilesWrite}},
			Account: f.owner,
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("Joined: %v (-want +got):\n%s", err, d)
		}
		if d := cmp.Diff(want.Mapping, m); d != "" {
			t.Errorf("Create (-want +got):\n%s", d)
		}
	})
}

func TestWhatIsNotOursIsNotFound(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		ours := f.create(t, mapping.NewMapping{Name: "Ours", Provider: mapping.Hosted, Root: "1"})
		theirs := f.create(t, mapping.NewMapping{Account: f.other.ID, Name: "Theirs", Provider: mapping.Hosted, Root: "1"})
		removed := f.create(t, mapping.NewMapping{Name: "Gone", Provider: mapping.Hosted, Root: "2"})
		if err := f.Remove(t.Context(), f.owner.ID, removed.ID); err != nil {
			t.Fatalf("Remove: %v", err)
		}
		for name, id := range map[string]mapping.ID{
			"foreign": theirs.ID, "removed": removed.ID, "unknown": "map_0123456789abcdefghjkmnpqrs", "malformed": "1", "empty": "",
		} {
			_, err := f.Joined(t.Context(), f.owner.ID, id)
			if d := cmp.Diff(mapping.ErrNotFound(), err); d != "" {
				t.Errorf("%s: Joined (-want +got):\n%s", name, d)
			}
			for what, err := range map[string]error{
				"SetWrites":   f.SetWrites(t.Context(), f.owner.ID, id, true),
				"SetPullOnly": f.SetPullOnly(t.Context(), f.owner.ID, id, true),
				"Rename":      f.Rename(t.Context(), f.owner.ID, id, "x"),
				"Remove":      f.Remove(t.Context(), f.owner.ID, id),
			} {
				if d := cmp.Diff(error(mapping.ErrNotFound()), err); d != "" {
					t.Errorf("%s: %s (-want +got):\n%s", name, what, d)
				}
			}
		}
		for account, m := range map[string]mapping.Mapping{f.owner.ID: ours, f.other.ID: theirs} {
			if j, err := f.Joined(t.Context(), account, m.ID); err != nil || j.Mapping != m {
				t.Errorf("Joined = %+v, %v; want %+v unchanged", j.Mapping, err, m)
			}
			all, err := f.List(t.Context(), account)
			if err != nil || len(all) != 1 || all[0].Mapping != m {
				t.Errorf("List = %+v, %v; want %+v alone", all, err, m)
			}
		}
	})
}

func TestNames(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		for i, want := range []string{"notes", "notes (2)", "notes (3)"} {
			m := f.create(t, mapping.NewMapping{Name: "notes", Provider: mapping.Folder, Root: "/" + string(rune('a'+i))})
			if m.Name != want {
				t.Errorf("the name of folder %d = %q, want %q", i, m.Name, want)
			}
		}
		if m := f.create(t, mapping.NewMapping{Account: f.other.ID, Name: "notes", NameGiven: true, Provider: mapping.Folder, Root: "/a"}); m.Name != "notes" {
			t.Errorf("another account's = %q, want notes", m.Name)
		}
		_, err := f.Create(t.Context(), mapping.NewMapping{Account: f.owner.ID, Name: "notes", NameGiven: true, Provider: mapping.Folder, Root: "/d"})
		if !errors.Is(err, vault.AlreadyExists) {
			t.Errorf("a given name that is taken = %v, want already_exists", err)
		}
		other := f.create(t, mapping.NewMapping{Name: "other", NameGiven: true, Provider: mapping.Folder, Root: "/d"})
		if err := f.Rename(t.Context(), f.owner.ID, other.ID, "notes"); !errors.Is(err, vault.AlreadyExists) {
			t.Errorf("Rename to a name that is taken = %v, want already_exists", err)
		}
		for _, bad := range []string{"", "  ", "a\nb", "a\x00"} {
			if err := f.Rename(t.Context(), f.owner.ID, other.ID, bad); !errors.Is(err, vault.InvalidArgument) {
				t.Errorf("Rename to %q = %v, want invalid_argument", bad, err)
			}
		}
		if err := f.Rename(t.Context(), f.owner.ID, other.ID, "Journal"); err != nil {
			t.Errorf("Rename: %v", err)
		}
		if err := f.Remove(t.Context(), f.owner.ID, other.ID); err != nil {
			t.Fatal(err)
		}
		f.create(t, mapping.NewMapping{Name: "Journal", NameGiven: true, Provider: mapping.Folder, Root: "/d"}) // name and root are free again
	})
}

func TestOneRootIsOneMapping(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		if _, err := f.ByRoot(t.Context(), f.owner.ID, mapping.Folder, "/srv/notes"); !errors.Is(err, vault.NotFound) {
			t.Errorf("ByRoot = %v, want not_found", err)
		}
		var made sync.Map
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				m, err := f.Create(t.Context(), mapping.NewMapping{Account: f.owner.ID, Name: "notes", Provider: mapping.Folder, Root: "/srv/notes"})
				if err == nil {
					made.Store(m.ID, true)
				} else if e := vault.AsError(err); e.Code != vault.AlreadyExists || e.Details["mappingId"] == nil {
					t.Errorf("Create = %v, want already_exists with its handle", err)
				}
			})
		}
		wg.Wait()
		j, err := f.ByRoot(t.Context(), f.owner.ID, mapping.Folder, "/srv/notes")
		if err != nil {
			t.Fatalf("ByRoot: %v", err)
		}
		n := 0
		made.Range(func(id, _ any) bool { n++; return id == j.Mapping.ID })
		if n != 1 {
			t.Errorf("%d mappings were made, want 1", n)
		}
	})
}

func TestFind(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		a := f.create(t, mapping.NewMapping{Name: "Work", Provider: mapping.Hosted, Root: "1"})
		b := f.create(t, mapping.NewMapping{Name: "home", Provider: mapping.Hosted, Root: "2"})
		c := f.create(t, mapping.NewMapping{Name: "HOME", Provider: mapping.Hosted, Root: "3"})
		theirs := f.create(t, mapping.NewMapping{Account: f.other.ID, Name: "Theirs", Provider: mapping.Hosted, Root: "4"})
		for ref, want := range map[string]mapping.ID{string(a.ID): a.ID, "Work": a.ID, "work": a.ID, "home": b.ID, "HOME": c.ID} {
			if j, err := f.Find(t.Context(), f.owner.ID, ref); err != nil || j.Mapping.ID != want {
				t.Errorf("Find(%q) = %v, %v; want %v", ref, j.Mapping.ID, err, want)
			}
		}
		for ref, want := range map[string]vault.Code{"Home": vault.InvalidArgument, "Theirs": vault.NotFound, string(theirs.ID): vault.NotFound, "": vault.NotFound} {
			if _, err := f.Find(t.Context(), f.owner.ID, ref); !errors.Is(err, want) {
				t.Errorf("Find(%q) = %v, want %v", ref, err, want)
			}
		}
	})
}

func TestWritesAreOffUntilTheOwnerSaysSo(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		hosted := f.create(t, mapping.NewMapping{Name: "a", Provider: mapping.Hosted, Root: "1"})
		folder := f.create(t, mapping.NewMapping{Name: "b", Provider: mapping.Folder, Root: "1"})
		if !hosted.AllowAgentWrites || folder.AllowAgentWrites || hosted.PullOnly {
			t.Errorf("made %+v and %+v; want writes on the hosted one alone", hosted, folder)
		}
		if err := errors.Join(f.SetWrites(t.Context(), f.owner.ID, folder.ID, true), f.SetPullOnly(t.Context(), f.owner.ID, folder.ID, true)); err != nil {
			t.Fatal(err)
		}
		if j, err := f.Joined(t.Context(), f.owner.ID, folder.ID); err != nil || !j.Mapping.AllowAgentWrites || !j.Mapping.PullOnly {
			t.Errorf("after setting: %+v, %v", j.Mapping, err)
		}
		if j, err := f.Joined(t.Context(), f.owner.ID, hosted.ID); err != nil || j.Mapping != hosted {
			t.Errorf("the other: %+v, %v; want it unchanged", j.Mapping, err)
		}
	})
}

func TestConnections(t *testing.T) {
	run(t, func(t *testing.T, f fixture) {
		remote := mapping.NewMapping{Account: f.owner.ID, Name: "a", Provider: "dropbox", Root: "id:1"}
		if _, err := f.Create(t.Context(), remote); !errors.Is(err, vault.InvalidArgument) {
			t.Errorf("a remote vault without connection = %v, want invalid_argument", err)
		}
		c, err := f.SaveConnection(t.Context(), mapping.Connection{Account: f.owner.ID, Provider: "dropbox", Status: mapping.Active,
			Capabilities: []string{mapping.FilesRead}, Credentials: []byte{0, 1}})
		if err != nil {
			t.Fatalf("SaveConnection: %v", err)
		}
		remote.Connection = c.ID
		m := f.create(t, remote)
		c.Status, c.Capabilities = mapping.Revoked, nil
		if _, err := f.SaveConnection(t.Context(), c); err != nil {
			t.Fatalf("SaveConnection again: %v", err)
		}
		if j, err := f.Joined(t.Context(), f.owner.ID, m.ID); err != nil || !cmp.Equal(j.Connection, c, cmpopts.EquateEmpty()) {
			t.Errorf("Joined = %+v, %v; want %+v", j.Connection, err, c)
		}
		for name, change := range map[string]func(*mapping.NewMapping){
			"account":  func(n *mapping.NewMapping) { n.Account = f.other.ID },
			"provider": func(n *mapping.NewMapping) { n.Provider = "gdrive" },
			"unknown":  func(n *mapping.NewMapping) { n.Connection = "con_x" },
		} {
			n := remote
			n.Root = "id:2"
			change(&n)
			if _, err := f.Create(t.Context(), n); !errors.Is(err, vault.NotFound) {
				t.Errorf("a connection of another %s = %v, want not_found", name, err)
			}
		}
		c.Account = f.other.ID
		if _, err := f.SaveConnection(t.Context(), c); !errors.Is(err, vault.NotFound) {
			t.Errorf("SaveConnection by another account = %v, want not_found", err)
		}
	})
}
