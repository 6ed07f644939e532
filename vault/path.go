package vault

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of a path, in bytes. They are those of the common file systems, so that a path which is accepted can be stored.
const (
	MaxPath    = 1024 // bytes of a whole path
	MaxSegment = 255  // bytes of one segment
)

// Path is the place of a file inside a vault: relative, with "/" separators, cleaned, in the spelling in which it is stored.
// The zero Path is the root of the vault, which is a folder and never a file. Make one with ParsePath; a Path that was made
// otherwise promises nothing.
type Path string

// ParsePath checks s and returns it as a Path. It refuses, with InvalidArgument: an empty path, an absolute one, "." and ".."
// segments, empty segments, backslashes, control characters, invalid UTF-8, and a path or segment that is too long.
// Dot-folders are valid here (a driver may have to name its trash); Path.Hidden tells them.
func ParsePath(s string) (Path, error) {
	if reason := badPath(s); reason != "" {
		return "", Errorf(InvalidArgument, "the path %s %s", quotePath(s), reason).
			Next("Use a vault-relative path such as \"Projects/Alpha.md\".").
			With("field", "path")
	}
	return Path(s), nil
}

// ParseFolder is ParsePath for a folder: the empty string and "/" are the root, and one trailing slash is taken off.
func ParseFolder(s string) (Path, error) {
	s = strings.TrimSuffix(s, "/")
	if s == "" {
		return "", nil
	}
	return ParsePath(s)
}

func badPath(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > MaxPath:
		return "is longer than 1,024 bytes"
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case s[0] == '/':
		return "is absolute; paths are relative to the vault"
	case strings.IndexByte(s, '\\') >= 0:
		return "holds a backslash; separate folders with \"/\""
	case strings.IndexFunc(s, unicode.IsControl) >= 0:
		return "holds a control character"
	}
	for seg := range strings.SplitSeq(s, "/") {
		switch {
		case seg == "":
			return "has an empty segment"
		case seg == "." || seg == "..":
			return "has a \".\" or \"..\" segment"
		case len(seg) > MaxSegment:
			return "has a segment longer than 255 bytes"
		}
	}
	return ""
}

// quotePath shows at most the first 80 bytes of a path that may be hostile.
func quotePath(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return "\"" + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s) + "\""
}

// Key folds case and Unicode form (NFC, then full case folding): two paths with one Key are the same place on the systems that people
// keep notes on. It is for look-up alone; the stored spelling is the Path.
func (p Path) Key() string { return Fold(string(p)) }

// Fold folds case and Unicode form as Path.Key does.
func Fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// Dir is the folder of p; the root for a file at the top.
func (p Path) Dir() Path {
	i := strings.LastIndexByte(string(p), '/')
	if i < 0 {
		return ""
	}
	return p[:i]
}

// Base is the last segment, with its extension.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Ext is the extension in lower case with its dot, or "".
func (p Path) Ext() string { return strings.ToLower(path.Ext(p.Base())) }

// Name is the last segment without ".md": what people call the note.
func (p Path) Name() string {
	b := p.Base()
	if p.IsNote() {
		return b[:len(b)-len(".md")]
	}
	return b
}

// IsNote reports whether p names a Markdown note.
func (p Path) IsNote() bool { return p.Ext() == ".md" && len(p.Base()) > len(".md") }

// Hidden reports whether a segment begins with a dot: such files belong to programs, and tools neither show nor write them.
func (p Path) Hidden() bool {
	return strings.HasPrefix(string(p), ".") || strings.Contains(string(p), "/.")
}

// In reports whether p is dir or lies below it. Every path is in the root.
func (p Path) In(dir Path) bool {
	return dir == "" || p == dir || (len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir)
}
