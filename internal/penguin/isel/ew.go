package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/penguin"
)

// dmaOnly copies without touching the bytes: DRAM to DRAM when both sides live there.
func (s *selector) dmaOnly(src, dst *lin, n *nest, sind, dind []penguin.Indirect) {
	var ax []dmaPair
	for i, a := range n.ax {
		if a.n > 1 {
			ax = append(ax, dmaPair{a.n, src.c[i], dst.c[i]})
		}
	}
	s.dmaPairs(src, dst, src.off, dst.off, ax, sind, dind)
}

// dmaPair is one axis of a transfer between two DRAM tensors.
type dmaPair struct{ n, src, dst int64 }

func (s *selector) dmaPairs(src, dst *lin, so, do int64, ax []dmaPair, sind, dind []penguin.Indirect) {
	var sf, df []penguin.StepCount
	for _, a := range ax {
		sf = append(sf, penguin.StepCount{Step: a.src, Count: a.n})
		df = append(df, penguin.StepCount{Step: a.dst, Count: a.n})
	}
	if len(normFree(sf)) > maxDMADims || len(normFree(df)) > maxDMADims {
		k := 0
		for i, a := range ax {
			if a.n < ax[k].n {
				k = i
			}
		}
		rest := append(append([]dmaPair{}, ax[:k]...), ax[k+1:]...)
		for i := int64(0); i < ax[k].n; i++ {
			s.dmaPairs(src, dst, so+i*ax[k].src, do+i*ax[k].dst, rest, sind, dind)
		}
		return
	}
	s.b.dmaInd(view{t: dst.t, off: do, free: df}, view{t: src.t, off: so, free: sf}, sind)
	if len(dind) > 0 {
		s.b.last().Out[0].Ind = dind
	}
}

// splat returns the value of a constant tensor whose elements are all equal.
func splat(t *penguin.Tensor) (operand, bool) {
	if t.Kind&penguin.Const == 0 || t.Init == nil || classOf(t.DType) == clsNone || classOf(t.DType) == clsWide {
		return operand{}, false
	}
	sz := t.DType.Size()
	d := t.Init.Data
	for i := sz; i < len(d); i++ {
		if d[i] != d[i-sz] {
			return operand{}, false
		}
	}
	if len(d) < sz {
		return operand{}, false
	}
	o := operand{konst: true, dt: t.DType}
	if classOf(t.DType) == clsFloat {
		var f [1]float32
		dtype.RowToF32(f[:], d[:sz], t.DType)
		o.f = float64(f[0])
		return o, true
	}
	for i := sz - 1; i >= 0; i-- {
		o.i = o.i<<8 | int64(d[i])
	}
	if n := uint(64 - 8*sz); signed(t.DType) {
		o.i = o.i << n >> n
	}
	return o, true
}

// roles chooses, for a nest all of whose operands live in DRAM, the partition axes and the order of the others.
// It may split an axis.
func (s *selector) roles(n *nest) (part, rest []int) {
	if len(n.ax) == 1 && !n.ax[0].reduce {
		// One flat run: rows of equal length, several of them only when they are long enough for a DMA.
		total := n.ax[0].n
		if p := rowsFor(total); p > 1 {
			n.split(0, total/p)
			return []int{0}, []int{1}
		}
		return nil, []int{0}
	}
	best, bestCost := -1, int64(0)
	for i, a := range n.ax {
		if a.reduce {
			continue
		}
		free := int64(1)
		for j, x := range n.ax {
			if j != i && !x.reduce {
				free *= x.n
			}
		}
		// Each tile costs the latency of a transfer, each descriptor a few ns shared by 16 DMA engines; runs are as
		// long as the contiguous axis, or single elements when that lies on partitions.
		tiles := (a.n + maxPart - 1) / maxPart * ((free + s.maxFree() - 1) / s.maxFree())
		cost := 1000 * tiles
		for k := range n.acc {
			l := &n.acc[k]
			points, run := int64(1), int64(1)
			for j, x := range n.ax {
				if l.c[j] != 0 {
					points *= x.n
				}
				if l.c[j] == 1 && j != i {
					run = x.n
				}
			}
			cost += points / run * max(4, run/6) / 16
		}
		// Work per tile does not depend on how many partitions it has.
		cost += tiles * min(free, s.maxFree())
		if best < 0 || cost < bestCost {
			best, bestCost = i, cost
		}
	}
	for j := range n.ax {
		if j != best && !n.ax[j].reduce {
			rest = append(rest, j)
		}
	}
	if best >= 0 {
		part = []int{best}
	}
	return part, rest
}

// rowsFor is the largest divisor of n that is at most 128 and leaves rows of at least 16 elements, or 1.
func rowsFor(n int64) int64 {
	for p := int64(maxPart); p > 1; p-- {
		if n%p == 0 && n/p >= 16 {
			return p
		}
	}
	return 1
}

// flatParts cuts a flat nest whose length has no good divisor into a part that has one and a tail.
func flatParts(n *nest) []*nest {
	if len(n.ax) != 1 || n.ax[0].n < 2048 {
		return []*nest{n}
	}
	total := n.ax[0].n
	if rowsFor(total) >= 64 {
		return []*nest{n}
	}
	row := total / maxPart
	main := n.restrict(0, 0, row*maxPart)
	if row*maxPart == total {
		return []*nest{main}
	}
	return []*nest{main, n.restrict(0, row*maxPart, total-row*maxPart)}
}

// restrict is the nest over values lo .. lo+cnt-1 of axis i.
func (n *nest) restrict(i int, lo, cnt int64) *nest {
	m := n.clone()
	m.ax[i].n = cnt
	for k := range m.acc {
		m.acc[k].off += m.acc[k].c[i] * lo
	}
	return m
}

// elementwise emits rec over the nest of in, whose axes are all parallel.
func (s *selector) elementwise(in *penguin.Inst, p piece, rec recipe) error {
	p.n.trim(nil)
	if len(p.n.ax) == 0 {
		p.n.ax = []nestAxis{{n: 1}}
		for k := range p.n.acc {
			p.n.acc[k].c = []int64{0}
		}
	}
	for _, n := range flatParts(p.n) {
		part, rest := s.roles(n)
		err := n.tiles(part, rest, maxPart, s.maxFree(), 3, func(t *tile) error {
			c := &tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims(), loc: in.Loc}
			ops := make([]operand, n.nin)
			for i := range ops {
				ops[i] = s.operand(n, i, t, p.ind[i], ops[:i])
			}
			d := s.out(n.out(0).t.DType, t)
			if err := rec(c, d, ops, in.Attrs); err != nil {
				return err
			}
			s.store(d, n.out(0), t, p.ind[n.nin])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// operand makes input i of the nest available over the tile.
func (s *selector) operand(n *nest, i int, t *tile, ind []penguin.Indirect, prev []operand) operand {
	l := n.in(i)
	if o, ok := splat(l.t); ok {
		return o
	}
	for j := range prev {
		if !prev[j].konst && sameLin(n.in(j), l) && len(ind) == 0 {
			return prev[j]
		}
	}
	return ov(s.load(l, t, ind))
}

func sameLin(a, b *lin) bool {
	if a.t != b.t || a.off != b.off {
		return false
	}
	for i := range a.c {
		if a.c[i] != b.c[i] {
			return false
		}
	}
	return true
}
