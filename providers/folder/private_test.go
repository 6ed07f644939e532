package folder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A process that is killed leaves its folder for cookies behind; the next one that opens a vault removes it, and no other.
func TestFoldersOfKilledProcessesAreSwept(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{
		fmt.Sprintf("notelatch-watch-%d-1", gone.Process.Pid): false,
		fmt.Sprintf("notelatch-watch-%d-1", os.Getpid()):      true,
		"notelatch-watch-x-1":                                 true,
		fmt.Sprintf("other-%d-1", gone.Process.Pid):           true,
	}
	for name := range stays {
		if err := os.MkdirAll(filepath.Join(temp, name, "cookie"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open(t, t.TempDir())
	for name, want := range stays {
		if _, err := os.Stat(filepath.Join(temp, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it to stay: %v", name, err, want)
		}
	}
}
