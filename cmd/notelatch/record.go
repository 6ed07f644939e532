package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/vault"
)

// commandLine is the owner at the command line of the server's own machine, as a client.
const (
	commandLine = "command line"
	commandDoor = "cli"
)

// record appends what a command did to the owner's events. Tool is the command.
func (r *rooms) record(ctx context.Context, owner string, kind events.Kind, m mapping.ID, tool, reason string) error {
	e := events.Event{
		Account: owner, Mapping: string(m), At: r.now(), Kind: kind, Client: commandLine, Door: commandDoor, Tool: tool, Reason: reason,
	}
	err := r.db.Tx(ctx, func(tx *sqldb.Tx) error {
		_, err := r.events.Append(ctx, tx, []events.Event{e})
		return err
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

// recordToken records what a command did with a token. The secret is not part of it.
func (r *rooms) recordToken(ctx context.Context, kind events.Kind, t account.Token, tool string) error {
	return r.record(ctx, t.Account, kind, "", tool, fmt.Sprintf("%s (%s), %s", t.ID, t.Name, joinScopes(t.Scopes)))
}

// recordPolicy records that agents may write to a vault from now on, or no more; nothing if that is as it was.
func (r *rooms) recordPolicy(ctx context.Context, before, after mapping.Mapping, tool, reason string) error {
	may := func(m mapping.Mapping) bool { return m.AllowAgentWrites && !m.PullOnly }
	switch {
	case may(before) == may(after):
		return nil
	case may(after):
		return r.record(ctx, after.Account, events.WritesEnabled, after.ID, tool, reason)
	default:
		return r.record(ctx, after.Account, events.WritesDisabled, after.ID, tool, reason)
	}
}

// find returns the vault that a person named: a handle, or a name.
func (r *rooms) find(ctx context.Context, owner, ref string) (mapping.Joined, error) {
	j, err := r.mappings.Find(ctx, owner, ref)
	if errors.Is(err, vault.NotFound) {
		return mapping.Joined{}, usagef("there is no vault %q; notelatch vault list shows them", ref)
	}
	return j, err
}
