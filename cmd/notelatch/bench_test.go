package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/vault"
)

const benchNotes = 10_000

// searches are what agents ask: one word and several, a typo, a beginning, a phrase, filters, and listings.
var searches = []struct {
	name string
	args map[string]any
}{
	{"word", map[string]any{"query": "project"}},
	{"words", map[string]any{"query": "task due date"}},
	{"sentence", map[string]any{"query": "frontmatter properties of a note"}},
	{"typo", map[string]any{"query": "recurrance"}},
	{"beginning", map[string]any{"query": "templ"}},
	{"phrase", map[string]any{"query": `"global filter"`}},
	{"tag", map[string]any{"query": "tag:project review"}},
	{"without", map[string]any{"query": "budget -meeting path:Areas"}},
	{"property", map[string]any{"query": "prop:status=open plan"}},
	{"three", map[string]any{"query": "keyboard shortcut", "limit": 3}},
	{"title", map[string]any{"query": "Garden 123"}},
	{"folder", map[string]any{"pathPrefix": "Projects"}},
	{"listing", map[string]any{"sort": "path", "limit": 50}},
	{"nothing", map[string]any{"query": "xyzzyplugh"}},
}

// house is the program in this process, behind real HTTP.
type house struct {
	*rooms
	url, token string
	vault      mapping.ID
	client     *http.Client
	stop       context.CancelFunc
	ended      chan error // how serving went
}

// openHouse starts to serve the one vault that add makes, or that is in the database at url already.
func openHouse(b *testing.B, url string, add func(r *rooms, owner string)) *house {
	b.Helper()
	r, err := openRooms(b.Context(), url, roomOptions{instance: "bench", log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	owner, err := r.accounts.EnsureOwner(b.Context(), ownerName)
	if err != nil {
		b.Fatal(err)
	}
	if add != nil {
		add(r, owner.ID)
	}
	list, err := r.mappings.List(b.Context(), owner.ID)
	if err != nil || len(list) != 1 {
		b.Fatalf("%d vaults, %v", len(list), err)
	}
	secret, _, err := r.accounts.CreateToken(b.Context(), account.NewToken{Account: owner.ID, Name: "bench", Scopes: []vault.Scope{vault.ScopeRead, vault.ScopeWrite}})
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	origin := "http://" + listener.Addr().String()
	handler, err := r.handler(b.Context(), face{origin: origin, vaults: 1})
	if err != nil {
		b.Fatal(err)
	}
	h := &house{
		rooms: r, url: origin + "/api/mcp", token: secret, vault: list[0].Mapping.ID,
		client: &http.Client{Transport: new(http.Transport)}, ended: make(chan error, 1),
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	r.start(ctx, owner.ID)
	go func() { h.ended <- serveUntil(ctx, listener, handler, r.log) }()
	return h
}

func (h *house) close(b *testing.B) {
	h.client.CloseIdleConnections()
	h.stop()
	if err := <-h.ended; err != nil {
		b.Error(err)
	}
	if err := h.Close(); err != nil {
		b.Error(err)
	}
}

// folderHouse serves a folder of made notes, indexed.
func folderHouse(b *testing.B) (h *house, dir string) {
	b.Helper()
	dir = filepath.Join(b.TempDir(), "notes")
	unpackMade(b, dir, benchNotes)
	h = openHouse(b, sqldbtest.SQLite(b), func(r *rooms, owner string) {
		if err := r.mapFolder(b.Context(), owner, dir, true); err != nil {
			b.Fatal(err)
		}
	})
	b.Cleanup(func() { h.close(b) })
	h.ready(b)
	return h, dir
}

func (h *house) ready(b *testing.B) {
	b.Helper()
	eventually(b, "the index is ready", func() bool { return h.indexes.State(h.vault).State == index.Ready })
}

// call calls a tool over a connection that stays open, and takes the time.
func (h *house) call(b *testing.B, body []byte) (reply, time.Duration) {
	begin := time.Now()
	req, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		b.Error(err) // not Fatal: several goroutines call
		return reply{}, 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+h.token)
	resp, err := h.client.Do(req)
	if err != nil {
		b.Error(err)
		return reply{}, 0
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	took := time.Since(begin)
	r := parseReply(resp.StatusCode, text)
	if err != nil || r.Error || r.HTTP != http.StatusOK {
		b.Errorf("%s = %v, %v", body, r, err)
	}
	return r, took
}

// percentiles reports the median and the 99th percentile of what calls took.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[min(len(took)-1, len(took)*p/100)].Microseconds()) }
	b.ReportMetric(at(50), "p50-µs")
	b.ReportMetric(at(99), "p99-µs")
}

func BenchmarkSearchHTTP(b *testing.B) {
	h, dir := folderHouse(b)
	bodies := make([][]byte, len(searches))
	for i, q := range searches {
		bodies[i] = request("search_notes", q.args)
	}
	run := func(b *testing.B) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			_, d := h.call(b, bodies[i%len(bodies)])
			took = append(took, d)
		}
		percentiles(b, took)
	}
	b.Run("quiet", run)
	for i, q := range searches {
		b.Run("query="+q.name, func(b *testing.B) {
			for b.Loop() {
				h.call(b, bodies[i])
			}
		})
	}
	b.Run("writes=50", func(b *testing.B) {
		ctx, stop := context.WithCancel(b.Context())
		var wg sync.WaitGroup
		wg.Go(func() { scribble(ctx, b, dir) })
		run(b)
		stop()
		wg.Wait()
	})
}

