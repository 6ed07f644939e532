package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/notelatch/notelatch/gateway"
	"github.com/notelatch/notelatch/vault"
)

// banner is what every start prints: where the server listens and the exact lines that connect a client.
type banner struct {
	Endpoint string
	Origin   string
	Command  string // how this program was started, as a person would type it
	DataFlag string // " --data DIR" where it is not the default
	Vaults   []bannerVault
}

type bannerVault struct {
	Name, Provider, Where, Handle string
	Writes                        bool
	Refused                       string // why they may not write, if not for want of the owner's leave
	Problem                       string
}

// The server is called "notes" in every client. The Codex lines keep the token from the shell commands that a model runs: without the
// exclude, the variable is in their environment. They are no block to paste: codex mcp add writes the table [mcp_servers.notes] already, and a
// second one makes the whole file invalid. The single quotes let Claude Code and Gemini CLI read the variable at each start; in double quotes
// the token itself would be in their files, and without the user scope in a file of the current folder.
var bannerText = template.Must(template.New("banner").Parse(`
Notelatch is listening on {{.Endpoint}}
{{range .Vaults}}
  {{.Name}}  ({{.Provider}}{{with .Where}}, {{.}}{{end}})  {{.Handle}}
    {{if .Problem}}not available: {{.Problem}}{{else if .Writes}}agents may read, and write what they previewed{{else if .Refused}}agents may read; {{.Refused}}{{else}}agents may read; to let them write: {{$.Command}} vault set {{.Handle}} --writes on{{$.DataFlag}}{{end}}
{{- else}}
  No vault yet. Add one: {{.Command}} vault add DIR{{.DataFlag}}
{{- end}}

1. Make a token and keep it in the environment of your client:

   export NOTELATCH_MCP_TOKEN=$({{.Command}} token create --name my-agent --scopes mcp:read,mcp:write{{.DataFlag}})

2. Check it:

   curl -s {{.Endpoint}} -H "Authorization: Bearer $NOTELATCH_MCP_TOKEN" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_vaults","arguments":{}}}'

3. Connect a client:

   Codex
     codex mcp add notes --url {{.Endpoint}} --bearer-token-env-var NOTELATCH_MCP_TOKEN
     then, in ~/.codex/config.toml, add below the line [mcp_servers.notes], so that reading runs and writing asks ("prompt" is the strict choice):
       default_tools_approval_mode = "writes"
     and at the end, so that no shell command of the model sees the token:
       [shell_environment_policy]
       exclude = ["NOTELATCH_*"]

   Claude Code
     claude mcp add --scope user --transport http notes {{.Endpoint}} --header 'Authorization: Bearer ${NOTELATCH_MCP_TOKEN}'

   Gemini CLI
     gemini mcp add --scope user --transport http --header 'Authorization: Bearer ${NOTELATCH_MCP_TOKEN}' notes {{.Endpoint}}
     (Gemini connects only in folders that you told it to trust)

Ctrl-C stops the server.
`))

// banner gathers what a start prints.
func (r *rooms) banner(ctx context.Context, owner, origin string, c *common) (banner, error) {
	b := banner{Endpoint: origin + gateway.MCPPath, Origin: origin, Command: c.program}
	if c.Data != c.defaultData {
		b.DataFlag = " --data " + quoted(c.Data)
	}
	rows, err := r.owned(ctx, owner)
	if err != nil {
		return b, err
	}
	for _, row := range rows {
		v := bannerVault{Name: row.Name, Provider: row.Provider, Where: row.Where, Handle: string(row.MappingID), Writes: row.WriteAccess == "apply"}
		switch {
		case !row.Available:
			v.Problem = row.Reason
		case row.refusal != nil && row.refusal.Code != vault.WriteNotEnabled:
			v.Refused = strings.TrimSuffix(row.Reason+"; "+row.Next, "; ")
		}
		b.Vaults = append(b.Vaults, v)
	}
	return b, nil
}

// quoted is s as a POSIX shell takes it for one word.
func quoted(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !(r == '/' || r == '.' || r == '-' || r == '_' || r == '~' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (b banner) print(w io.Writer) error {
	var s strings.Builder
	if err := bannerText.Execute(&s, b); err != nil {
		return fmt.Errorf("print the start text: %w", err)
	}
	_, err := io.WriteString(w, s.String()[1:])
	return err
}
