package mcphttp

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ResourceMetadata is the document of a protected resource (RFC 9728), by which a client that met a 401 finds out
// where tokens come from. Mount it at /.well-known/oauth-protected-resource and at the same path followed by the
// path of the endpoint.
type ResourceMetadata struct {
	Resource             string   `json:"resource"`                        // the endpoint's address, exactly as a user types it
	AuthorizationServers []string `json:"authorization_servers,omitempty"` // issuers; none: tokens are given out by hand
	Scopes               []string `json:"scopes_supported,omitempty"`
	BearerMethods        []string `json:"bearer_methods_supported"` // nil for "header", the only one that a Handler takes
	Name                 string   `json:"resource_name,omitempty"`
	Documentation        string   `json:"resource_documentation,omitempty"`
}

// Handler serves the document to anybody, pages of other origins included.
func (m ResourceMetadata) Handler() http.Handler {
	if m.BearerMethods == nil {
		m.BearerMethods = []string{"header"}
	}
	document, err := json.Marshal(m)
	if err != nil {
		panic("mcphttp: " + err.Error()) // strings alone: cannot fail
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := newIntake(w, r, nil)
		in.part()
		defer in.linger()
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			h.Set("Content-Type", "application/json")
			h.Set("Content-Length", strconv.Itoa(len(document)))
			h.Set("Cache-Control", "max-age=300")
			if r.Method == http.MethodGet {
				w.Write(document)
			}
		case http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
		default:
			h.Set("Allow", "GET, HEAD, OPTIONS")
			writeError(w, nil, modern, refusal(http.StatusMethodNotAllowed, "this document can only be read"))
		}
	})
}
