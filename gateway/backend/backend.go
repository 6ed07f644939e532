// Package backend is what tools ask for, on the server: it joins Authority (may this caller?), the index (fast reads that are checked) and
// the transaction service (the one way to change a note). It owns no rule of its own.
package backend

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
)

// wallTime is how long one read may take in all.
const wallTime = 5 * time.Second

// Backend implements tools.Backend.
type Backend struct {
	authority *governance.Authority
	accounts  *account.Store
	events    *events.Log
	indexes   *index.Set
	txn       *txn.Service
	now       func() time.Time
}

// New joins the rooms.
func New(a *governance.Authority, accounts *account.Store, ev *events.Log, ix *index.Set, t *txn.Service, now func() time.Time) *Backend {
	return &Backend{authority: a, accounts: accounts, events: ev, indexes: ix, txn: t, now: now}
}

// Account implements tools.Backend.
func (b *Backend) Account(ctx context.Context, c vault.Caller) (tools.AccountRow, error) {
	a, err := b.accounts.Get(ctx, c.Account)
	if err != nil {
		return tools.AccountRow{}, err
	}
	return tools.AccountRow{Account: a.Name, Client: c.Client, Plan: a.Plan, Scopes: c.Scopes}, nil
}

// Open implements tools.Backend. Without an id it opens the only vault there is.
func (b *Backend) Open(ctx context.Context, c vault.Caller, id string, need vault.Need) (tools.Vault, error) {
	var access governance.Access
	var err error
	if id == "" {
		access, err = b.authority.Only(ctx, c, need)
	} else {
		access, err = b.authority.Access(ctx, c, mapping.ID(id), need)
	}
	if err != nil {
		return nil, err
	}
	return &open{Backend: b, access: access, index: b.indexes.Open(access.Mapping.ID, access.Vault)}, nil
}

// open is one vault, for one call.
type open struct {
	*Backend
	access governance.Access
	index  *index.Index
}

func (o *open) ID() string { return string(o.access.Mapping.ID) }

// check makes the index current, and says as of when.
func (o *open) check(ctx context.Context) (tools.Freshness, error) {
	checked, err := o.index.Revalidate(ctx)
	if err != nil {
		return tools.Freshness{}, err
	}
	return tools.Freshness{Source: "index", AsOf: checked.AsOf.UTC()}, nil
}

func (o *open) coverage() tools.Coverage {
	c := o.index.Coverage()
	return tools.Coverage{Searched: c.Searched, Of: c.Of, Encrypted: c.Encrypted, Unreadable: c.Unread}
}
