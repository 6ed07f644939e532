package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

func (a Action) content() string {
	if a.Content == nil {
		return ""
	}
	return *a.Content
}

// form is what a kind of action takes.
type form struct {
	needs string // names of fields, with spaces between
	takes string
	free  bool // needs no note: path may be missing, or name a folder
}

var forms = map[Kind]form{
	Create:         {takes: "content properties"},
	Append:         {needs: "content", takes: "heading prepend"},
	CreateOrAppend: {needs: "content", takes: "heading prepend properties"},
	Replace:        {needs: "content", takes: "allowShrink"},
	EditText:       {needs: "edits"},
	SetProperties:  {takes: "set unset"},
	Task:           {takes: "line blockId status text"},
	Move:           {needs: "newPath", takes: "updateLinks", free: true},
	RenameHeading:  {needs: "heading newHeading", takes: "updateLinks"},
	RenameTag:      {needs: "tag newTag", takes: "pathPrefix", free: true},
	Delete:         {},
}

// fields are the fields that are given, kind, path and expectedRevision apart.
func (a Action) fields() []string {
	var out []string
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"content", a.Content != nil}, {"heading", a.Heading != ""}, {"prepend", a.Prepend}, {"properties", len(a.Properties) > 0},
		{"edits", len(a.Edits) > 0}, {"set", len(a.Set) > 0}, {"unset", len(a.Unset) > 0}, {"line", a.Line != 0}, {"blockId", a.BlockID != ""},
		{"status", a.Status != ""}, {"text", a.Text != nil}, {"newPath", a.NewPath != ""}, {"updateLinks", a.UpdateLinks != nil},
		{"newHeading", a.NewHeading != ""}, {"tag", a.Tag != ""}, {"newTag", a.NewTag != ""}, {"pathPrefix", a.PathPrefix != ""},
		{"allowShrink", a.AllowShrink},
	} {
		if f.given {
			out = append(out, f.name)
		}
	}
	return out
}

// check tells whether the action makes sense by itself, and returns its path.
func (a Action) check() (vault.Path, error) {
	f, ok := forms[a.Kind]
	names := make([]string, 0, len(forms))
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	use := "Use one of: " + strings.Join(names, ", ") + "."
	switch {
	case a.Kind == "":
		return "", invalid("kind", "the action has no kind").Next(use)
	case !ok:
		return "", invalid("kind", "%.40q is no kind of action", string(a.Kind)).Next(use)
	}
	p, err := a.checkPath(f)
	if err != nil {
		return "", err
	}
	given := a.fields()
	for _, name := range strings.Fields(f.needs) {
		if !slices.Contains(given, name) {
			return "", invalid(name, "%s needs %s", a.Kind, name)
		}
	}
	takes := strings.Fields(f.needs + " " + f.takes)
	for _, name := range given {
		if !slices.Contains(takes, name) {
			return "", invalid(name, "%s takes no %s", a.Kind, name).Next("Leave it out; " + string(a.Kind) + " takes: " + strings.Join(takes, ", ") + ".")
		}
	}
	return p, a.checkMore()
}

// checkMore is what the kinds ask beyond their fields.
func (a Action) checkMore() error {
	switch {
	case a.Kind == Create && a.Content == nil && len(a.Properties) == 0:
		return invalid("content", "create needs content or properties")
	case a.Kind == SetProperties && len(a.Set) == 0 && len(a.Unset) == 0:
		return invalid("set", "set_properties needs set or unset")
	case a.Kind == Task && (a.Line == 0) == (a.BlockID == ""):
		return invalid("line", "task needs either the line or the blockId of the task")
	case a.Kind == Task && a.Status == "" && a.Text == nil:
		return invalid("status", "task needs status or text")
	case a.Kind == RenameTag && a.ExpectedRevision != "":
		return invalid("expectedRevision", "rename_tag takes no expectedRevision: it is about many notes")
	}
	for _, e := range a.Edits {
		n := 0
		for _, place := range []string{e.Find, e.Heading, e.BlockID, e.Lines} {
			if place != "" {
				n++
			}
		}
		if n != 1 || e.Occurrence != 0 && e.Find == "" {
			return invalid("edits", "an edit needs exactly one of find, heading, blockId and lines; occurrence belongs to find")
		}
	}
	return nil
}

func (a Action) checkPath(f form) (vault.Path, error) {
	if a.Kind == RenameTag {
		if a.Path != "" {
			return "", invalid("path", "rename_tag takes no path").Next("Limit it to a folder with pathPrefix.")
		}
		return "", nil
	}
	p, err := vault.ParsePath(a.Path)
	if err != nil {
		return "", err
	}
	switch {
	case p.Hidden():
		return "", invalid("path", "the path %s is hidden: a name in it begins with a dot", p).
			Next("Notes live outside of hidden folders; choose another path.")
	case !f.free && !p.IsNote():
		suggestion := string(p) + ".md"
		if ext := path.Ext(p.Base()); ext != "" && ext != p.Base() {
			suggestion = string(p[:len(p)-len(ext)]) + ".md"
		}
		return "", invalid("path", "the path %s is no note: it must end in .md", p).Next("Use \"" + suggestion + "\".")
	}
	return p, nil
}

// guarded reports whether the action overwrites or takes away what somebody wrote, at a place that the caller remembers from a
// revision.
func (a Action) guarded() bool {
	switch a.Kind {
	case Replace, Delete, Move:
		return true
	case EditText:
		return slices.ContainsFunc(a.Edits, func(e Edit) bool { return e.Find == "" })
	}
	return false
}

func invalid(field, format string, args ...any) *vault.Error {
	return vault.Errorf(vault.InvalidArgument, format, args...).With("field", field)
}

// checkRevision holds the action to the revision that it expects, which means the state before the transaction. One that overwrites
// or deletes what somebody wrote must name it.
func (a Action) checkRevision(n *note) error {
	var current vault.Revision
	if n.stored != nil {
		current = n.stored.Revision
	}
	switch {
	case a.ExpectedRevision == "":
		if a.guarded() && current != "" {
			return invalid("expectedRevision", "%s needs expectedRevision, the revision of the note that you read", a.Kind).
				Next("Read the note with get_note_content, look at what it says now, and send its revision.")
		}
	case a.ExpectedRevision != current:
		if current == "" && a.Kind != Create && a.Kind != CreateOrAppend {
			return missing(n.path, "It was moved or deleted since you read it; search_notes finds where it is.")
		}
		return vault.Errorf(vault.RevisionConflict, "%s changed since revision %.24s", n.path, a.ExpectedRevision).
			Next("Read the note again and plan the change on its current text.").
			With("path", n.path).With("expected", a.ExpectedRevision).With("current", current)
	}
	return nil
}
