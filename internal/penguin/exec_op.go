package penguin

import (
	"sort"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/pelican"
)

// plan is an op-level instruction prepared for interpretation. Axes are reordered so that the last one, along which
// rows are processed, is a long one; scatter keeps its order.
type plan struct {
	in    *Inst
	n     []int   // extents
	axes  []*Axis // in execution order; values Lo + Step*i
	red   []bool  // which are reduced
	acc   []planAccess
	empty bool
	rowF  [4][]float64 // work space
	rowI  [4][]int64
	offs  [4][]int
}

// planAccess is one access: the element position is off + sum(stride*i) when linear, else what pos gives.
type planAccess struct {
	t      *Tensor
	mem    []byte
	size   int
	linear bool
	off    int
	stride []int
	pos    *pelican.Func
	ind    []planInd
}

type planInd struct {
	t      *Tensor
	mem    []byte
	size   int
	pos    *pelican.Func
	lo, hi int64
	stride int64
}

func (x *interp) plan(in *Inst) (*plan, error) {
	p := &plan{in: in}
	order := make([]int, len(in.Axes))
	for i := range order {
		order[i] = i
	}
	trip := func(i int) int { a := in.Axes[i]; return int(pelican.Trip(a.Lo, a.Hi, a.Step)) }
	isRed := func(i int) bool { return i >= len(in.Axes)-in.Reduce }
	if in.Op.Group != Update {
		// Parallel axes outside, then reduced ones; the longest axis last.
		best := -1
		for i := range in.Axes {
			if best < 0 || trip(i) >= trip(best) {
				best = i
			}
		}
		sort.SliceStable(order, func(a, b int) bool {
			i, j := order[a], order[b]
			if (i == best) != (j == best) {
				return j == best
			}
			return !isRed(i) && isRed(j)
		})
	}
	var vars []pelican.Expr
	for _, i := range order {
		p.axes = append(p.axes, in.Axes[i])
		p.n = append(p.n, trip(i))
		p.red = append(p.red, isRed(i))
		vars = append(vars, in.Axes[i].Var)
		p.empty = p.empty || trip(i) == 0
	}
	if p.empty {
		return p, nil
	}
	all := append(append([]Access(nil), in.In...), in.Out...)
	for k := range all {
		a, err := x.planAccess(in, &all[k], p, vars)
		if err != nil {
			return nil, err
		}
		p.acc = append(p.acc, a)
	}
	return p, nil
}

func (x *interp) planAccess(in *Inst, a *Access, p *plan, vars []pelican.Expr) (planAccess, error) {
	bad := func(format string, args ...any) (planAccess, error) {
		return planAccess{}, diag.Errorf(codeExec, in.Loc, "%s %%%d: "+format, append([]any{in.Op.Name, in.ID}, args...)...)
	}
	if a.Tile != nil {
		return bad("tile access at op level")
	}
	mem, err := x.mem.of(a.T)
	if err != nil {
		return planAccess{}, err
	}
	r := planAccess{t: a.T, mem: mem, size: a.T.DType.Size()}
	if len(a.Dims) != len(a.T.Shape) {
		return bad("%d indices into %s, which has %d dimensions", len(a.Dims), a.T.Name, len(a.T.Shape))
	}
	e := x.close(pelican.Flatten(a.Dims, a.T.Shape))
	if c, terms, ok := pelican.AsLinear(e); ok {
		r.linear = true
		r.off = int(c)
		r.stride = make([]int, len(vars))
		for _, t := range terms {
			found := false
			for i, v := range vars {
				if v == t.X {
					r.stride[i] = int(t.Coef * p.axes[i].Step)
					r.off += int(t.Coef * p.axes[i].Lo)
					found = true
				}
			}
			if !found {
				return bad("index of %s uses %v, which is no axis", a.T.Name, t.X)
			}
		}
		lo, hi := r.off, r.off
		for i, s := range r.stride {
			if s > 0 {
				hi += s * (p.n[i] - 1)
			} else {
				lo += s * (p.n[i] - 1)
			}
		}
		if len(a.Ind) == 0 && (lo < 0 || (hi+1)*r.size > len(mem)) {
			return bad("elements %d..%d of %s, which has %d", lo, hi, a.T.Name, len(mem)/r.size)
		}
	} else {
		if r.pos, err = pelican.Compile(e, vars); err != nil {
			return bad("index of %s: %v", a.T.Name, err)
		}
	}
	for _, d := range a.Ind {
		im, err := x.mem.of(d.Index)
		if err != nil {
			return planAccess{}, err
		}
		if d.Dim < 0 || d.Dim >= len(a.T.Shape) || len(d.At) != len(d.Index.Shape) {
			return bad("malformed run-time index into %s", a.T.Name)
		}
		pi := planInd{t: d.Index, mem: im, size: d.Index.DType.Size(), lo: d.Lo, hi: d.Hi, stride: 1}
		for _, n := range a.T.Shape[d.Dim+1:] {
			pi.stride *= n
		}
		if pi.pos, err = pelican.Compile(x.close(pelican.Flatten(d.At, d.Index.Shape)), vars); err != nil {
			return bad("run-time index into %s: %v", a.T.Name, err)
		}
		r.ind = append(r.ind, pi)
	}
	return r, nil
}

