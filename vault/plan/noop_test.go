package plan

import (
	"bytes"
	"testing"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// checkNoop makes edits on a note that put back what is there, and sees that not a byte changes.
func checkNoop(t *testing.T, p vault.Path, body []byte) (edits int) {
	t.Helper()
	same := func(what string, got []byte, err error) {
		if err != nil {
			return
		}
		edits++
		if !bytes.Equal(got, body) {
			d, _ := vault.Diff(body, got)
			t.Errorf("%s on %s changes it:\n%s", what, p, d)
		}
	}
	n := vault.Parse(p, body)
	set := make(map[string]any, len(n.Properties))
	for _, q := range n.Properties {
		set[q.Key] = q.Value
	}
	got, err := vault.SetProperties(body, set, []string{"no such property"})
	same("setting the properties that it has", got, err)
	got, _, err = vault.RenameTag(body, "no-such-tag", "other")
	same("renaming a tag that it has not", got, err)
	const most = 20 // of a kind in one note: each reads all of it
	for i, h := range n.Headings[:min(len(n.Headings), most)] {
		if h.Text == "" {
			continue // it has no name to be called by
		}
		_, end := n.SectionOf(i)
		e, err := vault.SectionEdit(body, n.HeadingPath(h.Line), string(body[min(h.End, end):end]))
		if err == nil && e.Start >= h.End && e.End <= end {
			same("replacing the section "+h.Text+" with itself", vault.Splice(body, []vault.Edit{e}), nil)
		}
		f, _, err := vault.RenameHeading(body, n.HeadingPath(h.Line), h.Raw)
		same("renaming the heading "+h.Text+" to itself", vault.Splice(body, []vault.Edit{f}), err)
	}
	for _, l := range n.Links {
		if e, ok := l.Retarget(body, l.Target); ok && bytes.IndexByte(body[l.TargetStart:l.TargetEnd], '%') < 0 && bytes.IndexByte(body[l.TargetStart:l.TargetEnd], '\\') < 0 {
			same("leading the link to "+l.Target+" where it leads", vault.Splice(body, []vault.Edit{e}), nil)
		}
	}
	line, tasks := 0, 0
	for text := range bytes.Lines(body) {
		line++
		if tasks == most || !bytes.Contains(text, []byte("] ")) {
			continue
		}
		task, err := vault.FindTask(body, line, "")
		if err != nil {
			continue
		}
		tasks++
		e, _, err := vault.ChangeTask(body, task, vault.TaskChange{Status: &task.Status, Text: nil, Today: today})
		same("giving the task "+string(text)+" the status that it has", vault.Splice(body, []vault.Edit{e}), err)
	}
	return edits
}

func TestEditsThatChangeNothingLeaveEveryByte(t *testing.T) {
	run := func(name string, notes shelf) {
		t.Run(name, func(t *testing.T) {
			edits := 0
			for p, body := range notes {
				if p.IsNote() {
					edits += checkNoop(t, p, body)
				}
			}
			if edits < len(notes) {
				t.Errorf("%d edits on %d notes", edits, len(notes))
			}
			t.Logf("%d edits on %d notes", edits, len(notes))
		})
	}
	run("corpus", corpus(t, vaulttest.Corpus(t)))
	run("made", big(t, 200))
	if fsys, ok := vaulttest.BigCorpus(t); ok {
		run("large corpus", corpus(t, fsys))
	}
}
