package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/notelatch/notelatch/vault"
)

// UnknownTool is the error of a call to a tool that does not exist. It is the protocol's failure, not the tool's: MCP answers it
// with -32602.
type UnknownTool struct {
	Name    string
	Nearest string // "" when none is close
}

func (e *UnknownTool) Error() string {
	if e.Nearest == "" {
		return "there is no tool " + show(e.Name)
	}
	return fmt.Sprintf("there is no tool %s; did you mean %q?", show(e.Name), e.Nearest)
}

// Failure is the one JSON shape of an error that an agent can act on.
type Failure struct {
	Error FailureBody `json:"error"`
}

// FailureBody says what failed, and what to do next.
type FailureBody struct {
	Code      vault.Code     `json:"code"`
	Message   string         `json:"message"`
	Retryable bool           `json:"retryable"`
	Details   map[string]any `json:"details,omitempty"`
	Next      string         `json:"next,omitempty"`
}

// Fail turns an error of Call or CallJSON into its wire shape.
func Fail(err error) Failure {
	e := vault.AsError(err)
	return Failure{FailureBody{Code: e.Code, Message: e.Message, Retryable: e.Code.Retryable(), Details: e.Details, Next: e.Hint}}
}

// FailJSON is Fail, encoded as it goes into a result's text.
func FailJSON(err error) []byte { return encode(Fail(err)) }

// settle makes a vault.Error of whatever a handler returned. What has none is logged and hidden.
func (inv *Inventory) settle(ctx context.Context, c vault.Caller, tool string, err error) error {
	var known *vault.Error
	if errors.As(err, &known) {
		if field, ok := known.Details["field"].(string); ok && known.Hint == "" && known.Code == vault.InvalidArgument {
			return known.Next("Correct " + field + " and call " + tool + " again.")
		}
		return known
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return vault.Errorf(vault.DeadlineExceeded, "the call took longer than it may").
			Next("Ask for less at once, or call again.")
	}
	inv.log.LogAttrs(ctx, slog.LevelError, "tool failed",
		slog.String("tool", tool), slog.String("account", c.Account), slog.String("door", c.Door), slog.Any("error", err))
	return vault.AsError(err)
}

// contain turns a panic into an internal error. The value of a panic may hold text of a note, so that only its type, the places
// in the code, and what the runtime itself says are logged.
func (inv *Inventory) contain(ctx context.Context, c vault.Caller, tool string, p any) error {
	what := fmt.Sprintf("%T", p)
	if e, ok := p.(runtime.Error); ok {
		what = e.Error()
	}
	inv.log.LogAttrs(ctx, slog.LevelError, "tool panicked",
		slog.String("tool", tool), slog.String("account", c.Account), slog.String("door", c.Door),
		slog.String("panic", what), slog.Any("at", frames()))
	return vault.AsError(errors.New(what))
}

// frames lists where the panic came from, innermost first.
func frames() []string {
	const most = 12
	pcs := make([]uintptr, 32)
	pcs = pcs[:runtime.Callers(3, pcs)]
	var at []string
	for it := runtime.CallersFrames(pcs); len(at) < most; {
		f, more := it.Next()
		at = append(at, fmt.Sprintf("%s:%d", f.Function, f.Line))
		if !more {
			break
		}
	}
	return at
}
