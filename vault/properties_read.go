package vault

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// frontmatter is where a note's properties stand.
type frontmatter struct {
	found      bool
	start, end int // the block between the two "---" lines
	next       int // where the text begins
	nextLine   int // the line there
}

// findFrontmatter looks for a block between "---" lines at the very start, after an optional byte order mark. The first line that
// is "---" ends it, whatever YAML would say; without one there is no frontmatter at all.
func findFrontmatter(b []byte) frontmatter {
	fm := frontmatter{nextLine: 1}
	if bytes.HasPrefix(b, []byte("\uFEFF")) {
		fm.next = len("\uFEFF")
	}
	at, ok := fence(b, fm.next)
	if !ok {
		return fm
	}
	line := 2
	for start := at; at < len(b); line++ {
		if after, ok := fence(b, at); ok {
			return frontmatter{found: true, start: start, end: at, next: after, nextLine: line + 1}
		}
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return fm
}

// fence reports whether the line at offset at is "---", and where the next line begins.
func fence(b []byte, at int) (int, bool) {
	if !bytes.HasPrefix(b[at:], []byte("---")) {
		return 0, false
	}
	for i := at + 3; ; i++ {
		switch {
		case i == len(b):
			return i, true
		case b[i] == '\n':
			return i + 1, true
		case b[i] != ' ' && b[i] != '\t' && b[i] != '\r':
			return 0, false
		}
	}
}

// readFrontmatter fills what a note has from its properties.
func (n *Note) readFrontmatter(b []byte, fm frontmatter, tags *tagSet) {
	block := b[fm.start:fm.end]
	keys := topKeys(block)
	ps, bad := readProperties(block, keys)
	if bad != nil {
		n.Problems = append(n.Problems, Problem{Code: ProblemFrontmatter, Line: bad.line + 1, Message: bad.reason})
		ps = keysOnly(keys)
	}
	n.Properties = ps
	place(ps, keys, block, fm.start)

	if v, ok := exact(ps, "tags"); ok {
		for _, t := range texts(v) {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "#"); isTag(t) {
				tags.add([]byte(t))
			}
		}
	}
	if v, ok := exact(ps, "aliases"); ok {
		for _, a := range texts(v) {
			if a = strings.TrimSpace(a); a != "" && !slices.Contains(n.Aliases, a) {
				n.Aliases = append(n.Aliases, a)
			}
		}
	}
	for _, p := range ps {
		l := linkFinder{n: n, b: b, at: p.Start, end: p.End, line: p.Line}
		l.walk(p.Key, p.Value, 0)
	}
}

func exact(ps Properties, key string) (any, bool) {
	for _, p := range ps {
		if p.Key == key {
			return p.Value, true
		}
	}
	return nil, false
}

func keysOnly(keys []topKey) Properties {
	var ps Properties
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if !seen[k.name] && len(ps) < maxYAMLKeys {
			seen[k.name] = true
			ps = append(ps, Property{Key: k.name})
		}
	}
	return ps
}

// place gives the properties their lines and spans. Keys come in the order of the text; one that the line scan did not see (because it
// is written in an unusual way) gets the span of the whole block.
func place(ps Properties, keys []topKey, block []byte, base int) {
	next := 0
	for i := range ps {
		ps[i].Line, ps[i].Start, ps[i].End = 2, base, base+len(block)
		for j := next; j < len(keys); j++ {
			if keys[j].name != ps[i].Key {
				continue
			}
			ps[i].Line, ps[i].Start = keys[j].line+1, base+keys[j].start
			if j+1 < len(keys) {
				ps[i].End = base + keys[j+1].start
			}
			next = j + 1
			break
		}
	}
}

// linkFinder finds the links in one property's value.
type linkFinder struct {
	n       *Note
	b       []byte
	at, end int // what of the property's text has not been matched to a link yet
	line    int // at offset at
}

func (f *linkFinder) walk(key string, v any, depth int) {
	switch v := v.(type) {
	case string:
		inner, ok := wholeLink(v)
		if !ok {
			return
		}
		l := wikilink([]byte(inner), 0)
		l.Kind, l.Relation, l.Line = LinkProperty, key, f.line
		l.TargetStart, l.TargetEnd = 0, 0
		if i := bytes.Index(f.b[f.at:f.end], []byte(v)); i >= 0 && !strings.Contains(v, "''") {
			start := f.at + i
			l.Line = f.line + bytes.Count(f.b[f.at:start], []byte{'\n'})
			span := wikilink([]byte(inner), start+2)
			l.Start, l.End, l.TargetStart, l.TargetEnd = start, start+len(v), span.TargetStart, span.TargetEnd
			f.at, f.line = l.End, l.Line
		}
		f.n.Links = append(f.n.Links, l)
	case []any:
		if text, ok := unquotedLink(v); ok && depth < 2 {
			f.n.Problems = append(f.n.Problems, Problem{Code: ProblemUnquoted, Line: f.line,
				Message: fmt.Sprintf("%s: %s needs quotes to be a link", key, text)})
			return
		}
		for i, item := range v {
			f.walk(key+"."+strconv.Itoa(i), item, depth+1)
		}
	case Properties:
		for _, p := range v {
			f.walk(key+"."+p.Key, p.Value, depth+1)
		}
	}
}

// wholeLink reports whether all of s is one wikilink, and what is in it.
func wholeLink(s string) (string, bool) {
	if len(s) <= 4 || !strings.HasPrefix(s, "[[") || !strings.HasSuffix(s, "]]") || strings.IndexByte(s, '\n') >= 0 {
		return "", false
	}
	inner := s[2 : len(s)-2]
	if strings.Contains(inner, "]]") || strings.Contains(inner, "[[") {
		return "", false
	}
	return inner, true
}

// unquotedLink recognizes what YAML makes of [[X]] without quotes: a list in a list.
func unquotedLink(v []any) (string, bool) {
	if len(v) != 1 {
		return "", false
	}
	inner, ok := v[0].([]any)
	if !ok || len(inner) == 0 {
		return "", false
	}
	var names []string
	for _, item := range inner {
		switch item.(type) {
		case []any, Properties:
			return "", false
		}
		names = append(names, scalarText(item))
	}
	return "[[" + strings.Join(names, ", ") + "]]", true
}
