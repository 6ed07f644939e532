package main

import (
	"crypto/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/notelatch/notelatch/governance/account"
	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
)

// What commands do to tokens and vaults is in the account's chain: each once, and what changes nothing not at all.
func TestCommandsAreEvents(t *testing.T) {
	h := newHome(t)
	secret := strings.TrimSpace(h.run("token", "create", "--name", "other", "--scopes", "mcp:read"))
	dir := t.TempDir()
	vault := added(t, h.run("vault", "add", dir, "--json", "--name", "Notes"))
	h.run("vault", "add", dir)
	h.run("vault", "set", vault, "--writes", "on")
	h.run("vault", "set", vault, "--writes", "on")
	h.run("vault", "set", vault, "--pull-only", "on")
	h.run("vault", "set", vault, "--writes", "off")
	h.run("vault", "set", vault, "--writes", "on", "--pull-only", "off")
	h.run("vault", "list")
	h.run("vault", "remove", vault)
	h.run("token", "revoke", "other")
	h.start("--vault", dir, "--allow-writes").stop()
	h.start("--vault", dir, "--allow-writes").stop()

	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(h.data, "notelatch.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	owner, err := account.New(db, nil, rand.Reader).Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log := events.New(db, rand.Reader)
	if _, err := log.Verify(t.Context(), owner.ID); err != nil {
		t.Errorf("Verify = %v", err)
	}
	list, err := log.List(t.Context(), owner.ID, "", events.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range slices.Backward(list) {
		got = append(got, string(e.Kind)+": "+e.Tool)
		if e.Client != commandLine || e.Door != commandDoor {
			t.Errorf("%s is by %s, %s", e.Kind, e.Client, e.Door)
		}
		if strings.Contains(e.Reason, secret) || strings.Contains(e.Reason, dir) {
			t.Errorf("%s tells too much: %q", e.Kind, e.Reason)
		}
	}
	want := []string{
		"token_created: token create", "token_created: token create", "vault_mapped: vault add",
		"writes_enabled: vault set", "writes_disabled: vault set", "writes_enabled: vault set",
		"vault_removed: vault remove", "token_revoked: token revoke", "vault_mapped: serve", "writes_enabled: serve",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A token with one letter changed, left out or added is no token, and one that is whole is.
func TestTokenWithATypoIsRefused(t *testing.T) {
	h := newHome(t)
	s := h.start()
	whole := h.token
	for _, token := range []string{
		whole[:20] + swapped(whole[20]) + whole[21:], whole[:len(whole)-1] + swapped(whole[len(whole)-1]), whole[:4] + swapped(whole[4]) + whole[5:],
		whole[:len(whole)-1], whole + "0", strings.ToLower(whole), strings.TrimPrefix(whole, "bda_"), "",
	} {
		s.token = token
		if r, err := s.call("list_vaults", struct{}{}); err != nil || r.HTTP != 401 {
			t.Errorf("with the token %q: %v, %v; want HTTP 401", token, r, err)
		}
	}
	s.token = whole
	s.must("list_vaults", struct{}{})
	s.stop()
}

// swapped is a letter other than c.
func swapped(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}
