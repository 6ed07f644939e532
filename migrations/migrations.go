// Package migrations holds the schema as numbered SQL files: NNNN_name.sql, one text for SQLite and PostgreSQL. Where the two must
// differ, a number has a pair of files, NNNN_name.sqlite.sql and NNNN_name.postgres.sql. sqldb applies them in the order of their
// numbers, when a database is opened. A file that has landed is never edited: sqldb refuses a database whose record of it differs.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
