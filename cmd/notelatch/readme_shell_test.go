package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// readmeSteps say, for each line of each sh block of README.md, how it is run and what must be true then.
var readmeSteps = map[string]func(r *reader, line string){
	"go run ./cmd/notelatch serve --demo": func(r *reader, line string) {
		s := r.serve(line)
		r.wantOutput(s.out.String(), `\n  demo  \(folder, .*\n    agents may read, and write what they previewed\n`)
		r.stop(s)
	},
	"go run ./cmd/notelatch serve --vault ~/notes": func(r *reader, line string) {
		r.server = r.serve(line)
		r.wantOutput(r.server.out.String(), `\n  notes  \(folder, .*/notes\).*\n    agents may read; to let them write: .*notelatch vault set map_\w+ --writes on\n`)
	},
	"make test": (*reader).makeTest,
	"export NOTELATCH_MCP_TOKEN=$(notelatch token create --name my-agent --scopes mcp:read,mcp:write)": func(r *reader, line string) {
		r.token = r.sh(line + "\n" + `printf %s "$NOTELATCH_MCP_TOKEN"`)
		r.wantOutput(r.token, `^bda_[0-9A-Za-z]{49}$`)
	},
	`curl -s http://127.0.0.1:8787/api/mcp -H "Authorization: Bearer $NOTELATCH_MCP_TOKEN" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_vaults","arguments":{}}}'`: func(r *reader, line string) {
		answer := parseReply(http.StatusOK, []byte(r.sh(line)))
		if answer.Error || !strings.Contains(answer.Text, `"name":"notes"`) {
			r.t.Errorf("the check answers %v, want the vault notes", answer)
		}
	},
	"codex mcp add notes --url http://127.0.0.1:8787/api/mcp --bearer-token-env-var NOTELATCH_MCP_TOKEN": (*reader).codex,

	"claude mcp add --scope user --transport http notes http://127.0.0.1:8787/api/mcp --header 'Authorization: Bearer ${NOTELATCH_MCP_TOKEN}'": (*reader).claude,

	"gemini mcp add --scope user --transport http --header 'Authorization: Bearer ${NOTELATCH_MCP_TOKEN}' notes http://127.0.0.1:8787/api/mcp": (*reader).gemini,

	"notelatch token list": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `(?m)^tok_\w+ +my-agent +mcp:read,mcp:write +active `)
	},
	"notelatch token revoke my-agent": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^Revoked tok_\w+ \(my-agent\)`)
		if status := r.listVaults().HTTP; status != http.StatusUnauthorized {
			r.t.Errorf("a revoked token is answered %d, want 401", status)
		}
		r.token = strings.TrimSpace(r.sh("notelatch token create --name other --scopes mcp:read,mcp:write"))
	},
	"notelatch vault list": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `(?m)^map_\w+ +demo +folder +apply +/`)
	},
	"notelatch vault add ~/notes --name notes": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^map_\w+  notes  added\n$`)
		r.wantVault("notes", "propose")
	},
	"notelatch vault set notes --writes on": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^map_\w+  notes  writes: apply\n$`)
		r.wantVault("notes", "apply")
	},
	`notelatch vault rename notes "My notes"`: func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^map_\w+  My notes  renamed\n$`)
		r.wantVault("notes", "")
		r.wantVault("My notes", "apply")
	},
	"notelatch vault add --hosted archive": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^map_\w+  archive  added\n$`)
		r.wantVault("archive", "apply")
	},
	"notelatch vault import archive ~/notes": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^Imported 2 files;`)
	},
	"notelatch vault export archive ~/archive-copy": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^Exported 2 files to `)
		for name, text := range readerNotes {
			if copied, err := os.ReadFile(filepath.Join(r.home, "archive-copy", name)); err != nil || string(copied) != text {
				r.t.Errorf("the copy of %s is %q, %v, want %q", name, copied, err, text)
			}
		}
	},
	`notelatch vault remove "My notes"`: func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^Removed My notes \(map_\w+\); the folder .*/notes is as it was\.\n$`)
		r.wantVault("My notes", "")
		r.wantVault("archive", "apply")
		if text, err := os.ReadFile(filepath.Join(r.home, "notes", "Beds.md")); err != nil || string(text) != readerNotes["Beds.md"] {
			r.t.Errorf("the note of a removed vault is %q, %v", text, err)
		}
	},
	"notelatch version": func(r *reader, line string) {
		r.wantOutput(r.sh(line), `^notelatch \S+\n$`)
	},
}

