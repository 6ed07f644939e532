package txn

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/notelatch/notelatch/providers"
	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

const (
	previewLife = 60 * time.Minute
	recordLife  = 30 * 24 * time.Hour
	leaseLife   = 10 * time.Second
	renewEvery  = 3 * time.Second
	writeTime   = 30 * time.Second // that a provider has for one attempt
)

// Opener opens the vault of a mapping for the service itself, when no caller is there: to reconcile what a crash left behind.
type Opener func(ctx context.Context, account, mapping string) (*providers.Vault, error)

// Service previews, applies and reconciles. Its methods are safe for concurrent use.
type Service struct {
	journal Journal
	open    Opener
	holder  Holder
	now     func() time.Time
	random  io.Reader
	log     *slog.Logger
	notes   noteLocks
}

// New returns a service that keeps its transactions in j. Holder names this process; of all processes that share the journal, it must
// be the only one that runs as that instance. Random must be cryptographic.
func New(j Journal, open Opener, h Holder, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{journal: j, open: open, holder: h, now: now, random: random, log: log, notes: noteLocks{held: make(map[string]*noteLock)}}
}

// Start ends the leases that earlier runs of this instance held. It comes before the first Apply.
func (s *Service) Start(ctx context.Context) error { return s.journal.Free(ctx, s.holder) }

// target is a vault as an Access opened it, or as the service itself did.
type target struct {
	account, mapping string
	caller           vault.Caller
	vault            *providers.Vault
	refusal          *vault.Error // why a change would not be accepted

	links func(ctx context.Context) (plan.Links, error) // nil where nobody asks
}

// mayApply is nil, or why the target does not accept changes.
func (t target) mayApply() error {
	if t.refusal != nil {
		return t.refusal
	}
	return nil
}
