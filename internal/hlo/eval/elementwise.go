package eval

import (
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// unaryRule says how an elementwise op of one operand computes, per class of element types. A nil entry means the
// op does not take that class. f32 is for ops that are exact or correctly rounded in f32; others go through f64.
type unaryRule struct {
	f32 func(float32) float32
	f64 func(float64) float64
	i   func(v int64, t dtype.Type) int64
	c   func(complex128) complex128
}

var unaries = map[string]unaryRule{
	"stablehlo.abs": {f32: func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }, f64: math.Abs,
		i: func(v int64, t dtype.Type) int64 {
			if v < 0 && t.IsSigned() {
				return -v
			}
			return v
		}},
	"stablehlo.cbrt":                  {f64: math.Cbrt, c: func(z complex128) complex128 { return cmplx.Pow(z, complex(1.0/3, 0)) }},
	"stablehlo.ceil":                  {f64: math.Ceil},
	"stablehlo.cosine":                {f64: cosF, c: cCos},
	"stablehlo.exponential":           {f64: math.Exp, c: cExp},
	"stablehlo.exponential_minus_one": {f64: math.Expm1, c: cExpm1},
	"stablehlo.floor":                 {f64: math.Floor},
	"stablehlo.log":                   {f64: logF, c: cLog},
	"stablehlo.log_plus_one":          {f64: math.Log1p, c: cLog1p},
	"stablehlo.logistic":              {f64: logistic, c: func(z complex128) complex128 { return 1 / (1 + cExp(-z)) }},
	"stablehlo.negate": {f32: func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) ^ 1<<31) }, f64: func(x float64) float64 { return -x },
		i: func(v int64, _ dtype.Type) int64 { return -v }, c: func(z complex128) complex128 { return complex(-real(z), -imag(z)) }},
	"stablehlo.not":    {i: func(v int64, t dtype.Type) int64 { return notInt(v, t) }},
	"stablehlo.popcnt": {i: func(v int64, t dtype.Type) int64 { return int64(bits.OnesCount64(uint64(v) & widthMask(t))) }},
	"stablehlo.count_leading_zeros": {i: func(v int64, t dtype.Type) int64 {
		return int64(bits.LeadingZeros64(uint64(v)&widthMask(t))) - int64(64-t.Bits())
	}},
	"stablehlo.round_nearest_afz":  {f64: math.Round},
	"stablehlo.round_nearest_even": {f64: math.RoundToEven},
	"stablehlo.rsqrt":              {f64: func(x float64) float64 { return 1 / math.Sqrt(x) }, c: cRsqrt},
	"stablehlo.sign": {f64: signOf, i: func(v int64, t dtype.Type) int64 {
		switch {
		case v == 0:
			return 0
		case v < 0 && t.IsSigned():
			return -1
		}
		return 1
	}, c: func(z complex128) complex128 {
		if cmplx.IsNaN(z) {
			return complex(math.NaN(), math.NaN())
		}
		if z == 0 {
			return 0
		}
		return z / complex(cmplx.Abs(z), 0)
	}},
	"stablehlo.sine": {f64: sinF, c: cSin},
	"stablehlo.sqrt": {f64: math.Sqrt, c: cSqrt},
	"stablehlo.tan":  {f64: math.Tan, c: cTan},
	"stablehlo.tanh": {f64: math.Tanh, c: cTanh},
	"chlo.square": {f64: func(x float64) float64 { return x * x }, f32: func(x float32) float32 { return x * x },
		i: func(v int64, _ dtype.Type) int64 { return v * v }, c: func(z complex128) complex128 { return cMul(z, z) }},
	"chlo.erf":   {f64: math.Erf},
	"chlo.erfc":  {f64: math.Erfc},
	"chlo.tan":   {f64: math.Tan, c: cTan},
	"chlo.cosh":  {f64: math.Cosh, c: cmplx.Cosh},
	"chlo.sinh":  {f64: math.Sinh, c: cmplx.Sinh},
	"chlo.acos":  {f64: math.Acos, c: cAcos},
	"chlo.acosh": {f64: math.Acosh, c: cAcosh},
	"chlo.asin":  {f64: math.Asin, c: cAsin},
	"chlo.asinh": {f64: math.Asinh, c: cAsinh},
	"chlo.atan":  {f64: math.Atan, c: cAtan},
	"chlo.atanh": {f64: math.Atanh, c: cAtanh},
	"chlo.conj": {f64: func(x float64) float64 { return x }, i: func(v int64, _ dtype.Type) int64 { return v },
		c: func(z complex128) complex128 { return complex(real(z), -imag(z)) }},
}

func widthMask(t dtype.Type) uint64 {
	if t.Bits() >= 64 {
		return math.MaxUint64
	}
	return 1<<t.Bits() - 1
}

func notInt(v int64, t dtype.Type) int64 {
	if t == dtype.I1 {
		return 1 - v
	}
	return ^v
}

