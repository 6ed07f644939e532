package mcphttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/notelatch/notelatch/gateway/mcphttp"
)

func TestClientThatReadsNothingIsGone(t *testing.T) {
	f := newFixture()
	var progressed error
	f.tools.add("large", "", structured(`{"text":"`+strings.Repeat("x", 1<<20)+`"}`))
	f.tools.add("talks", "", func(ctx context.Context, _ string, r *mcphttp.Request) (mcphttp.Result, error) {
		for ctx.Err() == nil {
			r.Log("info", "", []byte(`"`+strings.Repeat("x", 100<<10)+`"`))
		}
		progressed = ctx.Err()
		return mcphttp.Result{}, ctx.Err()
	})
	for _, c := range []struct{ name, accept string }{
		{"large", "application/json"}, {"large", "text/event-stream"}, {"talks", "text/event-stream"},
	} {
		t.Run(c.name+", "+c.accept, func(t *testing.T) {
			h := f.handler(t)
			onWire(t, &http.Server{Handler: h}, func(t *testing.T, w *wire) {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, c.name)
				w.dial().send(head("POST /", "Accept: "+c.accept, sized(len(body))) + body)
				synctest.Wait()
				if h.Held() == 0 {
					t.Fatal("the request ended though nobody read its answer")
				}
				time.Sleep(time.Minute)
				if held := h.Held(); held != 0 {
					t.Errorf("%d bytes are held for a client that is gone", held)
				}
			})
		})
	}
	if progressed != context.Canceled {
		t.Errorf("the call that talked ended with %v, want %v", progressed, context.Canceled)
	}
}

func TestClientThatReadsSlowlyGetsAll(t *testing.T) {
	f := newFixture()
	f.tools.add("large", "", structured(`{"text":"`+strings.Repeat("x", 1<<20)+`"}`))
	for _, accept := range []string{"application/json", "text/event-stream"} {
		onWire(t, &http.Server{Handler: f.handler(t), ReadTimeout: time.Minute}, func(t *testing.T, w *wire) {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large"}}`
			c := w.dial()
			c.send(head("POST /", "Accept: "+accept, sized(len(body))) + body)
			resp, err := http.ReadResponse(c.read, nil)
			if err != nil {
				t.Fatal(err)
			}
			var n int64
			for err == nil {
				time.Sleep(25 * time.Second)
				var part int64
				part, err = io.CopyN(io.Discard, resp.Body, 128<<10)
				n += part
			}
			if err != io.EOF || n < 2<<20 {
				t.Errorf("%s: %d bytes, then %v; want two MiB and the end", accept, n, err)
			}
		})
	}
}
