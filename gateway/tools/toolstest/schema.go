package toolstest

import (
	"context"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// Configure sets the vault's settings, and the types that its owner declared.
func (v *Vault) Configure(s vault.Settings, types vault.PropertyTypes) {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	v.settings, v.types = s, types
}

// Settings implements tools.Vault.
func (s *session) Settings(context.Context) (vault.Settings, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.settings, nil
}

// Schema implements tools.Vault.
func (s *session) Schema(_ context.Context, r tools.SchemaRequest) (tools.SchemaAnswer, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	a := tools.SchemaAnswer{Schema: new(vault.Schema), Types: s.types, Coverage: s.coverage(), Freshness: s.fresh()}
	for p, f := range s.files {
		switch _, locked := vault.Encrypted(p, f.Body); {
		case !p.In(r.PathPrefix):
		case !p.IsNote():
			a.Stats.Attachments++
			if p.Ext() == ".canvas" {
				a.Stats.Canvases++
			}
		case locked:
			a.Stats.Notes++
			a.Stats.Encrypted++
		default:
			n := vault.Parse(p, f.Body)
			a.Schema.Add(p, vault.DigestProperties(n.Properties), n.Tags)
			a.Stats.Notes++
			a.Stats.Bytes += f.Size
			if len(n.Properties) > 0 {
				a.Stats.WithProperties++
			}
			if len(n.Problems) > 0 {
				a.Stats.Problems++
			}
		}
	}
	a.Total = a.Stats.Notes
	return a, nil
}