var readerNotes = map[string]string{"Beds.md": "# Beds\n\nLate frost. See [[Log]].\n", "Sub/Log.md": "# Log\n\n- first\n"}

// TestReadmeCommands runs every command of README.md, in order, as a person with a folder of notes and a clone would.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and installs packages from npm")
	}
	r := newReader(t)
	seen := make(map[string]bool)
	for _, b := range readmeBlocks(t) {
		if b.lang != "sh" {
			continue
		}
		if b.lines[0] == "notelatch token list" {
			r.again()
		}
		for i, line := range b.lines {
			step, ok := readmeSteps[line]
			if !ok {
				t.Errorf("README.md:%d: %q is not run: say in readmeSteps (readme_shell_test.go) what it does", b.line+i, line)
				continue
			}
			seen[line] = true
			step(r, line)
			if t.Failed() {
				t.Fatalf("README.md:%d: that was %s", b.line+i, line)
			}
		}
	}
	r.stop(r.server)
	for line := range readmeSteps {
		if !seen[line] {
			t.Errorf("README.md no longer has %q: take it out of readmeSteps (readme_shell_test.go)", line)
		}
	}
}

// reader is a person who follows README.md.
type reader struct {
	t      *testing.T
	home   string
	env    []string
	root   string // of the clone
	token  string // what the lines exported
	server *served
}

// served is a server that a line started, in a process group of its own, as a terminal does it.
type served struct {
	cmd       *exec.Cmd
	url       string
	out, errs safeBuffer
	done      chan struct{} // closed when the process has ended
}

func newReader(t *testing.T) *reader {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(root, ".ci", "npm.sh"), "conformance", "agents").CombinedOutput(); err != nil {
		t.Fatalf("install the agents: %v\n%s", err, out)
	}
	r := &reader{t: t, root: root, home: t.TempDir()}
	writeNotes(t, filepath.Join(r.home, "notes"), readerNotes)
	bin := func(parts ...string) string { return filepath.Join(append(parts, "bin")...) }
	path := []string{bin(r.home, "go"), filepath.Join(root, ".ci", "agents", "node_modules", ".bin"),
		filepath.Join(root, ".ci", "conformance", "node_modules", ".bin"), os.Getenv("PATH")}
	r.env = append(quietAgents(), "HOME="+r.home, "PATH="+strings.Join(path, string(os.PathListSeparator)), "TMPDIR="+t.TempDir(), "NOTELATCH_ADDR=127.0.0.1:0")
	out, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Fatal(err)
	}
	var goEnv map[string]string
	if err := json.Unmarshal(out, &goEnv); err != nil {
		t.Fatal(err)
	}
	for k, v := range goEnv {
		r.env = append(r.env, k+"="+v)
	}
	// A clone that belongs to someone else has no history that git shows.
	r.env = append(r.env, "GOFLAGS=-buildvcs=false")
	const install = "go install ./cmd/notelatch"
	if !strings.Contains(readme(t), "`"+install+"`") {
		t.Fatalf("README.md no longer says %q", install)
	}
	r.sh(install)
	return r
}

// again leaves the server that has served so far for one with a new data folder, with the sample vault and a token.
func (r *reader) again() {
	r.stop(r.server)
	data := filepath.Join(r.home, ".local", "share", "notelatch")
	if _, err := os.Stat(filepath.Join(data, "notelatch.db")); err != nil {
		r.t.Fatalf("the data is not where README.md says: %v", err)
	}
	if err := os.RemoveAll(data); err != nil {
		r.t.Fatal(err)
	}
	r.server = r.serve("notelatch serve --demo")
	r.token = strings.TrimSpace(r.sh("notelatch token create --name my-agent --scopes mcp:read,mcp:write"))
	r.wantVault("demo", "apply")
}

