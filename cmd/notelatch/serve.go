package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/vault"
)

type serveCmd struct {
	Vaults      []string `name:"vault" help:"Serve this folder of notes. May be repeated; a folder that was served before is the same vault." placeholder:"DIR"`
	Demo        bool     `help:"Serve a sample vault, copied into the data folder."`
	Addr        string   `help:"Listen here." default:"127.0.0.1:8787" placeholder:"HOST:PORT"`
	PublicURL   string   `name:"public-url" help:"The URL under which clients reach this server, if it is not the address itself." placeholder:"URL"`
	AllowWrites bool     `help:"Let agents write to the folders named by --vault in this command, from now on."`

	WritesAllow       bool     `help:"false makes the whole server read-only." default:"true" negatable:""`
	WritesMappings    []string `help:"Hold writes to these vaults (handles)." placeholder:"MAPPING"`
	RequestsPerMinute int      `help:"Most requests of an account in a minute; 0 for no limit." default:"600" placeholder:"N"`
	WritesPerMinute   int      `help:"Most writes of an account in a minute; 0 for no limit." default:"60" placeholder:"N"`
	LogLevel          string   `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL"`
}

// shutdownTime is how long calls under way may take to end after Ctrl-C.
const shutdownTime = 10 * time.Second

func (c *serveCmd) Run(ctx context.Context, s *streams, common *common) (err error) {
	// What the caller can mend is checked first, so that nothing is half made.
	folders, err := resolveFolders(c.Vaults)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return usagef("cannot listen on %s (%v); give another address with --addr", c.Addr, syscallReason(err))
	}
	defer listener.Close() // Serve closes it too; this is for the ways out before that
	addr := listener.Addr().String()
	data, err := openData(common.Data)
	if err != nil {
		return err
	}
	if err := data.hold(addr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.release()) }()

	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: level(c.LogLevel)}))
	r, err := openRooms(ctx, data.databaseURL(common.Database), roomOptions{
		instance: data.instance(), log: log, progress: s.err, writesDisabled: !c.WritesAllow, writeMappings: c.WritesMappings,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	owner, err := r.accounts.EnsureOwner(ctx, ownerName)
	if err != nil {
		return err
	}
	for _, ref := range c.WritesMappings {
		j, err := r.find(ctx, owner.ID, ref)
		if err != nil {
			return err
		}
		if string(j.Mapping.ID) != ref {
			return usagef("--writes-mappings takes handles; that of %s is %s", ref, j.Mapping.ID)
		}
	}
	for _, dir := range folders {
		if err := r.warnNested(ctx, s, owner.ID, dir); err != nil {
			return err
		}
		if err := r.mapFolder(ctx, owner.ID, dir, c.AllowWrites); err != nil {
			return err
		}
	}
	if c.Demo {
		dir, err := demoFolder(data.path)
		if err == nil {
			dir, err = resolveFolder(dir)
		}
		if err != nil {
			return err
		}
		// It is a copy made to be tried out: agents may write to it from the start.
		if err := r.mapFolder(ctx, owner.ID, dir, true); err != nil {
			return err
		}
	}
	origin := c.origin(addr)
	b, err := r.banner(ctx, owner.ID, origin, common)
	if err != nil {
		return err
	}
	handler, err := r.handler(ctx, face{
		origin: origin, hosts: c.hosts(origin), requests: c.RequestsPerMinute, writes: c.WritesPerMinute,
		vaults: len(b.Vaults), readOnly: !c.WritesAllow,
	})
	if err != nil {
		return err
	}
	if err := b.print(s.out); err != nil {
		return err
	}
	r.start(ctx, owner.ID)
	return serveUntil(ctx, listener, handler, log)
}

// serveUntil answers until ctx ends, then lets the calls under way finish.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "cut off calls that did not end in time", slog.Duration("waited", shutdownTime))
		return srv.Close()
	}
	log.LogAttrs(ctx, slog.LevelInfo, "stopped")
	return nil
}

// resolveFolders checks folders and returns their real paths, each once.
func resolveFolders(dirs []string) ([]string, error) {
	var out []string
	seen := make(map[string]bool)
	for _, d := range dirs {
		real, err := resolveFolder(d)
		if err != nil {
			return nil, err
		}
		if !seen[real] {
			seen[real] = true
			out = append(out, real)
		}
	}
	return out, nil
}

func resolveFolder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", usagef("there is no folder %s; make it, or name another", dir)
	case err != nil:
		return "", usagef("the folder %s cannot be opened (%v); name another", dir, reason(err))
	}
	info, err := os.Stat(abs)
	if err == nil && !info.IsDir() {
		return "", usagef("%s is a file, not a folder of notes; name the folder that holds it", dir)
	}
	if err == nil {
		_, err = os.ReadDir(abs)
	}
	if err != nil {
		return "", usagef("the folder %s cannot be read (%v); allow it, or name another", dir, reason(err))
	}
	return abs, nil
}

func (c *serveCmd) check() error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return usagef("the address %q is not HOST:PORT; give one such as 127.0.0.1:8787 with --addr", c.Addr)
	}
	if c.RequestsPerMinute < 0 || c.WritesPerMinute < 0 {
		return usagef("a limit in a minute cannot be below zero; 0 means none")
	}
	if c.AllowWrites && len(c.Vaults) == 0 {
		return usagef("--allow-writes is for the folders named by --vault in the same command; for others use notelatch vault set MAPPING --writes on")
	}
	if c.PublicURL == "" {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return usagef("%s can be reached from other machines; say with --public-url under which URL clients reach it, or listen on 127.0.0.1", c.Addr)
		}
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return usagef("the public URL %q is not scheme://host[:port]; give one such as https://notes.example.org", c.PublicURL)
	}
	return nil
}

// origin is scheme://host[:port] as clients see it.
func (c *serveCmd) origin(addr string) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	return "http://" + addr
}

// hosts are the names that a request may name beside those of loopback.
func (c *serveCmd) hosts(origin string) []string {
	u, err := url.Parse(origin)
	if err != nil || c.PublicURL == "" {
		return nil
	}
	return []string{u.Hostname()}
}

// mapFolder makes a folder a vault, unless it is one already.
func (r *rooms) mapFolder(ctx context.Context, owner, dir string, allowWrites bool) error {
	j, err := r.mappings.ByRoot(ctx, owner, mapping.Folder, dir)
	m := j.Mapping
	if errors.Is(err, vault.NotFound) {
		m, err = r.mappings.Create(ctx, mapping.NewMapping{Account: owner, Provider: mapping.Folder, Root: dir, Name: filepath.Base(dir)})
		if err == nil {
			err = r.record(ctx, owner, events.VaultMapped, m.ID, "serve", m.Provider+" "+m.Name)
		}
	}
	if err != nil || !allowWrites || m.AllowAgentWrites {
		return err
	}
	if err := r.mappings.SetWrites(ctx, owner, m.ID, true); err != nil {
		return err
	}
	before := m
	m.AllowAgentWrites = true
	return r.recordPolicy(ctx, before, m, "serve", "--allow-writes")
}

func level(name string) slog.Level {
	var l slog.Level
	_ = l.UnmarshalText([]byte(name)) // kong's enum admits only names that it knows
	return l
}

func syscallReason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
