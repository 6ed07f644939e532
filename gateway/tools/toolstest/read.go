package toolstest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/search"
)

// session is a vault that one call opened.
type session struct {
	*Vault
	caller vault.Caller
}

func (s *session) fresh() tools.Freshness { return tools.Freshness{Source: "live", AsOf: s.b.now()} }

func (s *session) coverage() tools.Coverage {
	st := s.index.Stats()
	return tools.Coverage{Searched: st.Docs, Of: st.Docs, Encrypted: st.Encrypted}
}

// Search implements tools.Vault.
func (s *session) Search(ctx context.Context, r tools.SearchRequest) (tools.SearchAnswer, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	sorts := []string{"relevance", "modified", "created", "path", "title"}
	q := search.Query{
		Text: r.Text, PathPrefix: r.PathPrefix, Tags: r.Tags, Properties: r.Properties,
		Sort: search.Sort(max(slices.Index(sorts, r.Sort), 0)), Limit: r.Limit, Offset: r.Offset,
	}
	if !r.ModifiedAfter.IsZero() {
		q.ModifiedAfter = r.ModifiedAfter.UnixMilli()
	}
	page, err := s.index.Search(ctx, q, func(p vault.Path) ([]byte, error) {
		if f, ok := s.files[p]; ok {
			return f.Body, nil
		}
		return nil, errors.New("gone")
	})
	if err != nil {
		return tools.SearchAnswer{}, err
	}
	a := tools.SearchAnswer{
		Total: page.Total, Full: page.Full, TotalIsExact: page.TotalIsExact, More: r.Offset+len(page.Hits) < page.Total,
		Coverage: s.coverage(), Freshness: tools.Freshness{Source: "index", AsOf: s.b.now()},
		DidYouMean: page.DidYouMean, Missing: page.Missing, NoFilters: page.Parsed.Unknown, Folder: page.Folder,
		Blank: page.Parsed.Blank() && strings.TrimSpace(r.Text) != "",
	}
	for _, u := range page.Unmet {
		a.Unmet = append(a.Unmet, tools.Unmet(u))
	}
	for _, h := range page.Hits {
		f := s.files[h.Path]
		hit := tools.Hit{
			Path: h.Path, Title: h.Title, Score: h.Score, Partial: h.Partial, Tags: h.Tags, ModifiedAt: f.ModifiedAt, SizeBytes: f.Size,
			Revision: f.Revision, Problems: h.Problems,
		}
		for _, sn := range search.Snippets(f.Body, page.Parsed, 2) {
			hit.Snippets = append(hit.Snippets, tools.Snippet(sn))
		}
		a.Hits = append(a.Hits, hit)
	}
	return a, nil
}

// Note implements tools.Vault.
func (s *session) Note(_ context.Context, ref string) (tools.NoteAnswer, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.note(ref)
}

func (s *session) note(ref string) (tools.NoteAnswer, error) {
	p, others, ok := s.graph.Find(ref)
	if !ok {
		near := s.graph.Near(ref, 5)
		return tools.NoteAnswer{}, vault.Errorf(vault.NotFound, "there is no such note in this vault").
			With("missing", "note").With("near", near).Next("Use a path of details.near, or search_notes.")
	}
	if len(others) > 0 {
		return tools.NoteAnswer{}, vault.Errorf(vault.AmbiguousPath, "several notes go by this name").
			With("candidates", append([]vault.Path{p}, others...)).Next("Use one of details.candidates.")
	}
	f := s.files[p]
	if _, locked := vault.Encrypted(p, f.Body); locked {
		return tools.NoteAnswer{}, vault.Errorf(vault.EncryptedNote, "%s is encrypted and cannot be read here", p).
			Next("Read it on the device that holds its key.")
	}
	a := tools.NoteAnswer{File: f, Origin: tools.Origin{By: "owner", At: f.ModifiedAt}, Freshness: s.fresh()}
	if p.IsNote() {
		a.Note = vault.Parse(p, f.Body)
	}
	if string(p) != ref {
		a.Taken = "path was taken as " + string(p)
	}
	for _, e := range slices.Backward(s.events) {
		if e.Path == p {
			a.Origin = tools.Origin{By: "agent", Client: e.Client, At: e.At}
			break
		}
	}
	return a, nil
}

