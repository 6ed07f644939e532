package vault

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Encrypted reports whether body is one that only a device with a key can read, and in which format. The sign must be the body
// (after a byte order mark, frontmatter and blank lines, for the formats that are text), not something that the body speaks of.
// An unknown version of a known format counts, and so does a body that is cut off: in doubt nothing is overwritten.
func Encrypted(p Path, body []byte) (format string, ok bool) {
	if len(body) == 0 {
		return "", false
	}
	if f := binaryFormat(body); f != "" {
		return f, true
	}
	if f := textFormat(p, afterFrontmatter(body)); f != "" {
		return f, true
	}
	return "", false
}

// binaryFormat knows the formats by their first bytes.
func binaryFormat(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("RCLONE\x00\x00")):
		return "rclone"
	case bytes.HasPrefix(b, []byte("\x00GITCRYPT\x00")):
		return "git-crypt"
	case bytes.HasPrefix(b, []byte("Salted__")) && (len(b) <= 16 || !printable(b[8:])):
		return "openssl"
	}
	return ""
}

// textFormat knows the formats by their first line.
func textFormat(p Path, b []byte) string {
	line := bytes.TrimRight(b[:lineEnd(b, 0)], "\r")
	rest := b[min(len(b), lineEnd(b, 0)+1):]
	switch {
	case versioned(line, "BASALT-ENC-"):
		return "basalt"
	case versioned(line, "age-encryption.org/v") && (len(rest) == 0 || bytes.HasPrefix(rest, []byte("->"))):
		return "age"
	case string(line) == "-----BEGIN AGE ENCRYPTED FILE-----":
		return "age"
	case string(line) == "-----BEGIN PGP MESSAGE-----":
		return "openpgp"
	case bytes.HasPrefix(line, []byte("U2FsdGVkX1")) && isBase64(b):
		return "openssl"
	case bytes.HasPrefix(line, []byte("$ANSIBLE_VAULT;")):
		return "ansible-vault"
	case versioned(line, "version https://git-lfs.github.com/spec/v") && bytes.Contains(rest, []byte("oid ")):
		return "git-lfs"
	case bytes.HasPrefix(line, []byte("%=")) && len(b) >= 64 && isBase64(b[2:]) && bytes.IndexByte(bytes.TrimSpace(b), '\n') < 0:
		return "livesync"
	case bytes.Contains(line, []byte(": ENC[")) && bytes.Contains(rest, []byte("\nsops:")):
		return "sops"
	case b != nil && len(line) > 0 && line[0] == '{' && isMeld(b):
		return "meld"
	}
	if ext := p.Ext(); (ext == ".mdenc" || ext == ".encrypted") && len(bytes.TrimSpace(b)) > 0 {
		return "meld"
	}
	return ""
}

// afterFrontmatter skips a byte order mark, a closed block of properties, and blank lines.
func afterFrontmatter(b []byte) []byte {
	const most = 16 << 10
	fm := findFrontmatter(b)
	if fm.next > most {
		fm.next = 0
	}
	b = b[fm.next:]
	for len(b) > 0 {
		end := lineEnd(b, 0)
		if end == len(b) || len(bytes.TrimSpace(b[:end])) > 0 {
			break
		}
		b = b[end+1:]
	}
	return b
}

// versioned reports whether line is the prefix and then a number, with nothing behind it.
func versioned(line []byte, prefix string) bool {
	n, ok := bytes.CutPrefix(line, []byte(prefix))
	return ok && digits(string(n))
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return utf8.Valid(b)
}

func isBase64(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '/' && c != '=' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

func isMeld(b []byte) bool {
	var m struct {
		Version     *string `json:"version"`
		EncodedData *string `json:"encodedData"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		// Cut off, or of another version: the field is enough, at the start of what can only be an object.
		return bytes.Contains(b[:min(len(b), 4<<10)], []byte(`"encodedData":"`)) && bytes.Contains(b[:min(len(b), 64)], []byte(`"version":`))
	}
	return m.EncodedData != nil && *m.EncodedData != ""
}
