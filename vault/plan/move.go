package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// move moves a file, or the files of a folder, and writes the links anew that would lead elsewhere.
func (m *maker) move(ctx context.Context, a Action, p vault.Path) (ActionOutcome, error) {
	to, err := vault.ParsePath(a.NewPath)
	switch {
	case err != nil:
		return ActionOutcome{}, vault.AsError(err).With("field", "newPath")
	case to.Hidden():
		return ActionOutcome{}, invalid("newPath", "the path %s is hidden: a name in it begins with a dot", to)
	case to.Key() == p.Key():
		return ActionOutcome{}, invalid("newPath", "the two paths differ in nothing but spelling: on many systems they are one file").
			Next("Move it to another name first, and from there to the name that you want.")
	}
	update := a.UpdateLinks == nil || *a.UpdateLinks
	links, err := m.knownLinks(ctx, update || !p.IsNote())
	if err != nil {
		return ActionOutcome{}, err
	}
	moves := map[vault.Path]vault.Path{p: to}
	if !p.IsNote() {
		if moves, err = folderMoves(links.Files(p), p, to); err != nil {
			return ActionOutcome{}, err
		}
	}
	step := ActionOutcome{Kind: Move, Path: p, NewPath: to, Effect: EffectMoved}
	if err := m.checkMoves(ctx, a, moves, &step); err != nil {
		return step, err
	}
	var rewrites []rewrite
	if update {
		relink := newRelinker(links, moves)
		sources := relink.sources()
		if n := len(sources) + 2*len(moves); n > MaxChanges+len(moves) { // moved notes may be among the sources
			return step, vault.Errorf(vault.TooManyActions, "the move would change %d notes, with those whose links are updated; a transaction may change %d", n, MaxChanges).
				Next("Send it with updateLinks false, or move the folder in parts.").With("limit", MaxChanges)
		}
		// All links are looked at before anything moves.
		for _, source := range sources {
			w, err := m.rewriteOf(ctx, source, relink.edits)
			if err != nil {
				return step, err
			}
			rewrites = append(rewrites, w)
		}
		step.Warnings = append(step.Warnings, relink.captured(moves)...)
	}
	return step, m.carry(moves, rewrites, &step)
}

// folderMoves are the moves of all files in a folder.
func folderMoves(files []vault.Path, p, to vault.Path) (map[vault.Path]vault.Path, error) {
	if len(files) == 0 {
		return nil, vault.Errorf(vault.NotFound, "there is no note and no folder at %s", p).
			Next("Look for it with search_notes; notes end in .md.").With("missing", "note")
	}
	single := slices.Contains(files, p)
	switch {
	case single && to.Ext() != p.Ext():
		return nil, invalid("newPath", "a file keeps its extension %s", p.Ext())
	case !single && to.In(p):
		return nil, invalid("newPath", "a folder cannot move into itself")
	case !single && to.IsNote():
		return nil, invalid("newPath", "a folder's name cannot end in .md: it would be taken for a note")
	}
	moves := make(map[vault.Path]vault.Path, len(files))
	for _, f := range files {
		moves[f] = to + f[len(p):]
		if _, err := vault.ParsePath(string(moves[f])); err != nil {
			return nil, vault.AsError(err).With("field", "newPath")
		}
	}
	return moves, nil
}

// checkMoves tells whether the files can move. It meets each new path before the old one, so that a note is written before it is deleted.
func (m *maker) checkMoves(ctx context.Context, a Action, moves map[vault.Path]vault.Path, step *ActionOutcome) error {
	order := slices.Sorted(maps.Keys(moves))
	for _, from := range order {
		to := moves[from]
		if to.IsNote() != from.IsNote() {
			return invalid("newPath", "the path %s is no note: it must end in .md", to)
		}
		target, err := m.note(ctx, to)
		if err != nil {
			return err
		}
		if target.exists {
			return vault.Errorf(vault.AlreadyExists, "there is a file at %s", to).
				Next("Choose another path, or move that file away first.").With("path", to)
		}
	}
	for _, from := range order {
		n, err := m.note(ctx, from)
		if err != nil {
			return err
		}
		if !n.exists {
			return missing(from, "It may have moved already; search_notes lists what is there.")
		}
		if len(n.body) > MaxNote {
			return vault.Errorf(vault.NoteTooLarge, "%s is %d bytes; a file that is moved here may have %d", from, len(n.body), MaxNote).With("limit", MaxNote)
		}
		if from == vault.Path(a.Path) {
			if err := a.checkRevision(n); err != nil {
				return err
			}
			step.before(n)
		}
	}
	return nil
}

// carry moves the files and updates links.
func (m *maker) carry(moves map[vault.Path]vault.Path, rewrites []rewrite, step *ActionOutcome) error {
	for _, from := range slices.Sorted(maps.Keys(moves)) {
		old, n := m.notes[from.Key()], m.notes[moves[from].Key()]
		n.body, n.exists = old.body, true
		old.body, old.exists = nil, false
	}
	var updates, failed []string
	for _, w := range rewrites {
		p := w.note.path
		if to, ok := moves[p]; ok {
			w.note = m.notes[to.Key()]
		}
		if err := w.apply(step); err != nil {
			return err
		}
		updates, failed = append(updates, w.updates...), append(failed, w.failed...)
	}
	step.updated(updates, failed)
	if n := m.notes[step.NewPath.Key()]; n != nil && n.exists {
		step.After = &State{SizeBytes: len(n.body)}
	}
	return nil
}

// captured warns of links that led nowhere and lead to a moved file now.
func (r *relinker) captured(moves map[vault.Path]vault.Path) []string {
	var from []string
	for _, to := range moves {
		for _, name := range names(to) {
			for _, p := range r.links.Linking(name) {
				for _, target := range r.links.Targets(p) {
					if lastName(target) != name {
						continue
					}
					if _, _, was := r.before.Resolve(p, target); !was && r.says(r.moved(p), target, to) && !slices.Contains(from, string(p)) {
						from = append(from, string(p))
					}
				}
			}
		}
	}
	if len(from) == 0 {
		return nil
	}
	slices.Sort(from)
	const most = 5
	more := ""
	if len(from) > most {
		from, more = from[:most], fmt.Sprintf(" and %d more", len(from)-most)
	}
	return []string{"links that led nowhere would lead to it: in " + strings.Join(from, ", ") + more}
}
