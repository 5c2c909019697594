package hlo

import "github.com/alcadev/alca/internal/dtype"

var windowAttrs = []AttrDef{req("window_dimensions", AttrInts), opt("window_strides", AttrInts), opt("base_dilations", AttrInts),
	opt("window_dilations", AttrInts), opt("padding", AttrPairs)}

var _ = define(
	OpDef{Name: "stablehlo.reduce", Doc: "dimensions folded by a region, from initial values", In: atLeast(2), Out: atLeast(1), Regions: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimensions", AttrInts)}, Infer: inferReduce, Verify: verifyReduction},
	OpDef{Name: "stablehlo.reduce_window", Doc: "windows folded by a region, from initial values", In: atLeast(2), Out: atLeast(1), Regions: exactly(1), Traits: Pure,
		Attrs: windowAttrs, Infer: inferReduceWindow, Verify: verifyReduction},
	OpDef{Name: "stablehlo.select_and_scatter", Doc: "source values added where a window's chosen element stands", In: exactly(3), Out: exactly(1), Regions: exactly(2),
		Traits: Pure, Attrs: []AttrDef{opt("window_dimensions", AttrInts), opt("window_strides", AttrInts), opt("padding", AttrPairs)},
		Infer: inferSelectAndScatter, Verify: verifySelectAndScatter},
	OpDef{Name: "stablehlo.map", Doc: "a region applied element by element", In: atLeast(1), Out: exactly(1), Regions: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimensions", AttrInts)}, Verify: verifyMap},
	OpDef{Name: "stablehlo.batch_norm_inference", Doc: "normalisation by given mean and variance", In: exactly(5), Out: exactly(1), Traits: Pure,
		Attrs: batchNormAttrs, Infer: inferFirst, Verify: verifyBatchNorm},
	OpDef{Name: "stablehlo.batch_norm_training", Doc: "normalisation by batch statistics, which are results too", In: exactly(3), Out: exactly(3), Traits: Pure,
		Attrs: batchNormAttrs, Infer: inferBatchNormTraining, Verify: verifyBatchNorm},
	OpDef{Name: "stablehlo.batch_norm_grad", Doc: "gradients of batch_norm_training", In: exactly(5), Out: exactly(3), Traits: Pure,
		Attrs: batchNormAttrs, Infer: inferBatchNormTraining, Verify: verifyBatchNorm},
	OpDef{Name: "stablehlo.cholesky", Doc: "Cholesky factor of symmetric positive-definite matrices", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{opt("lower", AttrBool)}, Infer: inferFirst, Verify: verifySquare},
	OpDef{Name: "stablehlo.triangular_solve", Doc: "solution of triangular systems", In: exactly(2), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("left_side", AttrBool), req("lower", AttrBool), req("unit_diagonal", AttrBool), req("transpose_a", AttrEnum)},
		Infer: inferSecond, Verify: verifyTriangularSolve},
	OpDef{Name: "stablehlo.fft", Doc: "discrete Fourier transform", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("fft_type", AttrEnum), req("fft_length", AttrInts)}, Infer: inferFFT},
	OpDef{Name: "stablehlo.rng", Doc: "random numbers of a distribution, from hidden state", In: exactly(3), Out: exactly(1), Traits: Effect,
		Attrs: []AttrDef{req("rng_distribution", AttrEnum)}, Verify: verifyRng},
	OpDef{Name: "stablehlo.rng_bit_generator", Doc: "random bits and the next state", In: exactly(1), Out: exactly(2), Traits: Pure,
		Attrs: []AttrDef{req("rng_algorithm", AttrEnum)}, Verify: verifyRngBits},
)

var batchNormAttrs = []AttrDef{req("epsilon", AttrFloat), req("feature_index", AttrInt)}

func inferFirst(o *Op) ([]Type, error) {
	t, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	return []Type{like(t, t.Dims)}, nil
}

// inferSelectAndScatter: the operand's shape; the scatter region may widen the element type.
func inferSelectAndScatter(o *Op) ([]Type, error) {
	t, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	return []Type{like(bodyElem(o, 1, 0, t), t.Dims)}, nil
}

func inferSecond(o *Op) ([]Type, error) {
	t, err := tensorIn(o, 1)
	if err != nil {
		return nil, err
	}
	return []Type{like(t, t.Dims)}, nil
}

