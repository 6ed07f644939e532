package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"slices"
	"strings"
)

// A level says how near the program comes to a vulnerability.
type level int

const (
	required level = iota // the module is in the build list
	imported              // a package of the program imports the affected package
	called                // and calls the affected function
)

func (l level) String() string { return [...]string{"required", "imported", "called"}[l] }

// A finding is one vulnerability in one module.
type finding struct {
	id, module, version, fixed, summary string
	level                               level
	symbol                              string // an affected function that is called
}

// frame and message are parts of what govulncheck -format=json prints.
type frame struct {
	Module, Version, Package, Function, Receiver string
}

type message struct {
	OSV *struct {
		ID, Summary string
	}
	Finding *struct {
		OSV          string
		FixedVersion string `json:"fixed_version"`
		Trace        []frame
	}
}

const standard = "stdlib"

// readFindings reads the stream of messages of govulncheck, which has many findings for one vulnerability, and keeps the
// nearest for each.
func readFindings(r io.Reader) ([]finding, error) {
	type key struct{ id, module string }
	found, summaries := map[key]finding{}, map[string]string{}
	for dec := json.NewDecoder(r); ; {
		var m message
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 {
			continue
		}
		at := m.Finding.Trace[0]
		f := finding{id: m.Finding.OSV, module: at.Module, version: at.Version, fixed: m.Finding.FixedVersion}
		switch {
		case at.Function != "":
			f.level, f.symbol = called, strings.Join(slices.DeleteFunc([]string{at.Package, at.Receiver, at.Function}, func(s string) bool { return s == "" }), ".")
		case at.Package != "":
			f.level = imported
		}
		k := key{f.id, f.module}
		if old, ok := found[k]; !ok || old.level < f.level {
			found[k] = f
		}
	}
	var all []finding
	for k, f := range found {
		f.summary = summaries[k.id]
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.level, a.level), strings.Compare(a.module, b.module), strings.Compare(a.id, b.id))
	})
	return all, nil
}

// report prints what was found, one line each, and returns whether any of it must not stay.
func report(w io.Writer, found []finding, toolchain string) (failed bool) {
	far := 0
	for _, f := range found {
		if f.level == required {
			far++
			continue
		}
		mark := "note"
		if f.level == called {
			mark = "FAIL"
			if f.module == standard && forgiven(f, toolchain) {
				mark = "note"
			}
		}
		failed = failed || mark == "FAIL"
		remedy := "no fix yet"
		if f.fixed != "" {
			remedy = "fixed in " + f.fixed
		}
		if f.symbol != "" {
			remedy += "; calls " + f.symbol
		}
		fmt.Fprintf(w, "%s %s %s: %s %s (%s): %s\n", mark, f.level, f.id, f.module, f.version, remedy, f.summary)
	}
	fmt.Fprintf(w, "vulncheck: %d findings, %d more in modules that are required and not imported; go.mod names %s\n", len(found)-far, far, toolchain)
	if failed {
		fmt.Fprintln(w, "vulncheck: raise what says FAIL: go get MODULE@VERSION, and for stdlib the toolchain line of go.mod")
	}
	return failed
}

// forgiven reports whether the toolchain that go.mod names holds the fix of a finding in the standard library.
func forgiven(f finding, toolchain string) bool {
	fixed := "go" + strings.TrimPrefix(f.fixed, "v")
	return version.IsValid(fixed) && version.Compare(toolchain, fixed) >= 0
}
