package folder

import (
	"context"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Settings implements providers.Configured.
func (d *Driver) Settings(ctx context.Context, name string) ([]byte, error) {
	p := vault.Path(".obsidian/" + name)
	if !providers.IsSettings(name) {
		return nil, providers.Missing(p)
	}
	at, err := d.enter(p.Dir())
	if err != nil {
		return nil, failure(p, err)
	}
	defer at.close()
	for range stableReads {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := at.stat(name)
		if err != nil {
			return nil, failure(p, err)
		}
		if m.size > providers.MaxSettings {
			return nil, providers.TooLarge(p, m.size, providers.MaxSettings)
		}
		body, _, ok, err := readOnce(at, p)
		if err != nil {
			return nil, failure(p, err)
		}
		if ok {
			return body, nil
		}
	}
	return nil, vault.Errorf(vault.ProviderUnavailable, "%s is being written by another program", p).Next("Try again in a moment.")
}
