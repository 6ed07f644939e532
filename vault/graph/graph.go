// Package graph knows the names in a vault and the links between its files: where a link leads, what leads to a note, what leads nowhere.
//
// It resolves links when it is asked, not when they are put in: names are kept in the order in which ambiguity is settled, so that
// resolving costs less than keeping a million resolutions up to date while notes come and go. So the order of Put and Remove never
// matters, and one changed note costs what that note costs.
//
// It is pure and holds no note text beyond names and link texts.
package graph

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// Graph holds the names and links of one vault. Make one with New. It is safe for many readers and one writer at a time.
type Graph struct {
	mu      sync.RWMutex // guards everything below
	files   map[vault.Path]*file
	byKey   map[string][]*file // by Path.Key: several only where names differ by case or Unicode form alone
	byNote  map[string][]*file // the notes of byKey, by their key without ".md"
	byName  map[string][]*file // by each folded name that a link may use, in the order of preferred
	byAlias map[string][]*file // by folded alias
	linking map[string][]*file // by folded last segment of a link's target: the files that hold such links
}

// file is one file of the vault, with the links out of it.
type file struct {
	path    vault.Path
	key     string // folded path
	length  int    // of the path, in characters
	aliases []string
	links   []link
}

// link is a link as it is kept: without what can be computed.
type link struct {
	key      string // folded target
	text     string
	subpath  string
	relation string
	kind     vault.LinkKind
	line     int32
	inCard   bool
}

// New makes an empty graph.
func New() *Graph {
	return &Graph{
		files:   make(map[vault.Path]*file),
		byKey:   make(map[string][]*file),
		byNote:  make(map[string][]*file),
		byName:  make(map[string][]*file),
		byAlias: make(map[string][]*file),
		linking: make(map[string][]*file),
	}
}

// PutNote puts in what Parse found.
func (g *Graph) PutNote(n *vault.Note) { g.Put(n.Path, n.Aliases, n.Links) }

// PutFile puts in a file that holds no links: an attachment.
func (g *Graph) PutFile(p vault.Path) { g.Put(p, nil, nil) }

// Put puts in a file with its aliases and links, in place of what it held before. Links to the web are left out.
func (g *Graph) Put(p vault.Path, aliases []string, links []vault.Link) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.files[p]
	if f == nil {
		f = &file{path: p, key: p.Key(), length: utf8.RuneCountInString(string(p))}
		g.files[p] = f
		g.byKey[f.key] = insert(g.byKey[f.key], f)
		if note, ok := strings.CutSuffix(f.key, ".md"); ok {
			g.byNote[note] = insert(g.byNote[note], f)
		}
		for _, name := range f.names() {
			g.byName[name] = insert(g.byName[name], f)
		}
	} else {
		g.forget(f)
	}
	f.aliases = foldAll(aliases)
	for _, a := range f.aliases {
		g.byAlias[a] = insert(g.byAlias[a], f)
	}
	f.links = make([]link, 0, len(links))
	for _, l := range links {
		if l.External {
			continue
		}
		f.links = append(f.links, link{key: vault.Fold(l.Target), text: l.Target, subpath: l.Subpath, relation: l.Relation, kind: l.Kind, line: int32(l.Line), inCard: l.InCard})
	}
	for _, name := range f.targets() {
		g.linking[name] = append(g.linking[name], f)
	}
}

// Remove takes a file out. Links to it stay, and lead nowhere or to another file of its name.
func (g *Graph) Remove(p vault.Path) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.files[p]
	if f == nil {
		return
	}
	g.forget(f)
	delete(g.files, p)
	remove(g.byKey, f.key, f)
	remove(g.byNote, strings.TrimSuffix(f.key, ".md"), f)
	for _, name := range f.names() {
		remove(g.byName, name, f)
	}
}

// forget takes out a file's aliases and links.
func (g *Graph) forget(f *file) {
	for _, a := range f.aliases {
		remove(g.byAlias, a, f)
	}
	for _, name := range f.targets() {
		remove(g.linking, name, f)
	}
	f.aliases, f.links = nil, nil
}

// names are what a link's last segment may be to mean f: the name with its extension, and for notes without.
func (f *file) names() []string {
	base := lastSegment(f.key)
	if name := strings.TrimSuffix(base, ".md"); name != base && name != "" {
		return []string{base, name}
	}
	return []string{base}
}

// targets are the last segments of the links out of f, each once.
func (f *file) targets() []string {
	names := make([]string, 0, len(f.links))
	for _, l := range f.links {
		if l.key != "" {
			names = append(names, lastSegment(l.key))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// preferred orders files of one name: the shortest path wins, then the first.
func preferred(a, b *file) int {
	return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.path, b.path))
}

func insert(list []*file, f *file) []*file {
	i, found := slices.BinarySearchFunc(list, f, preferred)
	if found {
		return list
	}
	return slices.Insert(list, i, f)
}

func remove(index map[string][]*file, key string, f *file) {
	list := index[key]
	i := slices.Index(list, f)
	if i < 0 {
		return
	}
	if len(list) == 1 {
		delete(index, key)
		return
	}
	index[key] = slices.Delete(list, i, i+1)
}

func foldAll(names []string) []string {
	folded := make([]string, 0, len(names))
	for _, n := range names {
		if n = vault.Fold(strings.TrimSpace(n)); n != "" && !slices.Contains(folded, n) {
			folded = append(folded, n)
		}
	}
	return folded
}

func lastSegment(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// Len is the number of files.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.files)
}

// Has reports whether the graph holds a file at p, in this very spelling.
func (g *Graph) Has(p vault.Path) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.files[p] != nil
}

// Paths are all files, in order.
func (g *Graph) Paths() []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	paths := make([]vault.Path, 0, len(g.files))
	for p := range g.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}
