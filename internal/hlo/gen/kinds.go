package gen

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// kind is a kind of step. It returns false when no operands fit.
type kind struct {
	name    string
	control bool
	make    func(*generator) bool
}

var kinds = []kind{
	{"unary", false, unary}, {"binary", false, binary}, {"binary", false, binary}, {"compare", false, compare}, {"select", false, selectOp},
	{"clamp", false, clamp}, {"convert", false, convert}, {"reshape", false, reshape}, {"transpose", false, transpose}, {"broadcast", false, broadcast},
	{"slice", false, slice}, {"pad", false, pad}, {"concatenate", false, concatenate}, {"reverse", false, reverse}, {"reduce", false, reduce},
	{"reduce", false, reduce}, {"dot", false, dotGeneral}, {"dot", false, dotGeneral}, {"iota", false, iota}, {"dynamic_slice", true, dynamicSlice},
	{"dynamic_update_slice", true, dynamicUpdateSlice}, {"while", true, while}, {"convolution", false, convolution}, {"reduce_window", false, reduceWindow},
}

// unary ops that keep values bounded; the exact ones may feed what is discontinuous.
func unary(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return true })
	if !ok {
		return false
	}
	switch {
	case isFloat(v):
		smooth := []string{"tanh", "logistic", "negate", "abs", "sine", "cosine"}
		jumps := []string{"floor", "ceil", "sign", "round_nearest_even"}
		if v.exact && g.r.IntN(3) == 0 {
			g.add(g.b.Op("stablehlo."+jumps[g.r.IntN(len(jumps))], nil, v.v), true)
			return true
		}
		n := smooth[g.r.IntN(len(smooth))]
		if (n == "sine" || n == "cosine") && !v.exact {
			n = "tanh" // range reduction of large inexact values would amplify their error
		}
		g.add(g.b.Op("stablehlo."+n, nil, v.v), v.exact && (n == "negate" || n == "abs"))
	case isInt(v):
		n := []string{"negate", "abs", "not", "sign", "popcnt", "count_leading_zeros"}[g.r.IntN(6)]
		g.add(g.b.Op("stablehlo."+n, nil, v.v), true)
	default:
		g.add(g.b.Op("stablehlo.not", nil, v.v), true)
	}
	return true
}

func binary(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return true })
	if !ok {
		return false
	}
	w := g.sameShape(v.t)
	switch {
	case isFloat(v):
		n := []string{"add", "subtract", "multiply", "maximum", "minimum"}[g.r.IntN(5)]
		r := g.b.Op("stablehlo."+n, nil, v.v, w.v)
		exact := v.exact && w.exact && (n == "maximum" || n == "minimum")
		if n == "multiply" { // keep magnitudes from growing step by step
			r = g.b.Op("stablehlo.tanh", nil, r)
		}
		g.add(r, exact)
	case isInt(v):
		n := []string{"add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "divide", "remainder", "shift_left", "shift_right_logical", "shift_right_arithmetic"}[g.r.IntN(13)]
		g.add(g.b.Op("stablehlo."+n, nil, v.v, w.v), true)
	default:
		n := []string{"and", "or", "xor"}[g.r.IntN(3)]
		g.add(g.b.Op("stablehlo."+n, nil, v.v, w.v), true)
	}
	return true
}

func compare(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return number(v) && v.exact })
	if !ok {
		return false
	}
	w := g.sameShape(v.t)
	if !w.exact {
		return false
	}
	dir := []string{"EQ", "NE", "LT", "LE", "GT", "GE"}[g.r.IntN(6)]
	g.add(g.b.Compare(dir, v.v, w.v), true)
	return true
}

func selectOp(g *generator) bool {
	p, ok := g.pick(isPred)
	if !ok {
		return false
	}
	t := hlo.Tensor([]dtype.Type{dtype.F32, dtype.I32}[g.r.IntN(2)], p.t.Dims...)
	a, b := g.sameShape(t), g.sameShape(t)
	g.add(g.b.Select(p.v, a.v, b.v), a.exact && b.exact)
	return true
}

