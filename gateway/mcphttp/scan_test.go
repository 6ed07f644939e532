package mcphttp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzDecodeBody(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,-0.5e+3,true,null,"\u00e9\n"]},"_meta":{"k":1}}}`,
		`[{"jsonrpc":"2.0","id":"a","method":"ping"},4]`, `{"a":1,"a":2}`, `{"a\u0062":1,"ab":2}`, `{"id":12`, `{"id":1,"id":2}`,
		`{"k":"` + "\xff" + `"}`, `{"k":"\ud800"}`, `01`, `-`, `1.`, `1e`, `"\x"`, `"` + "\x01" + `"`, ` [ ] `, `{"a":1,}`, `[1 2]`, `nul`,
		strings.Repeat("[", 70) + strings.Repeat("]", 70), `{"k":` + strings.Repeat(`{"k":`, 63) + `1` + strings.Repeat("}", 64),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := scanner{data: body}
		value, err := s.value(1, nil)
		s.space()
		whole := err == nil && s.pos == len(body)
		valid := json.Valid(body) && utf8.Valid(body)
		if whole && s.fault == nil && !valid {
			t.Errorf("accepted %q, which is not JSON in UTF-8", body)
		}
		if valid && !whole && s.fault == nil {
			t.Errorf("refused %q: %v", body, err)
		}
		if whole && !bytes.Equal(bytes.TrimSpace(body), value) {
			t.Errorf("the value of %q is %q", body, value)
		}
		msgs, _, id, fault := decodeBody(body)
		if (fault == nil) == (len(msgs) == 0) {
			t.Errorf("%q has %d messages and the fault %v", body, len(msgs), fault)
		}
		for _, m := range msgs {
			if m.id != nil && !json.Valid(m.id) {
				t.Errorf("the id %q of %q is not JSON", m.id, body)
			}
			if m.params != nil && !json.Valid(m.params) {
				t.Errorf("the params %q of %q are not JSON", m.params, body)
			}
			if m.fault == nil && !m.answer && m.method == "" && m.top.get("method") == nil {
				t.Errorf("%q passed without a method", body)
			}
		}
		if id != nil && !json.Valid(id) {
			t.Errorf("the id %q of %q is not JSON", id, body)
		}
		prefixID(body)
	})
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f", "<b>&amp;</b>", "é𝄞\u2028", "\xff\xfea\xc3", "\xe2\x82"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var back string
		quoted := appendString(nil, text)
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Fatalf("%q became %q: %v", text, quoted, err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && back != want {
			t.Errorf("%q came back as %q", text, back)
		}
		if got := unquote(quoted); string(got) != back {
			t.Errorf("unquote(%q) = %q, want %q", quoted, got, back)
		}
	})
}

func TestDuplicateKeysAmongMany(t *testing.T) {
	object := func(last string) []byte {
		var b bytes.Buffer
		for i := range 3 * manyKeys {
			b.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
		}
		return []byte("{" + b.String()[1:] + `,"` + last + `":0}`)
	}
	for last, twice := range map[string]bool{"k": true, "kxxx": true, "other": false} {
		s := scanner{data: object(last)}
		if _, err := s.value(1, nil); err != nil || (s.fault != nil) != twice {
			t.Errorf("with the key %q: error %v, fault %v", last, err, s.fault)
		}
	}
}
