package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Sizes of answers, in bytes of JSON. Clients cut an answer at about 12,000 characters, so that tools page at usualAnswer.
const (
	usualAnswer = 8 << 10
	maxAnswer   = 64 << 10
)

// callTimeout ends a call before the shortest time after which clients give up (60 s).
const callTimeout = 45 * time.Second

// Inventory holds the tools. It is safe for concurrent use and never changes.
type Inventory struct {
	backend Backend
	meter   Meter
	key     []byte
	now     func() time.Time
	log     *slog.Logger

	tools  []*tool
	names  []string
	byName map[string]*tool
	lists  map[string]json.RawMessage
}

// New makes the inventory of every tool. The cursorKey authenticates cursors: replicas share one, and a new one ends all cursors.
// A nil meter counts nothing.
func New(backend Backend, meter Meter, cursorKey []byte, clock func() time.Time, log *slog.Logger) *Inventory {
	return newInventory(backend, meter, cursorKey, clock, log, all())
}

// all lists the tools in the order in which they are shown.
func all() []*tool {
	return []*tool{
		listVaults(),
		searchNotes(),
		getNoteContent(),
		queryGraphRelations(),
		translateCanvas(),
		getVaultSchema(),
		createOrAppendNote(),
		applyNoteTransaction(),
		proposeKnowledgeChange(),
		getKnowledgeEvents(),
	}
}

func newInventory(backend Backend, meter Meter, cursorKey []byte, clock func() time.Time, log *slog.Logger, list []*tool) *Inventory {
	inv := &Inventory{
		backend: backend, meter: meter, key: cursorKey, now: clock, log: log,
		tools: list, byName: make(map[string]*tool, len(list)),
	}
	for _, t := range list {
		if inv.byName[t.Name] != nil {
			panic("tools: two tools are named " + t.Name)
		}
		inv.byName[t.Name] = t
		inv.names = append(inv.names, t.Name)
	}
	inv.lists = lists(list)
	return inv
}

// Definitions lists the tools in a stable order, the same for every caller.
func (inv *Inventory) Definitions() []Definition {
	defs := make([]Definition, len(inv.tools))
	for i, t := range inv.tools {
		defs[i] = t.Definition
	}
	return defs
}

// Lookup finds one tool by name. The error is an *UnknownTool.
func (inv *Inventory) Lookup(name string) (Definition, error) {
	if t := inv.byName[name]; t != nil {
		return t.Definition, nil
	}
	return Definition{}, &UnknownTool{Name: name, Nearest: Nearest(name, inv.names)}
}

// List is the JSON array of descriptors of a named set: "core", "knowledge", or "" for all. It is shared: callers do not change it.
func (inv *Inventory) List(set string) (json.RawMessage, bool) {
	list, ok := inv.lists[set]
	return list, ok
}

// Call runs a tool and returns its answer, a pointer to a struct with json tags. The error is an *UnknownTool or a *vault.Error.
func (inv *Inventory) Call(ctx context.Context, c vault.Caller, tool string, args json.RawMessage) (any, error) {
	out, _, err := inv.call(ctx, c, tool, args)
	return out, err
}

// CallJSON is Call with the answer encoded: one JSON object of at most 64 KiB, in which <, > and & stand for themselves.
func (inv *Inventory) CallJSON(ctx context.Context, c vault.Caller, tool string, args json.RawMessage) ([]byte, error) {
	_, text, err := inv.call(ctx, c, tool, args)
	return text, err
}

// call is the choke point: whatever reaches a vault through a door passes here, in this order.
func (inv *Inventory) call(ctx context.Context, c vault.Caller, name string, args json.RawMessage) (out any, text []byte, err error) {
	t := inv.byName[name]
	if t == nil {
		_, err := inv.Lookup(name)
		return nil, nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			out, text, err = nil, nil, inv.contain(ctx, c, name, p)
		}
	}()
	if !c.Has(t.Scope) {
		return nil, nil, insufficient(c, t)
	}
	if inv.meter != nil {
		if err := inv.meter.Reserve(ctx, c, t.Definition); err != nil {
			return nil, nil, inv.settle(ctx, c, name, err)
		}
	}
	call := &Call{Caller: c, Backend: inv.backend, inv: inv, tool: t}
	in, err := inv.decode(call, args)
	if err != nil {
		return nil, nil, inv.settle(ctx, c, name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if out, err = t.handle(ctx, call, in); err != nil {
		return nil, nil, inv.settle(ctx, c, name, err)
	}
	if text = encode(out); len(text) > maxAnswer {
		return nil, nil, vault.Errorf(vault.BudgetExceeded, "the answer would have %d bytes; at most %d are sent", len(text), maxAnswer).
			With("limit", maxAnswer).Next("Ask for less at once: a smaller limit, fewer paths or fewer actions.")
	}
	return out, text, nil
}

func insufficient(c vault.Caller, t *tool) error {
	granted := c.Scopes
	if granted == nil {
		granted = []vault.Scope{}
	}
	scopes := string(vault.ScopeRead)
	if t.Scope == vault.ScopeWrite {
		scopes += "," + string(vault.ScopeWrite)
	}
	return vault.Errorf(vault.InsufficientScope, "%s needs the scope %s, which this credential does not have", t.Name, t.Scope).
		With("needed", t.Scope).With("granted", granted).
		Next("Ask the person for a token with more scope: notelatch token create --name NAME --scopes " + scopes)
}

// decode parses, understands and checks the arguments. It fills the call's args and position.
func (inv *Inventory) decode(call *Call, text json.RawMessage) (any, error) {
	given := map[string]any{}
	if len(text) > 0 {
		v, err := parse(text)
		if err != nil {
			return nil, vault.Errorf(vault.InvalidArgument, "%v", err).Next("Send the arguments as one JSON object.")
		}
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			return nil, vault.Errorf(vault.InvalidArgument, "the arguments must be an object, not %s", article(v)).
				Next("Send the arguments as one JSON object.")
		}
		if m != nil {
			given = m
		}
	}
	d := decoder{tool: call.tool.Name}
	var err error
	call.args = given
	if token, ok := given["cursor"].(string); ok && call.tool.paged {
		delete(given, "cursor")
		if call.args, call.position, err = inv.resume(call, token, given); err != nil {
			return nil, err
		}
	}
	in, err := call.tool.decode(&d, call.args)
	if err != nil {
		return nil, err
	}
	call.vaultName, call.understood = d.vaultName, d.understood
	return in, nil
}

// resume is the arguments that a cursor carries. What is given beside it must say the same; only limit may change.
func (inv *Inventory) resume(call *Call, token string, given map[string]any) (map[string]any, int64, error) {
	args, position, err := inv.unseal(call.Caller.Account, call.tool.Name, token)
	if err != nil || len(given) == 0 {
		return args, position, err
	}
	merged := maps.Clone(args)
	maps.Copy(merged, given)
	if _, err := call.tool.decode(&decoder{tool: call.tool.Name}, merged); err != nil {
		return nil, 0, err
	}
	limit := merged["limit"]
	delete(merged, "limit")
	before := args["limit"]
	delete(args, "limit")
	if !reflect.DeepEqual(args, merged) {
		return nil, 0, vault.Errorf(vault.InvalidCursor, "this cursor belongs to a call with other arguments").
			Next(fmt.Sprintf("Call %s with the cursor alone, or without it.", call.tool.Name))
	}
	if limit == nil {
		limit = before
	}
	if limit != nil {
		args["limit"] = limit
	}
	if name, ok := given["vault"]; ok {
		args["vault"] = name
	}
	return args, position, nil
}
