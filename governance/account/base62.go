package account

import (
	"hash/crc32"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The form of a manual token: prefix, 32 random bytes in base62, and a checksum over both, so that a typo is caught without a query
// and secret scanners can tell a token from noise.
const (
	tokenPrefix    = "bda_"
	tokenBytes     = 32
	tokenDigits    = 43 // 62^43 > 2^256
	checksumDigits = 6  // 62^6 > 2^32
	tokenLength    = len(tokenPrefix) + tokenDigits + checksumDigits
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// formatSecret returns the token for random bytes.
func formatSecret(random [tokenBytes]byte) string {
	body := tokenPrefix + digits(new(big.Int).SetBytes(random[:]), tokenDigits)
	return body + checksum(body)
}

// wellFormed reports whether secret has the form of a token, checksum included.
func wellFormed(secret string) bool {
	if len(secret) != tokenLength || !strings.HasPrefix(secret, tokenPrefix) {
		return false
	}
	body, sum := secret[:tokenLength-checksumDigits], secret[tokenLength-checksumDigits:]
	return checksum(body) == sum && strings.Trim(body[len(tokenPrefix):], base62) == ""
}

func checksum(body string) string {
	return digits(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), checksumDigits)
}

// digits writes n with exactly width digits.
func digits(n *big.Int, width int) string {
	b := make([]byte, width)
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		b[i] = base62[digit.Int64()]
	}
	return string(b)
}

func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}
