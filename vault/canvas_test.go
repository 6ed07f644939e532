package vault_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

// TestCanvas reads testdata/canvas: pairs of a canvas and what is found in it.
func TestCanvas(t *testing.T) {
	const name = "testdata/canvas/vectors.txtar"
	comment, files := vaulttest.ReadArchive(t, name)
	for i := 0; i+1 < len(files); i += 2 {
		body, want := files[i].Body, &files[i+1]
		t.Run(strings.TrimSuffix(want.Path, ".want"), func(t *testing.T) {
			why, _, _ := strings.Cut(string(want.Body), "\n")
			got := why + "\n" + describeCanvas(t, body)
			if *update {
				want.Body = []byte(got)
			} else if d := cmp.Diff(string(want.Body), got); d != "" {
				t.Errorf("%s\n%s(-want +got):\n%s", why, body, d)
			}
			if problems := brokenCanvas(body); problems != nil {
				t.Error(problems)
			}
		})
	}
	if *update {
		vaulttest.WriteArchive(t, name, comment, files)
	}
}

func describeCanvas(t *testing.T, body []byte) string {
	t.Helper()
	c, err := vault.ParseCanvas(body)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Outline(vault.OutlineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d nodes, %d edges\n%s", o.Nodes, o.Edges, o.Markdown)
	for _, g := range o.Groups {
		fmt.Fprintf(&out, "group %s %q of %d\n", g.ID, g.Label, g.Nodes)
	}
	for _, l := range c.Links(body) {
		fmt.Fprintf(&out, "%s %q%s shown %q, line %d %q target %q", l.Kind, l.Target, l.Subpath, l.Display, l.Line, body[l.Start:l.End], body[l.TargetStart:l.TargetEnd])
		if l.InCard {
			out.WriteString(" in a card")
		}
		out.WriteString("\n")
	}
	for _, p := range c.Problems {
		fmt.Fprintf(&out, "problem %s, line %d: %s\n", p.Code, p.Line, p.Message)
	}
	return out.String()
}

// brokenCanvas names a promise that does not hold for a canvas; bytes that are none keep every promise.
func brokenCanvas(body []byte) error {
	c, err := vault.ParseCanvas(body)
	if err != nil {
		return nil
	}
	for _, l := range c.Links(body) {
		if l.Start < 0 || l.Start > l.End || l.End > len(body) || l.TargetStart > l.TargetEnd || l.TargetEnd > len(body) || l.Line < 1 {
			return fmt.Errorf("the link %+v lies outside the file of %d bytes", l, len(body))
		}
		if l.TargetEnd > 0 && !l.External && l.Kind == vault.LinkCanvas && !l.InCard && string(body[l.TargetStart:l.TargetEnd]) != l.Target && utf8.Valid(body) {
			return fmt.Errorf("the target %q stands as %q", l.Target, body[l.TargetStart:l.TargetEnd])
		}
	}
	a, err := c.Outline(vault.OutlineOptions{})
	if err != nil {
		return err
	}
	if b, _ := c.Outline(vault.OutlineOptions{}); a.Markdown != b.Markdown {
		return fmt.Errorf("two outlines differ:\n%s\n%s", a.Markdown, b.Markdown)
	}
	if len(a.Markdown) > vault.MaxOutline+200 || a.ShownNodes > a.Nodes || a.ShownEdges > a.Edges || a.Truncated != (a.ShownNodes < a.Nodes || a.ShownEdges < a.Edges) {
		return fmt.Errorf("the outline has %d bytes and says %d/%d, %d/%d, %t", len(a.Markdown), a.ShownNodes, a.Nodes, a.ShownEdges, a.Edges, a.Truncated)
	}
	once := c.Encode()
	if !json.Valid(once) {
		return fmt.Errorf("Encode wrote what is not JSON: %s", once)
	}
	again, err := vault.ParseCanvas(once)
	if err != nil {
		return fmt.Errorf("what Encode wrote cannot be read: %w", err)
	}
	if twice := again.Encode(); string(twice) != string(once) {
		return fmt.Errorf("written twice:\n%s\n%s", once, twice)
	}
	if o, err := again.Outline(vault.OutlineOptions{}); err != nil || o.Markdown != a.Markdown {
		return fmt.Errorf("the outline changed with writing, %v:\n%s\n%s", err, a.Markdown, o.Markdown)
	}
	return nil
}

func TestCanvasesOfTheCorpusAreWrittenAsTheyWere(t *testing.T) {
	fsys := vaulttest.Corpus(t)
	n := 0
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".canvas") {
			return err
		}
		n++
		body, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		c, err := vault.ParseCanvas(body)
		if err != nil || len(c.Nodes) == 0 || c.Problems != nil {
			t.Errorf("ParseCanvas(%s): %v, %v", p, err, c.Problems)
			return nil
		}
		if d := cmp.Diff(string(body), string(c.Encode())); d != "" {
			t.Errorf("%s (-file +written):\n%s", p, d)
		}
		return brokenCanvas(body)
	})
	if err != nil || n < 2 {
		t.Errorf("%d canvases, %v", n, err)
	}
}

