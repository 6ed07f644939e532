// Package mcp is the door for MCP clients: the tools of an Inventory, served by the kit in mcphttp. It adds nothing to a
// tool. It finds out who is calling, hands the call on, and writes the answer in the protocol's form.
//
// What can be told apart from here alone: a refusal to authenticate is HTTP (401, or 403 for an account that is not
// active); a tool that does not exist is a protocol error; everything else that goes wrong is a result with isError,
// whose text is the one JSON shape of tools.Failure. A rate limit is met in Inventory.Call by a call of a tool, and here
// by the other methods.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/notelatch/notelatch/gateway/mcphttp"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/vault"
)

// Meter counts the requests that call no tool; the Inventory counts those that do. A refusal is a vault.Error.
type Meter interface {
	Request(ctx context.Context, c vault.Caller) error
}

// Options are what the door needs to know of its server. Version and Verify are required.
type Options struct {
	Version string

	// Verify finds the caller that a bearer token stands for; from is the address of the request. Its error is
	// account.ErrInvalidToken, a vault.Error that says why the account may not come in, or a failure, which is logged.
	Verify func(ctx context.Context, token, from string) (vault.Caller, error)

	Meter    Meter    // nil counts nothing
	Hosts    []string // names that the server answers for, beside those of loopback
	Origins  []string // origins of pages that may use it, beside those of loopback
	Metadata string   // absolute URL of the resource document, for the challenge
	Vaults   int      // how many vaults there are to tell the model about; 0 if that is not known
	ReadOnly bool     // the server accepts no writes
	Log      *slog.Logger
}

// tokenPrefix begins every token that account.Store makes.
const tokenPrefix = "bda_"

// New returns the endpoint over an Inventory.
func New(inventory *tools.Inventory, o Options) (*mcphttp.Handler[vault.Caller], error) {
	if o.Verify == nil {
		return nil, errors.New("mcp: Verify is required")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return mcphttp.New(mcphttp.Options[vault.Caller]{
		Name:         "notelatch",
		Title:        "Notelatch",
		Version:      o.Version,
		Instructions: tools.Instructions(tools.Deployment{Vaults: o.Vaults, Writes: !o.ReadOnly}),
		Tools:        newTools(inventory),
		Authenticate: o.authenticate,
		Challenge:    mcphttp.Challenge{ResourceMetadata: o.Metadata, Scope: string(vault.ScopeRead)},
		TokenPrefix:  tokenPrefix,
		Admit:        o.admit,
		Hosts:        o.Hosts,
		Origins:      o.Origins,
		Log:          o.Log,
	})
}

func (o Options) authenticate(ctx context.Context, r *http.Request, token string) (vault.Caller, error) {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		from = r.RemoteAddr
	}
	c, err := o.Verify(ctx, token, from)
	var known *vault.Error
	switch {
	case err == nil:
		c.Door = "mcp"
		return c, nil
	case errors.As(err, &known):
		return c, &mcphttp.Error{
			Code: http.StatusForbidden, Status: http.StatusForbidden, Message: known.Message, Data: tools.Fail(known).Error,
		}
	case errors.Is(err, account.ErrInvalidToken):
		return c, mcphttp.ErrToken
	}
	return c, fmt.Errorf("verify a token: %w", err)
}

// admit counts what calls no tool. A count that failed refuses: a limit that fails open is none.
func (o Options) admit(ctx context.Context, c vault.Caller, op mcphttp.Operation) *mcphttp.Refusal {
	if o.Meter == nil || op.Method == "tools/call" {
		return nil
	}
	err := o.Meter.Request(ctx, c)
	if err == nil {
		return nil
	}
	var known *vault.Error
	if !errors.As(err, &known) {
		o.Log.LogAttrs(ctx, slog.LevelError, "could not count a request", slog.String("account", c.Account), slog.Any("error", err))
		known = vault.AsError(err)
	}
	return &mcphttp.Refusal{Message: known.Message, RetryAfter: retryAfter(known)}
}

// retryAfter is how long a refusal asks to wait; 0 if it does not say.
func retryAfter(err *vault.Error) time.Duration {
	switch seconds := err.Details["retryAfterSeconds"].(type) {
	case int:
		return time.Duration(seconds) * time.Second
	case int64:
		return time.Duration(seconds) * time.Second
	}
	return 0
}
