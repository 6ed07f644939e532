package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/notelatch/notelatch/migrations/sqldbtest"
)

// TestScriptOnPostgres has the conversations that every start goes through on PostgreSQL as well: a folder and a hosted vault.
func TestScriptOnPostgres(t *testing.T) {
	p := scripts()
	p.Dir, p.Files = "", []string{"testdata/script/main_job.txtar", "testdata/script/client_hosted.txtar"}
	setup := p.Setup
	url := make(chan string, len(p.Files)) // a database for each script; scripts run at once
	for range p.Files {
		url <- sqldbtest.Postgres(t)
	}
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("NOTELATCH_DATABASE_URL", <-url)
		return setup(e)
	}
	testscript.Run(t, p)
}

// TestServersShareADatabase has two servers, each with a data folder of its own, on one PostgreSQL database: what is written through one is
// in the next answer of the other, tokens and switches included.
func TestServersShareADatabase(t *testing.T) {
	url := sqldbtest.Postgres(t)
	one := newHome(t, "--database", url)
	two := one.beside(url)
	id := added(t, one.run("vault", "add", "--hosted", "Shared", "--json"))
	a, b := one.start(), two.start()
	both := []*server{a, b}
	for i := range 10 {
		from, to := both[i%2], both[(i+1)%2]
		word := []string{"ash", "birch", "cedar", "date", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper"}[i]
		// The other has listed the vault before, so that an answer from memory would be seen.
		to.must("search_notes", map[string]any{"query": word})
		from.must("create_or_append_note", map[string]any{"path": "Trees.md", "content": "- " + word, "dryRun": false, "idempotencyKey": "key-for-" + word})
		found := decoded[searchAnswer](t, to.must("search_notes", map[string]any{"query": word}))
		if found.Total != 1 {
			t.Errorf("%s was written through one server, and the other finds %d notes", word, found.Total)
		}
		if r := to.must("create_or_append_note", map[string]any{"path": "Trees.md", "content": "- " + word, "dryRun": false, "idempotencyKey": "key-for-" + word}); !decoded[struct{ Replayed bool }](t, r).Replayed {
			t.Errorf("the same call to the other server is no replay: %s", r)
		}
		if got, want := to.whole(t, "Trees.md"), from.whole(t, "Trees.md"); got != want || got == "" {
			t.Errorf("one server reads %q, the other %q", got, want)
		}
	}
	one.run("vault", "set", id, "--writes", "off")
	for _, s := range both {
		r, err := s.call("create_or_append_note", map[string]any{"path": "Trees.md", "content": "- late", "dryRun": false, "idempotencyKey": "key-for-late"})
		if err != nil || r.Code != "write_not_enabled" {
			t.Errorf("after the owner turned writes off = %v, %v", r, err)
		}
	}
	two.run("token", "revoke", "test")
	for _, s := range both {
		if r, err := s.call("list_vaults", map[string]any{}); err != nil || r.HTTP != 401 {
			t.Errorf("with a revoked token = %v, %v", r, err)
		}
	}
	a.stop()
	b.stop()
}

// beside is another data folder on the same database. The token, which is there, is good for both.
func (h *home) beside(url string) *home {
	other := *h
	other.data = h.tb.TempDir()
	other.flags = []string{"--data", other.data, "--database", url}
	return &other
}

// TestServersWriteAtOnce has two servers append to one note at the same time: every line that was answered is there, once.
func TestServersWriteAtOnce(t *testing.T) {
	url := sqldbtest.Postgres(t)
	one := newHome(t, "--database", url)
	two := one.beside(url)
	one.run("vault", "add", "--hosted", "Shared")
	both := []*server{one.start(), two.start()}
	both[0].must("create_or_append_note", map[string]any{"path": "Log.md", "content": "# Log\n", "dryRun": false, "idempotencyKey": "the-first"})
	const each = 20
	written := make([][]string, len(both))
	var wg sync.WaitGroup
	for i, s := range both {
		wg.Go(func() {
			for n := range each {
				line := fmt.Sprintf("- server %d line %d", i, n)
				args := map[string]any{"path": "Log.md", "content": line, "dryRun": false, "idempotencyKey": fmt.Sprintf("key-%d-%08d", i, n)}
				for {
					r, err := s.call("create_or_append_note", args)
					if err != nil {
						t.Errorf("%s: %v", line, err)
						return
					}
					if !r.Error {
						written[i] = append(written[i], line)
						break
					}
					if r.Code != "revision_conflict" && r.Code != "transaction_in_progress" {
						t.Errorf("%s: %v", line, r)
						return
					}
					args["idempotencyKey"] = args["idempotencyKey"].(string) + "+" // a conflict ends the transaction of its key
				}
			}
		})
	}
	wg.Wait()
	text := both[0].whole(t, "Log.md")
	for i := range both {
		if len(written[i]) != each {
			t.Errorf("server %d wrote %d lines, want %d", i, len(written[i]), each)
		}
		for _, line := range written[i] {
			if n := strings.Count(text, line+"\n"); n != 1 {
				t.Errorf("%q is there %d times", line, n)
			}
		}
	}
	if other := both[1].whole(t, "Log.md"); other != text || strings.Count(text, "\n- ") != len(both)*each {
		t.Errorf("the servers read %d and %d bytes:\n%s", len(text), len(other), text)
	}
}
