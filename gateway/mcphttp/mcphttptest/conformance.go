package mcphttptest

import (
	"bytes"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var summaryLine = regexp.MustCompile(`(?m)^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed`)

// Conformance runs the official suite with these arguments against an endpoint, and returns how many checks passed in
// each scenario that had no failure. It installs the suite if it is missing. A run that the suite itself counts as
// failed is an error of the test.
func Conformance(t *testing.T, endpoint string, args ...string) map[string]int {
	t.Helper()
	bin := suite(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"),
		append([]string{filepath.Join(bin, "conformance"), "server", "--url", endpoint, "--output-dir", t.TempDir()}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	passed := map[string]int{}
	for _, line := range summaryLine.FindAllStringSubmatch(out.String(), -1) {
		if line[3] == "0" {
			passed[line[1]], _ = strconv.Atoi(line[2])
		}
	}
	if err != nil {
		const shown = 12_000
		t.Errorf("the suite failed: %v\n%s", err, out.String()[max(0, out.Len()-shown):])
	}
	return passed
}

// WithToken serves an endpoint through a proxy that adds a bearer token, which the suite has no option for. The Host
// that the suite sends goes through.
func WithToken(t *testing.T, endpoint, token string) (proxied string) {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + u.Path
}

// suite is the folder with the suite's programs. What its lock file names is installed if it is not there.
func suite(t *testing.T) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(root) == root {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	folder := filepath.Join(root, ".ci", "conformance")
	bin := filepath.Join(folder, "node_modules", ".bin")
	if out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(folder, "install.sh")).CombinedOutput(); err != nil {
		t.Fatalf("installing the conformance suite: %v\n%s", err, out)
	}
	return bin
}
