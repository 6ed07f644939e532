package main_test

import (
	"slices"
	"strings"
	"testing"
)

// The layout tests pass on a tidy tree whatever they check. These prove that they can fail.

func TestLayoutImportRules(t *testing.T) {
	const mcp, gin = "github.com/modelcontextprotocol/go-sdk/mcp", "github.com/gin-gonic/gin"
	ours := func(folder string) string { return module + "/" + folder }
	for _, c := range []struct {
		name, from, imports string
		inTest              bool
		want                string // part of the only problem; "" for none
	}{
		{name: "a room may import its own folders", from: "vault/plan", imports: ours("vault")},
		{name: "vault imports no room", from: "vault/plan", imports: ours("providers"), want: "vault/plan imports providers: vault may import itself"},
		{name: "a name that only begins alike is another room", from: "web", imports: ours("webmcp"), want: "web imports webmcp"},
		{name: "web may import gateway", from: "web", imports: ours("gateway/oauth")},
		{name: "gateway does not import web", from: "gateway", imports: ours("web"), want: "gateway imports web"},
		{name: "txn may import governance", from: "txn", imports: ours("governance/events")},
		{name: "governance does not import txn", from: "governance", imports: ours("txn"), want: "governance imports txn"},
		{name: "governance does not import txn in tests either", from: "governance", imports: ours("txn"), inTest: true, want: "governance imports txn"},
		{name: "providers may import vault", from: "providers", imports: ours("vault")},
		{name: "hosted may import sqldb", from: "providers/hosted", imports: ours("migrations/sqldb")},
		{name: "folder may not import sqldb", from: "providers/folder", imports: ours("migrations/sqldb"), want: "providers/folder imports migrations/sqldb"},
		{name: "hosted may import the shared transport", from: "providers/hosted", imports: ours("providers/internal/transport")},
		{name: "a provider may import its own fake in tests", from: "providers/dropbox", imports: ours("providers/dropbox/dropboxtest"), inTest: true},
		{name: "a provider imports no other provider", from: "providers/dropbox", imports: ours("providers/gdrive"), want: "no other provider"},
		{name: "a provider imports no other provider in tests", from: "providers/hosted", imports: ours("providers/gdrive"), inTest: true, want: "no other provider"},
		{name: "a provider's tests may use the memory provider", from: "providers/folder", imports: ours("providers/memory"), inTest: true},
		{name: "a provider may not", from: "providers/folder", imports: ours("providers/memory"), want: "no other provider"},
		{name: "tools may import vault", from: "gateway/tools", imports: ours("vault/plan")},
		{name: "tools may not import the rest of gateway", from: "gateway/tools", imports: ours("gateway/index"), want: "gateway/tools may import vault"},
		{name: "tools may in tests", from: "gateway/tools", imports: ours("gateway/backend"), inTest: true},
		{name: "the endpoint kit imports nothing", from: "gateway/mcphttp", imports: ours("vault"), want: "gateway/mcphttp imports vault"},
		{name: "mcp may import the endpoint kit", from: "gateway/mcp", imports: ours("gateway/mcphttp")},
		{name: "the browser core may import tools", from: "webmcp/core", imports: ours("gateway/tools")},
		{name: "the browser core may not import txn", from: "webmcp/core", imports: ours("txn"), want: "webmcp/core imports txn"},
		{name: "gateway may import docs", from: "gateway", imports: ours("docs")},
		{name: "cmd may not import docs", from: "cmd/notelatch", imports: ours("docs"), want: "cmd/notelatch imports docs"},
		{name: "cmd may import a door", from: "cmd/notelatch", imports: ours("gateway/mcp")},
		{name: "nothing imports cmd", from: "gateway", imports: ours("cmd/notelatch"), want: "gateway imports cmd/notelatch"},
		{name: "a folder without a room", from: "util", imports: "fmt", want: "belongs to no room"},
		{name: "gin is at home in web", from: "web", imports: gin},
		{name: "gin is at home in a door", from: "gateway/rest", imports: gin + "/binding"},
		{name: "gin is not at home in txn", from: "txn", imports: gin, want: "its home is gateway, web"},
		{name: "the SDK is at home in tests of mcp", from: "gateway/mcp", imports: mcp, inTest: true},
		{name: "the SDK stays out of mcp itself", from: "gateway/mcp", imports: mcp, want: "only tests in gateway/mcp"},
		{name: "the SDK stays out of other tests", from: "gateway/rest", imports: mcp, inTest: true, want: "its home is gateway/mcp"},
		{name: "a driver is at home in sqldb", from: "migrations/sqldb", imports: "github.com/jackc/pgx/v5/stdlib"},
		{name: "a driver is not at home in hosted", from: "providers/hosted", imports: "modernc.org/sqlite", inTest: true, want: "its home is migrations/sqldb"},
		{name: "vault is pure", from: "vault/search", imports: "os", want: "vault is pure"},
		{name: "vault's tests need not be", from: "vault/search", imports: "os", inTest: true},
		{name: "only tests import testing", from: "txn", imports: "testing", want: "only tests"},
		{name: "a contract suite imports testing", from: "txn/journaltest", imports: "testing"},
		{name: "a contract suite is imported by tests", from: "txn", imports: ours("txn/journaltest"), inTest: true},
		{name: "and by nothing else", from: "txn", imports: ours("txn/journaltest"), want: "only tests import"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := listed{ImportPath: ours(c.from)}
			if c.inTest {
				p.XTestImports = []string{"fmt", c.imports}
			} else {
				p.Imports = []string{"fmt", c.imports}
			}
			expect(t, importProblems(p), c.want)
		})
	}
}

