package sqldb

import (
	"context"
	"io/fs"
)

// OpenWith is Open with other migrations.
func OpenWith(ctx context.Context, url string, files fs.FS) (*DB, error) {
	e, err := openEngine(ctx, url)
	if err != nil {
		return nil, err
	}
	db := &DB{engine: e, answers: newAnswerer()}
	steps, err := readMigrations(files, db.Dialect())
	if err != nil {
		return nil, closeAfter(e, err)
	}
	if err := db.apply(ctx, steps); err != nil {
		return nil, closeAfter(e, err)
	}
	return db, nil
}

// Waiting is how many transactions wait for their turn on SQLite.
func (db *DB) Waiting() int {
	w := db.engine.(*sqliteDB).writer
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting)
}
