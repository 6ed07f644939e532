package account

import (
	"crypto/rand"
	"strings"
	"testing"
)

func TestSecretsHaveOneForm(t *testing.T) {
	var low, high [tokenBytes]byte
	for i := range high {
		high[i] = 0xff
	}
	if got := formatSecret(low); !strings.HasPrefix(got, "bda_"+strings.Repeat("0", 43)) {
		t.Errorf("formatSecret(0) = %q", got)
	}
	secrets := []string{formatSecret(low), formatSecret(high)}
	for range 100 {
		var b [tokenBytes]byte
		rand.Read(b[:])
		secrets = append(secrets, formatSecret(b))
	}
	for _, s := range secrets {
		if len(s) != 53 || !wellFormed(s) {
			t.Errorf("%q has %d characters, well-formed %v", s, len(s), wellFormed(s))
		}
	}
}

// A checksum of 32 bits finds every change of one character.
func TestEveryTypoIsFound(t *testing.T) {
	secret := []byte(formatSecret([tokenBytes]byte{1, 2, 3}))
	for i := range secret {
		was := secret[i]
		for _, c := range []byte("0aZ-é ") {
			secret[i] = c
			if c != was && wellFormed(string(secret)) {
				t.Errorf("%q passes", secret)
			}
		}
		secret[i] = was
	}
	if !wellFormed(string(secret)) {
		t.Errorf("%q does not pass", secret)
	}
}