// scribble saves fifty notes a second, as an editor would.
func scribble(ctx context.Context, b *testing.B, dir string) {
	tick := time.NewTicker(time.Second / 50)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			text := fmt.Sprintf("# Scribble\n\nA project plan, saved %d times, with a task that is due.\n", n)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("Scribble %d.md", n%200)), []byte(text), 0o644); err != nil {
				b.Error(err)
				return
			}
		}
	}
}

func BenchmarkReadHTTP(b *testing.B) {
	h, dir := folderHouse(b)
	var bodies [][]byte
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		if vault.Path(e.Name()).IsNote() {
			bodies = append(bodies, request("get_note_content", map[string]any{"path": e.Name()}))
		}
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		_, d := h.call(b, bodies[i%len(bodies)])
		took = append(took, d)
	}
	percentiles(b, took)
}

// BenchmarkAppendHTTP appends to hosted notes, each answer after the line is durable: one client after the other, and 32 at once, whose
// writes share commits.
func BenchmarkAppendHTTP(b *testing.B) {
	for _, db := range []struct {
		name string
		url  func(testing.TB) string
	}{{"sqlite", sqldbtest.SQLite}, {"postgres", sqldbtest.Postgres}} {
		for _, clients := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/clients=%d", db.name, clients), func(b *testing.B) {
				h := openHouse(b, db.url(b), func(r *rooms, owner string) {
					root, err := hosted.Create(b.Context(), r.db, r.now, func() string { return "bench" })
					if err != nil {
						b.Fatal(err)
					}
					if _, err := r.mappings.Create(b.Context(), mapping.NewMapping{Account: owner, Provider: mapping.Hosted, Root: root, Name: "Bench"}); err != nil {
						b.Fatal(err)
					}
				})
				defer h.close(b)
				h.appends(b, clients)
			})
		}
	}
}

func (h *house) appends(b *testing.B, clients int) {
	h.client.Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	var next atomic.Int64
	took := make([]time.Duration, b.N)
	var wg sync.WaitGroup
	b.ResetTimer()
	for client := range clients {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				r, d := h.call(b, request("create_or_append_note", map[string]any{
					"path": fmt.Sprintf("Log %d %d.md", client, i%10), "content": fmt.Sprintf("- line %d", i), "dryRun": false, "idempotencyKey": fmt.Sprintf("append-%d", i),
				}))
				if r.field("status") != "applied" {
					b.Errorf("append = %v", r)
				}
				took[i] = d
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	percentiles(b, took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

// BenchmarkStart starts on data that is there: how long until initialize is answered, until the first search is, and until the whole
// vault is indexed.
func BenchmarkStart(b *testing.B) {
	url := sqldbtest.SQLite(b)
	dir := filepath.Join(b.TempDir(), "notes")
	unpackMade(b, dir, benchNotes)
	openHouse(b, url, func(r *rooms, owner string) {
		if err := r.mapFolder(b.Context(), owner, dir, true); err != nil {
			b.Fatal(err)
		}
	}).close(b)
	initialize := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	search := request("search_notes", map[string]any{"query": "project plan"})
	var hello, first, whole time.Duration
	rounds := 0
	for b.Loop() {
		begin := time.Now()
		h := openHouse(b, url, nil)
		h.call(b, initialize)
		hello += time.Since(begin)
		h.call(b, search)
		first += time.Since(begin)
		h.ready(b)
		whole += time.Since(begin)
		rounds++
		b.StopTimer()
		h.close(b)
		b.StartTimer()
	}
	for name, d := range map[string]time.Duration{"initialize-ms": hello, "search-ms": first, "indexed-ms": whole} {
		b.ReportMetric(float64(d.Milliseconds())/float64(rounds), name)
	}
}
