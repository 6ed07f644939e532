package folder_test

import (
	"os"
	"testing"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

var attempt = providers.Attempt{Transaction: "txn_crash", Index: 3}

func replacement(old, body string) providers.Change {
	return providers.Change{Path: "F/a.md", Body: []byte(body), Pre: vault.MustBe(providers.ContentRevision([]byte(old))), Attempt: attempt}
}

// Each case is a state in which a killed process can leave the folder, and what Landed makes of it.
func TestLandedAfterACrash(t *testing.T) {
	create := providers.Change{Path: "F/a.md", Body: []byte("new text"), Pre: vault.MustBeAbsent(), Attempt: attempt}
	replace := replacement("old text", "new text")
	remove := providers.Change{Path: "F/a.md", Delete: true, Pre: replace.Pre, Attempt: attempt}
	temp := "F/" + folder.TempName(attempt, "F/a.md")
	const note = "F/a.md"
	type files map[string]string
	for name, test := range map[string]struct {
		change providers.Change
		left   files
		link   bool // temp is a second name of the note
		landed bool
		after  files
	}{
		"create: before the link":             {create, files{temp: "new text"}, false, false, files{}},
		"create: while writing":               {create, files{temp: "new"}, false, false, files{}},
		"create: before a byte was written":   {create, files{temp: ""}, false, false, files{}},
		"create: after the link":              {create, files{note: "new text"}, true, true, files{note: "new text"}},
		"create: done":                        {create, files{note: "new text"}, false, true, files{note: "new text"}},
		"create: another made it first":       {create, files{note: "theirs", temp: "new text"}, false, false, files{note: "theirs"}},
		"replace: before the exchange":        {replace, files{note: "old text", temp: "new text"}, false, false, files{note: "old text"}},
		"replace: while writing":              {replace, files{note: "old text", temp: "new t"}, false, false, files{note: "old text"}},
		"replace: after the exchange":         {replace, files{note: "new text", temp: "old text"}, false, true, files{note: "new text"}},
		"replace: exchanged, then edited":     {replace, files{note: "edited", temp: "old text"}, false, true, files{note: "edited"}},
		"replace: done":                       {replace, files{note: "new text"}, false, true, files{note: "new text"}},
		"replace: never sent":                 {replace, files{note: "old text"}, false, false, files{note: "old text"}},
		"replace: a save was taken out":       {replace, files{note: "new text", temp: "their save"}, false, false, files{note: "their save"}},
		"replace: two saves":                  {replace, files{note: "newer save", temp: "their save"}, false, false, files{note: "newer save", "F/a (conflict 1).md": "their save"}},
		"replace: a save was put back":        {replace, files{note: "their save", temp: "new text"}, false, false, files{note: "their save"}},
		"replace: a line came before it":      {replace, files{note: "old text+", temp: "new text+"}, false, false, files{note: "old text+"}},
		"replace: exchanged, a line with it":  {replace, files{note: "new text+", temp: "old text+"}, false, true, files{note: "new text+"}},
		"replace: exchanged, a line lost":     {replace, files{note: "new text+", temp: "old text-"}, false, false, files{note: "new text+", "F/a (conflict 1).md": "old text-"}},
		"delete: taken out of the way":        {remove, files{temp: "old text"}, false, true, files{".trash/F/a.md": "old text"}},
		"delete: a save was taken out":        {remove, files{temp: "their save"}, false, false, files{note: "their save"}},
		"delete: a save out, a new one there": {remove, files{temp: "their save", note: "newer save"}, false, false, files{note: "newer save", "F/a (conflict 1).md": "their save"}},
		"delete: done":                        {remove, files{".trash/F/a.md": "old text"}, false, true, files{".trash/F/a.md": "old text"}},
		"delete: never sent":                  {remove, files{note: "old text"}, false, false, files{note: "old text"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := place{t, t.TempDir()}
			p.save("F/other.md", "other")
			for rel, body := range test.left {
				p.save(rel, body)
			}
			if test.link {
				p.must(os.Link(p.name(note), p.name(temp)))
			}
			d := open(t, p.path)
			times := 2 // it may be asked again, as long as nobody edited what landed
			if test.landed && !test.change.Delete && test.after[note] != string(test.change.Body) {
				times = 1
			}
			for range times {
				e, landed, err := d.Landed(t.Context(), test.change)
				if err != nil || landed != test.landed {
					t.Errorf("Landed = %t, %v, want %t", landed, err, test.landed)
				}
				if landed && !test.change.Delete && e.Revision != providers.ContentRevision(test.change.Body) {
					t.Errorf("Landed = %+v, want the revision of what was to be stored", e)
				}
			}
			want := files{"F/other.md": "other"}
			for rel, body := range test.after {
				want[rel] = body
			}
			p.holds(want)
		})
	}
}

func TestOpeningRemovesOnlyWhatIsSpent(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("F/a.md", "landed")
	spent, open1 := folder.TempName(attempt, "F/a.md"), folder.TempName(providers.Attempt{Transaction: "txn_open"}, "F/a.md")
	p.must(os.Link(p.name("F/a.md"), p.name("F/"+spent)))
	p.save("F/"+open1, "perhaps somebody's save")
	p.save("F/.notelatch-mine", "not a temporary file")
	open(t, p.path)
	p.holds(map[string]string{"F/a.md": "landed", "F/" + open1: "perhaps somebody's save", "F/.notelatch-mine": "not a temporary file"})
}

func TestAnAttemptIsSentAgainOverItsLeftovers(t *testing.T) {
	p := place{t, t.TempDir()}
	p.save("F/a.md", "old text")
	p.save("F/"+folder.TempName(attempt, "F/a.md"), "new te")
	d := open(t, p.path)
	if _, err := d.Write(t.Context(), replacement("old text", "new text")); err != nil {
		t.Fatal(err)
	}
	p.holds(map[string]string{"F/a.md": "new text"})
}