func (r *reader) command(line string) *exec.Cmd {
	if r.server != nil {
		line = strings.ReplaceAll(line, "http://127.0.0.1:8787", r.server.url)
	}
	cmd := exec.CommandContext(r.t.Context(), "bash", "-c", line)
	cmd.Dir = r.root
	cmd.Env = append(r.env[:len(r.env):len(r.env)], "NOTELATCH_MCP_TOKEN="+r.token)
	return cmd
}

// try runs a line with a shell and returns all that it printed.
func (r *reader) try(line string) (string, error) {
	out, err := r.command(line).CombinedOutput()
	return string(out), err
}

// sh runs a line that must succeed with a shell and returns what it printed on standard output.
func (r *reader) sh(line string) string {
	r.t.Helper()
	cmd := r.command(line)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s%s", line, err, out, errs.String())
	}
	return string(out)
}

// serve starts a server and returns once it is ready.
func (r *reader) serve(line string) *served {
	r.t.Helper()
	s := &served{cmd: r.command(line), done: make(chan struct{})}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.cmd.Stderr = &s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	lines := bufio.NewReader(io.TeeReader(out, &s.out))
	for {
		text, err := lines.ReadString('\n')
		if m := listening.FindStringSubmatch(text); m != nil {
			s.url = m[1]
		}
		if err != nil {
			_ = s.cmd.Wait()
			r.t.Fatalf("%s did not start: %s", line, s.errs.String())
		}
		if strings.HasPrefix(text, "Ctrl-C") {
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = s.cmd.Wait() // stop looks at how it ended
		close(s.done)
	}()
	r.t.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
		<-s.done
	})
	eventually(r.t, "the server is ready", func() bool {
		resp, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return s
}

// stop presses Ctrl-C.
func (r *reader) stop(s *served) {
	r.t.Helper()
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGINT); err != nil {
		r.t.Fatal(err)
	}
	<-s.done
	// go run ends with 1 whenever it was interrupted, and prints how the program ended if that was not well.
	line, code := s.cmd.Args[2], s.cmd.ProcessState.ExitCode()
	if strings.HasPrefix(line, "go run ") && !strings.Contains(s.errs.String(), "exit status") && !strings.Contains(s.errs.String(), "signal:") {
		code = exitOK
	}
	if code != exitOK || !strings.Contains(s.errs.String(), "msg=stopped") {
		r.t.Errorf("%s ended with %d after Ctrl-C, want 0: %s", line, code, s.errs.String())
	}
}

// makeTest looks that the check of each change runs the line, since it cannot run inside itself.
func (r *reader) makeTest(line string) {
	for file, want := range map[string]string{
		".ci/run":     `(?m)^step make --no-print-directory test\b`,
		"Makefile":    `(?m)^test:.*\n\t@bash \.ci/test\.sh$`,
		".ci/test.sh": `(?m)^\.ci/with-postgres\.sh go test .* \./\.\.\. `,
	} {
		text, err := os.ReadFile(filepath.Join(r.root, file))
		if err != nil || !regexp.MustCompile(want).Match(text) {
			r.t.Errorf("%s does not run %q: nothing matches %s (%v)", file, line, want, err)
		}
	}
}

func (r *reader) wantOutput(out, want string) {
	r.t.Helper()
	if !regexp.MustCompile(want).MatchString(out) {
		r.t.Errorf("printed %q, want a match of %s", out, want)
	}
}

func (r *reader) listVaults() reply {
	r.t.Helper()
	s := &server{home: &home{token: r.token}, url: r.server.url}
	got, err := s.call("list_vaults", struct{}{})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// wantVault asks the running server for a vault and what agents may do with it; "" is that there is no such vault.
func (r *reader) wantVault(name, access string) {
	r.t.Helper()
	var list struct {
		Vaults []struct{ Name, WriteAccess string }
	}
	answer := r.listVaults()
	if err := json.Unmarshal([]byte(answer.Text), &list); err != nil || answer.Error {
		r.t.Fatalf("list_vaults = %v, %v", answer, err)
	}
	got := ""
	for _, v := range list.Vaults {
		if v.Name == name {
			got = v.WriteAccess
		}
	}
	if got != access {
		r.t.Errorf("the running server gives %q to agents of %q, want %q", got, name, access)
	}
}
