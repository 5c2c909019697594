package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Elementary functions of CHLO. Each formula is chosen so that nothing cancels or overflows before the result does.
func init() {
	decomposing("chlo.tan", func(c calc, x ...*hlo.Value) *hlo.Value { return c.f("tan", x[0]) })
	// The root of (1-x)(1+x) is sin of the angle whose cos is x.
	decomposing("chlo.acos", func(c calc, x ...*hlo.Value) *hlo.Value { return c.f("atan2", coside(c, x[0]), x[0]) })
	decomposing("chlo.asin", func(c calc, x ...*hlo.Value) *hlo.Value { return c.f("atan2", x[0], coside(c, x[0])) })
	decomposing("chlo.atan", func(c calc, x ...*hlo.Value) *hlo.Value { return c.f("atan2", x[0], 1) })
	decomposing("chlo.acosh", acosh)
	decomposing("chlo.asinh", asinh)
	// atanh(x) = sign(x)/2 log1p(2|x| / (1-|x|))
	decomposing("chlo.atanh", func(c calc, x ...*hlo.Value) *hlo.Value {
		a := c.abs(x[0])
		return c.mul(c.mul(c.f("sign", x[0]), 0.5), c.f("log_plus_one", c.div(c.add(a, a), c.sub(1, a))))
	})
	// cosh(x) = e/2 e + 1/2 / e / e with e = exp(|x|/2)
	decomposing("chlo.cosh", func(c calc, x ...*hlo.Value) *hlo.Value {
		e := c.f("exponential", c.mul(c.abs(x[0]), 0.5))
		return c.add(c.mul(c.mul(e, 0.5), e), c.div(c.div(0.5, e), e))
	})
	decomposing("chlo.sinh", sinh)
	decomposing("chlo.erfc", erfc)
	decomposing("chlo.erf_inv", erfInv)
	decompositions["chlo.is_inf"] = isInf("abs", 1)
	decompositions["chlo.is_pos_inf"] = isInf("", 1)
	decompositions["chlo.is_neg_inf"] = isInf("", -1)
	decompositions["chlo.next_after"] = nextAfter
}

func coside(c calc, x *hlo.Value) *hlo.Value {
	return c.f("sqrt", c.mul(c.sub(1, x), c.add(1, x)))
}

// acosh(x) = log1p(t + sqrt(t (t+2))) with t = x-1; log(x) + log(2) where t*t would overflow; NaN below 1.
func acosh(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	t := c.sub(x, 1)
	near := c.f("log_plus_one", c.add(t, c.f("sqrt", c.mul(t, c.add(t, 2)))))
	far := c.add(c.f("log", x), math.Ln2)
	r := c.sel(c.cmp(x, "GT", 1e9), far, near)
	return c.sel(c.cmp(x, "LT", 1), math.NaN(), r)
}

// asinh(x) = sign(x) log1p(a + a a / (1 + sqrt(a a + 1))) with a = |x|; log(a) + log(2) where a*a would overflow.
func asinh(c calc, in ...*hlo.Value) *hlo.Value {
	a := c.abs(in[0])
	q := c.mul(a, a)
	near := c.f("log_plus_one", c.add(a, c.div(q, c.add(1, c.f("sqrt", c.add(q, 1))))))
	far := c.add(c.f("log", a), math.Ln2)
	return c.mul(c.f("sign", in[0]), c.sel(c.cmp(a, "GT", 1e9), far, near))
}

// sinh(x) = sign(x) (m + m/(m+1))/2 with m = expm1(|x|); for |x| > 1 by e = exp(|x|), halved in two steps where that
// overflows before the result does.
func sinh(c calc, in ...*hlo.Value) *hlo.Value {
	a := c.abs(in[0])
	m := c.f("exponential_minus_one", a)
	near := c.mul(0.5, c.add(m, c.div(m, c.add(m, 1))))
	e := c.f("exponential", c.mul(a, 0.5))
	huge := c.mul(c.mul(e, 0.5), e)
	e = c.f("exponential", a)
	far := c.sub(c.mul(e, 0.5), c.div(0.5, e))
	return c.mul(c.f("sign", in[0]), c.sel(c.cmp(a, "LT", 1), near, c.sel(c.cmp(a, "LT", 88), far, huge)))
}

