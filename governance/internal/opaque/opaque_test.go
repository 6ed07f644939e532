package opaque

import (
	"bytes"
	"crypto/rand"
	"testing"
)

func TestIDsAreValidAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id, err := ID(rand.Reader, "map_")
		if err != nil || !Valid(id, "map_") || seen[id] {
			t.Fatalf("ID = %q, %v; valid %v, seen %v", id, err, Valid(id, "map_"), seen[id])
		}
		seen[id] = true
	}
	if id, err := ID(bytes.NewReader([]byte("short")), "map_"); err == nil {
		t.Errorf("ID from 5 bytes = %q, want an error", id)
	}
}

func TestValid(t *testing.T) {
	const good = "map_0123456789abcdefghjkmnpqrs"
	if !Valid(good, "map_") {
		t.Errorf("Valid(%q) = false", good)
	}
	for _, s := range []string{"", "map_", good[:29], good + "0", "acc_" + good[4:], "map_0123456789abcdefghijkmnpqr", "map_0123456789ABCDEFGHJKMNPQRS", "map_é123456789abcdefghjkmnpqr"} {
		if Valid(s, "map_") {
			t.Errorf("Valid(%q) = true", s)
		}
	}
}
