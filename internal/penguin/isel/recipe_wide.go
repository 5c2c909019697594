package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// No engine computes on 64-bit integers (machine.md 5). They live in memory as pairs of words, and the recipes here
// work on the low and the high words: POOL's wrapping 32-bit arithmetic with explicit carries, DVE's bit operators.

// pair is a tile of 64-bit integers as two tiles of uint32 words.
type pair struct{ lo, hi view }

// words views the two halves of 64-bit elements.
func words(v view) pair {
	lo := lowPart(v, dtype.U32)
	hi := lo
	hi.off++
	return pair{lo, hi}
}

func (c *tileCtx) word32() view { return c.tmp(dtype.U32) }

func (c *tileCtx) newPair() pair { return words(c.tmp(dtype.U64)) }

// pairOf returns o as a pair; narrower integers and booleans are extended by their sign.
func (c *tileCtx) pairOf(o operand) pair {
	v := c.full(o)
	if classOf(o.dt) == clsWide {
		return words(v)
	}
	r := c.newPair()
	c.extend(r, operand{v: v, dt: o.dt})
	return r
}

// extend sets r to the value of a narrower integer.
func (c *tileCtx) extend(r pair, o operand) {
	switch {
	case o.dt == dtype.U32:
		c.b.copy(machine.DVE, r.lo, o.v)
	case o.dt == dtype.I1:
		c.b.copy(machine.DVE, r.lo.as(dtype.I32), o.v.as(dtype.U8))
	default:
		c.b.copy(machine.DVE, r.lo.as(dtype.I32), o.v)
	}
	if signed(o.dt) {
		c.signWord(r.hi, r.lo)
	} else {
		c.b.memset(r.hi, 0)
	}
}

// signWord fills hi with the sign of the word lo.
func (c *tileCtx) signWord(hi, lo view) {
	n := c.word32()
	c.b.memset(n, 31)
	c.b.tt(machine.DVE, "arith_shift_right", hi.as(dtype.I32), lo.as(dtype.I32), n)
}

func (c *tileCtx) pool(op string, x, y view) view {
	r := c.word32()
	c.b.tt(machine.Pool, op, r, x, y)
	return r
}

func (c *tileCtx) bitsOf(op string, x, y view) view {
	r := c.word32()
	c.b.tt(machine.DVE, op, r, x, y)
	return r
}

func (c *tileCtx) bitsImm(op string, x view, k int64) view {
	r := c.word32()
	c.b.ts(r, x, op, immInt(dtype.U32, k), "", arg{})
	return r
}

func (c *tileCtx) constWord(k uint64) view {
	r := c.word32()
	c.b.memset(r, k)
	return r
}

func (c *tileCtx) move(dst, src pair) {
	c.b.copy(machine.DVE, dst.lo, src.lo)
	c.b.copy(machine.DVE, dst.hi, src.hi)
}

// moveIf copies src where pred is not zero.
func (c *tileCtx) moveIf(dst, src pair, pred view) {
	c.b.copyPred(dst.lo, src.lo, pred, false)
	c.b.copyPred(dst.hi, src.hi, pred, false)
}

func (c *tileCtx) add64(x, y pair) pair {
	r := c.newPair()
	lo := c.pool("add", x.lo, y.lo)
	carry := c.pool("is_lt", lo, x.lo)
	hi := c.pool("add", c.pool("add", x.hi, y.hi), carry)
	c.move(r, pair{lo, hi})
	return r
}

func (c *tileCtx) sub64(x, y pair) pair {
	borrow := c.pool("is_lt", x.lo, y.lo)
	lo := c.pool("subtract", x.lo, y.lo)
	hi := c.pool("subtract", c.pool("subtract", x.hi, y.hi), borrow)
	return pair{lo, hi}
}

