package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/providers/hosted"
	"github.com/notelatch/notelatch/vault"
)

type vaultCmd struct {
	Add    vaultAddCmd    `cmd:"" help:"Add a folder, or a hosted vault, whose notes are kept in Notelatch's own database."`
	List   vaultListCmd   `cmd:"" help:"List vaults."`
	Set    vaultSetCmd    `cmd:"" help:"Change what agents may do with a vault."`
	Rename vaultRenameCmd `cmd:"" help:"Give a vault another name."`
	Remove vaultRemoveCmd `cmd:"" help:"Take a vault off the list. A folder stays as it is."`
	Import vaultImportCmd `cmd:"" help:"Copy a folder, zip or tar of notes into a hosted vault."`
	Export vaultExportCmd `cmd:"" help:"Copy a vault into a folder of Markdown."`
}

// vaultRow is a vault as the command line shows it.
type vaultRow struct {
	MappingID   mapping.ID `json:"mappingId"`
	Name        string     `json:"name"`
	Provider    string     `json:"provider"`
	Where       string     `json:"where,omitempty"`  // of a folder
	WriteAccess string     `json:"writeAccess"`      // none, propose, apply
	Reason      string     `json:"reason,omitempty"` // why it is not available, or why agents may not write
	Next        string     `json:"next,omitempty"`   // what changes that
	PullOnly    bool       `json:"pullOnly"`
	Available   bool       `json:"available"`

	refusal *vault.Error
}

