package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestDecoderAgreesWithThePublishedSchema throws arguments at each tool and asks jsonschema-go, which reads the published schema,
// whether they are valid. What it takes, the decoder takes; what it refuses, the decoder refuses, or it was a slip.
func TestDecoderAgreesWithThePublishedSchema(t *testing.T) {
	for _, tool := range all() {
		t.Run(tool.Name, func(t *testing.T) {
			var d struct {
				Input *jsonschema.Schema `json:"inputSchema"`
			}
			if err := json.Unmarshal(tool.Descriptor, &d); err != nil {
				t.Fatal(err)
			}
			oracle, err := d.Input.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, uint64(len(tool.Name))))
			valid := 0
			for range 800 {
				args := anyObject(r, tool.in, 0)
				text := encode(args)
				var plainArgs any
				if err := json.Unmarshal(text, &plainArgs); err != nil {
					t.Fatal(err)
				}
				verdict := oracle.Validate(plainArgs)
				parsed, err := parse(text)
				if err != nil {
					t.Fatal(err)
				}
				dec := &decoder{tool: tool.Name}
				in, err := tool.decode(dec, parsed.(map[string]any))
				slips := len(dec.understood) > 0 || dec.vaultName != ""
				switch {
				case err == nil && verdict != nil && !slips:
					t.Fatalf("%s is taken as %+v, but the schema says: %v", text, in, verdict)
				case err != nil && verdict == nil && !cleaned(tool.in, args):
					t.Fatalf("%s: %v, but the schema allows it", text, err)
				case err == nil && verdict == nil:
					valid++
				}
			}
			if valid < 100 {
				t.Errorf("only %d of the arguments were valid; the test proves little", valid)
			}
		})
	}
}

// cleaned reports whether arguments hold a value that code checks beyond the schema: a path or a time.
func cleaned(s *schema, x any) bool {
	switch x := x.(type) {
	case map[string]any:
		for name, y := range x {
			if i, ok := s.byName[name]; ok && cleaned(s.fields[i].schema, y) {
				return true
			}
		}
	case []any:
		for _, y := range x {
			if s.elem != nil && cleaned(s.elem, y) {
				return true
			}
		}
	case string:
		return s.clean != nil || s.kind == kindTime
	}
	return false
}

func anyObject(r *rand.Rand, s *schema, depth int) map[string]any {
	m := map[string]any{}
	for i := range s.fields {
		f := &s.fields[i]
		if f.required && r.IntN(20) > 0 || !f.required && r.IntN(3) == 0 {
			m[f.name] = anyValue(r, f.schema, depth+1)
		}
	}
	if r.IntN(30) == 0 {
		m["unknown"] = 1
	}
	return m
}

// anyValue is mostly of the kind that s wants.
func anyValue(r *rand.Rand, s *schema, depth int) any {
	if r.IntN(25) == 0 {
		return []any{true, 1, 1.5, "text", []any{}, map[string]any{}, -7, 1e30}[r.IntN(8)]
	}
	switch s.kind {
	case kindObject:
		return anyObject(r, s, depth)
	case kindMap:
		m := map[string]any{}
		for i := range r.IntN(3) {
			m[fmt.Sprintf("key%d", i)] = anyValue(r, s.elem, depth+1)
		}
		return m
	case kindArray:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, anyValue(r, s.elem, depth+1))
		}
		return list
	case kindBoolean:
		return r.IntN(2) == 0
	case kindInteger:
		return r.IntN(260) - 3
	case kindNumber:
		return r.Float64()
	case kindTime:
		return time.Unix(r.Int64N(1<<32), 0).UTC().Format(time.RFC3339)
	case kindString:
		if s.enum != nil && r.IntN(10) > 0 {
			return s.enum[r.IntN(len(s.enum))]
		}
		return []string{"", "a", "Projects/Alpha.md", "über/Öl.md", string(make([]byte, 0)), string(slices.Repeat([]rune{'é'}, r.IntN(2200)))}[r.IntN(6)]
	}
	return []any{"text", 1, true}[r.IntN(3)]
}

// TestOutputSchemaFollowsTheType guards the printer: every top-level field of an answer is there, once.
func TestOutputSchemaFollowsTheType(t *testing.T) {
	type inner struct {
		Own string `json:"own"`
	}
	type answer struct {
		*inner
		A string     `json:"a"`
		B *int       `json:"b"`
		C []string   `json:"c,omitempty"`
		D *time.Time `json:"d,omitempty"`
		e int
		Answer
	}
	const want = `{"type":"object","properties":{"own":{"type":"string"},"a":{"type":"string"},"b":{"type":["integer","null"]},"c":{"type":"array"},` +
		`"d":{"type":"string"},"message":{"type":"string"},"understood":{"type":"array"},"truncated":{"type":"boolean"},"bounds":{"type":"array"}},"required":["a","b"]}`
	if got := string(outputSchema(reflect.TypeOf(answer{e: 1}))); got != want {
		t.Errorf("outputSchema =\n%s\nwant\n%s", got, want)
	}
}
