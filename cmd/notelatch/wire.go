package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/notelatch/notelatch/gateway"
	"github.com/notelatch/notelatch/gateway/backend"
	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/gateway/limit"
	"github.com/notelatch/notelatch/gateway/mcp"
	"github.com/notelatch/notelatch/gateway/mcphttp"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/providers/folder"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
)

// ownerName is what the first account is called until its owner says otherwise.
const ownerName = "owner"

// upkeepEvery is how often a server looks after what no call asks for.
const upkeepEvery = 30 * time.Second

// rooms are the parts of the program, built and connected.
type rooms struct {
	db        *sqldb.DB
	accounts  *account.Store
	mappings  *mapping.Store
	events    *events.Log
	vaults    *providers.Registry
	authority *governance.Authority
	txn       *txn.Service
	indexes   *index.Set
	log       *slog.Logger
	now       func() time.Time
	random    io.Reader

	wg sync.WaitGroup // what start began
}

type roomOptions struct {
	instance       string // what this process is to the journal; no other process that shares it may be the same
	log            *slog.Logger
	progress       io.Writer // where a person reads how far indexes are; nil tells nobody
	writesDisabled bool
	writeMappings  []string
}

// openRooms opens the database and connects the parts. This is the one place where clock and randomness come in.
func openRooms(ctx context.Context, databaseURL string, o roomOptions) (*rooms, error) {
	db, err := sqldb.Open(ctx, databaseURL)
	if err != nil && ctx.Err() == nil {
		return nil, usagef("the database cannot be reached or opened (%v); check --database, and that its server runs", err)
	}
	if err != nil {
		return nil, err
	}
	now, random := time.Now, rand.Reader
	r := &rooms{db: db, log: o.log, now: now, random: random}
	r.accounts = account.New(db, now, random)
	r.mappings = mapping.New(db, now, random)
	r.events = events.New(db, random)
	r.vaults = providers.NewRegistry(map[string]providers.Opener{
		"folder": func(ctx context.Context, root string) (providers.Driver, error) { return folder.Open(ctx, root, now) },
		"hosted": func(ctx context.Context, root string) (providers.Driver, error) {
			return hosted.Open(db, root, now, rand.Text), nil
		},
	})
	r.authority = governance.New(r.accounts, r.mappings, func(ctx context.Context, m mapping.Mapping, _ mapping.Connection) (*providers.Vault, error) {
		return r.vaults.Open(ctx, m.Provider, m.Root)
	}, governance.Options{WritesDisabled: o.writesDisabled, WritesOnlyTo: o.writeMappings})
	r.txn = txn.New(txn.NewSQLJournal(db, r.events), func(ctx context.Context, owner, id string) (*providers.Vault, error) {
		j, err := r.mappings.Joined(ctx, owner, mapping.ID(id))
		if err != nil {
			return nil, err
		}
		return r.vaults.Open(ctx, j.Mapping.Provider, j.Mapping.Root)
	}, txn.Holder{Instance: o.instance, Run: rand.Text()}, now, random, o.log)
	options := index.Options{Now: now, Log: o.log}
	if o.progress != nil {
		options.Progress = progressTo(o.progress, r.nameOf)
	}
	r.indexes = index.NewSet(options)
	return r, nil
}

// Close ends what runs and closes the database last.
func (r *rooms) Close() error {
	r.indexes.Close()
	r.wg.Wait()
	return errors.Join(r.vaults.Close(), r.db.Close())
}

