package vault

import (
	"errors"
	"fmt"
	"maps"
)

// Error is the one kind of error that reaches a client. Its message is safe to show; everything else is Internal and goes to the log.
type Error struct {
	Code    Code
	Message string         // one sentence that says what is wrong
	Hint    string         // what to do next: one sentence, or the exact call that would succeed
	Details map[string]any // JSON values that a program can act on
}

// Errorf makes an Error. The arguments must be safe to show to the caller.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Is makes errors.Is(err, vault.NotFound) work.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Next returns a copy of e that says what to do next.
func (e *Error) Next(hint string) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// With returns a copy of e with one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = make(map[string]any, 1)
	}
	c.Details[key] = value
	return &c
}

// AsError finds the Error in err's chain. Whatever has none is Internal, with a message that tells nothing.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "something went wrong on the server; it is in the log"}
}
