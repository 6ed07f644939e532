package txn

import (
	"context"

	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/vault/plan"
)

// Preview plans r.Actions on the notes as they are now, and keeps the plan for an hour under the id in the outcome, for this account,
// client and vault. It changes no note, and says whether an apply would be accepted. A revision_conflict holds, in details.preview,
// the preview of the same change on the current text.
func (s *Service) Preview(ctx context.Context, a governance.Access, r plan.Request) (plan.Outcome, error) {
	return s.preview(ctx, targetOf(a, r), r)
}

// Apply makes a change: that of an earlier preview (r.Transaction and r.Paths), or r.Actions under r.Key. Repeating it with the same
// key returns the stored outcome and asks no provider.
//
// Of its errors, outcome_unknown and idempotency_in_progress alone leave open whether the change lands; the same call, sent again,
// finds out. After any other the notes are as they were, and the key is free.
func (s *Service) Apply(ctx context.Context, a governance.Access, r plan.Request) (plan.Outcome, error) {
	return s.apply(ctx, targetOf(a, r), r)
}

func targetOf(a governance.Access, r plan.Request) target {
	return target{
		account: a.Mapping.Account, mapping: string(a.Mapping.ID), caller: a.Caller, vault: a.Vault, refusal: a.Writable(), links: r.Links,
	}
}