// mul64 is the low 64 bits: the full product of the low words by 16-bit halves, plus the cross products.
func (c *tileCtx) mul64(x, y pair) pair {
	const mask = 0xFFFF
	al, ah := c.bitsImm("bitwise_and", x.lo, mask), c.bitsImm("logical_shift_right", x.lo, 16)
	bl, bh := c.bitsImm("bitwise_and", y.lo, mask), c.bitsImm("logical_shift_right", y.lo, 16)
	p0 := c.pool("mult", al, bl)
	mid := c.pool("add", c.pool("mult", al, bh), c.bitsImm("logical_shift_right", p0, 16))
	mid2 := c.pool("add", c.bitsImm("bitwise_and", mid, mask), c.pool("mult", ah, bl))
	lo := c.bitsOf("bitwise_or", c.bitsImm("bitwise_and", p0, mask), c.bitsImm("logical_shift_left", mid2, 16))
	hi := c.pool("add", c.pool("mult", ah, bh), c.bitsImm("logical_shift_right", mid, 16))
	hi = c.pool("add", hi, c.bitsImm("logical_shift_right", mid2, 16))
	hi = c.pool("add", hi, c.pool("mult", x.lo, y.hi))
	hi = c.pool("add", hi, c.pool("mult", x.hi, y.lo))
	return pair{lo, hi}
}

// less is 1 where x < y, in words.
func (c *tileCtx) less(x, y pair, sgn bool) view {
	t := dtype.U32
	if sgn {
		t = dtype.I32
	}
	lt := c.word32()
	c.b.tt(machine.Pool, "is_lt", lt.as(t), x.hi.as(t), y.hi.as(t))
	eq := c.pool("is_equal", x.hi, y.hi)
	low := c.pool("is_lt", x.lo, y.lo)
	return c.bitsOf("bitwise_or", lt, c.bitsOf("bitwise_and", eq, low))
}

func (c *tileCtx) equal64(x, y pair) view {
	return c.bitsOf("bitwise_and", c.pool("is_equal", x.lo, y.lo), c.pool("is_equal", x.hi, y.hi))
}

func (c *tileCtx) zero64() pair {
	return pair{c.constWord(0), c.constWord(0)}
}

// negative is 1 where the sign bit is set.
func (c *tileCtx) negative(x pair) view { return c.bitsImm("logical_shift_right", x.hi, 31) }

// abs64 is the magnitude and, in words, where x was negative.
func (c *tileCtx) abs64(x pair) (pair, view) {
	neg := c.negative(x)
	r := c.newPair()
	c.move(r, x)
	c.moveIf(r, c.sub64(c.zero64(), x), neg)
	return r, neg
}

// divide64 is unsigned long division; a zero divisor gives all ones and x.
func (c *tileCtx) divide64(x, d pair) (q, r pair) {
	q, r = c.newPair(), c.newPair()
	c.move(q, c.zero64())
	c.move(r, c.zero64())
	shl1 := func(p pair, bit view) {
		top := c.bitsImm("logical_shift_right", p.lo, 31)
		hi := c.bitsOf("bitwise_or", c.bitsImm("logical_shift_left", p.hi, 1), top)
		lo := c.bitsOf("bitwise_or", c.bitsImm("logical_shift_left", p.lo, 1), bit)
		c.move(p, pair{lo, hi})
	}
	one := c.constWord(1)
	for i := int64(63); i >= 0; i-- {
		w, k := x.lo, i
		if i >= 32 {
			w, k = x.hi, i-32
		}
		bit := c.bitsImm("bitwise_and", c.bitsImm("logical_shift_right", w, k), 1)
		over := c.bitsImm("logical_shift_right", r.hi, 31)
		shl1(r, bit)
		fits := c.bitsOf("bitwise_or", over, c.bitsOf("bitwise_xor", c.less(r, d, false), one))
		c.moveIf(r, c.sub64(r, d), fits)
		shl1(q, fits)
	}
	return q, r
}

func (c *tileCtx) divRem64(x, y pair, sgn bool) (q, r pair) {
	if !sgn {
		return c.divide64(x, y)
	}
	ax, nx := c.abs64(x)
	ay, ny := c.abs64(y)
	q, r = c.divide64(ax, ay)
	c.moveIf(q, c.sub64(c.zero64(), q), c.bitsOf("bitwise_xor", nx, ny))
	c.moveIf(r, c.sub64(c.zero64(), r), nx)
	z := c.equal64(y, c.zero64())
	c.moveIf(q, pair{c.constWord(0xFFFFFFFF), c.constWord(0xFFFFFFFF)}, z)
	c.moveIf(r, x, z)
	return q, r
}

