package isel

import "github.com/alcadev/alca/internal/penguin"

// uses records who reads and writes each tensor and in which region, so that layouts can be chosen with a look at
// the consumers.
type uses struct {
	readers map[*penguin.Tensor][]use
	writers map[*penguin.Tensor][]*penguin.Inst
	region  map[*penguin.Tensor]int // the only region that touches it, -1 for several
	nests   map[*penguin.Inst]*nest // normal form of instructions with one nest, nil otherwise
	wishes  map[wishKey]wish
}

type use struct {
	in *penguin.Inst
	i  int // which input
}

func findUses(body []penguin.Stmt) *uses {
	u := &uses{map[*penguin.Tensor][]use{}, map[*penguin.Tensor][]*penguin.Inst{}, map[*penguin.Tensor]int{}, map[*penguin.Inst]*nest{}, map[wishKey]wish{}}
	next := 0
	var walk func(body []penguin.Stmt, r int)
	touch := func(t *penguin.Tensor, r int) {
		if old, ok := u.region[t]; ok && old != r {
			r = -1
		}
		u.region[t] = r
	}
	inst := func(in *penguin.Inst, r int) {
		for i, a := range in.In {
			u.readers[a.T] = append(u.readers[a.T], use{in, i})
			touch(a.T, r)
			for _, x := range a.Ind {
				touch(x.Index, -1)
			}
		}
		for _, a := range in.Out {
			u.writers[a.T] = append(u.writers[a.T], in)
			touch(a.T, r)
			for _, x := range a.Ind {
				touch(x.Index, -1)
			}
		}
	}
	walk = func(body []penguin.Stmt, r int) {
		for _, st := range body {
			switch st := st.(type) {
			case *penguin.Inst:
				inst(st, r)
			case *penguin.Cluster:
				for _, in := range st.Ops {
					inst(in, r)
				}
			case *penguin.Scope:
				next++
				walk(st.Body, next)
			case *penguin.While:
				next++
				walk(st.Cond, next)
				touch(st.Pred, -1)
				next++
				walk(st.Body, next)
			}
		}
	}
	walk(body, 0)
	return u
}

// nestOf is the normal form of in, nil if it takes several nests or has run-time indices.
func (u *uses) nestOf(in *penguin.Inst) *nest {
	n, ok := u.nests[in]
	if !ok {
		if ps, err := nests(in); err == nil && len(ps) == 1 && !empty(ps[0].n) {
			n = ps[0].n
			for _, ind := range ps[0].ind {
				if len(ind) > 0 {
					n = nil
					break
				}
			}
		}
		u.nests[in] = n
	}
	return n
}

// resident reports whether in's output may live on chip: it alone writes all of it, and nobody outside the region
// looks at it except the caller (outputs are stored afterwards).
func (s *selector) resident(in *penguin.Inst, n *nest) bool {
	t := in.Out[0].T
	if s.opts.OptLevel < 1 || len(in.Out) != 1 {
		return false
	}
	if t.Kind&(penguin.Input|penguin.Const) != 0 || len(s.uses.writers[t]) != 1 || s.uses.region[t] < 0 {
		return false
	}
	return n.size(false) == numel(t) && bijective(n, n.out(0))
}

// bijective reports whether l names every element of its tensor exactly once over the parallel axes.
func bijective(n *nest, l *lin) bool {
	type ax struct{ c, n int64 }
	var as []ax
	for i, a := range n.ax {
		if a.reduce || a.n == 1 {
			continue
		}
		if l.c[i] <= 0 {
			return false
		}
		as = append(as, ax{l.c[i], a.n})
	}
	if l.off != 0 {
		return false
	}
	want := int64(1)
	for len(as) > 0 {
		k := -1
		for i := range as {
			if as[i].c == want {
				k = i
			}
		}
		if k < 0 {
			return false
		}
		want *= as[k].n
		as = append(as[:k], as[k+1:]...)
	}
	return want == numel(l.t)
}

// wish is a digit some consumer wants on the partitions, with how much it matters.
type wish struct {
	d      digit
	weight int
}

// wishFor asks the consumers of t which digit should lie on partitions. A contraction wants (part of) its reduced
// axes there, a reduction wants a kept axis (more: otherwise its statistics have to be spread over partitions again),
// and an elementwise consumer passes on what its own consumers want.
func (s *selector) wishFor(t *penguin.Tensor, depth int) wish {
	if depth > 8 {
		return wish{}
	}
	// Chains of tensors with several readers have exponentially many paths.
	k := wishKey{t, depth}
	if w, ok := s.uses.wishes[k]; ok {
		return w
	}
	w := s.wishOf(t, depth)
	s.uses.wishes[k] = w
	return w
}

type wishKey struct {
	t     *penguin.Tensor
	depth int
}

