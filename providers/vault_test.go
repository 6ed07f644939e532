package providers_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/memory"
	"github.com/notelatch/notelatch/providers/providertest"
	"github.com/notelatch/notelatch/vault"
)

func clock() time.Time { return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC) }

// plain hides every optional interface of a driver.
type plain struct{ providers.Driver }

func (p plain) Capabilities() providers.Capabilities {
	return providers.Capabilities{Provider: "plain", Write: true, MaxBatch: 1, Atomicity: "single", MaxRead: 1 << 20, MaxWrite: 1 << 10}
}

func create(p vault.Path, body string) providers.Change {
	return providers.Change{Path: p, Body: []byte(body), Pre: vault.MustBeAbsent()}
}

func TestVaultCommitsOneChangeWithoutACommitter(t *testing.T) {
	v := providers.New(plain{memory.New(clock)})
	entries, err := v.Commit(t.Context(), []providers.Change{create("a.md", "a")})
	if err != nil || len(entries) != 1 || entries[0].Path != "a.md" {
		t.Fatalf("Commit = %+v, %v", entries, err)
	}
	gone := providers.Change{Path: "a.md", Delete: true, Pre: vault.MustBe(entries[0].Revision)}
	if _, err := v.Commit(t.Context(), []providers.Change{gone}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Read(t.Context(), "a.md"); !errors.Is(err, vault.NotFound) {
		t.Errorf("Read of a deleted note = %v, want %s", err, vault.NotFound)
	}
}

func TestVaultRefusesBeforeTheDriverIsAsked(t *testing.T) {
	asked := 0
	v := providers.New(&providertest.Faulty{Driver: plain{memory.New(clock)}, Before: func([]providers.Change) error { asked++; return nil }})
	for name, test := range map[string]struct {
		changes []providers.Change
		code    vault.Code
	}{
		"two changes where one is the most": {[]providers.Change{create("a.md", ""), create("b.md", "")}, vault.BatchNotAtomic},
		"a blind write":                     {[]providers.Change{{Path: "a.md"}}, vault.InvalidArgument},
		"a hidden path":                     {[]providers.Change{create(".a.md", "")}, vault.InvalidArgument},
		"a path out of the vault":           {[]providers.Change{create("../a.md", "")}, vault.InvalidArgument},
		"a body over the limit":             {[]providers.Change{create("a.md", string(make([]byte, 1<<10+1)))}, vault.NoteTooLarge},
	} {
		if _, err := v.Commit(t.Context(), test.changes); !errors.Is(err, test.code) {
			t.Errorf("Commit with %s = %v, want %s", name, err, test.code)
		}
	}
	if asked != 0 {
		t.Errorf("the driver was asked %d times", asked)
	}
	if _, err := v.Commit(t.Context(), []providers.Change{create("a.md", string(make([]byte, 1<<10)))}); err != nil || asked != 1 {
		t.Errorf("Commit of what is allowed = %v, and the driver was asked %d times", err, asked)
	}
	many := providers.New(memory.New(clock))
	if _, err := many.Commit(t.Context(), slices.Repeat([]providers.Change{create("a.md", "")}, 101)); !errors.Is(err, vault.TooManyActions) {
		t.Errorf("Commit of 101 changes = %v, want %s", err, vault.TooManyActions)
	}
	if _, err := many.Commit(t.Context(), slices.Repeat([]providers.Change{create("a.md", "")}, 2)); !errors.Is(err, vault.InvalidArgument) {
		t.Errorf("Commit of one path twice = %v, want %s", err, vault.InvalidArgument)
	}
}

func TestVaultSaysWhatADriverLacks(t *testing.T) {
	v := providers.New(plain{memory.New(clock)})
	_, _, landed := v.Landed(t.Context(), create("a.md", ""))
	_, restore := v.Restore(t.Context(), "1", "")
	_, changes := v.Changes(t.Context(), "")
	_, revision := v.ReadRevision(t.Context(), "a.md", "r1")
	_, move := v.Move(t.Context(), "a.md", create("b.md", ""))
	for what, err := range map[string]error{
		"Landed": landed, "Restore": restore, "Changes": changes, "ReadRevision": revision, "Move": move,
		"Trash": failure(v.Trash(t.Context())), "Revisions": failure(v.Revisions(t.Context(), "a.md")),
	} {
		if !errors.Is(err, vault.UnsupportedHere) {
			t.Errorf("%s = %v, want %s", what, err, vault.UnsupportedHere)
		}
	}
}

func failure[T any](all iter.Seq2[T, error]) (failed error) {
	for _, err := range all {
		failed = err
	}
	return failed
}

func TestReadsAreRetriedAndWritesAreNot(t *testing.T) {
	down := vault.Errorf(vault.ProviderUnavailable, "the service answers 503")
	for name, test := range map[string]struct {
		fails int // times before it works
		err   error
		reads int
		code  vault.Code // "" for success
	}{
		"works at once":                {0, nil, 1, ""},
		"works the third time":         {2, down, 3, ""},
		"never works":                  {9, down, 3, vault.ProviderUnavailable},
		"is no passing failure":        {9, vault.Errorf(vault.ConnectionRevoked, "revoked"), 1, vault.ConnectionRevoked},
		"asks for a moment":            {1, vault.Errorf(vault.ProviderRateLimited, "slow down").With("retryAfterSeconds", 1), 2, ""},
		"asks for more than is waited": {9, vault.Errorf(vault.ProviderRateLimited, "slow down").With("retryAfterSeconds", 60), 1, vault.ProviderRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := memory.New(clock)
				d.Put("a.md", []byte("a"))
				reads, writes := 0, 0
				v := providers.New(&providertest.Faulty{
					Driver:  d,
					Reading: func(vault.Path) error { return failing(&reads, test.fails, test.err) },
					Before:  func([]providers.Change) error { return failing(&writes, test.fails, test.err) },
				})
				file, err := v.Read(t.Context(), "a.md")
				if test.code == "" && (err != nil || string(file.Body) != "a") {
					t.Errorf("Read = %q, %v", file.Body, err)
				}
				if test.code != "" && !errors.Is(err, test.code) {
					t.Errorf("Read = %v, want %s", err, test.code)
				}
				if reads != test.reads {
					t.Errorf("the driver was asked to read %d times, want %d", reads, test.reads)
				}
				if _, err := v.Commit(t.Context(), []providers.Change{create("b.md", "b")}); (err != nil) != (test.fails > 0) || writes != 1 {
					t.Errorf("Commit = %v, after %d writes", err, writes)
				}
			})
		})
	}
}

