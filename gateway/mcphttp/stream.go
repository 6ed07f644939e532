package mcphttp

import (
	"net/http"
	"sync"
	"time"
)

// quiet is how long a stream may say nothing before a comment keeps the proxies between from closing it.
const quiet = 15 * time.Second

// An output is where the answer to one message goes. It is JSON, or a stream of events that begins with the first
// thing to say; a notification can turn JSON into a stream as long as nothing was written.
type output struct {
	w      http.ResponseWriter
	events bool // the client accepts events

	mu     sync.Mutex // guards what follows, and w
	format format
	begun  bool
	done   bool
	alive  *time.Timer
}

// begin writes the head of a stream. mu is held.
func (o *output) begin(status int) {
	if o.begun {
		return
	}
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // else nginx holds events back
	o.w.WriteHeader(status)
}

func (o *output) event(data []byte) {
	send(o.w, true, []byte("event: message\ndata: "), data, []byte("\n\n"))
}

// notify sends a notification, and reports whether it could.
func (o *output) notify(data []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done || !o.events {
		return false
	}
	o.format = asEvents
	o.begin(http.StatusOK)
	o.event(data)
	return true
}

// keepAlive begins the stream, if nothing else does, and comments into it whenever it was quiet.
func (o *output) keepAlive() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.alive = time.AfterFunc(quiet, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.done {
			return
		}
		o.begin(http.StatusOK)
		send(o.w, true, []byte(": still at work\n\n"))
		o.alive.Reset(quiet)
	})
}

// finish writes the answer, after which nothing more is written.
func (o *output) finish(status int, header http.Header, body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	if o.alive != nil {
		o.alive.Stop()
	}
	if !o.begun {
		for name, values := range header {
			o.w.Header()[name] = values
		}
	}
	if o.format != asEvents || !o.begun && status != http.StatusOK {
		writeJSON(o.w, status, body)
		return
	}
	o.begin(status)
	o.event(body)
}
