package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/notelatch/notelatch/vault"
)

// cookieWait is how long an event may take that should take microseconds. After that the tree is compared.
const cookieWait = 2 * time.Second

// watch hears of every change in the vault's folders. One instance watches them and the folder of the cookies, so that the events come
// in the order in which things happened.
type watch struct {
	feed    *feed
	inotify *inotify
	started bool
	done    chan struct{} // closed when the loop has ended
	broken  atomic.Bool   // the system watches no more folders
	failed  error         // why the loop ended, once done is closed

	mu      sync.Mutex // guards cookies, free and made
	cookies map[string]chan struct{}
	free    []string // cookies that nobody waits for, and whose last event has come
	made    int
}

// event is one thing that happened to a name in a folder; to the folder itself where the name is empty.
type event struct {
	dir    vault.Path
	name   string
	made   bool // or moved there, or exchanged
	gone   bool // or moved away
	wrote  bool
	cookie bool // it happened to a cookie
	lost   bool // the kernel dropped events
}

// openWatch returns nil where the system gives no watch: the tree is swept then.
func openWatch(f *feed) *watch {
	n, err := openInotify(f.private)
	if err != nil {
		return nil
	}
	return &watch{feed: f, inotify: n, done: make(chan struct{}), cookies: make(map[string]chan struct{})}
}

func (w *watch) start() {
	w.started = true
	go w.loop()
}

// close ends the watch, and returns what had ended it before.
func (w *watch) close() error {
	err := w.inotify.close()
	if w.started {
		<-w.done
	}
	return errors.Join(err, w.failed)
}

// works reports whether there is a watch, and it hears everything.
func (w *watch) works() bool { return w != nil && !w.broken.Load() }

// add watches the open folder, which is at p.
func (w *watch) add(at *dir, p vault.Path) {
	if w.works() && w.inotify.add(at, p) != nil {
		w.broken.Store(true)
	}
}

func (w *watch) loop() {
	defer close(w.done)
	w.failed = w.survive(func() error { return w.inotify.listen(w.handle) })
}

// survive calls listen. However it ends, by a bug too, that costs the watch and not the process: from then on the tree is swept.
func (w *watch) survive(listen func() error) (err error) {
	defer w.broken.Store(true)
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("watch a vault: %v\n%s", bug, debug.Stack())
		}
	}()
	return listen()
}

// recover starts from nothing after events were lost.
func (w *watch) recover() {
	w.mu.Lock()
	sent := w.cookies // their events may be among the lost, or yet to come: these are not used again
	w.cookies = make(map[string]chan struct{})
	w.mu.Unlock()
	w.feed.lose()
	if err := w.feed.scan(context.Background(), ""); err != nil {
		w.broken.Store(true)
	}
	// What was saved before these cookies were sent, the scan has seen. Later ones come back after what was saved during it.
	for _, back := range sent {
		close(back)
	}
}

func (w *watch) handle(ev event) {
	switch {
	case ev.lost:
		w.recover()
	case ev.cookie && ev.name == "":
		if ev.gone {
			w.broken.Store(true) // no cookie will come back
		}
	case ev.cookie:
		if !ev.gone {
			w.returned(ev.name)
		}
	case ev.name == "":
		if ev.gone && ev.dir == "" {
			w.broken.Store(true) // the root is held open and still read, but it is elsewhere
		}
	case !strings.HasPrefix(ev.name, "."):
		w.happened(w.path(ev.dir, ev.name), ev)
	}
}

func (w *watch) happened(p vault.Path, ev event) {
	if w.broken.Load() {
		return // the sweeps tell, and nothing else
	}
	if ev.gone && w.feed.left(p) {
		w.inotify.forget(p)
	}
	w.feed.look(p, ev.wrote)
	if !ev.made && !ev.gone {
		return
	}
	// A removal is looked at too: something new may be there already, whose own event came first.
	m, err := w.feed.d.stat(p)
	if err == nil && m.mode.IsDir() {
		err = w.feed.scan(context.Background(), p)
	}
	if err != nil && !absent(err) {
		w.broken.Store(true)
	}
}

// path is the vault's path of a name that an event told.
func (w *watch) path(dir vault.Path, name string) vault.Path {
	p, plain := join(dir, name)
	if !plain {
		w.feed.mu.Lock()
		w.feed.odd[p] = name
		w.feed.mu.Unlock()
	}
	return p
}

func (w *watch) returned(cookie string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if back, ok := w.cookies[cookie]; ok {
		close(back)
		delete(w.cookies, cookie)
		w.free = append(w.free, cookie)
	}
}

// wait sends a cookie and waits for its event. All that happened before is in the feed then. A cookie that nobody waited for to the end
// is free again when its event comes: before, that event would end another's wait too early.
func (w *watch) wait(ctx context.Context) error {
	back, err := w.send()
	if err != nil {
		return err
	}
	timer := time.NewTimer(cookieWait)
	defer timer.Stop()
	select {
	case <-back:
		if !w.works() {
			return errors.New("the watch is broken")
		}
		return nil
	case <-w.done:
		return errors.New("the watch has ended")
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errors.New("the watch does not answer")
	}
}

// send makes something happen to a cookie. Setting the mode of one that is there costs a hundredth of making and removing a file, which
// goes through the file system's journal.
func (w *watch) send() (back chan struct{}, err error) {
	const mode = 0o600
	back = make(chan struct{})
	w.mu.Lock()
	var name string
	fresh := len(w.free) == 0
	if fresh {
		w.made++
		name = strconv.Itoa(w.made)
	} else {
		name = w.free[len(w.free)-1]
		w.free = w.free[:len(w.free)-1]
	}
	w.cookies[name] = back
	w.mu.Unlock()
	cookie := filepath.Join(w.feed.private, name)
	if fresh {
		err = os.WriteFile(cookie, nil, mode)
	} else {
		err = os.Chmod(cookie, mode)
	}
	if err != nil { // somebody cleaned up: the name is not used again
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.cookies, name)
	}
	return back, err
}
