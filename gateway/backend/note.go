package backend

import (
	"context"
	"errors"
	"strings"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/vault"
)

// Near names that a not_found lists.
const nearNames = 5

func (o *open) Note(ctx context.Context, ref string) (tools.NoteAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, wallTime)
	defer cancel()
	p, taken, err := o.find(ctx, ref)
	if err != nil {
		return tools.NoteAnswer{}, err
	}
	asOf := o.now().UTC()
	f, err := o.access.Vault.Read(ctx, p)
	if errors.Is(err, vault.NotFound) {
		return tools.NoteAnswer{}, o.missing(ctx, ref)
	}
	if err != nil {
		return tools.NoteAnswer{}, err
	}
	a := tools.NoteAnswer{File: f, Taken: taken, Freshness: tools.Freshness{Source: "live", AsOf: asOf}, Note: vault.Parse(f.Path, f.Body)}
	if p.IsNote() {
		a.Origin, err = o.origin(ctx, f)
	}
	return a, err
}

// find turns a reference into the path of a stored file. A path that is stored as written needs no index: only a reference that is not
// one asks it.
func (o *open) find(ctx context.Context, ref string) (p vault.Path, taken string, err error) {
	for _, try := range []string{ref, ref + ".md"} {
		p, err := vault.ParsePath(try)
		if err != nil || p.Hidden() || try == ref && p.Ext() == "" {
			continue
		}
		if fact, ok := o.index.Fact(p); ok {
			return fact.Entry.Path, taken, nil
		}
		if _, err := o.access.Vault.Read(ctx, p); err == nil {
			return p, "", nil
		} else if !errors.Is(err, vault.NotFound) {
			return "", "", err
		}
	}
	if _, err := vault.ParsePath(ref); err != nil {
		return "", "", err
	}
	if _, err := o.check(ctx); err != nil {
		return "", "", err
	}
	found, others, ok := o.index.Graph().Find(ref)
	switch {
	case !ok:
		return "", "", o.missing(ctx, ref)
	case len(others) > 0:
		return "", "", ambiguous(ref, append([]vault.Path{found}, others...))
	}
	return found, "read " + string(found), nil
}

func ambiguous(ref string, candidates []vault.Path) error {
	return vault.Errorf(vault.AmbiguousPath, "%q names %d notes", clip(ref), len(candidates)).
		With("candidates", candidates[:min(len(candidates), 20)]).
		Next("Call again with one of the paths in details.candidates.")
}

func (o *open) missing(ctx context.Context, ref string) error {
	e := vault.Errorf(vault.NotFound, "there is no note %q in this vault", clip(ref)).
		Next("Look for it with search_notes.")
	if _, err := o.check(ctx); err != nil {
		return e
	}
	if near := o.index.Graph().Near(ref, nearNames); len(near) > 0 {
		return e.With("near", near).Next("Did you mean " + string(near[0]) + "? Or look for it with search_notes.")
	}
	return e
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// origin tells whose text a note is. A note that an agent wrote to since it was made is an agent's until a person reviews it: nobody can
// tell which of its lines were whose, and an agent's text is never presented as the owner's.
func (o *open) origin(ctx context.Context, f vault.File) (tools.Origin, error) {
	list, err := o.events.List(ctx, o.access.Mapping.Account, string(o.access.Mapping.ID), events.Filter{Path: f.Path, Limit: originEvents})
	if err != nil {
		return tools.Origin{}, err
	}
	for _, e := range list {
		if e.Kind == events.NoteDeleted {
			break
		}
		if e.Door != doorOwner {
			return tools.Origin{By: "agent", Client: e.Client, At: e.At.UTC()}, nil
		}
	}
	// The same bytes under another name are the same text: somebody renamed or copied what an agent wrote.
	switch e, err := o.events.Stored(ctx, o.ID(), f.Revision); {
	case err == nil && e.Door != doorOwner && len(f.Body) > 0:
		return tools.Origin{By: "agent", Client: e.Client, At: e.At.UTC()}, nil
	case err != nil && !errors.Is(err, vault.NotFound):
		return tools.Origin{}, err
	}
	return tools.Origin{By: "owner", At: f.ModifiedAt.UTC()}, nil
}

// doorOwner is the door of commands that the owner gives on the server's own machine.
const doorOwner = "cli"

// originEvents is how far back the origin of a note is looked for.
const originEvents = 50
