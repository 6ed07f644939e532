package tools

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/vault"
)

type listVaultsIn struct {
	Provider string `json:"provider,omitempty" jsonschema:"only vaults kept there, such as folder or hosted"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"nextCursor of an earlier answer; enough alone"`
}

type listVaultsOut struct {
	Caller     callerOut  `json:"caller"`
	Vaults     []vaultOut `json:"vaults"`
	NextCursor string     `json:"nextCursor,omitempty"`
	Answer
}

type callerOut struct {
	Account        string        `json:"account"`
	Client         string        `json:"client"`
	Plan           string        `json:"plan"`
	Scopes         []vault.Scope `json:"scopes"`
	OperationsLeft *int64        `json:"operationsLeft,omitempty"`
}

type vaultOut struct {
	MappingID         string     `json:"mappingId"`
	Name              string     `json:"name"`
	Provider          string     `json:"provider"`
	ReadOnly          bool       `json:"readOnly"`
	WriteAccess       string     `json:"writeAccess"`
	Encryption        string     `json:"encryption"`
	Available         bool       `json:"available"`
	UnavailableReason string     `json:"unavailableReason,omitempty"`
	NoteCount         *int       `json:"noteCount,omitempty"`
	Indexed           IndexState `json:"indexed"`
	Scopes            []string   `json:"scopes"` // context scopes; none exist yet
	LastSyncedAt      *time.Time `json:"lastSyncedAt,omitempty"`
}

func listVaults() *tool {
	return define(description{
		name:  "list_vaults",
		title: "List vaults",
		text: "List the note vaults that you may reach: mappingId for the other tools, name, number of notes, whether you may write " +
			"(writeAccess: none, propose, apply), and how far the search index is. Call this first when you do not know the mappingId.",
		class: reads,
		core:  true,
	}, func(ctx context.Context, c *Call, in listVaultsIn) (listVaultsOut, error) {
		account, err := c.Backend.Account(ctx, c.Caller)
		if err != nil {
			return listVaultsOut{}, err
		}
		rows, err := c.Backend.Vaults(ctx, c.Caller)
		if err != nil {
			return listVaultsOut{}, err
		}
		out := listVaultsOut{Caller: callerOut{
			Account: account.Account, Client: account.Client, Plan: account.Plan,
			Scopes: nonNil(account.Scopes), OperationsLeft: account.OperationsLeft,
		}, Vaults: []vaultOut{}}
		size := 0
		for i, r := range rows {
			if int64(i) < c.position || in.Provider != "" && r.Provider != in.Provider {
				continue
			}
			if size += 300 + len(r.Name) + len(r.UnavailableReason); size > usualAnswer && len(out.Vaults) > 0 {
				out.NextCursor = c.more(int64(i))
				out.bound(Bound{"answerBytes", usualAnswer})
				break
			}
			out.Vaults = append(out.Vaults, rowOut(r))
		}
		if len(out.Vaults) == 0 {
			out.Message = "No vault is connected that this credential may reach. The person can add one with: notelatch vault add, or serve --vault DIR."
			if in.Provider != "" && len(rows) > 0 {
				out.Message = "None of the " + count(len(rows), "vault") + " is kept at provider " + show(in.Provider) + ". Call again without provider."
			}
		}
		return out, nil
	})
}

func rowOut(r VaultRow) vaultOut {
	return vaultOut{
		MappingID: r.MappingID, Name: vault.EscapeHidden(r.Name), Provider: r.Provider, ReadOnly: r.ReadOnly,
		WriteAccess: r.WriteAccess, Encryption: r.Encryption, Available: r.Available, UnavailableReason: r.UnavailableReason,
		NoteCount: r.NoteCount, Indexed: r.Index, Scopes: []string{}, LastSyncedAt: r.LastSyncedAt,
	}
}
