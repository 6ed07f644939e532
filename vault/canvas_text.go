package vault

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName     = 60       // characters of what an edge calls a node
	maxCard     = 32 << 10 // bytes of one card's text
	maxIndent   = 16       // levels of list items that are told apart
	lowestLevel = 6        // of headings
	topLevel    = 2        // of the outermost groups: a heading of level 1 is the whole's own
)

// outliner writes an outline up to its limits. What does not fit is counted.
type outliner struct {
	*tree
	options OutlineOptions
	most    int
	out     strings.Builder
	scan    scanner // for one card after the other
	result  Outline
	full    bool
}

func (w *outliner) write(from int) Outline {
	w.result.Groups = []OutlineGroup{}
	if from == root {
		w.count(root)
		w.result.Edges += len(w.edges[root])
		w.inside(root, 1, 0)
		w.dangling()
	} else {
		w.result.Nodes++
		w.result.Edges += len(w.edges[from])
		w.result.Groups = append(w.result.Groups, OutlineGroup{})
		w.result.Groups[0] = OutlineGroup{w.c.Nodes[from].ID, oneLine(w.c.Nodes[from].Label, maxName), w.count(from)}
		w.group(from, topLevel, 0)
	}
	r := &w.result
	if r.Truncated = r.ShownNodes < r.Nodes || r.ShownEdges < r.Edges; r.Truncated {
		fmt.Fprintf(&w.out, "\nTruncated: %d of %d cards and groups, and %d of %d edges are shown.\n", r.ShownNodes, r.Nodes, r.ShownEdges, r.Edges)
	}
	r.Markdown = w.out.String()
	return *r
}

// count counts what lies inside, and lists the groups.
func (w *outliner) count(at int) int {
	inside := 0
	for _, i := range w.children[at] {
		inside++
		w.result.Nodes++
		w.result.Edges += len(w.edges[i])
		if w.c.Nodes[i].Type == "group" {
			k := len(w.result.Groups)
			w.result.Groups = append(w.result.Groups, OutlineGroup{ID: w.c.Nodes[i].ID, Label: oneLine(w.c.Nodes[i].Label, maxName)})
			n := w.count(i)
			w.result.Groups[k].Nodes = n
			inside += n
		}
	}
	return inside
}

// inside writes what lies in a group whose heading has a level: its cards, then the groups in it, so that no card comes to stand below
// the heading of a group that it is not in. Below the lowest level groups are list items, and stand where they are read.
func (w *outliner) inside(at, level, indent int) {
	headings := level < lowestLevel
	for _, i := range w.children[at] {
		switch group := w.c.Nodes[i].Type == "group"; {
		case w.full:
			return
		case !group:
			w.card(i, level, indent)
		case !headings:
			w.group(i, level+1, indent)
		}
	}
	for _, i := range w.children[at] {
		if headings && !w.full && w.c.Nodes[i].Type == "group" {
			w.group(i, level+1, indent)
		}
	}
}

func (w *outliner) group(i, level, indent int) {
	name := cmp.Or(oneLine(w.c.Nodes[i].Label, maxName), "Group")
	if w.ambiguous(i) {
		name += " (#" + oneLine(w.c.Nodes[i].ID, maxName) + ")"
	}
	if level <= lowestLevel {
		lead := ""
		if s := w.out.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
			lead = "\n"
		}
		if !w.node(lead + strings.Repeat("#", level) + " " + name + "\n\n") {
			return
		}
	} else if !w.node(item("**"+name+"**", indent)) {
		return
	} else {
		indent++
	}
	w.edgesOf(i, indent)
	w.inside(i, level, indent)
}

func (w *outliner) card(i, level, indent int) {
	if w.node(item(w.content(i, level), indent)) {
		w.edgesOf(i, indent+1)
	}
}

// node writes one node, if the limits allow.
func (w *outliner) node(text string) bool {
	if w.full = w.full || w.result.ShownNodes >= MaxOutlineNodes || w.out.Len()+len(text) > w.most; w.full {
		return false
	}
	w.out.WriteString(text)
	w.result.ShownNodes++
	return true
}

func (w *outliner) edge(text string) bool {
	if w.result.ShownEdges >= MaxOutlineEdges || w.out.Len()+len(text) > w.most {
		return false
	}
	w.out.WriteString(text)
	w.result.ShownEdges++
	return true
}

func (w *outliner) edgesOf(i, indent int) {
	for _, k := range w.edges[i] {
		e := &w.c.Edges[k]
		if !w.edge(item(e.arrow()+w.called(w.index[e.ToNode]), indent)) {
			return
		}
	}
}

// dangling writes the edges that lead to or from nowhere.
func (w *outliner) dangling() {
	for k, i := range w.edges[root] {
		e := &w.c.Edges[i]
		text := item(w.end(e.FromNode)+" "+e.arrow()+w.end(e.ToNode), 0)
		if k == 0 {
			text = "\nDangling edges:\n\n" + text
		}
		if !w.edge(text) {
			return
		}
	}
}

func (w *outliner) end(id string) string {
	if i, ok := w.index[id]; ok {
		return w.called(i)
	}
	return "missing (#" + oneLine(id, maxName) + ")"
}

