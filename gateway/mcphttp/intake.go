package mcphttp

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// How long a body may take: all that is not finished after firstTime must bring paceBytes in every paceTime.
const (
	firstTime = 30 * time.Second
	paceTime  = 10 * time.Second
	paceBytes = 1 << 20
)

const (
	// peeked is how many bytes are read of a body that will be refused, to find its id, and peekTime how long they are
	// waited for: they nearly always come with the headers.
	peeked   = 8 << 10
	peekTime = 200 * time.Millisecond
	// lingerTime is how long the rest of a refused body is read and thrown away. Many clients send all of it before
	// they look at the answer, and lose the answer if the connection ends under them.
	lingerTime = 5 * time.Second
)

// past is a deadline that makes reads fail at once, those under way too. No clock is needed to set it.
var past = time.Unix(1, 0)

// An intake is the body of one request on its way in.
type intake struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	shared  *budget // nil where bodies are never read
	held    int64   // of shared
	left    bool    // the end of the body was not seen yet
	got     atomic.Int64

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	least int64 // how much must have come since mark for the time to begin again; 0 if it does not
	mark  int64
	late  bool
}

func newIntake(w http.ResponseWriter, r *http.Request, shared *budget) *intake {
	return &intake{w: w, r: r, control: http.NewResponseController(w), shared: shared, left: r.ContentLength != 0}
}

func (in *intake) read(p []byte) (int, error) {
	n, err := in.r.Body.Read(p)
	got, all := in.got.Add(int64(n)), in.r.ContentLength
	if all >= 0 && got >= all || all < 0 && err == io.EOF {
		in.left = false
	}
	return n, err
}

// begin gives reads a time, and again paceTime whenever least bytes came in it. end takes it back. The time replaces
// the one that the server gives to a whole request, which is too short for the largest body on a slow line.
func (in *intake) begin(d time.Duration, least int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.least, in.mark, in.late = least, in.got.Load(), false
	in.control.SetReadDeadline(time.Time{})
	in.timer = time.AfterFunc(d, in.expire)
}

func (in *intake) expire() {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.timer == nil: // end came first
	case in.least > 0 && in.got.Load()-in.mark >= in.least:
		in.mark = in.got.Load()
		in.timer.Reset(paceTime)
	default:
		in.late = true
		in.control.SetReadDeadline(past)
	}
}

// end stops the time, and reports whether it had run out.
func (in *intake) end() (late bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.timer.Stop()
	in.timer = nil
	return in.late
}

// body reads the whole body into memory that grows with what comes. What it read of a body that is refused comes back
// for its id. release gives the memory back.
func (in *intake) body() ([]byte, *Error) {
	tooLarge := func() *Error {
		return refusal(http.StatusRequestEntityTooLarge, "a body may have %d bytes for tools/call, and %d otherwise", maxCall, maxOther)
	}
	most := in.r.ContentLength
	switch {
	case most > maxCall:
		return in.peek(), tooLarge()
	case most < 0:
		most = maxCall + 1
	}
	body := in.grow(nil, min(most, firstStep))
	in.begin(firstTime, paceBytes)
	err := in.fill(&body, most)
	late := in.end()
	switch {
	case err == errBusy:
		busy := refusal(http.StatusServiceUnavailable, "too many large bodies are on their way: send this one again later")
		busy.Header = http.Header{"Retry-After": {"5"}}
		return body, busy
	case len(body) > maxCall:
		return body, tooLarge()
	case !late && !in.left:
		return body, nil
	case late:
		return body, refusal(http.StatusRequestTimeout, "the body came too slowly: what is not here after %v must bring %d bytes in every %v", firstTime, paceBytes, paceTime)
	}
	return body, invalidRequest("the body ended early")
}

// fill reads until the end of the body, or until it has most bytes.
func (in *intake) fill(body *[]byte, most int64) error {
	for in.left && int64(len(*body)) < most {
		if len(*body) == cap(*body) {
			bigger := in.grow(*body, min(2*int64(cap(*body)), most))
			if bigger == nil {
				return errBusy
			}
			*body = bigger
		}
		n, err := in.read((*body)[len(*body):cap(*body)])
		*body = (*body)[:len(*body)+n]
		if err != nil {
			return err
		}
	}
	return nil
}

// grow moves a body to size bytes of memory, or returns nil if they cannot be had. Both are counted as long as there
// are both.
func (in *intake) grow(body []byte, size int64) []byte {
	if !in.shared.take(size, size) {
		return nil
	}
	bigger := make([]byte, len(body), size)
	copy(bigger, body)
	in.shared.give(in.held)
	in.held = size
	return bigger
}

// release gives the memory of the body back, which must not be used any more.
func (in *intake) release() {
	if in.held > 0 {
		in.shared.give(in.held)
		in.held = 0
	}
}

// waits reports whether the client sends its body only when it is told to go on.
func (in *intake) waits() bool { return in.r.Header.Get("Expect") != "" }

// peek reads the beginning of a body that will be refused, as far as it needs for the id.
func (in *intake) peek() []byte {
	if !in.left || in.waits() {
		return nil
	}
	size := int64(peeked)
	if in.r.ContentLength > 0 {
		size = min(size, in.r.ContentLength)
	}
	prefix := make([]byte, 0, size)
	in.begin(peekTime, 0)
	defer in.end()
	for in.left && len(prefix) < cap(prefix) {
		n, err := in.read(prefix[len(prefix):cap(prefix)])
		prefix = prefix[:len(prefix)+n]
		if err != nil || in.left && prefixID(prefix) != nil {
			break
		}
	}
	return prefix
}

// refuse answers a request whose body was not read. Clients wait in vain for an answer without their id, some of them
// until their own time is up.
func (in *intake) refuse(err *Error) {
	var id json.RawMessage
	if in.r.Method == http.MethodPost {
		id = prefixID(in.peek())
	}
	in.refuseWith(id, err)
}

func (in *intake) refuseWith(id json.RawMessage, err *Error) {
	in.release()
	in.part()
	writeError(in.w, id, modern, err)
	in.linger()
}

// part prepares an answer that goes out before the body is in. Without it, net/http first waits for the body: up to
// 256 KiB of it, as slow as it may come.
func (in *intake) part() {
	if in.left {
		in.w.Header().Set("Connection", "close")
	}
}

// linger sends the answer, and lets the client finish sending: as much as any body may have, for a while.
func (in *intake) linger() {
	if !in.left {
		return
	}
	in.control.Flush()
	if !in.waits() {
		in.begin(lingerTime, 0)
		io.CopyN(io.Discard, in.r.Body, maxCall)
		in.end()
	}
	in.control.SetReadDeadline(past) // so that net/http does not wait either
}
