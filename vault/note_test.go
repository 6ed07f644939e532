package vault_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

var update = flag.Bool("update", false, "rewrite the expected answers in testdata/notes")

// TestParse reads testdata/notes: pairs of a note and what is found in it.
func TestParse(t *testing.T) {
	archives, err := filepath.Glob("testdata/notes/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("testdata/notes holds %d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		comment, files := vaulttest.ReadArchive(t, name)
		for i := 0; i+1 < len(files); i += 2 {
			note, want := files[i], &files[i+1]
			id := strings.TrimSuffix(want.Path, ".want")
			t.Run(id, func(t *testing.T) {
				body := string(note.Body)
				if strings.HasSuffix(note.Path, ".quoted") {
					if body, err = strconv.Unquote(strings.TrimSpace(body)); err != nil {
						t.Fatal(err)
					}
				}
				why, _, _ := strings.Cut(string(want.Body), "\n")
				got := why + "\n" + describe(vault.Parse(vault.Path(id+".md"), []byte(body)), body)
				if *update {
					want.Body = []byte(got)
				} else if d := cmp.Diff(string(want.Body), got); d != "" {
					t.Errorf("%s\n%s(-want +got):\n%s", why, body, d)
				}
			})
		}
		if *update {
			vaulttest.WriteArchive(t, name, comment, files)
		}
	}
}

// describe writes what was found, a line for each, and checks that spans lie where they should.
func describe(n *vault.Note, body string) string {
	var out strings.Builder
	for _, p := range n.Properties {
		value, err := json.Marshal(p.Value)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&out, "property %s = %s (%s), line %d %q\n", p.Key, value, vault.PropertyType(p.Value), p.Line, body[p.Start:p.End])
	}
	for _, a := range n.Aliases {
		fmt.Fprintf(&out, "alias %s\n", a)
	}
	for _, h := range n.Headings {
		fmt.Fprintf(&out, "heading %d %q = %q, line %d %q\n", h.Level, h.Raw, h.Text, h.Line, body[h.Start:h.End])
	}
	for _, l := range n.Links {
		fmt.Fprintf(&out, "%s %q", l.Kind, l.Target)
		if l.Subpath != "" {
			fmt.Fprintf(&out, " sub %q", l.Subpath)
		}
		fmt.Fprintf(&out, " shown %q, line %d %q target %q", l.Display, l.Line, body[l.Start:l.End], body[l.TargetStart:l.TargetEnd])
		if l.External {
			out.WriteString(" external")
		}
		if l.Relation != "" {
			fmt.Fprintf(&out, " relation %q", l.Relation)
		}
		out.WriteString("\n")
	}
	for _, t := range n.Tags {
		fmt.Fprintf(&out, "tag %s\n", t)
	}
	for _, b := range n.Blocks {
		fmt.Fprintf(&out, "block %s, line %d %q\n", b.ID, b.Line, body[b.Start:b.End])
	}
	for _, p := range n.Problems {
		fmt.Fprintf(&out, "problem %s, line %d: %s\n", p.Code, p.Line, p.Message)
	}
	if n.BodyStart > 0 {
		fmt.Fprintf(&out, "body %q\n", body[n.BodyStart:])
	}
	return out.String()
}