func logistic(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func signOf(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func init() {
	for name, r := range unaries {
		register(name, func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
			t, err := r.apply(o, in[0].T)
			if err != nil {
				return nil, err
			}
			return one(t), nil
		})
	}
}

func (r unaryRule) apply(o *hlo.Op, a *tensor.Tensor) (*tensor.Tensor, error) {
	ty := a.Type
	switch {
	case ty.IsFloat():
		if r.f32 != nil && ty != dtype.F64 {
			in := floats32(a)
			out := make([]float32, len(in))
			for i, v := range in {
				out[i] = r.f32(v)
			}
			return fromFloats32(ty, a.Shape, out), nil
		}
		if r.f64 != nil {
			in := floats(a)
			out := make([]float64, len(in))
			for i, v := range in {
				out[i] = r.f64(v)
			}
			return fromFloats(ty, a.Shape, out), nil
		}
	case ty.IsComplex():
		if o.Name() == "stablehlo.abs" {
			return absComplex(a), nil
		}
		if r.c != nil {
			in := complexes(a)
			out := make([]complex128, len(in))
			for i, v := range in {
				out[i] = r.c(v)
			}
			return fromComplexes(ty, a.Shape, out), nil
		}
	case r.i != nil:
		in := ints(a)
		out := make([]int64, len(in))
		for i, v := range in {
			out[i] = r.i(v, ty)
		}
		return fromInts(ty, a.Shape, out), nil
	}
	return nil, errf(o, CodeElem, "no rule for element type %s", ty)
}

func absComplex(a *tensor.Tensor) *tensor.Tensor {
	in := complexes(a)
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = math.Hypot(real(v), imag(v))
	}
	ty := dtype.F64
	if a.Type == dtype.C64 {
		ty = dtype.F32
	}
	return fromFloats(ty, a.Shape, out)
}

// binaryRule is unaryRule for two operands.
type binaryRule struct {
	f32 func(a, b float32) float32
	f64 func(a, b float64) float64
	i   func(a, b int64, t dtype.Type) int64
	b   func(a, b int64) int64 // i1
	c   func(a, b complex128) complex128
}

var binaries = map[string]binaryRule{
	"stablehlo.add": {f32: func(a, b float32) float32 { return a + b }, f64: func(a, b float64) float64 { return a + b },
		i: func(a, b int64, _ dtype.Type) int64 { return a + b }, b: func(a, b int64) int64 { return a | b }, c: func(a, b complex128) complex128 { return a + b }},
	"stablehlo.subtract": {f32: func(a, b float32) float32 { return a - b }, f64: func(a, b float64) float64 { return a - b },
		i: func(a, b int64, _ dtype.Type) int64 { return a - b }, c: func(a, b complex128) complex128 { return a - b }},
	"stablehlo.multiply": {f32: func(a, b float32) float32 { return a * b }, f64: func(a, b float64) float64 { return a * b },
		i: func(a, b int64, _ dtype.Type) int64 { return a * b }, b: func(a, b int64) int64 { return a & b }, c: cMul},
	"stablehlo.divide":    {f32: func(a, b float32) float32 { return a / b }, f64: func(a, b float64) float64 { return a / b }, i: divInt, c: cDiv},
	"stablehlo.remainder": {f64: math.Mod, i: remInt, f32: func(a, b float32) float32 { return float32(math.Mod(float64(a), float64(b))) }},
	"stablehlo.maximum": {f32: func(a, b float32) float32 { return float32(maxF(float64(a), float64(b))) }, f64: maxF, i: maxInt,
		b: func(a, b int64) int64 { return a | b }, c: func(a, b complex128) complex128 {
			if lessC(a, b) {
				return b
			}
			return a
		}},
	"stablehlo.minimum": {f32: func(a, b float32) float32 { return float32(minF(float64(a), float64(b))) }, f64: minF, i: minInt,
		b: func(a, b int64) int64 { return a & b }, c: func(a, b complex128) complex128 {
			if lessC(b, a) {
				return b
			}
			return a
		}},
	"stablehlo.power": {f64: powF, i: powInt, c: cPow},
	"stablehlo.atan2": {f64: atan2F, c: cAtan2},
	"stablehlo.and":   {i: func(a, b int64, _ dtype.Type) int64 { return a & b }, b: func(a, b int64) int64 { return a & b }},
	"stablehlo.or":    {i: func(a, b int64, _ dtype.Type) int64 { return a | b }, b: func(a, b int64) int64 { return a | b }},
	"stablehlo.xor":   {i: func(a, b int64, _ dtype.Type) int64 { return a ^ b }, b: func(a, b int64) int64 { return a ^ b }},
	"stablehlo.shift_left": {i: func(a, b int64, t dtype.Type) int64 {
		if n := uint64(b) & widthMask(t); n < uint64(t.Bits()) {
			return a << n
		}
		return 0
	}},
	"stablehlo.shift_right_logical": {i: func(a, b int64, t dtype.Type) int64 {
		if n := uint64(b) & widthMask(t); n < uint64(t.Bits()) {
			return int64(uint64(a) & widthMask(t) >> n)
		}
		return 0
	}},
	"stablehlo.shift_right_arithmetic": {i: func(a, b int64, t dtype.Type) int64 {
		s := 64 - t.Bits()
		a = a << s >> s // the sign bit counts for unsigned types too
		return a >> min(uint64(b)&widthMask(t), uint64(t.Bits()-1))
	}},
}