func clamp(g *generator) bool {
	v, ok := g.pick(number)
	if !ok {
		return false
	}
	lo, hi := g.b.IntConst(-2, v.t.Elem), g.b.IntConst(2, v.t.Elem)
	if isFloat(v) {
		lo, hi = g.b.Const(-1.5, v.t.Elem), g.b.Const(1.25, v.t.Elem)
	}
	g.add(g.b.Op("stablehlo.clamp", nil, lo, v.v, hi), v.exact)
	return true
}

func convert(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return v.exact || isFloat(v) })
	if !ok {
		return false
	}
	switch {
	case isInt(v): // bounded first, so that the float is exact
		c := g.b.Op("stablehlo.clamp", nil, g.b.IntConst(-1000, dtype.I32), v.v, g.b.IntConst(1000, dtype.I32))
		g.add(g.b.Convert(c, dtype.F32), true)
	case isPred(v):
		g.add(g.b.Convert(v.v, []dtype.Type{dtype.F32, dtype.I32}[g.r.IntN(2)]), true)
	case v.exact:
		c := g.b.Op("stablehlo.clamp", nil, g.b.Const(-1000, dtype.F32), v.v, g.b.Const(1000, dtype.F32))
		g.add(g.b.Convert(c, dtype.I32), true)
	default:
		return false
	}
	return true
}

// anyValue picks a value of rank lo or more.
func (g *generator) anyValue(lo int) (value, bool) {
	return g.pick(func(v value) bool { return len(v.t.Dims) >= lo })
}

func reshape(g *generator) bool {
	v, ok := g.anyValue(0)
	if !ok {
		return false
	}
	n, _ := v.t.NumElements()
	var dims []int64
	for n > 1 && len(dims) < 3 {
		d := int64(1)
		for _, p := range []int64{2, 3, 5, 7, 4, 8} {
			if n%p == 0 && g.r.IntN(2) == 0 {
				d = p
			}
		}
		dims = append(dims, d)
		n /= d
	}
	dims = append(dims, n)
	g.r.Shuffle(len(dims), func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
	g.add(g.b.Reshape(v.v, dims...), v.exact)
	return true
}

func transpose(g *generator) bool {
	v, ok := g.anyValue(2)
	if !ok {
		return false
	}
	perm := make([]int64, len(v.t.Dims))
	for i, p := range g.r.Perm(len(perm)) {
		perm[i] = int64(p)
	}
	g.add(g.b.Transpose(v.v, perm...), v.exact)
	return true
}

func broadcast(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return len(v.t.Dims) <= 2 })
	if !ok {
		return false
	}
	var shape, at []int64
	n, _ := v.t.NumElements()
	for _, d := range v.t.Dims {
		if e := g.dim(); g.r.IntN(2) == 0 && n*e < 20000 {
			shape = append(shape, e)
			n *= e
		}
		at = append(at, int64(len(shape)))
		if e := g.dim(); d == 1 && n*e < 20000 {
			shape = append(shape, e)
			n *= e
		} else {
			shape = append(shape, d)
		}
	}
	if len(shape) == len(v.t.Dims) && n < 5000 {
		shape = append(shape, 1+g.r.Int64N(4))
	}
	g.add(g.b.BroadcastInDim(v.v, shape, at...), v.exact)
	return true
}

func slice(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	var lo, hi, st []int64
	for _, d := range v.t.Dims {
		a := g.r.Int64N(d)
		b := a + 1 + g.r.Int64N(d-a)
		lo, hi, st = append(lo, a), append(hi, b), append(st, 1+g.r.Int64N(3))
	}
	g.add(g.b.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(lo...)}, {Name: "limit_indices", Attr: hlo.IntList(hi...)},
		{Name: "strides", Attr: hlo.IntList(st...)}}, v.v), v.exact)
	return true
}

