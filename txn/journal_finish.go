package txn

import (
	"context"
	"fmt"
	"sync"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
)

// finisher stores the ends of transactions that come while another end is being stored in one database transaction: appenders to one
// account line up behind the head of its events, and would each wait for the disk there.
type finisher struct {
	mu      sync.Mutex // guards both; never held across a query
	waiting []*finishing
	working bool
}

const maxFinish = 64 // ends in one database transaction

type finishing struct {
	record Record
	events []events.Event
	err    error
	turn   chan bool // true: lead; false: done
}

// Finish implements Journal.
func (j *SQLJournal) Finish(ctx context.Context, r Record, evs []events.Event) (Record, error) {
	m := &finishing{record: r, events: evs, turn: make(chan bool, 1)}
	f := &j.finisher
	f.mu.Lock()
	f.waiting = append(f.waiting, m)
	lead := !f.working
	f.working = true
	f.mu.Unlock()
	if lead || <-m.turn {
		j.lead(context.WithoutCancel(ctx), m) // one that gives up must not fail the others
	}
	if m.err != nil {
		return Record{}, fmt.Errorf("finish transaction %s: %w", r.ID, m.err)
	}
	return m.record, nil
}

// lead finishes all that wait, and hands the lead on.
func (j *SQLJournal) lead(ctx context.Context, self *finishing) {
	f := &j.finisher
	f.mu.Lock()
	n := min(len(f.waiting), maxFinish)
	now := f.waiting[:n:n]
	f.waiting = f.waiting[n:]
	f.mu.Unlock()

	results := make([]Record, n)
	if err := j.db.Tx(ctx, func(tx *sqldb.Tx) error { return j.finishAll(ctx, tx, now, results) }); err != nil {
		for _, m := range now {
			m.err = err
		}
	}
	for i, m := range now {
		if m.err == nil {
			m.record = results[i]
		}
	}

	f.mu.Lock()
	if len(f.waiting) > 0 {
		f.waiting[0].turn <- true
	} else {
		f.working = false
	}
	f.mu.Unlock()
	for _, m := range now {
		if m != self {
			m.turn <- false
		}
	}
}

// finishAll takes the records first, so that a stale holder stores nothing, then appends the events of all, and then stores the
// outcomes, whose receipts hold the hashes. It may run several times.
func (j *SQLJournal) finishAll(ctx context.Context, tx *sqldb.Tx, members []*finishing, results []Record) error {
	var all []events.Event
	for _, m := range members {
		n, err := tx.Exec(ctx, `
			UPDATE transactions
			SET version = version + 1
			WHERE account_id = ? AND mapping_id = ? AND idempotency_key = ? AND version = ?`,
			m.record.Account, m.record.Mapping, m.record.Key, m.record.Version)
		if err != nil {
			return err
		}
		m.err = nil
		if n == 0 {
			m.err = ErrStale
			continue
		}
		all = append(all, m.events...)
	}
	stored, err := j.log.Append(ctx, tx, all)
	if err != nil {
		return err
	}
	for i, m := range members {
		if m.err != nil {
			continue
		}
		r := m.record
		r.Version++
		r.Plan = r.Plan.WithoutBodies()
		if n := len(m.events); n > 0 {
			mine := stored[:n]
			stored = stored[n:]
			if r.Outcome.Receipt != nil {
				receipt := *r.Outcome.Receipt
				receipt.PreviousHash, receipt.EventHash = mine[0].PreviousHash, mine[n-1].Hash
				r.Outcome.Receipt = &receipt
			}
		}
		if _, err := update(ctx, tx, r, r.Version); err != nil {
			return err
		}
		results[i] = r
	}
	return nil
}
