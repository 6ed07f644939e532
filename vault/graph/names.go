package graph

import (
	"slices"

	"github.com/notelatch/notelatch/vault"
)

// Named are the files that a link may mean by a name: the last segment of its target, folded, with ".md" or without.
func (g *Graph) Named(name string) []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return paths(g.byName[name])
}

// Linking are the files that hold a link whose target's last segment, folded, is name.
func (g *Graph) Linking(name string) []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Compact(paths(g.linking[name]))
}

// Targets are the targets of the links out of a file, as they are looked up, each once. Links to the file itself are not among them.
func (g *Graph) Targets(p vault.Path) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	f := g.files[p]
	if f == nil {
		return nil
	}
	targets := make([]string, 0, len(f.links))
	for i := range f.links {
		if f.links[i].text != "" {
			targets = append(targets, f.links[i].text)
		}
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// Files are the files in a folder and below it, in order, or the one file at that path.
func (g *Graph) Files(folder vault.Path) []vault.Path {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var list []vault.Path
	for p := range g.files {
		if p.In(folder) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}
