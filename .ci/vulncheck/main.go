// Command vulncheck runs govulncheck without asking anyone but the Go module proxy, and says which module to raise.
//
// The records come from a pinned version of golang.org/x/vulndb, so that a run today and one next year on the same
// commit agree; raising the pin is a commit. It fails on a vulnerability that the program calls. One in the standard
// library is forgiven when the toolchain that go.mod names has the fix: releases are built with that one, whatever Go
// the machine at hand has.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

const (
	records    = "golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018"
	recordsSum = "h1:mfngRv0Yoh0VApsXKEN82CjD99kl7mtparN3bs3JnqI="
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := run(ctx, os.Stdout, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// run scans the packages that patterns name, by default all, and reports whether one calls what it must not.
func run(ctx context.Context, w io.Writer, patterns []string) (failed bool, err error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	osv, err := download(ctx)
	if err != nil {
		return false, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return false, err
	}
	db := filepath.Join(cache, "notelatch-ci", filepath.Base(osv))
	if err := writeDatabase(db, filepath.Join(osv, "data", "osv")); err != nil {
		return false, fmt.Errorf("write the database: %w", err)
	}
	toolchain, err := namedToolchain(ctx)
	if err != nil {
		return false, err
	}
	args := []string{"tool", "-modfile=.ci/tools.mod", "govulncheck", "-format=json", "-db=file://" + filepath.ToSlash(db)}
	out, err := output(ctx, "", append(args, patterns...)...)
	if err != nil {
		return false, err
	}
	found, err := readFindings(bytes.NewReader(out))
	if err != nil {
		return false, fmt.Errorf("read the report of govulncheck: %w", err)
	}
	return report(w, found, toolchain), nil
}

// download returns the folder of the pinned records.
func download(ctx context.Context) (string, error) {
	// Outside of this module, or go.sum would get a line for something that is no dependency.
	out, err := output(ctx, os.TempDir(), "mod", "download", "-json", records)
	if err != nil {
		return "", err
	}
	var got struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", err
	}
	if got.Sum != recordsSum {
		return "", fmt.Errorf("%s has the checksum %s, want %s", records, got.Sum, recordsSum)
	}
	return got.Dir, nil
}

// namedToolchain returns what go.mod asks to be built with, such as go1.26.10.
func namedToolchain(ctx context.Context) (string, error) {
	out, err := output(ctx, "", "mod", "edit", "-json")
	if err != nil {
		return "", err
	}
	var mod struct{ Go, Toolchain string }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", err
	}
	if mod.Toolchain == "" {
		return "go" + mod.Go, nil
	}
	return mod.Toolchain, nil
}

func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}
