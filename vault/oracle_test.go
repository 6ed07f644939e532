package vault_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// recorded is what Obsidian's metadata cache says of one note.
type recorded struct {
	FilePath       string
	FileContents   string
	GetAllTags     []string
	CachedMetadata struct {
		Links, Embeds    []recordedLink
		FrontmatterLinks []recordedLink
		Headings         []struct {
			Heading  string
			Level    int
			Position position
		}
		Blocks map[string]struct {
			ID       string
			Position position
		}
		Frontmatter json.RawMessage
	}
}

type recordedLink struct {
	Link, DisplayText, Original, Key string
	Position                         position
}

type position struct {
	Start, End struct{ Line, Offset int }
}

// seen is the part of a link that Obsidian records. Offsets are left out: it counts them in UTF-16.
type seen struct {
	Link, Display, Original, Key string
	Line                         int
}

type seenHeading struct {
	Raw         string
	Level, Line int
}

func TestParseAgreesWithObsidian(t *testing.T) {
	fsys := vaulttest.Corpus(t)
	files, err := fs.Glob(fsys, "obsidian-oracle/*.json")
	if err != nil || len(files) != 89 {
		t.Fatalf("the oracle has %d files, %v; want 89", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "obsidian-oracle/"), ".json"), func(t *testing.T) {
			body, err := fs.ReadFile(fsys, file)
			if err != nil {
				t.Fatal(err)
			}
			var want recorded
			if err := json.Unmarshal(body, &want); err != nil {
				t.Fatal(err)
			}
			compareWithOracle(t, want)
		})
	}
}

func compareWithOracle(t *testing.T, want recorded) {
	t.Helper()
	body := []byte(want.FileContents)
	n := vault.Parse(vault.Path(want.FilePath), body)

	var wantLinks, wantEmbeds, wantProperties []seen
	for _, l := range want.CachedMetadata.Links {
		wantLinks = append(wantLinks, seen{Link: l.Link, Display: l.DisplayText, Original: l.Original, Line: l.Position.Start.Line + 1})
	}
	for _, l := range want.CachedMetadata.Embeds {
		wantEmbeds = append(wantEmbeds, seen{Link: l.Link, Display: l.DisplayText, Original: l.Original, Line: l.Position.Start.Line + 1})
	}
	for _, l := range want.CachedMetadata.FrontmatterLinks {
		wantProperties = append(wantProperties, seen{Link: l.Link, Display: l.DisplayText, Original: l.Original, Key: l.Key})
	}
	var links, embeds, properties []seen
	for _, l := range n.Links {
		s := seen{Link: l.Target + l.Subpath, Display: l.Display, Original: string(body[l.Start:l.End]), Line: l.Line}
		switch {
		case l.Kind == vault.LinkProperty:
			s.Key, s.Line = l.Relation, 0
			properties = append(properties, s)
		case l.Kind == vault.LinkEmbed:
			embeds = append(embeds, s)
		case !l.External: // Obsidian does not record links to the web
			links = append(links, s)
		}
	}
	for _, c := range []struct {
		what      string
		got, want []seen
	}{{"links", links, wantLinks}, {"embeds", embeds, wantEmbeds}, {"property links", properties, wantProperties}} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-Obsidian +Parse):\n%s", c.what, d)
		}
	}

	var headings, wantHeadings []seenHeading
	for _, h := range n.Headings {
		headings = append(headings, seenHeading{h.Raw, h.Level, h.Line})
	}
	for _, h := range want.CachedMetadata.Headings {
		wantHeadings = append(wantHeadings, seenHeading{h.Heading, h.Level, h.Position.Start.Line + 1})
	}
	if d := cmp.Diff(wantHeadings, headings); d != "" {
		t.Errorf("headings (-Obsidian +Parse):\n%s", d)
	}

	var wantTags []string
	for _, tag := range want.GetAllTags {
		if tag = strings.TrimPrefix(tag, "#"); !slices.Contains(wantTags, tag) {
			wantTags = append(wantTags, tag)
		}
	}
	if d := cmp.Diff(wantTags, n.Tags); d != "" {
		t.Errorf("tags (-Obsidian +Parse):\n%s", d)
	}

	if len(n.Blocks) != len(want.CachedMetadata.Blocks) {
		t.Errorf("Blocks = %v, want %d of them", n.Blocks, len(want.CachedMetadata.Blocks))
	}
	for _, b := range n.Blocks {
		w, ok := want.CachedMetadata.Blocks[strings.ToLower(b.ID)]
		if !ok || b.Line != w.Position.Start.Line+1 {
			t.Errorf("block %q is in line %d, want %+v", b.ID, b.Line, w)
		}
	}
	compareProperties(t, n.Properties, want.CachedMetadata.Frontmatter)
}

func compareProperties(t *testing.T, got vault.Properties, want json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 && (len(want) == 0 || string(want) == "null") {
		return
	}
	var g, w any
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("Properties = %s, Obsidian has none", text)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("properties (-Obsidian +Parse):\n%s", d)
	}
}
