package mcphttptest

import (
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

var (
	summaryLine  = regexp.MustCompile(`(?m)^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed`)
	scenarioLine = regexp.MustCompile(`(?m)^Passed: (\d+)/(\d+), 0 failed, 0 warnings`)
)

// Requirements runs all scenarios of a revision against an endpoint, and returns how many checks passed in each that had
// no failure. Those of the baseline file are expected to fail; if any other does, or one of these does not, the test fails.
func Requirements(t *testing.T, endpoint, revision, baseline string) map[string]int {
	t.Helper()
	out := conformance(t, endpoint, "--requirements", revision, "--expected-failures", baseline)
	passed := map[string]int{}
	for _, line := range summaryLine.FindAllStringSubmatch(out, -1) {
		if line[3] == "0" {
			passed[line[1]], _ = strconv.Atoi(line[2])
		}
	}
	return passed
}

// Scenario runs one scenario against an endpoint, and returns how many of its checks passed. The test fails if one did
// not.
func Scenario(t *testing.T, endpoint, revision, scenario string) int {
	t.Helper()
	out := conformance(t, endpoint, "--scenario", scenario, "--spec-version", revision)
	line := scenarioLine.FindStringSubmatch(out)
	if line == nil || line[1] != line[2] {
		t.Errorf("not every check passed:\n%s", out)
		return 0
	}
	passed, _ := strconv.Atoi(line[1])
	return passed
}

// conformance runs the official suite, which it installs if it is missing, and returns what it printed.
func conformance(t *testing.T, endpoint string, args ...string) string {
	t.Helper()
	bin := suite(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"),
		append([]string{filepath.Join(bin, "conformance"), "server", "--url", endpoint, "--output-dir", t.TempDir()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		const shown = 12_000
		t.Errorf("the suite failed: %v\n%s", err, out[max(0, len(out)-shown):])
	}
	return string(out)
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
	if out, err := exec.CommandContext(t.Context(), "bash", filepath.Join(root, ".ci", "npm.sh"), "conformance").CombinedOutput(); err != nil {
		t.Fatalf("installing the conformance suite: %v\n%s", err, out)
	}
	return filepath.Join(root, ".ci", "conformance", "node_modules", ".bin")
}
