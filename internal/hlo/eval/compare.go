package eval

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.compare", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, b := m.align(in[0].T, in[1].T)
		if len(a.Data) != len(b.Data) {
			return nil, errf(o, CodeShape, "operands have shapes %v and %v", a.Shape, b.Shape)
		}
		return one(compare(o.Enum("comparison_direction"), o.Enum("compare_type") == "TOTALORDER", a, b)), nil
	})
	register("stablehlo.select", runSelect)
	register("stablehlo.clamp", runClamp)
	register("stablehlo.convert", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		return one(convert(in[0].T, o.Out(0).Elem)), nil
	})
	register("stablehlo.is_finite", isClass(func(v float64) bool { return !math.IsInf(v, 0) && v == v }))
	register("chlo.is_inf", isClass(func(v float64) bool { return math.IsInf(v, 0) }))
	register("chlo.is_pos_inf", isClass(func(v float64) bool { return math.IsInf(v, 1) }))
	register("chlo.is_neg_inf", isClass(func(v float64) bool { return math.IsInf(v, -1) }))
	register("stablehlo.real", part(func(c complex128) float64 { return real(c) }, false))
	register("stablehlo.imag", part(func(c complex128) float64 { return imag(c) }, true))
	register("stablehlo.complex", runComplex)
	register("stablehlo.reduce_precision", runReducePrecision)
	register("stablehlo.bitcast_convert", runBitcast)
}

// verdicts of a comparison result of -1, 0, 1, or unordered (2).
func holds(dir string, c int) bool {
	switch dir {
	case "EQ":
		return c == 0
	case "NE":
		return c != 0
	case "LT":
		return c == -1
	case "LE":
		return c == -1 || c == 0
	case "GT":
		return c == 1
	}
	return c == 1 || c == 0 // GE
}

func order[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return 2
}

// totalKey maps a float to an integer that orders as totalOrder does: -NaN < -Inf < ... < -0 < +0 < ... < +NaN.
func totalKey(v float64) int64 {
	b := int64(math.Float64bits(v))
	if b < 0 {
		return b ^ math.MaxInt64
	}
	return b
}

func compare(dir string, total bool, a, b *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(dtype.I1, a.Shape...)
	switch {
	case a.Type.IsFloat():
		x, y := floats(a), floats(b)
		for i := range out.Data {
			c := 0
			if total {
				c = order(totalKey(x[i]), totalKey(y[i]))
			} else {
				c = order(x[i], y[i])
			}
			out.Data[i] = b2b(holds(dir, c))
		}
	case a.Type.IsComplex():
		x, y := complexes(a), complexes(b)
		for i := range out.Data {
			c := 2
			switch {
			case x[i] == y[i]:
				c = 0
			case lessC(x[i], y[i]):
				c = -1
			case lessC(y[i], x[i]):
				c = 1
			}
			out.Data[i] = b2b(holds(dir, c))
		}
	default:
		x, y := ints(a), ints(b)
		for i := range out.Data {
			c := order(x[i], y[i])
			if a.Type == dtype.U64 {
				c = order(uint64(x[i]), uint64(y[i]))
			}
			out.Data[i] = b2b(holds(dir, c))
		}
	}
	return out
}

func runSelect(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
	p := in[0].T
	a, b := m.align(in[1].T, in[2].T)
	if m.vector && len(p.Shape) > 0 && len(a.Shape) == 0 {
		a, b = splat(a, p.Shape), splat(b, p.Shape)
	}
	if numElems(p) == 1 && numElems(a) != 1 || len(p.Shape) == 0 {
		if p.Data[0] != 0 {
			return one(a), nil
		}
		return one(b), nil
	}
	if len(a.Data) != len(b.Data) || numElems(p) != numElems(a) {
		return nil, errf(o, CodeShape, "operands have shapes %v, %v and %v", p.Shape, a.Shape, b.Shape)
	}
	out := tensor.New(a.Type, a.Shape...)
	size := a.Type.Size()
	copy(out.Data, b.Data)
	for i, v := range p.Data {
		if v != 0 {
			copy(out.Data[i*size:(i+1)*size], a.Data[i*size:])
		}
	}
	return one(out), nil
}

func runClamp(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	lo, x, hi := in[0].T, in[1].T, in[2].T
	if len(lo.Shape) == 0 {
		lo = splat(lo, x.Shape)
	}
	if len(hi.Shape) == 0 {
		hi = splat(hi, x.Shape)
	}
	t, err := binaries["stablehlo.maximum"].apply(o, lo, x)
	if err != nil {
		return nil, err
	}
	t, err = binaries["stablehlo.minimum"].apply(o, t, hi)
	if err != nil {
		return nil, err
	}
	return one(t), nil
}

// convert changes the element type: floats to integers truncate and saturate, NaN becomes 0; to i1 is != 0.
func convert(a *tensor.Tensor, to dtype.Type) *tensor.Tensor {
	if a.Type == to {
		return a
	}
	switch {
	case to.IsComplex():
		return fromComplexes(to, a.Shape, complexes(a))
	case to.IsFloat():
		if a.Type == dtype.F32 || a.Type == dtype.BF16 || a.Type == dtype.F16 {
			if to != dtype.F64 {
				return fromFloats32(to, a.Shape, floats32(a))
			}
		}
		if a.Type == dtype.I64 || a.Type == dtype.U64 {
			return intsToFloats(a, to)
		}
		return fromFloats(to, a.Shape, floats(a))
	case a.Type.IsFloat() || a.Type.IsComplex():
		v := floats(a)
		out := make([]int64, len(v))
		for i, x := range v {
			out[i] = floatToInt(x, to)
		}
		return fromInts(to, a.Shape, out)
	case to == dtype.I1:
		v := ints(a)
		out := make([]int64, len(v))
		for i := range v {
			out[i] = int64(b2b(v[i] != 0))
		}
		return fromInts(to, a.Shape, out)
	}
	return fromInts(to, a.Shape, ints(a))
}

