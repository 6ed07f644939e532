package txn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/notelatch/notelatch/vault"
)

// Reconcile brings to an end what a crash or a lost answer left open, as far as that can be told now. It runs after Start and then
// every few seconds. What it cannot decide stays for the next time; errors of single transactions are logged and do not stop it.
func (s *Service) Reconcile(ctx context.Context) error {
	open, err := s.journal.Open(ctx, s.now())
	if err != nil {
		return err
	}
	for _, rec := range open {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.reconcile(ctx, rec)
		if err == nil || errors.Is(err, vault.OutcomeUnknown) || errors.Is(err, vault.KeyInProgress) {
			continue // or it has been logged, or is another's
		}
		message := "could not reconcile a transaction"
		if e := (*vault.Error)(nil); errors.As(err, &e) {
			message = "ended a transaction that was refused"
		}
		s.log.LogAttrs(ctx, slog.LevelWarn, message, slog.String("transaction", rec.ID), slog.String("mapping", rec.Mapping),
			slog.Any("error", err))
	}
	return nil
}

func (s *Service) reconcile(ctx context.Context, rec Record) error {
	unlock, err := s.notes.lock(ctx, rec.Mapping, rec.Plan.Paths())
	if err != nil {
		return err
	}
	defer unlock()
	if rec, err = s.claim(ctx, rec); err != nil {
		return err
	}
	if rec.State == Reserved { // nothing was sent
		s.end(ctx, rec, Released)
		return nil
	}
	v, err := s.open(ctx, rec.Account, rec.Mapping)
	if err != nil {
		return s.leave(ctx, rec, fmt.Errorf("open the vault: %w", err))
	}
	t := target{account: rec.Account, mapping: rec.Mapping, caller: vault.Caller{Account: rec.Account, Client: rec.Origin.Client}, vault: v}
	_, err = s.carryOut(context.WithoutCancel(ctx), t, rec, unattended)
	return err
}

// Purge drops previews that have expired and records older than 30 days.
func (s *Service) Purge(ctx context.Context) error {
	now := s.now()
	return s.journal.Purge(ctx, now, now.Add(-recordLife))
}