// shift64 shifts by the unsigned value of n; 64 and more shift everything out.
func (c *tileCtx) shift64(op string, x, n pair) pair {
	s := c.newPair().lo
	c.b.copy(machine.DVE, s, n.lo)
	big := c.pool("max", c.pool("is_gt", n.lo, c.constWord(63)), c.pool("not_equal", n.hi, c.constWord(0)))
	c.b.copyPred(s, c.constWord(64), big, false)
	// Word shifts by 32 or more give 0; a negative amount is a huge unsigned one.
	inv := c.pool("subtract", c.constWord(32), s)
	rest := c.pool("subtract", s, c.constWord(32))
	switch op {
	case "shift_left":
		hi := c.bitsOf("bitwise_or", c.bitsOf("logical_shift_left", x.hi, s), c.bitsOf("logical_shift_right", x.lo, inv))
		hi = c.bitsOf("bitwise_or", hi, c.bitsOf("logical_shift_left", x.lo, rest))
		return pair{c.bitsOf("logical_shift_left", x.lo, s), hi}
	case "shift_right_logical":
		lo := c.bitsOf("bitwise_or", c.bitsOf("logical_shift_right", x.lo, s), c.bitsOf("logical_shift_left", x.hi, inv))
		lo = c.bitsOf("bitwise_or", lo, c.bitsOf("logical_shift_right", x.hi, rest))
		return pair{lo, c.bitsOf("logical_shift_right", x.hi, s)}
	}
	arith := func(v, n view) view {
		r := c.word32()
		c.b.tt(machine.DVE, "arith_shift_right", r.as(dtype.I32), v.as(dtype.I32), n)
		return r
	}
	lo := c.bitsOf("bitwise_or", c.bitsOf("logical_shift_right", x.lo, s), c.bitsOf("logical_shift_left", x.hi, inv))
	c.b.copyPred(lo, arith(x.hi, rest), c.pool("is_gt", s, c.constWord(31)), false)
	return pair{lo, arith(x.hi, s)}
}

// toFloat converts by magnitude, because the rounding of a two's complement low word would drown small negatives.
func (c *tileCtx) toFloat(x pair, sgn bool) view {
	neg := view{}
	if sgn {
		x, neg = c.abs64(x)
	}
	hi, lo := c.f32(), c.f32()
	c.b.copy(machine.DVE, hi, x.hi)
	c.b.copy(machine.DVE, lo, x.lo)
	r := c.op2("add", c.scalar(hi, "mult", 4294967296, "", 0), lo)
	if sgn {
		c.b.copyPred(r, c.scalar(r, "mult", -1, "", 0), neg, false)
	}
	return r
}

// fromFloat truncates and saturates; NaN gives 0.
func (c *tileCtx) fromFloat(x view, sgn bool) pair {
	zero := c.f32()
	c.b.memset(zero, 0)
	f := c.f32()
	c.b.copy(machine.DVE, f, x)
	nan := c.tmp(dtype.U8)
	c.b.tt(machine.DVE, "not_equal", nan, x, x)
	c.b.copyPred(f, zero, nan, false)
	neg := c.tmp(dtype.U8)
	c.b.ts(neg, f, "is_lt", imm(0), "", arg{})
	if !sgn {
		c.b.copyPred(f, zero, neg, false)
	}
	a := c.floorAbs(c.actOf("Abs", f, 1, 0))
	h := c.floorAbs(c.scalar(a, "mult", 1.0/4294967296, "", 0))
	r := c.newPair()
	c.b.copy(machine.DVE, r.hi, h)
	rest := c.op2("subtract", a, c.scalar(h, "mult", 4294967296, "", 0))
	c.b.copy(machine.DVE, r.lo, rest)
	top := 9223372036854775808.0
	if !sgn {
		top *= 2
	}
	over := c.tmp(dtype.U8)
	c.b.ts(over, a, "is_ge", imm(top), "", arg{})
	if !sgn {
		c.moveIf(r, pair{c.constWord(0xFFFFFFFF), c.constWord(0xFFFFFFFF)}, over)
		return r
	}
	c.moveIf(r, pair{c.constWord(0xFFFFFFFF), c.constWord(0x7FFFFFFF)}, over)
	n := c.sub64(c.zero64(), r)
	c.moveIf(r, n, neg)
	c.b.tt(machine.DVE, "bitwise_and", over, over, neg)
	c.moveIf(r, pair{c.constWord(0), c.constWord(0x80000000)}, over)
	return r
}

