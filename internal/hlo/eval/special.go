package eval

import (
	"math"
	"math/bits"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Special functions of the CHLO dialect, all in f64: the results of narrower types are rounded once.

func lgamma(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Inf(1) // math.Lgamma follows C only for the positive one
	}
	v, _ := math.Lgamma(x)
	return v
}

// digamma is the logarithmic derivative of the gamma function: reflection for negative arguments, recurrence up to
// ten, then the asymptotic series in 1/x^2. The poles yield NaN.
func digamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		// The remainder keeps the tangent's argument small: tan(pi x) has period 1.
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*(x-math.Floor(x)))
	}
	s := 0.0
	for ; x < 10; x++ {
		s -= 1 / x
	}
	y := 1 / (x * x)
	// Terms B_2n / (2n).
	t := y * (1.0/12 - y*(1.0/120-y*(1.0/252-y*(1.0/240-y*(1.0/132-y*(691.0/32760-y/12))))))
	return s + math.Log(x) - 0.5/x - t
}

// bernoulli holds B_2k / (2k)! for k = 1 to 12.
var bernoulli = func() []float64 {
	b := []float64{1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330,
		854513.0 / 138, -236364091.0 / 2730}
	f := 1.0
	for i := range b {
		f *= float64((2*i + 1) * (2*i + 2))
		b[i] /= f
	}
	return b
}()

// zeta is the Hurwitz zeta function by Euler-Maclaurin summation: terms up to q + 12, then the correction series.
func zeta(s, q float64) float64 {
	switch {
	case s != s || q != q || s < 1:
		return math.NaN()
	case s == 1:
		return math.Inf(1)
	case q <= 0:
		if q == math.Floor(q) {
			if s == math.Floor(s) && math.Mod(s, 2) == 0 {
				return math.Inf(1)
			}
			return math.NaN()
		}
		if s != math.Floor(s) {
			return math.NaN()
		}
	case math.IsInf(q, 1):
		return 0
	}
	const terms = 12
	sum := 0.0
	a := q
	for a <= 0 || a < q+terms {
		t := math.Pow(a, -s)
		sum += t
		if a > 0 && t < 1e-17*sum {
			return sum
		}
		a++
		if q < -1e7 {
			return math.NaN() // the sum would take as many terms as the argument is large
		}
	}
	p := math.Pow(a, -s)
	sum += p*a/(s-1) + 0.5*p
	f := s * p / a
	for k, b := range bernoulli {
		t := b * f
		sum += t
		if math.Abs(t) < 1e-17*math.Abs(sum) {
			break
		}
		n := float64(2*k + 1)
		f *= (s + n) * (s + n + 1) / (a * a)
	}
	return sum
}

// polygamma is the n-th derivative of digamma.
func polygamma(n, x float64) float64 {
	switch {
	case n == 0:
		return digamma(x)
	case n < 0 || n != math.Floor(n):
		return math.NaN()
	}
	v := math.Exp(lgamma(n+1)) * zeta(n+1, x)
	if math.Mod(n, 2) == 0 {
		return -v
	}
	return v
}

// besselI1e is exp(-|x|) times the modified Bessel function of order one: its power series for small arguments,
// the asymptotic one from 30 on, where its smallest term is below the precision.
func besselI1e(x float64) float64 {
	a := math.Abs(x)
	var v float64
	switch {
	case math.IsInf(x, 0):
		return math.Copysign(0, x)
	case a < 30:
		h := a * a / 4
		t := a / 2
		for k := 1.0; ; k++ {
			v += t
			if t *= h / (k * (k + 1)); t <= v*1e-18 {
				break
			}
		}
		v *= math.Exp(-a)
	default:
		t := 1.0
		for k := 1.0; k < 40; k++ {
			v += t
			u := t * -(4 - (2*k-1)*(2*k-1)) / (8 * a * k)
			if math.Abs(u) >= math.Abs(t) || math.Abs(u) < 1e-18 {
				break
			}
			t = u
		}
		v /= math.Sqrt(2 * math.Pi * a)
	}
	return math.Copysign(v, x)
}

// mulHi is the high half of a product.
func mulHi(a, b int64, t dtype.Type) int64 {
	if t.Bits() < 64 {
		p := a * b
		if t.IsSigned() {
			return p >> t.Bits()
		}
		return int64(uint64(p) >> t.Bits())
	}
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	if t.IsSigned() {
		if a < 0 {
			hi -= uint64(b)
		}
		if b < 0 {
			hi -= uint64(a)
		}
	}
	return int64(hi)
}

// nextAfter moves the pattern of a one step towards b.
func nextAfter(a, b *tensor.Tensor) *tensor.Tensor {
	x, y := floats(a), floats(b)
	ty := a.Type
	out := make([]float64, len(x))
	sign := uint64(1) << (ty.Bits() - 1)
	for i := range out {
		switch {
		case x[i] != x[i] || y[i] != y[i]:
			out[i] = math.NaN()
		case x[i] == y[i]:
			out[i] = y[i]
		case x[i] == 0:
			out[i] = math.Copysign(ty.FloatOf(1), y[i])
		default:
			p := ty.FloatBits(x[i])
			if (p&sign == 0) == (x[i] < y[i]) {
				p++
			} else {
				p--
			}
			out[i] = ty.FloatOf(p)
		}
	}
	return fromFloats(ty, a.Shape, out)
}

var _ = func() bool {
	unaries["chlo.lgamma"] = unaryRule{f64: lgamma}
	unaries["chlo.digamma"] = unaryRule{f64: digamma}
	unaries["chlo.erf_inv"] = unaryRule{f64: math.Erfinv}
	unaries["chlo.bessel_i1e"] = unaryRule{f64: besselI1e}
	binaries["chlo.zeta"] = binaryRule{f64: zeta}
	binaries["chlo.polygamma"] = binaryRule{f64: polygamma}
	binaries["chlo.mulhi"] = binaryRule{i: mulHi}
	return true
}()

func init() {
	register("chlo.next_after", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, b := m.align(in[0].T, in[1].T)
		if len(a.Data) != len(b.Data) {
			return nil, errf(o, CodeShape, "operands have shapes %v and %v", a.Shape, b.Shape)
		}
		return one(nextAfter(a, b)), nil
	})
}
