package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// home is a data folder and how the program is run on it.
type home struct {
	tb    testing.TB
	data  string
	flags []string // of every command
	serve []string // of serve alone
	token string
	temp  string // what a killed process leaves there goes with the test
}

// newHome makes a data folder with a token. No limit of requests keeps a test waiting.
func newHome(tb testing.TB, flags ...string) *home {
	tb.Helper()
	h := &home{tb: tb, data: tb.TempDir(), temp: tb.TempDir(), serve: []string{"--addr", "127.0.0.1:0", "--requests-per-minute", "0", "--writes-per-minute", "0"}}
	h.flags = append([]string{"--data", h.data}, flags...)
	h.token = strings.TrimSpace(h.run("token", "create", "--name", "test", "--scopes", "mcp:read,mcp:write"))
	return h
}

func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("notelatch", append(args, h.flags...)...)
	cmd.Env = []string{"HOME=" + h.data, "TMPDIR=" + h.temp, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// run runs a command to its end and returns what it printed.
func (h *home) run(args ...string) string {
	h.tb.Helper()
	cmd := h.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		h.tb.Fatalf("notelatch %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// server is the program, serving as a process of its own.
type server struct {
	*home
	cmd  *exec.Cmd
	url  string
	done chan struct{} // closed when the process has ended
	errs *safeBuffer
}

// safeBuffer is written by one goroutine while others read it.
type safeBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

var listening = regexp.MustCompile(`listening on (http://\S+)/api/mcp`)

// start starts a server and returns once it listens. It is killed at the end of the test, if it is still there.
func (h *home) start(args ...string) *server {
	h.tb.Helper()
	s := &server{home: h, done: make(chan struct{}), errs: new(safeBuffer)}
	s.cmd = h.command(append(append([]string{"serve"}, h.serve...), args...)...)
	s.cmd.Stderr = s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		h.tb.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		h.tb.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		if m := listening.FindStringSubmatch(line); m != nil {
			s.url = m[1]
		} else if err != nil {
			_ = s.cmd.Wait()
			h.tb.Fatalf("the server did not start: %s", s.errs)
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = s.cmd.Wait() // how it ended is for those who wait for done to look at
		close(s.done)
	}()
	h.tb.Cleanup(s.kill)
	return s
}

// kill ends the process as a power cut would, and waits until it is gone.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.done
}

// stop ends the process as Ctrl-C does, and checks that it went well.
func (s *server) stop() {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		s.tb.Fatal(err)
	}
	<-s.done
	if code := s.cmd.ProcessState.ExitCode(); code != exitOK {
		s.tb.Errorf("the server ended with %d, want 0: %s", code, s.errs)
	}
}

// reply is the result of a tool, or the error that took its place.
type reply struct {
	Text  string // JSON, as the client's model reads it
	Code  string // of an error
	RPC   int    // code of a JSON-RPC error
	HTTP  int
	Error bool
}

func (r reply) String() string { return fmt.Sprintf("HTTP %d %d %s", r.HTTP, r.RPC, r.Text) }

// field returns a top-level string of the result.
func (r reply) field(name string) string {
	var m map[string]any
	if json.Unmarshal([]byte(r.Text), &m) != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}

func request(tool string, args any) []byte {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		panic(err) // what the tests pass can be marshalled
	}
	return body
}

// call calls a tool. The error is that no answer came.
func (s *server) call(tool string, args any) (reply, error) { return s.send(request(tool, args)) }

// send sends a request body as it is.
func (s *server) send(body []byte) (reply, error) {
	req, err := http.NewRequest(http.MethodPost, s.url+"/api/mcp", bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	return parseReply(resp.StatusCode, text), nil
}

func parseReply(status int, text []byte) reply {
	var answer struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct {
			Code    int
			Message string
		}
	}
	r := reply{HTTP: status, Text: string(text)}
	if json.Unmarshal(text, &answer) != nil {
		return r
	}
	switch {
	case answer.Error != nil:
		r.RPC, r.Text, r.Error = answer.Error.Code, answer.Error.Message, true
	case answer.Result != nil && len(answer.Result.Content) > 0:
		r.Text, r.Error = answer.Result.Content[0].Text, answer.Result.IsError
		var refused struct{ Error struct{ Code string } }
		if r.Error && json.Unmarshal([]byte(r.Text), &refused) == nil {
			r.Code = refused.Error.Code
		}
	}
	return r
}

// must calls a tool that must answer without an error.
func (s *server) must(tool string, args any) reply {
	s.tb.Helper()
	r, err := s.call(tool, args)
	if err != nil || r.Error {
		s.tb.Fatalf("%s %v = %v, %v", tool, args, r, err)
	}
	return r
}

// eventually waits until f holds.
func eventually(tb testing.TB, what string, f func() bool) {
	tb.Helper()
	deadline := time.Now().Add(time.Minute)
	for !f() {
		if time.Now().After(deadline) {
			tb.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
