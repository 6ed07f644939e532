package backend

import (
	"context"
	"time"

	"github.com/notelatch/notelatch/gateway/index"
	"github.com/notelatch/notelatch/gateway/tools"
	"github.com/notelatch/notelatch/governance"
	"github.com/notelatch/notelatch/vault"
)

// Vaults implements tools.Backend. It asks no provider: the notes and the state of each index are those of the last call that did.
func (b *Backend) Vaults(ctx context.Context, c vault.Caller) ([]tools.VaultRow, error) {
	rows, err := b.authority.List(ctx, c)
	if err != nil {
		return nil, err
	}
	out := make([]tools.VaultRow, 0, len(rows))
	for _, r := range rows {
		s := b.indexes.State(r.Mapping.ID)
		row := tools.VaultRow{
			MappingID: string(r.Mapping.ID), Name: r.Mapping.Name, Provider: r.Mapping.Provider,
			ReadOnly: r.WriteAccess != governance.WriteApply, WriteAccess: r.WriteAccess, Encryption: r.Mapping.Encryption,
			Available: r.Unavailable == nil, Index: tools.IndexState{State: s.State, Percent: s.Percent},
		}
		if r.Unavailable != nil {
			row.UnavailableReason = vault.AsError(r.Unavailable).Message
		}
		if s.State != index.Waiting && !s.AsOf.IsZero() {
			row.NoteCount = &s.Of
		}
		if s.State == index.Building {
			row.Index.Notes, row.Index.Of = s.Notes, s.Of
		}
		if !s.AsOf.IsZero() {
			at := s.AsOf.UTC().Truncate(time.Millisecond)
			row.LastSyncedAt = &at
		}
		out = append(out, row)
	}
	return out, nil
}
