// Package toolstest is a Backend that behaves, in memory: real parsing, search, link resolution and planning over notes that are
// kept in a map. Tests of tools and of doors use it where no server is wanted.
package toolstest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/graph"
	"github.com/notelatch/notelatch/vault/plan"
	"github.com/notelatch/notelatch/vault/search"
)

// Account is the account that every vault of a Backend belongs to. Callers of other accounts see none.
const Account = "acc_owner"

// Caller is a caller of Account with these scopes.
func Caller(scopes ...vault.Scope) vault.Caller {
	return vault.Caller{Account: Account, Client: "test", Token: "tok_test", Door: "test", Scopes: scopes}
}

// Backend keeps vaults in memory. It is safe for concurrent use.
type Backend struct {
	now func() time.Time

	mu     sync.Mutex // guards what follows, and all that is in the vaults
	vaults []*Vault
	serial int
}

// New makes a backend without vaults.
func New(now func() time.Time) *Backend { return &Backend{now: now} }

// Add makes a vault of notes, from path to text. Access is "none", "propose" or "apply".
func (b *Backend) Add(name, access string, notes map[string]string) *Vault {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := &Vault{
		b: b, id: fmt.Sprintf("map_%026d", len(b.vaults)+1), name: name, access: access,
		files: make(map[vault.Path]vault.File), index: search.New(), graph: graph.New(),
		previews: make(map[string]*transaction), keys: make(map[string]*transaction),
	}
	for p, text := range notes {
		v.store(vault.Path(p), []byte(text))
	}
	b.vaults = append(b.vaults, v)
	return v
}

// Vaults implements tools.Backend.
func (b *Backend) Vaults(_ context.Context, c vault.Caller) ([]tools.VaultRow, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var rows []tools.VaultRow
	for _, v := range b.vaults {
		if !v.reachable(c) {
			continue
		}
		n, synced := len(v.files), b.now()
		rows = append(rows, tools.VaultRow{
			MappingID: v.id, Name: v.name, Provider: "memory", ReadOnly: v.access != "apply", WriteAccess: v.access, Encryption: "none",
			Available: true, NoteCount: &n, Index: tools.IndexState{State: "ready", Percent: 100}, LastSyncedAt: &synced,
		})
	}
	return rows, nil
}

// Account implements tools.Backend.
func (b *Backend) Account(_ context.Context, c vault.Caller) (tools.AccountRow, error) {
	return tools.AccountRow{Account: c.Account, Client: c.Client, Plan: "self-hosted", Scopes: c.Scopes}, nil
}

// Open implements tools.Backend.
func (b *Backend) Open(_ context.Context, c vault.Caller, mappingID string, need vault.Need) (tools.Vault, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range b.vaults {
		if v.id != mappingID || !v.reachable(c) {
			continue
		}
		if need == vault.NeedApply && v.access != "apply" {
			return nil, v.refusal()
		}
		return &session{Vault: v, caller: c}, nil
	}
	return nil, vault.Errorf(vault.NotFound, "there is no such vault").With("missing", "vault").
		Next("Call list_vaults for the handles that you may use.")
}

func (v *Vault) reachable(c vault.Caller) bool {
	if c.Account != Account {
		return false
	}
	for _, id := range c.Mappings {
		if id == v.id {
			return true
		}
	}
	return c.Mappings == nil
}

func (v *Vault) refusal() *vault.Error {
	return vault.Errorf(vault.WriteNotEnabled, "writing to this vault is not enabled").
		Next("Ask the person to enable it: notelatch vault set --allow-writes.")
}

// Vault is one vault of a Backend.
type Vault struct {
	b      *Backend
	id     string
	name   string
	access string

	files    map[vault.Path]vault.File
	index    *search.Index
	graph    *graph.Graph
	previews map[string]*transaction // by transaction
	keys     map[string]*transaction // by idempotency key
	events   []tools.Event           // oldest first
	settings vault.Settings
	types    vault.PropertyTypes
}

// ID is the handle.
func (v *Vault) ID() string { return v.id }

// Body is the stored text of a note, and whether there is one.
func (v *Vault) Body(p string) (string, bool) {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	f, ok := v.files[vault.Path(p)]
	return string(f.Body), ok
}

// Revision is the revision of a stored note.
func (v *Vault) Revision(p string) vault.Revision {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	return v.files[vault.Path(p)].Revision
}

// Edit stores a note as an editor outside would: without a transaction.
func (v *Vault) Edit(p, text string) {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	v.store(vault.Path(p), []byte(text))
}

// store keeps a body and indexes it.
func (v *Vault) store(p vault.Path, body []byte) vault.File {
	now := v.b.now()
	v.files[p] = vault.File{
		Entry: vault.Entry{Path: p, Revision: vault.Revision("r" + plan.Hash(body)[:20]), Size: int64(len(body)), ModifiedAt: now},
		Body:  body,
	}
	d := search.Doc{Path: p, Modified: now.UnixMilli(), Attachment: !p.IsNote()}
	if p.IsNote() {
		n := vault.Parse(p, body)
		v.graph.PutNote(n)
		d.Title, d.Aliases, d.Tags, d.Body = n.Title, n.Aliases, n.Tags, body[n.BodyStart:]
		for _, h := range n.Headings {
			d.Headings = append(d.Headings, h.Text)
		}
		for _, pr := range n.Properties {
			d.Properties = append(d.Properties, search.Property{Key: pr.Key, Values: values(pr.Value)})
		}
		for _, pr := range n.Problems {
			d.Problems = append(d.Problems, pr.Code)
		}
	} else if c, err := vault.ParseCanvas(body); err == nil && p.Ext() == ".canvas" {
		v.graph.Put(p, nil, c.Links(body))
	} else {
		v.graph.PutFile(p)
	}
	v.index.Put(d)
	return v.files[p]
}

func (v *Vault) remove(p vault.Path) {
	delete(v.files, p)
	v.graph.Remove(p)
	v.index.Remove(p)
}

func values(x any) []string {
	if list, ok := x.([]any); ok {
		var out []string
		for _, y := range list {
			out = append(out, values(y)...)
		}
		return out
	}
	return []string{strings.TrimSpace(fmt.Sprint(x))}
}
