package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ContractVersion names the state of the contract: it changes with every change of a name, an argument or an answer.
const ContractVersion = "1.0"

// lists precomputes the named sets, as JSON arrays of descriptors.
func lists(tools []*tool) map[string]json.RawMessage {
	sets := map[string]func(*tool) bool{
		"":          func(*tool) bool { return true },
		"core":      func(t *tool) bool { return t.Core },
		"knowledge": func(t *tool) bool { return t.Knowledge },
	}
	lists := make(map[string]json.RawMessage, len(sets))
	for name, in := range sets {
		var b bytes.Buffer
		b.WriteByte('[')
		for _, t := range tools {
			if !in(t) {
				continue
			}
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.Write(t.Descriptor)
		}
		b.WriteByte(']')
		lists[name] = b.Bytes()
	}
	return lists
}

// Manifest is the machine-readable contract, indented.
func (inv *Inventory) Manifest() []byte {
	var b bytes.Buffer
	text := encode(struct {
		Version string          `json:"contractVersion"`
		Tools   json.RawMessage `json:"tools"`
	}{ContractVersion, inv.lists[""]})
	if err := json.Indent(&b, text, "", "  "); err != nil {
		panic("tools: the manifest is not JSON: " + err.Error())
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Reference is the contract as a page for people, in Markdown.
func (inv *Inventory) Reference() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Tools\n\nGenerated from the Go types by `go test ./gateway/tools -update`. Contract version %s. The scope `mcp:write` includes `mcp:read`.\n", ContractVersion)
	for _, t := range inv.tools {
		var d struct {
			Description string          `json:"description"`
			Annotations map[string]bool `json:"annotations"`
			Output      struct {
				Properties json.RawMessage `json:"properties"`
			} `json:"outputSchema"`
		}
		if err := json.Unmarshal(t.Descriptor, &d); err != nil {
			panic("tools: a descriptor is not JSON: " + err.Error())
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nScope `%s`.", t.Name, d.Description, t.Scope)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "untrustedContentHint", "consequentialHint"} {
			fmt.Fprintf(&b, " `%s: %t`", hint, d.Annotations[hint])
		}
		b.WriteString("\n\n| argument | type | |\n|---|---|---|\n")
		t.in.rows(&b, "")
		fmt.Fprintf(&b, "\nAnswer: `%s`\n", strings.Join(topLevel(d.Output.Properties), "`, `"))
	}
	return b.Bytes()
}

// rows prints the arguments of an object, and of the objects in it.
func (s *schema) rows(b *bytes.Buffer, at string) {
	for _, f := range s.fields {
		name, text := at+f.name, f.about
		if f.required {
			text += " (required)"
		}
		if f.schema.rule.def != nil {
			text += fmt.Sprintf(" (default `%v`)", f.schema.rule.def)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, f.schema.word(), strings.ReplaceAll(text, "|", `\|`))
		switch f.schema.kind {
		case kindObject:
			f.schema.rows(b, name+".")
		case kindArray:
			f.schema.elem.rows(b, name+"[].")
		}
	}
}

// word is a schema in a few words.
func (s *schema) word() string {
	switch {
	case s.enum != nil:
		return "`" + strings.Join(s.enum, "`, `") + "`"
	case s.kind == kindArray && s.elem.enum != nil:
		return "array of " + s.elem.word()
	case s.kind == kindArray:
		return "array of " + s.elem.word() + "s"
	case s.kind == kindMap:
		return "object"
	}
	return string(s.kind)
}

// topLevel is the names of a JSON object, in their order.
func topLevel(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	var names []string
	depth := 0
	for {
		t, err := d.Token()
		if err != nil {
			return names
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 {
				names = append(names, t)
			}
		}
	}
}
