package tools

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/notelatch/notelatch/vault"
)

const (
	cursorLife = 24 * time.Hour
	macSize    = 16
	maxCursor  = 8 << 10 // characters
)

// cursor is what a cursor carries: enough to go on without any other argument.
type cursor struct {
	Expires  int64           `json:"e"` // Unix seconds
	Position int64           `json:"p"`
	Args     json.RawMessage `json:"a"`
}

// seal makes a cursor: opaque, and good for this account and this tool alone.
func (inv *Inventory) seal(account, tool string, args map[string]any, position int64) string {
	payload := encode(cursor{Expires: inv.now().Add(cursorLife).Unix(), Position: position, Args: encode(args)})
	return base64.RawURLEncoding.EncodeToString(append(inv.mac(account, tool, payload), payload...))
}

// unseal is the inverse of seal. Whatever is wrong with a cursor, the answer is the same.
func (inv *Inventory) unseal(account, tool, text string) (map[string]any, int64, error) {
	invalid := vault.Errorf(vault.InvalidCursor, "this cursor is not valid for this call, or has expired").
		Next("Call " + tool + " again without cursor, and go on from there.")
	if len(text) > maxCursor {
		return nil, 0, invalid
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < macSize || !hmac.Equal(raw[:macSize], inv.mac(account, tool, raw[macSize:])) {
		return nil, 0, invalid
	}
	var c cursor
	if err := json.Unmarshal(raw[macSize:], &c); err != nil || c.Expires < inv.now().Unix() {
		return nil, 0, invalid
	}
	args, err := parse(c.Args)
	m, ok := args.(map[string]any)
	if err != nil || !ok {
		return nil, 0, invalid
	}
	return m, c.Position, nil
}

func (inv *Inventory) mac(account, tool string, payload []byte) []byte {
	h := hmac.New(sha256.New, inv.key)
	h.Write([]byte("cursor 1\x00" + account + "\x00" + tool + "\x00"))
	h.Write(payload)
	return h.Sum(nil)[:macSize]
}
