package pack

import "sort"

// searchOrders are the static preorders of the search, tried round-robin with doubling node budgets.
var searchOrders = []string{"TAW", "TWA", "WAT"}

// searcher is the depth-first search over canonical packings of one time-connected group of buffers: every buffer
// is placed at its current minimum offset, placements are non-decreasing in (offset, preorder index).
//
// Pruning: an offset at or above the smallest possible end of an unplaced buffer is dominated (that buffer would fit
// below); in no time section may floor + remaining bytes exceed the capacity, where the floor is the lowest offset
// any unplaced buffer of the section can still get; and groups that fall apart in time are solved on their own.
type searcher struct {
	cap      int64
	size     []int64
	align    []int64
	min      []int64 // current minimum offset
	adj      [][]int32
	first    []int32 // sections spanned: [first, last]
	last     []int32
	members  [][]int32 // buffers of a section, in preorder
	floor    []int64
	rest     []int64 // bytes not yet placed
	off      []int64
	placed   []bool
	stack    []frame
	nodes    int
	undoMin  []undo
	undoFlr  []undo
	overflow bool
}

type undo struct {
	i   int32
	old int64
}

// search looks for a packing within capacity, group by group. Groups with fixed buffers are left to greedy.
func (p *problem) search(capacity int64, nodes int) ([]int64, bool) {
	for i := range p.bufs {
		if p.bufs[i].Fixed {
			return nil, false
		}
	}
	off := make([]int64, len(p.bufs))
	for _, g := range p.groups() {
		if !p.searchGroup(g, capacity, nodes, off) {
			return nil, false
		}
	}
	return off, true
}