func maxF(a, b float64) float64 {
	switch {
	case a != a:
		return a
	case b != b:
		return b
	case a == 0 && b == 0 && math.Signbit(a):
		return b
	case a > b || a == b:
		return a
	}
	return b
}

func minF(a, b float64) float64 {
	switch {
	case a != a:
		return a
	case b != b:
		return b
	case a == 0 && b == 0 && math.Signbit(b):
		return b
	case a < b || a == b:
		return a
	}
	return b
}

func lessInt(a, b int64, t dtype.Type) bool {
	if t == dtype.U64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

func maxInt(a, b int64, t dtype.Type) int64 {
	if lessInt(a, b, t) {
		return b
	}
	return a
}

func minInt(a, b int64, t dtype.Type) int64 {
	if lessInt(b, a, t) {
		return b
	}
	return a
}

// divInt truncates; a zero divisor yields all ones, the least value divided by -1 itself.
func divInt(a, b int64, t dtype.Type) int64 {
	switch {
	case b == 0:
		return -1
	case t == dtype.U64:
		return int64(uint64(a) / uint64(b))
	case b == -1:
		return -a
	}
	return a / b
}

// remInt has the sign of the dividend; a zero divisor yields the dividend.
func remInt(a, b int64, t dtype.Type) int64 {
	switch {
	case b == 0:
		return a
	case t == dtype.U64:
		return int64(uint64(a) % uint64(b))
	case b == -1:
		return 0
	}
	return a % b
}

// powF follows C's pow.
func powF(a, b float64) float64 { return math.Pow(a, b) }

// powInt wraps; a negative exponent yields 0 unless the base is 1 or -1.
func powInt(a, b int64, t dtype.Type) int64 {
	if t.IsSigned() && b < 0 {
		switch a {
		case 1:
			return 1
		case -1:
			if b&1 == 0 {
				return 1
			}
			return -1
		}
		return 0
	}
	r := int64(1)
	for e := uint64(b); e > 0; e >>= 1 {
		if e&1 != 0 {
			r *= a
		}
		a *= a
	}
	return r
}

func lessC(a, b complex128) bool {
	return real(a) < real(b) || real(a) == real(b) && imag(a) < imag(b)
}

func init() {
	for name, r := range binaries {
		register(name, func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
			a, b := m.align(in[0].T, in[1].T)
			t, err := r.apply(o, a, b)
			if err != nil {
				return nil, err
			}
			return one(t), nil
		})
	}
}

// align lets a one-element operand stand for a whole vector when a region of scalar ops runs on vectors.
func (m *machine) align(a, b *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	if !m.vector {
		return a, b
	}
	na, nb := numElems(a), numElems(b)
	switch {
	case na == 1 && len(a.Shape) == 0 && len(b.Shape) > 0:
		a = splat(a, b.Shape)
	case nb == 1 && len(b.Shape) == 0 && len(a.Shape) > 0:
		b = splat(b, a.Shape)
	}
	return a, b
}

func splat(t *tensor.Tensor, shape []int) *tensor.Tensor {
	r := tensor.New(t.Type, shape...)
	fill(r, t.Data[:t.Type.Size()])
	return r
}

func (r binaryRule) apply(o *hlo.Op, a, b *tensor.Tensor) (*tensor.Tensor, error) {
	ty := a.Type
	if len(a.Data) != len(b.Data) {
		return nil, errf(o, CodeShape, "operands have shapes %v and %v", a.Shape, b.Shape)
	}
	switch {
	case ty.IsFloat():
		if r.f32 != nil && ty != dtype.F64 {
			x, y := floats32(a), floats32(b)
			out := make([]float32, len(x))
			for i := range out {
				out[i] = r.f32(x[i], y[i])
			}
			return fromFloats32(ty, a.Shape, out), nil
		}
		if r.f64 != nil {
			x, y := floats(a), floats(b)
			out := make([]float64, len(x))
			for i := range out {
				out[i] = r.f64(x[i], y[i])
			}
			return fromFloats(ty, a.Shape, out), nil
		}
	case ty.IsComplex():
		if r.c != nil {
			x, y := complexes(a), complexes(b)
			out := make([]complex128, len(x))
			for i := range out {
				out[i] = r.c(x[i], y[i])
			}
			return fromComplexes(ty, a.Shape, out), nil
		}
	case ty == dtype.I1:
		if r.b != nil {
			x, y := ints(a), ints(b)
			out := make([]int64, len(x))
			for i := range out {
				out[i] = r.b(x[i], y[i])
			}
			return fromInts(ty, a.Shape, out), nil
		}
	case r.i != nil:
		x, y := ints(a), ints(b)
		out := make([]int64, len(x))
		for i := range out {
			out[i] = r.i(x[i], y[i], ty)
		}
		return fromInts(ty, a.Shape, out), nil
	}
	return nil, errf(o, CodeElem, "no rule for element type %s", ty)
}
