package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// Links is what a plan asks of a vault beyond the notes that it reads. A name is the last segment of a link's target, folded by vault.Fold,
// with ".md" or without. A graph.Graph answers all but Tagged.
type Links interface {
	// Named are the files that a link may mean by a name.
	Named(name string) []vault.Path

	// Linking are the files that hold a link whose target ends with a name.
	Linking(name string) []vault.Path

	// Targets are the targets of the links out of a file, as they are looked up.
	Targets(p vault.Path) []string

	// Files are the files in a folder and below it, or the one file at that path.
	Files(folder vault.Path) []vault.Path

	// Tagged are the notes in a folder that have a tag, or one below it; more may be among them.
	Tagged(tag string, folder vault.Path) []vault.Path
}

// knownLinks are the vault's links as they stand after the actions so far.
func (m *maker) knownLinks(ctx context.Context, need bool) (Links, error) {
	if m.links == nil && m.Links != nil {
		var err error
		if m.links, err = m.Links(ctx); err != nil {
			return nil, err
		}
	}
	if m.links == nil {
		if need {
			return nil, vault.Errorf(vault.UnsupportedHere, "the links of this vault are not known here").
				Next("A note alone is moved, and a heading renamed, with updateLinks false.")
		}
		return nil, nil
	}
	return overlay{m.links, m}, nil
}

// overlay is Links, with what the transaction has done to them so far.
type overlay struct {
	Links
	m *maker
}

func (o overlay) Named(name string) []vault.Path {
	return o.with(o.Links.Named(name), func(n *note) bool { return slices.Contains(names(n.path), name) })
}

func (o overlay) Linking(name string) []vault.Path {
	return o.with(o.Links.Linking(name), func(n *note) bool {
		return slices.ContainsFunc(o.Targets(n.path), func(target string) bool { return lastName(target) == name })
	})
}

func (o overlay) Targets(p vault.Path) []string {
	n, ok := o.m.notes[p.Key()]
	if !ok || !n.touched() {
		return o.Links.Targets(p)
	}
	var targets []string
	for _, l := range linksOf(n.path, n.body) {
		if l.Target != "" && !l.External {
			targets = append(targets, l.Target)
		}
	}
	return targets
}

func (o overlay) Files(folder vault.Path) []vault.Path {
	return o.with(o.Links.Files(folder), func(n *note) bool { return n.path.In(folder) })
}

func (o overlay) Tagged(tag string, folder vault.Path) []vault.Path {
	return o.with(o.Links.Tagged(tag, folder), func(n *note) bool {
		return n.path.IsNote() && n.path.In(folder) && vault.HasTag(vault.Parse(n.path, n.body).Tags, tag)
	})
}

// with is list without the notes that are gone, and with those that are new or changed and fit.
func (o overlay) with(list []vault.Path, fits func(n *note) bool) []vault.Path {
	list = slices.DeleteFunc(slices.Clone(list), func(p vault.Path) bool {
		n, ok := o.m.notes[p.Key()]
		return ok && n.touched()
	})
	for _, n := range o.m.order {
		if n.exists && n.touched() && fits(n) {
			list = append(list, n.path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// names are what the last segment of a link may be to mean the file at p.
func names(p vault.Path) []string {
	base := vault.Fold(p.Base())
	if name, ok := strings.CutSuffix(base, ".md"); ok && name != "" {
		return []string{base, name}
	}
	return []string{base}
}

func lastName(target string) string {
	key := vault.Fold(target)
	return key[strings.LastIndexByte(key, '/')+1:]
}

// linksOf are the links out of a file.
func linksOf(p vault.Path, body []byte) []vault.Link {
	switch {
	case p.IsNote():
		return vault.Parse(p, body).Links
	case p.Ext() == ".canvas":
		if c, err := vault.ParseCanvas(body); err == nil {
			return c.Links(body)
		}
	}
	return nil
}
