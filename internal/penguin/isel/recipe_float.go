package isel

import (
	"math"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// hub returns o as an fp32 view.
func (c *tileCtx) hub(o operand) view {
	if o.konst {
		return c.full(of(o.val()))
	}
	if o.dt == dtype.F32 {
		return o.v
	}
	v := c.tmp(dtype.F32)
	c.b.copy(machine.DVE, v, o.v)
	return v
}

// floatOnly wraps a recipe over one fp32 tile.
func floatOnly(f func(c *tileCtx, dst, x view)) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		if classOf(in[0].dt) != clsFloat {
			return c.unsupported(in[0].dt)
		}
		f(c, dst, c.hub(in[0]))
		return nil
	}
}

func (c *tileCtx) f32() view { return c.tmp(dtype.F32) }

func (c *tileCtx) op2(op string, x, y view) view {
	r := c.f32()
	c.b.tt(machine.DVE, op, r, x, y)
	return r
}

func (c *tileCtx) scalar(x view, op0 string, f0 float64, op1 string, f1 float64) view {
	r := c.f32()
	c.b.ts(r, x, op0, imm(f0), op1, imm(f1))
	return r
}

func (c *tileCtx) actOf(fn string, x view, scale, bias float64) view {
	r := c.f32()
	c.b.act(fn, r, x, scale, imm(bias))
	return r
}

// where overwrites r with alt where the comparison of x with f holds (or, reversed, does not).
func (c *tileCtx) where(r, x view, cmp string, f float64, alt view, reverse bool) {
	p := c.tmp(dtype.U8)
	c.b.ts(p, x, cmp, imm(f), "", arg{})
	c.b.copyPred(r, alt, p, reverse)
}

// sine evaluates sin(x), or cos(x) when cosine is set. With n = round(x/pi) and r = x - n*pi in [-pi/2, pi/2] it is
// sin(r) with the sign of (-1)^n; the cosine takes n = round(x/pi + 1/2) and r = x - (n - 1/2)*pi. Pi comes off in
// three parts whose products with small multiples of 1/2 are exact in fp32, so that r keeps its leading digits near
// the zeros. ACT's table is valid there.
func sine(c *tileCtx, x view, cosine bool) view {
	const pi1 = 3.140625
	pi2 := math.Trunc((math.Pi-pi1)*(1<<22)) / (1 << 22)
	pi3 := math.Pi - pi1 - pi2
	half := 0.0
	if cosine {
		half = 0.5
	}
	k := c.scalar(x, "mult", 1/math.Pi, "add", half)
	i := c.tmp(dtype.I32)
	c.b.copy(machine.DVE, i, k) // rounds to nearest
	n := c.f32()
	c.b.copy(machine.DVE, n, i)
	if cosine {
		n = c.scalar(n, "subtract", 0.5, "", 0)
	}
	r := x
	for _, p := range []float64{pi1, pi2, pi3} {
		t := c.scalar(n, "mult", p, "", 0)
		r = c.op2("subtract", r, t)
	}
	r = c.scalar(r, "max", -math.Pi, "min", math.Pi)
	// max and min drop NaN: infinities have to give NaN, which x-x is.
	d := c.op2("subtract", x, x)
	r = c.op2("add", r, d)
	s := c.actOf("Sin", r, 1, 0)
	odd := c.tmp(dtype.U32)
	c.b.ts(odd, i.as(dtype.U32), "bitwise_and", immInt(dtype.U32, 1), "logical_shift_left", immInt(dtype.U32, 31))
	c.b.tt(machine.DVE, "bitwise_xor", s.as(dtype.U32), s.as(dtype.U32), odd)
	return s
}

func (c *tileCtx) to(dst, r view) {
	c.b.copy(machine.DVE, dst, r)
}

var sin = floatOnly(func(c *tileCtx, dst, x view) { c.to(dst, sine(c, x, false)) })
var cos = floatOnly(func(c *tileCtx, dst, x view) { c.to(dst, sine(c, x, true)) })

var tan = floatOnly(func(c *tileCtx, dst, x view) {
	r := c.f32()
	c.b.recip(r, sine(c, x, true))
	c.b.tt(machine.DVE, "mult", dst, sine(c, x, false), r)
})

