package providers

import (
	"context"
	"slices"

	"github.com/notelatch/notelatch/vault"
)

// MaxSettings is the most bytes of a settings file that is read.
const MaxSettings = 256 << 10

// settingsFiles are the files of a vault's .obsidian folder that may be read: what they say is the vault's, not a plugin's or a person's.
var settingsFiles = [...]string{"types.json", "app.json", "daily-notes.json", "templates.json"}

// Configured reads a settings file of the vault's editor. It is the one door to a dot-folder, and opens for the names of
// IsSettings alone; a file that is not there is vault.NotFound.
type Configured interface {
	Settings(ctx context.Context, name string) ([]byte, error)
}

// IsSettings reports whether a driver may read the settings file of this name.
func IsSettings(name string) bool { return slices.Contains(settingsFiles[:], name) }

// Settings reads a settings file; vault.NotFound where there is none, and where the driver keeps none.
func (v *Vault) Settings(ctx context.Context, name string) ([]byte, error) {
	c, ok := v.d.(Configured)
	if !ok || !IsSettings(name) {
		return nil, vault.Errorf(vault.NotFound, "this vault has no settings of that name")
	}
	return retry(ctx, func() ([]byte, error) { return c.Settings(ctx, name) })
}
