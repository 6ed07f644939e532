package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets a test run this binary as the program, and as a small MCP client for the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"notelatch": main,
		"call":      callMain,
	})
}

// TestScript runs conversations with the binary: commands as a person types them, and what they answer.
func TestScript(t *testing.T) {
	testscript.Run(t, scripts())
}

func scripts() testscript.Params {
	return testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", "")
			e.Setenv("NOTELATCH_ADDR", "127.0.0.1:0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serving": serving,
			"write":   writeBytes,
			"token":   setToken,
			"handle":  setHandle,
		},
	}
}

// serving DATA waits until a server that holds the data folder is ready, and sets $URL.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serving DATA")
	}
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		addr, err := os.ReadFile(ts.MkAbs(filepath.Join(args[0], "serve.addr")))
		if err == nil && len(addr) > 0 {
			resp, err := http.Get("http://" + string(addr) + "/readyz")
			if err == nil {
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					ts.Setenv("URL", "http://"+string(addr))
					ts.Setenv("HOSTPORT", string(addr))
					return
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("no server in %s became ready", args[0])
}

// write FILE TEXT writes bytes; TEXT is a Go string without its quotes.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE TEXT")
	}
	var text string
	if _, err := fmt.Sscanf(`"`+args[1]+`"`, "%q", &text); err != nil {
		ts.Fatalf("text: %v", err)
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// token FILE puts the token in the file into $NOTELATCH_MCP_TOKEN.
func setToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: token FILE")
	}
	ts.Setenv("NOTELATCH_MCP_TOKEN", strings.TrimSpace(ts.ReadFile(args[0])))
}

// handle NAME FILE sets $NAME to the mapping handle of the only vault in the JSON that vault list printed.
func setHandle(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: handle NAME FILE")
	}
	var rows []struct {
		MappingID string `json:"mappingId"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &rows))
	if len(rows) != 1 {
		ts.Fatalf("%d vaults, want 1", len(rows))
	}
	ts.Setenv(args[0], rows[0].MappingID)
}

// callMain is "call TOOL ARGUMENTS": it calls a tool at $URL with $NOTELATCH_MCP_TOKEN and prints the text of the result. It exits with 1
// when the result is an error, and with 2 when there is none.
func callMain() {
	code, err := call(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func call(args []string, out io.Writer) (int, error) {
	if len(args) != 2 {
		return 2, fmt.Errorf("usage: call TOOL ARGUMENTS")
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": args[0], "arguments": json.RawMessage(args[1])},
	})
	if err != nil {
		return 2, err
	}
	req, err := http.NewRequest(http.MethodPost, os.Getenv("URL")+"/api/mcp", bytes.NewReader(body))
	if err != nil {
		return 2, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+os.Getenv("NOTELATCH_MCP_TOKEN"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 2, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 2, err
	}
	var answer struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Result == nil || len(answer.Result.Content) != 1 {
		return 2, fmt.Errorf("HTTP %d: %s", resp.StatusCode, text)
	}
	fmt.Fprintln(out, answer.Result.Content[0].Text)
	if answer.Result.IsError {
		return 1, nil
	}
	return 0, nil
}
