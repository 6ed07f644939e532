package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/vault"
)

func TestSettingsAreTheOnlyDoorToADotFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".obsidian/types.json": `{"types":{"a":"date"}}`, ".obsidian/workspace.json": "{}", ".obsidian/templates.json": strings.Repeat(" ", providers.MaxSettings+1),
		"types.json": "{}", "../secret.json": "secret",
	} {
		name = filepath.Join(dir, name)
		if strings.HasSuffix(name, "secret.json") {
			name = filepath.Join(outside, "secret.json")
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret.json"), filepath.Join(dir, ".obsidian", "app.json")); err != nil {
		t.Fatal(err)
	}
	d, err := folder.Open(t.Context(), dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	v := providers.New(d)
	t.Cleanup(func() { v.Close() })
	body, err := v.Settings(t.Context(), "types.json")
	if err != nil || string(body) != `{"types":{"a":"date"}}` {
		t.Errorf("Settings(types.json) = %q, %v", body, err)
	}
	for _, name := range []string{"workspace.json", "../types.json", "plugins/x/data.json", "", "TYPES.json", "daily-notes.json"} {
		if body, err := v.Settings(t.Context(), name); !errors.Is(err, vault.NotFound) {
			t.Errorf("Settings(%q) = %q, %v; want not_found", name, body, err)
		}
	}
	if body, err := v.Settings(t.Context(), "app.json"); err == nil {
		t.Errorf("a symbolic link was followed: %q", body)
	}
	if _, err := v.Settings(t.Context(), "templates.json"); !errors.Is(err, vault.NoteTooLarge) {
		t.Errorf("a large file: %v, want %s", err, vault.NoteTooLarge)
	}
}
