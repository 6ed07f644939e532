package backend

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
)

// Bounds of one relations call.
const (
	maxEdges   = 5000 // collected before the page is cut
	maxContext = 160  // bytes of the line around a link
)

func (o *open) Relations(ctx context.Context, r tools.RelationsRequest) (tools.RelationsAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, wallTime)
	defer cancel()
	fresh, err := o.check(ctx)
	if err != nil {
		return tools.RelationsAnswer{}, err
	}
	a := tools.RelationsAnswer{Coverage: o.coverage(), Freshness: fresh}
	w := walk{graph: o.index.Graph(), request: r, seen: make(map[edgeKey]bool), most: maxEdges}
	switch {
	case r.Filter == "orphans":
		o.orphans(&a, r)
		return a, nil
	case r.Path != "":
		p, _, err := o.find(ctx, r.Path)
		if err != nil {
			return tools.RelationsAnswer{}, err
		}
		w.from(p)
		a.Nodes = append(a.Nodes, o.node(p))
	case r.Filter == "unresolved":
		w.most = math.MaxInt // they are all known: their number is the answer's total
		w.take(w.graph.Unresolved())
	default:
		return tools.RelationsAnswer{}, vault.Errorf(vault.InvalidArgument, "without a path, filter must be orphans or unresolved").
			Next("Give path, or filter: \"unresolved\".")
	}
	if w.full {
		a.Bounds = append(a.Bounds, tools.Bound{Limit: "links collected", Value: maxEdges})
	}
	a.Total = len(w.edges)
	page := w.edges[min(r.Offset, len(w.edges)):]
	a.More = len(page) > r.Limit
	o.show(ctx, &a, page[:min(len(page), r.Limit)])
	return a, nil
}

func (o *open) orphans(a *tools.RelationsAnswer, r tools.RelationsRequest) {
	all := o.index.Graph().Orphans()
	if r.Path != "" {
		all = slices.DeleteFunc(all, func(p vault.Path) bool { return !p.In(vault.Path(strings.Trim(r.Path, "/"))) })
	}
	a.Total = len(all)
	page := all[min(r.Offset, len(all)):]
	a.More = len(page) > r.Limit
	for _, p := range page[:min(len(page), r.Limit)] {
		a.Nodes = append(a.Nodes, o.node(p))
	}
}

func (o *open) node(p vault.Path) tools.Node {
	f, ok := o.index.Fact(p)
	if !ok {
		return tools.Node{Path: p, Title: vault.EscapeHidden(p.Name())}
	}
	return tools.Node{Path: p, Title: f.Title, Exists: true}
}

// show makes edges of a page readable: titles of both ends, and the line that holds the link, from the note as it is stored now.
func (o *open) show(ctx context.Context, a *tools.RelationsAnswer, page []graph.Edge) {
	nodes := make(map[vault.Path]bool, len(a.Nodes))
	for _, n := range a.Nodes {
		nodes[n.Path] = true
	}
	bodies := make(map[vault.Path][]byte)
	for _, e := range page {
		for _, p := range []vault.Path{e.From, e.To} {
			if p != "" && !nodes[p] {
				nodes[p] = true
				a.Nodes = append(a.Nodes, o.node(p))
			}
		}
		body, ok := bodies[e.From]
		if !ok {
			if f, err := o.access.Vault.Read(ctx, e.From); err == nil {
				body = f.Body
			}
			bodies[e.From] = body
		}
		out := tools.Edge{
			From: e.From, To: e.To, Kind: string(e.Kind), Text: vault.EscapeHidden(e.Text), Subpath: e.Subpath, Relation: e.Relation,
			Resolved: e.Resolved, Self: e.Self, Line: e.Line, Context: contextOf(body, e.Line),
		}
		if e.InCard {
			out.Via = tools.ViaCanvasText
		}
		if !e.Resolved {
			out.AliasCandidates = o.index.Graph().AliasCandidates(e.Text)
		}
		a.Edges = append(a.Edges, out)
	}
}

// contextOf is a line of a body, cut to maxContext bytes, with hidden characters escaped.
func contextOf(body []byte, line int) string {
	for ; line > 1; line-- {
		i := bytes.IndexByte(body, '\n')
		if i < 0 {
			return ""
		}
		body = body[i+1:]
	}
	if i := bytes.IndexByte(body, '\n'); i >= 0 {
		body = body[:i]
	}
	text := bytes.TrimSpace(body)
	if len(text) > maxContext {
		text = text[:maxContext]
		for len(text) > 0 && !utf8.Valid(text[max(0, len(text)-utf8.UTFMax):]) {
			text = text[:len(text)-1]
		}
		return vault.EscapeHidden(strings.ToValidUTF8(string(text), "")) + "…"
	}
	return vault.EscapeHidden(strings.ToValidUTF8(string(text), ""))
}

// walk collects the edges within a number of steps, each once, the nearest first.
type walk struct {
	graph   *graph.Graph
	request tools.RelationsRequest
	seen    map[edgeKey]bool
	edges   []graph.Edge
	most    int
	full    bool
}

// edgeKey is what makes two edges one: they are found from both ends.
type edgeKey struct {
	from          vault.Path
	line          int
	text, subpath string
	kind          vault.LinkKind
}

func (w *walk) from(p vault.Path) {
	visited := map[vault.Path]bool{p: true}
	ring := []vault.Path{p}
	for range max(1, w.request.Depth) {
		var next []vault.Path
		for _, p := range ring {
			var edges []graph.Edge
			if w.request.Direction != "incoming" {
				edges = append(edges, w.graph.Outgoing(p)...)
			}
			if w.request.Direction != "outgoing" {
				edges = append(edges, w.graph.Incoming(p)...)
			}
			w.take(edges)
			for _, e := range edges {
				for _, end := range []vault.Path{e.From, e.To} {
					if end != "" && !visited[end] && w.kind(e) {
						visited[end] = true
						next = append(next, end)
					}
				}
			}
			if w.full {
				return
			}
		}
		ring = next
	}
}

func (w *walk) take(edges []graph.Edge) {
	for _, e := range edges {
		key := edgeKey{e.From, e.Line, e.Text, e.Subpath, e.Kind}
		if w.seen[key] || !w.kind(e) || w.request.Filter == "unresolved" && e.Resolved {
			continue
		}
		if len(w.edges) == w.most {
			w.full = true
			return
		}
		w.seen[key] = true
		w.edges = append(w.edges, e)
	}
}

func (w *walk) kind(e graph.Edge) bool {
	return len(w.request.Kinds) == 0 || slices.Contains(w.request.Kinds, string(e.Kind))
}