// expm1 is 2t/(1-t) with t = tanh(x/2), which keeps the small results, and exp(x)-1 above 1/2.
var expm1 = floatOnly(func(c *tileCtx, dst, x view) {
	t := c.actOf("Tanh", x, 0.5, 0)
	d := c.scalar(t, "mult", -1, "add", 1)
	c.b.recip(d, d)
	r := c.op2("mult", t, d)
	r = c.scalar(r, "mult", 2, "", 0)
	e := c.actOf("Exp", x, 1, 0)
	e = c.scalar(e, "subtract", 1, "", 0)
	a := c.actOf("Abs", x, 1, 0)
	c.where(r, a, "is_lt", 0.5, e, true)
	c.to(dst, r)
})

// log1p is x*log(u)/(u-1) with u = 1+x rounded: the rounding of u cancels. Where u is 1 the result is x.
var log1p = floatOnly(func(c *tileCtx, dst, x view) {
	u := c.scalar(x, "add", 1, "", 0)
	l := c.actOf("Ln", u, 1, 0)
	d := c.scalar(u, "subtract", 1, "", 0)
	q := c.f32()
	c.b.recip(q, d)
	r := c.op2("mult", l, q)
	r = c.op2("mult", r, x)
	c.where(r, u, "is_equal", 1, x, false)
	c.where(r, u, "is_equal", math.Inf(1), l, false)
	c.where(r, u, "is_equal", 0, l, false)
	c.to(dst, r)
})

// cbrt is sign(x)*exp(log|x|/3) with one Newton step; zero, infinity and NaN stay.
var cbrt = floatOnly(func(c *tileCtx, dst, x view) {
	a := c.actOf("Abs", x, 1, 0)
	l := c.actOf("Ln", a, 1, 0)
	y := c.actOf("Exp", l, 1.0/3, 0)
	y2 := c.op2("mult", y, y)
	q := c.f32()
	c.b.recip(q, y2)
	t := c.op2("mult", a, q)
	t = c.op2("subtract", t, y)
	t = c.scalar(t, "mult", 1.0/3, "", 0)
	y = c.op2("add", y, t)
	s := c.actOf("Sign", x, 1, 0)
	y = c.op2("mult", y, s)
	c.where(y, a, "is_gt", 0, x, true)
	c.where(y, a, "is_equal", math.Inf(1), x, false)
	c.to(dst, y)
})

// atanSmall is atan of a tile in [0, 1], where ACT's table is valid.
func (c *tileCtx) atanSmall(x view) view { return c.actOf("Arctan", x, 1, 0) }

// atan2 reduces to atan of the smaller magnitude over the larger and unfolds octants. Signed zeros and infinities
// follow C.
func atan2(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	if classOf(in[0].dt) != clsFloat {
		return c.unsupported(in[0].dt)
	}
	y, x := c.hub(in[0]), c.hub(in[1])
	ay, ax := c.actOf("Abs", y, 1, 0), c.actOf("Abs", x, 1, 0)
	lo := c.op2("min", ay, ax)
	hi := c.op2("max", ay, ax)
	// The reciprocal of a subnormal is infinite: magnitudes below 1 are scaled up, which leaves the quotient.
	scale := c.scalar(c.scalar(hi, "is_lt", 1, "mult", 1<<40), "max", 1, "", 0)
	lo, hi = c.op2("mult", lo, scale), c.op2("mult", hi, scale)
	q := c.f32()
	c.b.recip(q, hi)
	t := c.op2("mult", lo, q)
	zero, one := c.f32(), c.f32()
	c.b.memset(zero, 0)
	c.b.memset(one, f32bits(1))
	c.where(t, hi, "is_equal", 0, zero, false)
	c.where(t, hi, "is_equal", math.Inf(1), zero, false)
	c.where(t, lo, "is_equal", math.Inf(1), one, false)
	r := c.atanSmall(t)
	// y > x in magnitude: pi/2 - r
	p := c.tmp(dtype.U8)
	c.b.tt(machine.DVE, "is_gt", p, ay, ax)
	c.b.copyPred(r, c.scalar(r, "mult", -1, "add", math.Pi/2), p, false)
	// x negative, minus zero included: pi - r. The sign bit is bit 31 of the word.
	sx := c.tmp(dtype.U32)
	c.b.ts(sx, x.as(dtype.U32), "logical_shift_right", immInt(dtype.U32, 31), "", arg{})
	c.b.copyPred(r, c.scalar(r, "mult", -1, "add", math.Pi), sx, false)
	// The result takes y's sign bit.
	sy := c.tmp(dtype.U32)
	c.b.ts(sy, y.as(dtype.U32), "bitwise_and", immInt(dtype.U32, 0x80000000), "", arg{})
	c.b.tt(machine.DVE, "bitwise_or", r.as(dtype.U32), r.as(dtype.U32), sy)
	// NaN in either operand.
	n := c.op2("add", x, y)
	nn := c.tmp(dtype.U8)
	c.b.tt(machine.DVE, "is_equal", nn, x, x)
	c.b.copyPred(r, n, nn, true)
	c.b.tt(machine.DVE, "is_equal", nn, y, y)
	c.b.copyPred(r, n, nn, true)
	c.to(dst, r)
	return nil
}

