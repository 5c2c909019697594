package lower

import (
	"fmt"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

// tensor declares a scratch tensor.
func (l *lowerer) tensor(base string, t dtype.Type, shape []int64) *penguin.Tensor {
	x := &penguin.Tensor{
		Name:  fmt.Sprintf("%s_%d", base, len(l.fn.Tensors)),
		DType: t, Shape: append([]int64(nil), shape...), Kind: penguin.NonLocal,
	}
	if l.op != nil {
		x.Loc = l.op.Loc
	}
	l.fn.Tensors = append(l.fn.Tensors, x)
	return x
}

// inst appends an instruction over axes, the last reduce of which are reduced. Axes of one value are left out, and
// an instruction over an empty axis is not emitted. ok is false, and nothing emitted, when an access cannot be
// brought to linear form by splitting axes.
func (l *lowerer) inst(op string, axes []axis, reduce int, ins []penguin.Access, out penguin.Access, attrs penguin.Attrs) (ok bool) {
	var used []axis
	red := 0
	for i, a := range axes {
		if a.n == 0 {
			return true
		}
		if a.n > 1 {
			used = append(used, a)
			if i >= len(axes)-reduce {
				red++
			}
		}
	}
	var flats []pelican.Expr
	for _, a := range append(append([]penguin.Access(nil), ins...), out) {
		flats = append(flats, pelican.Flatten(a.Dims, a.T.Shape))
	}
	used, red, m, ok := linearise(used, red, flats)
	if !ok {
		return false
	}
	in := &penguin.Inst{ID: l.nextID, Op: penguin.Op(op), Reduce: red, Attrs: attrs}
	l.nextID++
	if l.op != nil {
		in.Loc, in.Src, in.Name = l.op.Loc, l.op.Name(), l.op.NameLoc
	}
	for _, a := range used {
		typ := penguin.Parallel
		if op == "scatter" {
			typ = penguin.Sequential
		}
		in.Axes = append(in.Axes, &penguin.Axis{Name: a.v.Name(), Lo: 0, Hi: a.n, Step: 1, Type: typ, Var: a.v})
	}
	for _, a := range ins {
		in.In = append(in.In, subst(a, m))
	}
	in.Out = []penguin.Access{subst(out, m)}
	if v, ok := attrs.(*penguin.Iota); ok && len(m) > 0 {
		in.Attrs = &penguin.Iota{Value: pelican.Subst(v.Value, m)}
	}
	*l.body = append(*l.body, in)
	return true
}

func subst(a penguin.Access, m map[pelican.Expr]pelican.Expr) penguin.Access {
	if len(m) == 0 {
		return a
	}
	d := make([]pelican.Expr, len(a.Dims))
	for i, e := range a.Dims {
		d[i] = pelican.Subst(e, m)
	}
	a.Dims = d
	ind := append([]penguin.Indirect(nil), a.Ind...)
	for i := range ind {
		at := make([]pelican.Expr, len(ind[i].At))
		for j, e := range ind[i].At {
			at[j] = pelican.Subst(e, m)
		}
		ind[i].At = at
	}
	a.Ind = ind
	return a
}

func axesOf(shape []int64) []axis {
	out := make([]axis, len(shape))
	for k, n := range shape {
		out[k] = axis{dim(k, n), n}
	}
	return out
}

// into emits an instruction without reduction whose point d reads element d of every operand and writes element d
// of out. All have one shape.
func (l *lowerer) into(out view, op string, attrs penguin.Attrs, ins ...view) error {
	emit := func() bool {
		acc := make([]penguin.Access, len(ins))
		for i, v := range ins {
			acc[i] = penguin.Access{T: v.t, Dims: v.idx}
		}
		return l.inst(op, axesOf(out.shape), 0, acc, penguin.Access{T: out.t, Dims: out.idx}, attrs)
	}
	if emit() {
		return nil
	}
	if len(ins) > 1 {
		// Splits that the operands ask for conflict: give those that need one a tensor of their own.
		ins = append([]view(nil), ins...)
		for i, v := range ins {
			if !pelican.IsAffine(v.flat()) {
				c, err := l.copyOf(v)
				if err != nil {
					return err
				}
				ins[i] = c
			}
		}
		if emit() {
			return nil
		}
	}
	return l.inPieces(out, op, attrs, ins)
}

// maxPieces bounds the instructions that ops of one program are cut into.
const maxPieces = 1 << 16

// inPieces emits one instruction for each value of the shortest dimension that stands in a division, where no split
// resolves it: reshapes between extents without a common factor, behind slices.
func (l *lowerer) inPieces(out view, op string, attrs penguin.Attrs, ins []view) error {
	k := -1
	for _, v := range append([]view{out}, ins...) {
		d := divisionOf(v.flat())
		if d == nil {
			continue
		}
		for i, n := range out.shape {
			if n > 1 && pelican.Uses(d, dim(i, n)) && (k < 0 || n < out.shape[k]) {
				k = i
			}
		}
	}
	if k < 0 {
		return diag.Internalf(codeInternal, l.op.Loc, "%s: index expressions over %v cannot be made linear", op, out.shape)
	}
	if l.pieces += out.shape[k]; l.pieces > maxPieces {
		return l.unsupported("its index expressions over %v take more than %d instructions", out.shape, maxPieces)
	}
	start := make([]int64, len(out.shape))
	shape := append([]int64(nil), out.shape...)
	shape[k] = 1
	for i := range out.shape[k] {
		start[k] = i
		sub := make([]view, len(ins))
		for j, v := range ins {
			sub[j] = v.slice(start, nil, shape)
		}
		if err := l.into(out.slice(start, nil, shape), op, attrs, sub...); err != nil {
			return err
		}
	}
	return nil
}

// viewOf is v.of(shape, ix), behind a copy of v when splitting axes would not resolve the divisions it has.
func (l *lowerer) viewOf(v view, shape []int64, ix []pelican.Expr) (view, error) {
	r := v.of(shape, ix)
	if _, _, _, ok := linearise(used(shape), 0, []pelican.Expr{r.flat()}); ok {
		return r, nil
	}
	c, err := l.copyOf(v)
	if err != nil {
		return view{}, err
	}
	return c.of(shape, ix), nil
}

// compute emits an elementwise instruction into a new tensor. Scalar operands are spread.
func (l *lowerer) compute(op string, attrs penguin.Attrs, t dtype.Type, shape []int64, ins ...view) (view, error) {
	spread := make([]view, len(ins))
	for i, v := range ins {
		spread[i] = v.splatTo(shape)
	}
	out := whole(l.tensor(op, t, shape))
	out.fresh = l.region
	return out, l.into(out, op, attrs, spread...)
}

// copyOf puts the elements of v into a new tensor of its shape.
func (l *lowerer) copyOf(v view) (view, error) {
	out := whole(l.tensor("copy", v.t.DType, v.shape))
	out.fresh = l.region
	return out, l.into(out, "copy", nil, v)
}

// asWhole returns a view of all of a tensor with v's elements, copying when v is not one.
func (l *lowerer) asWhole(v view) (view, error) {
	if v.isWhole() {
		return v, nil
	}
	return l.copyOf(v)
}

// filled is a new tensor holding one value.
func (l *lowerer) filled(t dtype.Type, shape []int64, bits uint64) view {
	out := whole(l.tensor("fill", t, shape))
	out.fresh = l.region
	l.inst("fill", axesOf(shape), 0, nil, penguin.Access{T: out.t, Dims: out.idx}, &penguin.Fill{Bits: bits})
	return out
}

// filledWith is a new tensor whose elements are all the scalar v.
func (l *lowerer) filledWith(v view, shape []int64) (view, error) {
	if bits, ok := l.splat(v); ok {
		return l.filled(v.t.DType, shape, bits), nil
	}
	return l.copyOf(v.splatTo(shape))
}

// splat returns the bits of the only value of v, if v reads a constant scalar.
func (l *lowerer) splat(v view) (uint64, bool) {
	if v.t.Kind&penguin.Const == 0 || len(v.t.Shape) != 0 {
		return 0, false
	}
	return bitsOf(v.t.Init.Data), true
}

func bitsOf(b []byte) uint64 {
	var u uint64
	for i := len(b) - 1; i >= 0; i-- {
		u = u<<8 | uint64(b[i])
	}
	return u
}
