package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

const maxLog = 200_000 // changes that are remembered; an older cursor starts from nothing

// feed remembers which paths changed. It learns it from watch, or where there is none by comparing the tree at each call.
type feed struct {
	d       *Driver
	private string // a folder outside of the vault, for cookies; its name is of this run alone
	watch   *watch // nil: sweep

	sweeping sync.Mutex // held during a sweep

	mu      sync.Mutex // guards all below; never held across a walk
	epoch   int        // counts the times that events were lost
	log     []vault.Path
	dropped int                     // log entries forgotten since the epoch began
	known   map[vault.Path]string   // the stamp that was last seen
	odd     map[vault.Path]string   // names that no path can have, by what they are shown as
	folders map[vault.Path]struct{} // entered so far

	marks sync.RWMutex // guards bumps
	bumps map[vault.Path]int
}

// openFeed sets d.feed, before the watch begins to use d.
func (d *Driver) openFeed(ctx context.Context) error {
	sweepPrivate()
	private, err := os.MkdirTemp("", privatePrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return err
	}
	f := &feed{
		d: d, private: private, known: make(map[vault.Path]string), odd: make(map[vault.Path]string),
		folders: make(map[vault.Path]struct{}), bumps: make(map[vault.Path]int),
	}
	d.feed = f
	if local(d.top) {
		f.watch = openWatch(f)
	}
	if err := f.scan(ctx, ""); err != nil {
		return errors.Join(err, f.close())
	}
	if f.watch != nil {
		f.watch.start()
	}
	return nil
}

const privatePrefix = "notelatch-watch-"

// sweepPrivate removes the folders for cookies of processes that were killed. What it cannot remove it leaves: they are empty.
func sweepPrivate() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), privatePrefix+"*-*"))
	if err != nil {
		return // only a malformed pattern is an error
	}
	for _, dir := range left {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), privatePrefix), "-")
		if pid, err := strconv.Atoi(owner); err == nil && ended(pid) {
			_ = os.RemoveAll(dir)
		}
	}
}

func ended(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func (f *feed) close() error {
	var err error
	if f.watch != nil {
		err = f.watch.close()
	}
	return errors.Join(err, os.RemoveAll(f.private))
}

func (f *feed) checked() string {
	if f.watch.works() {
		return "inotify"
	}
	return "sweep"
}

// scan notes every file at or below dir, and watches each folder before it lists it, so that what is made meanwhile is seen by one or
// by the other.
func (f *feed) scan(ctx context.Context, dir vault.Path) error {
	at, err := f.d.enter(dir)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer at.close()
	var failed error
	w := walk{d: f.d, ctx: ctx, entered: f.enter, yield: func(e vault.Entry, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		f.note(e.Path, e.Stamp)
		return true
	}}
	w.folder(at, dir)
	return failed
}

func (f *feed) enter(at *dir, p vault.Path) {
	f.mu.Lock()
	f.folders[p] = struct{}{}
	f.mu.Unlock()
	f.watch.add(at, p)
}

// note records what was seen at p, "" for nothing, if that is news.
func (f *feed) note(p vault.Path, stamp string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was, ok := f.known[p]
	if was == stamp && ok == (stamp != "") {
		return
	}
	f.record(p, stamp)
}

// record is called with mu held.
func (f *feed) record(p vault.Path, stamp string) {
	if stamp == "" {
		delete(f.known, p)
	} else {
		f.known[p] = stamp
	}
	f.log = append(f.log, p)
	if len(f.log) > maxLog {
		half := len(f.log) / 2
		f.log = slices.Clone(f.log[half:])
		f.dropped += half
	}
}

// look sees what is at p now and records it. After a write the bytes may have changed though the stamp did not, because the clock of
// the file system ticks too slowly: such a file gets a mark in its stamp.
func (f *feed) look(p vault.Path, wrote bool) {
	m, err := f.d.stat(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || m.mode.IsDir() {
		if _, ok := f.known[p]; ok {
			f.record(p, "")
		}
		return
	}
	if _, odd := f.odd[p]; odd {
		f.record(p, oddName)
		return
	}
	stamp := m.stamp() + f.bumped(p)
	if was := f.known[p]; wrote && was == stamp {
		f.marks.Lock()
		f.bumps[p]++
		f.marks.Unlock()
		stamp = m.stamp() + f.bumped(p)
	}
	f.record(p, stamp)
}

// oddly reports whether p is what a name is shown as that no path can have.
func (f *feed) oddly(p vault.Path) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[p] == oddName
}

// bumped is the mark of p, "" for nearly every file.
func (f *feed) bumped(p vault.Path) string {
	f.marks.RLock()
	defer f.marks.RUnlock()
	if n := f.bumps[p]; n > 0 {
		return "+" + strconv.Itoa(n)
	}
	return ""
}

// left records that what was at p is gone; was reports whether that was a folder, with which all below it is gone.
func (f *feed) left(p vault.Path) (was bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, was = f.folders[p]; !was {
		return false
	}
	for folder := range f.folders {
		if folder.In(p) {
			delete(f.folders, folder)
		}
	}
	for file := range f.known {
		if file.In(p) {
			f.record(file, "")
		}
	}
	return true
}

// lose voids every cursor: events were lost.
func (f *feed) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	f.log, f.dropped = nil, 0
	clear(f.known)
}