func (s *selector) wishOf(t *penguin.Tensor, depth int) wish {
	var best wish
	for _, u := range s.uses.readers[t] {
		n := s.uses.nestOf(u.in)
		if n == nil {
			continue
		}
		l := n.in(u.i)
		var w wish
		switch u.in.Op.Group {
		case penguin.Contraction:
			if peType(t.DType) == 0 {
				continue
			}
			if d, ok := axesDigit(n, l, func(i int) bool { return n.ax[i].reduce }); ok {
				w = wish{d, 30}
			}
		case penguin.Reduction:
			if d, ok := axesDigit(n, l, func(i int) bool { return !n.ax[i].reduce }); ok {
				w = wish{d, 40}
			} else if numel(t) <= maxSingle && n.size(false) == 1 {
				// A whole reduction wants one partition.
				if best.weight < 40 {
					best = wish{single, 40}
				}
				continue
			}
		case penguin.Elementwise, penguin.Move:
			x := s.wishFor(u.in.Out[0].T, depth+1)
			if x.weight == 0 {
				continue
			}
			if x.d == single && numel(t) <= maxSingle {
				if best.weight < x.weight-1 {
					best = wish{single, x.weight - 1}
				}
				continue
			}
			if d, ok := mapDigit(n, n.out(0), l, x.d); ok {
				w = wish{d, x.weight - 1}
			}
		}
		// Few partitions, or a reader of a small part of t, are not worth much.
		w.weight = w.weight * int(min(w.d.ext, 32)) / 32
		if sz := n.size(false) * n.size(true); sz*4 < numel(t) {
			w.weight /= 4
		}
		if w.weight > best.weight {
			best = w
		}
	}
	return best
}

// axesDigit is the digit of l's tensor that the axes chosen by sel walk with the most partitions.
func axesDigit(n *nest, l *lin, sel func(i int) bool) (digit, bool) {
	type ax struct{ c, n int64 }
	var as []ax
	for i, a := range n.ax {
		if sel(i) && l.c[i] > 0 && a.n > 1 {
			as = append(as, ax{l.c[i], a.n})
		}
	}
	if len(as) == 0 {
		return digit{}, false
	}
	// In the tensor's own order, innermost first: take whole axes while they fit, then a divisor of the next. A run
	// ends where the axes are not contiguous.
	for i := range as {
		for j := i + 1; j < len(as); j++ {
			if as[j].c < as[i].c {
				as[i], as[j] = as[j], as[i]
			}
		}
	}
	best := digit{1, 1}
	for i := 0; i < len(as); {
		d := digit{as[i].c, 1}
		whole := true
		for ; i < len(as) && as[i].c == d.ls*d.ext && whole; i++ {
			f := divisorUpTo(as[i].n, maxPart/d.ext)
			whole = f == as[i].n
			d.ext *= f
		}
		for ; i < len(as) && !whole && as[i].c == as[i-1].c*as[i-1].n; i++ {
			// the rest of the run
		}
		if d.ext > best.ext {
			best = d
		}
	}
	return best, best.ext >= 2
}

// divisorUpTo is the largest divisor of n that is at most lim.
func divisorUpTo(n, lim int64) int64 {
	for p := min(n, lim); p > 1; p-- {
		if n%p == 0 {
			return p
		}
	}
	return 1
}

// mapDigit carries a digit of from's tensor over the axes of n to to's tensor.
func mapDigit(n *nest, from, to *lin, d digit) (digit, bool) {
	// Axes of from inside the digit, cut at its ends.
	lo, hi := d.ls, d.ls*d.ext
	type seg struct{ cf, ct, n int64 }
	var segs []seg
	for i, a := range n.ax {
		c := from.c[i]
		if c <= 0 || a.n == 1 {
			continue
		}
		end := c * a.n
		if end <= lo || c >= hi {
			continue
		}
		s0, s1 := max(c, lo), min(end, hi)
		if s0%c != 0 || s1%s0 != 0 {
			return digit{}, false
		}
		segs = append(segs, seg{s0, to.c[i] * (s0 / c), s1 / s0})
	}
	if len(segs) == 0 {
		return digit{}, false
	}
	for i := range segs {
		for j := i + 1; j < len(segs); j++ {
			if segs[j].cf < segs[i].cf {
				segs[i], segs[j] = segs[j], segs[i]
			}
		}
	}
	out := digit{segs[0].ct, 1}
	for _, g := range segs {
		if g.ct != out.ls*out.ext || g.ct <= 0 {
			return digit{}, false
		}
		out.ext *= g.n
	}
	return out, out.ext == d.ext
}

// nanReaches reports whether a NaN that a row maximum overlooks spoils the row anyway: the maximum is only
// subtracted from the values it was taken of, and the exponentials of the differences are summed. That is a softmax.
func (s *selector) nanReaches(in *penguin.Inst) bool {
	t := in.Out[0].T
	if t.Kind&penguin.Output != 0 || len(s.uses.readers[t]) == 0 {
		return false
	}
	for _, u := range s.uses.readers[t] {
		if u.in.Op.Name != "subtract" || u.i != 1 || u.in.In[0].T != in.In[0].T {
			return false
		}
		summed := false
		for _, e := range s.uses.readers[u.in.Out[0].T] {
			if e.in.Op.Name != "exponential" {
				continue
			}
			for _, r := range s.uses.readers[e.in.Out[0].T] {
				if c, ok := r.in.Attrs.(*penguin.Combine); ok && r.in.Op.Name == "reduce" && c.Op == "add" {
					summed = true
				}
			}
		}
		if !summed {
			return false
		}
	}
	return true
}
