package mcphttp

import (
	"net/http"
	"time"
)

const (
	// stall is how long a client may take nothing of an answer before it counts as gone. net/http's WriteTimeout
	// would end every stream that lasts longer, however well it is read.
	stall = 30 * time.Second
	// stretch is how many bytes are written at a time; what is shorter fits into the buffers of a connection.
	stretch = 64 << 10
)

// send writes an answer or a part of one, and flushes it if asked to. It gives up on a client that has stalled, which
// cancels the request.
func send(w http.ResponseWriter, flush bool, parts ...[]byte) {
	control := http.NewResponseController(w)
	cut := time.AfterFunc(stall, func() { control.SetWriteDeadline(past) })
	defer cut.Stop()
	for _, part := range parts {
		for len(part) > 0 {
			n, err := w.Write(part[:min(len(part), stretch)])
			if err != nil {
				return
			}
			part = part[n:]
			cut.Reset(stall)
		}
	}
	if flush {
		control.Flush()
	}
}