// power uses POOL's pow for floats; integers multiply by squares.
func power(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	x, y := in[0], in[1]
	switch classOf(x.dt) {
	case clsFloat:
		if y.konst {
			switch y.f {
			case 2:
				c.alu("mult", dst, ov(c.hub(x)), ov(c.hub(x)))
				return nil
			case 0.5:
				c.b.act("Sqrt", dst, c.hub(x), 1, imm(0))
				return nil
			}
		}
		c.b.tt(machine.Pool, "pow", dst, c.hub(x), c.hub(y))
		return nil
	case clsSmall, clsWord:
		c.intPower(dst, x, y)
		return nil
	}
	return c.unsupported(x.dt)
}

// intPower is square and multiply over the bits of the exponent, in wrapping words. A negative exponent gives 0,
// except for the bases 1 and -1, whose powers depend on the exponent's parity only.
func (c *tileCtx) intPower(dst view, x, y operand) {
	b := c.b
	word := func() view { return c.tmp(dtype.I32) }
	base := word()
	b.copy(machine.DVE, base, c.full(c.widen(x, dtype.I32)))
	e := c.full(c.widen(y, dtype.I32))
	r, one := word(), word()
	b.memset(r, 1)
	b.memset(one, 1)
	for i := int64(0); i < 32; i++ {
		bit := c.tmp(dtype.U32)
		b.ts(bit, e.as(dtype.U32), "logical_shift_right", immInt(dtype.U32, i), "bitwise_and", immInt(dtype.U32, 1))
		t := word()
		b.tt(machine.Pool, "mult", t, r, base)
		b.copyPred(r, t, bit, false)
		if i < 31 {
			b.tt(machine.Pool, "mult", base, base, base)
		}
	}
	if signed(y.dt) {
		// The loop above took the two's complement of a negative exponent as a large one: right for +-1 (parity),
		// wrong for the others.
		// No other base rounds to +-1 in the fp32 of these comparisons, while squares of others may wrap to 1.
		neg, other := c.tmp(dtype.U8), c.tmp(dtype.U8)
		zero := word()
		b.memset(zero, 0)
		xv := c.full(c.widen(x, dtype.I32))
		b.ts(neg, e, "is_lt", imm(0), "", arg{})
		for _, unit := range []float64{1, -1} {
			b.ts(other, xv, "not_equal", imm(unit), "", arg{})
			b.tt(machine.DVE, "bitwise_and", neg, neg, other)
		}
		b.copyPred(r, zero, neg, false)
	}
	c.narrow(dst, r)
}

// compareOps maps HLO directions to ALU operators.
var compareOps = map[string]string{"EQ": "is_equal", "NE": "not_equal", "GE": "is_ge", "GT": "is_gt", "LE": "is_le", "LT": "is_lt"}

// compareOp stores 1 or 0. Total order compares floats as integers after folding the negative half over.
func compareOp(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	a := at.(*penguin.Compare)
	total := a.Total
	{
		op := compareOps[a.Dir]
		d := dst.as(dtype.U8)
		x, y := in[0], in[1]
		switch classOf(x.dt) {
		case clsFloat:
			if total {
				w := c.tmp(dtype.I32)
				c.word(op, w, ov(c.totalKey(x)), ov(c.totalKey(y)))
				c.b.copy(machine.DVE, d, w)
				return nil
			}
			c.alu(op, d, x, y)
		case clsSmall:
			c.alu(op, d, x, y)
		case clsBool:
			c.alu(op, d, asU8(x), asU8(y))
		case clsWord:
			w := c.tmp(x.dt)
			c.word(op, w, x, y)
			c.b.copy(machine.DVE, d, w)
		default:
			return c.unsupported(x.dt)
		}
	}
	return nil
}

// reducePrecision is a round trip through the narrow type that has the asked exponent and mantissa.
func reducePrecision(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	a := at.(*penguin.ReducePrecision)
	var t dtype.Type
	switch [2]int{a.Exp, a.Mantissa} {
	case [2]int{8, 23}:
		t = dtype.F32
	case [2]int{8, 7}:
		t = dtype.BF16
	case [2]int{5, 10}:
		t = dtype.F16
	case [2]int{8, 10}:
		t = dtype.TF32
	default:
		return diag.Errorf("PEN190", c.loc, "reduce_precision to %d exponent and %d mantissa bits is not supported by the instruction selector", a.Exp, a.Mantissa)
	}
	w := c.tmp(t)
	c.b.copy(machine.DVE, w, c.full(in[0]))
	c.b.copy(machine.DVE, dst, w)
	return nil
}

