// Package opaque makes the handles of governance: a prefix that says what is named, and 128 random bits that say nothing.
package opaque

import (
	"encoding/base32"
	"fmt"
	"io"
	"strings"
)

// length is that of 128 bits in base32.
const length = 26

// alphabet is Crockford's: without i, l, o and u, which are misread or make words.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// ID returns a new handle that begins with prefix.
func ID(random io.Reader, prefix string) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make a %s handle: %w", prefix, err)
	}
	return prefix + encoding.EncodeToString(b[:]), nil
}

// Valid reports whether s could be a handle that begins with prefix.
func Valid(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == length && strings.Trim(rest, alphabet) == ""
}
