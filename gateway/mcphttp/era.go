package mcphttp

import (
	"fmt"
	"net/http"
	"slices"
)

// Modern is the revision whose requests say all that they need, and follow no handshake.
const Modern = "2026-07-28"

// assumed is the revision of a handshake request without a version header, as the protocol prescribes.
const assumed = "2025-03-26"

// batching are the revisions in which a body may be an array.
var batching = []string{"2025-03-26", "2024-11-05", "2024-10-07"}

// handshakes are the revisions that begin with initialize, newest first.
var handshakes = append([]string{"2025-11-25", "2025-06-18"}, batching...)

// Versions are all revisions that a Handler serves, newest first.
func Versions() []string { return append([]string{Modern}, handshakes...) }

// The members of _meta that the protocol defines.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// removed are the methods of handshake revisions that the modern one no longer has.
var removed = []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

// An era is a set of rules. It is chosen for each request, never for a connection.
type era int

const (
	handshake     era = iota
	compatibility     // server/discover as it was asked before the modern revision
	modern
)

// eraOf chooses the rules for a message. header is the value of MCP-Protocol-Version.
func eraOf(m *message, header string) era {
	switch {
	case m.meta.get(metaVersion) != nil:
		return modern
	case m.method == "initialize":
		return handshake // whatever the header says: a client may repeat an old one
	case header != "" && !slices.Contains(handshakes, header):
		return modern
	case m.method == "server/discover":
		return compatibility
	}
	return handshake
}

// revision is the revision that a request is answered in.
func (e era) revision(header string) string {
	switch {
	case e == modern:
		return Modern
	case header == "":
		return assumed
	}
	return header
}

// mayBatch reports whether a body under this header may be an array.
func mayBatch(header string) bool { return header == "" || slices.Contains(batching, header) }

// status is the HTTP status of an error: in the handshake era, an answered request is 200 whatever the answer says.
func (e era) status(err *Error) int {
	switch {
	case err.Status != 0:
		return err.Status
	case e != modern:
		return http.StatusOK
	}
	switch err.Code {
	case CodeMethodNotFound:
		return http.StatusNotFound
	case CodeInternal:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// checkVersion holds a modern message to the version rules, before any other rule of its era.
func checkVersion(m *message, header string) *Error {
	version, there, ok := textOf(m.meta.get(metaVersion))
	switch {
	case !ok:
		return invalidParams("_meta[%q] is a string", metaVersion)
	case there && header == "":
		return headerMismatch("the MCP-Protocol-Version header is missing: it repeats _meta[%q]", metaVersion)
	case there && header != version:
		return headerMismatch("the MCP-Protocol-Version header says %q, _meta says %q", clip(header), clip(version))
	case header != Modern:
		return &Error{
			Code:    CodeUnsupportedVersion,
			Status:  http.StatusBadRequest,
			Message: fmt.Sprintf("protocol version %q is not served this way", clip(header)),
			Data:    map[string]any{"supported": Versions(), "requested": clip(header)},
		}
	case !there && m.notification():
		return nil // a notification needs no _meta
	case !there:
		return invalidParams("_meta[%q] is missing", metaVersion)
	}
	return nil
}

// checkMeta requires what every modern request says about its client.
func checkMeta(m *message) *Error {
	switch v := m.meta.get(metaCapabilities); {
	case m.notification():
		return nil
	case v == nil:
		return invalidParams("_meta[%q] is missing: send {} for none", metaCapabilities)
	case v[0] != '{':
		return invalidParams("_meta[%q] is an object", metaCapabilities)
	}
	return nil
}

// negotiate answers the version that initialize asked for.
func negotiate(asked string) string {
	if slices.Contains(handshakes, asked) {
		return asked
	}
	return handshakes[0]
}
