package mcphttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A wire is a server of net/http whose connections are pipes in memory, so that a test's clock governs both ends.
type wire struct {
	t     *testing.T
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.ended:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { w.once.Do(func() { close(w.ended) }); return nil }
func (w *wire) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// onWire runs f in a bubble of synctest with a server.
func onWire(t *testing.T, server *http.Server, f func(t *testing.T, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{t: t, conns: make(chan net.Conn), ended: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- server.Serve(w) }()
		f(t, w)
		server.Close()
		<-served
		time.Sleep(time.Minute) // net/http lingers on connections that end
	})
}

// A client is the other end of a connection, byte by byte.
type client struct {
	net.Conn
	t    *testing.T
	read *bufio.Reader
}

func (w *wire) dial() *client {
	ours, theirs := net.Pipe()
	w.conns <- theirs
	w.t.Cleanup(func() { ours.Close() })
	return &client{ours, w.t, bufio.NewReader(ours)}
}

// head is what begins a request: POST /api/mcp with a good token, unless lines say otherwise.
func head(request string, lines ...string) string {
	given := strings.Join(lines, "\r\n") + "\r\n"
	for _, line := range []string{"Host: localhost", "Content-Type: application/json", "Authorization: Bearer alice-token"} {
		if name, _, _ := strings.Cut(line, ":"); !strings.Contains("\r\n"+given, "\r\n"+name+":") {
			given += line + "\r\n"
		}
	}
	return request + " HTTP/1.1\r\n" + given + "\r\n"
}

// send writes without waiting for the server to read all of it, and reports how that ended.
func (c *client) send(text string) <-chan error {
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c, text)
		sent <- err
	}()
	return sent
}

// answer reads one response and its body.
func (c *client) answer() (*http.Response, string) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.read, nil)
	if err != nil {
		c.t.Fatalf("no answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("the answer was cut off: %v", err)
	}
	return resp, string(body)
}

func sized(n int) string { return fmt.Sprintf("Content-Length: %d", n) }
