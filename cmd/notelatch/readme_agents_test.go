package main

import (
	"os"
	"path/filepath"
	"strings"
)

// quietAgents is what keeps the agents from calling home: nothing but loopback is reached.
func quietAgents() []string {
	return []string{
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1", "CI=1", "NO_COLOR=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"GEMINI_TELEMETRY_ENABLED=false",
	}
}

// codex connects Codex. Its list makes no request; TestReadmeCodex holds a session.
func (r *reader) codex(line string) {
	r.sh(line)
	config := filepath.Join(r.home, ".codex", "config.toml")
	written, err := os.ReadFile(config)
	if err != nil {
		r.t.Fatal(err)
	}
	complete := codexConfig(r.t, r.server.url)
	if !strings.HasPrefix(complete, string(written)) {
		r.t.Errorf("codex mcp add wrote %q; what README.md says is there already is %q", written, complete)
	}
	listed := r.sh("codex mcp list")
	r.wantOutput(listed, `(?m)^notes +`+r.server.url+`/api/mcp +NOTELATCH_MCP_TOKEN +enabled +Bearer token *$`)

	write := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	write(complete)
	r.wantOutput(r.sh("codex mcp get notes"), `(?s)enabled: true.*url: `+r.server.url+`/api/mcp\n`)
	write(strings.Replace(complete, `"writes"`, `"perhaps"`, 1))
	if out, err := r.try("codex mcp get notes"); err == nil {
		r.t.Errorf("codex takes a word for the approval mode that it cannot know, and says %q: it does not read the table", out)
	}
	write(strings.Replace(complete, `"writes"`, `"prompt"`, 1))
	r.sh("codex mcp get notes")
	write(complete)
}

// claude connects Claude Code, whose list connects.
func (r *reader) claude(line string) {
	r.sh(line)
	r.wantOutput(r.sh("claude mcp list"), `(?m)^notes: `+r.server.url+`/api/mcp \(HTTP\) - ✔ Connected$`)
	r.wantNoToken("*.json", ".claude/*.json")

	token := r.token
	r.token = token[:len(token)-1]
	if out, _ := r.try("claude mcp list"); strings.Contains(out, "Connected") {
		r.t.Errorf("claude connects without a valid token: %s", out)
	}
	r.token = token
}

// gemini connects Gemini CLI, which does so in trusted folders alone.
func (r *reader) gemini(line string) {
	r.sh(line)
	out, err := r.try("gemini mcp list")
	if err != nil {
		r.t.Fatalf("gemini mcp list: %v\n%s", err, out)
	}
	r.wantOutput(out, `notes: `+r.server.url+`/api/mcp \(http\) - Disabled`)
	out, err = r.try("GEMINI_CLI_TRUST_WORKSPACE=true gemini mcp list")
	if err != nil {
		r.t.Fatalf("gemini mcp list: %v\n%s", err, out)
	}
	r.wantOutput(out, `notes: `+r.server.url+`/api/mcp \(http\) - Connected`)
	r.wantNoToken(".gemini/*.json")
}

// wantNoToken looks that files name the variable and do not hold its value.
func (r *reader) wantNoToken(patterns ...string) {
	r.t.Helper()
	named := false
	for _, pattern := range append(patterns, "."+patterns[0]) {
		files, err := filepath.Glob(filepath.Join(r.home, pattern))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				r.t.Fatal(err)
			}
			named = named || strings.Contains(string(text), "Bearer ${NOTELATCH_MCP_TOKEN}")
			if strings.Contains(string(text), r.token) {
				r.t.Errorf("the token is in %s", file)
			}
		}
	}
	if !named {
		r.t.Errorf("none of %q names the variable", patterns)
	}
}
