package folder_test

import (
	"testing"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/providers/providertest"
)

func clock() time.Time { return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC) }

func open(t testing.TB, path string) *folder.Driver {
	t.Helper()
	d, err := folder.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close the folder: %v", err)
		}
	})
	return d
}

func TestDriver(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providers.Driver { return open(t, t.TempDir()) })
}
