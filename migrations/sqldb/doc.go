// Package sqldb is the handle to Notelatch's database: SQLite for one machine, PostgreSQL for many. A DB that Open returned has the
// schema of this binary.
//
// Queries are one text for both: "?" placeholders (a question mark does not appear in a literal), and the types TEXT, BIGINT,
// BOOLEAN, BYTEA and DOUBLE PRECISION. A string with a NUL byte cannot be stored as TEXT, and a string argument for a BYTEA column
// must be a []byte. A nil []byte is NULL, and an empty one may come back as nil.
//
// SQLite has one writer. The handle lines writers up in the process, so that only another process can make one wait, and reads
// beside it from a pool. Whether a query reads is told from its first word.
package sqldb