// intsToFloats rounds 64-bit integers once: through f64 first could round twice.
func intsToFloats(a *tensor.Tensor, to dtype.Type) *tensor.Tensor {
	v := ints(a)
	if to == dtype.F32 {
		out := make([]float32, len(v))
		for i := range v {
			if a.Type == dtype.U64 {
				out[i] = float32(uint64(v[i]))
			} else {
				out[i] = float32(v[i])
			}
		}
		return fromFloats32(to, a.Shape, out)
	}
	return fromFloats(to, a.Shape, floats(a))
}

func floatToInt(x float64, to dtype.Type) int64 {
	if to == dtype.I1 {
		return int64(b2b(x != 0))
	}
	if x != x {
		return 0
	}
	if to == dtype.U64 {
		switch {
		case x <= 0:
			return 0
		case x >= 1<<64:
			return -1
		}
		return int64(uint64(x))
	}
	lo, hi := to.IntRange()
	x = math.Trunc(x)
	switch {
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	}
	return int64(x)
}

func isClass(f func(float64) bool) kernel {
	return func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		v := floats(in[0].T)
		out := tensor.New(dtype.I1, in[0].T.Shape...)
		for i, x := range v {
			out.Data[i] = b2b(f(x))
		}
		return one(out), nil
	}
}

func part(f func(complex128) float64, imag bool) kernel {
	return func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a := in[0].T
		if !a.Type.IsComplex() {
			if imag {
				return one(tensor.New(a.Type, a.Shape...)), nil
			}
			return one(a), nil
		}
		ty := dtype.F64
		if a.Type == dtype.C64 {
			ty = dtype.F32
		}
		c := complexes(a)
		out := make([]float64, len(c))
		for i := range c {
			out[i] = f(c[i])
		}
		return one(fromFloats(ty, a.Shape, out)), nil
	}
}

func runComplex(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	re, im := floats(in[0].T), floats(in[1].T)
	ty := dtype.C128
	if in[0].T.Type == dtype.F32 {
		ty = dtype.C64
	}
	out := make([]complex128, len(re))
	for i := range out {
		out[i] = complex(re[i], im[i])
	}
	return one(fromComplexes(ty, in[0].T.Shape, out)), nil
}

// runReducePrecision rounds the mantissa to nearest even, then applies the exponent range: overflow becomes
// infinity, underflow zero of the same sign.
func runReducePrecision(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	e, p := int(o.IntOr("exponent_bits", 0)), int(o.IntOr("mantissa_bits", 0))
	a := in[0].T
	v := floats(a)
	out := make([]float64, len(v))
	bias := 1<<(e-1) - 1
	for i, x := range v {
		out[i] = x
		if x == 0 || x != x || math.IsInf(x, 0) {
			continue
		}
		m, ex := math.Frexp(x)
		r := math.Ldexp(math.RoundToEven(math.Ldexp(m, p+1)), ex-p-1)
		if _, ex2 := math.Frexp(r); ex2-1 > bias {
			out[i] = math.Copysign(math.Inf(1), x)
		} else if ex2-1 < 1-bias {
			out[i] = math.Copysign(0, x)
		} else {
			out[i] = r
		}
	}
	return one(fromFloats(a.Type, a.Shape, out)), nil
}

func runBitcast(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a, r := in[0].T, o.Out(0)
	from, to := a.Type, r.Elem
	shape := append([]int(nil), a.Shape...)
	switch fb, tb := from.Bits(), to.Bits(); {
	case fb > tb:
		shape = append(shape, fb/tb)
	case fb < tb:
		shape = shape[:len(shape)-1]
	}
	if from.Bits() < 8 || to.Bits() < 8 {
		return one(bitcastSub(a, to, shape)), nil
	}
	return one(&tensor.Tensor{Type: to, Shape: shape, Data: append([]byte(nil), a.Data...)}), nil
}

// bitcastSub reinterprets elements narrower than a byte, which take a byte each in memory: element k of a group
// holds bits k*width and up.
func bitcastSub(a *tensor.Tensor, to dtype.Type, shape []int) *tensor.Tensor {
	fb, tb := a.Type.Bits(), to.Bits()
	if fb == tb {
		return &tensor.Tensor{Type: to, Shape: shape, Data: append([]byte(nil), a.Data...)}
	}
	out := tensor.New(to, shape...)
	bit := func(d []byte, size, width, i int) byte {
		e, k := i/width, i%width
		return d[e*size+k/8] >> (k % 8) & 1
	}
	n := numElems(a) * fb
	for i := range n {
		if bit(a.Data, a.Type.Size(), fb, i) != 0 {
			e, k := i/tb, i%tb
			out.Data[e*to.Size()+k/8] |= 1 << (k % 8)
		}
	}
	return out
}
