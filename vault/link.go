package vault

import (
	"bytes"
	"net/url"
	"strings"
)

// LinkKind tells how a link is written.
type LinkKind string

// The kinds of links. Canvas links come from the canvas reader, the others from Parse.
const (
	LinkWiki     LinkKind = "wikilink" // [[Alpha]]
	LinkEmbed    LinkKind = "embed"    // ![[Alpha]], ![alt](pic.png)
	LinkMarkdown LinkKind = "markdown" // [text](Alpha.md), also by reference
	LinkProperty LinkKind = "property" // a property whose value is "[[Alpha]]"
	LinkCanvas   LinkKind = "canvas"
)

// Link is one link out of a note, as it is written: whether and where it leads is graph's to say.
type Link struct {
	Kind     LinkKind
	Target   string // what is looked up: decoded, without subpath; "" for the note itself; the whole address when External
	Subpath  string // "#Heading", "#A#B" or "#^block", else ""
	Display  string // what a reader sees
	External bool   // the target is a web or mail address, not a note
	InCard   bool   // it stands in the text of a canvas's card
	Relation string // what the link means: key path of a property ("authors.1"), or the key of a "key:: [[X]]" in the text

	Line       int
	Start, End int // span of the whole link, with its "!"

	// Span of the target as it is written (encoded, without subpath). For a link by reference it lies in the definition. A property
	// link that is written with YAML escapes has none: both are 0.
	TargetStart, TargetEnd int
}

// wikilink reads what stands between [[ and ]]. at is the offset of inner in the note.
func wikilink(inner []byte, at int) Link {
	text := string(inner)
	target, display := text, ""
	shown := false
	switch i := strings.IndexByte(text, '|'); {
	case i > 0:
		target, display, shown = text[:i], strings.TrimSpace(text[i+1:]), true
		target = strings.TrimSuffix(target, `\`) // in tables the bar is escaped
	case i == 0: // nothing to look up before the bar: the bar is part of the name
	}
	l := Link{Target: target, Display: display}
	if external(target) && (strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:")) { // "Talk:one" is a name
		l.External = true
	} else if i := strings.IndexByte(target, '#'); i >= 0 {
		l.Target, l.Subpath = target[:i], "#"+strings.TrimSpace(target[i+1:])
	}
	lead := len(l.Target) - len(strings.TrimLeft(l.Target, " \t"))
	l.Target = strings.TrimSpace(l.Target)
	l.TargetStart, l.TargetEnd = at+lead, at+lead+len(l.Target)
	if !shown {
		l.Display = defaultDisplay(l.Target, l.Subpath)
	}
	return l
}

// defaultDisplay shows a#b#c as "a > b > c" and #h as "h".
func defaultDisplay(target, subpath string) string {
	if subpath == "" {
		return target
	}
	shown := strings.ReplaceAll(subpath[1:], "#", " > ")
	if target == "" {
		return shown
	}
	return target + " > " + shown
}

// markdownLink makes a link of a destination, which begins at offset at.
func markdownLink(dest []byte, at int) (Link, bool) {
	if len(dest) == 0 {
		return Link{}, false
	}
	raw := string(dest)
	if external(raw) || strings.HasPrefix(raw, "//") {
		return Link{Target: unescape(raw), External: true, TargetStart: at, TargetEnd: at + len(raw)}, true
	}
	path, sub := raw, ""
	if i := strings.IndexByte(raw, '#'); i >= 0 { // before decoding: %23 is part of a name
		path, sub = raw[:i], raw[i:]
	}
	l := Link{TargetStart: at, TargetEnd: at + len(path)}
	l.Target, l.Subpath = strings.TrimSpace(decode(path)), strings.TrimSpace(decode(sub))
	return l, true
}

func decode(s string) string {
	s = unescape(s)
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// unescape takes the backslash from in front of ASCII punctuation.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// external reports whether s begins with a scheme of two characters or more ("C:" is a disk).
func external(s string) bool {
	i := strings.IndexByte(s, ':')
	if i < 2 || i > 32 || !isLetter(s[0]) || i+1 == len(s) || isSpace(s[i+1]) {
		return false
	}
	for j := 1; j < i; j++ {
		if c := s[j]; !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// relation finds the key of "key:: [[X]]" around a link that begins at offset at. lineStart is where the line's text begins.
func relation(b []byte, lineStart, at int) string {
	const most = 96 // bytes of a key and what may stand between it and the link
	from := max(lineStart, at-most)
	before := b[from:at]
	i := bytes.LastIndexByte(before, ':')
	if i < 1 {
		return ""
	}
	i = bytes.LastIndex(before, []byte("::"))
	if i < 0 {
		return ""
	}
	key := before[:i]
	if j := bytes.LastIndexAny(key, "[("); j >= 0 {
		closer := byte(']')
		if key[j] == '(' {
			closer = ')'
		}
		if inner := before[j+1:]; bytes.Count(inner, []byte{closer}) > bytes.Count(inner, key[j:j+1]) {
			return "" // it has been closed before the link
		}
		key = key[j+1:]
	} else if from != lineStart {
		return ""
	}
	key = bytes.Trim(key, " \t*_")
	if len(key) == 0 || len(key) > 64 || bytes.ContainsAny(key, "`[](){}#|<>.,;\n") {
		return ""
	}
	return string(key)
}
