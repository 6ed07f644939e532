// Package tools is the one contract that every door serves: which tools there are, what they take, what they answer, and what
// happens between a door and a vault.
//
// A tool is a Go function and two types, joined by define. The published schemas, the decoding of arguments and the reference
// document (TOOLS.md) all come from those types, so that they cannot disagree. Inventory.CallJSON is the way in: scope, meter,
// arguments, handler, size, in that order. A door adds nothing to an answer but its own envelope.
//
// The package imports vault alone, so that the same handlers run in a browser. The schemas are therefore printed and checked by
// the code in schema.go and decode.go, which knows the few keywords that the tools use; jsonschema-go is the oracle of its tests.
package tools
