package plan

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
)

// shownUpdates is how many link updates an outcome names.
const shownUpdates = 30

// relinker finds what links have to say once files have moved, so that they lead where they led. It resolves them in two small
// graphs, of the files that the links at hand may mean by their names: as they lie before, and afterwards.
type relinker struct {
	links         Links
	moves         map[vault.Path]vault.Path // from where to where
	before, after *graph.Graph
	known         map[string]bool         // names whose files are in the graphs
	arriving      map[string][]vault.Path // by name: where files move to
}

func newRelinker(links Links, moves map[vault.Path]vault.Path) *relinker {
	r := &relinker{links: links, moves: moves, before: graph.New(), after: graph.New(), known: make(map[string]bool), arriving: make(map[string][]vault.Path)}
	for _, to := range moves {
		for _, name := range names(to) {
			r.arriving[name] = append(r.arriving[name], to)
		}
	}
	return r
}

// moved is where the file at p lies afterwards.
func (r *relinker) moved(p vault.Path) vault.Path {
	if to, ok := r.moves[p]; ok {
		return to
	}
	return p
}

// know puts the files that may be meant by a target's name into the graphs.
func (r *relinker) know(target string) {
	name := lastName(target)
	if r.known[name] {
		return
	}
	r.known[name] = true
	for _, p := range r.links.Named(name) {
		r.before.PutFile(p)
		if _, leaves := r.moves[p]; !leaves {
			r.after.PutFile(p)
		}
	}
	for _, p := range r.arriving[name] {
		r.after.PutFile(p)
	}
}

// leads is where a link in the file at source has to lead, and whether its target says so afterwards. A link that led nowhere has to
// lead nowhere in particular.
func (r *relinker) leads(source vault.Path, target string) (to vault.Path, still bool) {
	r.know(target)
	was, _, ok := r.before.Resolve(source, target)
	if !ok {
		return "", true
	}
	to = r.moved(was)
	return to, r.says(r.moved(source), target, to) && !r.strays(source, was, target)
}

// strays reports whether a target would be no longer what it is: the whole path of a file that has moved, or the shortest way from the
// folder of a source that has.
func (r *relinker) strays(source, was vault.Path, target string) bool {
	if way := withoutNote(target); r.moved(was) != was && strings.Contains(way, "/") && vault.Fold(way) == vault.Fold(withoutNote(string(was))) {
		return true
	}
	from := r.moved(source)
	if from.Dir() == source.Dir() || !strings.HasPrefix(target, "../") && !strings.HasPrefix(target, "./") {
		return false
	}
	way := vault.Fold(withoutNote(strings.TrimPrefix(target, "./")))
	return way == vault.Fold(withoutNote(relativeTo(source.Dir(), string(was)))) &&
		way != vault.Fold(withoutNote(relativeTo(from.Dir(), string(r.moved(was)))))
}

// says reports whether a target in the file at source leads to a file, afterwards.
func (r *relinker) says(source vault.Path, target string, to vault.Path) bool {
	r.know(target)
	got, _, ok := r.after.Resolve(source, target)
	return ok && got == to
}

// sources are the files with links that have to be written anew.
func (r *relinker) sources() []vault.Path {
	var found []vault.Path
	seen := make(map[vault.Path]bool)
	look := func(p vault.Path) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, target := range r.links.Targets(p) {
			if _, still := r.leads(p, target); !still {
				found = append(found, p)
				return
			}
		}
	}
	for from, to := range r.moves {
		look(from)
		for _, name := range append(names(from), names(to)...) {
			for _, p := range r.links.Linking(name) {
				look(p)
			}
		}
	}
	slices.Sort(found)
	return found
}

