package mcphttp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
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
		if h == "" || strings.ContainsAny(h, "/@ ") {
			return g, fmt.Errorf("host %q is no host name", h)
		}
		g.hosts = append(g.hosts, hostname(h))
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
	if host := hostname(r.Host); !g.any && !isLoopback(host) && !slices.Contains(g.hosts, host) {
		return refusal(http.StatusForbidden, "the host %q is not one that this server answers for", clip(host))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !g.allows(origin) {
			return refusal(http.StatusForbidden, "pages of the origin %q may not use this server", clip(origin))
		}
	}
	return nil
}

func (g guard) allows(origin string) bool {
	if slices.Contains(g.origins, strings.ToLower(origin)) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopback(hostname(u.Host))
}

// hostname is the host without its port, in lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
