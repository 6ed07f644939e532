package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ErrToken is the error of an Authenticate that knows the token to be bad: malformed, unknown, expired, revoked, for
// another resource. Any other error is answered in the same way, and logged besides.
var ErrToken = errors.New("the token is not valid")

// A Challenge is what a 401 tells a client about getting a token.
type Challenge struct {
	ResourceMetadata string // absolute URL of the resource document, as [ResourceMetadata] serves it
	Scope            string // what to ask for, such as "mcp:read"
}

// header is the value of WWW-Authenticate. failure is empty unless a token was sent: clients take an error for an
// expired login, and would not start a first one.
func (c Challenge) header(failure string) string {
	var b strings.Builder
	b.WriteString("Bearer")
	sep := " "
	for _, p := range [...]struct{ name, value string }{
		{"resource_metadata", c.ResourceMetadata}, {"scope", c.Scope}, {"error", failure},
	} {
		if p.value != "" {
			fmt.Fprintf(&b, `%s%s="%s"`, sep, p.name, quotable.Replace(p.value))
			sep = ", "
		}
	}
	return b.String()
}

var quotable = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")

func (c Challenge) unauthorized(failure, message string) *Error {
	err := refusal(http.StatusUnauthorized, "%s", message)
	err.Header = http.Header{"Www-Authenticate": {c.header(failure)}}
	return err
}

// authenticate finds out who is asking. Without Options.Authenticate everybody is the zero P.
func (h *Handler[P]) authenticate(r *http.Request) (caller P, refused *Error) {
	if h.opts.Authenticate == nil {
		return caller, nil
	}
	if bearsToken(r.URL.RawQuery, h.opts.TokenPrefix) {
		return caller, h.opts.Challenge.unauthorized("invalid_token",
			"a token in the address is refused: send it as Authorization: Bearer TOKEN")
	}
	values := r.Header.Values("Authorization")
	if len(values) > 1 {
		return caller, h.opts.Challenge.unauthorized("invalid_token", "there is more than one Authorization header")
	}
	token := ""
	if len(values) == 1 {
		token = bearer(values[0])
	}
	if token == "" {
		return caller, h.opts.Challenge.unauthorized("", "a token is missing: send it as Authorization: Bearer TOKEN")
	}
	caller, err := h.verify(r.Context(), r, token)
	if err == nil {
		return caller, nil
	}
	if own := new(Error); errors.As(err, &own) {
		return caller, own
	}
	if !errors.Is(err, ErrToken) && r.Context().Err() == nil {
		h.log.LogAttrs(r.Context(), slog.LevelError, "could not verify a token", slog.Any("error", err))
	}
	return caller, h.opts.Challenge.unauthorized("invalid_token", "the token is not valid: it may be mistyped, expired or revoked")
}

// verify calls Authenticate. Whatever goes wrong in there is a refusal, a panic too.
func (h *Handler[P]) verify(ctx context.Context, r *http.Request, token string) (caller P, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.logPanic(ctx, "authenticate", "", p)
			err = ErrToken
		}
	}()
	return h.opts.Authenticate(ctx, r, token)
}

// queryTokens are the names under which tokens are seen in addresses, where logs and histories keep them.
var queryTokens = []string{"access_token", "token", "bearer", "bearer_token", "api_key", "apikey", "authorization"}

// bearsToken reports whether a query has a token in it: by a name that says so, or by the look of the program's own
// tokens anywhere. It splits more readily than net/url, which drops what stands beside a semicolon.
func bearsToken(query, prefix string) bool {
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, _, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(unescape(name))
		if slices.ContainsFunc(queryTokens, func(t string) bool { return strings.EqualFold(t, name) }) {
			return true
		}
		if prefix != "" && looksLikeToken(unescape(part), prefix) {
			return true
		}
	}
	return false
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// looksLikeToken reports whether text holds prefix and behind it enough of the characters that tokens are made of.
func looksLikeToken(text, prefix string) bool {
	const enough = 16
	for {
		var found bool
		if _, text, found = strings.Cut(text, prefix); !found {
			return false
		}
		end := strings.IndexFunc(text, func(r rune) bool {
			return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
		})
		if end >= enough || end < 0 && len(text) >= enough {
			return true
		}
	}
}

// bearer is the token of an Authorization header, or "" if it holds none.
func bearer(value string) string {
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
