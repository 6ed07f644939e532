package account_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/vault"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// run runs fn on both databases with a store and an owner.
func run(t *testing.T, fn func(t *testing.T, s *account.Store, owner account.Account, c *clock, db *sqldb.DB)) {
	t.Helper()
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock()
		s := account.New(db, c.now, rand.Reader)
		owner, err := s.EnsureOwner(t.Context(), "Owner")
		if err != nil {
			t.Fatalf("EnsureOwner: %v", err)
		}
		fn(t, s, owner, c, db)
	})
}

func TestThereIsOneOwner(t *testing.T) {
	sqldbtest.Run(t, func(t *testing.T, db *sqldb.DB) {
		c := newClock()
		s := account.New(db, c.now, rand.Reader)
		if _, err := s.Owner(t.Context()); !errors.Is(err, vault.NotFound) {
			t.Errorf("Owner of an empty database = %v, want not_found", err)
		}
		owners := make([]account.Account, 8)
		var wg sync.WaitGroup
		for i := range owners {
			wg.Go(func() {
				var err error
				if owners[i], err = s.EnsureOwner(t.Context(), "Owner"); err != nil {
					t.Errorf("EnsureOwner: %v", err)
				}
			})
		}
		wg.Wait()
		for _, o := range owners {
			if o != owners[0] || o.Name != "Owner" || o.Status != account.Active || o.Plan != account.SelfHosted || !o.Created.Equal(c.at) {
				t.Errorf("EnsureOwner = %+v, and %+v", owners[0], o)
			}
		}
		other, err := s.Create(t.Context(), "Other")
		if err != nil || other.ID == owners[0].ID {
			t.Errorf("Create = %+v, %v", other, err)
		}
		if o, err := s.Owner(t.Context()); err != nil || o != owners[0] {
			t.Errorf("Owner = %+v, %v; want %+v", o, err, owners[0])
		}
	})
}

func TestStatus(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, _ *clock, _ *sqldb.DB) {
		if err := s.SetStatus(t.Context(), owner.ID, account.Suspended); err != nil {
			t.Fatal(err)
		}
		a, err := s.Get(t.Context(), owner.ID)
		if err != nil || a.Status != account.Suspended || !errors.Is(a.Usable(), vault.AccountInactive) {
			t.Errorf("Get = %+v, %v; Usable = %v", a, err, a.Usable())
		}
		if err := s.SetStatus(t.Context(), owner.ID, "asleep"); !errors.Is(err, vault.InvalidArgument) {
			t.Errorf("SetStatus(asleep) = %v", err)
		}
		if err := s.SetStatus(t.Context(), "acc_other", account.Active); !errors.Is(err, vault.NotFound) {
			t.Errorf("SetStatus of another = %v", err)
		}
		if err := owner.Usable(); err != nil {
			t.Errorf("Usable = %v of an active account", err)
		}
	})
}

func TestSecretsAreMadeOnce(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, _ account.Account, c *clock, db *sqldb.DB) {
		secrets := make([][]byte, 8)
		var wg sync.WaitGroup
		for i := range secrets {
			wg.Go(func() {
				var err error
				if secrets[i], err = account.New(db, c.now, rand.Reader).Secret(t.Context(), "cursors"); err != nil {
					t.Errorf("Secret: %v", err)
				}
			})
		}
		wg.Wait()
		for _, got := range secrets {
			if len(got) != 32 || !bytes.Equal(got, secrets[0]) {
				t.Errorf("Secret = %x, and %x", secrets[0], got)
			}
		}
		other, err := s.Secret(t.Context(), "links")
		if err != nil || bytes.Equal(other, secrets[0]) {
			t.Errorf("Secret(links) = %x, %v; want another one", other, err)
		}
	})
}

func create(t testing.TB, s *account.Store, n account.NewToken) (string, account.Token) {
	t.Helper()
	secret, tok, err := s.CreateToken(t.Context(), n)
	if err != nil {
		t.Fatalf("CreateToken(%+v): %v", n, err)
	}
	return secret, tok
}

const handle = "map_0123456789abcdefghjkmnpqrs"