func (f *feed) allFolders() []vault.Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.folders))
}

// sweep compares the tree with what was known.
func (f *feed) sweep(ctx context.Context) error {
	f.sweeping.Lock()
	defer f.sweeping.Unlock()
	seen := make(map[vault.Path]bool)
	for e, err := range f.d.List(ctx, "") {
		if err != nil {
			return err
		}
		seen[e.Path] = true
		f.note(e.Path, e.Stamp)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for p := range f.known {
		if !seen[p] {
			f.record(p, "")
		}
	}
	return nil
}

// now is the cursor that says: nothing after this.
func (f *feed) now() providers.Cursor {
	return providers.Cursor(fmt.Sprintf("%s.%d.%d", filepath.Base(f.private), f.epoch, f.dropped+len(f.log)))
}

// since returns the paths that changed, and the next cursor; ok is false where the cursor is not of this feed.
func (f *feed) since(c providers.Cursor) (changed []vault.Path, next providers.Cursor, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next = f.now()
	rest, mine := strings.CutPrefix(string(c), filepath.Base(f.private)+".")
	epoch, at, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(at)
	n -= f.dropped
	if !mine || err != nil || epoch != strconv.Itoa(f.epoch) || n < 0 || n > len(f.log) {
		return nil, next, false
	}
	changed = slices.Clone(f.log[n:])
	slices.Sort(changed)
	return slices.Compact(changed), next, true
}

// Changes waits until every edit that was finished before the call is known, and tells what changed since the cursor.
func (d *Driver) Changes(ctx context.Context, since providers.Cursor) (providers.ChangePage, error) {
	checked, err := d.feed.catchUp(ctx)
	if err != nil {
		return providers.ChangePage{}, failure("", err)
	}
	page := providers.ChangePage{Checked: checked}
	changed, next, ok := d.feed.since(since)
	page.Next = next
	if !ok {
		page.Reset = true
		for e, err := range d.List(ctx, "") {
			if err != nil {
				return providers.ChangePage{}, err
			}
			page.Changed = append(page.Changed, e)
		}
		return page, nil
	}
	for _, p := range changed {
		e, err := d.seen(p)
		switch {
		case err == nil:
			page.Changed = append(page.Changed, e)
		case absent(err):
			page.Deleted = append(page.Deleted, p)
		default:
			return providers.ChangePage{}, failure(p, err)
		}
	}
	return page, ctx.Err()
}

// catchUp returns when all that was finished before the call is in the log.
func (f *feed) catchUp(ctx context.Context) (checked string, err error) {
	if f.watch.works() {
		if err := f.watch.wait(ctx); err == nil || ctx.Err() != nil {
			return "inotify", err
		}
	}
	return "sweep", f.sweep(ctx)
}

// seen is the entry of a path that the feed knows. A folder is nothing.
func (d *Driver) seen(p vault.Path) (vault.Entry, error) {
	d.feed.mu.Lock()
	known := d.feed.known[p]
	d.feed.mu.Unlock()
	if known == oddName {
		return vault.Entry{Path: p, Stamp: known}, nil
	}
	m, err := d.stat(p)
	if err != nil {
		return vault.Entry{}, err
	}
	if m.mode.IsDir() {
		return vault.Entry{}, os.ErrNotExist
	}
	return d.entry(p, m), nil
}

func (d *Driver) stat(p vault.Path) (meta, error) {
	at, err := d.enter(p.Dir())
	if err != nil {
		return meta{}, err
	}
	defer at.close()
	d.feed.mu.Lock()
	name, odd := d.feed.odd[p]
	d.feed.mu.Unlock()
	if !odd {
		name = p.Base()
	}
	return at.stat(name)
}
