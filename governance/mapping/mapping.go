// Package mapping keeps the account's explicit records that a root inside a provider is a vault, and the connections that they use.
//
// A connection alone is no authority over a vault, and a handle alone is no credential: Joined reads both records, and the account,
// in one query, and whoever decides on a call decides on that. A root never leaves the server.
package mapping

import (
	"fmt"
	"slices"
	"time"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/internal/opaque"
	"github.com/notelatch/notelatch/vault"
)

// ID is the opaque handle by which callers name a vault: map_ and 128 random bits.
type ID string

const prefix = "map_"

// ParseID returns s as a handle, and whether it has the form of one.
func ParseID(s string) (ID, bool) { return ID(s), opaque.Valid(s, prefix) }

// Names of providers that need no authorisation by someone else: their connection is made with the first mapping.
const (
	Hosted = "hosted"
	Folder = "folder"
)

// Unencrypted is the Encryption of a vault whose bodies can be read.
const Unencrypted = "none"

// Mapping is one vault of an account.
type Mapping struct {
	ID               ID
	Account          string
	Name             string // unique among the account's
	Provider         string
	Root             string // where in the provider: a folder's path, a hosted vault's id
	ConnectionID     string
	PullOnly         bool
	AllowAgentWrites bool
	Encryption       string // Unencrypted, or the kind of device-held encryption
	Created          time.Time
	Removed          time.Time // zero while it is in use
}

// Status is whether a connection works.
type Status string

// The statuses.
const (
	Active  Status = "active"
	Revoked Status = "revoked"
	Expired Status = "expired"
)

// Capabilities of a connection: what the provider was asked to allow, and did.
const (
	FilesRead  = "files.read"
	FilesWrite = "files.write"
)

// Connection is an account's authorised link to a provider.
type Connection struct {
	ID           string // con_…
	Account      string
	Provider     string
	Status       Status
	Capabilities []string
	Credentials  []byte // sealed; empty where none are needed
}

// Can reports whether the connection has the capability.
func (c Connection) Can(capability string) bool { return slices.Contains(c.Capabilities, capability) }

// Joined is a mapping with what it depends on, as of one moment.
type Joined struct {
	Mapping    Mapping
	Connection Connection
	Account    account.Account
}

// ErrNotFound is the answer to a handle that is malformed, unknown, removed, or somebody else's: always the same words, so that
// guessing tells nothing.
func ErrNotFound() *vault.Error {
	return vault.Errorf(vault.NotFound, "there is no such vault").Next("call list_vaults for the vaults that you can use")
}

func nameTaken(name string) *vault.Error {
	return vault.Errorf(vault.AlreadyExists, "there is a vault called %q already", name).Next("choose another name")
}

func checkName(name string) error {
	if !account.ValidName(name) {
		return vault.Errorf(vault.InvalidArgument, "the name of a vault has 1 to 200 bytes and no control characters").With("field", "name")
	}
	return nil
}

// numbered returns the nth variant of a name: Notes, Notes (2), Notes (3).
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d)", name, n)
}
