package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/notelatch/notelatch/gateway/tools"
)

// cli is every command and flag. A setting may also stand in the environment or the configuration file: see settings.
type cli struct {
	common

	Serve   serveCmd   `cmd:"" help:"Serve vaults to agents."`
	Token   tokenCmd   `cmd:"" help:"Make, list and revoke access tokens."`
	Vault   vaultCmd   `cmd:"" help:"Add, list, change, import and export vaults."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// common are the flags of every command.
type common struct {
	Data     string `help:"Folder of the database and the lock. Default: ${data}." default:"${data}" placeholder:"DIR"`
	Config   string `help:"Configuration file (YAML). Default: notelatch.yaml in the data folder, if there is one." placeholder:"FILE"`
	Database string `help:"PostgreSQL URL, such as postgres://user@host/name. Default: SQLite in the data folder." placeholder:"URL"`

	program     string // how the program was started, for the commands that it prints
	defaultData string
}

// setting is one value that may come from a flag, the environment or the file, in that order of force.
type setting struct {
	flag string // without dashes; the name that kong knows
	key  string // in the file, dots for nesting
	env  string // "" where a list has no good spelling in one variable
}

// settings are all of them. serve --allow-writes and --demo are acts, not settings, and stand on the command line alone.
var settings = []setting{
	{"data", "data", "NOTELATCH_DATA"},
	{"config", "", "NOTELATCH_CONFIG"},
	{"database", "database", "NOTELATCH_DATABASE_URL"},
	{"vault", "vaults", ""},
	{"addr", "addr", "NOTELATCH_ADDR"},
	{"public-url", "publicUrl", "NOTELATCH_PUBLIC_URL"},
	{"writes-allow", "writes.allow", "NOTELATCH_ALLOW_WRITES"},
	{"writes-mappings", "writes.mappings", "NOTELATCH_WRITES_MAPPINGS"},
	{"requests-per-minute", "limits.requestsPerMinute", "NOTELATCH_REQUESTS_PER_MINUTE"},
	{"writes-per-minute", "limits.writesPerMinute", "NOTELATCH_WRITES_PER_MINUTE"},
	{"log-level", "log.level", "NOTELATCH_LOG_LEVEL"},
}

// foreign are variables with our prefix that other programs read: clients their token, the tests their database.
var foreign = []string{"NOTELATCH_MCP_TOKEN", "NOTELATCH_API_TOKEN", "NOTELATCH_API_BASE_URL", "NOTELATCH_OAUTH_ACCESS_TOKEN",
	"NOTELATCH_OAUTH_TOKEN_FILE", "NOTELATCH_TEST_POSTGRES_URL", "NOTELATCH_CORPORA"}

// config is the environment and the file, as a kong resolver.
type config struct {
	defaultData string
	values      map[string]any // by flag name
}

// loadConfig reads the environment and the configuration file. An unknown key in either is an error that names the nearest one.
func loadConfig(args, environ []string) (*config, error) {
	env := make(map[string]string, len(environ))
	for _, kv := range environ {
		if k, v, _ := strings.Cut(kv, "="); v != "" {
			env[k] = v
		}
	}
	c := &config{defaultData: defaultData(env), values: make(map[string]any)}
	if err := c.readEnv(env); err != nil {
		return nil, err
	}
	file, named := flagValue(args, "config"), true
	if file == "" {
		file, _ = c.values["config"].(string)
	}
	if file == "" {
		data := flagValue(args, "data")
		if data == "" {
			data, _ = c.values["data"].(string)
		}
		if data == "" {
			data = c.defaultData
		}
		file, named = filepath.Join(data, "notelatch.yaml"), false
	}
	return c, c.readFile(file, named)
}

// defaultData is where data lives by the XDG base directory specification.
func defaultData(env map[string]string) string {
	if d := env["XDG_DATA_HOME"]; filepath.IsAbs(d) {
		return filepath.Join(d, "notelatch")
	}
	if h := env["HOME"]; h != "" {
		return filepath.Join(h, ".local", "share", "notelatch")
	}
	return "notelatch-data"
}

// flagValue finds a flag before the parser runs, since the file decides what the parser resolves.
func flagValue(args []string, name string) string {
	for i, a := range args {
		switch {
		case a == "--":
			return ""
		case a == "--"+name && i+1 < len(args):
			return args[i+1]
		case strings.HasPrefix(a, "--"+name+"="):
			return a[len(name)+3:]
		}
	}
	return ""
}

func (c *config) readEnv(env map[string]string) error {
	known := map[string]string{}
	for _, s := range settings {
		if s.env != "" {
			known[s.env] = s.flag
		}
	}
	for _, k := range slices.Sorted(maps.Keys(env)) {
		flag, ok := known[k]
		switch {
		case ok:
			c.values[flag] = env[k]
		case strings.HasPrefix(k, "NOTELATCH_") && !slices.Contains(foreign, k):
			return unknownKey("environment variable", k, slices.Collect(maps.Keys(known)))
		}
	}
	return nil
}

func (c *config) readFile(file string, named bool) error {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil
	case err != nil:
		return usagef("the configuration file %s cannot be read (%v); name another with --config", file, reason(err))
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return usagef("the configuration file %s is not valid YAML: %v", file, err)
	}
	known := map[string]string{}
	for _, s := range settings {
		if s.key != "" {
			known[s.key] = s.flag
		}
	}
	for key, v := range flatten("", tree) {
		flag, ok := known[key]
		if !ok {
			return unknownKey("key in "+file, key, slices.Collect(maps.Keys(known)))
		}
		if _, set := c.values[flag]; !set {
			c.values[flag] = v
		}
	}
	return nil
}

func flatten(prefix string, tree map[string]any) map[string]any {
	flat := make(map[string]any)
	for k, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			maps.Copy(flat, flatten(prefix+k+".", sub))
			continue
		}
		flat[prefix+k] = v
	}
	return flat
}

func unknownKey(what, key string, known []string) error {
	slices.Sort(known)
	if near := tools.Nearest(key, known); near != "" {
		return usagef("unknown %s: %s; did you mean %s?", what, key, near)
	}
	return usagef("unknown %s: %s; known are %s", what, key, strings.Join(known, ", "))
}

// reason is an operating system's error without the path, which the message names already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Validate implements kong.Resolver. All keys were checked when they were read.
func (c *config) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: kong asks for each flag that is not on the command line.
func (c *config) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	switch v := c.values[flag.Name].(type) {
	case nil:
		return nil, nil
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			list[i] = fmt.Sprint(e)
		}
		return strings.Join(list, ","), nil
	default:
		return fmt.Sprint(v), nil
	}
}
