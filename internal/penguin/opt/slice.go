package opt

import (
	"fmt"

	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

// slice cuts a chain of instructions along a dimension that all of them carry through, when the values between them
// are too large to stay on chip:
//
//	contract(q[h, i, d], k[h, j, d]) -> s[h, i, j]            for each piece of h:
//	exponential(s[h, i, j]) -> e[h, i, j]                =>       contract(..) -> s1;  exponential(s1) -> e1
//	contract(e[h, i, j], v[h, j, d]) -> o[h, i, d]                contract(e1, v[h+lo, ..]) -> o[h+lo, ..]
//
// The chain is everything from the first such value to its last reader, and further while it makes more of them.
// Instructions in between that do not depend on the chain move in front of it. It declines when a chain value is
// reduced or shifted along the dimension, when an operand may be overwritten, and when the pieces would fetch more
// weights again than the round trips save.
func init() {
	registry.Add(pass.Pass[*penguin.Module]{Name: "slice", Doc: "cut chains of large values into pieces that stay on chip",
		Run: func(m *penguin.Module) error {
			spec := machine.ByGen(m.Gen)
			if spec == nil {
				return nil
			}
			limit := int64(spec.SBUF.Usable()) / 4 * int64(spec.SBUF.Partitions)
			for _, f := range m.Funcs {
				sliceFunc(f, limit)
			}
			return nil
		}})
}

func sliceFunc(f *penguin.Func, limit int64) {
	for round := 0; round < 64; round++ {
		d := collect(f)
		done := false
		eachList(&f.Body, func(body *[]penguin.Stmt) {
			if done {
				return
			}
			for i, st := range *body {
				if in, ok := st.(*penguin.Inst); ok && len(in.Out) == 1 && d.large(in.Out[0].T, limit) && d.value(in.Out[0].T) == in {
					c := &chain{f: f, d: d, body: body, limit: limit}
					if c.find(i) && c.choose() {
						c.rewrite()
						done = true
						return
					}
				}
			}
		})
		if !done {
			return
		}
	}
}

func bytesOf(t *penguin.Tensor) int64 {
	n := int64(t.DType.Size())
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// large reports an internal value that takes more than limit bytes.
func (d *defs) large(t *penguin.Tensor, limit int64) bool {
	return t.Kind&io == 0 && !d.pinned[t] && !d.alias[t] && bytesOf(t) > limit
}

// chain is a stretch of a statement list that is to be cut.
type chain struct {
	f      *penguin.Func
	d      *defs
	body   *[]penguin.Stmt
	limit  int64
	lo, hi int // the stretch, inclusive
	ins    []*penguin.Inst

	axis   map[*penguin.Inst]*penguin.Axis // of the instructions that are cut
	dim    map[*penguin.Tensor]int         // of the values they make
	extent int64
	piece  int64
}

// find sets the stretch that starts at statement i.
func (c *chain) find(i int) bool {
	pos := map[*penguin.Inst]int{}
	for k, st := range *c.body {
		if in, ok := st.(*penguin.Inst); ok {
			pos[in] = k
		}
	}
	c.lo, c.hi = i, i
	for k := c.lo; k <= c.hi; k++ {
		in, ok := (*c.body)[k].(*penguin.Inst)
		if !ok || len(in.Out) != 1 {
			return false
		}
		c.ins = append(c.ins, in)
		t := in.Out[0].T
		if !c.d.large(t, c.limit) || c.d.value(t) != in {
			continue
		}
		for _, r := range c.d.readers[t] {
			p, ok := pos[r]
			if !ok {
				return false
			}
			c.hi = max(c.hi, p)
		}
	}
	return len(c.ins) > 1
}

// choose picks the dimension of the first value along which most of the chain can be cut.
func (c *chain) choose() bool {
	first := c.ins[0].Out[0].T
	best := &chain{}
	for k, n := range first.Shape {
		if n < 2 {
			continue
		}
		t := *c
		if !t.label(first, k) || !t.worth() {
			continue
		}
		if len(t.axis) > len(best.axis) {
			best = &t
		}
	}
	if len(best.axis) < 2 {
		return false
	}
	*c = *best
	return true
}

// axisOf is the parallel axis of in whose variable e is, nil if e is anything else.
func axisOf(in *penguin.Inst, e pelican.Expr) *penguin.Axis {
	for _, a := range in.Axes[:len(in.Axes)-in.Reduce] {
		if a.Var == e && a.Lo == 0 && a.Step == 1 {
			return a
		}
	}
	return nil
}

// label finds the axis of each instruction that dimension k of value first becomes. It fails when the dimension is
// not carried through by one that reads a chain value.
func (c *chain) label(first *penguin.Tensor, k int) bool {
	c.axis = map[*penguin.Inst]*penguin.Axis{}
	c.dim = map[*penguin.Tensor]int{}
	c.extent = first.Shape[k]
	for i, in := range c.ins {
		var ax *penguin.Axis
		if i == 0 {
			if ax = axisOf(in, in.Out[0].Dims[k]); ax == nil {
				return false
			}
		}
		for j := range in.In {
			a := &in.In[j]
			dk, ok := c.dim[a.T]
			if !ok {
				continue
			}
			x := axisOf(in, a.Dims[dk])
			if x == nil || ax != nil && x != ax || len(a.Ind) > 0 {
				return false
			}
			// The axis must not move the access in another dimension too.
			for q, e := range a.Dims {
				if q != dk && pelican.Uses(e, x.Var) {
					return false
				}
			}
			ax = x
		}
		t := in.Out[0].T
		if c.d.value(t) != in {
			return false
		}
		if ax == nil {
			// Independent of the chain: it moves in front.
			for j := range in.In {
				if len(in.In[j].Ind) > 0 {
					return false
				}
			}
			continue
		}
		if ax.Hi != c.extent || len(in.Pred) > 0 {
			return false
		}
		od := -1
		for q, e := range in.Out[0].Dims {
			if e == ax.Var {
				od = q
			}
		}
		if od < 0 {
			return false
		}
		for j := range in.In {
			if _, ok := c.dim[in.In[j].T]; !ok && (!c.d.stable(in.In[j].T) || len(in.In[j].Ind) > 0) {
				return false
			}
		}
		if _, ok := in.Attrs.(*penguin.Iota); ok {
			return false
		}
		c.axis[in], c.dim[t] = ax, od
	}
	return true
}

// worth sets the size of a piece and weighs what cutting saves, the round trips of the large values, against what
// it costs, fetching operands that every piece needs and that cannot stay on chip.
func (c *chain) worth() bool {
	var most, saved, again int64
	for _, in := range c.ins {
		if c.axis[in] == nil {
			continue
		}
		t := in.Out[0].T
		if c.local(t) {
			most = max(most, bytesOf(t))
			if bytesOf(t) > c.limit {
				saved += bytesOf(t) * int64(1+len(c.d.readers[t]))
			}
		}
		for j := range in.In {
			a := &in.In[j]
			if _, ok := c.dim[a.T]; ok {
				continue
			}
			dep := false
			for _, e := range a.Dims {
				dep = dep || pelican.Uses(e, c.axis[in].Var)
			}
			if !dep && bytesOf(a.T) > c.limit {
				again += bytesOf(a.T)
			}
		}
	}
	if most == 0 {
		return false
	}
	pieces := (2*most + c.limit - 1) / c.limit
	if pieces < 2 || pieces > c.extent || pieces > 64 {
		return false
	}
	c.piece = c.extent / pieces
	if c.piece > machine.MaxPartitions {
		c.piece -= c.piece % machine.MaxPartitions
	}
	// Whole pieces only need one plan; take a divisor when there is one close by.
	for p := c.piece; p*4 > c.piece*3; p-- {
		if c.extent%p == 0 {
			c.piece = p
			break
		}
	}
	return saved > again*(c.extent/c.piece-1)
}

// local reports a chain value that nobody outside the cut instructions reads.
func (c *chain) local(t *penguin.Tensor) bool {
	if t.Kind&io != 0 || c.d.pinned[t] || c.d.alias[t] {
		return false
	}
	for _, r := range c.d.readers[t] {
		if c.axis[r] == nil {
			return false
		}
	}
	return true
}

func (c *chain) rewrite() {
	var out []penguin.Stmt
	out = append(out, (*c.body)[:c.lo]...)
	for _, in := range c.ins {
		if c.axis[in] == nil {
			out = append(out, in)
		}
	}
	n := 0
	for lo := int64(0); lo < c.extent; lo += c.piece {
		cnt := min(c.piece, c.extent-lo)
		part := map[*penguin.Tensor]*penguin.Tensor{}
		for _, in := range c.ins {
			if c.axis[in] == nil {
				continue
			}
			t := in.Out[0].T
			if c.local(t) {
				p := *t
				p.Name = fmt.Sprintf("%s.p%d", t.Name, n)
				p.Shape = append([]int64(nil), t.Shape...)
				p.Shape[c.dim[t]] = cnt
				part[t] = &p
				c.f.Tensors = append(c.f.Tensors, &p)
			}
			out = append(out, c.cut(in, lo, cnt, part))
		}
		n++
	}
	out = append(out, (*c.body)[c.hi+1:]...)
	*c.body = out
	// The uncut values are gone.
	gone := map[*penguin.Tensor]bool{}
	for _, in := range c.ins {
		if c.axis[in] != nil && c.local(in.Out[0].T) {
			gone[in.Out[0].T] = true
		}
	}
	var keep []*penguin.Tensor
	for _, t := range c.f.Tensors {
		if !gone[t] {
			keep = append(keep, t)
		}
	}
	// Inputs first, outputs last.
	var outs []*penguin.Tensor
	c.f.Tensors = nil
	for _, t := range keep {
		if t.Kind&penguin.Output != 0 {
			outs = append(outs, t)
		} else {
			c.f.Tensors = append(c.f.Tensors, t)
		}
	}
	c.f.Tensors = append(c.f.Tensors, outs...)
}

// cut is in over values lo .. lo+cnt-1 of its axis. Accesses of part tensors count from 0, others from lo.
func (c *chain) cut(in *penguin.Inst, lo, cnt int64, part map[*penguin.Tensor]*penguin.Tensor) *penguin.Inst {
	x := *in
	old := c.axis[in]
	v := pelican.NewVar(old.Name, 0, cnt, 1)
	na := *old
	na.Hi, na.Var = cnt, v
	x.Axes = append([]*penguin.Axis(nil), in.Axes...)
	for i, a := range x.Axes {
		if a == old {
			x.Axes[i] = &na
		}
	}
	access := func(a penguin.Access) penguin.Access {
		at := pelican.AddConst(v, lo)
		if p := part[a.T]; p != nil {
			a.T, at = p, v
		}
		m := map[pelican.Expr]pelican.Expr{old.Var: at}
		dims := make([]pelican.Expr, len(a.Dims))
		for i, e := range a.Dims {
			dims[i] = pelican.Subst(e, m)
		}
		a.Dims = dims
		return a
	}
	x.In = make([]penguin.Access, len(in.In))
	for i := range in.In {
		x.In[i] = access(in.In[i])
	}
	x.Out = []penguin.Access{access(in.Out[0])}
	return &x
}

// io are the kinds whose storage the world outside the function sees.
const io = penguin.Input | penguin.Output | penguin.Const | penguin.InternalIO
