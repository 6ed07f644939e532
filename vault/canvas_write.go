package vault

import (
	"bytes"
	"strconv"
)

// Encode writes the canvas as its editors do: one node or edge a line. What was read and not changed is written as it was read: ids,
// unknown keys, their order, and numbers in their spelling.
func (c *Canvas) Encode() []byte {
	var b bytes.Buffer
	b.WriteString("{")
	wrote := map[string]bool{}
	key := func(name string) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t")
		b.Write(jsonQuote(name))
		b.WriteByte(':')
	}
	for _, m := range c.members {
		switch {
		case m.key != "nodes" && m.key != "edges":
			key(m.key)
			b.Write(m.raw)
		case !wrote[m.key]:
			wrote[m.key] = true
			key(m.key)
			c.list(&b, m.key)
		}
	}
	for _, name := range []string{"nodes", "edges"} {
		if n := map[string]int{"nodes": len(c.Nodes), "edges": len(c.Edges)}[name]; n > 0 && !wrote[name] {
			key(name)
			c.list(&b, name)
		}
	}
	if b.Len() > 1 {
		b.WriteByte('\n')
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (c *Canvas) list(b *bytes.Buffer, name string) {
	b.WriteByte('[')
	separate := func(i int) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t\t")
	}
	n := 0
	if name == "nodes" {
		for i := range c.Nodes {
			separate(i)
			fields := c.Nodes[i].fields()
			writeItem(b, c.Nodes[i].opaque, c.Nodes[i].members, fields[:])
		}
		n = len(c.Nodes)
	} else {
		for i := range c.Edges {
			separate(i)
			fields := c.Edges[i].fields()
			writeItem(b, c.Edges[i].opaque, c.Edges[i].members, fields[:])
		}
		n = len(c.Edges)
	}
	if n > 0 {
		b.WriteString("\n\t")
	}
	b.WriteByte(']')
}

// writeItem writes a node or an edge: the members that were read, in their order, then what is new.
func writeItem(b *bytes.Buffer, opaque []byte, members []member, fields []canvasField) {
	if opaque != nil {
		b.Write(opaque)
		return
	}
	last := make(map[string]int, len(members)) // of a key that stands twice, the last counts
	for i, m := range members {
		last[m.key] = i
	}
	b.WriteByte('{')
	first := true
	put := func(key string, value []byte) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.Write(jsonQuote(key))
		b.WriteByte(':')
		b.Write(value)
	}
	for i, m := range members {
		raw := []byte(m.raw)
		for _, f := range fields {
			if f.key == m.key && last[m.key] == i && !f.equals(raw) {
				raw = f.value()
			}
		}
		put(m.key, raw)
	}
	for _, f := range fields {
		if _, had := last[f.key]; !had && (f.must && members == nil || !f.empty()) {
			put(f.key, f.value())
		}
	}
	b.WriteByte('}')
}

func (f canvasField) equals(raw []byte) bool {
	if f.text != nil {
		return *f.text == jsonText(raw)
	}
	return *f.number == jsonNumber(raw)
}

func (f canvasField) empty() bool {
	if f.text != nil {
		return *f.text == ""
	}
	return *f.number == 0
}

func (f canvasField) value() []byte {
	if f.text != nil {
		return jsonQuote(*f.text)
	}
	return strconv.AppendFloat(nil, *f.number, 'f', -1, 64)
}