// reduceInputs checks the 2n operands of a reduction: n inputs of one shape and n scalar initial values.
func reduceInputs(o *Op) (int, *TensorType, error) {
	if len(o.Operands)%2 != 0 {
		return 0, nil, errf(o, CodeArity, "%d operands, must be inputs and as many initial values", len(o.Operands))
	}
	n := len(o.Operands) / 2
	ts, err := tensors(o)
	if err != nil {
		return 0, nil, err
	}
	shape, err := mergeShapes(o, ts[:n])
	if err != nil {
		return 0, nil, err
	}
	for i := range n {
		if len(ts[n+i].Dims) != 0 || ts[n+i].Unranked {
			return 0, nil, errf(o, CodeShape, "initial value %d is %s, must be a scalar", i, ts[n+i])
		}
		if !sameElem(ts[i], ts[n+i]) {
			return 0, nil, errf(o, CodeElem, "input %d holds %s, its initial value %s", i, ts[i].ElemString(), ts[n+i].ElemString())
		}
	}
	return n, shape, nil
}

// bodyElem is the element type a reduction's result i takes: what its region returns.
func bodyElem(o *Op, region, i int, in *TensorType) *TensorType {
	if len(o.Regions) > region && len(o.Regions[region].Blocks) == 1 {
		if term := o.Body(region).Terminator(); term != nil && i < len(term.Operands) {
			if t := TensorOf(term.Operands[i]); t != nil {
				return t
			}
		}
	}
	return in
}

func inferReduce(o *Op) ([]Type, error) {
	n, shape, err := reduceInputs(o)
	if err != nil {
		return nil, err
	}
	dims, err := needInts(o, "dimensions", -1)
	if err != nil {
		return nil, err
	}
	if err := checkDims(o, "dimensions", dims, len(shape.Dims)); err != nil {
		return nil, err
	}
	kept := []int64{}
	for i, d := range shape.Dims {
		if !contains(dims, int64(i)) {
			kept = append(kept, d)
		}
	}
	out := make([]Type, n)
	for i := range out {
		out[i] = like(bodyElem(o, 0, i, o.In(i)), kept)
	}
	return out, nil
}

// Window holds the window parameters of an op, defaults filled in.
type Window struct {
	Size, Stride, BaseDilation, Dilation []int64
	Pad                                  [][2]int64
}

// WindowOf reads reduce_window's attributes for the given rank.
func WindowOf(o *Op, rank int) (Window, error) {
	w := Window{Size: o.IntsOr("window_dimensions", rank, 1), Stride: o.IntsOr("window_strides", rank, 1),
		BaseDilation: o.IntsOr("base_dilations", rank, 1), Dilation: o.IntsOr("window_dilations", rank, 1)}
	for _, c := range []struct {
		name string
		v    []int64
	}{{"window_dimensions", w.Size}, {"window_strides", w.Stride}, {"base_dilations", w.BaseDilation}, {"window_dilations", w.Dilation}} {
		if len(c.v) != rank {
			return w, errf(o, CodeAttr, "%s has %d entries, the rank is %d", c.name, len(c.v), rank)
		}
		for _, x := range c.v {
			if x < 1 {
				return w, errf(o, CodeAttr, "%s holds %d, must be positive", c.name, x)
			}
		}
	}
	var ok bool
	if w.Pad, ok = o.Pairs("padding", rank); !ok {
		return w, errf(o, CodeAttr, "padding must have shape [%d, 2]", rank)
	}
	return w, nil
}

// windowExtent is the number of window positions along a dimension.
func windowExtent(d, size, stride, base, dil int64, pad [2]int64) int64 {
	if d < 0 {
		return Dynamic
	}
	n := int64(0)
	if d > 0 {
		n = (d-1)*base + 1
	}
	n += pad[0] + pad[1]
	span := (size-1)*dil + 1
	if n < span || n <= 0 {
		return 0
	}
	return (n-span)/stride + 1
}

func inferReduceWindow(o *Op) ([]Type, error) {
	n, shape, err := reduceInputs(o)
	if err != nil {
		return nil, err
	}
	w, err := WindowOf(o, len(shape.Dims))
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(shape.Dims))
	for i, d := range shape.Dims {
		out[i] = windowExtent(d, w.Size[i], w.Stride[i], w.BaseDilation[i], w.Dilation[i], w.Pad[i])
	}
	r := make([]Type, n)
	for i := range r {
		r[i] = like(bodyElem(o, 0, i, o.In(i)), out)
	}
	return r, nil
}

