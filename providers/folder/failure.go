package folder

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// absent reports whether err says that there is nothing at a path.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// late hides from failure what failed after the change was there: it must not be taken for a refusal that changed nothing.
func late(err error) error {
	if err == nil {
		return nil
	}
	return afterwards{err}
}

type afterwards struct{ err error }

func (a afterwards) Error() string { return "after the change: " + a.err.Error() }

// is reports whether err is one of the numbers.
func is(err error, numbers ...syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

// failure turns an error of the file system into one that a caller can act on.
func failure(p vault.Path, err error) error {
	var known *vault.Error
	var after afterwards
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &after):
		return err
	case absent(err):
		return providers.Missing(p)
	case is(err, syscall.EROFS):
		return vault.Errorf(vault.CapabilityMissing, "%s is on a file system that can only be read", shown(p))
	case errors.Is(err, fs.ErrPermission):
		return vault.Errorf(vault.CapabilityMissing, "the server may not do that to %s", shown(p)).
			Next("Let the server's user read and write the folder.")
	case is(err, syscall.ENOSPC, syscall.EDQUOT):
		return vault.Errorf(vault.ProviderQuota, "there is no space left for %s", shown(p)).
			Next("Tell the owner to make space on the disk of the vault.")
	case is(err, syscall.ENAMETOOLONG, syscall.EINVAL):
		return vault.Errorf(vault.InvalidArgument, "the file system cannot store the name %s", p).With("field", "path")
	case is(err, syscall.ELOOP, syscall.ENXIO, syscall.EISDIR):
		return vault.Errorf(vault.UnsupportedHere, "%s is no plain file, and neither followed nor read", shown(p)).
			With("path", string(p))
	case is(err, syscall.EXDEV):
		return vault.Errorf(vault.CapabilityMissing, "%s would have to be moved to another file system", shown(p)).
			Next("Tell the owner to keep the vault and its .trash on one disk.")
	case is(err, syscall.EAGAIN, syscall.EBUSY, syscall.ETXTBSY):
		return vault.Errorf(vault.ProviderUnavailable, "%s is held by another program", shown(p)).
			Next("Try again in a moment.")
	case is(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM):
		return vault.Errorf(vault.ProviderUnavailable, "the server has no files or memory left to open %s", shown(p)).
			Next("Try again in a moment; if it stays so, tell the owner to raise the limit of open files.")
	case is(err, syscall.EIO, syscall.ESTALE, syscall.ENODEV, syscall.ETIMEDOUT, syscall.EHOSTDOWN):
		return vault.Errorf(vault.ProviderUnavailable, "the disk of the vault does not give %s", shown(p)).
			Next("Tell the owner to look at the disk or the network drive of the vault.")
	}
	return err
}

// shown is p in a message: the root has no name.
func shown(p vault.Path) string {
	if p == "" {
		return "the folder of this vault"
	}
	return string(p)
}

// special is the answer for what is no regular file.
func special(p vault.Path, m meta) error {
	if m.mode.IsDir() {
		return providers.Missing(p)
	}
	return vault.Errorf(vault.UnsupportedHere, "%s is a %s, which is neither followed nor read", p, kind(m.mode)).
		With("path", string(p))
}
