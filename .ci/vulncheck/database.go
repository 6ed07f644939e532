package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// An entry is what the indexes of the database need of a record.
type entry struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Aliases  []string  `json:"aliases"`
	Affected []struct {
		Package struct {
			Name string `json:"name"`
		} `json:"package"`
	} `json:"affected"`
}

type moduleEntry struct {
	Path  string      `json:"path"`
	Vulns []vulnEntry `json:"vulns"`
}

type vulnEntry struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Aliases  []string  `json:"aliases,omitempty"`
}

// writeDatabase lays out the records of folder osv at dir as https://go.dev/security/vuln/database describes, unless
// they are there already. The modules' index names no fixed versions, which may be left out: govulncheck then reads the
// records themselves.
func writeDatabase(dir, osv string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, sub := range []string{"ID", "index"} {
		if err := os.Mkdir(filepath.Join(tmp, sub), 0o755); err != nil {
			return err
		}
	}
	entries, err := copyRecords(filepath.Join(tmp, "ID"), osv)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return fmt.Errorf("no records in %s", osv)
	}
	if err := writeIndexes(filepath.Join(tmp, "index"), entries); err != nil {
		return err
	}
	// Whole or not at all: another run may be doing the same.
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return err
		}
	}
	return nil
}

func copyRecords(dir, osv string) ([]entry, error) {
	names, err := filepath.Glob(filepath.Join(osv, "GO-*.json"))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, e.ID+".json"), text, 0o644); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func writeIndexes(dir string, entries []entry) error {
	var latest time.Time
	var modules []*moduleEntry
	var vulns []vulnEntry
	byPath := map[string]*moduleEntry{}
	for _, e := range entries {
		if e.Modified.After(latest) {
			latest = e.Modified
		}
		vulns = append(vulns, vulnEntry{ID: e.ID, Modified: e.Modified, Aliases: e.Aliases})
		for _, a := range e.Affected {
			m := byPath[a.Package.Name]
			if m == nil {
				m = &moduleEntry{Path: a.Package.Name}
				byPath[m.Path] = m
				modules = append(modules, m)
			}
			if n := len(m.Vulns); n == 0 || m.Vulns[n-1].ID != e.ID {
				m.Vulns = append(m.Vulns, vulnEntry{ID: e.ID, Modified: e.Modified})
			}
		}
	}
	for name, v := range map[string]any{
		"db.json":      map[string]time.Time{"modified": latest},
		"modules.json": modules,
		"vulns.json":   vulns,
	} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