func failing(calls *int, fails int, err error) error {
	*calls++
	if *calls <= fails {
		return err
	}
	return nil
}

func TestReadEndsWithItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := vault.Errorf(vault.ProviderRateLimited, "slow down").With("retryAfterSeconds", 2)
		v := providers.New(&providertest.Faulty{Driver: memory.New(clock), Reading: func(vault.Path) error { return down }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := v.Read(ctx, "a.md"); !errors.Is(err, vault.ProviderRateLimited) {
			t.Errorf("Read = %v, want %s", err, vault.ProviderRateLimited)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("Read took %v of its second", took)
		}
		if _, err := v.Read(ctx, "a.md"); !errors.Is(err, vault.DeadlineExceeded) {
			t.Errorf("Read after the deadline = %v, want %s", err, vault.DeadlineExceeded)
		}
	})
}

// listed is a driver whose listing fails at an entry.
type listed struct {
	providers.Driver
	calls *int
	at    int
}

func (l listed) List(ctx context.Context, dir vault.Path) iter.Seq2[vault.Entry, error] {
	return func(yield func(vault.Entry, error) bool) {
		*l.calls++
		for range l.at {
			if !yield(vault.Entry{Path: "a.md"}, nil) {
				return
			}
		}
		yield(vault.Entry{}, vault.Errorf(vault.ProviderUnavailable, "the service answers 503"))
	}
}

func TestListIsRetriedOnlyBeforeItsFirstEntry(t *testing.T) {
	for at, want := range map[int]int{0: 3, 2: 1} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			v := providers.New(listed{memory.New(clock), &calls, at})
			entries := 0
			var failed error
			for _, err := range v.List(t.Context(), "") {
				if err != nil {
					failed = err
					continue
				}
				entries++
			}
			if !errors.Is(failed, vault.ProviderUnavailable) || entries != at || calls != want {
				t.Errorf("failing at entry %d: %d entries of %d listings, then %v; want %d listings", at, entries, calls, failed, want)
			}
		})
	}
}

func TestExistsTellsWhatIsInTheWay(t *testing.T) {
	for _, c := range []struct{ path, existing, want string }{
		{"a.md", "a.md", "there is already a file a.md"},
		{"A.md", "a.md", "there is already a file a.md, which differs from A.md only by case or Unicode form"},
		{"a.md/b.md", "a.md", "there is already a file a.md, so that nothing can be stored below it"},
	} {
		err := providers.Exists(vault.Path(c.path), vault.Path(c.existing))
		if got := vault.AsError(err).Message; got != c.want || !errors.Is(err, vault.AlreadyExists) {
			t.Errorf("Exists(%s, %s) = %v, want %q", c.path, c.existing, err, c.want)
		}
	}
}
