package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const mostLines = 400

var topFolders = []string{"cmd", "gateway", "providers", "txn", "governance", "webmcp", "web", "migrations", "vault", "docs", ".ci"}

// browser names what must build for GOOS=js.
var browser = []string{"vault", "gateway/tools", "webmcp/core"}

func TestLayoutPackageComments(t *testing.T) {
	has := map[string]bool{}
	for _, goos := range []string{"linux", "js"} {
		for _, p := range goList(t, goos) {
			if len(p.GoFiles) > 0 {
				has[p.folder()] = has[p.folder()] || p.Doc != ""
			}
		}
	}
	for folder, ok := range has {
		if !ok {
			t.Errorf("%s has no package comment", folder)
		}
	}
}

func TestLayoutFiles(t *testing.T) {
	root := moduleRoot(t)
	machine := machinePaths(root)
	for _, name := range projectFiles(t, root) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and the deletion not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range fileProblems(name, text, machine) {
			t.Error(problem)
		}
	}
}

func TestLayoutBuildsForTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another platform")
	}
	args := []string{"build"}
	for _, p := range goList(t, "js") {
		if anyWithin(p.folder(), browser) && len(p.GoFiles) > 0 {
			args = append(args, p.ImportPath)
		}
	}
	if len(args) == 1 {
		t.Fatal("go list names no package for the browser")
	}
	args = slices.Insert(args, 1, "-o", os.DevNull)
	if out, err := goCommand(t, "js", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fileProblems returns one line for each rule that a file breaks; name is slash-separated, from the module's root.
func fileProblems(name string, text []byte, machine *regexp.Regexp) []string {
	var problems []string
	report := func(format string, args ...any) {
		problems = append(problems, name+": "+fmt.Sprintf(format, args...))
	}
	if top, _, below := strings.Cut(name, "/"); below && !slices.Contains(topFolders, top) {
		report("%s is not a folder of ARCHITECTURE.md", top)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return problems // not text
	}
	if at := machine.FindIndex(text); at != nil && path.Ext(name) != ".sum" {
		report("line %d holds a path of a machine: %s", 1+bytes.Count(text[:at[0]], []byte("\n")), text[at[0]:at[1]])
	}
	if isCode(name) && !generated(text) {
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			report("%d lines; %d is the most", n, mostLines)
		}
	}
	if path.Ext(name) == ".go" && !within(name, "cmd") && !within(name, ".ci") && !testCode(name) {
		for _, use := range hiddenInputs(name, text) {
			report("%s; clock and randomness come in as arguments", use)
		}
	}
	return problems
}

func isCode(name string) bool {
	exts := []string{".go", ".js", ".mjs", ".ts", ".css", ".html", ".tmpl", ".sql", ".sh"}
	return slices.Contains(exts, path.Ext(name)) && !inTestdata(name)
}

func inTestdata(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

func testCode(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test") || inTestdata(name)
}

var generatedLine = regexp.MustCompile(`(?m)^(//|--|/\*) Code generated .* DO NOT EDIT\.`)

func generated(text []byte) bool { return generatedLine.Match(text[:min(len(text), 1024)]) }

// hiddenInputs names what a Go file takes from the machine: the clock, and random numbers that nobody seeded.
func hiddenInputs(name string, text []byte) []string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil // the compiler says it better
	}
	forbidden := map[string]func(string) bool{
		"time":        func(s string) bool { return s == "Now" || s == "Since" || s == "Until" },
		"crypto/rand": func(string) bool { return true },
		"math/rand":   func(s string) bool { return !slices.Contains([]string{"Rand", "Source", "New", "NewSource"}, s) },
		"math/rand/v2": func(s string) bool {
			return !slices.Contains([]string{"Rand", "Source", "New", "NewPCG", "NewChaCha8"}, s)
		},
	}
	checks := map[string]func(string) bool{} // by the name that the file gives the package
	var uses []string
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil || forbidden[imp] == nil {
			continue
		}
		local := path.Base(strings.TrimSuffix(imp, "/v2"))
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." {
			uses = append(uses, fmt.Sprintf("line %d imports everything of %s", fset.Position(spec.Pos()).Line, imp))
		}
		checks[local] = forbidden[imp]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && checks[x.Name] != nil && checks[x.Name](sel.Sel.Name) {
			uses = append(uses, fmt.Sprintf("line %d uses %s.%s", fset.Position(sel.Pos()).Line, x.Name, sel.Sel.Name))
		}
		return true
	})
	return uses
}

// machinePaths matches absolute paths of the machine that runs this and of the usual mounts of build machines.
func machinePaths(root string) *regexp.Regexp {
	places := []string{"/" + "root", "/" + "work", "/" + "workspace", "/" + "farm"}
	for _, own := range []string{root, userHome()} {
		if strings.Count(filepath.ToSlash(own), "/") > 1 {
			places = append(places, regexp.QuoteMeta(own))
		}
	}
	return regexp.MustCompile("(?m)(?:^|[^\\w./~}*-]|file://)(?:" + strings.Join(places, "|") + `)/\w`)
}

func userHome() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}

// projectFiles lists what git holds and what it does not ignore; without git, everything but what is installed.
func projectFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	git := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	if out, err := git.Output(); err == nil {
		files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	} else if files, err = walk(root); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(files, "go.mod") {
		t.Fatalf("the list of files in %s has no go.mod: %q", root, files)
	}
	// go test keeps a result while the files and folders that this process opened stay as they were. Opening each folder
	// makes a new file count.
	folders := map[string]bool{}
	for _, f := range files {
		folders[path.Dir(f)] = true
	}
	for dir := range folders {
		if _, err := os.ReadDir(filepath.Join(root, dir)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return files
}

func walk(root string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", ".cache"}, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	return files, err
}
