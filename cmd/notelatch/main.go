// Command notelatch serves a person's notes to AI agents through one authenticated MCP endpoint. This package holds configuration and
// wiring: it is the only one that knows all the others, and has no logic of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/notelatch/notelatch/vault"
)

// Exit codes. Usage is what the caller can mend: bad flags, a missing folder, a port in use.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args, os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program: it reads nothing that it is not given, and returns the exit code.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	program, args := programName(args[0]), args[1:]
	conf, err := loadConfig(args, environ)
	if err != nil {
		return fail(stderr, err)
	}
	var c cli
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("notelatch"),
		kong.Description("A gateway between AI agents and your notes: bounded reads, and writes that are previewed before they are applied."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code; panic(exited{}) }),
		kong.Resolvers(conf),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"data": conf.defaultData, "version": version()},
	)
	if err != nil {
		return fail(stderr, err)
	}
	k, err := parse(parser, args)
	switch {
	case exit >= 0:
		return exit
	case err != nil:
		return fail(stderr, usageError{err.Error() + "; see notelatch --help"})
	}
	c.program, c.defaultData = program, conf.defaultData
	k.BindTo(ctx, (*context.Context)(nil))
	return fail(stderr, k.Run(&streams{out: stdout, err: stderr}, &c.common))
}

// programName is what a person types to start the program again: go run leaves a path that nobody can use.
func programName(arg string) string {
	switch {
	case strings.Contains(arg, "go-build"):
		return "go run ./cmd/notelatch"
	case strings.ContainsRune(arg, os.PathSeparator):
		return arg
	default:
		return "notelatch"
	}
}

// streams are where a command writes: results to out, everything else to err.
type streams struct{ out, err io.Writer }

// exited unwinds the parser after --help has printed.
type exited struct{}

func parse(p *kong.Kong, args []string) (k *kong.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
		}
	}()
	return p.Parse(args)
}

// usageError is something that the caller can mend. It is shown as one line, with exit code 2.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

func fail(stderr io.Writer, err error) int {
	if err == nil || errors.Is(err, context.Canceled) {
		return exitOK
	}
	code, line := exitError, err.Error()
	var usage usageError
	var e *vault.Error
	switch {
	case errors.As(err, &usage):
		code, line = exitUsage, usage.message
	case errors.As(err, &e):
		code, line = exitUsage, e.Message
		if e.Hint != "" {
			line += "; " + strings.TrimSuffix(e.Hint, ".")
		}
	}
	fmt.Fprintf(stderr, "notelatch: %s\n", strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == '\n' || r == '\t' }), " "))
	return code
}
