package txn

import (
	"context"
	"errors"
	"time"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/vault/plan"
)

// State is where a transaction stands. The arrows:
//
//	(new) → reserved → applying → applied
//	        reserved → released              checks failed, or a crash before the plan was stored; the key is free
//	                   applying → failed     nothing landed, and nothing will; the key is free
//	                   applying → unknown    no answer; reconciled to applied or failed
type State string

// The states.
const (
	Reserved State = "reserved"
	Applying State = "applying"
	Unknown  State = "unknown"
	Applied  State = "applied"
	Failed   State = "failed"
	Released State = "released"
)

// Free reports whether a key in this state can be used as if it were new.
func (s State) Free() bool { return s == Failed || s == Released }

// Open reports whether a transaction in this state still has to come to an end.
func (s State) Open() bool { return s == Reserved || s == Applying || s == Unknown }

// Holder is a process that works on transactions: the instance stays the same from run to run, the run does not.
type Holder struct{ Instance, Run string }

// Origin is who asked for a transaction, and how, for its events and its receipt.
type Origin struct {
	Client string `json:"client"`
	Door   string `json:"door"`
	Tool   string `json:"tool"`
	Reason string `json:"reason,omitempty"`
}

// Record is one transaction in the journal.
type Record struct {
	Account     string
	Mapping     string
	Key         string // idempotency key; unique for account and mapping
	ID          string // txn_…
	Fingerprint string // of the request, so that a key is not used for two
	State       State
	Version     int64 // raised by each Save: the fencing token of the holder
	Holder      Holder
	LeaseUntil  time.Time // until then, nobody but the holder may touch an open record
	Attempts    int       // at reconciling
	Origin      Origin
	Plan        plan.Plan    // from Applying on; without bodies once it has ended
	Outcome     plan.Outcome // once Applied
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Preview is a plan that waits to be applied.
type Preview struct {
	ID        string // txn_…
	Account   string
	Mapping   string
	Client    string
	Reason    string
	Plan      plan.Plan // without bodies
	ExpiresAt time.Time
}

// What an account's previews may take. Previewing needs no leave to write, so it must not fill the disk: beyond this, the oldest go.
const (
	MaxPreviews     = 500
	MaxPreviewBytes = 64 << 20
)

// ErrStale says that somebody else has taken a record over: what the caller knows of it is out of date.
var ErrStale = errors.New("the transaction was taken over")

// Journal keeps transactions. What it returns without an error is durable. Times are kept to the millisecond.
type Journal interface {
	// Reserve stores r as a new record if its key is new or free, and returns it as stored, with mine true. Otherwise it changes
	// nothing and returns the record that holds the key.
	Reserve(ctx context.Context, r Record) (held Record, mine bool, err error)

	// Save replaces the record whose Version is r's and returns it with the next one; ErrStale if there is none.
	Save(ctx context.Context, r Record) (Record, error)

	// Renew extends the lease of the record, if its version is still r's; ErrStale otherwise.
	Renew(ctx context.Context, r Record, until time.Time) error

	// Finish is Save of an applied record and the appending of its events, both or neither. It fills in the receipt's hashes, and drops
	// the bodies of the plan.
	Finish(ctx context.Context, r Record, evs []events.Event) (Record, error)

	// Open returns open records whose lease ended at or before a time, oldest first; at most 100.
	Open(ctx context.Context, before time.Time) ([]Record, error)

	// Free ends the leases that earlier runs of the same instance held.
	Free(ctx context.Context, h Holder) error

	// SavePreview stores a preview, and drops the account's oldest beyond MaxPreviews and MaxPreviewBytes. Preview returns one, or
	// vault.NotFound.
	SavePreview(ctx context.Context, p Preview) error
	Preview(ctx context.Context, id string) (Preview, error)

	// Purge drops previews that expired before the one time, and records that ended before the other.
	Purge(ctx context.Context, previews, records time.Time) error
}
