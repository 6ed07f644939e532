package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse compares parse with encoding/json: what parse takes means the same, and what it refuses beyond encoding/json has a reason.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1,"b":[true,false,null,"x\u00e9\n"],"c":{"d":-1.5e3}}`, ` [ ] `, `"\ud800"`, `"\"`, `{"a":1,"a":2}`, "\"\xff\"", `01`, `1.`, `-`, `1e5`, `tru`, `truex`,
		`{"a"}`, `[1,]`, `{,}`, `"` + "\x01" + `"`, strings.Repeat("[", 40) + strings.Repeat("]", 40), `9007199254740993`, `{"a":1}x`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parse(text)
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		valid := json.Valid(text)
		if valid {
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case err == nil && !valid:
			t.Fatalf("parse(%q) = %v, but it is not JSON", text, got)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Fatalf("parse(%q) = %v, want %v", text, got, want)
		case err != nil && valid:
			reasons := []string{"twice", "deeper", "UTF-8"}
			for _, r := range reasons {
				if strings.Contains(err.Error(), r) {
					return
				}
			}
			if len(text) < 64 {
				t.Fatalf("parse(%q): %v, but it is JSON", text, err)
			}
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Fatalf("parse(%q): the message is not UTF-8", text)
		}
	})
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	for text, want := range map[string]any{
		"9007199254740993": int64(9007199254740993), "-9223372036854775808": int64(-9223372036854775808),
		"18446744073709551616": json.Number("18446744073709551616"), "1.5": 1.5, "1e3": 1000.0,
	} {
		v, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Errorf("plain(%s) = %v (%T), want %v (%T)", text, got, got, want, want)
		}
	}
}
