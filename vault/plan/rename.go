package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/notelatch/notelatch/vault"
)

// renameHeading gives a heading another text, and the links to it.
func (m *maker) renameHeading(ctx context.Context, a Action, n *note) (ActionOutcome, error) {
	step := ActionOutcome{Kind: a.Kind, Path: n.path, Effect: EffectUnchanged}
	if !n.exists {
		return step, missing(n.path, "Look for it with search_notes.")
	}
	if err := a.checkRevision(n); err != nil {
		return step, err
	}
	update := a.UpdateLinks == nil || *a.UpdateLinks
	links, err := m.knownLinks(ctx, update)
	if err != nil {
		return step, err
	}
	before := n.body
	parsed := vault.Parse(n.path, before)
	edit, i, err := vault.RenameHeading(before, a.Heading, a.NewHeading)
	if err != nil {
		return step, err
	}
	step.before(n)
	name := edit.Text
	renamed := vault.Parse(n.path, vault.Splice(before, []vault.Edit{edit}))
	if found, ok := renamed.FindHeading(renamed.Headings[i].Text); !ok || found != i {
		step.Warnings = append(step.Warnings, "the note has another heading of that name: links to it by name alone lead to the first")
	}
	sub := func(r *relinker) func(p vault.Path, body []byte) ([]vault.Edit, []string, []string) {
		return func(p vault.Path, body []byte) (edits []vault.Edit, updates, failed []string) {
			for _, l := range linksOf(p, body) {
				if l.External || l.Subpath == "" || !r.meant(p, l.Target, n.path) {
					continue
				}
				to, ok := parsed.RenamedSubpath(l.Subpath, i, name)
				if !ok || to == l.Subpath {
					continue
				}
				e, ok := l.Resubpath(body, to)
				if !ok {
					failed = append(failed, fmt.Sprintf("%s:%d: %s", p, l.Line, vault.EscapeHidden(l.Target+l.Subpath)))
					continue
				}
				edits = append(edits, e)
				updates = append(updates, fmt.Sprintf("%s:%d: %s → %s", p, l.Line, vault.EscapeHidden(l.Target+l.Subpath), vault.EscapeHidden(l.Target+to)))
			}
			return edits, updates, failed
		}
	}
	var updates, failed []string
	own := []vault.Edit{edit}
	if update {
		r := newRelinker(links, nil)
		var edits []vault.Edit
		edits, updates, failed = sub(r)(n.path, before)
		for _, e := range edits {
			if e.End <= edit.Start || e.Start >= edit.End {
				own = append(own, e)
			}
		}
		for _, p := range r.linking(n.path) {
			if p == n.path {
				continue
			}
			w, err := m.rewriteOf(ctx, p, sub(r))
			if err != nil {
				return step, err
			}
			if err := w.apply(&step); err != nil {
				return step, err
			}
			updates, failed = append(updates, w.updates...), append(failed, w.failed...)
		}
	}
	if err := writable(n.path, before); err != nil {
		return step, err
	}
	if err := n.write(vault.Splice(before, own)); err != nil {
		return step, err
	}
	text, cut := vault.Diff(before, n.body)
	step.Diff, step.DiffTruncated = text+step.Diff, step.DiffTruncated || cut
	step.After = &State{SizeBytes: len(n.body)}
	if text != "" {
		step.Effect = EffectChanged
	}
	step.updated(updates, failed)
	return step, nil
}

// meant reports whether a target in the file at source leads to p.
func (r *relinker) meant(source vault.Path, target string, p vault.Path) bool {
	if target == "" {
		return source == p
	}
	r.know(target)
	got, _, ok := r.before.Resolve(source, target)
	return ok && got == p
}

// linking are the files with links that lead to p.
func (r *relinker) linking(p vault.Path) []vault.Path {
	var found []vault.Path
	for _, name := range names(p) {
		for _, source := range r.links.Linking(name) {
			if slices.ContainsFunc(r.links.Targets(source), func(target string) bool { return r.meant(source, target, p) }) {
				found = append(found, source)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// renameTag gives a tag another name in all notes that have it.
func (m *maker) renameTag(ctx context.Context, a Action) (ActionOutcome, error) {
	step := ActionOutcome{Kind: a.Kind, Effect: EffectUnchanged}
	folder, err := vault.ParseFolder(a.PathPrefix)
	if err != nil {
		return step, vault.AsError(err).With("field", "pathPrefix")
	}
	if _, _, err := vault.RenameTag(nil, a.Tag, a.NewTag); err != nil {
		return step, err
	}
	links, err := m.knownLinks(ctx, true)
	if err != nil {
		return step, err
	}
	notes := links.Tagged(a.Tag, folder)
	if len(notes) > MaxChanges {
		return step, vault.Errorf(vault.TooManyActions, "%d notes have the tag; a transaction may change %d", len(notes), MaxChanges).
			Next("Rename it folder by folder, with pathPrefix.").With("limit", MaxChanges)
	}
	changed := 0
	for _, p := range notes {
		n, err := m.note(ctx, p)
		if err != nil {
			return step, err
		}
		if !n.exists {
			continue
		}
		before := n.body
		if err := writable(p, before); err != nil {
			step.Warnings = append(step.Warnings, fmt.Sprintf("%s keeps the tag: %s", p, vault.AsError(err).Message))
			continue
		}
		after, count, err := vault.RenameTag(before, a.Tag, a.NewTag)
		switch {
		case err != nil:
			step.Warnings = append(step.Warnings, fmt.Sprintf("%s keeps the tag: %s", p, vault.AsError(err).Message))
			continue
		case count == 0:
			continue
		}
		if err := n.write(after); err != nil {
			return step, err
		}
		changed++
		otherDiffs{&step}.add(p, before, after)
	}
	if changed == 0 {
		return step, vault.Errorf(vault.NotFound, "no note has the tag #%s", a.Tag).
			Next("get_vault_schema lists the tags; search_notes finds notes with tag:.").With("missing", "tag")
	}
	step.Effect = EffectChanged
	return step, nil
}
