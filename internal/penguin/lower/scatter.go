package lower

import (
	"slices"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	register(scatter, "stablehlo.scatter")
}

// scatterPlan holds what the lowering of one scatter needs.
type scatterPlan struct {
	o     *hlo.Op
	g     *hlo.ScatterDims
	iv    indexVectors
	n     int     // operands
	shape []int64 // of the operands
	upd   []int64 // shape of the updates
	size  []int64 // extent of an update's window in each operand dimension
	win   []int   // operand dimension -> update dimension of its window, -1 if inserted or batching
	batch []int   // operand dimension -> batch index position for batching dims, -1 otherwise
	outer []int   // update dimensions that walk the index vectors
}

func newScatterPlan(l *lowerer, o *hlo.Op) (*scatterPlan, error) {
	g, ok := o.Attrs.Get("scatter_dimension_numbers").(*hlo.ScatterDims)
	if !ok {
		return nil, l.unsupported("scatter_dimension_numbers is missing")
	}
	n := len(o.Results)
	p := &scatterPlan{o: o, g: g, n: n, shape: o.In(0).Dims, upd: o.In(n + 1).Dims}
	p.iv = vectors(l.in(o, n), g.IndexVectorDim, len(g.ScatterDimsToOperandDims))
	k := 0
	for d := range p.shape {
		p.size, p.win, p.batch = append(p.size, 1), append(p.win, -1), append(p.batch, -1)
		if i := slices.Index(g.InputBatchingDims, int64(d)); i >= 0 {
			s := int(g.ScatterIndicesBatchingDims[i])
			if p.iv.vecDim < s {
				s--
			}
			p.batch[d] = s
			continue
		}
		if slices.Contains(g.InsertedWindowDims, int64(d)) {
			continue
		}
		p.win[d] = int(g.UpdateWindowDims[k])
		p.size[d] = p.upd[p.win[d]]
		k++
	}
	for d := range p.upd {
		if !slices.Contains(g.UpdateWindowDims, int64(d)) {
			p.outer = append(p.outer, d)
		}
	}
	return p, nil
}

// base is the operand index of update index u without the starts.
func (p *scatterPlan) base(u []pelican.Expr) []pelican.Expr {
	ix := make([]pelican.Expr, len(p.shape))
	for d := range ix {
		switch {
		case p.batch[d] >= 0:
			ix[d] = u[p.outer[p.batch[d]]]
		case p.win[d] >= 0:
			ix[d] = u[p.win[d]]
		default:
			ix[d] = zero
		}
	}
	return ix
}

// scatter combines updates into a copy of the operands. Constant indices become instructions on fixed slices, with
// what lies outside cut off. Run-time indices go through a copy with a margin as wide as the window on every scattered
// dimension: an index is clamped to the margin, where writes do no harm.
func scatter(l *lowerer, o *hlo.Op) error {
	p, err := newScatterPlan(l, o)
	if err != nil {
		return err
	}
	outs := make([]view, p.n)
	ups := make([]view, p.n)
	for i := range outs {
		ups[i] = l.in(o, p.n+1+i)
		if ups[i].t == l.in(o, i).t {
			if ups[i], err = l.copyOf(ups[i]); err != nil {
				return err
			}
		}
		if outs[i], err = l.writable(o, i); err != nil {
			return err
		}
		outs[i].fresh = l.region
		l.set(o, i, outs[i])
	}
	if elems(p.upd) == 0 || elems(p.shape) == 0 {
		return nil
	}
	if c := l.constOf(o.Operands[p.n]); c != nil {
		vals := p.iv.values(c)
		if done, err := l.scatterLinear(p, vals, outs, ups); done || err != nil {
			return err
		}
		if len(vals) <= maxPoints*4 {
			i := 0
			return eachIndex(p.iv.shape, func(b []int64) error {
				err := l.scatterPoint(p, b, vals[i], outs, ups)
				i++
				return err
			})
		}
	}
	return l.scatterDynamic(p, outs, ups)
}

// combiner returns how the i-th result is combined: "" overwrites; ok is false for other regions.
func (p *scatterPlan) combiner(i int) (string, bool) {
	b := p.o.Body(0)
	if t := b.Terminator(); t != nil && i < len(t.Operands) && t.Operands[i] == b.Args[p.n+i] {
		return "", true
	}
	return combineOf(b, i, p.n)
}

