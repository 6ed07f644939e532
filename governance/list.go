package governance

import (
	"context"

	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Values of Row.WriteAccess.
const (
	WriteNone    = "none"    // the vault takes no changes from anyone here
	WritePropose = "propose" // changes can be previewed; Refusal says what applying them lacks
	WriteApply   = "apply"
)

// Row is one vault as its caller may see it.
type Row struct {
	Mapping     mapping.Mapping
	Vault       *providers.Vault // nil if it is not available
	Unavailable error            // why it cannot be opened; nil if it can
	WriteAccess string
	Refusal     *vault.Error // why an apply would be refused; nil if it would be accepted, or if the vault is not available
}

// List returns the vaults that the caller may see, oldest first, in one query, or two for an account without any. One that cannot be opened is there, and says why.
func (a *Authority) List(ctx context.Context, c vault.Caller) ([]Row, error) {
	if err := scopeFor(c, vault.NeedRead); err != nil {
		return nil, err
	}
	all, err := a.mappings.List(ctx, c.Account)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 { // then nothing told whether the account is active
		owner, err := a.accounts.Get(ctx, c.Account)
		if err != nil {
			return nil, err
		}
		return nil, owner.Usable()
	}
	var rows []Row
	for _, j := range all {
		if !visible(c, j.Mapping.ID) {
			continue
		}
		if err := j.Account.Usable(); err != nil {
			return nil, err
		}
		access, err := a.admit(ctx, c, j, vault.NeedRead)
		row := Row{Mapping: j.Mapping, Vault: access.Vault, Unavailable: err, WriteAccess: WriteNone}
		if err == nil {
			row.Refusal = access.Writable()
			row.WriteAccess = writeAccess(row.Refusal)
		}
		rows = append(rows, row)
	}
	return rows, ctx.Err()
}

// writeAccess is what a refusal leaves: what the owner or another token can change keeps previews worth making.
func writeAccess(refusal *vault.Error) string {
	if refusal == nil {
		return WriteApply
	}
	switch refusal.Code {
	case vault.InsufficientScope, vault.WritesDisabled, vault.WriteNotEnabled:
		return WritePropose
	}
	return WriteNone
}