func pad(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	var lo, hi, mid []int64
	for _, d := range v.t.Dims {
		l, h := g.r.Int64N(4)-1, g.r.Int64N(4)-1
		if d+min(l, 0)+min(h, 0) < 1 {
			l, h = 1, 0
		}
		m := int64(0)
		if g.r.IntN(3) == 0 && d < 40 {
			m = 1
		}
		lo, hi, mid = append(lo, l), append(hi, h), append(mid, m)
	}
	z := g.constant(hlo.Tensor(v.t.Elem))
	g.add(g.b.Op("stablehlo.pad", hlo.Attrs{{Name: "edge_padding_low", Attr: hlo.IntList(lo...)}, {Name: "edge_padding_high", Attr: hlo.IntList(hi...)},
		{Name: "interior_padding", Attr: hlo.IntList(mid...)}}, v.v, z), v.exact)
	return true
}

func concatenate(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	d := g.r.IntN(len(v.t.Dims))
	t := hlo.Tensor(v.t.Elem, append([]int64(nil), v.t.Dims...)...)
	t.Dims[d] = 1 + g.r.Int64N(g.o.MaxDim)
	w := g.sameShape(t)
	ops := []*hlo.Value{v.v, w.v}
	if g.r.IntN(2) == 0 {
		ops = []*hlo.Value{w.v, v.v, v.v}
	}
	g.add(g.b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(int64(d))}}, ops...), v.exact && w.exact)
	return true
}

func reverse(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	var dims []int64
	for i := range v.t.Dims {
		if g.r.IntN(2) == 0 {
			dims = append(dims, int64(i))
		}
	}
	g.add(g.b.Op("stablehlo.reverse", hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(dims...)}}, v.v), v.exact)
	return true
}

func reduce(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	var dims []int64
	for i := range v.t.Dims {
		if g.r.IntN(2) == 0 {
			dims = append(dims, int64(i))
		}
	}
	switch {
	case isFloat(v):
		op := []string{"add", "maximum", "minimum"}[g.r.IntN(3)]
		init := map[string]float64{"add": 0, "maximum": -3, "minimum": 3}[op]
		r := g.b.Reduce("stablehlo."+op, v.v, init, dims...)
		if op == "add" {
			r = g.b.Op("stablehlo.tanh", nil, g.b.Op("stablehlo.multiply", nil, r, g.b.Const(0.125, dtype.F32, r.Type.(*hlo.TensorType).Dims...)))
		}
		g.add(r, v.exact && op != "add")
	case isInt(v):
		op := []string{"add", "maximum", "minimum", "and", "or"}[g.r.IntN(5)]
		init := map[string]float64{"add": 0, "maximum": -7, "minimum": 7, "and": -1, "or": 0}[op]
		g.add(g.b.Reduce("stablehlo."+op, v.v, init, dims...), true)
	default:
		op := []string{"and", "or"}[g.r.IntN(2)]
		init := map[string]float64{"and": 1, "or": 0}[op]
		g.add(g.b.Reduce("stablehlo."+op, v.v, init, dims...), true)
	}
	return true
}

func dotGeneral(g *generator) bool {
	a, ok := g.pick(func(v value) bool { return isFloat(v) && len(v.t.Dims) >= 1 && len(v.t.Dims) <= 3 })
	if !ok {
		return false
	}
	// The last or first dimension contracts; with three, the first may be a batch.
	d := &hlo.DotDims{}
	var rhs []int64
	lead := 0
	if len(a.t.Dims) == 3 {
		d.LhsBatch, d.RhsBatch = []int64{0}, []int64{0}
		rhs = append(rhs, a.t.Dims[0])
		lead = 1
	}
	c := lead + g.r.IntN(len(a.t.Dims)-lead)
	d.LhsContract = []int64{int64(c)}
	n := g.dim()
	if g.r.IntN(2) == 0 {
		d.RhsContract = []int64{int64(len(rhs))}
		rhs = append(rhs, a.t.Dims[c], n)
	} else {
		d.RhsContract = []int64{int64(len(rhs)) + 1}
		rhs = append(rhs, n, a.t.Dims[c])
	}
	w := g.sameShape(hlo.Tensor(dtype.F32, rhs...))
	var dims []int64
	if lead == 1 {
		dims = append(dims, a.t.Dims[0])
	}
	for i := lead; i < len(a.t.Dims); i++ {
		if i != c {
			dims = append(dims, a.t.Dims[i])
		}
	}
	dims = append(dims, n)
	r := g.b.Typed("stablehlo.dot_general", hlo.Tensor(dtype.F32, dims...), hlo.Attrs{{Name: "dot_dimension_numbers", Attr: d}}, a.v, w.v)
	s := g.b.Op("stablehlo.multiply", nil, r, g.b.Const(0.125, dtype.F32, dims...))
	g.add(g.b.Op("stablehlo.tanh", nil, s), false)
	return true
}

