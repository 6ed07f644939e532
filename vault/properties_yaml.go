package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// cleanText reports whether text is valid UTF-8 without control characters, odd line breaks and a stray byte order mark.
func cleanText(text []byte) bool {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < ' ' && r != '\t', r >= 0x7F && r < 0xA0, r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
			return false
		}
		i += n
	}
	return true
}

// readYAML reads a block that has passed the guard. It decodes into nodes, never into maps, whose check for duplicate keys takes
// quadratic time, and gives scalars their types itself, so that dates and long numbers keep their spelling.
func readYAML(block []byte) (Properties, *badFrontmatter) {
	var doc yaml.Node
	if err := yaml.Unmarshal(block, &doc); err != nil {
		if ps, ok := readJSON(block); ok {
			return ps, nil
		}
		return nil, yamlReason(err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &badFrontmatter{max(1, root.Line), "the properties are not a list of keys with values"}
	}
	v, bad := nodeValue(root, 0)
	if bad != nil {
		return nil, bad
	}
	return v.(Properties), nil
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): `)

func yamlReason(err error) *badFrontmatter {
	bad := &badFrontmatter{line: 1, reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			bad.line = max(1, n)
		}
		bad.reason = strings.TrimSpace(err.Error()[len(m[0]):])
	}
	bad.reason = "not valid YAML: " + EscapeHidden(strings.ToValidUTF8(bad.reason, "?"))
	return bad
}

func nodeValue(n *yaml.Node, depth int) (any, *badFrontmatter) {
	if depth > maxYAMLDepth {
		return nil, &badFrontmatter{max(1, n.Line), fmt.Sprintf("the properties are nested deeper than %d levels", maxYAMLDepth)}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str" {
			return n.Value, nil
		}
		return plainValue(n.Value), nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, bad := nodeValue(c, depth+1)
			if bad != nil {
				return nil, bad
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		ps := make(Properties, 0, len(n.Content)/2)
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				return nil, &badFrontmatter{max(1, k.Line), "a key is not text; an unfilled {{placeholder}} reads like that"}
			}
			if seen[k.Value] {
				return nil, &badFrontmatter{max(1, k.Line), fmt.Sprintf("the property %q is there twice", k.Value)}
			}
			seen[k.Value] = true
			v, bad := nodeValue(n.Content[i+1], depth+1)
			if bad != nil {
				return nil, bad
			}
			ps = append(ps, Property{Key: k.Value, Value: v})
		}
		return ps, nil
	}
	return nil, &badFrontmatter{max(1, n.Line), "anchors and aliases (&name, *name) are not read in properties"}
}

// readJSON reads a JSON object that YAML stumbles over (it may be indented with tabs).
func readJSON(block []byte) (Properties, bool) {
	if trimmed := bytes.TrimSpace(block); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(trimmed) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(block))
	d.UseNumber()
	v, err := jsonValue(d, 0)
	ps, ok := v.(Properties)
	return ps, err == nil && ok
}

var errDeep = errors.New("nested too deep, or a key twice")

func jsonValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil || depth > maxYAMLDepth {
		return nil, errors.Join(err, errDeep)
	}
	switch t := t.(type) {
	case json.Number:
		if v, ok := number(string(t)); ok {
			return v, nil
		}
		return t, nil
	case json.Delim:
		var list = []any{}
		var ps Properties
		seen := map[string]bool{}
		for d.More() {
			key := ""
			if t == '{' {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				if key = k.(string); seen[key] {
					return nil, errDeep
				}
				seen[key] = true
			}
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			ps = append(ps, Property{Key: key, Value: v})
		}
		if _, err := d.Token(); err != nil && err != io.EOF {
			return nil, err
		}
		if t == '[' {
			return list, nil
		}
		return ps, nil
	}
	return t, nil
}
