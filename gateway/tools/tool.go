package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/notelatch/notelatch/vault"
)

// class decides a tool's hints and the scope that it needs.
type class struct {
	scope                                           vault.Scope
	readOnly, destructive, openWorld, consequential bool
}

// The classes of the contract's table of hints. Every tool is idempotent: reads by nature, writes by revision and key.
var (
	reads   = class{scope: vault.ScopeRead, readOnly: true}
	adds    = class{scope: vault.ScopeWrite, openWorld: true}
	changes = class{scope: vault.ScopeWrite, destructive: true, openWorld: true, consequential: true}
)

// description is what a tool says of itself.
type description struct {
	name      string
	title     string
	text      string // telling words first; 500 bytes at most
	class     class
	noteText  bool // its answers carry text of notes
	core      bool // in the set "core"
	knowledge bool // in the set "knowledge"
}

// tool is a Definition with the code behind it.
type tool struct {
	Definition
	in     *schema
	out    reflect.Type
	paged  bool // takes a cursor
	decode func(d *decoder, args map[string]any) (any, error)
	handle func(ctx context.Context, c *Call, in any) (any, error)
}

// define makes a tool of a function and its two types. In's fields are the arguments: json tags name them, jsonschema tags
// describe them, omitempty makes them optional, rule tags bound them. Out's top-level fields are the published answer.
func define[In, Out any](about description, run func(ctx context.Context, c *Call, in In) (Out, error)) *tool {
	t := &tool{in: schemaOf(reflect.TypeFor[In]()), out: reflect.TypeFor[Out]()}
	_, t.paged = t.in.byName["cursor"]
	t.Definition = Definition{
		Name:      about.name,
		Title:     about.title,
		Scope:     about.class.scope,
		Write:     about.class.scope == vault.ScopeWrite,
		Core:      about.core,
		Knowledge: about.knowledge,
		Untrusted: about.noteText,
	}
	t.Descriptor = t.describe(about)
	t.decode = func(d *decoder, args map[string]any) (any, error) {
		in := new(In)
		return in, d.object(t.in, args, reflect.ValueOf(in).Elem(), "")
	}
	t.handle = func(ctx context.Context, c *Call, in any) (any, error) {
		out, err := run(ctx, c, *in.(*In))
		if err != nil {
			return nil, err
		}
		if a, ok := any(&out).(interface{ understand([]string) }); ok && len(c.understood) > 0 {
			a.understand(c.understood)
		}
		return &out, nil
	}
	return t
}

// describe prints the descriptor that tools/list shows.
func (t *tool) describe(about description) json.RawMessage {
	security := []any{struct {
		Type   string        `json:"type"`
		Scopes []vault.Scope `json:"scopes"`
	}{"oauth2", []vault.Scope{about.class.scope}}}

	var b bytes.Buffer
	b.WriteByte('{')
	member(&b, "name", about.name)
	member(&b, "title", about.title)
	member(&b, "description", about.text)
	member(&b, "inputSchema", t.in)
	member(&b, "outputSchema", outputSchema(t.out))
	member(&b, "annotations", struct {
		ReadOnly      bool `json:"readOnlyHint"`
		Destructive   bool `json:"destructiveHint"`
		Idempotent    bool `json:"idempotentHint"`
		OpenWorld     bool `json:"openWorldHint"`
		Untrusted     bool `json:"untrustedContentHint"`
		Consequential bool `json:"consequentialHint"`
	}{about.class.readOnly, about.class.destructive, true, about.class.openWorld, about.noteText, about.class.consequential})
	member(&b, "securitySchemes", security)
	member(&b, "_meta", map[string]any{"securitySchemes": security})
	b.WriteByte('}')
	return b.Bytes()
}

// Answer is what every answer may say beside its own fields. It is embedded last.
type Answer struct {
	Message    string   `json:"message,omitempty"`
	Understood []string `json:"understood,omitempty"`
	Truncated  bool     `json:"truncated,omitempty"`
	Bounds     []Bound  `json:"bounds,omitempty"`
}

func (a *Answer) understand(taken []string) { a.Understood = taken }

// bound says that the answer met limits of the server. Each is named once.
func (a *Answer) bound(bs ...Bound) {
	for _, b := range bs {
		a.Truncated = true
		if !slices.Contains(a.Bounds, b) {
			a.Bounds = append(a.Bounds, b)
		}
	}
}