// arrow is an edge's sign, with its label.
func (e *CanvasEdge) arrow() string {
	begins, ends := e.FromEnd == "arrow", e.ToEnd != "none"
	sign := map[[2]bool]string{{false, true}: "→ ", {true, true}: "↔ ", {true, false}: "← ", {false, false}: "— "}[[2]bool{begins, ends}]
	if label := oneLine(e.Label, 2*maxName); label != "" {
		sign += "(" + label + ") "
	}
	return sign
}

// called is what edges call a node: its text, path or address, and its id where others are called the same.
func (w *outliner) called(i int) string {
	name := w.name(i)
	if w.c.Nodes[i].Type == "group" {
		name = "group **" + name + "**"
	}
	if w.ambiguous(i) {
		name += " (#" + oneLine(w.c.Nodes[i].ID, maxName) + ")"
	}
	return name
}

func (w *outliner) name(i int) string {
	if w.names[i] != "" {
		return w.names[i]
	}
	n := &w.c.Nodes[i]
	name := ""
	switch n.Type {
	case "text":
		for line := range strings.Lines(n.Text) {
			if name = oneLine(plainHeading(strings.TrimRight(strings.TrimLeft(line, "#>*-+ \t`~"), " \t\r\n`~")), maxName); name != "" {
				break
			}
		}
		name = cmp.Or(name, "empty card")
	case "file":
		name = n.fileLink()
	case "link":
		name = cmp.Or(oneLine(n.URL, 4*maxName), "link without address")
	case "group":
		name = cmp.Or(oneLine(n.Label, maxName), "Group")
	default:
		name = "unknown " + strconv.Quote(oneLine(n.Type, maxName))
	}
	w.names[i] = name
	return name
}

// ambiguous reports whether several nodes are called the same, and an edge touches one.
func (w *outliner) ambiguous(i int) bool {
	if w.shared == nil {
		w.shared = make(map[string]int)
		if len(w.c.Edges) > 0 {
			for k := range w.c.Nodes {
				if w.c.Nodes[k].shown() {
					w.shared[w.name(k)]++
				}
			}
		}
	}
	return w.shared[w.name(i)] > 1
}

func (n *CanvasNode) fileLink() string {
	path := oneLine(n.File, MaxPath)
	if path == "" {
		return "file card without a path"
	}
	return "[[" + path + oneLine(n.Subpath, MaxSegment) + "]]"
}

// content is what a card shows. level is that of the heading it stands below: its own headings are below that one.
func (w *outliner) content(i, level int) string {
	n := &w.c.Nodes[i]
	text := w.name(i)
	switch n.Type {
	case "text":
		if text = cardText(&w.scan, n.Text, level); text == "" {
			text = "(empty card)"
		}
		if w.ambiguous(i) {
			return "(#" + oneLine(n.ID, maxName) + ")\n" + text
		}
		return text
	case "file":
		if w.options.Excerpt != nil && n.File != "" {
			for line := range strings.Lines(strings.TrimSpace(w.options.Excerpt(n.File, n.Subpath))) {
				text += "\n> " + strings.TrimRight(line, "\r\n")
			}
		}
	}
	if w.ambiguous(i) {
		text += " (#" + oneLine(n.ID, maxName) + ")"
	}
	return text
}

// cardText is a card's text with its headings moved below level. A text that is cut ends its fence.
func cardText(s *scanner, text string, level int) string {
	text = strings.Trim(text, "\r\n")
	rest := 0
	if len(text) > maxCard {
		cut := text[:maxCard]
		if i := strings.LastIndexByte(cut, '\n'); i > 0 {
			cut = cut[:i]
		}
		cut = strings.ToValidUTF8(cut, "")
		rest = len(text) - len(cut)
		text = cut
	}
	n := scanText(s, []byte(text))
	var out strings.Builder
	last := 0
	for _, h := range n.Headings {
		out.WriteString(text[last:h.Start])
		out.WriteString(strings.Repeat("#", min(h.Level+level, lowestLevel)) + " " + oneLine(h.Raw, len(h.Raw)))
		last = h.End
	}
	out.WriteString(text[last:])
	if rest > 0 {
		if s.leaf.kind == leafFence {
			out.WriteString("\n" + string(bytes.Repeat([]byte{s.leaf.mark}, s.leaf.len)))
		}
		fmt.Fprintf(&out, "\n(%d more bytes)", rest)
	}
	return out.String()
}

// item makes a list item: every line but the first is indented so that it belongs to it.
func item(text string, indent int) string {
	lead := strings.Repeat("  ", min(indent, maxIndent))
	var out strings.Builder
	first := true
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case first:
			out.WriteString(lead + "- " + line)
		case strings.TrimSpace(line) == "":
		default:
			out.WriteString(lead + "  " + line)
		}
		out.WriteByte('\n')
		first = false
	}
	return out.String()
}

// oneLine is s in one line without control characters, cut to a number of characters.
func oneLine(s string, most int) string {
	const slack = 4 // bytes a character may have, and blanks that go away
	cut := len(s) > slack*most
	if cut {
		s = strings.ToValidUTF8(s[:slack*most], "")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(s) > most {
		r := []rune(s)
		return strings.TrimSpace(string(r[:most])) + "…"
	}
	if cut {
		s += "…"
	}
	return s
}
