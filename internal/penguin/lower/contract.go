package lower

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	register(dotGeneral, "stablehlo.dot_general", "stablehlo.dot")
	register(convolution, "stablehlo.convolution")
}

// operandCast narrows an fp32 operand of a contraction when --auto-cast asks for it.
func (l *lowerer) operandCast(v view) (view, error) {
	if l.opts.AutoCast != "matmult" || v.t.DType != dtype.F32 {
		return v, nil
	}
	// The whole tensor is converted where the view reads each element once, else what the view shows.
	src := v
	if elems(v.shape) >= elems(v.t.Shape) {
		src = whole(v.t)
	}
	c, err := l.compute("convert", nil, l.castType(), src.shape, src)
	if err != nil {
		return v, err
	}
	if elems(v.shape) >= elems(v.t.Shape) {
		v.t = c.t
		return v, nil
	}
	return c, nil
}

// contract emits sum over red of a[ia]*b[ib] into out[io] and falls back to copies of operands whose index
// expressions ask for conflicting splits.
func (l *lowerer) contract(par, red []axis, a, b view, ia, ib []pelican.Expr, out *penguin.Tensor, io []pelican.Expr) error {
	axes := append(append([]axis(nil), par...), red...)
	for try := 0; ; try++ {
		if l.inst("contract", axes, len(red), []penguin.Access{a.access(ia), b.access(ib)}, penguin.Access{T: out, Dims: io}, nil) {
			return nil
		}
		if try == 3 {
			return diag.Internalf(codeInternal, l.op.Loc, "contraction whose index expressions cannot be made linear")
		}
		// One operand first: often the other one's splits can stay.
		var err error
		if try == 0 {
			b, err = l.copyOf(b)
		} else {
			a, err = l.copyOf(a)
		}
		if err != nil {
			return err
		}
	}
}

func dotGeneral(l *lowerer, o *hlo.Op) error {
	a, b := l.in(o, 0), l.in(o, 1)
	d, _ := o.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
	if d == nil {
		if o.Name() != "stablehlo.dot" {
			return l.unsupported("dot_dimension_numbers is missing")
		}
		d = &hlo.DotDims{LhsContract: []int64{int64(len(a.shape) - 1)}, RhsContract: []int64{0}}
	}
	ia, ib := make([]pelican.Expr, len(a.shape)), make([]pelican.Expr, len(b.shape))
	var par, red []axis
	shape := o.Out(0).Dims
	out := make([]pelican.Expr, len(shape))
	free := func(prefix string, n int64) pelican.Expr {
		k := len(par)
		v := axisVar(prefix, k, n)
		par = append(par, axis{v, n})
		out[k] = v
		return v
	}
	for i, x := range d.LhsBatch {
		v := free("b", a.shape[x])
		ia[x], ib[d.RhsBatch[i]] = v, v
	}
	for i, x := range d.LhsContract {
		n := a.shape[x]
		v := axisVar("k", i, n)
		red = append(red, axis{v, n})
		ia[x], ib[d.RhsContract[i]] = v, v
	}
	for i := range ia {
		if ia[i] == nil {
			ia[i] = free("m", a.shape[i])
		}
	}
	for i := range ib {
		if ib[i] == nil {
			ib[i] = free("n", b.shape[i])
		}
	}
	return l.product(o, a, b, par, red, ia, ib, out)
}

// product finishes a contraction: casts, the empty sum, and element types that need a conversion first.
func (l *lowerer) product(o *hlo.Op, a, b view, par, red []axis, ia, ib, io []pelican.Expr) error {
	t := l.elem(o.Out(0).Elem)
	shape := o.Out(0).Dims
	for _, r := range red {
		if r.n == 0 {
			l.set(o, 0, l.filled(t, shape, 0))
			return nil
		}
	}
	var err error
	if a, err = l.operandCast(a); err != nil {
		return err
	}
	if b, err = l.operandCast(b); err != nil {
		return err
	}
	res := whole(l.tensor("contract", t, shape))
	res.fresh = l.region
	l.set(o, 0, res)
	return l.contract(par, red, a, b, ia, ib, res.t, io)
}

// convolution is a contraction over input features and window positions of the padded, dilated input:
//
//	y[n, s, g*O+o] = sum over c, w of x[n, s*stride + w*dilation, g*C+c] * k[rev(w), c, g*O+o]
func convolution(l *lowerer, o *hlo.Op) error {
	d, ok := o.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
	if !ok {
		return l.unsupported("dimension_numbers is missing")
	}
	w, err := hlo.ConvWindow(o)
	if err != nil {
		return err
	}
	x, k := l.in(o, 0), l.in(o, 1)
	shape := o.Out(0).Dims
	t := l.elem(o.Out(0).Elem)
	if elems(shape) == 0 || elems(x.shape) == 0 || elems(k.shape) == 0 {
		l.set(o, 0, l.filled(t, shape, 0))
		return nil
	}
	ns := len(d.InSpatial)
	rev := o.Bools("window_reversal", ns)

	n := len(x.shape)
	p := padding{make([]int64, n), make([]int64, n), make([]int64, n)}
	for i, s := range d.InSpatial {
		p.low[s], p.high[s], p.interior[s] = w.Pad[i][0], w.Pad[i][1], w.BaseDilation[i]-1
	}
	if !p.none() {
		if x, err = l.padded(x, l.constSplat(x.t.DType, make([]byte, 8)), p); err != nil {
			return err
		}
	}
	fg, bg := o.IntOr("feature_group_count", 1), o.IntOr("batch_group_count", 1)
	g := max(fg, bg)
	batch := shape[d.OutBatch]
	feats := shape[d.OutFeature] / g
	chans := k.shape[d.KernelInFeature]

	ia, ib, io := make([]pelican.Expr, len(x.shape)), make([]pelican.Expr, len(k.shape)), make([]pelican.Expr, len(shape))
	var par, red []axis
	add := func(list *[]axis, name string, i int, n int64) pelican.Expr {
		v := axisVar(name, i, n)
		*list = append(*list, axis{v, n})
		return v
	}
	gv := add(&par, "g", 0, g)
	bv := add(&par, "b", 0, batch)
	var sv []pelican.Expr
	for i, s := range d.OutSpatial {
		sv = append(sv, add(&par, "s", i, shape[s]))
		io[s] = sv[i]
	}
	fv := add(&par, "f", 0, feats)
	cv := add(&red, "c", 0, chans)
	for i, s := range d.InSpatial {
		wv := add(&red, "w", i, w.Size[i])
		ia[s] = pelican.Add(pelican.Mul(sv[i], w.Stride[i]), pelican.Mul(wv, w.Dilation[i]))
		ib[d.KernelSpatial[i]] = wv
		if rev[i] {
			ib[d.KernelSpatial[i]] = pelican.Sub(pelican.Const(w.Size[i]-1), wv)
		}
	}
	ia[d.InBatch], ia[d.InFeature] = bv, cv
	if bg > 1 {
		ia[d.InBatch] = pelican.Add(pelican.Mul(gv, batch), bv)
	} else if fg > 1 {
		ia[d.InFeature] = pelican.Add(pelican.Mul(gv, chans), cv)
	}
	ib[d.KernelInFeature] = cv
	ib[d.KernelOutFeature] = pelican.Add(pelican.Mul(gv, feats), fv)
	io[d.OutBatch] = bv
	io[d.OutFeature] = ib[d.KernelOutFeature]
	return l.product(o, x, k, par, red, ia, ib, io)
}
