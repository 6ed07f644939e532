package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/notelatch/notelatch/gateway/mcphttp"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
)

// untrusted says, to clients that look there, that a result holds text of notes.
const untrusted = `{"notelatch/untrusted":true}`

// inventoryTools are the tools of an Inventory in the kit's terms.
type inventoryTools struct {
	inventory *tools.Inventory
	marked    map[string]bool // tools whose answers carry text of notes
}

func newTools(inventory *tools.Inventory) *inventoryTools {
	t := &inventoryTools{inventory: inventory, marked: map[string]bool{}}
	for _, d := range inventory.Definitions() {
		t.marked[d.Name] = d.Untrusted
	}
	return t
}

// Sets implements mcphttp.Tools: all tools, and those that ?tools=core and ?tools=knowledge select.
func (t *inventoryTools) Sets() map[string][]mcphttp.Tool {
	sets := map[string][]mcphttp.Tool{"": nil, "core": nil, "knowledge": nil}
	for _, d := range t.inventory.Definitions() {
		tool := mcphttp.Tool{Name: d.Name, Descriptor: d.Descriptor}
		sets[""] = append(sets[""], tool)
		if d.Core {
			sets["core"] = append(sets["core"], tool)
		}
		if d.Knowledge {
			sets["knowledge"] = append(sets["knowledge"], tool)
		}
	}
	return sets
}

// Call implements mcphttp.Tools.
func (t *inventoryTools) Call(ctx context.Context, c vault.Caller, r *mcphttp.Request) (mcphttp.Result, error) {
	text, err := t.inventory.CallJSON(vault.WithCaller(ctx, c), c, r.Tool, r.Arguments)
	result := mcphttp.Result{Structured: text}
	var unknown *tools.UnknownTool
	switch {
	case errors.As(err, &unknown):
		return result, &mcphttp.Error{Code: mcphttp.CodeInvalidParams, Message: unknown.Error(), Data: map[string]string{"nearest": unknown.Nearest}}
	case err != nil:
		result = mcphttp.Result{Structured: tools.FailJSON(err), IsError: true, RetryAfter: retryAfter(vault.AsError(err))}
	}
	if t.marked[r.Tool] {
		result.Meta = json.RawMessage(untrusted)
	}
	return result, nil
}