func iota(g *generator) bool {
	t := hlo.Tensor([]dtype.Type{dtype.F32, dtype.I32}[g.r.IntN(2)], g.dims(1+g.r.IntN(3))...)
	g.add(g.b.Typed("stablehlo.iota", t, hlo.Attrs{{Name: "iota_dimension", Attr: hlo.IntOf(g.r.Int64N(int64(len(t.Dims))))}}), true)
	return true
}

// starts makes run-time start indices out of a scalar in scope, one a dimension.
func (g *generator) starts(rank int) ([]*hlo.Value, bool) {
	out := make([]*hlo.Value, rank)
	for i := range out {
		out[i] = g.b.IntConst(g.r.Int64N(6)-1, dtype.I32)
		if v, ok := g.pick(func(v value) bool { return isInt(v) && len(v.t.Dims) == 0 }); ok {
			out[i] = v.v
		}
	}
	return out, true
}

func dynamicSlice(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	idx, _ := g.starts(len(v.t.Dims))
	var sizes []int64
	for _, d := range v.t.Dims {
		sizes = append(sizes, 1+g.r.Int64N(d))
	}
	g.add(g.b.Op("stablehlo.dynamic_slice", hlo.Attrs{{Name: "slice_sizes", Attr: hlo.IntList(sizes...)}}, append([]*hlo.Value{v.v}, idx...)...), v.exact)
	return true
}

func dynamicUpdateSlice(g *generator) bool {
	v, ok := g.anyValue(1)
	if !ok {
		return false
	}
	idx, _ := g.starts(len(v.t.Dims))
	t := hlo.Tensor(v.t.Elem)
	for _, d := range v.t.Dims {
		t.Dims = append(t.Dims, 1+g.r.Int64N(d))
	}
	u := g.sameShape(t)
	g.add(g.b.Op("stablehlo.dynamic_update_slice", nil, append([]*hlo.Value{v.v, u.v}, idx...)...), v.exact && u.exact)
	return true
}

// while repeats a bounded step a small number of times that is known only at run time.
func while(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return isFloat(v) })
	if !ok {
		return false
	}
	n := g.b.IntConst(g.r.Int64N(4), dtype.I32)
	if s, ok := g.pick(func(v value) bool { return isInt(v) && len(v.t.Dims) == 0 }); ok {
		n = g.b.Op("stablehlo.clamp", nil, g.b.IntConst(0, dtype.I32), s.v, g.b.IntConst(3, dtype.I32))
	}
	i32 := hlo.Tensor(dtype.I32)
	zero := g.b.IntConst(0, dtype.I32)
	args := func() []*hlo.Value {
		return []*hlo.Value{{Type: i32}, {Type: i32, Index: 1}, {Type: v.t, Index: 2}}
	}
	ca, ba := args(), args()
	cond := &hlo.Block{Args: ca}
	cb := &hlo.Builder{Block: cond}
	cb.Return(cb.Compare("LT", ca[0], ca[1]))
	body := &hlo.Block{Args: ba}
	bb := &hlo.Builder{Block: body}
	next := bb.Op("stablehlo.add", nil, ba[0], bb.IntConst(1, dtype.I32))
	half := bb.Op("stablehlo.multiply", nil, ba[2], bb.Const(0.5, dtype.F32, v.t.Dims...))
	bb.Return(next, ba[1], bb.Op("stablehlo.tanh", nil, bb.Op("stablehlo.add", nil, half, bb.Const(0.25, dtype.F32, v.t.Dims...))))
	r := g.b.Ops("stablehlo.while", []*hlo.Value{zero, n, v.v}, nil, []*hlo.Region{{Blocks: []*hlo.Block{cond}}, {Blocks: []*hlo.Block{body}}}, i32, i32, v.t)
	g.add(r[2], false)
	return true
}