// edits are the edits of the file at p, and what they are called. failed are links that cannot be written anew.
func (r *relinker) edits(p vault.Path, body []byte) (edits []vault.Edit, updates, failed []string) {
	done := make(map[int]bool)
	links := linksOf(p, body)
	whole := sync.OnceValue(func() bool { return r.wholePaths(p, links) })
	for _, l := range links {
		if l.External || l.Target == "" || l.TargetEnd > 0 && done[l.TargetStart] {
			continue
		}
		to, still := r.leads(p, l.Target)
		if still {
			continue
		}
		target := r.target(p, l, l.Kind == vault.LinkProperty || l.Wiki(body), to, whole)
		e, ok := l.Retarget(body, target)
		if !ok {
			failed = append(failed, fmt.Sprintf("%s:%d: %s", p, l.Line, vault.EscapeHidden(l.Target)))
			continue
		}
		done[l.TargetStart] = true
		edits = append(edits, e)
		updates = append(updates, fmt.Sprintf("%s:%d: %s → %s", p, l.Line, vault.EscapeHidden(l.Target), vault.EscapeHidden(target)))
	}
	return edits, updates, failed
}

// target is what a link in the file at source has to say to lead to a file, in the style in which it is written now: from the source's
// folder, as short as can be, or the whole path. What could be either of the last two goes by the other links of the file.
func (r *relinker) target(source vault.Path, l vault.Link, wiki bool, to vault.Path, whole func() bool) string {
	was, _, _ := r.before.Resolve(source, l.Target)
	from, ext := r.moved(source), ""
	if vault.Fold(path.Ext(l.Target)) == ".md" && was.IsNote() {
		ext = l.Target[len(l.Target)-len(".md"):]
	}
	full := spelledLike(string(to), l.Target, ext)
	relative := relativeTo(from.Dir(), full)
	switch {
	case l.Kind == vault.LinkCanvas && !l.InCard:
		return string(to)
	case strings.HasPrefix(l.Target, "/"):
		return "/" + full
	case strings.HasPrefix(l.Target, "./"):
		return "./" + relative
	case strings.HasPrefix(l.Target, "../"):
		if !strings.HasPrefix(relative, "../") && (wiki || !r.says(from, relative, to)) {
			return "./" + relative
		}
		return relative
	}
	var styles []string
	written := withoutNote(l.Target)
	switch {
	case !wiki && vault.Fold(written) == vault.Fold(withoutNote(relativeTo(source.Dir(), string(was)))) && source.Dir() != "":
		styles = append(styles, relative)
	case vault.Fold(written) == vault.Fold(withoutNote(string(was))) && whole():
	case vault.Fold(written) == vault.Fold(withoutNote(r.short(r.before, source, string(was), was))):
		styles = append(styles, r.short(r.after, from, full, to))
	case strings.Contains(written, "/") && vault.Fold(written) != vault.Fold(withoutNote(string(was))):
		styles = append(styles, lastSegments(full, strings.Count(written, "/")+1))
	}
	for _, s := range append(styles, full) {
		if strings.TrimSpace(s) == s && (strings.HasPrefix(s, "../") || r.says(from, s, to)) { // links hold no blanks at their ends
			return s
		}
	}
	if strings.TrimSpace(full) != full && to.IsNote() {
		return "/" + string(to)
	}
	return "/" + full
}

// wholePaths reports whether most of a file's links that say which say the whole path, where a shorter one would do.
func (r *relinker) wholePaths(source vault.Path, links []vault.Link) bool {
	whole, short := 0, 0
	for _, l := range links {
		if l.External || l.Target == "" || strings.HasPrefix(l.Target, ".") || strings.HasPrefix(l.Target, "/") {
			continue
		}
		r.know(l.Target)
		to, _, ok := r.before.Resolve(source, l.Target)
		if !ok || to.Dir() == "" {
			continue
		}
		switch written := vault.Fold(withoutNote(l.Target)); {
		case written != vault.Fold(withoutNote(string(to))):
			short++
		case written != vault.Fold(withoutNote(r.short(r.before, source, string(to), to))):
			whole++
		}
	}
	return whole > short
}

// short is the shortest end of a path that leads there.
func (r *relinker) short(g *graph.Graph, source vault.Path, full string, to vault.Path) string {
	for n := 1; n <= strings.Count(full, "/"); n++ {
		s := lastSegments(full, n)
		r.know(s)
		if got, _, ok := g.Resolve(source, s); ok && got == to {
			return s
		}
	}
	return full
}

