package plan

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// largeNote is the size above which a preview warns.
const largeNote = 256 << 10

// plan does one action on what the ones before it left.
func (m *maker) plan(ctx context.Context, a Action) (ActionOutcome, error) {
	p, err := a.check()
	if err != nil {
		return ActionOutcome{}, err
	}
	switch a.Kind {
	case Move:
		return m.move(ctx, a, p)
	case RenameTag:
		return m.renameTag(ctx, a)
	}
	n, err := m.note(ctx, p)
	if err != nil {
		return ActionOutcome{}, err
	}
	if a.Kind == RenameHeading {
		return m.renameHeading(ctx, a, n)
	}
	return m.change(a, n)
}

// change does an action on one note.
func (m *maker) change(a Action, n *note) (ActionOutcome, error) {
	if err := a.checkRevision(n); err != nil {
		return ActionOutcome{}, err
	}
	before, existed := n.body, n.exists
	step := ActionOutcome{Kind: a.Kind, Path: n.path, Effect: EffectUnchanged}
	step.before(n)
	if err := m.apply(a, n, &step); err != nil {
		return ActionOutcome{}, err
	}
	switch {
	case !n.exists:
		step.Effect = EffectDeleted
	case !existed:
		step.Effect = EffectCreated
	case !bytes.Equal(before, n.body):
		step.Effect = EffectChanged
	}
	if n.exists {
		step.After = &State{SizeBytes: len(n.body)}
		step.Warnings = append(step.Warnings, warnings(n.path, before, n.body)...)
	}
	step.Diff, step.DiffTruncated = vault.Diff(before, n.body)
	return step, nil
}

// before notes the state of n.
func (s *ActionOutcome) before(n *note) {
	if !n.exists {
		return
	}
	s.Before = &State{SizeBytes: len(n.body)}
	if n.stored != nil && bytes.Equal(n.body, n.stored.Body) {
		s.Before.Revision = n.stored.Revision
	}
}

// apply changes n as a says, and nothing else.
func (m *maker) apply(a Action, n *note, step *ActionOutcome) error {
	if a.Kind == Delete {
		if !n.exists {
			return missing(n.path, "It may be gone already; search_notes lists what is there.")
		}
		n.body, n.exists = nil, false
		return nil
	}
	if n.exists {
		if err := writable(n.path, n.body); err != nil {
			return err
		}
	}
	var (
		body []byte
		err  error
	)
	switch {
	case a.Kind == Create && n.exists:
		return vault.Errorf(vault.AlreadyExists, "there is a note at %s", n.path).
			Next("Use append to add to it, replace with its revision to overwrite it, or another path.")
	case !n.exists && (a.Kind == EditText || a.Kind == SetProperties || a.Kind == Task):
		return missing(n.path, "Look for it with search_notes.")
	case a.Kind == Replace && !n.exists:
		return missing(n.path, "Use create for a new note.")
	case a.Kind == Append && !n.exists:
		return missing(n.path, "Use create_or_append to add to a note that may not exist yet.")
	case a.Kind == Replace:
		body = []byte(a.content())
		if !a.AllowShrink && vault.Shrinks(n.body, body) {
			return vault.Errorf(vault.ContentShrinks, "the note would shrink from %d to %d bytes", len(n.body), len(body)).
				Next("If more than half of the note shall go, send allowShrink: true; if not, send the whole new text.").
				With("before", len(n.body)).With("after", len(body))
		}
	case a.Kind == EditText:
		body, err = edited(n.body, a.Edits)
	case a.Kind == SetProperties:
		body, err = vault.SetProperties(n.body, a.Set, a.Unset)
	case a.Kind == Task:
		body, err = m.task(a, n.body, step)
	case n.exists:
		body, err = vault.Append(n.body, a.content(), vault.Place{Heading: a.Heading, Start: a.Prepend})
		if len(a.Properties) > 0 {
			step.Warnings = append(step.Warnings, "the note exists, so the properties were not used: they are for a new note")
		}
	default:
		body, err = vault.NewNote(a.Properties, underHeading(a.Heading, a.content()))
	}
	if err != nil {
		return err
	}
	return n.write(body)
}

// write makes body the text of the note, if notes may be like that.
func (n *note) write(body []byte) error {
	if len(body) > MaxNote {
		return vault.Errorf(vault.NoteTooLarge, "the note would be %d bytes; a note that is written may have %d", len(body), MaxNote).
			Next("Split the text over several notes.").With("limit", MaxNote)
	}
	if err := writable(n.path, body); err != nil {
		return err
	}
	n.body, n.exists = body, true
	return nil
}

