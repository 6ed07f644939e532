package sqldb

import (
	"strconv"
	"strings"
)

// statement is a query as the database wants it.
type statement struct {
	text   string
	writes bool
}

// statement rewrites a query once and remembers it. Queries are constants or a few shapes of a list, so that what is remembered
// stays small.
func (db *DB) statement(query string) *statement {
	if s, ok := db.texts.Load(query); ok {
		return s.(*statement)
	}
	s := &statement{text: query, writes: writes(query)}
	if db.Dialect() == Postgres {
		s.text = numbered(query)
	}
	held, _ := db.texts.LoadOrStore(query, s)
	return held.(*statement)
}

// numbered turns each "?" into $1, $2, …
func numbered(query string) string {
	var b strings.Builder
	b.Grow(len(query) + 16)
	n := 0
	for {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		query = after
	}
}

// writes reports whether a query may change rows. What is not surely a read is a write.
func writes(query string) bool {
	words := strings.Fields(strings.ToUpper(query))
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "SELECT":
		return false
	case "WITH":
		for _, w := range words {
			switch strings.TrimLeft(w, "(") {
			case "INSERT", "UPDATE", "DELETE":
				return true
			}
		}
		return false
	}
	return true
}
