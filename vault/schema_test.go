package vault_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/vaulttest"
)

func TestSchemaCountsKeysTypesAndTags(t *testing.T) {
	notes := map[string]string{
		"A.md":          "---\nstatus: open\nn: 1\nd: 2026-12-01\nm: {a: x, b: {c: true}}\ntags: [Work, home/garden]\n---\n",
		"Dir/B.md":      "---\nstatus: open\nn: many\nd:\nlist: [x, y]\n---\n#work\n",
		"Dir/Sub/C.md":  "---\nstatus: done\nn: 2\nd: 2026-12-02\n---\n#work #work\n",
		"Dir/Sub/C2.md": "no properties\n",
	}
	var s vault.Schema
	for p, text := range notes {
		n := vault.Parse(vault.Path(p), []byte(text))
		s.Add(n.Path, vault.DigestProperties(n.Properties), n.Tags)
	}
	types := vault.ParsePropertyTypes([]byte(`{"types":{"Status":"multitext","d":"datetime","other":"text","bad":7}}`))
	want := map[string]vault.SchemaKey{
		"status": {Key: "status", Count: 3, Types: map[string]int{"text": 3}, Examples: []string{"open", "done"}, Type: "multitext", Declared: true},
		"n":      {Key: "n", Count: 3, Types: map[string]int{"number": 2, "text": 1}, Examples: []string{"1", "2", "many"}, Type: "number"},
		"d":      {Key: "d", Count: 3, Types: map[string]int{"date": 2, "empty": 1}, Examples: []string{"2026-12-01", "2026-12-02"}, Type: "datetime", Declared: true},
		"list":   {Key: "list", Count: 1, Types: map[string]int{"list": 1}, Examples: []string{"x, y"}, Type: "list"},
		"tags":   {Key: "tags", Count: 1, Types: map[string]int{"list": 1}, Examples: []string{"Work, home/garden"}, Type: "tags"},
		"m":      {Key: "m", Count: 1, Types: map[string]int{"map": 1}, Type: "map"},
		"m.a":    {Key: "m.a", Count: 1, Types: map[string]int{"text": 1}, Examples: []string{"x"}, Type: "text"},
		"m.b":    {Key: "m.b", Count: 1, Types: map[string]int{"map": 1}, Type: "map"},
		"m.b.c":  {Key: "m.b.c", Count: 1, Types: map[string]int{"checkbox": 1}, Examples: []string{"true"}, Type: "checkbox"},
	}
	got := map[string]vault.SchemaKey{}
	for _, k := range s.Keys(types, 3) {
		got[k.Key] = k
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Keys (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]vault.Counted{{Name: "work", Count: 3}, {Name: "home/garden", Count: 1}}, s.Tags()); d != "" {
		t.Errorf("Tags (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]vault.Counted{{Name: "Dir", Count: 3}, {Name: "Dir/Sub", Count: 2}}, s.Folders()); d != "" || s.Notes != 4 {
		t.Errorf("Folders (-want +got):\n%s", d)
	}
}

func TestPropertyTypesOfWhatIsNoFile(t *testing.T) {
	for _, text := range []string{"", "[]", `{"types":[]}`, `{"types":null}`, "{"} {
		if got := vault.ParsePropertyTypes([]byte(text)); len(got) != 0 {
			t.Errorf("ParsePropertyTypes(%q) = %v", text, got)
		}
	}
}

func BenchmarkSchema(b *testing.B) {
	type note struct {
		path   vault.Path
		digest vault.PropertyDigest
		tags   []string
	}
	var notes []note
	size := 0
	for i, f := range vaulttest.Big(b, 5000) {
		n := vault.Parse(vault.Path(fmt.Sprintf("F%d/%s", i%50, f.Path)), f.Body)
		d := vault.DigestProperties(n.Properties)
		notes = append(notes, note{n.Path, d, n.Tags})
		size += len(d)
	}
	b.ReportMetric(float64(size)/float64(len(notes)), "digest-B/note")
	for b.Loop() {
		var s vault.Schema
		for _, n := range notes {
			s.Add(n.path, n.digest, n.tags)
		}
		if len(s.Keys(nil, 3)) == 0 {
			b.Fatal("no keys")
		}
	}
}
