package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/notelatch/notelatch/vault"
)

// Opener opens the vault at one root of a provider. What a root is, the provider says: a directory, the id of a hosted vault.
type Opener func(ctx context.Context, root string) (Driver, error)

// Registry opens vaults by the name of their provider and keeps them open, so that mappings of one root share one driver with its
// watches and locks. The zero Registry knows no provider.
type Registry struct {
	openers map[string]Opener

	mu     sync.Mutex // guards held and closed; never held while a vault is opened
	held   map[place]*opening
	closed bool
}

type place struct{ provider, root string }

type opening struct {
	done  chan struct{}
	vault *Vault
	err   error
}

// NewRegistry returns a registry of the providers in openers.
func NewRegistry(openers map[string]Opener) *Registry {
	return &Registry{openers: openers, held: make(map[place]*opening)}
}

// Providers are the names that Open knows, sorted.
func (r *Registry) Providers() []string {
	names := make([]string, 0, len(r.openers))
	for name := range r.openers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open returns the vault at root, opening it if no one has, and anew if its driver is Adrift. A failure is not remembered.
func (r *Registry) Open(ctx context.Context, provider, root string) (*Vault, error) {
	open, ok := r.openers[provider]
	if !ok {
		return nil, vault.Errorf(vault.UnsupportedHere, "this server has no provider %q", provider).
			With("providers", r.Providers())
	}
	key := place{provider, root}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errors.New("open a vault: the registry is closed")
	}
	o, held := r.held[key]
	if !held {
		o = &opening{done: make(chan struct{})}
		r.held[key] = o
	}
	r.mu.Unlock()
	if held {
		select {
		case <-o.done:
			if o.err == nil && o.vault.adrift() {
				if err := r.forget(key, o); err != nil {
					return nil, fmt.Errorf("close a vault that has moved: %w", err)
				}
				return r.Open(ctx, provider, root)
			}
			return o.vault, o.err
		case <-ctx.Done():
			return nil, contextError(ctx.Err())
		}
	}
	return r.fill(ctx, key, o, open)
}

func (r *Registry) fill(ctx context.Context, key place, o *opening, open Opener) (*Vault, error) {
	// Others wait for this opening: that its own caller gave up must not fail them.
	d, err := open(context.WithoutCancel(ctx), key.root)
	if err != nil {
		o.err = err
	} else {
		o.vault = New(d)
	}
	r.mu.Lock()
	if err != nil {
		delete(r.held, key)
	}
	r.mu.Unlock()
	close(o.done)
	return o.vault, o.err
}

// forget closes a vault, unless someone else has.
func (r *Registry) forget(key place, o *opening) error {
	r.mu.Lock()
	mine := r.held[key] == o
	if mine {
		delete(r.held, key)
	}
	r.mu.Unlock()
	if !mine {
		return nil
	}
	return o.vault.Close()
}

// Drop closes the vault at root, if it is open: its mapping was removed, or its connection revoked.
func (r *Registry) Drop(provider, root string) error {
	key := place{provider, root}
	r.mu.Lock()
	o, ok := r.held[key]
	delete(r.held, key)
	r.mu.Unlock()
	if !ok {
		return nil
	}
	<-o.done
	if o.vault == nil {
		return nil
	}
	return o.vault.Close()
}

// Close closes every vault; nothing can be opened afterwards.
func (r *Registry) Close() error {
	r.mu.Lock()
	held := r.held
	r.held, r.closed = nil, true
	r.mu.Unlock()
	var errs []error
	for key, o := range held {
		<-o.done
		if o.vault == nil {
			continue
		}
		if err := o.vault.Close(); err != nil {
			errs = append(errs, fmt.Errorf("at %s %s: %w", key.provider, key.root, err))
		}
	}
	return errors.Join(errs...)
}
