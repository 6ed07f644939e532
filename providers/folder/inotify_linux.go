package folder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/notelatch/notelatch/vault"
)

// inotify hears what happens in folders. It is the kernel's interface as it is: a watch belongs to a folder whatever that is renamed to,
// and has the name by which the folder was last reached. (A package that knows watches by their paths loses its way, or its process,
// when folders change places faster than their events are read: two names are of one watch then, or two watches of one name.)
type inotify struct {
	f *os.File

	mu      sync.Mutex // guards names
	names   map[int32]vault.Path
	cookies int32 // the watch of the folder of cookies
}

const watched = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// openInotify watches the folder of cookies, from which on events come in the order in which things happened.
func openInotify(cookies string) (*inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &inotify{f: os.NewFile(uintptr(fd), "inotify"), names: make(map[int32]vault.Path)}
	wd, err := unix.InotifyAddWatch(fd, cookies, watched)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("inotify_add_watch", err), n.f.Close())
	}
	n.cookies = int32(wd)
	return n, nil
}

func (n *inotify) close() error { return n.f.Close() }

// add watches the open folder, which p names now.
func (n *inotify) add(at *dir, p vault.Path) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var failed error
	err := n.control(func(fd int) {
		// By what is open and not by its path: that may lead elsewhere by now, by a symbolic link too.
		wd, err := unix.InotifyAddWatch(fd, "/proc/self/fd/"+strconv.Itoa(at.fd()), watched)
		if failed = err; err == nil {
			n.names[int32(wd)] = p
		}
	})
	return errors.Join(err, os.NewSyscallError("inotify_add_watch", failed))
}

// forget ends the watches of the folders that were at or below p. What is there now, or where they are now, is added anew.
func (n *inotify) forget(p vault.Path) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.control(func(fd int) { // closed: nothing is heard any more
		for wd, name := range n.names {
			if name.In(p) {
				_, _ = unix.InotifyRmWatch(fd, uint32(wd)) // gone with the folder, perhaps
				delete(n.names, wd)
			}
		}
	})
}

func (n *inotify) control(do func(fd int)) error {
	c, err := n.f.SyscallConn()
	if err != nil {
		return err
	}
	return c.Control(func(fd uintptr) { do(int(fd)) })
}

// listen tells every event until n is closed, which is no error.
func (n *inotify) listen(tell func(event)) error {
	buf := make([]byte, 64<<10)
	for {
		size, err := n.f.Read(buf)
		if errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		for rest := buf[:size]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[unsafe.Offsetof(unix.InotifyEvent{}.Len):]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			if ev, ok := n.event(wd, mask, string(name)); ok {
				tell(ev)
			}
			rest = rest[end:]
		}
	}
}

// event is what an event of the kernel says; ok is false for one of a folder that is no longer watched.
func (n *inotify) event(wd int32, mask uint32, name string) (ev event, ok bool) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		return event{lost: true}, true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	ev = event{
		name:   name,
		made:   mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0,
		gone:   mask&(unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT) != 0,
		wrote:  mask&unix.IN_MODIFY != 0,
		cookie: wd == n.cookies,
	}
	if ev.cookie {
		return ev, true
	}
	ev.dir, ok = n.names[wd]
	if mask&(unix.IN_IGNORED|unix.IN_UNMOUNT) != 0 {
		delete(n.names, wd)
	}
	return ev, ok && mask&unix.IN_IGNORED == 0
}