// close replaces the variables of enclosing loops by their values. Plans are made per execution inside loops.
func (x *interp) close(e pelican.Expr) pelican.Expr {
	if len(x.env) == 0 {
		return e
	}
	return pelican.SubstFunc(e, func(v pelican.Expr) pelican.Expr {
		if c, ok := x.env[v]; ok {
			return pelican.Const(c)
		}
		return nil
	})
}

// row computes the positions of the elements of an access along the last axis, for the given outer indices. A
// linear access gives base and step instead.
func (p *plan) row(k int, idx []int, vals []int64, n int) (base, step int, offs []int, err error) {
	a := &p.acc[k]
	last := len(p.n) - 1
	if a.linear && len(a.ind) == 0 {
		base = a.off
		for i := 0; i < last; i++ {
			base += a.stride[i] * idx[i]
		}
		if last >= 0 {
			step = a.stride[last]
		}
		return base, step, nil, nil
	}
	offs = p.offs[k][:0]
	limit := int64(len(a.mem) / a.size)
	for j := 0; j < n; j++ {
		if last >= 0 {
			vals[last] = p.axes[last].Lo + int64(j)*p.axes[last].Step
		}
		var e int64
		if a.linear {
			e = int64(a.off)
			for i := 0; i < last; i++ {
				e += int64(a.stride[i] * idx[i])
			}
			if last >= 0 {
				e += int64(a.stride[last] * j)
			}
		} else {
			e = a.pos.Eval(vals)
		}
		for _, d := range a.ind {
			at := d.pos.Eval(vals)
			if at < 0 || (at+1)*int64(d.size) > int64(len(d.mem)) {
				return 0, 0, nil, diag.Errorf(codeExec, p.in.Loc, "%s %%%d: index position %d outside %s", p.in.Op.Name, p.in.ID, at, d.t.Name)
			}
			e += d.stride * min(max(readInt(d.mem[at*int64(d.size):], d.t.DType), d.lo), d.hi)
		}
		if e < 0 || e >= limit {
			return 0, 0, nil, diag.Errorf(codeExec, p.in.Loc, "%s %%%d: element %d of %s, which has %d", p.in.Op.Name, p.in.ID, e, a.t.Name, limit)
		}
		offs = append(offs, int(e))
	}
	p.offs[k] = offs
	return 0, 0, offs, nil
}

// run executes a plan.
func (x *interp) run(p *plan) error {
	if p.empty {
		return nil
	}
	if len(x.env) > 0 {
		// Offsets depend on loop variables: this plan serves one execution.
		delete(x.plans, p.in)
	}
	switch p.in.Op.Group {
	case Reduction:
		return x.runFold(p)
	case Contraction:
		return x.runContract(p)
	}
	return x.runRows(p, p.outer(nil))
}

// outer returns the positions of the axes before the last one that keep selects (nil: all).
func (p *plan) outer(keep func(i int) bool) []int {
	var out []int
	for i := 0; i+1 < len(p.n); i++ {
		if keep == nil || keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// each visits every combination of the axes in list, in row-major order, setting idx and vals.
func (p *plan) each(list []int, idx []int, vals []int64, f func() error) error {
	for _, i := range list {
		idx[i], vals[i] = 0, p.axes[i].Lo
	}
	for {
		if err := f(); err != nil {
			return err
		}
		d := len(list) - 1
		for ; d >= 0; d-- {
			i := list[d]
			idx[i]++
			vals[i] += p.axes[i].Step
			if idx[i] < p.n[i] {
				break
			}
			idx[i], vals[i] = 0, p.axes[i].Lo
		}
		if d < 0 {
			return nil
		}
	}
}

func (p *plan) rowLen() int {
	if len(p.n) == 0 {
		return 1
	}
	return p.n[len(p.n)-1]
}

// runRows executes instructions without reduction, a row at a time.
func (x *interp) runRows(p *plan, outer []int) error {
	n := p.rowLen()
	k, err := x.kernelFor(p)
	if err != nil {
		return err
	}
	idx, vals := make([]int, len(p.n)), make([]int64, len(p.n))
	rows := 0
	return p.each(outer, idx, vals, func() error {
		if rows++; rows%4096 == 0 {
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
		return k(idx, vals, n)
	})
}
