package graph

import (
	"cmp"
	"slices"

	"github.com/notelatch/notelatch/vault"
)

// Edge is one link, with where it leads.
type Edge struct {
	From, To vault.Path // To is "" when the link leads nowhere
	Kind     vault.LinkKind
	Text     string // the target as it is looked up; "" for the note itself
	Subpath  string // "#Heading", "#^block" or ""; whether there is one is not the graph's to know
	Relation string // see vault.Link
	Line     int
	Resolved bool
	Self     bool // leads from a file to itself
	InCard   bool // stands in the text of a canvas's card
}

// Outgoing are the links out of a file, in the order of its text.
func (g *Graph) Outgoing(p vault.Path) []Edge {
	g.mu.RLock()
	defer g.mu.RUnlock()
	f := g.files[p]
	if f == nil {
		return nil
	}
	edges := make([]Edge, len(f.links))
	for i := range f.links {
		edges[i] = f.edge(&f.links[i], g.resolve(p, f.links[i].text, f.links[i].key))
	}
	return edges
}

// Incoming are the links that lead to a file, by the path they come from and their order there. Links from the file itself are among
// them, and say so.
func (g *Graph) Incoming(p vault.Path) []Edge {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var edges []Edge
	g.incoming(p, func(from *file, l *link, to *file) bool {
		edges = append(edges, from.edge(l, to))
		return true
	})
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line)) })
	return edges
}

// incoming calls yield with each link that leads to p, until it returns false.
func (g *Graph) incoming(p vault.Path, yield func(from *file, l *link, to *file) bool) {
	f := g.files[p]
	if f == nil {
		return
	}
	for i := range f.links {
		if f.links[i].key == "" && !yield(f, &f.links[i], f) {
			return
		}
	}
	for _, name := range f.names() {
		for _, from := range g.linking[name] {
			for i := range from.links {
				l := &from.links[i]
				if l.key == "" || lastSegment(l.key) != name || g.resolve(from.path, l.text, l.key) != f {
					continue
				}
				if !yield(from, l, f) {
					return
				}
			}
		}
	}
}

// Backlinks counts the files, p apart, that link to p.
func (g *Graph) Backlinks(p vault.Path) int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	seen := make(map[*file]bool)
	g.incoming(p, func(from *file, _ *link, to *file) bool {
		if from != to {
			seen[from] = true
		}
		return true
	})
	return len(seen)
}

// Unresolved are all links that lead nowhere, by path and line.
func (g *Graph) Unresolved() []Edge {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var edges []Edge
	for p, f := range g.files {
		for i := range f.links {
			if l := &f.links[i]; g.resolve(p, l.text, l.key) == nil {
				edges = append(edges, f.edge(l, nil))
			}
		}
	}
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line)) })
	return edges
}

// Orphans are the notes that no link joins to another file, in either direction. Links that lead nowhere do not count.
func (g *Graph) Orphans() []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	joined := make(map[*file]bool, len(g.files))
	for p, f := range g.files {
		for i := range f.links {
			if to := g.resolve(p, f.links[i].text, f.links[i].key); to != nil && to != f {
				joined[f], joined[to] = true, true
			}
		}
	}
	var orphans []vault.Path
	for p, f := range g.files {
		if p.IsNote() && !joined[f] {
			orphans = append(orphans, p)
		}
	}
	slices.Sort(orphans)
	return orphans
}

func (f *file) edge(l *link, to *file) Edge {
	e := Edge{From: f.path, Kind: l.kind, Text: l.text, Subpath: l.subpath, Relation: l.relation, Line: int(l.line), Self: to == f, InCard: l.inCard}
	if to != nil {
		e.To, e.Resolved = to.path, true
	}
	return e
}
