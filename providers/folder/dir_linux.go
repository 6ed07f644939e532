package folder

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// dir is an open folder. Its methods take names and not paths, and follow no symbolic link, so that whatever happens to the path on
// which it was reached they work in this folder.
type dir struct {
	f    *os.File
	path string // for messages, and for file systems that tell no types in a listing
}

const openFile = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

func openTop(root *os.Root) (*dir, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	return &dir{f, root.Name()}, nil
}

func (d *dir) fd() int { return int(d.f.Fd()) }

func (d *dir) close() error { return d.f.Close() }

// again opens the same folder once more, with a place of its own in the listing.
func (d *dir) again() (*dir, error) { return d.at(".", d.path) }

func (d *dir) enter(name string) (*dir, error) { return d.at(name, d.path+"/"+name) }

func (d *dir) at(name, path string) (*dir, error) {
	f, err := d.file(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &dir{f, path}, nil
}

func (d *dir) file(name string, flags int, mode uint32) (f *os.File, err error) {
	err = uninterrupted("open", name, func() error {
		fd, err := unix.Openat(d.fd(), name, flags|openFile, mode)
		if err == nil {
			f = os.NewFile(uintptr(fd), d.path+"/"+name)
		}
		return err
	})
	return f, err
}

// open opens a file for reading. Only what stat calls a regular file should be opened: opening a device may do something.
func (d *dir) open(name string) (*os.File, error) { return d.patient(name, unix.O_RDONLY) }

// openEnd opens a file for adding to its end.
func (d *dir) openEnd(name string) (*os.File, error) {
	return d.patient(name, unix.O_WRONLY|unix.O_APPEND)
}

// patient waits while somebody's lease keeps others from the file: ours too, for the moment in which a note is replaced.
func (d *dir) patient(name string, flags int) (f *os.File, err error) {
	for range pauses {
		if f, err = d.file(name, flags, 0); !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	return f, err
}

// create makes a file that must not exist. All that is written to it is added at its end.
func (d *dir) create(name string, mode uint32) (*os.File, error) {
	return d.file(name, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT|unix.O_EXCL, mode)
}

func (d *dir) stat(name string) (m meta, err error) {
	err = uninterrupted("stat", name, func() error {
		var s unix.Stat_t
		err := unix.Fstatat(d.fd(), name, &s, unix.AT_SYMLINK_NOFOLLOW)
		m = metaOf(&s)
		return err
	})
	return m, err
}

func statFile(f *os.File) (m meta, err error) {
	err = uninterrupted("stat", f.Name(), func() error {
		var s unix.Stat_t
		err := unix.Fstat(int(f.Fd()), &s)
		m = metaOf(&s)
		return err
	})
	return m, err
}

// names lists the folder. It may be called once.
func (d *dir) names() ([]string, error) { return d.f.Readdirnames(-1) }

func (d *dir) mkdir(name string) error {
	return uninterrupted("mkdir", name, func() error { return unix.Mkdirat(d.fd(), name, 0o777) })
}

func (d *dir) remove(name string) error {
	return uninterrupted("remove", name, func() error { return unix.Unlinkat(d.fd(), name, 0) })
}

// link gives a file a second name, which must not exist.
func (d *dir) link(from, to string) error {
	return uninterrupted("link", to, func() error { return unix.Linkat(d.fd(), from, d.fd(), to, 0) })
}

// exchange swaps what two names stand for, at once.
func (d *dir) exchange(a, b string) error {
	return uninterrupted("exchange", b, func() error { return unix.Renameat2(d.fd(), a, d.fd(), b, unix.RENAME_EXCHANGE) })
}

// rename replaces what is at to.
func (d *dir) rename(from, to string) error {
	return uninterrupted("rename", to, func() error { return unix.Renameat(d.fd(), from, d.fd(), to) })
}

// place moves a file to a name, in another folder perhaps, that must not exist.
func (d *dir) place(from string, into *dir, to string) error {
	err := uninterrupted("rename", to, func() error {
		return unix.Renameat2(d.fd(), from, into.fd(), to, unix.RENAME_NOREPLACE)
	})
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	err = uninterrupted("link", to, func() error { return unix.Linkat(d.fd(), from, into.fd(), to, 0) })
	if err != nil {
		return err
	}
	return d.remove(from)
}

// sync makes the names in the folder durable.
func (d *dir) sync() error { return d.f.Sync() }

// dress gives a new file the mode, owner and attributes of the one that it replaces, as far as the server may.
func dress(f, like *os.File, m meta) error {
	if err := f.Chmod(m.mode.Perm()); err != nil {
		return err
	}
	var s unix.Stat_t
	if unix.Fstat(int(like.Fd()), &s) == nil {
		_ = f.Chown(int(s.Uid), int(s.Gid)) // only root may; the mode and the text matter more
	}
	names := make([]byte, 4096)
	n, err := unix.Flistxattr(int(like.Fd()), names)
	if err != nil {
		return nil // none, or the file system has no such thing
	}
	value := make([]byte, 4096)
	for start, i := 0, 0; i < n; i++ {
		if names[i] != 0 {
			continue
		}
		name := string(names[start:i])
		start = i + 1
		if size, err := unix.Fgetxattr(int(like.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(f.Fd()), name, value[:size], 0) // security.* and the like are not ours to set
		}
	}
	return nil
}

// settled waits until no program has f open for writing; quiet is false if one does not end. If leased, a program that opens it for
// writing waits from then on, until f is closed or released: that is a read lease, which the kernel grants only while there are no
// writers, for files of the server's own user, and not on every file system. Where there is none settled believes the best.
func settled(f *os.File) (quiet, leased bool) {
	for range pauses {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		if err == nil || !errors.Is(err, unix.EAGAIN) {
			return true, err == nil
		}
	}
	return false, false
}

// claim makes every other program that opens f wait, to read it too, until f is closed or released. It reports whether it could.
func claim(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
	return err == nil
}

// leases reports whether settled and claim can keep other programs from the files of the folder; name is one of them. A file of another
// user is not leased to anyone but root.
func (d *dir) leases(name string) bool {
	var s unix.Stat_t
	if err := unix.Fstat(d.fd(), &s); err != nil || int(s.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return false
	}
	f, err := d.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	_, leased := settled(f)
	return leased
}

// contested reports whether a program waits to open f for writing, from which a lease keeps it.
func contested(f *os.File) bool {
	lease, err := unix.FcntlInt(f.Fd(), unix.F_GETLEASE, 0)
	return err == nil && lease == unix.F_UNLCK
}

// release lets a program that waits open f for writing.
func release(f *os.File) {
	_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK) // fails where there is no lease
}

// local reports whether inotify tells all that happens to the folder: not so where other machines, or a program, are behind it.
func local(d *dir) bool {
	var s unix.Statfs_t
	if err := unix.Fstatfs(d.fd(), &s); err != nil {
		return false
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC,
		unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC, 0x01161970 /* GFS2 */, 0x786f4256 /* vboxsf */, 0xbacbacbc /* vmhgfs */ :
		return false
	}
	return true
}

func metaOf(s *unix.Stat_t) meta {
	m := meta{
		mode: fs.FileMode(s.Mode & 0o777), size: s.Size, inode: s.Ino, links: uint64(s.Nlink),
		changed: time.Unix(s.Mtim.Unix()), touched: time.Unix(s.Ctim.Unix()),
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m.mode |= fs.ModeDir
	case unix.S_IFLNK:
		m.mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		m.mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m.mode |= fs.ModeSocket
	case unix.S_IFCHR, unix.S_IFBLK:
		m.mode |= fs.ModeDevice
	default:
		m.mode |= fs.ModeIrregular
	}
	return m
}

// uninterrupted repeats a call that a signal interrupted.
func uninterrupted(op, name string, call func() error) error {
	for {
		switch err := call(); err {
		case nil:
			return nil
		case unix.EINTR:
		default:
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
}