// groups cuts the buffers where no lifetime spans the cut.
func (p *problem) groups() [][]int {
	idx := p.order("L")
	var out [][]int
	var cur []int
	end := int64(-1 << 62)
	for _, i := range idx {
		if p.bufs[i].Start >= end && len(cur) > 0 {
			out = append(out, cur)
			cur = nil
		}
		cur = append(cur, i)
		end = max(end, p.bufs[i].End)
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out
}

func (p *problem) searchGroup(g []int, capacity int64, nodes int, off []int64) bool {
	in := make(map[int]bool, len(g))
	for _, i := range g {
		in[i] = true
	}
	// Greedy alone is often enough for a group.
	for _, name := range greedyOrders {
		var ord []int
		for _, i := range p.order(name) {
			if in[i] {
				ord = append(ord, i)
			}
		}
		o := p.firstFit(ord)
		ok := true
		for _, i := range ord {
			ok = ok && o[i]+p.bufs[i].Size <= capacity
		}
		if ok {
			for _, i := range ord {
				off[i] = o[i]
			}
			return true
		}
	}
	budget := 2*len(g) + 20000
	for spent := 0; spent < nodes; budget *= 2 {
		for _, name := range searchOrders {
			var ord []int
			for _, i := range p.order(name) {
				if in[i] {
					ord = append(ord, i)
				}
			}
			s := p.newSearcher(ord, capacity)
			s.nodes = min(budget, nodes-spent)
			spent += s.nodes
			found := s.run(s.all(), 0, 0)
			if found {
				for k, i := range ord {
					off[i] = s.off[k]
				}
				return true
			}
			if !s.overflow {
				return false // exhausted: proven infeasible
			}
			if spent >= nodes {
				break
			}
		}
	}
	return false
}

func (p *problem) newSearcher(ord []int, capacity int64) *searcher {
	n := len(ord)
	s := &searcher{cap: capacity, size: make([]int64, n), align: make([]int64, n), min: make([]int64, n), adj: make([][]int32, n),
		first: make([]int32, n), last: make([]int32, n), off: make([]int64, n), placed: make([]bool, n)}
	pos := make(map[int]int32, n)
	var cuts []int64
	for k, i := range ord {
		pos[i] = int32(k)
		s.size[k], s.align[k] = p.bufs[i].Size, p.bufs[i].Align
		cuts = append(cuts, p.bufs[i].Start, p.bufs[i].End)
	}
	sort.Slice(cuts, func(a, b int) bool { return cuts[a] < cuts[b] })
	k := 0
	for i, c := range cuts {
		if i == 0 || c != cuts[k-1] {
			cuts[k] = c
			k++
		}
	}
	cuts = cuts[:k]
	s.members = make([][]int32, max(0, k-1))
	s.floor = make([]int64, len(s.members))
	s.rest = make([]int64, len(s.members))
	for k, i := range ord {
		b := &p.bufs[i]
		s.first[k] = int32(sort.Search(len(cuts), func(x int) bool { return cuts[x] >= b.Start }))
		s.last[k] = int32(sort.Search(len(cuts), func(x int) bool { return cuts[x] >= b.End })) - 1
		for c := s.first[k]; c <= s.last[k]; c++ {
			s.members[c] = append(s.members[c], int32(k))
			s.rest[c] += b.Size
		}
		for _, j := range p.adj[i] {
			if q, ok := pos[int(j)]; ok {
				s.adj[k] = append(s.adj[k], q)
			}
		}
	}
	return s
}

// all returns every buffer, sorted by start.
func (s *searcher) all() []int32 {
	g := make([]int32, len(s.size))
	for i := range g {
		g[i] = int32(i)
	}
	sort.SliceStable(g, func(a, b int) bool { return s.first[g[a]] < s.first[g[b]] })
	return g
}

// run places the buffers of group, which is sorted by start and connected in time, at or above (lastOff, lastIdx) in
// canonical order.
func (s *searcher) run(group []int32, lastOff int64, lastIdx int32) bool {
	if len(group) == 0 {
		return true
	}
	h := int64(1) << 62
	for _, i := range group {
		h = min(h, max(s.min[i], lastOff)+s.size[i])
	}
	type cand struct {
		off int64
		i   int32
	}
	var cands []cand
	for _, i := range group {
		o := s.min[i]
		if o < lastOff || o == lastOff && i < lastIdx || o >= h {
			continue
		}
		cands = append(cands, cand{o, i})
	}
	sort.Slice(cands, func(a, b int) bool {
		if cands[a].off != cands[b].off {
			return cands[a].off < cands[b].off
		}
		return cands[a].i < cands[b].i
	})
	for _, c := range cands {
		if s.nodes--; s.nodes < 0 {
			s.overflow = true
			return false
		}
		mark := len(s.stack)
		hat := false
		ok := s.place(c.i, c.off, group, &hat)
		if ok && s.remainder(group, c.i, c.off) {
			return true
		}
		s.unwind(mark)
		if s.overflow {
			return false
		}
		if ok && !hat {
			return false // nothing lies above it: no sibling can do better
		}
	}
	return false
}

// remainder solves what remains of group after i, cut where no buffer spans: the parts do not influence each other.
func (s *searcher) remainder(group []int32, i int32, off int64) bool {
	left := make([]int32, 0, len(group)-1)
	for _, j := range group {
		if j != i {
			left = append(left, j)
		}
	}
	for from := 0; from < len(left); {
		to, end := from+1, s.last[left[from]]
		for to < len(left) && s.first[left[to]] <= end {
			end = max(end, s.last[left[to]])
			to++
		}
		if !s.run(left[from:to], off, i) {
			return false
		}
		from = to
	}
	return true
}

// place puts buffer i at off, raises its neighbours and checks the sections of its group: placements never go below
// off any more, so neither does what is left.
func (s *searcher) place(i int32, off int64, group []int32, hat *bool) bool {
	s.stack = append(s.stack, frame{i, len(s.undoMin), len(s.undoFlr)})
	s.placed[i] = true
	s.off[i] = off
	end := off + s.size[i]
	lo, hi := s.first[i], s.last[i]
	ok := end <= s.cap
	for c := lo; c <= hi; c++ {
		s.rest[c] -= s.size[i]
	}
	for _, j := range s.adj[i] {
		if s.placed[j] {
			continue
		}
		*hat = true
		if m := alignUp(end, s.align[j]); s.min[j] < m {
			s.undoMin = append(s.undoMin, undo{j, s.min[j]})
			s.min[j] = m
			ok = ok && m+s.size[j] <= s.cap
			lo, hi = min(lo, s.first[j]), max(hi, s.last[j])
		}
	}
	if !ok {
		return false
	}
	var last int32
	for _, j := range group {
		last = max(last, s.last[j])
	}
	for c := s.first[group[0]]; c <= last; c++ {
		if s.rest[c] > 0 && max(s.floor[c], off)+s.rest[c] > s.cap {
			return false
		}
	}
	for c := lo; c <= hi; c++ {
		if s.rest[c] == 0 {
			continue
		}
		f := int64(1) << 62
		for _, j := range s.members[c] {
			if !s.placed[j] {
				if f = min(f, max(s.min[j], off)); f <= s.floor[c] {
					break
				}
			}
		}
		if f > s.floor[c] {
			s.undoFlr = append(s.undoFlr, undo{c, s.floor[c]})
			s.floor[c] = f
		}
		if s.floor[c]+s.rest[c] > s.cap {
			return false
		}
	}
	return true
}

// unwind takes back placements until mark are left.
func (s *searcher) unwind(mark int) {
	for len(s.stack) > mark {
		f := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		for k := len(s.undoMin) - 1; k >= f.mins; k-- {
			s.min[s.undoMin[k].i] = s.undoMin[k].old
		}
		s.undoMin = s.undoMin[:f.mins]
		for k := len(s.undoFlr) - 1; k >= f.floors; k-- {
			s.floor[s.undoFlr[k].i] = s.undoFlr[k].old
		}
		s.undoFlr = s.undoFlr[:f.floors]
		for c := s.first[f.i]; c <= s.last[f.i]; c++ {
			s.rest[c] += s.size[f.i]
		}
		s.placed[f.i] = false
	}
}

// frame is one placement on the search stack and the logs' lengths before it.
type frame struct {
	i            int32
	mins, floors int
}
