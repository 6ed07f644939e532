package governance

import (
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// Access is one vault, open for one call of one caller. It is made by Authority alone, and not kept for the next call.
type Access struct {
	Caller     vault.Caller
	Mapping    mapping.Mapping
	Connection mapping.Connection
	Vault      *providers.Vault
	Need       vault.Need

	writesDisabled bool
}

// Writable returns why an apply by this caller would be refused now, or nil if it is accepted: the first of the token's scope, the
// server's switch, the mapping's policy, the provider's capability, and encryption.
func (a Access) Writable() *vault.Error {
	if err := a.policy(); err != nil {
		return err
	}
	if a.Vault != nil && !a.Vault.Capabilities().Write {
		return vault.Errorf(vault.CapabilityMissing, "this %s vault can only be read", a.Mapping.Provider)
	}
	if a.Mapping.Encryption != mapping.Unencrypted {
		return vault.Errorf(vault.EncryptedVault, "the notes of this vault are encrypted on its owner's devices (%s)", a.Mapping.Encryption).
			Next("change them in the program that holds the key").With("encryption", a.Mapping.Encryption)
	}
	return nil
}

// policy is the part of Writable that the records decide.
func (a Access) policy() *vault.Error {
	switch {
	case !a.Caller.Has(vault.ScopeWrite):
		return insufficient(a.Caller, vault.ScopeWrite)
	case a.writesDisabled:
		return vault.Errorf(vault.WritesDisabled, "this server accepts no writes to this vault").Next("ask its operator to allow them")
	case a.Mapping.PullOnly:
		return vault.Errorf(vault.PullOnly, "this vault is mapped for reading only").
			Next("the owner can change that: notelatch vault set " + string(a.Mapping.ID) + " --pull-only off")
	case !a.Mapping.AllowAgentWrites:
		return vault.Errorf(vault.WriteNotEnabled, "the owner has not enabled writes to this vault").
			Next("the owner enables them with: notelatch vault set " + string(a.Mapping.ID) + " --writes on")
	case !a.Connection.Can(mapping.FilesWrite):
		return vault.Errorf(vault.CapabilityMissing, "the connection to %s does not allow writing files", a.Mapping.Provider).
			Next("the owner connects it again, and allows writing files").With("capability", mapping.FilesWrite)
	}
	return nil
}

func insufficient(c vault.Caller, needed vault.Scope) *vault.Error {
	granted := make([]string, len(c.Scopes))
	for i, s := range c.Scopes {
		granted[i] = string(s)
	}
	return vault.Errorf(vault.InsufficientScope, "this needs the scope %s, which the token does not have", needed).
		Next("use a token with the scope "+string(needed)).
		With("granted", granted).With("needed", string(needed))
}