func TestATokenStandsForItsCaller(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, c *clock, db *sqldb.DB) {
		secret, tok := create(t, s, account.NewToken{Account: owner.ID, Name: "Codex",
			Scopes: []vault.Scope{vault.ScopeWrite, vault.ScopeRead}, Mappings: []string{handle}})
		before := db.Queries()
		caller, a, err := s.Verify(t.Context(), secret, "192.0.2.1")
		if err != nil || a != owner {
			t.Fatalf("Verify = %+v, %v; want %+v", a, err, owner)
		}
		if n := db.Queries() - before; n != 2 {
			t.Errorf("the first use took %d queries, want 2: look up, note the use", n)
		}
		want := vault.Caller{Account: owner.ID, Client: "Codex", Token: tok.ID, Mappings: []string{handle},
			Scopes: []vault.Scope{vault.ScopeRead, vault.ScopeWrite}}
		if d := cmp.Diff(want, caller); d != "" {
			t.Errorf("Verify (-want +got):\n%s", d)
		}
		plain, _ := create(t, s, account.NewToken{Account: owner.ID, Name: "Reader"})
		caller, _, err = s.Verify(t.Context(), plain, "")
		if err != nil || caller.Has(vault.ScopeWrite) || !caller.Has(vault.ScopeRead) || caller.Mappings != nil {
			t.Errorf("Verify of a plain token = %+v, %v; want read, all mappings", caller, err)
		}
		var stored int
		if err := db.QueryRow(t.Context(), `
			SELECT COUNT(*)
			FROM tokens
			WHERE secret_hash = ?`, []byte(secret)).Scan(&stored); err != nil || stored != 0 {
			t.Errorf("%d tokens hold their secret, %v", stored, err)
		}
	})
}

func TestLastUseIsKeptToTheMinute(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, c *clock, db *sqldb.DB) {
		secret, tok := create(t, s, account.NewToken{Account: owner.ID, Name: "Codex"})
		if !tok.Used.IsZero() {
			t.Errorf("Used = %v before any use", tok.Used)
		}
		start := c.at
		use := func(after time.Duration, from string, queries int64, used time.Time, usedFrom string) {
			t.Helper()
			c.at = start.Add(after)
			before := db.Queries()
			if _, _, err := s.Verify(t.Context(), secret, from); err != nil {
				t.Fatalf("Verify: %v", err)
			}
			if n := db.Queries() - before; n != queries {
				t.Errorf("after %v: %d queries, want %d", after, n, queries)
			}
			all, err := s.Tokens(t.Context(), owner.ID)
			if err != nil || len(all) != 1 || !all[0].Used.Equal(used) || all[0].UsedFrom != usedFrom {
				t.Errorf("after %v: Tokens = %+v, %v; want used %v from %s", after, all, err, used, usedFrom)
			}
		}
		use(0, "192.0.2.1", 2, start, "192.0.2.1")
		use(59*time.Second, "192.0.2.2", 1, start, "192.0.2.1")
		use(60*time.Second, "2001:db8::1", 2, start.Add(time.Minute), "2001:db8::1")
		use(3*time.Minute, "bad\x00address", 2, start.Add(3*time.Minute), "")
	})
}

func TestBadTokensAreAllTheSame(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, c *clock, db *sqldb.DB) {
		good, tok := create(t, s, account.NewToken{Account: owner.ID, Name: "a", Expires: c.at.Add(time.Hour)})
		revoked, gone := create(t, s, account.NewToken{Account: owner.ID, Name: "b"})
		foreign := account.New(sqldbtest.Open(t), c.now, rand.Reader)
		other, err := foreign.EnsureOwner(t.Context(), "Other")
		if err != nil {
			t.Fatal(err)
		}
		unknown, _ := create(t, foreign, account.NewToken{Account: other.ID, Name: "c"})
		if err := s.RevokeToken(t.Context(), owner.ID, gone.ID); err != nil {
			t.Fatalf("RevokeToken: %v", err)
		}
		if err := s.RevokeToken(t.Context(), other.ID, tok.ID); !errors.Is(err, vault.NotFound) {
			t.Errorf("RevokeToken by another account = %v", err)
		}
		typo := []byte(good)
		typo[10] ^= 1
		if typo[10] == '@' || typo[10] == '[' {
			typo[10] = 'x'
		}
		for name, tt := range map[string]struct {
			secret  string
			queries int64
		}{
			"empty": {"", 0}, "typo": {string(typo), 0}, "short": {good[:len(good)-1], 0}, "long": {good + "0", 0},
			"prefix": {"xyz_" + good[4:], 0}, "revoked": {revoked, 1}, "unknown": {unknown, 1},
		} {
			before := db.Queries()
			caller, a, err := s.Verify(t.Context(), tt.secret, "")
			if err != account.ErrInvalidToken || caller.Account != "" || a.ID != "" {
				t.Errorf("%s: Verify = %+v, %+v, %v; want ErrInvalidToken", name, caller, a, err)
			}
			if n := db.Queries() - before; n != tt.queries {
				t.Errorf("%s: %d queries, want %d", name, n, tt.queries)
			}
		}
		if _, _, err := s.Verify(t.Context(), good, ""); err != nil {
			t.Errorf("Verify of a good one: %v", err)
		}
		c.at = c.at.Add(time.Hour)
		if _, _, err := s.Verify(t.Context(), good, ""); err != account.ErrInvalidToken {
			t.Errorf("Verify of an expired one = %v", err)
		}
	})
}

