package plan

import (
	"slices"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
)

// shelfLinks are the links of a shelf.
type shelfLinks struct {
	*graph.Graph
	tags map[vault.Path][]string
}

func (s shelf) links() shelfLinks {
	l := shelfLinks{graph.New(), make(map[vault.Path][]string)}
	for p, body := range s {
		l.put(p, body)
	}
	return l
}

func (l shelfLinks) put(p vault.Path, body []byte) {
	if p.IsNote() {
		n := vault.Parse(p, body)
		l.PutNote(n)
		l.tags[p] = n.Tags
		return
	}
	l.Put(p, nil, linksOf(p, body))
}

func (l shelfLinks) remove(p vault.Path) {
	l.Remove(p)
	delete(l.tags, p)
}

func (l shelfLinks) Tagged(tag string, folder vault.Path) []vault.Path {
	var list []vault.Path
	for p, tags := range l.tags {
		if p.In(folder) && vault.HasTag(tags, tag) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}
