package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/notelatch/notelatch/vault"
	"github.com/notelatch/notelatch/vault/plan"
)

// Ref names a note to read: a path, or a link text or an alias of it.
type Ref string

// Folder names a folder; the zero Folder is the whole vault.
type Folder string

// Scalar is a string that may be written as a number or a boolean.
type Scalar string

// Enumerations of arguments. Their values are in enums.
type (
	Sort      string
	Direction string
	LinkKind  string
	Filter    string
	WriteMode string
	EventKind string
)

// enums lists the values of the enumerations, in the order in which they are shown.
func enums(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Sort]():
		return []string{"relevance", "modified", "created", "path", "title"}
	case reflect.TypeFor[Direction]():
		return []string{"incoming", "outgoing", "both"}
	case reflect.TypeFor[LinkKind]():
		return []string{"wikilink", "embed", "markdown", "property", "canvas"}
	case reflect.TypeFor[Filter]():
		return []string{"orphans", "unresolved"}
	case reflect.TypeFor[EventKind]():
		return []string{"note_created", "note_changed", "note_deleted", "note_moved", "note_restored",
			"vault_mapped", "writes_enabled", "writes_disabled"}
	case reflect.TypeFor[SchemaPart]():
		return []string{"keys", "tags", "folders", "stats"}
	case reflect.TypeFor[WriteMode]():
		return []string{string(plan.Create), string(plan.Append), string(plan.CreateOrAppend)}
	case reflect.TypeFor[plan.Kind]():
		names := make([]string, 0, len(plan.Kinds()))
		for _, k := range plan.Kinds() {
			names = append(names, string(k))
		}
		return names
	}
	return nil
}

type kind string

const (
	kindAny     kind = ""
	kindObject  kind = "object" // a struct: closed
	kindMap     kind = "map"    // an object with any names
	kindArray   kind = "array"
	kindString  kind = "string"
	kindBoolean kind = "boolean"
	kindInteger kind = "integer"
	kindNumber  kind = "number"
	kindScalar  kind = "scalar"
	kindTime    kind = "time"
)

// schema is what may stand at one place of the arguments. It is made from a Go type once, printed as JSON Schema, and followed
// by decode.
type schema struct {
	kind     kind
	enum     []string
	rule     rule
	fields   []field
	byName   map[string]int // of fields
	synonyms []synonym      // that mean one of fields
	elem     *schema        // of an array or map
	clean    cleaner        // for strings that are more than text; may be nil
}

// cleaner checks a string and says, if it took it for another one, why.
type cleaner func(s string) (taken string, why string, err error)

type field struct {
	name     string
	about    string
	index    []int
	required bool
	schema   *schema
}

// rule is what a field's "rule" tag says, as in `rule:"min=1,max=50,default=10"`. For strings and arrays min and max bound
// the length. Limits with an error code of their own do not stand here: the tool checks them.
type rule struct {
	min, max *int64
	def      any // string, bool or int64; nil is none
}

func parseRule(tag string, k kind) rule {
	var r rule
	if tag == "" {
		return r
	}
	for part := range strings.SplitSeq(tag, ",") {
		name, text, _ := strings.Cut(part, "=")
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case name == "min" && err == nil:
			r.min = &n
		case name == "max" && err == nil:
			r.max = &n
		case name == "default" && k == kindInteger && err == nil:
			r.def = n
		case name == "default" && k == kindBoolean:
			r.def = text == "true"
		case name == "default" && k == kindString:
			r.def = text
		default:
			panic(fmt.Sprintf("tools: the rule %q says nothing for a %s", part, k))
		}
	}
	return r
}

// schemaOf makes the schema of a Go type. A type that arguments cannot have is a bug, and panics at start-up.
func schemaOf(t reflect.Type) *schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		return &schema{kind: kindTime}
	case reflect.TypeFor[Scalar]():
		return &schema{kind: kindScalar}
	case reflect.TypeFor[Ref]():
		return &schema{kind: kindString, clean: cleanRef}
	case reflect.TypeFor[Folder]():
		return &schema{kind: kindString, clean: cleanFolder}
	case reflect.TypeFor[vault.Path]():
		return &schema{kind: kindString, clean: cleanPath}
	}
	switch t.Kind() {
	case reflect.Struct:
		return structSchema(t)
	case reflect.Map:
		return &schema{kind: kindMap, elem: schemaOf(t.Elem())}
	case reflect.Slice:
		return &schema{kind: kindArray, elem: schemaOf(t.Elem())}
	case reflect.String:
		return &schema{kind: kindString, enum: enums(t)}
	case reflect.Bool:
		return &schema{kind: kindBoolean}
	case reflect.Int, reflect.Int64:
		return &schema{kind: kindInteger}
	case reflect.Float64:
		return &schema{kind: kindNumber}
	case reflect.Interface:
		return &schema{kind: kindAny}
	}
	panic(fmt.Sprintf("tools: no schema for the type %s", t))
}

