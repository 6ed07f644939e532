package events

import (
	"testing"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// The hash of a stored event never changes: chains and receipts that people keep elsewhere depend on it.
func TestTheHashIsForEver(t *testing.T) {
	e := Event{Sequence: 7, ID: "evt_0", Account: "acc_0", Mapping: "map_0", At: time.UnixMilli(1772366400123), Kind: NoteChanged, Path: "a.md",
		Client: "Codex", Tool: "t", Door: "mcp", Transaction: "txn_0", Before: "r1", After: "r2", TrashID: "x", Reason: "y", PreviousHash: FirstHash}
	const want = "83349bfbb921bcbd5bd4570f3be586dc8b4601963270a8fbfcaad3919d1553f3" // computed by another program
	if got := e.hash(); got != want {
		t.Errorf("hash = %s, want %s", got, want)
	}
	seen := map[string]string{e.hash(): "nothing"}
	for field, change := range map[string]func(*Event){
		"Sequence": func(e *Event) { e.Sequence++ }, "ID": func(e *Event) { e.ID += "1" }, "Account": func(e *Event) { e.Account += "1" },
		"Mapping": func(e *Event) { e.Mapping += "1" }, "At": func(e *Event) { e.At = e.At.Add(time.Millisecond) },
		"Kind": func(e *Event) { e.Kind = NoteCreated }, "Path": func(e *Event) { e.Path = vault.Path("b.md") },
		"Client": func(e *Event) { e.Client += "1" }, "Tool": func(e *Event) { e.Tool += "1" }, "Door": func(e *Event) { e.Door += "1" },
		"Transaction": func(e *Event) { e.Transaction += "1" }, "Before": func(e *Event) { e.Before += "1" },
		"After": func(e *Event) { e.After += "1" }, "TrashID": func(e *Event) { e.TrashID += "1" },
		"Reason": func(e *Event) { e.Reason += "1" }, "PreviousHash": func(e *Event) { e.PreviousHash += "1" },
	} {
		c := e
		change(&c)
		if other, ok := seen[c.hash()]; ok {
			t.Errorf("a change of %s has the hash of a change of %s", field, other)
		}
		seen[c.hash()] = field
	}
}
