package vault

import (
	"bytes"
	"strings"
)

// htmlBlock reports whether a line begins an HTML block, and with what it ends; "" means a blank line.
func htmlBlock(b []byte, inParagraph bool) (closer string, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		return "-->", true
	case bytes.HasPrefix(b, []byte("<?")):
		return "?>", true
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return "]]>", true
	case len(b) > 2 && b[1] == '!' && isLetter(b[2]):
		return ">", true
	}
	name := tagName(b)
	switch lower := strings.ToLower(name); lower {
	case "":
		return "", false
	case "script", "pre", "style", "textarea":
		if b[1] != '/' {
			return "</" + lower + ">", true
		}
		return "", false // alone, their end tags are text
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details",
		"dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
		"h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes",
		"ol", "optgroup", "option", "p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title",
		"tr", "track", "ul":
		return "", true
	}
	if inParagraph {
		return "", false
	}
	n := htmlTagLen(b)
	return "", n > 0 && isBlank(b[n:])
}

// tagName is the name of the tag that b begins with, if a blank, "/", ">" or the end follows it.
func tagName(b []byte) string {
	const longest = 32
	i := 1
	if i < len(b) && b[i] == '/' {
		i++
	}
	from := i
	for i < len(b) && i < longest && (isLetter(b[i]) || i > from && (isDigit(b[i]) || b[i] == '-')) {
		i++
	}
	if i < len(b) && !isSpace(b[i]) && b[i] != '>' && b[i] != '/' && b[i] != '\n' {
		return ""
	}
	return string(b[from:i])
}

// htmlTagLen is the length of the tag that b begins with; 0 if it is none. It looks no further than maxTag.
func htmlTagLen(b []byte) int {
	const maxTag = 4 << 10
	b = b[:min(len(b), maxTag)]
	name := tagName(b)
	if name == "" {
		return 0
	}
	i := 1 + len(name)
	if b[1] == '/' {
		i++
	}
	for i < len(b) {
		switch c := b[i]; c {
		case '>':
			return i + 1
		case '<', '`':
			return 0
		case '=':
			i++
			for i < len(b) && (isSpace(b[i]) || b[i] == '\n') {
				i++
			}
			if i < len(b) && (b[i] == '"' || b[i] == '\'') {
				n := bytes.IndexByte(b[i+1:], b[i])
				if n < 0 {
					return 0
				}
				i += n + 2
			}
		case '"', '\'':
			return 0
		default:
			i++
		}
	}
	return 0
}

// autolinkLen is the length of <https://x.y> or <a@b.c>; 0 if b begins with none.
func autolinkLen(b []byte) int {
	const longest = 2 << 10
	b = b[:min(len(b), longest)]
	address := false
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '>':
			if address {
				return i + 1
			}
			return 0
		case c == '<' || c <= ' ':
			return 0
		case c == ':' && i > 2 || c == '@' && i > 1:
			address = true
		}
	}
	return 0
}

// containsFold is bytes.Contains without regard to ASCII case. The closers of HTML blocks are short; sub is in lower case.
func containsFold(b []byte, sub string) bool {
	if len(sub) < 4 || sub[0] != '<' {
		return bytes.Contains(b, []byte(sub))
	}
	for {
		i := bytes.Index(b, []byte("</"))
		if i < 0 || len(b)-i < len(sub) {
			return false
		}
		if strings.EqualFold(string(b[i:i+len(sub)]), sub) {
			return true
		}
		b = b[i+2:]
	}
}
