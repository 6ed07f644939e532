package vault

import (
	"strings"
	"testing"
)

func TestEncrypted(t *testing.T) {
	salted := "Salted__12345678" + strings.Repeat("\xf3\x01\x9c\x00", 8)
	age := "age-encryption.org/v1\n-> X25519 abc\nxyz\n--- mac\n\x01\x02"
	meld := `{"version":"2.0","hint":"","encodedData":"AAAA"}`
	pgp := "-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n"
	tests := []struct {
		name, path, body, want string
	}{
		{"an empty body is plain", "a.md", "", ""},
		{"one byte is plain", "a.md", "B", ""},
		{"basalt", "a.md", "BASALT-ENC-1\n{}\n", "basalt"},
		{"basalt with CRLF", "a.md", "BASALT-ENC-1\r\n{}\r\n", "basalt"},
		{"basalt of a version that we do not know", "a.md", "BASALT-ENC-92\n{}\n", "basalt"},
		{"basalt, cut off", "a.md", "BASALT-ENC-1", "basalt"},
		{"basalt after properties", "a.md", "---\nid: 1\n---\n\nBASALT-ENC-1\n{}\n", "basalt"},
		{"basalt after a byte order mark", "a.md", "\uFEFFBASALT-ENC-1\n{}\n", "basalt"},
		{"basalt after a blank is plain", "a.md", " BASALT-ENC-1\n{}\n", ""},
		{"basalt in a fence is plain", "a.md", "```\nBASALT-ENC-1\n```\n", ""},
		{"a sentence about basalt is plain", "a.md", "BASALT-ENC-1 is a marker.\n", ""},
		{"basalt further down is plain", "a.md", "Look:\nBASALT-ENC-1\n", ""},
		{"basalt after properties that do not end is plain", "a.md", "---\nid: 1\nBASALT-ENC-1\n", ""},
		{"age", "a.md", age, "age"},
		{"age of another version", "a.md", strings.Replace(age, "v1", "v3", 1), "age"},
		{"age, cut off", "a.md", "age-encryption.org/v1", "age"},
		{"prose below the line of age is plain", "a.md", "age-encryption.org/v1\nis the first line of an age file.\n", ""},
		{"age in armour", "a.md", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n", "age"},
		{"openpgp", "a.md", pgp, "openpgp"},
		{"openpgp that is quoted is plain", "a.md", "> " + pgp, ""},
		{"rclone", "a.md", "RCLONE\x00\x00" + strings.Repeat("\x9a", 40), "rclone"},
		{"a note about rclone is plain", "a.md", "RCLONE is a tool.\n", ""},
		{"openssl", "a.md", salted, "openssl"},
		{"openssl, cut off", "a.md", salted[:12], "openssl"},
		{"a note about openssl is plain", "a.md", "Salted__ is how such files begin.\n", ""},
		{"openssl in base64", "a.md", "U2FsdGVkX18AAAAAAAAAAA==\n", "openssl"},
		{"openssl in base64 with prose is plain", "a.md", "U2FsdGVkX18 is how such files begin.\n", ""},
		{"meld", "a.md", meld, "meld"},
		{"meld of another version", "a.md", strings.Replace(meld, "2.0", "9.9", 1), "meld"},
		{"meld, cut off", "a.md", meld[:len(meld)-4], "meld"},
		{"meld by its extension", "a.mdenc", "anything", "meld"},
		{"other JSON is plain", "a.md", `{"version":"2.0"}`, ""},
		{"git-crypt", "a.md", "\x00GITCRYPT\x00abc", "git-crypt"},
		{"ansible-vault", "a.md", "$ANSIBLE_VAULT;1.1;AES256\n3930\n", "ansible-vault"},
		{"git-lfs", "a.md", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git-lfs"},
		{"sops", "a.md", "key: ENC[AES256_GCM,data:x]\nb: c\nsops:\n  age: []\n", "sops"},
		{"livesync", "a.md", "%=" + strings.Repeat("QUJD", 20) + "\n", "livesync"},
		{"exactly 4 KiB of text is plain", "a.md", strings.Repeat("text ", 820)[:4096], ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Encrypted(Path(tt.path), []byte(tt.body))
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Encrypted(%q) = %q, %v, want %q", tt.path, got, ok, tt.want)
			}
		})
	}
}
