package mcphttp

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A guard is the first check of all: a page that a browser was lured to must not reach a server on this machine by a
// name that the page's owner controls.
type guard struct {
	hosts   []string // lower case, without port
	origins []string // scheme://host[:port], lower case
	any     bool     // hosts holds "*"
}

func newGuard(hosts, origins []string) (guard, error) {
	var g guard
	for _, h := range hosts {
		if h == "*" {
			g.any = true
			continue
		}
		name, ok := parseHost(h)
		if addr, err := netip.ParseAddr(h); err == nil {
			name, ok = addr.String(), true // of version 6 without brackets, too
		}
		if !ok {
			return g, fmt.Errorf("host %q is no host name", h)
		}
		g.hosts = append(g.hosts, name)
	}
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
			return g, fmt.Errorf("origin %q is not scheme://host[:port]", o)
		}
		g.origins = append(g.origins, strings.ToLower(o))
	}
	return g, nil
}

func (g guard) check(r *http.Request) *Error {
	if host, ok := parseHost(r.Host); !g.any && !(ok && (isLoopback(host) || slices.Contains(g.hosts, host))) {
		return refusal(http.StatusForbidden, "the host %q is not one that this server answers for", clip(r.Host))
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 {
		return refusal(http.StatusForbidden, "there is more than one Origin header")
	}
	if len(origins) == 1 && !g.allows(origins[0]) {
		return refusal(http.StatusForbidden, "pages of the origin %q may not use this server", clip(origins[0]))
	}
	return nil
}

func (g guard) allows(origin string) bool {
	if slices.Contains(g.origins, strings.ToLower(origin)) {
		return true
	}
	scheme, authority, _ := strings.Cut(origin, "://")
	host, ok := parseHost(authority)
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) && isLoopback(host)
}

// parseHost is the host of host[:port] without the port, in lower case. It is strict: what another reader could take
// for another host is none.
func parseHost(authority string) (host string, ok bool) {
	host, port, hasPort := authority, "", false
	if inside, literal := strings.CutPrefix(authority, "["); literal {
		inside, rest, closed := strings.Cut(inside, "]")
		addr, err := netip.ParseAddr(inside)
		if !closed || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", false
		}
		host = addr.String()
		if port, hasPort = strings.CutPrefix(rest, ":"); rest != "" && !hasPort {
			return "", false
		}
	} else {
		host, port, hasPort = strings.Cut(authority, ":")
		host = strings.ToLower(strings.TrimSuffix(host, "."))
		if host == "" || host[0] == '.' || strings.Contains(host, "..") || strings.ContainsFunc(host, notInHost) {
			return "", false
		}
	}
	if hasPort {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
	}
	return host, true
}

func notInHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