// owned lists the vaults of an account as its owner sees them.
func (r *rooms) owned(ctx context.Context, owner string) ([]vaultRow, error) {
	list, err := r.authority.List(ctx, r.ownerCaller(owner))
	if err != nil {
		return nil, err
	}
	rows := make([]vaultRow, 0, len(list))
	for _, g := range list {
		row := vaultRow{
			MappingID: g.Mapping.ID, Name: g.Mapping.Name, Provider: g.Mapping.Provider, PullOnly: g.Mapping.PullOnly,
			WriteAccess: g.WriteAccess, Available: g.Unavailable == nil,
		}
		if g.Mapping.Provider == mapping.Folder {
			row.Where = g.Mapping.Root
		}
		switch {
		case g.Unavailable != nil:
			row.Reason = shown(g.Unavailable)
		case g.Refusal != nil:
			row.Reason, row.Next, row.refusal = g.Refusal.Message, g.Refusal.Hint, g.Refusal
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// ownerCaller is the owner at the command line of the server's own machine.
func (r *rooms) ownerCaller(owner string) vault.Caller {
	return vault.Caller{Account: owner, Client: commandLine, Door: commandDoor, Scopes: []vault.Scope{vault.ScopeRead, vault.ScopeWrite}}
}

// printVault prints one vault after it was changed.
func (r *rooms) printVault(ctx context.Context, s *streams, m mapping.Mapping, asJSON bool, what func(vaultRow) string) error {
	rows, err := r.owned(ctx, m.Account)
	if err != nil {
		return err
	}
	for _, row := range rows {
		switch {
		case row.MappingID != m.ID:
		case asJSON:
			return printJSON(s.out, row)
		default:
			_, err := fmt.Fprintf(s.out, "%s  %s  %s\n", row.MappingID, row.Name, what(row))
			return err
		}
	}
	return mapping.ErrNotFound()
}

// onVault runs f on the vault that ref names: a handle, or a name.
func onVault(ctx context.Context, s *streams, c *common, ref string, f func(r *rooms, j mapping.Joined) error) error {
	return withOwner(ctx, s, c, false, func(r *rooms, owner string) error {
		j, err := r.find(ctx, owner, ref)
		if err != nil {
			return err
		}
		return f(r, j)
	})
}

type vaultAddCmd struct {
	Dir    string `arg:"" optional:"" help:"Folder of notes."`
	Hosted string `help:"Make a hosted vault of this name instead." placeholder:"NAME"`
	Name   string `help:"What the vault is called. Default: the folder's name." placeholder:"NAME"`
	JSON   bool   `name:"json" help:"Print JSON."`
}

func (v *vaultAddCmd) Run(ctx context.Context, s *streams, c *common) error {
	if (v.Dir == "") == (v.Hosted == "") {
		return usagef("name a folder, or --hosted NAME; see notelatch vault add --help")
	}
	n := mapping.NewMapping{Provider: mapping.Folder, Name: v.Name}
	if v.Dir != "" {
		dir, err := resolveFolder(v.Dir)
		if err != nil {
			return err
		}
		n.Root, n.NameGiven = dir, v.Name != ""
		if n.Name == "" {
			n.Name = filepath.Base(dir)
		}
	}
	return withOwner(ctx, s, c, true, func(r *rooms, owner string) error {
		n.Account = owner
		var err error
		if v.Hosted != "" {
			n.Provider, n.Name, n.NameGiven = mapping.Hosted, v.Hosted, true
			if n.Root, err = hosted.Create(ctx, r.db, r.now, rand.Text); err != nil {
				return err
			}
		} else if j, err := r.mappings.ByRoot(ctx, owner, mapping.Folder, n.Root); err == nil {
			return r.printVault(ctx, s, j.Mapping, v.JSON, func(vaultRow) string { return "was a vault already" })
		}
		if n.Provider == mapping.Folder {
			if err := r.warnNested(ctx, s, owner, n.Root); err != nil {
				return err
			}
		}
		m, err := r.mappings.Create(ctx, n)
		if err != nil {
			return err
		}
		if err := r.record(ctx, owner, events.VaultMapped, m.ID, "vault add", m.Provider+" "+m.Name); err != nil {
			return err
		}
		return r.printVault(ctx, s, m, v.JSON, func(vaultRow) string { return "added" })
	})
}

// warnNested tells a person that a folder shares notes with a vault that there is already.
func (r *rooms) warnNested(ctx context.Context, s *streams, owner, dir string) error {
	list, err := r.mappings.List(ctx, owner)
	if err != nil {
		return err
	}
	for _, j := range list {
		m := j.Mapping
		if m.Provider != mapping.Folder || m.Root == dir {
			continue
		}
		if inside(m.Root, dir) || inside(dir, m.Root) {
			fmt.Fprintf(s.err, "Note: %s and the vault %s (%s) share notes; what agents may do is decided for each vault by itself.\n", dir, m.Name, m.Root)
		}
	}
	return nil
}

// inside reports whether path lies below dir.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

type vaultListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (v *vaultListCmd) Run(ctx context.Context, s *streams, c *common) error {
	rows := []vaultRow{}
	err := withOwner(ctx, s, c, false, func(r *rooms, owner string) (err error) {
		rows, err = r.owned(ctx, owner)
		return err
	})
	switch {
	case err != nil && !errors.As(err, new(noData)):
		return err
	case v.JSON:
		return printJSON(s.out, rows)
	case len(rows) == 0:
		fmt.Fprintln(s.err, "No vaults yet. Add one: notelatch vault add DIR")
		return nil
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HANDLE\tNAME\tPROVIDER\tWRITES\tWHERE")
	for _, row := range rows {
		where := row.Where
		if !row.Available {
			where += " (not available: " + row.Reason + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.MappingID, row.Name, row.Provider, row.WriteAccess, where)
	}
	return w.Flush()
}

type vaultSetCmd struct {
	Vault    string `arg:"" help:"Handle or name."`
	Writes   string `help:"on or off: whether agents may change notes." enum:"on,off," default:"" placeholder:"on|off"`
	PullOnly string `help:"on or off: refuse every write, whoever asks." enum:"on,off," default:"" placeholder:"on|off"`
	JSON     bool   `name:"json" help:"Print JSON."`
}

func (v *vaultSetCmd) Run(ctx context.Context, s *streams, c *common) error {
	if v.Writes == "" && v.PullOnly == "" {
		return usagef("say what to set: --writes on|off, --pull-only on|off")
	}
	return onVault(ctx, s, c, v.Vault, func(r *rooms, j mapping.Joined) error {
		m := j.Mapping
		var err error
		var set []string
		if v.Writes != "" {
			m.AllowAgentWrites = v.Writes == "on"
			err = r.mappings.SetWrites(ctx, m.Account, m.ID, m.AllowAgentWrites)
			set = append(set, "--writes "+v.Writes)
		}
		if err == nil && v.PullOnly != "" {
			m.PullOnly = v.PullOnly == "on"
			err = r.mappings.SetPullOnly(ctx, m.Account, m.ID, m.PullOnly)
			set = append(set, "--pull-only "+v.PullOnly)
		}
		if err == nil {
			err = r.recordPolicy(ctx, j.Mapping, m, "vault set", strings.Join(set, " "))
		}
		if err != nil {
			return err
		}
		return r.printVault(ctx, s, m, v.JSON, func(row vaultRow) string {
			if row.Reason != "" {
				return "writes: " + row.WriteAccess + " (" + strings.TrimSuffix(row.Reason+"; "+row.Next, "; ") + ")"
			}
			return "writes: " + row.WriteAccess
		})
	})
}

type vaultRenameCmd struct {
	Vault string `arg:"" help:"Handle or name."`
	Name  string `arg:"" help:"The new name."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (v *vaultRenameCmd) Run(ctx context.Context, s *streams, c *common) error {
	return onVault(ctx, s, c, v.Vault, func(r *rooms, j mapping.Joined) error {
		if err := r.mappings.Rename(ctx, j.Mapping.Account, j.Mapping.ID, v.Name); err != nil {
			return err
		}
		return r.printVault(ctx, s, j.Mapping, v.JSON, func(vaultRow) string { return "renamed" })
	})
}

type vaultRemoveCmd struct {
	Vault string `arg:"" help:"Handle or name."`
	Yes   bool   `help:"Needed for a hosted vault: its notes can then be reached no more. Export it first."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (v *vaultRemoveCmd) Run(ctx context.Context, s *streams, c *common) error {
	return onVault(ctx, s, c, v.Vault, func(r *rooms, j mapping.Joined) error {
		m := j.Mapping
		if m.Provider == mapping.Hosted && !v.Yes {
			return usagef("the notes of %s are kept here alone; export it first (notelatch vault export %s DIR), then remove it with --yes", m.Name, m.ID)
		}
		if err := r.mappings.Remove(ctx, m.Account, m.ID); err != nil {
			return err
		}
		if err := r.record(ctx, m.Account, events.VaultRemoved, m.ID, "vault remove", m.Provider+" "+m.Name); err != nil {
			return err
		}
		if v.JSON {
			return printJSON(s.out, struct {
				Removed mapping.ID `json:"removed"`
			}{m.ID})
		}
		kept := ""
		if m.Provider == mapping.Folder {
			kept = "; the folder " + m.Root + " is as it was"
		}
		_, err := fmt.Fprintf(s.out, "Removed %s (%s)%s.\n", m.Name, m.ID, kept)
		return err
	})
}

// shown is an error as a person may see it: what a client would be told, or the reason alone.
func shown(err error) string {
	var e *vault.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return reason(err).Error()
}
