package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/notelatch/notelatch"

// A room is one row of the table "Who may import whom" in ARCHITECTURE.md. The row with the longest matching path
// speaks for a package. Its own folder is always allowed, and what it names includes the folders below.
type room struct {
	path  string
	may   []string // folders of Notelatch
	tests []string // more folders, for tests alone
}

var rooms = []room{
	{path: "vault"},
	{path: "migrations"},
	{path: "docs"},
	{path: "providers", may: []string{"vault"}},
	{path: "providers/hosted", may: []string{"vault", "providers", "migrations/sqldb"}, tests: []string{"migrations"}},
	{path: "governance", may: []string{"vault", "migrations", "providers"}},
	{path: "txn", may: []string{"vault", "migrations", "providers", "governance"}},
	{path: "gateway", may: []string{"vault", "migrations", "providers", "governance", "txn", "docs"}},
	// The tools run in the browser and the endpoint kit in other programs; their tests do neither.
	{path: "gateway/tools", may: []string{"vault"}, tests: []string{"gateway", "migrations", "providers", "governance", "txn"}},
	{path: "gateway/mcphttp", tests: []string{"vault", "gateway"}},
	{path: "webmcp", may: []string{"vault", "gateway"}},
	{path: "webmcp/core", may: []string{"vault", "gateway/tools"}, tests: []string{"gateway", "webmcp"}},
	{path: "web", may: []string{"vault", "governance", "txn", "gateway"}},
	{path: "cmd", may: []string{"vault", "migrations", "providers", "governance", "txn", "gateway", "webmcp", "web"}},
}

// A home says where in Notelatch an outside module may be imported.
type home struct {
	module    string
	at        []string
	testsOnly bool
}

var homes = []home{
	{module: "github.com/gin-gonic/gin", at: []string{"gateway", "web"}},
	{module: "github.com/gin-contrib", at: []string{"gateway", "web"}},
	{module: "github.com/modelcontextprotocol/go-sdk", at: []string{"gateway/mcp", "gateway/mcphttp"}, testsOnly: true},
	{module: "github.com/yuin/goldmark", at: []string{"vault"}, testsOnly: true},
	{module: "github.com/google/go-github", at: []string{"providers/github"}},
	{module: "github.com/dropbox/dropbox-sdk-go-unofficial", at: []string{"providers/dropbox"}},
	{module: "google.golang.org/api", at: []string{"providers/gdrive"}},
	{module: "github.com/redis/go-redis", at: []string{"gateway/limit"}},
	{module: "modernc.org/sqlite", at: []string{"migrations/sqldb", "migrations/sqldbtest"}},
	{module: "github.com/jackc/pgx", at: []string{"migrations/sqldb", "migrations/sqldbtest"}},
}

// vault is pure: no files, no network, no clock of its own, no database.
var impure = []string{"os", "os/exec", "net", "net/http", "database/sql", "syscall", "log/slog"}

// listed is what this test reads from go list.
type listed struct {
	Dir, ImportPath, Name, Doc         string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func (p listed) folder() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// testing reports whether the package is test code as a whole: a contract suite or a fake.
func (p listed) testing() bool { return strings.HasSuffix(p.ImportPath, "test") }

func TestLayoutImports(t *testing.T) {
	for _, goos := range []string{"linux", "js"} {
		t.Run(goos, func(t *testing.T) {
			pkgs := goList(t, goos)
			if len(pkgs) == 0 {
				t.Fatal("go list names no package")
			}
			for _, p := range pkgs {
				for _, problem := range importProblems(p) {
					t.Error(problem)
				}
			}
		})
	}
}

// importProblems returns one line for each import of p that breaks a row of a table.
func importProblems(p listed) []string {
	var problems []string
	tests := append(slices.Clone(p.TestImports), p.XTestImports...)
	for _, imp := range p.Imports {
		problems = append(problems, check(p, imp, p.testing())...)
	}
	for _, imp := range tests {
		problems = append(problems, check(p, imp, true)...)
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func check(p listed, imp string, test bool) []string {
	from := p.folder()
	var problems []string
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s imports %s: ", from, strings.TrimPrefix(imp, module+"/"))+fmt.Sprintf(format, args...))
	}
	row, ok := roomOf(from)
	if !ok {
		return []string{from + ": belongs to no room of ARCHITECTURE.md"}
	}
	if to, ours := strings.CutPrefix(imp, module+"/"); ours {
		allowed := append([]string{row.path}, row.may...)
		if test {
			allowed = append(allowed, row.tests...)
		}
		switch {
		case !anyWithin(to, allowed):
			report("%s may import %s", row.path, strings.Join(append(allowed[1:], "itself"), ", "))
		case provider(from) != "" && provider(to) != "" && provider(from) != provider(to) && (!test || provider(to) != "memory"):
			report("a provider imports no other provider")
		case !test && strings.HasSuffix(to, "test"):
			report("only tests import a package of test code")
		}
		return problems
	}
	if row.path == "vault" && !test && slices.Contains(impure, imp) {
		report("vault is pure, and builds for the browser")
	}
	if imp == "testing" && !test {
		report("only tests and packages whose name ends in test import it")
	}
	for _, h := range homes {
		if !within(imp, h.module) {
			continue
		}
		if h.testsOnly && !test {
			report("only tests in %s may import it", strings.Join(h.at, ", "))
		} else if !anyWithin(from, h.at) {
			report("its home is %s", strings.Join(h.at, ", "))
		}
	}
	return problems
}

func roomOf(folder string) (best room, ok bool) {
	for _, r := range rooms {
		if within(folder, r.path) && len(r.path) >= len(best.path) {
			best, ok = r, true
		}
	}
	return best, ok
}

// provider returns the provider that a folder belongs to, or "" for what providers share and for other rooms.
func provider(folder string) string {
	rest, ok := strings.CutPrefix(folder, "providers/")
	name, _, _ := strings.Cut(rest, "/")
	if !ok || name == "internal" || name == "providertest" {
		return ""
	}
	return name
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func anyWithin(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return within(path, f) })
}

// goList lists the packages of this module as they are built for goos. A package that does not compile is still listed.
func goList(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := goCommand(t, goos, "list", "-e", "-json=Dir,ImportPath,Name,Doc,GoFiles,Imports,TestImports,XTestImports", "./...")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", goos, err, errs.Bytes())
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list for %s: %v", goos, err)
		}
		pkgs = append(pkgs, p)
	}
}

func goCommand(t *testing.T, goos string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = moduleRoot(t)
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	if goos == "js" {
		cmd.Env = append(cmd.Env, "GOARCH=wasm")
	}
	return cmd
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}