// apply carries out the region on slices of equal shape, storing the results in outs.
func (l *lowerer) apply(p *scatterPlan, outs, ups []view) error {
	for i := range outs {
		op, ok := p.combiner(i)
		if !ok {
			res, err := l.scalars(p.o.Body(0), ups[0].shape, append(append([]view(nil), outs...), ups...))
			if err != nil {
				return err
			}
			for i := range res {
				if res[i].t == outs[i].t {
					continue
				}
				if err := l.into(outs[i], "copy", nil, res[i]); err != nil {
					return err
				}
			}
			return nil
		}
		var err error
		if op == "" {
			err = l.into(outs[i], "copy", nil, ups[i])
		} else {
			err = l.into(outs[i], op, nil, outs[i], ups[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scatterLinear handles constant starts that are linear in the batch index, within bounds and without two updates of
// one element, in one instruction.
func (l *lowerer) scatterLinear(p *scatterPlan, vals [][]int64, outs, ups []view) (bool, error) {
	seen := map[int64]bool{}
	for i, v := range vals {
		pos := int64(0)
		for d := range p.shape {
			s := int64(0)
			if k := slices.Index(p.g.ScatterDimsToOperandDims, int64(d)); k >= 0 {
				s = v[k]
			}
			if s < 0 || s+p.size[d] > p.shape[d] {
				return false, nil
			}
			if p.batch[d] >= 0 {
				s = coordinate(int64(i), p.iv.shape, p.batch[d])
			}
			// Windows tile the dimension or are its whole; otherwise two of them may overlap.
			if s%p.size[d] != 0 {
				if len(vals) > 1 {
					return false, nil
				}
			}
			pos = pos*p.shape[d] + s
		}
		if seen[pos] {
			return false, nil
		}
		seen[pos] = true
	}
	u := dims(p.upd)
	var b []pelican.Expr
	for _, d := range p.outer {
		b = append(b, u[d])
	}
	ix := p.base(u)
	for k, d := range p.g.ScatterDimsToOperandDims {
		f, ok := fit(vals, p.iv.shape, k)
		if !ok {
			return false, nil
		}
		ix[d] = pelican.Add(ix[d], f(b))
	}
	sub := make([]view, p.n)
	for i := range sub {
		sub[i] = outs[i].of(p.upd, ix)
	}
	return true, l.apply(p, sub, ups)
}

// coordinate is dimension d of the i-th index of an array of the given extents.
func coordinate(i int64, shape []int64, d int) int64 {
	for k := len(shape) - 1; k > d; k-- {
		i /= shape[k]
	}
	return i % shape[d]
}

// scatterPoint applies the update of one constant index vector.
func (l *lowerer) scatterPoint(p *scatterPlan, b, vec []int64, outs, ups []view) error {
	sub := append([]int64(nil), p.upd...)
	start := make([]int64, len(p.upd)) // in the updates
	for i, d := range p.outer {
		sub[d], start[d] = 1, b[i]
	}
	at := make([]int64, len(p.shape)) // in the operand
	for d := range p.shape {
		if p.batch[d] >= 0 {
			at[d] = b[p.batch[d]]
		}
		k := slices.Index(p.g.ScatterDimsToOperandDims, int64(d))
		if k < 0 {
			continue
		}
		at[d] = vec[k]
		// Elements outside are dropped.
		lo, hi := max(0, -at[d]), min(p.size[d], p.shape[d]-at[d])
		if lo >= hi || at[d] >= p.shape[d] || at[d] <= -p.size[d] {
			return nil
		}
		at[d] += lo
		if w := p.win[d]; w >= 0 {
			start[w] += lo
			sub[w] = hi - lo
		}
	}
	u := dims(sub)
	ix := make([]pelican.Expr, len(p.shape))
	for d := range ix {
		ix[d] = pelican.Const(at[d])
		if w := p.win[d]; w >= 0 {
			ix[d] = pelican.Add(ix[d], u[w])
		}
	}
	so, su := make([]view, p.n), make([]view, p.n)
	for i := range so {
		so[i] = outs[i].of(sub, ix)
		su[i] = ups[i].slice(start, nil, sub)
	}
	return l.apply(p, so, su)
}

// scatterDynamic walks the index vectors in order at run time.
func (l *lowerer) scatterDynamic(p *scatterPlan, outs, ups []view) error {
	ops := make([]string, p.n)
	for i := range ops {
		var ok bool
		if ops[i], ok = p.combiner(i); !ok {
			return l.unsupported("indices known only at run time, with a combining region that is not a single op")
		}
	}
	idx, err := l.index32(p.iv.v)
	if err != nil {
		return err
	}
	p.iv.v = idx
	margin := padding{make([]int64, len(p.shape)), make([]int64, len(p.shape)), make([]int64, len(p.shape))}
	crop := padding{make([]int64, len(p.shape)), make([]int64, len(p.shape)), make([]int64, len(p.shape))}
	for _, d := range p.g.ScatterDimsToOperandDims {
		margin.low[d], margin.high[d] = p.size[d], p.size[d]
		crop.low[d], crop.high[d] = -p.size[d], -p.size[d]
	}
	// Axes: index vectors in order, then the window.
	var axes []axis
	u := dims(p.upd)
	var b []pelican.Expr
	for _, d := range p.outer {
		axes = append(axes, axis{u[d], p.upd[d]})
		b = append(b, u[d])
	}
	for d := range p.upd {
		if !slices.Contains(p.outer, d) {
			axes = append(axes, axis{u[d], p.upd[d]})
		}
	}
	for i := range outs {
		zeroOf := l.constSplat(outs[i].t.DType, make([]byte, 8))
		buf, err := l.padded(outs[i], zeroOf, margin)
		if err != nil {
			return err
		}
		ix := p.base(u)
		var ind []penguin.Indirect
		for k, d := range p.g.ScatterDimsToOperandDims {
			ix[d] = pelican.AddConst(ix[d], p.size[d])
			ind = append(ind, penguin.Indirect{Index: p.iv.v.t, At: p.iv.at(b, k), Dim: int(d), Lo: -p.size[d], Hi: p.shape[d]})
		}
		acc := buf.access(ix)
		acc.Ind = ind
		up := ups[i]
		if !pelican.IsAffine(up.flat()) {
			if up, err = l.copyOf(up); err != nil {
				return err
			}
		}
		l.inst("scatter", axes, 0, []penguin.Access{{T: up.t, Dims: up.idx}}, acc, &penguin.Combine{Op: ops[i]})
		v, err := l.padded(buf, zeroOf, crop)
		if err != nil {
			return err
		}
		l.set(p.o, i, v)
	}
	return nil
}
