package plan

import (
	"path"

	"github.com/notelatch/notelatch/vault"
)

func (a Action) content() string {
	if a.Content == nil {
		return ""
	}
	return *a.Content
}

// Rebases reports whether the action may be planned again on a note that has moved on since a preview.
func (a Action) Rebases() bool {
	return (a.Kind == Append || a.Kind == CreateOrAppend) && a.ExpectedRevision == ""
}

// check tells whether the action makes sense by itself, and returns its path.
func (a Action) check() (vault.Path, error) {
	p, err := vault.ParsePath(a.Path)
	if err != nil {
		return "", err
	}
	switch {
	case p.Hidden():
		return "", invalid("path", "the path %s is hidden: a name in it begins with a dot", p).
			Next("Notes live outside of hidden folders; choose another path.")
	case !p.IsNote():
		suggestion := string(p) + ".md"
		if ext := path.Ext(p.Base()); ext != "" && ext != p.Base() {
			suggestion = string(p[:len(p)-len(ext)]) + ".md"
		}
		return "", invalid("path", "the path %s is no note: it must end in .md", p).Next("Use \"" + suggestion + "\".")
	}

	needsContent, heading, properties, shrink := true, false, false, false
	switch a.Kind {
	case Create:
		properties = true
		needsContent = len(a.Properties) == 0
	case Append:
		heading = true
	case CreateOrAppend:
		heading, properties = true, true
	case Replace:
		shrink = true
	case Delete:
		needsContent = false
		if a.Content != nil {
			return "", invalid("content", "delete takes no content")
		}
	case "":
		return "", invalid("kind", "the action has no kind").Next("Use create, append, create_or_append, replace or delete.")
	default:
		return "", invalid("kind", "%.40q is no kind of action", string(a.Kind)).Next("Use create, append, create_or_append, replace or delete.")
	}
	switch {
	case needsContent && a.Content == nil:
		return "", invalid("content", "%s needs content", a.Kind)
	case !heading && (a.Heading != "" || a.Prepend):
		return "", invalid("heading", "%s takes neither heading nor prepend; they belong to append", a.Kind)
	case !properties && len(a.Properties) > 0:
		return "", invalid("properties", "%s takes no properties; they are for a new note", a.Kind)
	case !shrink && a.AllowShrink:
		return "", invalid("allowShrink", "%s takes no allowShrink; it belongs to replace", a.Kind)
	}
	return p, nil
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
		if (a.Kind == Replace || a.Kind == Delete) && current != "" {
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
