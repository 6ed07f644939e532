package mcphttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

func TestBodiesShareTheirMemory(t *testing.T) {
	const all, most = 5_100_000, 16 << 20
	f := newFixture()
	f.opts.BodyMemory = most
	h := f.handler(t)
	body := padded("tools/call", `"name":"whoami",`, all)
	onWire(t, &http.Server{Handler: h}, func(t *testing.T, w *wire) {
		for range 20 {
			w.dial().send(head("POST /api/mcp", sized(all)))
		}
		synctest.Wait()
		if held := h.Held(); held > 20*4<<10 {
			t.Errorf("%d bytes are held for bodies of which nothing came", held)
		}
		var clients []*client
		for range 20 {
			c := w.dial()
			c.send(head("POST /api/mcp", sized(all)) + body[:all-200_000])
			clients = append(clients, c)
			synctest.Wait()
			if held := h.Held(); held > most {
				t.Fatalf("%d bytes are held, want at most %d", held, most)
			}
		}
		if held := h.Held(); held < all {
			t.Errorf("%d bytes are held: no large body is on its way", held)
		}
		c := w.dial()
		c.send(head("POST /api/mcp", sized(32<<10)) + padded("ping", "", 32<<10))
		if resp, text := c.answer(); resp.StatusCode != 200 {
			t.Errorf("a small body beside large ones: %d %s", resp.StatusCode, text)
		}
		statuses := map[int]int{}
		for _, c := range clients {
			resp, text := c.answer()
			statuses[resp.StatusCode]++
			if !strings.Contains(text, `"id":31`) || (resp.StatusCode == 503) != (resp.Header.Get("Retry-After") == "5") {
				t.Errorf("%d %v %s", resp.StatusCode, resp.Header, text)
			}
		}
		if statuses[503] < 15 || statuses[408] < 1 || statuses[503]+statuses[408] != 20 {
			t.Errorf("statuses %v; want 503 for most, and 408 for those that came in and then stopped", statuses)
		}
		time.Sleep(time.Minute)
		if held := h.Held(); held != 0 {
			t.Errorf("%d bytes are still held", held)
		}
		c = w.dial()
		c.send(head("POST /api/mcp", sized(all)) + body)
		if resp, text := c.answer(); resp.StatusCode != 200 || h.Held() > 0 {
			t.Errorf("a large body later: %d %s, %d bytes held", resp.StatusCode, text, h.Held())
		}
	})
}

func TestBodiesMustKeepUp(t *testing.T) {
	const all = 8 << 20
	body := padded("tools/call", `"name":"whoami",`, all)
	for _, c := range []struct {
		name   string
		part   int // sent every 9 seconds
		status int
	}{
		{"a little more than a MiB each time, beyond the time of the server", 1050 << 10, 200},
		{"half a MiB each time", 512 << 10, 408},
		{"a byte each time", 1, 408},
	} {
		for _, length := range []string{sized(all), "Transfer-Encoding: chunked"} {
			t.Run(c.name+", "+length, func(t *testing.T) {
				h := newFixture().handler(t)
				onWire(t, &http.Server{Handler: h, ReadTimeout: time.Minute}, func(t *testing.T, w *wire) {
					client := w.dial()
					go func() {
						io.WriteString(client, head("POST /api/mcp", length))
						send := io.Writer(client)
						if strings.HasPrefix(length, "Transfer") {
							chunked := httputil.NewChunkedWriter(client)
							defer io.WriteString(client, "\r\n")
							defer chunked.Close()
							send = chunked
						}
						for rest := body; ; time.Sleep(9 * time.Second) {
							part := rest[:min(c.part, len(rest))]
							if _, err := io.WriteString(send, part); err != nil {
								return
							}
							if rest = rest[len(part):]; rest == "" {
								return
							}
						}
					}()
					resp, text := client.answer()
					if resp.StatusCode != c.status {
						t.Errorf("%d %.200s, want %d", resp.StatusCode, text, c.status)
					}
					client.Close()
					time.Sleep(time.Hour) // the sender ends too
					if held := h.Held(); held != 0 {
						t.Errorf("%d bytes are still held", held)
					}
				})
			})
		}
	}
}