func structSchema(t reflect.Type) *schema {
	s := &schema{kind: kindObject, byName: make(map[string]int)}
	for _, f := range reflect.VisibleFields(t) {
		name, required, ok := jsonName(f)
		if !ok {
			continue
		}
		fs := schemaOf(f.Type)
		fs.rule = parseRule(f.Tag.Get("rule"), fs.kind)
		s.byName[name] = len(s.fields)
		s.fields = append(s.fields, field{name: name, about: f.Tag.Get("jsonschema"), index: f.Index, required: required, schema: fs})
	}
	for _, syn := range synonyms {
		_, own := s.byName[syn.from]
		if _, has := s.byName[syn.to]; has && !own {
			s.synonyms = append(s.synonyms, syn)
		}
	}
	return s
}

// jsonName is the name of a field in JSON and whether it must be there. Embedded structs are followed by VisibleFields.
func jsonName(f reflect.StructField) (name string, required, ok bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
		return "", false, false
	}
	return name, !strings.Contains(options, "omit"), true
}

// MarshalJSON prints the schema as JSON Schema 2020-12, with its properties in the order of the Go type.
func (s *schema) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	s.print(&b, "")
	return b.Bytes(), nil
}

func (s *schema) print(b *bytes.Buffer, about string) {
	b.WriteByte('{')
	switch s.kind {
	case kindAny:
	case kindMap:
		b.WriteString(`"type":"object"`)
	case kindTime:
		b.WriteString(`"type":"string","format":"date-time"`)
	case kindScalar:
		b.WriteString(`"type":["string","number","boolean"]`)
	default:
		b.WriteString(`"type":"` + string(s.kind) + `"`)
	}
	if about != "" {
		member(b, "description", about)
	}
	if s.enum != nil {
		member(b, "enum", s.enum)
	}
	low, high := "minimum", "maximum"
	switch s.kind {
	case kindString:
		low, high = "minLength", "maxLength"
	case kindArray:
		low, high = "minItems", "maxItems"
	}
	if s.rule.min != nil {
		member(b, low, *s.rule.min)
	}
	if s.rule.max != nil {
		member(b, high, *s.rule.max)
	}
	if s.rule.def != nil {
		member(b, "default", s.rule.def)
	}
	switch {
	case s.kind == kindArray:
		b.WriteString(`,"items":`)
		s.elem.print(b, "")
	case s.kind == kindMap && s.elem.kind != kindAny:
		b.WriteString(`,"additionalProperties":`)
		s.elem.print(b, "")
	case s.kind == kindObject:
		s.printFields(b)
	}
	b.WriteByte('}')
}

func (s *schema) printFields(b *bytes.Buffer) {
	var required []string
	b.WriteString(`,"properties":{`)
	for i, f := range s.fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(f.name))
		b.WriteByte(':')
		f.schema.print(b, f.about)
		if f.required {
			required = append(required, f.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		member(b, "required", required)
	}
	member(b, "additionalProperties", false)
}

// member appends `,"name":value`, or without the comma at the start of an object.
func member(b *bytes.Buffer, name string, value any) {
	if p := b.Bytes(); len(p) > 0 && p[len(p)-1] != '{' {
		b.WriteByte(',')
	}
	b.WriteString(`"` + name + `":`)
	b.Write(encode(value))
}

// encode is JSON without the escaping of <, > and &, which would only make note text longer and uglier. It panics on what has
// no JSON, which no input can cause.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("tools: %T has no JSON: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// outputSchema tells the stable top-level fields of an answer, undescribed and open.
func outputSchema(t reflect.Type) json.RawMessage {
	var b bytes.Buffer
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	first := true
	for _, f := range reflect.VisibleFields(t) {
		name, must, ok := jsonName(f)
		if !ok {
			continue
		}
		must = must && !behindPointer(t, f.Index)
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(&b, `%q:{"type":%s}`, name, jsonTypes(f.Type, must))
		if must {
			required = append(required, name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		member(&b, "required", required)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// behindPointer reports whether a field is promoted through a pointer, so that it may be missing.
func behindPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// jsonTypes is the JSON Schema type of a Go type; one that can be null and is always there says so.
func jsonTypes(t reflect.Type, must bool) string {
	null := false
	for t.Kind() == reflect.Pointer {
		t, null = t.Elem(), must
	}
	name := "object"
	switch {
	case t == reflect.TypeFor[time.Time]() || t.Kind() == reflect.String:
		name = "string"
	case t == reflect.TypeFor[vault.Properties]():
	case t.Kind() == reflect.Slice:
		name = "array"
	case t.Kind() == reflect.Bool:
		name = "boolean"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		name = "integer"
	case t.Kind() == reflect.Float64:
		name = "number"
	}
	if null {
		return `["` + name + `","null"]`
	}
	return `"` + name + `"`
}