func verifyReduction(o *Op) error {
	n := len(o.Operands) / 2
	return verifyPromotion(o, 0, o.Operands[:n], o.Operands[n:])
}

// verifyPromotion checks a region that folds values of the elements of inputs, starting from inits: accumulators have the
// type of the results, to which the element types may only be widened.
func verifyPromotion(o *Op, region int, inputs, inits []*Value) error {
	n := len(inputs)
	if err := verifyReducer(o, region, n); err != nil {
		return err
	}
	b := o.Body(region)
	for i, v := range b.Terminator().Operands {
		r := TensorOf(v)
		for _, k := range []int{i, n + i} {
			if t := TensorOf(b.Args[k]); !sameElem(t, r) {
				return errf(o, CodeRegion, "reducer argument %d is %s, result %d is %s: must be of one type", k, t, i, r)
			}
		}
		if t := TensorOf(inits[i]); t != nil && !promotable(t, r) {
			return errf(o, CodeRegion, "reducer result %d is %s, to which an initial value of %s cannot be widened", i, r, t.ElemString())
		}
		if t := TensorOf(inputs[i]); t != nil && !promotable(t, r) {
			return errf(o, CodeRegion, "reducer argument %d is %s, to which elements of %s cannot be widened", n+i, r, t.ElemString())
		}
	}
	return nil
}

// promotable reports whether elements of a can be widened to those of b. Floats may change their precision.
func promotable(a, b *TensorType) bool {
	kind := func(t *TensorType) int {
		switch {
		case t.Quant != nil:
			return 1
		case t.Elem.IsFloat():
			return 2
		case t.Elem.IsComplex():
			return 3
		}
		return 4
	}
	if kind(a) != kind(b) {
		return false
	}
	switch kind(a) {
	case 1:
		return a.Quant.Storage.Bits() <= b.Quant.Storage.Bits() && a.Quant.Expressed == b.Quant.Expressed
	case 2:
		return true
	}
	return a.Elem.Bits() <= b.Elem.Bits()
}

// verifyReducer checks a region that folds n values: 2n scalar arguments, n scalar results.
func verifyReducer(o *Op, region, n int) error {
	if len(o.Regions) <= region || len(o.Regions[region].Blocks) != 1 {
		return errf(o, CodeRegion, "region %d must have one block", region)
	}
	b := o.Body(region)
	if len(b.Args) != 2*n {
		return errf(o, CodeRegion, "reducer has %d arguments, must have %d", len(b.Args), 2*n)
	}
	for i, a := range b.Args {
		if t := TensorOf(a); t == nil || len(t.Dims) != 0 {
			return errf(o, CodeRegion, "reducer argument %d is %s, must be a scalar", i, TypeString(a.Type))
		}
	}
	term := b.Terminator()
	if term == nil || len(term.Operands) != n {
		return errf(o, CodeRegion, "reducer must return %d values", n)
	}
	for i, v := range term.Operands {
		if t := TensorOf(v); t == nil || len(t.Dims) != 0 {
			return errf(o, CodeRegion, "reducer result %d is %s, must be a scalar", i, TypeString(v.Type))
		}
	}
	return nil
}

func verifySelectAndScatter(o *Op) error {
	a := o.In(0)
	src, init := o.In(1), o.In(2)
	if src == nil || init == nil || !sameElem(a, src) || !sameElem(a, init) || len(init.Dims) != 0 {
		return errf(o, CodeElem, "source and initial value must hold %s, the initial value as a scalar", a.ElemString())
	}
	w, err := WindowOf(o, len(a.Dims))
	if err != nil {
		return err
	}
	if len(src.Dims) != len(a.Dims) {
		return errf(o, CodeShape, "source has rank %d, operand %d", len(src.Dims), len(a.Dims))
	}
	for i, d := range a.Dims {
		if n := windowExtent(d, w.Size[i], w.Stride[i], 1, 1, w.Pad[i]); !compatDim(n, src.Dims[i]) {
			return errf(o, CodeShape, "source dim %d is %d, the window has %d positions", i, src.Dims[i], n)
		}
	}
	if err := verifyReducer(o, 0, 1); err != nil {
		return err
	}
	if t := TensorOf(o.Body(0).Terminator().Operands[0]); t.Elem != dtype.I1 {
		return errf(o, CodeRegion, "select must return i1, not %s", t.ElemString())
	}
	for i, v := range o.Body(0).Args {
		if t := TensorOf(v); !sameElem(t, a) {
			return errf(o, CodeRegion, "select's argument %d is %s, must be a scalar of %s", i, t, a.ElemString())
		}
	}
	if v, ok := o.Ints("window_dimensions"); ok && len(v) != len(a.Dims) {
		return errf(o, CodeAttr, "window_dimensions has %d entries, the rank is %d", len(v), len(a.Dims))
	}
	return verifyPromotion(o, 1, o.Operands[1:2], o.Operands[2:])
}

