package graph

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/notelatch/notelatch/vault"
)

// Find finds the file that a person means by ref: a path (a leading "/" and ".md" may be there or not), a link or its text, or an
// alias. If several fit equally, others are the rest, and the caller should ask which; a path that is exact leaves no doubt.
func (g *Graph) Find(ref string) (p vault.Path, others []vault.Path, ok bool) {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "[[") && strings.HasSuffix(ref, "]]") && len(ref) > 4 {
		ref, _, _ = strings.Cut(ref[2:len(ref)-2], "|")
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, text := range []string{strings.TrimPrefix(ref, "/"), beforeHash(ref)} {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if f := g.files[vault.Path(text)]; f != nil {
			return f.path, nil, true
		}
		key := clean(vault.Fold(text))
		if f := g.exactly(text, key); f != nil {
			return f.path, nil, true
		}
		list := g.candidates(key)
		if len(list) == 0 {
			list = g.byAlias[key]
		}
		if len(list) > 0 {
			return first(list)
		}
	}
	return "", nil, false
}

func first(list []*file) (vault.Path, []vault.Path, bool) {
	var others []vault.Path
	for _, f := range list[1:] {
		others = append(others, f.path)
	}
	return list[0].path, others, true
}

func beforeHash(ref string) string {
	before, _, _ := strings.Cut(ref, "#")
	return strings.TrimPrefix(before, "/")
}

// Near are up to n files whose name or alias is like name, the most alike first: a few letters differ, or one holds the other.
func (g *Graph) Near(name string, n int) []vault.Path {
	want := strings.TrimSuffix(lastSegment(vault.Fold(strings.TrimSpace(name))), ".md")
	if want == "" || len(want) > vault.MaxSegment || n <= 0 {
		return nil
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	m := newMatcher(want)
	best := make(map[*file]int)
	look := func(index map[string][]*file) {
		for key, list := range index {
			d, ok := m.distance(strings.TrimSuffix(key, ".md"))
			if !ok {
				continue
			}
			for _, f := range list {
				if old, seen := best[f]; !seen || d < old {
					best[f] = d
				}
			}
		}
	}
	look(g.byName)
	look(g.byAlias)
	found := make([]*file, 0, len(best))
	for f := range best {
		found = append(found, f)
	}
	slices.SortFunc(found, func(a, b *file) int { return cmp.Or(cmp.Compare(best[a], best[b]), preferred(a, b)) })
	var out []vault.Path
	for _, f := range found[:min(n, len(found))] {
		out = append(out, f.path)
	}
	return out
}

// matcher compares many names with one.
type matcher struct {
	want  []rune
	text  string
	bits  uint64
	most  int // edits
	old   []int
	older []int
	row   []int
}

func newMatcher(want string) *matcher {
	m := &matcher{want: []rune(want), text: want, bits: letters(want)}
	m.most = 1 + min(2, len(m.want)/5)
	for _, r := range []*[]int{&m.old, &m.older, &m.row} {
		*r = make([]int, len(m.want)+1)
	}
	return m
}

// distance counts the edits from name; holding the name as a part counts as more edits than are otherwise allowed.
func (m *matcher) distance(name string) (int, bool) {
	const part = 10
	if len(m.text) > 2 && strings.Contains(name, m.text) || len(name) > 2 && strings.Contains(m.text, name) {
		gap := len(name) - len(m.text)
		if gap == 0 {
			return 0, true
		}
		return part + max(gap, -gap), true
	}
	// An edit changes at most two letters of the set: one goes, one comes.
	if bits.OnesCount64(letters(name)^m.bits) > 2*m.most || len(name)-len(m.text) > 4*m.most || len(m.text)-len(name) > 4*m.most {
		return 0, false
	}
	d := m.edits([]rune(name))
	return d, d <= m.most
}

// edits is the number of letters to add, drop, change or swap.
func (m *matcher) edits(name []rune) int {
	for j := range m.old {
		m.old[j] = j
	}
	for i, a := range name {
		m.row[0] = i + 1
		for j, b := range m.want {
			cost := 1
			if a == b {
				cost = 0
			}
			m.row[j+1] = min(m.old[j+1]+1, m.row[j]+1, m.old[j]+cost)
			if i > 0 && j > 0 && a == m.want[j-1] && name[i-1] == b {
				m.row[j+1] = min(m.row[j+1], m.older[j-1]+1)
			}
		}
		m.older, m.old, m.row = m.old, m.row, m.older
	}
	return m.old[len(m.want)]
}

// letters is the set of characters of s, 64 for all of Unicode.
func letters(s string) uint64 {
	var set uint64
	for _, r := range s {
		set |= 1 << (uint(r) & 63)
	}
	return set
}
