package graph

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/notelatch/notelatch/vault"
)

// Resolve finds where a link in source leads. target is decoded and without subpath.
//
// An empty target is the source itself. "./" and "../" begin at the source's folder, "/" at the root, and must match exactly. Otherwise the file
// at that very path of the vault wins, then those whose path ends with the target: the one in the source's own folder, else the
// one with the shortest path, else the first. ".md" may be left out. Case and Unicode form do not matter, except between
// files that differ in nothing else. Aliases resolve nothing.
//
// others are the files that the target might have meant as well, the likeliest first.
func (g *Graph) Resolve(source vault.Path, target string) (to vault.Path, others []vault.Path, ok bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	f := g.resolve(source, target, vault.Fold(target))
	if f == nil {
		return "", nil, false
	}
	if target == "" || anchored(target) {
		return f.path, nil, true
	}
	for _, c := range g.candidates(clean(vault.Fold(target))) {
		if c != f {
			others = append(others, c.path)
		}
	}
	return f.path, others, true
}

// resolve is Resolve with a key that has been folded already. It does not allocate for plain names.
func (g *Graph) resolve(source vault.Path, text, key string) *file {
	switch {
	case key == "":
		return g.files[source]
	case strings.HasPrefix(key, "/"):
		return g.exactly(strings.TrimPrefix(text, "/"), clean(key[1:]))
	case anchored(key):
		joined := path.Join(g.dirKey(source), key)
		if joined == ".." || strings.HasPrefix(joined, "../") {
			return nil
		}
		return g.exactly(strings.TrimLeft(text, "./"), joined)
	}
	text, key = clean(text), clean(key)
	if f := g.exactly(text, key); f != nil {
		return f
	}
	list := g.byName[lastSegment(key)]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		if f := g.neighbour(list, source, text, key); f != nil {
			return f
		}
	}
	for i, f := range list {
		if f.endsWith(key) {
			return spelled(list[i:], text)
		}
	}
	return nil
}

// exactly finds the file at a path: a note before what is not a note.
func (g *Graph) exactly(text, key string) *file {
	if list := g.byNote[key]; len(list) > 0 {
		return spelled(list, text)
	}
	if list := g.byKey[key]; len(list) > 0 {
		return spelled(list, text)
	}
	return nil
}

// neighbour finds what the target means in the source's own folder, among the files of its name.
func (g *Graph) neighbour(list []*file, source vault.Path, text, key string) *file {
	dir := g.dirKey(source)
	if dir == "" {
		return nil // a file there has been found by its exact path
	}
	const few = 8
	if len(list) > few {
		f := g.exactly(text, dir+"/"+lastSegment(key))
		if f == nil || !f.endsWith(key) {
			return nil
		}
		return f
	}
	for i, f := range list {
		if len(f.key) > len(dir) && f.key[len(dir)] == '/' && f.key[:len(dir)] == dir && strings.IndexByte(f.key[len(dir)+1:], '/') < 0 && f.endsWith(key) {
			return spelled(list[i:], text)
		}
	}
	return nil
}

// dirKey is the folded folder of a source.
func (g *Graph) dirKey(source vault.Path) string {
	key := ""
	if f := g.files[source]; f != nil {
		key = f.key
	} else {
		key = source.Key()
	}
	return key[:max(0, strings.LastIndexByte(key, '/'))]
}

// spelled picks the first of list, or one that is as good but for its spelling and is spelled like the target.
func spelled(list []*file, text string) *file {
	first := list[0]
	if len(list) == 1 || list[1].length > first.length {
		return first
	}
	text = norm.NFC.String(text)
	for _, f := range list {
		if f.length > first.length {
			break
		}
		if f.key != first.key {
			continue
		}
		if p := norm.NFC.String(string(f.path)); strings.HasSuffix(p, text) || strings.HasSuffix(p, text+".md") {
			return f
		}
	}
	return first
}

// endsWith reports whether the file's path ends with the target, on a whole segment, with or without ".md".
func (f *file) endsWith(key string) bool {
	for _, tail := range [2]int{len(key), len(key) + len(".md")} {
		at := len(f.key) - tail
		if at < 0 || at > 0 && f.key[at-1] != '/' || f.key[at:at+len(key)] != key {
			continue
		}
		if tail == len(key) || f.key[at+len(key):] == ".md" {
			return true
		}
	}
	return false
}

// candidates are all files that a target may mean, the likeliest first, without regard to a source.
func (g *Graph) candidates(key string) []*file {
	var list []*file
	for _, f := range g.byName[lastSegment(key)] {
		if f.endsWith(key) {
			list = append(list, f)
		}
	}
	return list
}

// anchored reports whether a target says where to begin.
func anchored(target string) bool {
	return strings.HasPrefix(target, "/") || strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
}

// clean takes "." and ".." out of the middle of a target.
func clean(target string) string {
	if strings.Contains(target, "/./") || strings.Contains(target, "/../") {
		return path.Clean(target)
	}
	return target
}

// AliasCandidates are the notes that have target as an alias: what a link that leads nowhere may have meant.
func (g *Graph) AliasCandidates(target string) []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return paths(g.byAlias[vault.Fold(strings.TrimSpace(target))])
}

func paths(list []*file) []vault.Path {
	if len(list) == 0 {
		return nil
	}
	out := make([]vault.Path, len(list))
	for i, f := range list {
		out[i] = f.path
	}
	slices.Sort(out)
	return out
}
