package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/vault"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, alone, on standard output. It is shown once."`
	List   tokenListCmd   `cmd:"" help:"List tokens."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token at once."`
}

type tokenCreateCmd struct {
	Name    string   `help:"What the token is for; shown in lists and in the record of changes." required:"" placeholder:"NAME"`
	Scopes  []string `help:"What it may do: mcp:read, mcp:write." default:"mcp:read"`
	Vaults  []string `name:"vault" help:"Hold it to this vault (handle or name). May be repeated. Default: all of yours." placeholder:"VAULT"`
	Expires lifetime `help:"How long it lives, such as 30d or 12h. Default: until it is revoked." placeholder:"TIME"`
}

func (t *tokenCreateCmd) Run(ctx context.Context, s *streams, common *common) error {
	return withOwner(ctx, s, common, true, func(r *rooms, owner string) error {
		if err := r.freeName(ctx, owner, t.Name); err != nil {
			return err
		}
		n := account.NewToken{Account: owner, Name: t.Name}
		for _, scope := range t.Scopes {
			n.Scopes = append(n.Scopes, vault.Scope(strings.TrimSpace(scope)))
		}
		for _, ref := range t.Vaults {
			j, err := r.find(ctx, owner, ref)
			if err != nil {
				return err
			}
			n.Mappings = append(n.Mappings, string(j.Mapping.ID))
		}
		if t.Expires > 0 {
			n.Expires = r.now().Add(time.Duration(t.Expires))
		}
		secret, made, err := r.accounts.CreateToken(ctx, n)
		if err != nil {
			return err
		}
		if err := r.recordToken(ctx, events.TokenCreated, made, "token create"); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "Made token %s (%s). It is shown once: keep it in your client's environment, not in a file that is shared.\n", made.ID, made.Name)
		_, err = fmt.Fprintln(s.out, secret)
		return err
	})
}

// lifetime is a time that a person writes: 30d, 12h, 90m.
type lifetime time.Duration

// UnmarshalText makes kong read it.
func (l *lifetime) UnmarshalText(text []byte) error {
	s := string(text)
	days, isDays := strings.CutSuffix(s, "d")
	d, err := time.ParseDuration(s)
	if n, notNumber := strconv.Atoi(days); isDays && notNumber == nil && n < 100_000 {
		d, err = time.Duration(n)*24*time.Hour, nil
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time ahead; write one such as 30d or 12h", s)
	}
	*l = lifetime(d)
	return nil
}

// freeName refuses a name that a live token has: the name is what a person revokes it by.
func (r *rooms) freeName(ctx context.Context, owner, name string) error {
	tokens, err := r.accounts.Tokens(ctx, owner)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if t.Name == name && rowOf(t, r.now()).State == "active" {
			return usagef("there is a token called %q already (%s); choose another name, or end that one: notelatch token revoke %s", name, t.ID, t.ID)
		}
	}
	return nil
}

type tokenListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// tokenRow is a token as the command line shows it. The secret is not kept, so it cannot be shown.
type tokenRow struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Scopes    []vault.Scope `json:"scopes"`
	Mappings  []string      `json:"mappings,omitempty"`
	State     string        `json:"state"` // active, expired, revoked
	CreatedAt time.Time     `json:"createdAt"`
	ExpiresAt *time.Time    `json:"expiresAt,omitempty"`
	LastUsed  *time.Time    `json:"lastUsedAt,omitempty"`
	UsedFrom  string        `json:"lastUsedFrom,omitempty"`
}

func (t *tokenListCmd) Run(ctx context.Context, s *streams, common *common) error {
	rows := []tokenRow{}
	err := withOwner(ctx, s, common, false, func(r *rooms, owner string) error {
		tokens, err := r.accounts.Tokens(ctx, owner)
		for _, tok := range tokens {
			rows = append(rows, rowOf(tok, r.now()))
		}
		return err
	})
	switch {
	case err != nil && !errors.As(err, new(noData)):
		return err
	case t.JSON:
		return printJSON(s.out, rows)
	case len(rows) == 0:
		fmt.Fprintln(s.err, "No tokens yet. Make one: notelatch token create --name my-agent --scopes mcp:read,mcp:write")
		return nil
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSCOPES\tSTATE\tLAST USED")
	for _, row := range rows {
		used := "never"
		if row.LastUsed != nil {
			used = row.LastUsed.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.ID, row.Name, joinScopes(row.Scopes), row.State, used)
	}
	return w.Flush()
}

func rowOf(t account.Token, now time.Time) tokenRow {
	row := tokenRow{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Mappings: t.Mappings, State: "active", CreatedAt: t.Created.UTC(), UsedFrom: t.UsedFrom}
	if !t.Expires.IsZero() {
		at := t.Expires.UTC()
		row.ExpiresAt = &at
		if !now.Before(at) {
			row.State = "expired"
		}
	}
	if !t.Revoked.IsZero() {
		row.State = "revoked"
	}
	if !t.Used.IsZero() {
		at := t.Used.UTC()
		row.LastUsed = &at
	}
	return row
}

func joinScopes(scopes []vault.Scope) string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = string(s)
	}
	return strings.Join(out, ",")
}

type tokenRevokeCmd struct {
	Token string `arg:"" help:"Id (tok_…) or name, as token list shows it."`
}

func (t *tokenRevokeCmd) Run(ctx context.Context, s *streams, common *common) error {
	return withOwner(ctx, s, common, false, func(r *rooms, owner string) error {
		tokens, err := r.accounts.Tokens(ctx, owner)
		if err != nil {
			return err
		}
		var found []account.Token
		for _, tok := range tokens {
			if tok.Revoked.IsZero() && (tok.ID == t.Token || tok.Name == t.Token) {
				found = append(found, tok)
			}
		}
		switch len(found) {
		case 0:
			return usagef("there is no live token %q; notelatch token list shows them", t.Token)
		case 1:
		default:
			return usagef("%d tokens are called %q; give the id, as notelatch token list shows it", len(found), t.Token)
		}
		if err := r.accounts.RevokeToken(ctx, owner, found[0].ID); err != nil {
			return err
		}
		if err := r.recordToken(ctx, events.TokenRevoked, found[0], "token revoke"); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "Revoked %s (%s).\n", found[0].ID, found[0].Name)
		return err
	})
}

func printJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
