package tools

import (
	"context"
	"errors"
	"maps"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// prepared is the action that a call of create_or_append_note means, and what was sent if that is shorter: a retry in another minute
// or on another day must be known for the same call.
type prepared struct {
	action plan.Action
	sent   string
}

// prepare finds the daily note and fills in the template. Today and now are those of the server's clock, in its time zone: TZ sets it.
func (in *createOrAppendNoteIn) prepare(ctx context.Context, c *Call) (prepared, error) {
	wrong := func(field, message, next string) (prepared, error) {
		return prepared{}, vault.Errorf(vault.InvalidArgument, "%s", message).With("field", field).Next(next)
	}
	switch {
	case in.Daily && in.Path != "":
		return wrong("daily", "path and daily exclude each other", "Give one of the two.")
	case !in.Daily && in.Path == "":
		return wrong("path", "path is missing", "Give path: vault-relative path of the note, such as Projects/Alpha.md; or daily: true.")
	}
	p := prepared{action: plan.Action{
		Kind: plan.Kind(in.Mode), Path: in.Path, Content: &in.Content, Heading: in.Heading, Properties: in.Properties,
		ExpectedRevision: in.ExpectedRevision,
	}}
	if !in.Daily && in.Template == "" {
		return p, nil
	}
	v, err := c.open(ctx, in.MappingID, vault.NeedPropose)
	if err != nil {
		return prepared{}, err
	}
	settings, err := v.Settings(ctx)
	if err != nil {
		return prepared{}, err
	}
	template := string(in.Template)
	if in.Daily {
		path, err := vault.DailyPath(settings.Daily, c.Now())
		if err != nil {
			return prepared{}, err
		}
		p.action.Path = string(path)
		c.understood = append(c.understood, "daily was taken as path "+show(string(path)))
		if template == "" {
			template = settings.Daily.Template
		}
	}
	sent := maps.Clone(c.args)
	for _, name := range []string{"dryRun", "idempotencyKey", "reason"} {
		delete(sent, name)
	}
	p.sent = string(encode(sent))
	if template == "" || in.Mode == WriteMode(plan.Append) {
		return p, nil
	}
	return p, p.fill(ctx, c, v, settings, template, in.Template != "")
}

// fill makes a new note of the template, with the content added to it. A note that is there takes the content alone. A template of the
// vault's settings that is gone is left out; one that was asked for must be there.
func (p *prepared) fill(ctx context.Context, c *Call, v Vault, settings vault.Settings, template string, asked bool) error {
	path, err := vault.ParsePath(p.action.Path)
	if err != nil {
		return nil // the planner says why
	}
	switch n, err := v.Note(ctx, string(path)); {
	case err == nil && n.File.Path.Key() == path.Key():
		return nil
	case err != nil && !errors.Is(err, vault.NotFound) && !errors.Is(err, vault.AmbiguousPath):
		return err
	}
	source, err := findTemplate(ctx, v, settings, template)
	if errors.Is(err, vault.NotFound) && !asked {
		c.understood = append(c.understood, "the template of daily notes, "+show(template)+", is not there and was left out")
		return nil
	}
	if err != nil {
		return err
	}
	body := []byte(vault.FillTemplate(string(source), settings.Templates, path.Name(), c.Now()))
	if *p.action.Content != "" {
		if body, err = vault.Append(body, *p.action.Content, vault.Place{Heading: p.action.Heading}); err != nil {
			return err
		}
	}
	if len(p.action.Properties) > 0 {
		if body, err = vault.SetProperties(body, p.action.Properties, nil); err != nil {
			return err
		}
	}
	text := string(body)
	p.action.Kind, p.action.Content, p.action.Heading, p.action.Properties = plan.Create, &text, "", nil
	return nil
}

func findTemplate(ctx context.Context, v Vault, s vault.Settings, name string) ([]byte, error) {
	for _, path := range s.TemplatePath(name) {
		n, err := v.Note(ctx, path)
		switch {
		case err == nil && n.File.Path.Key() == vault.Path(path).Key() && n.File.Path.IsNote():
			return n.File.Body, nil
		case err != nil && !errors.Is(err, vault.NotFound) && !errors.Is(err, vault.AmbiguousPath):
			return nil, err
		}
	}
	return nil, vault.Errorf(vault.NotFound, "there is no template %s", show(name)).With("missing", "template").
		Next("Give the path of a note as template, or leave template out.")
}
