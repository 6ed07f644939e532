package vault

import (
	"cmp"
	"slices"
)

// Limits of an outline.
const (
	MaxOutline      = 256 << 10 // bytes of text
	MaxOutlineNodes = 500
	MaxOutlineEdges = 2000

	maxHolders = 2000  // groups that may hold others; the smallest further ones are shown without their cards
	maxPlaced  = 20000 // nodes whose group is looked for; further ones are in none
)

// OutlineOptions say what to put into an outline. The zero value is all of the canvas.
type OutlineOptions struct {
	Group   string                            // only this group: its id, or its label
	Most    int                               // bytes of text, if that is less than MaxOutline
	Excerpt func(file, subpath string) string // what to show of a file card's note; nil shows its path alone
}

// Outline is a canvas as Markdown, in the order in which a person reads it.
type Outline struct {
	Markdown     string
	Nodes, Edges int // of what was asked for, shown or not
	ShownNodes   int
	ShownEdges   int
	Groups       []OutlineGroup // in the order of reading, those that are not shown too
	Truncated    bool           // a limit was met
}

// OutlineGroup is one group of a canvas.
type OutlineGroup struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Nodes int    `json:"nodes"` // inside, at any depth
}

// Outline writes the canvas as Markdown: groups are headings, cards are list items, and each edge stands once, below where it begins.
// The same canvas gives the same bytes. A group that is asked for and not there is NotFound.
func (c *Canvas) Outline(o OutlineOptions) (Outline, error) {
	t := c.tree()
	from := root
	if o.Group != "" {
		i, ok := t.group(o.Group)
		if !ok {
			e := Errorf(NotFound, "the canvas has no group %s", quotePath(o.Group)).With("missing", "group")
			if names := t.groupNames(); len(names) > 0 {
				return Outline{}, e.With("groups", names).Next("Use one of details.groups, or leave group out.")
			}
			return Outline{}, e.Next("The canvas has no groups: leave group out.")
		}
		from = i
	}
	w := outliner{tree: t, options: o, most: MaxOutline}
	if o.Most > 0 {
		w.most = min(o.Most, MaxOutline)
	}
	return w.write(from), nil
}

// root stands for the canvas itself where an index of a node is wanted.
const root = -1

// tree is which card lies in which group, and in which order they are read.
type tree struct {
	c        *Canvas
	parent   []int         // by node; root for those in no group
	children map[int][]int // by node, in the order of reading
	index    map[string]int
	edges    map[int][]int // by node they begin at; those that lead to or from nowhere are below root
	names    []string      // what edges call a node; "" until asked for
	shared   map[string]int
}

func (c *Canvas) tree() *tree {
	t := &tree{c: c, parent: make([]int, len(c.Nodes)), children: make(map[int][]int), index: make(map[string]int, len(c.Nodes)),
		edges: make(map[int][]int), names: make([]string, len(c.Nodes))}
	var groups []int
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if !n.shown() {
			continue
		}
		if n.ID != "" {
			t.index[n.ID] = i
		}
		if n.Type == "group" {
			groups = append(groups, i)
		}
	}
	// The smallest comes first. Of two alike, the later lies on top, and is inside the other: so nothing holds itself.
	slices.SortFunc(groups, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.Nodes[a].area(), c.Nodes[b].area()), cmp.Compare(b, a))
	})
	place := make(map[int]int, len(groups))
	for k, i := range groups {
		place[i] = k
	}
	holders := groups[max(0, len(groups)-maxHolders):]
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if !n.shown() {
			continue
		}
		t.parent[i] = root
		k, grouped := place[i]
		for _, g := range holders {
			if i >= maxPlaced {
				break
			}
			if grouped && place[g] <= k {
				continue
			}
			if h := &c.Nodes[g]; grouped && h.holds(n) || !grouped && h.holdsCentre(n) {
				t.parent[i] = g
				break
			}
		}
		t.children[t.parent[i]] = append(t.children[t.parent[i]], i)
	}
	for _, list := range t.children {
		c.readingOrder(list)
	}
	for i := range c.Edges {
		if c.Edges[i].opaque != nil {
			continue
		}
		from, ok1 := t.index[c.Edges[i].FromNode]
		_, ok2 := t.index[c.Edges[i].ToNode]
		if !ok1 || !ok2 {
			from = root
		}
		t.edges[from] = append(t.edges[from], i)
	}
	return t
}

func (n *CanvasNode) shown() bool { return n.opaque == nil && !n.again }

// box is the node's place; a negative size reaches to the other side.
func (n *CanvasNode) box() (left, top, right, bottom float64) {
	return min(n.X, n.X+n.Width), min(n.Y, n.Y+n.Height), max(n.X, n.X+n.Width), max(n.Y, n.Y+n.Height)
}

func (n *CanvasNode) area() float64 {
	left, top, right, bottom := n.box()
	return (right - left) * (bottom - top)
}

func (n *CanvasNode) holds(o *CanvasNode) bool {
	l, t, r, b := n.box()
	l2, t2, r2, b2 := o.box()
	return l <= l2 && t <= t2 && r >= r2 && b >= b2
}

func (n *CanvasNode) holdsCentre(o *CanvasNode) bool {
	l, t, r, b := n.box()
	l2, t2, r2, b2 := o.box()
	x, y := l2+(r2-l2)/2, t2+(b2-t2)/2
	return l <= x && x <= r && t <= y && y <= b
}

// readingOrder sorts nodes of one container: from the top in rows, and each row from the left. A node joins the row when its middle
// lies above the bottom of the row's first node.
func (c *Canvas) readingOrder(list []int) {
	left := func(i int) float64 { l, _, _, _ := c.Nodes[i].box(); return l }
	top := func(i int) float64 { _, t, _, _ := c.Nodes[i].box(); return t }
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(top(a), top(b)), cmp.Compare(left(a), left(b)), cmp.Compare(a, b))
	})
	for start := 0; start < len(list); {
		_, _, _, bottom := c.Nodes[list[start]].box()
		end := start + 1
		for end < len(list) {
			if _, t, _, b := c.Nodes[list[end]].box(); t+(b-t)/2 >= bottom {
				break
			}
			end++
		}
		slices.SortFunc(list[start:end], func(a, b int) int {
			return cmp.Or(cmp.Compare(left(a), left(b)), cmp.Compare(top(a), top(b)), cmp.Compare(a, b))
		})
		start = end
	}
}

// group finds a group by its id, else by its label.
func (t *tree) group(name string) (int, bool) {
	if i, ok := t.index[name]; ok && t.c.Nodes[i].Type == "group" {
		return i, true
	}
	want := Fold(name)
	for i := range t.c.Nodes {
		if n := &t.c.Nodes[i]; n.shown() && n.Type == "group" && Fold(oneLine(n.Label, maxName)) == want {
			return i, true
		}
	}
	return 0, false
}

func (t *tree) groupNames() []string {
	const most = 20
	var names []string
	for i := range t.c.Nodes {
		if n := &t.c.Nodes[i]; n.shown() && n.Type == "group" && len(names) < most {
			names = append(names, cmp.Or(oneLine(n.Label, maxName), oneLine(n.ID, maxName)))
		}
	}
	return names
}
