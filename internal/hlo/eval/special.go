package eval

import (
	"math"
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// CHLO special functions, computed in f64 and rounded once.

func init() {
	for name, f := range map[string]func(float64) float64{
		"chlo.lgamma":     func(x float64) float64 { v, _ := math.Lgamma(x); return v },
		"chlo.digamma":    digamma,
		"chlo.erf_inv":    math.Erfinv,
		"chlo.bessel_i1e": besselI1e,
	} {
		r := unaryRule{f64: f}
		register(name, func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
			t, err := r.apply(o, in[0].T)
			if err != nil {
				return nil, err
			}
			return one(t), nil
		})
	}
	for name, f := range map[string]func(a, b float64) float64{"chlo.zeta": zeta, "chlo.polygamma": polygamma} {
		r := binaryRule{f64: f}
		register(name, func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
			t, err := r.apply(o, in[0].T, in[1].T)
			if err != nil {
				return nil, err
			}
			return one(t), nil
		})
	}
	register("chlo.next_after", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		return one(nextAfter(in[0].T, in[1].T)), nil
	})
	register("chlo.top_k", runTopK)
	register("chlo.constant_like", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		ty := o.Out(0).Elem
		switch a := o.Attrs.Get("value").(type) {
		case hlo.FloatAttr:
			return one(splat(convert(fromFloats(dtype.F64, nil, []float64{a.Value}), ty), in[0].T.Shape)), nil
		case hlo.IntAttr:
			return one(splat(convert(fromInts(dtype.I64, nil, []int64{a.Value}), ty), in[0].T.Shape)), nil
		case *hlo.DenseAttr:
			return one(splat(dense(a), in[0].T.Shape)), nil
		}
		return nil, errf(o, CodeElem, "value has no supported form")
	})
	register("chlo.mulhi", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		return one(mulHigh(in[0].T, in[1].T)), nil
	})
	for name, base := range map[string]string{"add": "add", "and": "and", "atan2": "atan2", "divide": "divide", "maximum": "maximum", "minimum": "minimum",
		"multiply": "multiply", "or": "or", "power": "power", "remainder": "remainder", "shift_left": "shift_left", "shift_right_arithmetic": "shift_right_arithmetic",
		"shift_right_logical": "shift_right_logical", "subtract": "subtract", "xor": "xor", "compare": "compare", "complex": "complex", "select": "select"} {
		broadcasting("chlo.broadcast_"+name, "stablehlo."+base)
	}
	for _, name := range []string{"next_after", "polygamma", "zeta"} {
		broadcasting("chlo.broadcast_"+name, "chlo."+name)
	}
}

// broadcasting registers a CHLO op that broadcasts its operands numpy-style and then is the plain op.
func broadcasting(name, plain string) {
	register(name, func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		shapes := make([][]int, len(in))
		for i := range in {
			shapes[i] = in[i].T.Shape
		}
		dims, explicit := o.Ints("broadcast_dimensions")
		shape := numpyShape(shapes)
		vals := make([]Val, len(in))
		for i, v := range in {
			n := len(v.T.Shape)
			at := make([]int, n)
			for k := range at {
				at[k] = len(shape) - n + k
				if explicit && n < len(shape) && k < len(dims) {
					at[k] = int(dims[k])
				}
			}
			if explicit && n < len(shape) { // the greater operand's shape rules
				shape = shapes[1-i]
			}
			vals[i] = Val{T: broadcastInDim(v.T, at, shape)}
		}
		return kernels[plain](m, o, vals)
	})
}

func numpyShape(shapes [][]int) []int {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]int, rank)
	for i := range out {
		out[i] = 1
	}
	for _, s := range shapes {
		for i, d := range s {
			if k := rank - len(s) + i; d != 1 {
				out[k] = d
			}
		}
	}
	return out
}

// mulHigh is the upper half of the full product.
func mulHigh(a, b *tensor.Tensor) *tensor.Tensor {
	x, y := ints(a), ints(b)
	out := make([]int64, len(x))
	w := a.Type.Bits()
	for i := range x {
		if w < 64 {
			out[i] = x[i] * y[i] >> w
			continue
		}
		hi := mul64hi(uint64(x[i]), uint64(y[i]))
		if a.Type.IsSigned() {
			if x[i] < 0 {
				hi -= uint64(y[i])
			}
			if y[i] < 0 {
				hi -= uint64(x[i])
			}
		}
		out[i] = int64(hi)
	}
	return fromInts(a.Type, a.Shape, out)
}

func mul64hi(a, b uint64) uint64 {
	ah, al, bh, bl := a>>32, a&0xFFFFFFFF, b>>32, b&0xFFFFFFFF
	m := ah*bl + al*bl>>32
	return ah*bh + m>>32 + (al*bh+m&0xFFFFFFFF)>>32
}

// digamma by reflection, recurrence and the asymptotic series.
func digamma(x float64) float64 {
	if x != x || math.IsInf(x, -1) {
		return math.NaN()
	}
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		// Reduce the argument of the tangent first: pi*x loses it for large x.
		f := x - math.Round(x)
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*f)
	}
	r := 0.0
	for x < 10 {
		r -= 1 / x
		x++
	}
	if math.IsInf(x, 1) {
		return x
	}
	z := 1 / (x * x)
	return r + math.Log(x) - 0.5/x - z*(1.0/12-z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z/12))))))
}

