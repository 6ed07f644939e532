package backend

import (
	"context"
	"errors"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// Schema counts what the index knows. What is known to have changed and is not read again yet is in Total alone.
func (o *open) Schema(ctx context.Context, r tools.SchemaRequest) (tools.SchemaAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, wallTime)
	defer cancel()
	fresh, err := o.check(ctx)
	if err != nil {
		return tools.SchemaAnswer{}, err
	}
	types, err := o.setting(ctx, "types.json")
	if err != nil {
		return tools.SchemaAnswer{}, err
	}
	a := tools.SchemaAnswer{Schema: new(vault.Schema), Types: vault.ParsePropertyTypes(types), Coverage: o.coverage(), Freshness: fresh}
	o.index.EachFact(r.PathPrefix, func(p vault.Path, f *index.Fact) {
		s := &a.Stats
		switch {
		case !f.Note:
			s.Attachments++
			if p.Ext() == ".canvas" {
				s.Canvases++
			}
			return
		case f.Encrypted:
			s.Encrypted++
		case f.Unread:
			s.Unreadable++
		default:
			a.Schema.Add(p, f.Digest, f.Tags)
		}
		s.Notes++
		s.Bytes += f.Entry.Size
		if f.Digest != "" {
			s.WithProperties++
		}
		if len(f.Problems) > 0 {
			s.Problems++
		}
	})
	a.Total = a.Stats.Notes + o.index.PendingNotes(r.PathPrefix)
	return a, nil
}

// Settings reads them anew at each call: nobody tells when a dot-folder changes, and they are small.
func (o *open) Settings(ctx context.Context) (vault.Settings, error) {
	daily, err := o.setting(ctx, "daily-notes.json")
	if err != nil {
		return vault.Settings{}, err
	}
	templates, err := o.setting(ctx, "templates.json")
	return vault.ParseSettings(daily, templates), err
}

// setting is a settings file; nil where there is none that can be read.
func (o *open) setting(ctx context.Context, name string) ([]byte, error) {
	body, err := o.access.Vault.Settings(ctx, name)
	if errors.Is(err, vault.NotFound) || errors.Is(err, vault.NoteTooLarge) {
		return nil, nil
	}
	return body, err
}
