package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/governance/mapping"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/vault"
)

type vaultImportCmd struct {
	Vault string `arg:"" help:"Handle or name of a hosted vault."`
	From  string `arg:"" help:"Folder, .zip, .tar or .tar.gz of notes."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// importReport says what became of every file.
type importReport struct {
	Stored  int      `json:"stored"`
	Same    int      `json:"same"`              // were there already
	Kept    []string `json:"kept,omitempty"`    // are there with other content: not changed
	Skipped []string `json:"skipped,omitempty"` // with the reason
}

func (v *vaultImportCmd) Run(ctx context.Context, s *streams, c *common) error {
	files, closer, err := openSource(v.From)
	if err != nil {
		return err
	}
	defer closer.Close()
	return onVault(ctx, s, c, v.Vault, func(r *rooms, j mapping.Joined) error {
		if j.Mapping.Provider != mapping.Hosted {
			return usagef("%s is a folder: copy the files into it; import is for hosted vaults", j.Mapping.Name)
		}
		access, err := r.authority.Access(ctx, r.ownerCaller(j.Mapping.Account), j.Mapping.ID, vault.NeedApply)
		if err != nil {
			return err
		}
		im := importer{txn: r.txn, access: access, progress: s.err}
		for f, err := range files {
			if err != nil {
				return err
			}
			if err := im.add(ctx, f); err != nil {
				return err
			}
		}
		if err := im.flush(ctx); err != nil {
			return err
		}
		if v.JSON {
			return printJSON(s.out, im.report)
		}
		for _, p := range im.report.Kept {
			fmt.Fprintf(s.err, "kept: %s is in the vault with other content\n", p)
		}
		for _, p := range im.report.Skipped {
			fmt.Fprintf(s.err, "skipped: %s\n", p)
		}
		_, err = fmt.Fprintf(s.out, "Imported %d files; %d were there already, %d kept as they are, %d skipped.\n",
			im.report.Stored, im.report.Same, len(im.report.Kept), len(im.report.Skipped))
		return err
	})
}

// importer gathers files into transactions.
type importer struct {
	txn      *txn.Service
	access   governance.Access
	progress io.Writer
	batch    []txn.Incoming
	bytes    int
	report   importReport
}

func (im *importer) add(ctx context.Context, f sourceFile) error {
	caps := im.access.Vault.Capabilities()
	p, err := vault.ParsePath(f.name)
	switch {
	case err != nil:
		im.skip(f.name, vault.AsError(err).Message)
		return nil
	case p.Hidden():
		return nil // belongs to a program, not to the notes
	case f.size > caps.MaxWrite:
		im.skip(f.name, fmt.Sprintf("%d bytes; a file may have %d", f.size, caps.MaxWrite))
		return nil
	}
	body, err := f.read(caps.MaxWrite)
	if err != nil {
		im.skip(f.name, reason(err).Error())
		return nil
	}
	if len(im.batch) == caps.MaxBatch || im.bytes+len(body) > txn.ImportBytes {
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	im.batch = append(im.batch, txn.Incoming{Path: p, Body: body})
	im.bytes += len(body)
	return nil
}

func (im *importer) skip(name, why string) {
	im.report.Skipped = append(im.report.Skipped, fmt.Sprintf("%q: %s", name, why))
}

// flush stores the batch. A batch that the vault refuses for one name in it is stored file by file.
func (im *importer) flush(ctx context.Context) error {
	batch := im.batch
	im.batch, im.bytes = nil, 0
	done, err := im.txn.Import(ctx, im.access, batch)
	if errors.Is(err, vault.AlreadyExists) {
		return im.single(ctx, batch)
	}
	if err != nil {
		return err
	}
	im.count(done)
	if im.report.Stored > 0 && im.report.Stored%1000 < len(done.Stored) {
		fmt.Fprintf(im.progress, "imported %d files\n", im.report.Stored)
	}
	return nil
}

func (im *importer) single(ctx context.Context, batch []txn.Incoming) error {
	for _, f := range batch {
		done, err := im.txn.Import(ctx, im.access, []txn.Incoming{f})
		if errors.Is(err, vault.AlreadyExists) {
			done, err = txn.Imported{Kept: []vault.Path{f.Path}}, nil
		}
		if err != nil {
			return err
		}
		im.count(done)
	}
	return nil
}

func (im *importer) count(done txn.Imported) {
	im.report.Stored += len(done.Stored)
	im.report.Same += len(done.Same)
	for _, p := range done.Kept {
		im.report.Kept = append(im.report.Kept, string(p))
	}
}

// sourceFile is one regular file of what is imported.
type sourceFile struct {
	name string // "/"-separated, as the source spells it: not yet checked
	size int64
	open func() (io.ReadCloser, error)
}

// read returns the bytes, and refuses more than most: a size that an archive states may lie.
func (f sourceFile) read(most int64) ([]byte, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return body, err
}

// openSource opens a folder or an archive. Links and special files in it are left out.
func openSource(from string) (iter.Seq2[sourceFile, error], io.Closer, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, nil, usagef("%s cannot be opened (%v); name a folder, .zip, .tar or .tar.gz", from, reason(err))
	}
	lower := strings.ToLower(from)
	switch {
	case info.IsDir():
		root, err := os.OpenRoot(from)
		if err != nil {
			return nil, nil, usagef("the folder %s cannot be read (%v)", from, reason(err))
		}
		return filesOf(root.FS()), root, nil
	case strings.HasSuffix(lower, ".zip"):
		z, err := zip.OpenReader(from)
		if err != nil {
			return nil, nil, usagef("%s is not a zip that can be read: %v", from, err)
		}
		return zipped(&z.Reader), z, nil
	case strings.HasSuffix(lower, ".tar"), strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		f, err := os.Open(from)
		if err != nil {
			return nil, nil, usagef("%s cannot be read (%v)", from, reason(err))
		}
		return tarred(f, from, !strings.HasSuffix(lower, ".tar")), f, nil
	}
	return nil, nil, usagef("%s is neither a folder nor a .zip, .tar or .tar.gz", filepath.Base(from))
}

func filesOf(fsys fs.FS) iter.Seq2[sourceFile, error] {
	return func(yield func(sourceFile, error) bool) {
		err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("read %s: %w", name, reason(err))
			}
			if d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			if !d.Type().IsRegular() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return fmt.Errorf("read %s: %w", name, reason(err))
			}
			if !yield(sourceFile{name, info.Size(), func() (io.ReadCloser, error) { return fsys.Open(name) }}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(sourceFile{}, err)
		}
	}
}

func zipped(z *zip.Reader) iter.Seq2[sourceFile, error] {
	return func(yield func(sourceFile, error) bool) {
		for _, f := range z.File {
			if f.Mode().IsRegular() && !yield(sourceFile{f.Name, int64(f.UncompressedSize64), f.Open}, nil) {
				return
			}
		}
	}
}

func tarred(r io.Reader, from string, compressed bool) iter.Seq2[sourceFile, error] {
	return func(yield func(sourceFile, error) bool) {
		if compressed {
			z, err := gzip.NewReader(r)
			if err != nil {
				yield(sourceFile{}, usagef("%s is not a gzip that can be read: %v", from, err))
				return
			}
			r = z
		}
		t := tar.NewReader(r)
		for {
			h, err := t.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(sourceFile{}, usagef("%s cannot be read to its end (%v); some of its files may be in the vault, and importing it whole adds the rest", from, err))
				return
			}
			open := func() (io.ReadCloser, error) { return io.NopCloser(t), nil }
			if h.Typeflag == tar.TypeReg && !yield(sourceFile{strings.TrimPrefix(h.Name, "./"), h.Size, open}, nil) {
				return
			}
		}
	}
}