func TestLayoutFileRules(t *testing.T) {
	const head = "package txn\n\n"
	long := strings.Repeat("\n", mostLines+1)
	machine := machinePaths("/srv/checkout")
	for _, c := range []struct {
		name, file, text string
		want             string
	}{
		{name: "a fixed folder", file: "txn/apply.go", text: head},
		{name: "another folder", file: "pkg/apply.go", text: head, want: "pkg is not a folder"},
		{name: "a file of its own", file: "README.md", text: "read me"},
		{name: "the longest file", file: "txn/apply.go", text: head + strings.Repeat("\n", mostLines-2)},
		{name: "a file too long", file: "txn/apply.go", text: head + long, want: "403 lines; 400 is the most"},
		{name: "a test too long", file: "txn/apply_test.go", text: head + long, want: "400 is the most"},
		{name: "test data may be long", file: "txn/testdata/a.go", text: head + long},
		{name: "generated code may be long", file: "txn/a.go", text: "// Code generated by stringer. DO NOT EDIT.\n\n" + head + long},
		{name: "the clock", file: "txn/a.go", text: head + "import \"time\"\n\nvar now = time.Now\n", want: "line 5 uses time.Now"},
		{name: "the clock by another name", file: "txn/a.go", text: head + "import t \"time\"\n\nvar now = t.Now()\n", want: "line 5 uses t.Now"},
		{name: "the clock with a dot", file: "txn/a.go", text: head + "import . \"time\"\n\nvar now = Now()\n", want: "imports everything of time"},
		{name: "a time that is given", file: "txn/a.go", text: head + "import \"time\"\n\nvar at = time.UnixMilli(1)\n"},
		{name: "the clock in a test", file: "txn/a_test.go", text: head + "import \"time\"\n\nvar now = time.Now()\n"},
		{name: "the clock in cmd", file: "cmd/notelatch/wire.go", text: head + "import \"time\"\n\nvar now = time.Now\n"},
		{name: "randomness", file: "txn/a.go", text: head + "import \"crypto/rand\"\n\nvar r = rand.Reader\n", want: "line 5 uses rand.Reader"},
		{name: "randomness without a seed", file: "txn/a.go", text: head + "import \"math/rand/v2\"\n\nvar r = rand.IntN(3)\n", want: "line 5 uses rand.IntN"},
		{name: "randomness with a seed", file: "txn/a.go", text: head + "import \"math/rand/v2\"\n\nvar r = rand.New(rand.NewPCG(1, 2))\n"},
		{name: "a path of this machine", file: "docs/a.md", text: "see `/srv/checkout/txn`", want: "line 1 holds a path of a machine"},
		{name: "a path of a build machine", file: "docs/a.md", text: "one\ndir=/" + "root/go", want: "line 2 holds a path of a machine"},
		{name: "a note's path is not one", file: "docs/a.md", text: "see notes/work/plan.md and ./work/plan.md"},
		{name: "bytes that are no text", file: "docs/a.png", text: "\x00 /srv/checkout/txn"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, fileProblems(c.file, []byte(c.text), machine), c.want) })
	}
}

// The list of files holds this one, however it is made.
func TestLayoutSeesItself(t *testing.T) {
	const self = "cmd/notelatch/layout_rules_test.go"
	root := moduleRoot(t)
	walked, err := walk(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{"git": projectFiles(t, root), "walk": walked} {
		if !slices.Contains(files, self) {
			t.Errorf("%s does not list %s", name, self)
		}
	}
}

func expect(t *testing.T, problems []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(problems) > 0:
		t.Errorf("problems = %q, want none", problems)
	case want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)):
		t.Errorf("problems = %q, want one with %q", problems, want)
	}
}
