package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/notelatch/notelatch/vault"
)

type echoIn struct {
	MappingID string   `json:"mappingId,omitempty" jsonschema:"a vault"`
	Path      Ref      `json:"path" jsonschema:"a note"`
	Content   string   `json:"content" jsonschema:"some text"`
	Limit     int      `json:"limit,omitempty" rule:"min=1,max=50,default=10" jsonschema:"a number"`
	Tags      []string `json:"tags,omitempty" jsonschema:"some words"`
	DryRun    bool     `json:"dryRun,omitempty" rule:"default=true" jsonschema:"a switch"`
}

type echoOut struct {
	Path    Ref    `json:"path"`
	Content string `json:"content"`
	DryRun  bool   `json:"dryRun"`
	Answer
}

type free struct{}

func (free) Reserve(context.Context, vault.Caller, Definition) error { return nil }

// BenchmarkCall is a trivial tool through scope, meter, decoding, checks and encoding.
func BenchmarkCall(b *testing.B) {
	echo := define(description{name: "echo", class: reads}, func(_ context.Context, _ *Call, in echoIn) (echoOut, error) {
		return echoOut{Path: in.Path, Content: in.Content, DryRun: in.DryRun}, nil
	})
	inv := newInventory(nil, free{}, []byte("key"), time.Now, slog.New(slog.DiscardHandler), []*tool{echo})
	c := vault.Caller{Account: "acc", Scopes: []vault.Scope{vault.ScopeRead}}
	args := json.RawMessage(`{"mappingId":"map_00000000000000000000000001","path":"Projects/Alpha.md","content":"- a line to add\n","limit":20,"tags":["one","two"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := inv.CallJSON(b.Context(), c, "echo", args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefuse is a call whose arguments are wrong.
func BenchmarkRefuse(b *testing.B) {
	inv := New(nil, free{}, []byte("key"), time.Now, slog.New(slog.DiscardHandler))
	c := vault.Caller{Account: "acc", Scopes: []vault.Scope{vault.ScopeRead}}
	args := json.RawMessage(`{"querry":"alpha","limit":20}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := inv.CallJSON(b.Context(), c, "search_notes", args); err == nil {
			b.Fatal("no error")
		}
	}
}