func verifyMap(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	shape, err := mergeShapes(o, ts)
	if err != nil {
		return err
	}
	dims, err := needInts(o, "dimensions", len(shape.Dims))
	if err != nil {
		return err
	}
	for i, d := range dims {
		if d != int64(i) {
			return errf(o, CodeAttr, "dimensions must be 0, 1, ..., not %v", dims)
		}
	}
	if len(o.Regions[0].Blocks) != 1 {
		return errf(o, CodeRegion, "the region must have one block")
	}
	b := o.Body(0)
	term := b.Terminator()
	if len(b.Args) != len(ts) || term == nil || len(term.Operands) != 1 {
		return errf(o, CodeRegion, "the region must take %d scalars and return one", len(ts))
	}
	for i, v := range b.Args {
		if t := TensorOf(v); t == nil || len(t.Dims) != 0 || !sameElem(t, ts[i]) {
			return errf(o, CodeRegion, "region argument %d is %s, must be a scalar of %s", i, TypeString(v.Type), ts[i].ElemString())
		}
	}
	res := TensorOf(term.Operands[0])
	if res == nil || len(res.Dims) != 0 {
		return errf(o, CodeRegion, "the region returns %s, must return a scalar", TypeString(term.Operands[0].Type))
	}
	r := o.Out(0)
	if r == nil || !sameElem(r, res) {
		return errf(o, CodeElem, "result is %s, the region returns %s", TypeString(o.Results[0].Type), res)
	}
	if !CompatibleShapes(r, shape) {
		return errf(o, CodeShape, "result is %s, operands have the shape of %s", TypeString(o.Results[0].Type), shape)
	}
	return nil
}

// feature returns the extent of a batch norm's feature dimension.
func feature(o *Op) (int64, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return 0, err
	}
	f := o.IntOr("feature_index", -1)
	if f < 0 || f >= int64(len(a.Dims)) {
		return 0, errf(o, CodeAttr, "feature_index is %d, the rank is %d", f, len(a.Dims))
	}
	return a.Dims[f], nil
}

func verifyBatchNorm(o *Op) error {
	n, err := feature(o)
	if err != nil {
		return err
	}
	a := o.In(0)
	if !a.Elem.IsFloat() && a.Quant == nil {
		return errf(o, CodeElem, "operand holds %s, must hold floats", a.ElemString())
	}
	for i := 1; i < len(o.Operands); i++ {
		t := o.In(i)
		if o.Name() == "stablehlo.batch_norm_grad" && i == 4 {
			if t == nil || !CompatibleShapes(t, a) {
				return errf(o, CodeShape, "grad_output must have the shape of %s", a)
			}
			continue
		}
		if t == nil || len(t.Dims) != 1 || !compatDim(t.Dims[0], n) || t.Elem != a.Elem {
			return errf(o, CodeShape, "operand %d is %s, must be tensor<%dx%s>", i, TypeString(o.Operands[i].Type), n, a.ElemString())
		}
	}
	return nil
}

func inferBatchNormTraining(o *Op) ([]Type, error) {
	n, err := feature(o)
	if err != nil {
		return nil, err
	}
	a := o.In(0)
	return []Type{like(a, a.Dims), like(a, []int64{n}), like(a, []int64{n})}, nil
}

func verifySquare(o *Op) error {
	a, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	n := len(a.Dims)
	if n < 2 || !compatDim(a.Dims[n-1], a.Dims[n-2]) {
		return errf(o, CodeShape, "operand is %s, must be square matrices", a)
	}
	if !a.Elem.IsFloat() && !a.Elem.IsComplex() && a.Quant == nil {
		return errf(o, CodeElem, "operand holds %s, must hold floats or complex numbers", a.ElemString())
	}
	return nil
}