// zeta is the Hurwitz zeta function by direct sum and Euler-Maclaurin.
func zeta(s, q float64) float64 {
	switch {
	case s != s || q != q:
		return math.NaN()
	case s == 1:
		return math.Inf(1)
	case s < 1:
		return math.NaN()
	case q <= 0:
		if q == math.Floor(q) {
			return math.Inf(1)
		}
		if s != math.Floor(s) {
			return math.NaN()
		}
	}
	sum := 0.0
	const n = 12
	for i := range n {
		sum += math.Pow(q+float64(i), -s)
	}
	w := q + n
	sum += math.Pow(w, 1-s)/(s-1) + math.Pow(w, -s)/2
	// Bernoulli numbers B_2k / (2k)!.
	b := [...]float64{1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000, 1.0 / 74724249600, -3617.0 / 10670622842880000}
	f := s
	p := math.Pow(w, -s-1)
	for k, c := range b {
		sum += c * f * p
		f *= (s + float64(2*k+1)) * (s + float64(2*k+2))
		p /= w * w
	}
	return sum
}

// polygamma(n, x) = (-1)^(n+1) n! zeta(n+1, x); digamma for n = 0.
func polygamma(n, x float64) float64 {
	switch {
	case n != n || x != x || n < 0 || n != math.Floor(n):
		return math.NaN()
	case n == 0:
		return digamma(x)
	}
	l, _ := math.Lgamma(n + 1)
	v := math.Exp(l) * zeta(n+1, x)
	if math.Mod(n, 2) == 0 {
		return -v
	}
	return v
}

// besselI1e is exp(-|x|) I1(x): the power series near zero, else the integral (1/pi) exp(x(cos t - 1)) cos t dt by
// the trapezoidal rule, which converges geometrically for periodic functions.
func besselI1e(x float64) float64 {
	a := math.Abs(x)
	if a != a {
		return x
	}
	if math.IsInf(a, 0) {
		return 0
	}
	if a < 8 {
		term := a / 2
		sum := term
		for k := 1.0; k < 200 && term > sum*1e-18; k++ {
			term *= a * a / 4 / (k * (k + 1))
			sum += term
		}
		return math.Copysign(sum*math.Exp(-a), x)
	}
	// Asymptotic series: mu = 4.
	sum, term := 1.0, 1.0
	for k := 1.0; k < 60; k++ {
		next := term * -(4 - (2*k-1)*(2*k-1)) / (k * 8 * a)
		if math.Abs(next) > math.Abs(term) || math.Abs(next) < 1e-18 {
			break
		}
		term = next
		sum += term
	}
	if a < 30 { // the asymptotic series is not accurate enough yet
		n := 400
		s := 0.0
		for i := range n {
			t := math.Pi * (float64(i) + 0.5) / float64(n)
			s += math.Exp(a*(math.Cos(t)-1)) * math.Cos(t)
		}
		return math.Copysign(s/float64(n), x)
	}
	return math.Copysign(sum/math.Sqrt(2*math.Pi*a), x)
}

// nextAfter steps one pattern toward the other operand.
func nextAfter(a, b *tensor.Tensor) *tensor.Tensor {
	x, y := floats(a), floats(b)
	out := tensor.New(a.Type, a.Shape...)
	size := a.Type.Size()
	sign := uint64(1) << (a.Type.Bits() - 1)
	for i := range x {
		p := uint64(intAt(&tensor.Tensor{Type: unsignedOf(size), Data: a.Data}, i))
		switch {
		case x[i] != x[i] || y[i] != y[i]:
			p = a.Type.FloatBits(math.NaN())
		case x[i] == y[i]:
			p = uint64(intAt(&tensor.Tensor{Type: unsignedOf(size), Data: b.Data}, i))
		case x[i] == 0:
			p = 1
			if y[i] < 0 {
				p |= sign
			}
		case (x[i] < y[i]) == (x[i] > 0):
			p++
		default:
			p--
		}
		for k := range size {
			out.Data[i*size+k] = byte(p >> (8 * k))
		}
	}
	return out
}

func unsignedOf(size int) dtype.Type {
	return map[int]dtype.Type{1: dtype.U8, 2: dtype.U16, 4: dtype.U32, 8: dtype.U64}[size]
}

// runTopK: the k greatest of each line, descending, lower index first among equals; NaN counts as greatest.
func runTopK(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a := in[0].T
	k := int(o.IntOr("k", 0))
	n := a.Shape[len(a.Shape)-1]
	shape := append(append([]int(nil), a.Shape[:len(a.Shape)-1]...), k)
	vals := tensor.New(a.Type, shape...)
	idx := make([]int64, count(shape))
	lines := count(a.Shape[:len(a.Shape)-1])
	for l := range lines {
		s := a.Type.Size()
		line := &tensor.Tensor{Type: a.Type, Shape: []int{n}, Data: a.Data[l*n*s : (l+1)*n*s]}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		less := lineLess(line, true)
		if a.Type.IsFloat() {
			v := floats(line)
			less = func(i, j int) bool { return totalKey(v[i]) > totalKey(v[j]) }
		}
		sort.SliceStable(order, func(i, j int) bool { return less(order[i], order[j]) })
		for i := range k {
			setElem(vals, l*k+i, elem(line, order[i]))
			idx[l*k+i] = int64(order[i])
		}
	}
	return []Val{{T: vals}, {T: fromInts(dtype.I32, shape, idx)}}, nil
}