func pairs(v ...int64) *hlo.DenseAttr {
	t := tensorOf(v)
	return hlo.DenseOf(t)
}

func convolution(g *generator) bool {
	n, h, w, ci, co := 1+g.r.Int64N(2), 3+g.r.Int64N(6), 3+g.r.Int64N(6), 1+g.r.Int64N(5), 1+g.r.Int64N(6)
	kh, kw := 1+g.r.Int64N(3), 1+g.r.Int64N(3)
	a := g.sameShape(hlo.Tensor(dtype.F32, n, h, w, ci))
	k := g.sameShape(hlo.Tensor(dtype.F32, kh, kw, ci, co))
	sh, sw := 1+g.r.Int64N(2), 1+g.r.Int64N(2)
	ph, pw := g.r.Int64N(2), g.r.Int64N(2)
	out := func(d, k, s, p int64) int64 { return (d+2*p-k)/s + 1 }
	dims := []int64{n, out(h, kh, sh, ph), out(w, kw, sw, pw), co}
	r := g.b.Typed("stablehlo.convolution", hlo.Tensor(dtype.F32, dims...), hlo.Attrs{
		{Name: "window_strides", Attr: hlo.IntList(sh, sw)}, {Name: "padding", Attr: pairs(ph, ph, pw, pw)},
		{Name: "dimension_numbers", Attr: &hlo.ConvDims{InBatch: 0, InFeature: 3, InSpatial: []int64{1, 2}, KernelInFeature: 2, KernelOutFeature: 3,
			KernelSpatial: []int64{0, 1}, OutBatch: 0, OutFeature: 3, OutSpatial: []int64{1, 2}}},
		{Name: "feature_group_count", Attr: hlo.IntOf(1)}, {Name: "batch_group_count", Attr: hlo.IntOf(1)}}, a.v, k.v)
	g.add(g.b.Op("stablehlo.tanh", nil, g.b.Op("stablehlo.multiply", nil, r, g.b.Const(0.25, dtype.F32, dims...))), false)
	return true
}

func reduceWindow(g *generator) bool {
	v, ok := g.pick(func(v value) bool { return isFloat(v) && len(v.t.Dims) >= 1 && len(v.t.Dims) <= 3 })
	if !ok {
		return false
	}
	var size, stride, padding []int64
	for _, d := range v.t.Dims {
		size = append(size, 1+g.r.Int64N(min(d, 3)))
		stride = append(stride, 1+g.r.Int64N(2))
		p := g.r.Int64N(2)
		padding = append(padding, p, 0)
	}
	op, init := "add", 0.0
	if g.r.IntN(2) == 0 {
		op, init = "maximum", -4
	}
	z := g.b.Const(init, dtype.F32)
	r := g.b.Ops("stablehlo.reduce_window", []*hlo.Value{v.v, z}, hlo.Attrs{{Name: "window_dimensions", Attr: hlo.IntList(size...)},
		{Name: "window_strides", Attr: hlo.IntList(stride...)}, {Name: "padding", Attr: pairs(padding...)}},
		[]*hlo.Region{g.b.BinaryRegion("stablehlo."+op, dtype.F32)})[0]
	if op == "add" {
		r = g.b.Op("stablehlo.tanh", nil, r)
	}
	g.add(r, v.exact && op == "maximum")
	return true
}
