package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/notelatch/notelatch/vault"
)

// Bounds of a query. Text and words beyond them are left out and counted in Parsed.Dropped; too many filters are an error, because a
// filter that is left out would widen the answer.
const (
	maxText    = 16 << 10
	maxGroups  = 48
	maxPhrases = 8
	maxFilters = 32
)

// Parsed is the text of a query as understood.
type Parsed struct {
	Dropped int      // words that were left out because there are too many
	Unknown []string // what stands before a colon as if it were a filter, and is none: these were taken as words

	groups  []group
	phrases []phrase
	filters []filter
	pairs   []string // neighbours among the words and phrases
	whole   string   // the words and phrases as one title
}

// group is a word that notes should hold, in one of several forms.
type group struct {
	terms  []string // more than one: joined by OR
	prefix bool     // longer words that begin with the only term count, for less
	must   bool     // of a phrase: no partial match goes without it
	typos  []string // words that differ from the term by one edit
}

// phrase is text between quotes.
type phrase struct {
	sequence []string
	terms    []string
	not      bool
	plain    bool // ASCII
}

// checked reports whether the phrase must be looked for in the text: one term says all about itself.
func (p *phrase) checked() bool { return len(p.terms) > 1 }

// Empty reports whether the text asks for no words: a query of filters, or nothing at all.
func (p *Parsed) Empty() bool { return len(p.groups) == 0 }

// Blank reports whether the text asks for nothing: it is empty, or of punctuation.
func (p *Parsed) Blank() bool { return len(p.groups)+len(p.phrases)+len(p.filters) == 0 }

// Words returns the words that are looked for, folded, in the order of the query.
func (p *Parsed) Words() []string {
	var out []string
	for _, g := range p.groups {
		out = append(out, g.terms...)
	}
	return out
}

// Parse understands the text of a query:
//
//	alpha beta        both words; the last one also as the beginning of a word
//	alpha OR beta     one of them
//	"alpha beta"      the words in this order, punctuation and markup apart
//	-alpha -"a b"     not these; "-" also negates a filter
//	tag:a             tagged a or a/b
//	path:text         the path holds the text
//	file:text         the name of the file holds the text
//	prop:key          the property exists; prop:key=value, and with > >= < <= by number, else by text (which orders dates)
//	has:problem       also has:attachment, has:encrypted
//	modified:>2026-01-01   also created:; >= < <= and none; a year, a month, a day or an RFC 3339 time, in UTC
//
// Values may be quoted. Case and diacritics do not count. What looks like a filter but is none is words, as is an unbalanced quote.
// The error is InvalidArgument: a filter with a value that it cannot have, or too many filters.
func Parse(text string) (Parsed, error) {
	p := parser{rest: text, last: -1}
	if len(text) > maxText {
		p.rest = cutRunes(text, maxText)
		p.out.Dropped = len(strings.Fields(text[len(p.rest):]))
	}
	for p.next() {
		if err := p.unit(); err != nil {
			return p.out, err
		}
	}
	if p.last >= 0 {
		g := &p.out.groups[p.last]
		r, _ := utf8.DecodeRuneInString(g.terms[0])
		g.prefix = len(g.terms) == 1 && !g.must && classOf(r) == letter
	}
	for i := 1; i < len(p.whole) && i < maxGroups; i++ {
		p.out.pairs = append(p.out.pairs, p.whole[i-1]+" "+p.whole[i])
	}
	p.out.whole = strings.Join(p.whole, " ")
	return p.out, nil
}

// cutRunes returns at most n bytes of s and cuts no character.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

type parser struct {
	rest  string
	out   Parsed
	whole []string
	last  int  // group of the word that was read last, or -1
	or    bool // OR stands before what comes
}

// next steps over blanks and reports whether something is left.
func (p *parser) next() bool {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	return p.rest != ""
}

func (p *parser) unit() error {
	not := false
	if len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != '-' && p.rest[1] != ' ' {
		not, p.rest = true, p.rest[1:]
	}
	or := p.or
	p.or = false
	if quoted, ok := p.quoted(); ok {
		p.phrase(quoted, not)
		return nil
	}
	if key, ok := p.field(); ok {
		if len(p.out.filters) == maxFilters {
			return vault.Errorf(vault.InvalidArgument, "the query has more than %d filters", maxFilters).With("field", "query")
		}
		f, err := p.filter(key)
		f.not = not
		p.out.filters = append(p.out.filters, f)
		p.last = -1
		return err
	}
	word := p.word()
	if name := fieldLike(word, p.rest); name != "" && !slices.Contains(p.out.Unknown, name) && len(p.out.Unknown) < maxFilters {
		p.out.Unknown = append(p.out.Unknown, name)
	}
	switch {
	case word == "OR" && !not:
		p.or = true
	case not:
		p.phrase(word, true)
	default:
		p.words(word, or)
	}
	return nil
}

// quoted reads text between quotes. A quote without its partner is read over.
func (p *parser) quoted() (string, bool) {
	q, n := utf8.DecodeRuneInString(p.rest)
	if !isQuote(q) {
		return "", false
	}
	inner := p.rest[n:]
	end := strings.IndexFunc(inner, isQuote)
	if end < 0 {
		p.rest = inner
		return "", true
	}
	_, m := utf8.DecodeRuneInString(inner[end:])
	p.rest = inner[end+m:]
	return inner[:end], true
}

func isQuote(r rune) bool {
	return r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '»'
}

// word reads up to a blank or a quote.
func (p *parser) word() string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) })
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w
}

func (p *parser) words(text string, or bool) {
	found := terms(text)
	before := p.last
	if len(found) == 0 {
		return
	}
	p.whole = append(p.whole, sequence(text)...)
	if or && len(found) == 1 && before >= 0 {
		g := &p.out.groups[before]
		if !slices.Contains(g.terms, found[0]) && len(g.terms) < maxGroups {
			g.terms = append(g.terms, found[0])
		}
		return
	}
	for _, t := range found {
		p.last = p.group(t, false)
	}
}

// group returns the number of the group for t, or -1 if there are too many.
func (p *parser) group(t string, must bool) int {
	for i := range p.out.groups {
		if g := &p.out.groups[i]; len(g.terms) == 1 && g.terms[0] == t {
			g.must = g.must || must
			return i
		}
	}
	if len(p.out.groups) == maxGroups {
		p.out.Dropped++
		return -1
	}
	p.out.groups = append(p.out.groups, group{terms: []string{t}, must: must})
	return len(p.out.groups) - 1
}

func (p *parser) phrase(text string, not bool) {
	found := terms(text)
	if len(found) == 0 {
		return
	}
	ph := phrase{sequence: sequence(text), terms: found, not: not, plain: isPlain(text)}
	if !not {
		p.last = -1
		p.whole = append(p.whole, ph.sequence...)
	}
	if len(p.out.phrases) == maxPhrases && !not || len(p.out.phrases) == 4*maxPhrases || len(found) > maxGroups {
		if !not {
			for _, t := range found {
				p.group(t, false)
			}
		} else {
			p.out.Dropped++
		}
		return
	}
	if !not {
		for _, t := range found {
			p.group(t, true)
		}
	}
	p.out.phrases = append(p.out.phrases, ph)
}
