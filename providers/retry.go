package providers

import (
	"context"
	"errors"
	"time"

	"github.com/notelatch/notelatch/vault"
)

const (
	attempts  = 3
	firstWait = 50 * time.Millisecond // doubled each time
	longest   = 2 * time.Second       // a provider that asks for more is not waited for
)

// final is an error that must not be retried, whatever its code.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// retry calls read until it succeeds, at most three times, as long as what it answers may pass and ctx allows.
func retry[T any](ctx context.Context, read func() (T, error)) (T, error) {
	var none T
	wait := firstWait
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return none, contextError(err)
		}
		got, err := read()
		if err == nil {
			return got, nil
		}
		pause := max(wait, retryAfter(err))
		if n == attempts || !passing(err) || pause > longest {
			return got, unwrap(ctx, err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return got, err // says more than that time ran out
		}
		wait *= 2
	}
}

// passing reports whether the same read may succeed in a moment.
func passing(err error) bool {
	if _, ok := err.(final); ok {
		return false
	}
	var e *vault.Error
	return errors.As(err, &e) && e.Code.Retryable() && e.Code != vault.DeadlineExceeded
}

// retryAfter is what the provider asked for, in the error's details.
func retryAfter(err error) time.Duration {
	var e *vault.Error
	if !errors.As(err, &e) {
		return 0
	}
	switch s := e.Details["retryAfterSeconds"].(type) {
	case int:
		return time.Duration(s) * time.Second
	case float64:
		return time.Duration(s * float64(time.Second))
	}
	return 0
}

func unwrap(ctx context.Context, err error) error {
	if f, ok := err.(final); ok {
		err = f.error
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return contextError(ctx.Err())
	}
	return err
}

// contextError is what a caller is told when the context ended a read, or kept a write from starting. A cancelled call has nobody to
// tell, and keeps its own error.
func contextError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return vault.Errorf(vault.DeadlineExceeded, "the vault did not answer in time").
			Next("Ask for less, or try again.")
	}
	return err
}
