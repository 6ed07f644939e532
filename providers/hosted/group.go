package hosted

import (
	"context"
	"fmt"
	"sync"

	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
)

// group makes changes that arrive while another is being stored in one database transaction, so that many writers share one wait for
// the disk. The first to find nobody at work leads: it takes all that wait, and hands the lead on.
type group struct {
	mu      sync.Mutex // guards both; never held across a query
	waiting []*member
	working bool
}

const maxGroup = 100

type member struct {
	ctx    context.Context
	change providers.Change
	entry  vault.Entry
	err    error
	turn   chan bool // true: lead; false: done
}

func (g *group) commit(ctx context.Context, d *Driver, c providers.Change) (vault.Entry, error) {
	m := &member{ctx: ctx, change: c, turn: make(chan bool, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, m)
	lead := !g.working
	g.working = true
	g.mu.Unlock()
	// A change that waits is not called back: whoever leads may be storing it already, and that is quick.
	if lead || <-m.turn {
		g.lead(d, m)
	}
	return m.entry, m.err
}

func (g *group) lead(d *Driver, self *member) {
	g.mu.Lock()
	n := min(len(g.waiting), maxGroup)
	now := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	g.mu.Unlock()

	d.store(now)

	g.mu.Lock()
	if len(g.waiting) > 0 {
		g.waiting[0].turn <- true
	} else {
		g.working = false
	}
	g.mu.Unlock()
	for _, m := range now {
		if m != self {
			m.turn <- false
		}
	}
}

// store makes the changes in one database transaction. If that fails, it failed for all; a change that is refused fails alone.
func (d *Driver) store(members []*member) {
	live := members[:0:0]
	for _, m := range members {
		if m.err = m.ctx.Err(); m.err == nil {
			live = append(live, m)
		}
	}
	if len(live) == 0 {
		return
	}
	ctx := context.WithoutCancel(live[0].ctx) // one that gives up must not fail the others
	err := d.db.Tx(ctx, func(tx *sqldb.Tx) error {
		b, err := d.begin(ctx, tx, len(live))
		if err != nil {
			return err
		}
		for _, m := range live {
			m.entry, m.err = b.apply(ctx, m.change)
			if m.err != nil && !refused(m.err) {
				return m.err
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	for _, m := range live {
		m.entry, m.err = vault.Entry{}, fmt.Errorf("commit to a hosted vault: %w", err)
	}
}

// refused reports whether err is the answer to one change, which touched nothing.
func refused(err error) bool {
	_, ok := err.(*vault.Error)
	return ok
}
