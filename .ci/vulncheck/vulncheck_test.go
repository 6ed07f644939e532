package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const osv = `{"osv": {"id": "GO-1", "summary": "It breaks"}}`
	at := func(module, version, fixed, place string) string {
		return `{"finding": {"osv": "GO-1", "fixed_version": "` + fixed + `", "trace": [{"module": "` + module + `", "version": "` + version + `"` + place + `}]}}`
	}
	const inPackage, inFunction = `, "package": "m.example/p"`, `, "package": "m.example/p", "receiver": "T", "function": "F"`
	for _, c := range []struct {
		name, stream string
		failed       bool
		want         string
	}{
		{name: "nothing found", stream: `{"config": {}}`, want: "0 findings, 0 more"},
		{name: "a module that is only required", stream: osv + at("m.example", "v1.0.0", "v1.0.1", ""), want: "0 findings, 1 more"},
		{name: "a package that is only imported", stream: osv + at("m.example", "v1.0.0", "v1.0.1", inPackage),
			want: "note imported GO-1: m.example v1.0.0 (fixed in v1.0.1): It breaks"},
		{name: "a function that is called", stream: osv + at("m.example", "v1.0.0", "v1.0.1", inFunction) + at("m.example", "v1.0.0", "v1.0.1", ""), failed: true,
			want: "FAIL called GO-1: m.example v1.0.0 (fixed in v1.0.1; calls m.example/p.T.F): It breaks"},
		{name: "one that has no fix", stream: osv + at("m.example", "v1.0.0", "", inFunction), failed: true, want: "no fix yet"},
		{name: "a standard library that the toolchain mends", stream: osv + at("stdlib", "v1.26.8", "v1.26.10", inFunction), want: "note called GO-1"},
		{name: "a standard library that it does not", stream: osv + at("stdlib", "v1.26.8", "v1.26.11", inFunction), failed: true, want: "FAIL called GO-1"},
		{name: "a standard library without a fix", stream: osv + at("stdlib", "v1.26.8", "", inFunction), failed: true, want: "FAIL called GO-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := readFindings(strings.NewReader(c.stream))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if failed := report(&out, found, "go1.26.10"); failed != c.failed {
				t.Errorf("report = %v, want %v", failed, c.failed)
			}
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("report prints %q, want %q in it", out.String(), c.want)
			}
		})
	}
	if _, err := readFindings(strings.NewReader(`{"osv": `)); err == nil {
		t.Error("readFindings of half a stream: no error")
	}
}

func TestWriteDatabase(t *testing.T) {
	osv, db := t.TempDir(), filepath.Join(t.TempDir(), "cache", "db")
	if err := writeDatabase(db, osv); err == nil {
		t.Fatal("writeDatabase without records: no error")
	}
	for id, affected := range map[string]string{"GO-1": `"a.example"`, "GO-2": `"a.example"}}, {"package": {"name": "b.example"`} {
		text := `{"id": "` + id + `", "modified": "2026-01-02T00:00:00Z", "affected": [{"package": {"name": ` + affected + `}}]}`
		if err := os.WriteFile(filepath.Join(osv, id+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeDatabase(db, osv); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(db, "index", "modules.json"))
	if err != nil {
		t.Fatal(err)
	}
	var modules []moduleEntry
	if err := json.Unmarshal(text, &modules); err != nil {
		t.Fatal(err)
	}
	if len(modules) != 2 || len(modules[0].Vulns) != 2 || len(modules[1].Vulns) != 1 {
		t.Errorf("modules.json = %s, want a.example with two and b.example with one", text)
	}
	for _, name := range []string{"index/db.json", "index/vulns.json", "ID/GO-1.json", "ID/GO-2.json"} {
		if _, err := os.Stat(filepath.Join(db, name)); err != nil {
			t.Error(err)
		}
	}
}