func verifyTriangularSolve(o *Op) error {
	if err := verifySquare(o); err != nil {
		return err
	}
	a, b := o.In(0), o.In(1)
	if b == nil || len(a.Dims) != len(b.Dims) || a.Elem != b.Elem {
		return errf(o, CodeShape, "operands are %s and %s: ranks and element types must be equal", a, b)
	}
	n := len(a.Dims)
	for i := range n - 2 {
		if !compatDim(a.Dims[i], b.Dims[i]) {
			return errf(o, CodeShape, "operands are %s and %s: batch dim %d differs", a, b, i)
		}
	}
	side := n - 2
	if !o.Bool("left_side") {
		side = n - 1
	}
	if !compatDim(a.Dims[n-1], b.Dims[side]) {
		return errf(o, CodeShape, "the matrix is %d wide, the right-hand side has %d", a.Dims[n-1], b.Dims[side])
	}
	return oneOf(o, "transpose_a", []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", "TRANSPOSE_INVALID"}[:3])
}

func inferFFT(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	if err := oneOf(o, "fft_type", []string{"FFT", "IFFT", "RFFT", "IRFFT"}); err != nil {
		return nil, err
	}
	l, err := needInts(o, "fft_length", -1)
	if err != nil {
		return nil, err
	}
	n := len(a.Dims)
	if len(l) < 1 || len(l) > 3 || len(l) > n {
		return nil, errf(o, CodeAttr, "fft_length has %d entries, must have 1 to 3 and at most the rank %d", len(l), n)
	}
	out := append([]int64(nil), a.Dims...)
	r := like(a, out)
	kind := o.Enum("fft_type")
	real := map[dtype.Type]dtype.Type{dtype.C64: dtype.F32, dtype.C128: dtype.F64}
	cplx := map[dtype.Type]dtype.Type{dtype.F32: dtype.C64, dtype.F64: dtype.C128}
	last := l[len(l)-1]
	for i, x := range l {
		k := n - len(l) + i
		want := x
		if kind == "IRFFT" && i == len(l)-1 {
			want = x/2 + 1
			if x == 0 {
				want = 0
			}
		}
		if !compatDim(out[k], want) {
			return nil, errf(o, CodeShape, "dim %d is %d, fft_length wants %d", k, out[k], want)
		}
	}
	switch kind {
	case "RFFT":
		if cplx[a.Elem] == dtype.Invalid {
			return nil, errf(o, CodeElem, "RFFT takes f32 or f64, not %s", a.ElemString())
		}
		r.Elem = cplx[a.Elem]
		if last > 0 {
			out[n-1] = last/2 + 1
		}
	case "IRFFT":
		if real[a.Elem] == dtype.Invalid {
			return nil, errf(o, CodeElem, "IRFFT takes complex numbers, not %s", a.ElemString())
		}
		r.Elem = real[a.Elem]
		out[n-1] = last
	default:
		if !a.Elem.IsComplex() {
			return nil, errf(o, CodeElem, "%s takes complex numbers, not %s", kind, a.ElemString())
		}
	}
	return []Type{r}, nil
}

func verifyRng(o *Op) error {
	if err := oneOf(o, "rng_distribution", []string{"UNIFORM", "NORMAL"}); err != nil {
		return err
	}
	a, b, s := o.In(0), o.In(1), o.In(2)
	r := o.Out(0)
	if a == nil || b == nil || r == nil || len(a.Dims) != 0 || len(b.Dims) != 0 || a.Elem != b.Elem || r.Elem != a.Elem {
		return errf(o, CodeElem, "the bounds must be scalars of the result's element type")
	}
	if s == nil || len(s.Dims) != 1 || !s.Elem.IsInt() && !s.Index || !compatDim(s.Dims[0], int64(len(r.Dims))) {
		return errf(o, CodeShape, "shape must be a vector of %d integers", len(r.Dims))
	}
	return verifyConstShape(o, 2)
}

func verifyRngBits(o *Op) error {
	if err := oneOf(o, "rng_algorithm", []string{"DEFAULT", "THREE_FRY", "PHILOX"}); err != nil {
		return err
	}
	a, s, r := o.In(0), o.Out(0), o.Out(1)
	if a == nil || s == nil || r == nil || !CompatibleShapes(a, s) || a.Elem != s.Elem {
		return errf(o, CodeShape, "the output state must have the type of the initial state")
	}
	if !r.Static() || r.Quant != nil || r.Elem.IsComplex() {
		return errf(o, CodeResult, "output is %s, must be static and hold plain bits", r)
	}
	return nil
}