// edited makes edits, each of which means the note as it is: all of them, or none.
func edited(note []byte, list []Edit) ([]byte, error) {
	spans := make([]vault.Edit, len(list))
	for i, e := range list {
		var err error
		switch {
		case e.Heading != "":
			spans[i], err = vault.SectionEdit(note, e.Heading, e.Replace)
		case e.BlockID != "":
			spans[i], err = vault.BlockEdit(note, e.BlockID, e.Replace)
		case e.Lines != "":
			spans[i], err = vault.LinesEdit(note, e.Lines, e.Replace)
		default:
			spans[i], err = vault.FindEdit(note, e.Find, e.Replace, e.Occurrence)
		}
		if err != nil {
			return nil, vault.AsError(err).With("edit", i)
		}
		for j, other := range spans[:i] {
			if other.Start < spans[i].End && spans[i].Start < other.End || other.Start == spans[i].Start {
				return nil, invalid("edits", "the edits %d and %d touch the same text", j, i).Next("Make one edit of the two.").With("edit", i)
			}
		}
	}
	return vault.Splice(note, spans), nil
}

// task changes one task.
func (m *maker) task(a Action, note []byte, step *ActionOutcome) ([]byte, error) {
	t, err := vault.FindTask(note, a.Line, a.BlockID)
	if err != nil {
		return nil, err
	}
	c := vault.TaskChange{Text: a.Text, Today: m.Today}
	if a.Status != "" {
		status, ok := vault.ParseTaskStatus(a.Status)
		if !ok {
			return nil, invalid("status", "%.40q is no status of a task", a.Status).
				Next("Use todo, done, in_progress, cancelled, or the character between the brackets.")
		}
		c.Status = &status
	}
	e, warnings, err := vault.ChangeTask(note, t, c)
	if err != nil {
		return nil, err
	}
	step.Warnings = append(step.Warnings, warnings...)
	return vault.Splice(note, []vault.Edit{e}), nil
}

// underHeading puts the text of a new note below the heading that it was to be added to.
func underHeading(heading, text string) string {
	heading = strings.TrimLeft(heading, "# \t")
	if heading == "" {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(heading, " > ") {
		fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", min(i+2, 6)), part)
	}
	return b.String() + text
}

func missing(p vault.Path, next string) error {
	return vault.Errorf(vault.NotFound, "there is no note at %s", p).Next(next).With("missing", "note")
}

// writable refuses what a text edit would spoil.
func writable(p vault.Path, body []byte) error {
	if format, ok := vault.Encrypted(p, body); ok {
		return vault.Errorf(vault.EncryptedNote, "%s is encrypted (%s) and cannot be changed here", p, format).
			Next("Change it on the device that holds its key. It can be deleted.").With("format", format)
	}
	switch {
	case bytes.IndexByte(body, 0) >= 0:
		return vault.Errorf(vault.UnsupportedEncoding, "%s would hold NUL bytes, or does already; notes are text", p).
			Next("Leave NUL characters out. A note that holds them can only be deleted here.")
	case !utf8.Valid(body):
		return vault.Errorf(vault.UnsupportedEncoding, "%s is not valid UTF-8", p).
			Next("Save it as UTF-8 in an editor first. It can be deleted.")
	}
	return nil
}

// warnings are what a person should know before such a change.
func warnings(p vault.Path, before, after []byte) []string {
	if bytes.Equal(before, after) {
		return nil
	}
	var out []string
	had := make(map[string]bool)
	for _, problem := range vault.Parse(p, before).Problems {
		had[problem.Code] = true
	}
	for _, problem := range vault.Parse(p, after).Problems {
		switch {
		case had[problem.Code]:
		case problem.Code == vault.ProblemFrontmatter:
			out = append(out, fmt.Sprintf("the frontmatter would not parse: line %d: %s", problem.Line, problem.Message))
		case problem.Code == vault.ProblemHidden:
			out = append(out, fmt.Sprintf("the text holds hidden characters: line %d: %s", problem.Line, problem.Message))
		case problem.Code == vault.ProblemName:
			out = append(out, problem.Message)
		}
	}
	if len(after) > largeNote && len(before) <= largeNote {
		out = append(out, fmt.Sprintf("the note would be large: %d bytes", len(after)))
	}
	return out
}
