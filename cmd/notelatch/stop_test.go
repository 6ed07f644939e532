//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C, and what service managers send, lets the call under way end: it is applied and answered, no further one is taken, and the
// program exits with 0 and leaves nothing behind.
func TestStopDrains(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			h := newHome(t)
			dir := t.TempDir()
			s := h.start("--vault", dir, "--allow-writes")
			s.must("list_vaults", struct{}{})

			// Half a call is there when the signal comes.
			host := strings.TrimPrefix(s.url, "http://")
			conn, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			body := request("create_or_append_note", map[string]any{
				"path": "Note.md", "content": "- under way", "dryRun": false, "idempotencyKey": "key-00000001",
			})
			fmt.Fprintf(conn, "POST /api/mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
				host, s.token, len(body))
			answer := bufio.NewReader(conn)
			for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} { // said when the body begins to be read
				if line, err := answer.ReadString('\n'); err != nil || line != want {
					t.Fatalf("the server says %q, %v; want %q", line, err, want)
				}
			}
			if _, err := conn.Write(body[:len(body)/2]); err != nil {
				t.Fatal(err)
			}
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			eventually(t, "no further call is taken", func() bool {
				c, err := net.Dial("tcp", host)
				if err == nil {
					c.Close()
				}
				return err != nil
			})
			select {
			case <-s.done:
				t.Fatalf("the server did not wait for the call: %s", s.errs)
			default:
			}
			if _, err := conn.Write(body[len(body)/2:]); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(answer, nil)
			if err != nil {
				t.Fatalf("the call was not answered: %v; %s", err, s.errs)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if r := parseReply(resp.StatusCode, text); r.field("status") != "applied" {
				t.Errorf("the call was answered %v", r)
			}
			<-s.done
			if code := s.cmd.ProcessState.ExitCode(); code != exitOK || !strings.Contains(s.errs.String(), "stopped") {
				t.Errorf("the server ended with %d: %s", code, s.errs)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "Note.md")); err != nil || string(got) != "- under way" {
				t.Errorf("the note is %q, %v", got, err)
			}
			for _, left := range []string{filepath.Join(h.data, "serve.addr"), filepath.Join(h.temp, "notelatch-watch-*")} {
				if names, err := filepath.Glob(left); err != nil || len(names) > 0 {
					t.Errorf("left behind: %v, %v", names, err)
				}
			}
			h.start().stop() // the data folder is free
		})
	}
}