// wide are the recipes of ops that have a 64-bit operand or result.
var wide = map[string]recipe{
	"add":      wide2(func(c *tileCtx, x, y pair, _ bool) pair { return c.add64(x, y) }),
	"subtract": wide2(func(c *tileCtx, x, y pair, _ bool) pair { return c.sub64(x, y) }),
	"multiply": wide2(func(c *tileCtx, x, y pair, _ bool) pair { return c.mul64(x, y) }),
	"divide": wide2(func(c *tileCtx, x, y pair, s bool) pair {
		q, _ := c.divRem64(x, y, s)
		return q
	}),
	"remainder": wide2(func(c *tileCtx, x, y pair, s bool) pair {
		_, r := c.divRem64(x, y, s)
		return r
	}),
	"maximum": wide2(func(c *tileCtx, x, y pair, s bool) pair { return c.pick(y, x, c.less(x, y, s)) }),
	"minimum": wide2(func(c *tileCtx, x, y pair, s bool) pair { return c.pick(x, y, c.less(x, y, s)) }),
	"power":   wide2((*tileCtx).power64),
	"and":     wideBits("bitwise_and"),
	"or":      wideBits("bitwise_or"),
	"xor":     wideBits("bitwise_xor"),
	"shift_left": wide2(func(c *tileCtx, x, y pair, _ bool) pair {
		return c.shift64("shift_left", x, y)
	}),
	"shift_right_logical": wide2(func(c *tileCtx, x, y pair, _ bool) pair {
		return c.shift64("shift_right_logical", x, y)
	}),
	"shift_right_arithmetic": wide2(func(c *tileCtx, x, y pair, _ bool) pair {
		return c.shift64("shift_right_arithmetic", x, y)
	}),
	"negate": wide1(func(c *tileCtx, x pair, _ bool) pair { return c.sub64(c.zero64(), x) }),
	"abs": wide1(func(c *tileCtx, x pair, s bool) pair {
		if !s {
			return x
		}
		r, _ := c.abs64(x)
		return r
	}),
	"sign": wide1(func(c *tileCtx, x pair, s bool) pair {
		nz := c.bitsOf("bitwise_xor", c.equal64(x, c.zero64()), c.constWord(1))
		r := pair{nz, c.constWord(0)}
		if !s {
			return r
		}
		return c.pick(pair{c.constWord(0xFFFFFFFF), c.constWord(0xFFFFFFFF)}, r, c.negative(x))
	}),
	"not": wide1(func(c *tileCtx, x pair, _ bool) pair {
		return pair{c.bitsImm("bitwise_xor", x.lo, 0xFFFFFFFF), c.bitsImm("bitwise_xor", x.hi, 0xFFFFFFFF)}
	}),
	"popcnt": wide1(func(c *tileCtx, x pair, _ bool) pair {
		return pair{c.pool("add", c.countBits(x.lo), c.countBits(x.hi)), c.constWord(0)}
	}),
	"count_leading_zeros": wide1(func(c *tileCtx, x pair, _ bool) pair {
		lo := c.pool("add", c.clz32(x.lo), c.constWord(32))
		hi := c.clz32(x.hi)
		c.b.copyPred(hi, lo, c.pool("is_equal", x.hi, c.constWord(0)), false)
		return pair{hi, c.constWord(0)}
	}),
	"compare": wideCompare,
	"select":  wideSelect,
	"clamp": func(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
		s := signed(in[1].dt)
		lo, x, hi := c.pairOf(in[0]), c.pairOf(in[1]), c.pairOf(in[2])
		t := c.pick(lo, x, c.less(x, lo, s))
		c.move(words(dst), c.pick(hi, t, c.less(hi, t, s)))
		return nil
	},
	"convert": wideConvert,
}

// pick is pred ? x : y.
func (c *tileCtx) pick(x, y pair, pred view) pair {
	r := c.newPair()
	c.move(r, y)
	c.moveIf(r, x, pred)
	return r
}

func (c *tileCtx) clz32(w view) view {
	for _, s := range []int64{1, 2, 4, 8, 16} {
		w = c.bitsOf("bitwise_or", w, c.bitsImm("logical_shift_right", w, s))
	}
	return c.pool("subtract", c.constWord(32), c.countBits(w))
}

