package vault

import "slices"

// maxEdits is how many inserted and deleted lines the exact method looks for before it gives way to one that is linear.
const maxEdits = 400

// matchLines finds equal lines of a and b, in order, as runs that do not touch. For what differs little it is the shortest edit
// (Myers); otherwise lines that occur once in both are the anchors (patience), and what has none is taken as replaced.
func matchLines(a, b [][]byte) []run {
	ids := make(map[string]int, len(a)+len(b))
	number := func(lines [][]byte) []int {
		out := make([]int, len(lines))
		for i, l := range lines {
			id, ok := ids[string(l)]
			if !ok {
				id = len(ids)
				ids[string(l)] = id
			}
			out[i] = id
		}
		return out
	}
	m := matcher{a: number(a), b: number(b)}
	m.match(0, len(a), 0, len(b))
	return m.joined()
}

type matcher struct {
	a, b []int
	runs []run
}

func (m *matcher) add(a, b, n int) {
	if n > 0 {
		m.runs = append(m.runs, run{a, b, n})
	}
}

// joined are the runs with those that touch made one.
func (m *matcher) joined() []run {
	var out []run
	for _, r := range m.runs {
		if k := len(out) - 1; k >= 0 && out[k].a+out[k].n == r.a && out[k].b+out[k].n == r.b {
			out[k].n += r.n
			continue
		}
		out = append(out, r)
	}
	return out
}

// match finds the runs of a[a0:a1] and b[b0:b1], first to last.
func (m *matcher) match(a0, a1, b0, b1 int) {
	n := 0
	for a0+n < a1 && b0+n < b1 && m.a[a0+n] == m.b[b0+n] {
		n++
	}
	m.add(a0, b0, n)
	a0, b0 = a0+n, b0+n
	tail := 0
	for a1-tail > a0 && b1-tail > b0 && m.a[a1-tail-1] == m.b[b1-tail-1] {
		tail++
	}
	a1, b1 = a1-tail, b1-tail
	if a0 < a1 && b0 < b1 && !m.shortest(a0, a1, b0, b1) {
		m.anchored(a0, a1, b0, b1)
	}
	m.add(a1, b1, tail)
}

// shortest adds the runs of the shortest edit; it reports false, and adds none, when that takes more than maxEdits.
func (m *matcher) shortest(a0, a1, b0, b1 int) bool {
	na, nb := a1-a0, b1-b0
	if d := na - nb; d > maxEdits || -d > maxEdits {
		return false
	}
	const origin = maxEdits + 1
	far := make([]int32, 2*maxEdits+3) // for each diagonal x-y, the furthest x
	var trace [][]int32
	for d := 0; d <= min(maxEdits, na+nb); d++ {
		for k := -d; k <= d; k += 2 {
			var x int32
			if k == -d || k != d && far[origin+k-1] < far[origin+k+1] {
				x = far[origin+k+1]
			} else {
				x = far[origin+k-1] + 1
			}
			y := int(x) - k
			for int(x) < na && y < nb && m.a[a0+int(x)] == m.b[b0+y] {
				x++
				y++
			}
			far[origin+k] = x
			if int(x) >= na && y >= nb {
				m.walkBack(trace, k, a0, b0, na)
				return true
			}
		}
		trace = append(trace, slices.Clone(far[origin-d:origin+d+1]))
	}
	return false
}

// walkBack follows the trace from the end to the start. trace[d][k+d] is the furthest x on diagonal k after d edits.
func (m *matcher) walkBack(trace [][]int32, k, a0, b0, na int) {
	var back []run
	x := na
	for d := len(trace); d > 0; d-- {
		prev := trace[d-1]
		at := func(k int) int32 {
			if i := k + d - 1; i >= 0 && i < len(prev) {
				return prev[i]
			}
			return -1
		}
		down := k == -d || k != d && at(k-1) < at(k+1)
		next := k - 1
		if down {
			next = k + 1
		}
		px := int(at(next))
		py := px - next
		sx, sy := px, py+1
		if !down {
			sx, sy = px+1, py
		}
		back = append(back, run{a0 + sx, b0 + sy, x - sx})
		x, k = px, next
	}
	back = append(back, run{a0, b0, x})
	for _, r := range slices.Backward(back) {
		m.add(r.a, r.b, r.n)
	}
}

// anchored matches between the lines that occur exactly once on both sides and keep their order.
func (m *matcher) anchored(a0, a1, b0, b1 int) {
	type places struct{ inA, inB, a, b int }
	seen := make(map[int]*places, a1-a0)
	for i := a0; i < a1; i++ {
		p := seen[m.a[i]]
		if p == nil {
			p = &places{}
			seen[m.a[i]] = p
		}
		p.inA++
		p.a = i
	}
	for i := b0; i < b1; i++ {
		if p := seen[m.b[i]]; p != nil {
			p.inB++
			p.b = i
		}
	}
	var once []run
	for i := a0; i < a1; i++ {
		if p := seen[m.a[i]]; p.inA == 1 && p.inB == 1 {
			once = append(once, run{p.a, p.b, 1})
		}
	}
	for _, anchor := range increasing(once) {
		if anchor.a < a0 || anchor.b < b0 {
			continue // an earlier anchor's run took it
		}
		m.match(a0, anchor.a, b0, anchor.b)
		n := 0
		for anchor.a+n < a1 && anchor.b+n < b1 && m.a[anchor.a+n] == m.b[anchor.b+n] {
			n++
		}
		m.add(anchor.a, anchor.b, n)
		a0, b0 = anchor.a+n, anchor.b+n
	}
	if len(once) > 0 {
		m.match(a0, a1, b0, b1)
	}
}

// increasing is the longest part of runs, which ascend in a, that ascends in b too.
func increasing(runs []run) []run {
	var (
		tops []int // index of the run that ends the best sequence of each length
		prev = make([]int, len(runs))
	)
	for i, r := range runs {
		k, _ := slices.BinarySearchFunc(tops, r.b, func(t, b int) int { return runs[t].b - b })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]run, len(tops))
	for i, k := tops[len(tops)-1], len(tops)-1; k >= 0; k-- {
		out[k] = runs[i]
		i = prev[i]
	}
	return out
}
