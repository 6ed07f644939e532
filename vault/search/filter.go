package search

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// filter is one condition of a query that is no word.
type filter struct {
	key   string // "tag", "path", "file", "prop", "has", "modified", "created"
	not   bool
	name  string // of a property, folded
	op    string // of a property: "" for existence, "=", ">", ">=", "<", "<="
	value string // folded
	after int64  // a time: not before this
	until int64  // and before this
}

// field reads the name of a filter and its colon.
func (p *parser) field() (string, bool) {
	i := strings.IndexByte(p.rest, ':')
	if i < 0 || i > len("modified") {
		return "", false
	}
	switch key := strings.ToLower(p.rest[:i]); key {
	case "tag", "path", "file", "prop", "has", "modified", "created":
		if r, _ := utf8.DecodeRuneInString(p.rest[i+1:]); i+1 == len(p.rest) || unicode.IsSpace(r) {
			return "", false // "file: what?" is prose
		}
		p.rest = p.rest[i+1:]
		return key, true
	}
	return "", false
}

// fieldLike returns what stands before the colon of a word that looks like a filter, such as "heading:Favorites": letters, then at once
// a value. An address, a time and "std::sort" do not look like one. Rest is what follows the word.
func fieldLike(word, rest string) string {
	name, value, ok := strings.Cut(word, ":")
	if !ok || len(name) < 2 || len(name) > maxTerm || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(value + rest)
	if value == "" && !isQuote(r) || r == ':' || r == '/' {
		return ""
	}
	return name
}

// value reads up to a blank or one of stops; a quoted value up to its end.
func (p *parser) value(stops string) string {
	if q, n := utf8.DecodeRuneInString(p.rest); isQuote(q) {
		if strings.IndexFunc(p.rest[n:], isQuote) >= 0 {
			v, _ := p.quoted()
			return v
		}
		p.rest = p.rest[n:]
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(stops, r) })
	if end < 0 {
		end = len(p.rest)
	}
	v := p.rest[:end]
	p.rest = p.rest[end:]
	return v
}

func (p *parser) operator(ops ...string) string {
	for _, op := range ops {
		if rest, ok := strings.CutPrefix(p.rest, op); ok {
			p.rest = rest
			return op
		}
	}
	return ""
}

func (p *parser) filter(key string) (filter, error) {
	f := filter{key: key, after: math.MinInt64, until: math.MaxInt64}
	switch key {
	case "tag":
		f.value = foldTag(p.value(""))
	case "path", "file":
		f.value = vault.Fold(p.value(""))
	case "prop":
		f.name = vault.Fold(p.value("=<>"))
		if f.op = p.operator(">=", "<=", ">", "<", "="); f.op != "" {
			f.value = foldValue(p.value(""))
		}
	case "has":
		f.value = vault.Fold(p.value(""))
		switch kind, _, _ := strings.Cut(f.value, "="); kind {
		case "problem", "attachment", "encrypted":
		default:
			return f, vault.Errorf(vault.InvalidArgument, "has: is followed by something unknown").
				Next("Use has:problem, has:attachment or has:encrypted.").With("field", "query")
		}
	case "modified", "created":
		op := p.operator(">=", "<=", ">", "<", "=")
		from, to, ok := parseTime(p.value(""))
		if !ok {
			return f, vault.Errorf(vault.InvalidArgument, "%s: is not followed by a date", key).
				Next("Use "+key+":>2026-01-31; a year, a month or an RFC 3339 time will do too.").With("field", "query")
		}
		switch op {
		case ">":
			f.after = to
		case ">=":
			f.after = from
		case "<":
			f.until = from
		case "<=":
			f.until = to
		default:
			f.after, f.until = from, to
		}
	}
	return f, nil
}

// parseTime returns the span that s names: a year, a month, a day, or a moment (a millisecond long).
func parseTime(s string) (from, to int64, ok bool) {
	for _, form := range []struct {
		layout     string
		y, m, d, n int
	}{{"2006", 1, 0, 0, 0}, {"2006-01", 0, 1, 0, 0}, {"2006-01-02", 0, 0, 1, 0}, {time.RFC3339, 0, 0, 0, 1}} {
		if t, err := time.Parse(form.layout, strings.ToUpper(s)); err == nil {
			return t.UnixMilli(), t.AddDate(form.y, form.m, form.d).UnixMilli() + int64(form.n), true
		}
	}
	return 0, 0, false
}

// holds reports whether a property's value stands in relation op to want: as numbers if both are, else as text.
func holds(value, op, want string) bool {
	c := strings.Compare(value, want)
	if a, err := strconv.ParseFloat(value, 64); err == nil {
		if b, err := strconv.ParseFloat(want, 64); err == nil {
			switch {
			case a < b:
				c = -1
			case a > b:
				c = 1
			default:
				c = 0
			}
		}
	}
	switch op {
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	}
	return c == 0
}