func (c *tileCtx) power64(x, y pair, sgn bool) pair {
	r, base := c.newPair(), c.newPair()
	c.move(r, pair{c.constWord(1), c.constWord(0)})
	c.move(base, x)
	for i := int64(0); i < 64; i++ {
		w, k := y.lo, i
		if i >= 32 {
			w, k = y.hi, i-32
		}
		bit := c.bitsImm("bitwise_and", c.bitsImm("logical_shift_right", w, k), 1)
		c.moveIf(r, c.mul64(r, base), bit)
		if i < 63 {
			c.move(base, c.mul64(base, base))
		}
	}
	if sgn {
		// A negative exponent gives 0 unless the base is 1 or -1, for which the loop saw the right parity.
		// Squares of other bases may wrap to 1, so the base itself is compared.
		unit := c.bitsOf("bitwise_or",
			c.equal64(x, pair{c.constWord(1), c.constWord(0)}),
			c.equal64(x, pair{c.constWord(0xFFFFFFFF), c.constWord(0xFFFFFFFF)}))
		bad := c.bitsOf("bitwise_and", c.negative(y), c.bitsOf("bitwise_xor", unit, c.constWord(1)))
		c.moveIf(r, c.zero64(), bad)
	}
	return r
}

func wide2(f func(c *tileCtx, x, y pair, sgn bool) pair) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		c.move(words(dst), f(c, c.pairOf(in[0]), c.pairOf(in[1]), signed(in[0].dt)))
		return nil
	}
}

func wide1(f func(c *tileCtx, x pair, sgn bool) pair) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		c.move(words(dst), f(c, c.pairOf(in[0]), signed(in[0].dt)))
		return nil
	}
}

func wideBits(op string) recipe {
	return wide2(func(c *tileCtx, x, y pair, _ bool) pair {
		return pair{c.bitsOf(op, x.lo, y.lo), c.bitsOf(op, x.hi, y.hi)}
	})
}

func wideCompare(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	x, y, s := c.pairOf(in[0]), c.pairOf(in[1]), signed(in[0].dt)
	var r view
	invert := false
	switch at.(*penguin.Compare).Dir {
	case "EQ":
		r = c.equal64(x, y)
	case "NE":
		r, invert = c.equal64(x, y), true
	case "LT":
		r = c.less(x, y, s)
	case "GE":
		r, invert = c.less(x, y, s), true
	case "GT":
		r = c.less(y, x, s)
	case "LE":
		r, invert = c.less(y, x, s), true
	}
	if invert {
		r = c.bitsImm("bitwise_xor", r, 1)
	}
	c.b.copy(machine.DVE, dst.as(dtype.U8), r)
	return nil
}

func wideSelect(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	d := words(dst)
	c.move(d, c.pairOf(in[2]))
	p := c.full(in[0]).as(dtype.U8)
	c.moveIf(d, c.pairOf(in[1]), p)
	return nil
}

func wideConvert(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x, t := in[0], dst.dtype()
	if classOf(x.dt) == clsNone || classOf(t) == clsNone {
		return c.unsupported(t)
	}
	if classOf(x.dt) != clsWide {
		if classOf(x.dt) == clsFloat {
			c.move(words(dst), c.fromFloat(c.hub(x), signed(t)))
		} else {
			c.extend(words(dst), operand{v: c.full(x), dt: x.dt})
		}
		return nil
	}
	p := c.pairOf(x)
	switch classOf(t) {
	case clsWide:
		c.move(words(dst), p)
	case clsFloat:
		c.b.copy(machine.DVE, dst, c.toFloat(p, signed(x.dt)))
	case clsBool:
		z := c.bitsOf("bitwise_or", p.lo, p.hi)
		w := c.pool("not_equal", z, c.constWord(0))
		c.b.copy(machine.DVE, dst.as(dtype.U8), w)
	default:
		c.b.copy(machine.DVE, dst, lowPart(c.full(x), t))
	}
	return nil
}

// anyWide reports whether a tensor of the instruction has 64-bit integers.
func anyWide(in *penguin.Inst) bool {
	for _, side := range [][]penguin.Access{in.In, in.Out} {
		for i := range side {
			if classOf(side[i].T.DType) == clsWide {
				return true
			}
		}
	}
	return false
}
