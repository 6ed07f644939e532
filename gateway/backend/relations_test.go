package backend

import (
	"fmt"
	"math"
	"testing"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
)

// linked is a graph of one note with n links to notes that are not there, and a chain a → b → c → a.
func linked(n int) *graph.Graph {
	g := graph.New()
	links := make([]vault.Link, n)
	for i := range links {
		links[i] = vault.Link{Kind: vault.LinkWiki, Target: fmt.Sprintf("missing %d", i), Line: i + 1}
	}
	g.Put("many.md", nil, links)
	for from, to := range map[vault.Path]string{"a.md": "b", "b.md": "c", "c.md": "a"} {
		g.Put(from, nil, []vault.Link{{Kind: vault.LinkWiki, Target: to, Line: 1}})
	}
	return g
}

func walkOf(g *graph.Graph, r tools.RelationsRequest, most int) *walk {
	return &walk{graph: g, request: r, seen: make(map[edgeKey]bool), most: most}
}

func TestUnresolvedLinksAreCountedToTheLast(t *testing.T) {
	w := walkOf(linked(maxEdges+1), tools.RelationsRequest{Filter: "unresolved"}, math.MaxInt)
	w.take(w.graph.Unresolved())
	if len(w.edges) != maxEdges+1 || w.full {
		t.Errorf("%d links, full %v; want all %d", len(w.edges), w.full, maxEdges+1)
	}
}

func TestAWalkIsBounded(t *testing.T) {
	for n, want := range map[int]bool{maxEdges: false, maxEdges + 1: true} {
		w := walkOf(linked(n), tools.RelationsRequest{Direction: "both", Depth: 1}, maxEdges)
		if w.from("many.md"); len(w.edges) != maxEdges || w.full != want {
			t.Errorf("of %d links %d are collected, full %v; want %v", n, len(w.edges), w.full, want)
		}
	}
}

func TestAWalkEndsInACycleAndKeepsEachLinkOnce(t *testing.T) {
	for depth, want := range map[int]int{1: 2, 2: 3, 3: 3} {
		w := walkOf(linked(0), tools.RelationsRequest{Direction: "both", Depth: depth}, maxEdges)
		if w.from("a.md"); len(w.edges) != want {
			t.Errorf("depth %d: %d links, want %d: %+v", depth, len(w.edges), want, w.edges)
		}
	}
	w := walkOf(linked(0), tools.RelationsRequest{Direction: "outgoing", Depth: 1}, maxEdges)
	if w.from("a.md"); len(w.edges) != 1 || w.edges[0].To != "b.md" {
		t.Errorf("outgoing: %+v, want the link to b.md", w.edges)
	}
	w = walkOf(linked(0), tools.RelationsRequest{Direction: "both", Depth: 1, Kinds: []string{"embed"}}, maxEdges)
	if w.from("a.md"); len(w.edges) != 0 {
		t.Errorf("embeds alone: %+v, want none", w.edges)
	}
}

func TestContextOfIsTheLineOfALink(t *testing.T) {
	body := []byte("one\n  see [[A]] \u202e here\r\nlast\n")
	for line, want := range map[int]string{1: "one", 2: `see [[A]] \u{202e} here`, 9: ""} {
		if got := contextOf(body, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	if got := contextOf([]byte("ééé"+fmt.Sprintf("%0200d", 0)), 1); len(got) > maxContext+len("…") {
		t.Errorf("a long line is %d bytes", len(got))
	}
}