func TestEncodeChangesOnlyWhatChanged(t *testing.T) {
	const text = "{\n\t\"nodes\":[\n\t\t{\"id\":\"a\",\"mine\":[1, 2],\"type\":\"file\",\"file\":\"A.md\",\"x\":1.50,\"y\":-0,\"width\":1e2,\"height\":5}\n\t],\n\t\"edges\":[],\n\t\"meta\":{\"v\":1}\n}"
	c, err := vault.ParseCanvas([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(c.Encode()); got != text {
		t.Fatalf("without a change: %s, want %s", got, text)
	}
	c.Nodes[0].File = "Sub/<B> & \"C\".md"
	c.Nodes[0].Subpath = "#H"
	c.Edges = append(c.Edges, vault.CanvasEdge{ID: "e", FromNode: "a", ToNode: "a"})
	want := strings.NewReplacer(`"A.md"`, `"Sub/<B> & \"C\".md"`, `"height":5}`, `"height":5,"subpath":"#H"}`,
		`"edges":[]`, "\"edges\":[\n\t\t{\"id\":\"e\",\"fromNode\":\"a\",\"toNode\":\"a\"}\n\t]").Replace(text)
	if got := string(c.Encode()); got != want {
		t.Errorf("after changes: %s, want %s", got, want)
	}
	made := vault.Canvas{Nodes: []vault.CanvasNode{{ID: "n", Type: "text", Text: "Hi", Width: 250, Height: 60}}}
	if got, want := string(made.Encode()), "{\n\t\"nodes\":[\n\t\t{\"id\":\"n\",\"type\":\"text\",\"text\":\"Hi\",\"x\":0,\"y\":0,\"width\":250,\"height\":60}\n\t]\n}"; got != want {
		t.Errorf("a new canvas: %s, want %s", got, want)
	}
}

func TestParseCanvasRefuses(t *testing.T) {
	for body, code := range map[string]vault.Code{
		`[]`: vault.InvalidArgument, `{"nodes":[`: vault.InvalidArgument, `{"a":1}}`: vault.InvalidArgument, `"x"`: vault.InvalidArgument,
		`{"nodes":[],}`: vault.InvalidArgument, strings.Repeat("[", 100_000): vault.InvalidArgument,
		`{"a":"` + strings.Repeat("x", vault.MaxCanvas) + `"}`: vault.NoteTooLarge,
	} {
		if _, err := vault.ParseCanvas([]byte(body)); vault.AsError(err).Code != code || err == nil {
			t.Errorf("ParseCanvas(%.20s): %v, want %s", body, err, code)
		}
	}
	if _, err := vault.ParseCanvas([]byte("\uFEFF \n{\"nodes\":7,\"edges\":{}}")); err != nil {
		t.Errorf("arrays that are none: %v", err)
	}
}

func TestOutlineOfAGroup(t *testing.T) {
	_, files := vaulttest.ReadArchive(t, "testdata/canvas/vectors.txtar")
	for _, f := range files {
		if f.Path != "C02.canvas" {
			continue
		}
		c, err := vault.ParseCanvas(f.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"inner", "INNER"} {
			o, err := c.Outline(vault.OutlineOptions{Group: name})
			if want := "## Inner\n\n- In both, and more in the inner one\n"; err != nil || o.Markdown != want || o.Nodes != 2 {
				t.Errorf("Outline of %s = %q, %d nodes, %v; want %q", name, o.Markdown, o.Nodes, err, want)
			}
		}
		_, err = c.Outline(vault.OutlineOptions{Group: "Nowhere"})
		if e := vault.AsError(err); err == nil || e.Code != vault.NotFound || fmt.Sprint(e.Details["groups"]) != "[Outer Inner]" {
			t.Errorf("Outline of a missing group: %v", err)
		}
		return
	}
	t.Fatal("there is no C02")
}

func TestOutlineShowsNotesWhenAsked(t *testing.T) {
	c, err := vault.ParseCanvas([]byte(`{"nodes":[{"id":"a","type":"file","file":"A.md","subpath":"#B"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Outline(vault.OutlineOptions{Excerpt: func(file, subpath string) string { return file + "\n\n" + subpath + "\n" }})
	if want := "- [[A.md#B]]\n  > A.md\n  >\n  > #B\n"; err != nil || strings.ReplaceAll(o.Markdown, "> \n", ">\n") != want {
		t.Errorf("%q, %v; want %q", o.Markdown, err, want)
	}
}

// bigCanvas has groups of nine cards, and edges from each card to the two that follow.
func bigCanvas(nodes, edges int) []byte {
	var c vault.Canvas
	for i := range nodes {
		x, y := float64(i%10*300), float64(i/10*400)
		if i%10 == 0 {
			c.Nodes = append(c.Nodes, vault.CanvasNode{ID: fmt.Sprint("n", i), Type: "group", Label: fmt.Sprint("Group ", i), X: x - 10, Y: y - 10, Width: 3020, Height: 380})
			continue
		}
		c.Nodes = append(c.Nodes, vault.CanvasNode{ID: fmt.Sprint("n", i), Type: "text", X: x, Y: y, Width: 250, Height: 300,
			Text: fmt.Sprintf("## Card %d\n\nSome **text** with [[Note %d]].\n\n%s\n", i, i, strings.Repeat("More words in a paragraph. ", 10))})
	}
	for i := range edges {
		c.Edges = append(c.Edges, vault.CanvasEdge{ID: fmt.Sprint("e", i), FromNode: fmt.Sprint("n", i%nodes), ToNode: fmt.Sprint("n", (i*7+1)%nodes), Label: "leads to"})
	}
	return c.Encode()
}

func TestOutlineLimits(t *testing.T) {
	c, err := vault.ParseCanvas(bigCanvas(700, 100))
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Outline(vault.OutlineOptions{})
	if err != nil || !o.Truncated || o.ShownNodes != vault.MaxOutlineNodes || o.Nodes != 700 || len(o.Groups) != 70 ||
		!strings.HasSuffix(o.Markdown, "\nTruncated: 500 of 700 cards and groups, and 100 of 100 edges are shown.\n") {
		t.Errorf("of 700 nodes %d are shown, %d groups, %v: %q", o.ShownNodes, len(o.Groups), err, o.Markdown[len(o.Markdown)-100:])
	}
	if o, err = c.Outline(vault.OutlineOptions{Most: 2000}); err != nil || !o.Truncated || len(o.Markdown) > 2200 || o.ShownNodes < 3 {
		t.Errorf("2,000 bytes: %d of them, %d nodes, %v", len(o.Markdown), o.ShownNodes, err)
	}
	long := "```go\n" + strings.Repeat("line\n", 20_000) + "```\n"
	made := vault.Canvas{Nodes: []vault.CanvasNode{{ID: "a", Type: "text", Text: long}, {ID: "b", Type: "text", Text: "after", Y: 10}}}
	if o, err = made.Outline(vault.OutlineOptions{}); err != nil || !strings.Contains(o.Markdown, "  line\n  ```\n  (") || !strings.HasSuffix(o.Markdown, "- after\n") {
		t.Errorf("a long fence is cut so: %q, %v", o.Markdown[max(0, len(o.Markdown)-80):], err)
	}
}

func FuzzCanvas(f *testing.F) {
	_, files := vaulttest.ReadArchive(f, "testdata/canvas/vectors.txtar")
	for _, file := range files {
		if strings.HasSuffix(file.Path, ".canvas") {
			f.Add(file.Body)
		}
	}
	f.Add([]byte(`{"nodes":[{"id":"\ud83d\ude00","type":"text","text":"\ud800 [[\u0041|\t]] [a](b\/c.md)","x":1}],"nodes":[],"":0}`))
	f.Add(bigCanvas(20, 40))
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := brokenCanvas(body); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkCanvas(b *testing.B) {
	body := bigCanvas(500, 1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		c, err := vault.ParseCanvas(body)
		if err != nil {
			b.Fatal(err)
		}
		if o, err := c.Outline(vault.OutlineOptions{}); err != nil || o.ShownNodes != 500 {
			b.Fatal(o.ShownNodes, err)
		}
		if len(c.Links(body)) != 450 {
			b.Fatal("the links are not there")
		}
	}
}
