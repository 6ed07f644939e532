package governance

import (
	"context"
	"fmt"
	"slices"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Opener opens the vault of a mapping. It is asked only after everything that the two records say allows it.
type Opener func(ctx context.Context, m mapping.Mapping, c mapping.Connection) (*providers.Vault, error)

// Options are rules of this server, above those of its accounts.
type Options struct {
	WritesDisabled bool     // no one changes notes through this server
	WritesOnlyTo   []string // handles of the vaults that writes are held to; nil for all
}

// Authority decides what a caller may do with a vault, on every call anew.
type Authority struct {
	accounts *account.Store
	mappings *mapping.Store
	open     Opener
	options  Options
}

// New returns the authority over the vaults of mappings.
func New(accounts *account.Store, mappings *mapping.Store, open Opener, o Options) *Authority {
	return &Authority{accounts: accounts, mappings: mappings, open: open, options: o}
}

// Access returns the vault for one call, or the vault.Error that says why not. It is one query, apart from opening the vault.
//
// A handle that is malformed, unknown, removed, somebody else's, or not one that the credential is held to is vault.NotFound, always
// in the same words. With vault.NeedApply the refusals are those of Access.Writable; with less, a vault that takes no writes opens.
func (a *Authority) Access(ctx context.Context, c vault.Caller, id mapping.ID, need vault.Need) (Access, error) {
	if err := scopeFor(c, need); err != nil {
		return Access{}, err
	}
	if !visible(c, id) {
		return Access{}, mapping.ErrNotFound()
	}
	j, err := a.mappings.Joined(ctx, c.Account, id)
	if err != nil {
		return Access{}, err
	}
	return a.admit(ctx, c, j, need)
}

// Only is Access to the one vault that the caller can name, in one query. Where there is none, or a choice, it is vault.NotFound.
func (a *Authority) Only(ctx context.Context, c vault.Caller, need vault.Need) (Access, error) {
	if err := scopeFor(c, need); err != nil {
		return Access{}, err
	}
	all, err := a.mappings.List(ctx, c.Account)
	if err != nil {
		return Access{}, err
	}
	all = slices.DeleteFunc(all, func(j mapping.Joined) bool { return !visible(c, j.Mapping.ID) })
	if len(all) != 1 {
		return Access{}, mapping.ErrNotFound()
	}
	return a.admit(ctx, c, all[0], need)
}

// visible reports whether the credential lets id be named at all.
func visible(c vault.Caller, id mapping.ID) bool {
	return c.Mappings == nil || slices.Contains(c.Mappings, string(id))
}

// switchedOff reports whether this server keeps everyone from changing the vault.
func (a *Authority) switchedOff(id mapping.ID) bool {
	return a.options.WritesDisabled || (a.options.WritesOnlyTo != nil && !slices.Contains(a.options.WritesOnlyTo, string(id)))
}

func (a *Authority) admit(ctx context.Context, c vault.Caller, j mapping.Joined, need vault.Need) (Access, error) {
	if err := j.Account.Usable(); err != nil {
		return Access{}, err
	}
	if err := usable(j.Connection); err != nil {
		return Access{}, err
	}
	access := Access{Caller: c, Mapping: j.Mapping, Connection: j.Connection, Need: need, writesDisabled: a.switchedOff(j.Mapping.ID)}
	if need == vault.NeedApply {
		// What the records refuse does not need the vault.
		if err := access.policy(); err != nil {
			return Access{}, err
		}
	}
	v, err := a.open(ctx, j.Mapping, j.Connection)
	if err != nil {
		return Access{}, fmt.Errorf("open vault %s: %w", j.Mapping.ID, err)
	}
	access.Vault = v
	if need == vault.NeedApply {
		if err := access.Writable(); err != nil {
			return Access{}, err
		}
	}
	return access, nil
}

// scopeFor checks that the credential is good for a need.
func scopeFor(c vault.Caller, need vault.Need) error {
	switch need {
	case vault.NeedRead, vault.NeedPropose:
		if !c.Has(vault.ScopeRead) {
			return insufficient(c, vault.ScopeRead)
		}
	case vault.NeedApply:
		if !c.Has(vault.ScopeWrite) {
			return insufficient(c, vault.ScopeWrite)
		}
	default:
		return fmt.Errorf("there is no need %d", need)
	}
	return nil
}

// usable checks that the connection works and can read.
func usable(c mapping.Connection) error {
	switch c.Status {
	case mapping.Active:
	case mapping.Revoked:
		return vault.Errorf(vault.ConnectionRevoked, "the connection to %s was revoked", c.Provider).
			Next("the owner connects it again, in the web app under Connections")
	case mapping.Expired:
		return vault.Errorf(vault.ConnectionExpired, "the connection to %s has expired", c.Provider).
			Next("the owner connects it again, in the web app under Connections")
	default:
		return fmt.Errorf("connection %s has the status %q", c.ID, c.Status)
	}
	if !c.Can(mapping.FilesRead) {
		return vault.Errorf(vault.CapabilityMissing, "the connection to %s does not allow reading files", c.Provider).
			Next("the owner connects it again, and allows reading files").With("capability", mapping.FilesRead)
	}
	return nil
}
