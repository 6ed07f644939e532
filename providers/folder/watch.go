package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/notelatch/notelatch/vault"
)

// cookieWait is how long an event may take that should take microseconds. After that the tree is compared.
const cookieWait = 2 * time.Second

// watch hears of every change in the vault's folders. One instance watches them and the folder of the cookies, so that the events come
// in the order in which things happened.
type watch struct {
	feed    *feed
	base    string // the vault, without symbolic links
	watcher *fsnotify.Watcher
	started bool
	done    chan struct{} // closed when the loop has ended
	broken  atomic.Bool   // the system watches no more folders

	mu      sync.Mutex // guards cookies, free and made
	cookies map[string]chan struct{}
	free    []string // cookies that nobody waits for, and whose last event has come
	made    int
}

func openWatch(f *feed, path string) (*watch, error) {
	base, err := filepath.EvalSymlinks(path)
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		return nil, err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, nil // the system gives no more of them: sweep
	}
	w := &watch{feed: f, base: base, watcher: watcher, done: make(chan struct{}), cookies: make(map[string]chan struct{})}
	if err := watcher.Add(f.private); err != nil {
		w.broken.Store(true)
	}
	return w, nil
}

func (w *watch) start() {
	w.started = true
	go w.loop()
}

func (w *watch) close() error {
	err := w.watcher.Close()
	if w.started {
		<-w.done
	}
	return err
}

// works reports whether there is a watch, and it hears everything.
func (w *watch) works() bool { return w != nil && !w.broken.Load() }

func (w *watch) add(p vault.Path) {
	if !w.works() {
		return
	}
	err := w.watcher.Add(w.name(p))
	if errors.Is(err, os.ErrNotExist) {
		// It is gone again, and the folder above tells so; or the vault is no longer where it was.
		var at *dir
		if at, err = w.feed.d.enter(p); absent(err) {
			return
		} else if err == nil {
			err = errors.Join(errors.New("the vault has moved"), at.close())
		}
	}
	if err != nil {
		w.broken.Store(true)
	}
}

func (w *watch) name(p vault.Path) string {
	if p == "" {
		return w.base
	}
	return w.base + string(filepath.Separator) + filepath.FromSlash(string(p))
}

func (w *watch) loop() {
	defer close(w.done)
	for {
		select {
		case ev, ok := <-w.watcher.Events:
			if !ok {
				return
			}
			w.handle(ev)
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return
			}
			w.recover(err)
		}
	}
}

// recover starts from nothing after events were lost.
func (w *watch) recover(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.broken.Store(true)
	}
	w.feed.lose()
	if err := w.feed.scan(context.Background(), ""); err != nil {
		w.broken.Store(true)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, back := range w.cookies { // their events may be among the lost, or yet to come: these are not used again
		close(back)
		delete(w.cookies, name)
	}
}

func (w *watch) handle(ev fsnotify.Event) {
	if filepath.Dir(ev.Name) == w.feed.private {
		if ev.Has(fsnotify.Create) || ev.Has(fsnotify.Chmod) {
			w.returned(filepath.Base(ev.Name))
		}
		return
	}
	if ev.Name == w.base {
		if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
			w.broken.Store(true) // the root is held open and still read, but names no longer lead to it
		}
		return
	}
	rel, ok := strings.CutPrefix(ev.Name, w.base+string(filepath.Separator))
	if !ok {
		return
	}
	p, ok := w.path(rel)
	if !ok {
		return
	}
	if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		for _, folder := range w.feed.left(p) {
			_ = w.watcher.Remove(w.name(folder)) // usually gone with the folder
		}
	}
	w.feed.look(p, ev.Has(fsnotify.Write))
	if !ev.Has(fsnotify.Create) && !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return
	}
	// A removal is looked at too: something new may be there already, whose own event came first.
	if m, err := w.feed.d.stat(p); err == nil && m.mode.IsDir() {
		if err := w.feed.scan(context.Background(), p); err != nil {
			w.broken.Store(true)
		}
	}
}

// path is the vault's path of a name that an event told; ok is false for what is hidden.
func (w *watch) path(rel string) (p vault.Path, ok bool) {
	rel = filepath.ToSlash(rel)
	if vault.Path(rel).Hidden() {
		return "", false
	}
	dir, name := "", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dir, name = rel[:i], rel[i+1:]
	}
	p, plain := join(vault.Path(dir), name)
	if !plain {
		w.feed.mu.Lock()
		w.feed.odd[p] = name
		w.feed.mu.Unlock()
	}
	return p, true
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