// TestRefusalsDoNotWaitForTheBody sends a part of a body and then nothing more.
func TestRefusalsDoNotWaitForTheBody(t *testing.T) {
	const part = `{"jsonrpc":"2.0","id":7,"method":"tools/call",`
	for _, c := range []struct {
		name, request string
		lines         []string
		status        int
		id            string
	}{
		{"another host", "POST /", []string{"Host: evil.example", sized(100_000)}, 403, "7"},
		{"another origin", "POST /", []string{"Origin: https://evil.example", sized(100_000)}, 403, "7"},
		{"no token", "POST /", []string{"Authorization:", sized(100_000)}, 401, "7"},
		{"no token, all but one byte", "POST /", []string{"Authorization:", sized(len(part) + 1)}, 401, "7"},
		{"no token, 5 MB", "POST /", []string{"Authorization:", sized(5_000_000)}, 401, "7"},
		{"no token, a length that is not known", "POST /", []string{"Authorization:", "Transfer-Encoding: chunked"}, 401, "7"},
		{"a bad token", "POST /", []string{"Authorization: Bearer no", sized(100_000)}, 401, "7"},
		{"a suspended account", "POST /", []string{"Authorization: Bearer suspended-token", sized(100_000)}, 403, "7"},
		{"another method", "PUT /", []string{sized(100_000)}, 405, "null"},
		{"another method without a token", "PATCH /", []string{"Authorization:", sized(100_000)}, 401, "null"},
		{"another type", "POST /", []string{"Content-Type: text/plain", sized(100_000)}, 415, "7"},
		{"an encoding", "POST /", []string{"Content-Encoding: gzip", sized(100_000)}, 415, "7"},
		{"too large", "POST /", []string{sized(100_000_000)}, 413, "7"},
		{"discovery", "GET /", []string{sized(100_000)}, 200, ""},
		{"a change of the resource document", "POST /resource", []string{sized(100_000)}, 405, "null"},
		{"the resource document", "GET /resource", []string{sized(100_000)}, 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/", newFixture().handler(t))
			mux.Handle("/resource", mcphttp.ResourceMetadata{}.Handler())
			onWire(t, &http.Server{Handler: mux, ReadTimeout: time.Minute}, func(t *testing.T, w *wire) {
				began, client, body := time.Now(), w.dial(), part
				if strings.Contains(strings.Join(c.lines, ""), "chunked") {
					body = "2e\r\n" + part + "\r\n"
				}
				client.send(head(c.request, c.lines...) + body)
				resp, text := client.answer()
				if resp.StatusCode != c.status || !resp.Close || c.id != "" && !strings.Contains(text, `"id":`+c.id+`,`) {
					t.Errorf("%d %v %s; want %d, id %s, and the connection's end", resp.StatusCode, resp.Header, text, c.status, c.id)
				}
				if took := time.Since(began); took > 250*time.Millisecond {
					t.Errorf("answered after %v", took)
				}
				if _, err := client.read.ReadByte(); err != io.EOF {
					t.Errorf("after the answer: %v, want the end", err)
				}
				if took := time.Since(began); took > 6*time.Second {
					t.Errorf("the connection ended after %v", took)
				}
			})
		})
	}
}

func TestRefusalsWithTheirBodyKeepTheConnection(t *testing.T) {
	onWire(t, &http.Server{Handler: newFixture().handler(t)}, func(t *testing.T, w *wire) {
		client := w.dial()
		for _, lines := range [][]string{
			{"Authorization:", sized(len(ping))}, {"Origin: https://evil.example", sized(len(ping))}, {"Content-Type: text/plain", sized(len(ping))}, {sized(len(ping))},
		} {
			client.send(head("POST /", lines...) + ping)
			if resp, text := client.answer(); resp.Close || !strings.Contains(text, `"id":7`) {
				t.Errorf("%v: %d %v %s", lines, resp.StatusCode, resp.Header, text)
			}
		}
	})
}

func TestExpectContinueIsToldFirst(t *testing.T) {
	onWire(t, &http.Server{Handler: newFixture().handler(t)}, func(t *testing.T, w *wire) {
		client := w.dial()
		client.send(head("POST /", "Authorization:", "Expect: 100-continue", sized(len(ping))))
		if resp, text := client.answer(); resp.StatusCode != 401 || !resp.Close {
			t.Errorf("without a token: %d %s; want 401 at once", resp.StatusCode, text)
		}
		client = w.dial()
		client.send(head("POST /", "Expect: 100-continue", sized(len(ping))))
		if resp, text := client.answer(); resp.StatusCode != 100 {
			t.Errorf("with a token: %d %s; want to be told to go on", resp.StatusCode, text)
		}
		client.send(ping)
		if resp, text := client.answer(); resp.StatusCode != 200 {
			t.Errorf("the body: %d %s", resp.StatusCode, text)
		}
	})
}

// TestLargeBodyThatIsRefusedIsAnswered sends the whole body before it looks at the answer, as many clients do.
func TestLargeBodyThatIsRefusedIsAnswered(t *testing.T) {
	server := httptest.NewServer(newFixture().handler(t))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := padded("tools/call", `"name":"whoami",`, 8<<20)
	if _, err := io.WriteString(conn, head("POST /", "Authorization:", sized(len(body)))+body); err != nil {
		t.Errorf("the body could not be sent: %v", err)
	}
	text, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 401") || !strings.Contains(string(text), `"id":31`) {
		t.Errorf("the answer was %q, %v", text, err)
	}
}

// TestCallOutlastsTheTimeForReading calls a tool that takes longer than the server gives a request to come in.
func TestCallOutlastsTheTimeForReading(t *testing.T) {
	for _, meta := range []string{"", `,"_meta":{"progressToken":1}`} {
		f := newFixture()
		f.tools.add("slow", "", func(ctx context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
			select {
			case <-ctx.Done():
				return mcphttp.Result{}, ctx.Err()
			case <-time.After(10 * time.Minute):
				return mcphttp.Result{Structured: []byte(`{"ok":true}`)}, nil
			}
		})
		onWire(t, &http.Server{Handler: f.handler(t), ReadTimeout: time.Minute}, func(t *testing.T, w *wire) {
			client := w.dial()
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"` + meta + `}}`
			client.send(head("POST /", sized(len(body))) + body)
			if _, text := client.answer(); !strings.Contains(text, `"structuredContent":{"ok":true}`) {
				t.Errorf("the call was answered with %s", text)
			}
		})
	}
}