// withOwner runs a command as the owner, on the data folder, beside a server that may be running. A command that makes something makes the
// folder and the account too; the others want them to be there, so that a mistyped --data is not answered with nothing.
func withOwner(ctx context.Context, s *streams, common *common, makes bool, f func(r *rooms, owner string) error) (err error) {
	open := findData
	if makes || common.Database != "" {
		open = openData
	}
	data, err := open(common.Data)
	if err != nil {
		return err
	}
	r, err := openRooms(ctx, data.databaseURL(common.Database), roomOptions{
		instance: "command " + rand.Text(), log: slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	owner, err := r.accounts.EnsureOwner(ctx, ownerName)
	if err != nil {
		return err
	}
	return f(r, owner.ID)
}

// face is how a server shows itself.
type face struct {
	origin           string // scheme://host[:port] as clients see it
	hosts            []string
	requests, writes int // in a minute
	vaults           int // that there are now
	readOnly         bool
}

// handler is the HTTP face of the rooms.
func (r *rooms) handler(ctx context.Context, f face) (http.Handler, error) {
	key, err := r.accounts.Secret(ctx, "cursors")
	if err != nil {
		return nil, err
	}
	meter := &limit.Meter{
		Counter:  limit.NewMemory(r.now),
		Requests: limit.Rate{N: f.requests, Per: time.Minute},
		Writes:   limit.Rate{N: f.writes, Per: time.Minute},
	}
	back := backend.New(r.authority, r.accounts, r.events, r.indexes, r.txn, r.now)
	inventory := tools.New(back, meter, key, r.now, r.log)
	resource := f.origin + gateway.MCPPath
	door, err := mcp.New(inventory, mcp.Options{
		Version:  version(),
		Verify:   r.verify,
		Meter:    meter,
		Hosts:    f.hosts,
		Origins:  []string{f.origin},
		Metadata: f.origin + gateway.ResourcePath + gateway.MCPPath,
		Vaults:   f.vaults,
		ReadOnly: f.readOnly,
		Log:      r.log,
	})
	if err != nil {
		return nil, err
	}
	return gateway.Handler(gateway.Routes{
		MCP: door,
		Resource: mcphttp.ResourceMetadata{
			Resource: resource, Scopes: []string{string(vault.ScopeRead), string(vault.ScopeWrite)}, Name: "Notelatch", Documentation: f.origin + "/",
		}.Handler(),
		Ready: r.db.Ping, Endpoint: resource, Version: version(),
	}), nil
}

// verify finds the caller of a bearer token.
func (r *rooms) verify(ctx context.Context, token, from string) (vault.Caller, error) {
	c, _, err := r.accounts.Verify(ctx, token, from)
	return c, err
}

// nameOf is what a vault is called now, and its handle if that cannot be found out.
func (r *rooms) nameOf(id mapping.ID) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	owner, err := r.accounts.Owner(ctx)
	if err != nil {
		return string(id)
	}
	j, err := r.mappings.Joined(ctx, owner.ID, id)
	if err != nil {
		return string(id)
	}
	return j.Mapping.Name
}

// start begins what goes on beside serving.
func (r *rooms) start(ctx context.Context, owner string) {
	r.wg.Go(func() {
		if err := r.txn.Start(ctx); err != nil {
			r.log.LogAttrs(ctx, slog.LevelError, "could not free what the last run held", slog.Any("err", err))
		}
		r.upkeep(ctx, owner)
		ticker := time.NewTicker(upkeepEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				r.upkeep(ctx, owner)
			}
		}
	})
}

// upkeep looks after transactions whose outcome was lost, drops old ones, and opens the indexes of the vaults that there are now.
func (r *rooms) upkeep(ctx context.Context, owner string) {
	for _, task := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"reconcile transactions", r.txn.Reconcile},
		{"drop old transactions", r.txn.Purge},
		{"prune hosted vaults", func(ctx context.Context) error { return hosted.Prune(ctx, r.db, r.now()) }},
		{"open indexes", func(ctx context.Context) error { return r.openIndexes(ctx, owner) }},
	} {
		if err := task.run(ctx); err != nil && ctx.Err() == nil {
			r.log.LogAttrs(ctx, slog.LevelError, "could not do upkeep", slog.String("task", task.name), slog.Any("err", err))
		}
	}
}

// openIndexes opens what is not open yet, and forgets the vaults that were removed. One that cannot be opened is said once by
// list_vaults, whenever it is asked, and tried again here.
func (r *rooms) openIndexes(ctx context.Context, owner string) error {
	list, err := r.mappings.List(ctx, owner)
	if err != nil {
		return err
	}
	ids := make([]mapping.ID, 0, len(list))
	for _, j := range list {
		m := j.Mapping
		ids = append(ids, m.ID)
		v, err := r.vaults.Open(ctx, m.Provider, m.Root)
		if err != nil {
			r.log.LogAttrs(ctx, slog.LevelDebug, "could not open vault", slog.String("mapping", string(m.ID)), slog.Any("err", err))
			continue
		}
		r.indexes.Open(m.ID, v)
	}
	r.indexes.Keep(ids)
	return nil
}
