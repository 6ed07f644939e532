package txn_test

import (
	"testing"

	"github.com/notelatch/notelatch/governance/events"
	"github.com/notelatch/notelatch/migrations/sqldb"
	"github.com/notelatch/notelatch/migrations/sqldbtest"
	"github.com/notelatch/notelatch/txn"
	"github.com/notelatch/notelatch/txn/journaltest"
)

func TestSQLJournal(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *sqldb.DB{sqldb.SQLite: sqldbtest.Open, sqldb.Postgres: sqldbtest.OpenPostgres} {
		t.Run(name, func(t *testing.T) {
			journaltest.Run(t, func(t *testing.T) (txn.Journal, *events.Log, string) {
				w := newWorld(t, open(t), nil)
				return w.journal, w.log, w.owner.ID
			})
		})
	}
}