// erfc(x) = 1 - erf(x) for |x| < 1; else exp(-x x)/|x| P(1/(x x)), and 2 minus that for negative x.
// Coefficients: Cephes, ndtrf.
func erfc(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	a := c.abs(x)
	q := c.div(1, a)
	y := c.mul(q, q)
	p := c.poly(y, 2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1, -5.824733027278666e-1, 6.210004621745983e-1,
		-4.944515323274145e-1, 3.404879937665872e-1, -2.741127028184656e-1, 5.638259427386472e-1)
	r := c.poly(y, -1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503, 2.921019019210786, -1.015265279202700,
		4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1)
	tail := c.mul(c.mul(expNegSquare(c, a), q), c.sel(c.cmp(a, "LT", 2), p, r))
	tail = c.sel(c.cmp(a, "GT", 11), 0, tail)
	tail = c.sel(c.cmp(x, "LT", 0), c.sub(2, tail), tail)
	near := c.sub(1, c.Op("chlo.erf", nil, x))
	return c.sel(c.cmp(a, "LT", 1), near, tail)
}

// expNegSquare is exp(-a a) without the error of rounding a a: with h = a rounded to eleven bits, h h is exact and
// a a = h h + (a-h)(a+h).
func expNegSquare(c calc, a *hlo.Value) *hlo.Value {
	h := c.Op("stablehlo.reduce_precision", hlo.Attrs{
		{Name: "exponent_bits", Attr: hlo.IntAttr{Value: 8, Type: dtype.I32}},
		{Name: "mantissa_bits", Attr: hlo.IntAttr{Value: 10, Type: dtype.I32}}}, a)
	rest := c.mul(c.sub(a, h), c.add(a, h))
	return c.mul(c.f("exponential", c.neg(c.mul(h, h))), c.f("exponential", c.neg(rest)))
}

// erfInv: Giles, "Approximating the erfinv function", single precision.
func erfInv(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	a := c.abs(x)
	// -log(1 - x x): the factors of 1 - x x are exact near one, where x x is not.
	w := c.neg(c.sel(c.cmp(a, "GT", 0.5), c.f("log", c.mul(c.sub(1, a), c.add(1, a))), c.f("log_plus_one", c.neg(c.mul(x, x)))))
	lt := c.sub(w, 2.5)
	p := c.poly(lt, 2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
		0.246640727, 1.50140941)
	ge := c.sub(c.f("sqrt", w), 3)
	q := c.poly(ge, -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
		1.00167406, 2.83297682)
	r := c.mul(x, c.sel(c.cmp(w, "LT", 5), p, q))
	return c.sel(c.cmp(a, "EQ", 1), c.mul(x, math.Inf(1)), r)
}

// isInf: compare %x or |%x| with an infinity.
func isInf(of string, sign int) rule {
	return func(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
		c := calcOn(b, o.Operands[0])
		x := o.Operands[0]
		if of != "" {
			x = c.f(of, x)
		}
		return one(c.cmp(x, "EQ", math.Inf(sign)))
	}
}

// nextAfter steps the bit pattern of %x, read as an integer, by one: up when %x moves away from zero, else down.
//
//	x == y: y    NaN: NaN    x == 0: the least number with y's sign
func nextAfter(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.Out(0)
	ints := map[int]dtype.Type{16: dtype.I16, 32: dtype.I32}
	e, ok := ints[t.Elem.Bits()]
	if !ok {
		return nil
	}
	x, y := o.Operands[0], o.Operands[1]
	c := calcOn(b, x)
	as := func(v *hlo.Value, e dtype.Type) *hlo.Value {
		return b.Typed("stablehlo.bitcast_convert", hlo.Tensor(e, t.Dims...), nil, v)
	}
	bits := as(x, e)
	k := func(v int64) *hlo.Value { return b.IntConst(v, e, t.Dims...) }
	away := b.Op("stablehlo.xor", nil, c.cmp(x, "GT", 0), c.cmp(x, "GT", y)) // x > 0 and y above, or x < 0 and y below
	step := b.Select(away, k(1), k(-1))
	sign := b.Op("stablehlo.and", nil, as(y, e), k(-1<<(t.Elem.Bits()-1)))
	least := b.Op("stablehlo.or", nil, sign, k(1))
	next := as(b.Select(c.cmp(x, "EQ", 0), least, b.Op("stablehlo.add", nil, bits, step)), t.Elem)
	next = b.Select(c.cmp(x, "EQ", y), y, next)
	// A NaN operand makes the sum one.
	nan := b.Op("stablehlo.or", nil, c.cmp(x, "NE", x), c.cmp(y, "NE", y))
	return one(b.Select(nan, c.add(x, y), next))
}