// Relations implements tools.Vault.
func (s *session) Relations(_ context.Context, r tools.RelationsRequest) (tools.RelationsAnswer, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	a := tools.RelationsAnswer{Coverage: s.coverage(), Freshness: s.fresh()}
	if r.Path == "" {
		return s.whole(a, r)
	}
	n, err := s.note(r.Path)
	if err != nil {
		return a, err
	}
	start := n.File.Path
	seen, edges := map[vault.Path]bool{start: true}, []tools.Edge(nil)
	for layer, depth := []vault.Path{start}, 0; depth < r.Depth && len(layer) > 0; depth++ {
		var next []vault.Path
		for _, p := range layer {
			for _, e := range s.around(p, r) {
				if !slices.ContainsFunc(edges, func(x tools.Edge) bool {
					return x.From == e.From && x.Line == e.Line && x.To == e.To && x.Text == e.Text
				}) {
					edges = append(edges, e)
				}
				for _, q := range []vault.Path{e.From, e.To} {
					if q != "" && !seen[q] {
						seen[q] = true
						next = append(next, q)
					}
				}
			}
		}
		layer = next
	}
	a.Total = len(edges)
	a.Edges, a.More = window(edges, r)
	a.Nodes = []tools.Node{s.node(start)}
	s.nodes(&a)
	return a, nil
}

// whole answers what spans the vault.
func (s *session) whole(a tools.RelationsAnswer, r tools.RelationsRequest) (tools.RelationsAnswer, error) {
	var edges []tools.Edge
	switch r.Filter {
	case "orphans":
		orphans := s.graph.Orphans()
		a.Total = len(orphans)
		orphans, a.More = window(orphans, r)
		for _, p := range orphans {
			a.Nodes = append(a.Nodes, s.node(p))
		}
		return a, nil
	case "unresolved":
		for _, e := range s.graph.Unresolved() {
			if r.Kinds == nil || slices.Contains(r.Kinds, string(e.Kind)) {
				edges = append(edges, s.edge(e))
			}
		}
	default:
		for _, p := range slices.Sorted(maps.Keys(s.files)) {
			r.Direction = "outgoing"
			edges = append(edges, s.around(p, r)...)
		}
	}
	a.Total = len(edges)
	a.Edges, a.More = window(edges, r)
	s.nodes(&a)
	return a, nil
}

// nodes adds the ends of the edges that are not there yet.
func (s *session) nodes(a *tools.RelationsAnswer) {
	for _, e := range a.Edges {
		for _, p := range []vault.Path{e.From, e.To} {
			if p != "" && !slices.ContainsFunc(a.Nodes, func(n tools.Node) bool { return n.Path == p }) {
				a.Nodes = append(a.Nodes, s.node(p))
			}
		}
	}
}

// around is the wanted edges of one file.
func (s *session) around(p vault.Path, r tools.RelationsRequest) []tools.Edge {
	var edges []tools.Edge
	if r.Direction != "incoming" {
		for _, e := range s.graph.Outgoing(p) {
			edges = append(edges, s.edge(e))
		}
	}
	if r.Direction != "outgoing" {
		for _, e := range s.graph.Incoming(p) {
			if !e.Self || r.Direction == "incoming" {
				edges = append(edges, s.edge(e))
			}
		}
	}
	return slices.DeleteFunc(edges, func(e tools.Edge) bool {
		return r.Kinds != nil && !slices.Contains(r.Kinds, e.Kind) || r.Filter == "unresolved" && e.Resolved
	})
}

func (s *session) edge(e graph.Edge) tools.Edge {
	const most = 200
	out := tools.Edge{
		From: e.From, To: e.To, Kind: string(e.Kind), Text: e.Text, Subpath: e.Subpath, Relation: e.Relation,
		Resolved: e.Resolved, Self: e.Self, Line: e.Line,
	}
	if e.InCard {
		out.Via = tools.ViaCanvasText
	}
	lines := bytes.SplitN(s.files[e.From].Body, []byte{'\n'}, e.Line+1)
	if e.Line >= 1 && e.Line <= len(lines) {
		line := strings.TrimSpace(string(lines[e.Line-1]))
		out.Context = vault.EscapeHidden(strings.ToValidUTF8(line[:min(len(line), most)], ""))
	}
	return out
}

func (s *session) node(p vault.Path) tools.Node {
	f, ok := s.files[p]
	n := tools.Node{Path: p, Title: p.Name(), Exists: ok}
	if ok && p.IsNote() {
		n.Title = vault.EscapeHidden(vault.Parse(p, f.Body).Title)
	}
	return n
}

func window[T any](list []T, r tools.RelationsRequest) ([]T, bool) {
	start := min(r.Offset, len(list))
	end := min(start+r.Limit, len(list))
	return list[start:end], end < len(list)
}