func lastSegments(s string, n int) string {
	at := len(s)
	for range n {
		at = strings.LastIndexByte(s[:at], '/')
		if at < 0 {
			return s
		}
	}
	return s[at+1:]
}

// spelledLike is a path as a link says it: a note without ".md" but where ext is given, and its last segments as the link spells them as
// far as they are the same.
func spelledLike(to, written, ext string) string {
	name := withoutNote(to) + ext
	if !vault.Path(to).IsNote() {
		name = to
	}
	have, parts := strings.Split(written, "/"), strings.Split(name, "/")
	for i, j := len(have)-1, len(parts)-1; i >= 0 && j >= 0 && vault.Fold(have[i]) == vault.Fold(parts[j]); i, j = i-1, j-1 {
		parts[j] = have[i]
	}
	return strings.Join(parts, "/")
}

// withoutNote takes ".md" off.
func withoutNote(s string) string {
	if len(s) > len(".md") && vault.Fold(s[len(s)-len(".md"):]) == ".md" {
		return s[:len(s)-len(".md")]
	}
	return s
}

// relativeTo is how a path is reached from a folder.
func relativeTo(dir vault.Path, to string) string {
	if dir == "" {
		return to
	}
	from, parts := strings.Split(string(dir), "/"), strings.Split(to, "/")
	same := 0
	for same < len(from) && same < len(parts)-1 && vault.Fold(from[same]) == vault.Fold(parts[same]) {
		same++
	}
	return strings.Repeat("../", len(from)-same) + strings.Join(parts[same:], "/")
}

// otherDiffs adds to a step what becomes of notes beside its own.
type otherDiffs struct {
	step *ActionOutcome
}

func (o otherDiffs) add(p vault.Path, before, after []byte) {
	const most = 6 << 10
	text, cut := vault.Diff(before, after)
	if len(o.step.Diff)+len(text) > most {
		o.step.DiffTruncated = true
		return
	}
	o.step.Diff += "--- " + string(p) + "\n+++ " + string(p) + "\n" + text
	o.step.DiffTruncated = o.step.DiffTruncated || cut
}

// updated puts what happened to links into a step.
func (s *ActionOutcome) updated(updates, failed []string) {
	bounded := func(list []string) []string {
		if len(list) > shownUpdates {
			return append(slices.Clone(list[:shownUpdates]), fmt.Sprintf("and %d more", len(list)-shownUpdates))
		}
		return list
	}
	s.LinkUpdates = bounded(updates)
	for _, f := range bounded(failed) {
		s.Warnings = append(s.Warnings, "this link cannot be updated: "+f)
	}
}

// rewrite is what a note's links become.
type rewrite struct {
	note            *note
	edits           []vault.Edit
	updates, failed []string
}

// rewriteOf finds the rewrite of the note at p. A note that cannot be written keeps its links, and is warned of.
func (m *maker) rewriteOf(ctx context.Context, p vault.Path, edit func(p vault.Path, body []byte) (edits []vault.Edit, updates, failed []string)) (rewrite, error) {
	n, err := m.note(ctx, p)
	if err != nil || !n.exists {
		return rewrite{note: n}, err
	}
	w := rewrite{note: n}
	w.edits, w.updates, w.failed = edit(p, n.body)
	if err := writable(p, n.body); err != nil && len(w.edits) > 0 {
		w.failed = append(w.failed, fmt.Sprintf("%s: %d links: %s", p, len(w.edits), vault.AsError(err).Message))
		w.edits, w.updates = nil, nil
	}
	return w, nil
}

// apply writes the note, and shows it in a step.
func (w rewrite) apply(step *ActionOutcome) error {
	if len(w.edits) == 0 {
		return nil
	}
	before := w.note.body
	if err := w.note.write(vault.Splice(before, w.edits)); err != nil {
		return err
	}
	otherDiffs{step}.add(w.note.path, before, w.note.body)
	return nil
}