func TestASuspendedAccountIsRefusedAtOnce(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, _ *clock, _ *sqldb.DB) {
		secret, _ := create(t, s, account.NewToken{Account: owner.ID, Name: "a"})
		for _, status := range []account.Status{account.Active, account.Suspended, account.Closed, account.Active} {
			if err := s.SetStatus(t.Context(), owner.ID, status); err != nil {
				t.Fatal(err)
			}
			_, _, err := s.Verify(t.Context(), secret, "")
			if status == account.Active && err != nil || status != account.Active && !errors.Is(err, vault.AccountInactive) {
				t.Errorf("%s: Verify = %v", status, err)
			}
		}
	})
}

func TestRotationKeepsTheOldTokenForAWhile(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, c *clock, _ *sqldb.DB) {
		old, tok := create(t, s, account.NewToken{Account: owner.ID, Name: "a", Scopes: []vault.Scope{vault.ScopeWrite}, Mappings: []string{handle}})
		next, made, err := s.RotateToken(t.Context(), owner.ID, tok.ID, time.Hour)
		if err != nil {
			t.Fatalf("RotateToken: %v", err)
		}
		if made.ID == tok.ID || made.Name != tok.Name || !cmp.Equal(made.Scopes, tok.Scopes) || !cmp.Equal(made.Mappings, tok.Mappings) {
			t.Errorf("RotateToken = %+v, want one like %+v", made, tok)
		}
		verify := func(secret string) error {
			_, _, err := s.Verify(t.Context(), secret, "")
			return err
		}
		if err := errors.Join(verify(old), verify(next)); err != nil {
			t.Errorf("at first: %v", err)
		}
		c.at = c.at.Add(time.Hour)
		if verify(old) != account.ErrInvalidToken || verify(next) != nil {
			t.Errorf("an hour later: old %v, new %v", verify(old), verify(next))
		}
		if _, _, err := s.RotateToken(t.Context(), owner.ID, tok.ID, 0); !errors.Is(err, vault.InvalidArgument) {
			t.Errorf("RotateToken of an ended one = %v", err)
		}
		if _, _, err := s.RotateToken(t.Context(), owner.ID, made.ID, 25*time.Hour); !errors.Is(err, vault.InvalidArgument) {
			t.Errorf("RotateToken for 25 hours = %v", err)
		}
		if _, _, err := s.RotateToken(t.Context(), "acc_other", made.ID, 0); !errors.Is(err, vault.NotFound) {
			t.Errorf("RotateToken by another account = %v", err)
		}
	})
}

func TestTokensThatCannotBeMade(t *testing.T) {
	run(t, func(t *testing.T, s *account.Store, owner account.Account, c *clock, _ *sqldb.DB) {
		for _, n := range []account.NewToken{
			{Account: owner.ID, Name: " "},
			{Account: owner.ID, Name: "a\x00b"},
			{Account: owner.ID, Name: "a", Scopes: []vault.Scope{"mcp:all"}},
			{Account: owner.ID, Name: "a", Mappings: []string{"notes"}},
			{Account: owner.ID, Name: "a", Expires: c.at},
		} {
			if _, _, err := s.CreateToken(t.Context(), n); !errors.Is(err, vault.InvalidArgument) {
				t.Errorf("CreateToken(%+v) = %v, want invalid_argument", n, err)
			}
		}
		if all, err := s.Tokens(t.Context(), owner.ID); err != nil || len(all) != 0 {
			t.Errorf("Tokens = %+v, %v; want none", all, err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	for _, open := range []struct {
		name string
		db   func(testing.TB) *sqldb.DB
	}{{"sqlite", sqldbtest.Open}, {"postgres", sqldbtest.OpenPostgres}} {
		b.Run(open.name, func(b *testing.B) {
			c := newClock()
			s := account.New(open.db(b), c.now, rand.Reader)
			owner, err := s.EnsureOwner(b.Context(), "Owner")
			if err != nil {
				b.Fatal(err)
			}
			secret, _ := create(b, s, account.NewToken{Account: owner.ID, Name: "a"})
			for b.Loop() {
				if _, _, err := s.Verify(b.Context(), secret, "192.0.2.1"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
