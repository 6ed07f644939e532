package tools

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// Call is one call of a tool, as its handler sees it.
type Call struct {
	Caller  vault.Caller
	Backend Backend

	inv        *Inventory
	tool       *tool
	args       map[string]any // as they were understood, without the cursor
	vaultName  string         // given as "vault"
	position   int64          // where the cursor goes on; 0 at the start
	understood []string
}

// Now is the time of the call.
func (c *Call) Now() time.Time { return c.inv.now() }

// open opens the vault that the call is about. Without a handle it is the only one there is.
func (c *Call) open(ctx context.Context, mappingID string, need vault.Need) (Vault, error) {
	if c.vaultName != "" {
		named, err := c.named(ctx)
		if err != nil {
			return nil, err
		}
		if mappingID != "" && mappingID != named {
			return nil, vault.Errorf(vault.InvalidArgument, "vault is another name for mappingId, and the two have different values").
				With("field", "vault").Next("Give mappingId alone.")
		}
		mappingID = named
	}
	if mappingID != "" && !strings.HasPrefix(mappingID, "map_") { // a name, which people and models take for the handle
		c.vaultName = mappingID
		named, err := c.named(ctx)
		if err != nil {
			return nil, err
		}
		mappingID = named
	}
	v, err := c.Backend.Open(ctx, c.Caller, mappingID, need)
	if mappingID == "" && errors.Is(err, vault.NotFound) {
		// A backend that can open the only vault in one step has done so. Here there is no such step, no vault, or a choice.
		if mappingID, err = c.only(ctx); err == nil {
			v, err = c.Backend.Open(ctx, c.Caller, mappingID, need)
		}
	}
	if err != nil {
		return nil, err
	}
	// What follows from here, cursors and next calls, names the vault, also when a second one appears meanwhile.
	c.args["mappingId"] = v.ID()
	return v, nil
}

func (c *Call) only(ctx context.Context) (string, error) {
	rows, err := c.Backend.Vaults(ctx, c.Caller)
	if err != nil {
		return "", err
	}
	switch len(rows) {
	case 0:
		return "", vault.Errorf(vault.NotFound, "no vault is connected that this credential may reach").
			Next("Ask the person to add one: notelatch vault add, or serve --vault DIR.")
	case 1:
		return rows[0].MappingID, nil
	}
	return "", choose(vault.InvalidArgument, rows, "mappingId is needed, as there are %d vaults", len(rows))
}

// named resolves the argument "vault": a handle, or a name that only one vault has.
func (c *Call) named(ctx context.Context) (string, error) {
	rows, err := c.Backend.Vaults(ctx, c.Caller)
	if err != nil {
		return "", err
	}
	want, found := vault.Fold(c.vaultName), []string(nil)
	for _, r := range rows {
		if r.MappingID == c.vaultName {
			return r.MappingID, nil
		}
		if vault.Fold(r.Name) == want {
			found = append(found, r.MappingID)
		}
	}
	switch len(found) {
	case 0:
		return "", choose(vault.NotFound, rows, "there is no vault %s", show(c.vaultName))
	case 1:
		c.understood = append(c.understood, "vault "+show(c.vaultName)+" was taken as mappingId "+found[0])
		return found[0], nil
	}
	return "", choose(vault.InvalidArgument, rows, "%d vaults are named %s", len(found), show(c.vaultName))
}

// choose is the error that lists the vaults to choose from.
func choose(code vault.Code, rows []VaultRow, format string, args ...any) error {
	const most = 20
	type choice struct {
		MappingID string `json:"mappingId"`
		Name      string `json:"name"`
	}
	list := make([]choice, 0, min(len(rows), most))
	for _, r := range rows[:min(len(rows), most)] {
		list = append(list, choice{r.MappingID, vault.EscapeHidden(r.Name)})
	}
	return vault.Errorf(code, format, args...).
		With("vaults", list).Next("Call again with the mappingId of one of details.vaults.")
}

// tookRef tells the caller which note a reference was taken for, where that is not plain.
func (c *Call) tookRef(ref Ref, p vault.Path) {
	if string(ref) != string(p) {
		c.understood = append(c.understood, "path "+show(string(ref))+" was taken as "+string(p))
	}
}

// more is the cursor that goes on at position, with the arguments of this call.
func (c *Call) more(position int64) string {
	return c.inv.seal(c.Caller.Account, c.tool.Name, c.args, position)
}
