package hosted

import (
	"context"
	"fmt"
	"time"

	"github.com/notelatch/notelatch/migrations/sqldb"
)

// How long what is no longer stored is kept.
const (
	keepTrash     = 30 * 24 * time.Hour
	keepRevisions = 90 * 24 * time.Hour
)

// Prune forgets, in every vault, the trash of more than 30 days ago, and the revisions of more than 90 that are neither stored nor in
// the trash.
func Prune(ctx context.Context, db *sqldb.DB, now time.Time) error {
	err := db.Tx(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM hosted_trash WHERE deleted_at <= ?`, now.Add(-keepTrash).UnixMilli())
		if err != nil {
			return err
		}
		before := now.Add(-keepRevisions).UnixMilli()
		_, err = tx.Exec(ctx,
			`UPDATE hosted_vaults SET pruned = COALESCE(
				(SELECT MAX(r.seq) FROM hosted_revisions r WHERE r.vault_id = hosted_vaults.id AND r.modified_at <= ?), pruned)`, before)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx,
			`DELETE FROM hosted_revisions
			WHERE modified_at <= ?
			AND NOT EXISTS (SELECT 1 FROM hosted_notes n WHERE n.vault_id = hosted_revisions.vault_id AND n.seq = hosted_revisions.seq
				AND n.path_key = hosted_revisions.path_key)
			AND NOT EXISTS (SELECT 1 FROM hosted_trash t WHERE t.vault_id = hosted_revisions.vault_id AND t.seq = hosted_revisions.seq)`,
			before)
		return err
	})
	if err != nil {
		return fmt.Errorf("prune hosted vaults: %w", err)
	}
	return nil
}