// totalKey maps floats to int32 so that integer order is IEEE total order.
func (c *tileCtx) totalKey(o operand) view {
	x := c.hub(o)
	k, s, m := c.tmp(dtype.I32), c.tmp(dtype.I32), c.tmp(dtype.U32)
	thirtyOne := c.tmp(dtype.U32)
	c.b.memset(thirtyOne, 31)
	c.b.tt(machine.DVE, "arith_shift_right", s, x.as(dtype.I32), thirtyOne)
	c.b.ts(m, s.as(dtype.U32), "bitwise_and", immInt(dtype.U32, 0x7FFFFFFF), "", arg{})
	c.b.tt(machine.DVE, "bitwise_xor", k.as(dtype.U32), x.as(dtype.U32), m)
	return k
}

// selectOp is dst = pred ? on_true : on_false.
func selectOp(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	if in[0].konst {
		i := 2
		if in[0].i != 0 {
			i = 1
		}
		c.b.copy(machine.DVE, dst, c.full(in[i]))
		return nil
	}
	if classOf(dst.dtype()) == clsWide {
		return c.unsupported(dst.dtype())
	}
	if in[2].konst {
		c.b.memset(dst, constBits(in[2]))
	} else {
		c.b.copy(machine.DVE, dst, in[2].v)
	}
	c.b.copyPred(dst, c.full(in[1]), in[0].v.as(dtype.U8), false)
	return nil
}

// clamp is min(max(lo, x), hi); the scalars stand first so that a NaN in x comes through.
func clamp(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	lo, x, hi := in[0], in[1], in[2]
	if classOf(x.dt) == clsFloat && lo.konst && hi.konst && !x.konst {
		c.b.op("tensor_scalar", machine.DVE, []view{dst}, []arg{av(x.v), imm(lo.f), imm(hi.f)},
			penguin.ISA{Op0: "max", Op1: "min", Rev0: true, Rev1: true})
		return nil
	}
	t := c.tmp(x.dt)
	if err := extremum("max", "bitwise_or")(c, t, []operand{lo, x}, at); err != nil {
		return err
	}
	return extremum("min", "bitwise_and")(c, dst, []operand{hi, ov(t)}, at)
}

// convert changes the element type.
func convert(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x, t := in[0], dst.dtype()
	from, to := classOf(x.dt), classOf(t)
	if from == clsWide || to == clsWide || from == clsNone || to == clsNone {
		if from == clsWide || from == clsNone {
			return c.unsupported(x.dt)
		}
		return c.unsupported(t)
	}
	switch {
	case to == clsBool:
		c.alu("not_equal", dst.as(dtype.U8), x, of(0))
	case to == clsFloat || x.dt == t:
		v := x
		if from == clsBool {
			v = asU8(x)
		}
		c.b.copy(machine.DVE, dst, c.full(v))
	case from == clsFloat:
		// HLO truncates, the engines round to nearest.
		h := c.hub(x)
		f := c.trunc(h)
		nan, zero := c.tmp(dtype.U8), c.f32()
		c.b.tt(machine.DVE, "not_equal", nan, h, h)
		c.b.memset(zero, 0)
		c.b.copyPred(f, zero, nan, false)
		c.b.copy(machine.DVE, dst, f)
	case from == clsBool:
		c.b.copy(machine.DVE, dst, c.full(asU8(x)))
	default:
		// Between integers the value is taken modulo the width.
		if width(t) <= width(x.dt) {
			v := c.full(x)
			c.b.copy(machine.DVE, dst, lowPart(v, t))
			return nil
		}
		w := c.tmp(dtype.I32)
		if x.dt == dtype.U16 || x.dt == dtype.U8 || signed(x.dt) {
			c.b.copy(machine.DVE, w, c.full(x))
		}
		c.narrow(dst, w)
	}
	return nil
}

// isFinite: x-x is zero exactly for finite x.
func isFinite(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	if classOf(in[0].dt) != clsFloat {
		return c.unsupported(in[0].dt)
	}
	x := c.hub(in[0])
	d := c.op2("subtract", x, x)
	c.b.ts(dst.as(dtype.U8), d, "is_equal", imm(0), "", arg{})
	return nil
}
