package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/vault"
)

type vaultExportCmd struct {
	Vault string `arg:"" help:"Handle or name."`
	To    string `arg:"" help:"Folder to write; it must be empty, or not exist."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (v *vaultExportCmd) Run(ctx context.Context, s *streams, c *common) error {
	return onVault(ctx, s, c, v.Vault, func(r *rooms, j mapping.Joined) error {
		access, err := r.authority.Access(ctx, r.ownerCaller(j.Mapping.Account), j.Mapping.ID, vault.NeedRead)
		if err != nil {
			return err
		}
		root, err := emptyFolder(v.To)
		if err != nil {
			return err
		}
		defer root.Close()
		n := 0
		for e, err := range access.Vault.List(ctx, "") {
			if err != nil {
				return err
			}
			f, err := access.Vault.Read(ctx, e.Path)
			if errors.Is(err, vault.NotFound) {
				continue // deleted since it was listed
			}
			if err != nil {
				return fmt.Errorf("export %s: %w", e.Path, err)
			}
			if err := writeFile(root, f); err != nil {
				return fmt.Errorf("export %s: %w", e.Path, err)
			}
			if n++; n%1000 == 0 {
				fmt.Fprintf(s.err, "exported %d files\n", n)
			}
		}
		if v.JSON {
			return printJSON(s.out, struct {
				Exported int `json:"exported"`
			}{n})
		}
		_, err = fmt.Fprintf(s.out, "Exported %d files to %s.\n", n, v.To)
		return err
	})
}

func emptyFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, usagef("the folder %s cannot be made (%v); name another", dir, reason(err))
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return nil, usagef("the folder %s is not empty; name another, so that nothing in it is overwritten", dir)
	}
	if err != nil {
		return nil, usagef("the folder %s cannot be read (%v); name another", dir, reason(err))
	}
	return os.OpenRoot(dir)
}

func writeFile(root *os.Root, f vault.File) error {
	name := filepath.FromSlash(string(f.Path))
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := out.Write(f.Body); err != nil {
		return errors.Join(err, out.Close())
	}
	if err := out.Close(); err != nil {
		return err
	}
	return root.Chtimes(name, f.ModifiedAt, f.ModifiedAt)
}
