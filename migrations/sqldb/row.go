package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// answerer makes a *sql.Row of what is known already, which only a query can. It is a database whose driver answers with what it
// finds in the context. A transaction that has failed says so through such a row; and on SQLite the row of a write outside of a
// transaction is one, because it must be read before the next writer starts.
type answerer struct{ db *sql.DB }

// answer is the outcome of a query: an error, or at most one row.
type answer struct {
	columns []string
	values  []any // nil for no row
	err     error
}

type answerKey struct{}

func newAnswerer() answerer { return answerer{sql.OpenDB(answers{})} }

func (o answerer) row(a answer) *sql.Row {
	return o.db.QueryRowContext(context.WithValue(context.Background(), answerKey{}, a), "")
}

func (o answerer) close() error { return o.db.Close() }

// take reads the first row of rows and closes them.
func take(rows *sql.Rows, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	defer rows.Close() // its error is that of Err
	columns, err := rows.Columns()
	if err != nil {
		return answer{err: err}
	}
	a := answer{columns: columns}
	if rows.Next() {
		a.values = make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range a.values {
			into[i] = &a.values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return answer{err: err}
		}
	}
	if err := rows.Err(); err != nil {
		return answer{err: err}
	}
	return a
}

// answers is the driver and its connections.
type answers struct{}

func (answers) Connect(context.Context) (driver.Conn, error) { return answers{}, nil }
func (answers) Driver() driver.Driver                        { return answers{} }
func (answers) Open(string) (driver.Conn, error)             { return answers{}, nil }
func (answers) Close() error                                 { return nil }
func (answers) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (answers) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }

func (answers) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	a, ok := ctx.Value(answerKey{}).(answer)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return &oneRow{a}, a.err
}

// oneRow yields the values of an answer once.
type oneRow struct{ answer }

func (r *oneRow) Columns() []string { return r.columns }
func (r *oneRow) Close() error      { return nil }

func (r *oneRow) Next(dest []driver.Value) error {
	if r.values == nil {
		return io.EOF
	}
	for i, v := range r.values {
		dest[i] = v
	}
	r.values = nil
	return nil
}
