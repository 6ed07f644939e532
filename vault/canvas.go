package vault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// MaxCanvas is the most bytes of a canvas that ParseCanvas reads.
const MaxCanvas = 8 << 20

// ProblemCanvas is what is odd about a canvas: items that are no objects, ids that stand twice, edges that lead nowhere.
const ProblemCanvas = "canvas_invalid"

// Canvas is a JSON Canvas. It keeps what it does not know (keys, types, items), so that Encode writes it back, and refers to the bytes
// that were parsed: they must not change while it is used.
type Canvas struct {
	Nodes    []CanvasNode // in the order of the file, which is the order in depth
	Edges    []CanvasEdge
	Problems []Problem

	members []member // of the whole, nodes and edges among them without their value
}

// CanvasNode is one card or group. Numbers may be fractions, and sizes are never negative.
type CanvasNode struct {
	ID   string
	Type string // "text", "file", "link", "group"; others are kept

	X, Y, Width, Height float64
	Color               string

	Text       string // of a text card
	File       string // of a file card: a path in the vault
	Subpath    string // of a file card: "#Heading" or "#^block"
	URL        string // of a link card
	Label      string // of a group
	Background string // of a group: the path of a picture

	again   bool // its id was taken before: it is kept, and means nothing
	opaque  json.RawMessage
	members []member
}

// CanvasEdge is one line between two nodes.
type CanvasEdge struct {
	ID                 string
	FromNode, FromSide string
	FromEnd            string // "none" where it is ""
	ToNode, ToSide     string
	ToEnd              string // "arrow" where it is ""
	Color, Label       string
	opaque             json.RawMessage
	members            []member
}

// member is one key of an object, with its value as written.
type member struct {
	key string
	raw json.RawMessage
	at  int // offset of raw in what was parsed
}

// canvasField is a key that is known: one of text and number is set.
type canvasField struct {
	key    string
	text   *string
	number *float64
	must   bool // written even when it is empty
}

func (n *CanvasNode) fields() [13]canvasField {
	return [...]canvasField{
		{key: "id", text: &n.ID, must: true}, {key: "type", text: &n.Type, must: true},
		{key: "text", text: &n.Text}, {key: "file", text: &n.File}, {key: "subpath", text: &n.Subpath}, {key: "url", text: &n.URL},
		{key: "x", number: &n.X, must: true}, {key: "y", number: &n.Y, must: true},
		{key: "width", number: &n.Width, must: true}, {key: "height", number: &n.Height, must: true},
		{key: "color", text: &n.Color}, {key: "label", text: &n.Label}, {key: "background", text: &n.Background},
	}
}

func (e *CanvasEdge) fields() [9]canvasField {
	return [...]canvasField{
		{key: "id", text: &e.ID, must: true},
		{key: "fromNode", text: &e.FromNode, must: true}, {key: "fromSide", text: &e.FromSide}, {key: "fromEnd", text: &e.FromEnd},
		{key: "toNode", text: &e.ToNode, must: true}, {key: "toSide", text: &e.ToSide}, {key: "toEnd", text: &e.ToEnd},
		{key: "color", text: &e.Color}, {key: "label", text: &e.Label},
	}
}

// ParseCanvas reads a canvas. It refuses what is no JSON object, and what is larger than MaxCanvas; whatever else is wrong becomes a
// Problem. An empty file is an empty canvas.
func ParseCanvas(body []byte) (*Canvas, error) {
	if len(body) > MaxCanvas {
		return nil, Errorf(NoteTooLarge, "the canvas is %d bytes; at most %d are read", len(body), MaxCanvas).With("limit", MaxCanvas).
			Next("Split the canvas.")
	}
	c := &Canvas{}
	start := 0
	if bytes.HasPrefix(body, []byte("\uFEFF")) {
		start = len("\uFEFF")
	}
	if len(bytes.TrimSpace(body[start:])) == 0 {
		return c, nil
	}
	if err := checkJSON(body[start:]); err != nil {
		return nil, err
	}
	if start = jsonSpace(body, start); body[start] != '{' {
		return nil, Errorf(InvalidArgument, "a canvas is a JSON object with nodes and edges").Next("Give a JSON object.")
	}
	c.members = jsonMembers(body, start)
	for i := range c.members {
		switch m := &c.members[i]; m.key {
		case "nodes":
			c.readNodes(body, *m)
		case "edges":
			c.readEdges(body, *m)
		}
	}
	c.check(body)
	return c, nil
}

func checkJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	reason := "it ends too early"
	var any json.RawMessage
	if err, ok := json.Unmarshal(text, &any).(*json.SyntaxError); ok && err.Offset < int64(len(text)) {
		reason = "line " + strconv.Itoa(lineAt(text, int(err.Offset)))
	}
	return Errorf(InvalidArgument, "the canvas is not valid JSON: %s", reason).Next("Open the canvas in its editor, or give valid JSON.")
}

// readNodes reads the array; of two, the last counts.
func (c *Canvas) readNodes(body []byte, m member) {
	c.Nodes = nil
	jsonItems(body, m.at, func(at, end int) {
		c.Nodes = append(c.Nodes, CanvasNode{})
		n := &c.Nodes[len(c.Nodes)-1]
		if body[at] != '{' {
			n.opaque = body[at:end]
			return
		}
		n.members = jsonMembers(body, at)
		fields := n.fields()
		readFields(n.members, fields[:])
	})
}

func (c *Canvas) readEdges(body []byte, m member) {
	c.Edges = nil
	jsonItems(body, m.at, func(at, end int) {
		c.Edges = append(c.Edges, CanvasEdge{})
		e := &c.Edges[len(c.Edges)-1]
		if body[at] != '{' {
			e.opaque = body[at:end]
			return
		}
		e.members = jsonMembers(body, at)
		fields := e.fields()
		readFields(e.members, fields[:])
	})
}

func readFields(members []member, fields []canvasField) {
	for _, m := range members {
		for i := range fields {
			if fields[i].key == m.key {
				fields[i].read(m.raw)
				break
			}
		}
	}
}

// read takes a value of the right kind; another leaves the field empty.
func (f canvasField) read(raw []byte) {
	if f.text != nil {
		*f.text = jsonText(raw)
		return
	}
	*f.number = jsonNumber(raw)
}

// check finds what is odd, and marks nodes whose id is taken.
func (c *Canvas) check(body []byte) {
	const most = 20
	problem := func(members []member, format string, args ...any) {
		if len(c.Problems) < most {
			p := Problem{Code: ProblemCanvas, Message: fmt.Sprintf(format, args...)}
			if len(members) > 0 {
				p.Line = lineAt(body, members[0].at)
			}
			c.Problems = append(c.Problems, p)
		}
	}
	have := make(map[string]bool, len(c.Nodes))
	for i := range c.Nodes {
		switch n := &c.Nodes[i]; {
		case n.opaque != nil:
			problem(nil, "an item of nodes is no object")
		case n.ID != "" && have[n.ID]:
			n.again = true
			problem(n.members, "the id %s is taken by an earlier node", quotePath(n.ID))
		default:
			have[n.ID] = true
		}
	}
	for i := range c.Edges {
		switch e := &c.Edges[i]; {
		case e.opaque != nil:
			problem(nil, "an item of edges is no object")
		case !have[e.FromNode] || e.FromNode == "":
			problem(e.members, "an edge begins at the missing node %s", quotePath(e.FromNode))
		case !have[e.ToNode] || e.ToNode == "":
			problem(e.members, "an edge leads to the missing node %s", quotePath(e.ToNode))
		}
	}
}
