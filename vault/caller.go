package vault

import (
	"context"
	"slices"
)

// Scope is what a token lets its holder ask for.
type Scope string

// The scopes of the MCP resource.
const (
	ScopeRead  Scope = "mcp:read"
	ScopeWrite Scope = "mcp:write" // implies ScopeRead
)

// Need is what a tool wants from a vault. Authority decides on it, once, for each call.
type Need uint8

// Needs, from the least to the most.
const (
	NeedRead    Need = iota + 1 // read notes and their history
	NeedPropose                 // preview a change; nothing is written
	NeedApply                   // change notes
)

// Caller is who makes a call, and through what. It holds facts that authentication established, and no rights: those are looked up.
type Caller struct {
	Account  string   // account id
	Client   string   // name of the token or application, for the record
	Token    string   // id of the credential, never the secret
	Door     string   // "mcp", "rest", "webmcp", "stdio", "cli"
	Scopes   []Scope  // of the credential
	Mappings []string // handles that the credential is held to; nil is all of the account's
}

// Has reports whether the caller's credential carries s.
func (c Caller) Has(s Scope) bool {
	return slices.Contains(c.Scopes, s) || (s == ScopeRead && slices.Contains(c.Scopes, ScopeWrite))
}

type callerKey struct{}

// WithCaller returns a context that carries c. Doors set it once, after authentication.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the context's caller.
func CallerFrom(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
