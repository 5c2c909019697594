package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// intDiv divides 8-, 16- and 32-bit integers, truncating toward zero, and returns quotient and remainder as
// 32-bit words. The fp32 quotient is off by at most a few units of its last place; multiplying back in wrapping
// words gives the exact remainder of that guess, a second guess on it leaves the quotient within one, and the
// sign of the remainder says which way. Division by zero gives quotient -1 (all ones) and remainder x.
func (c *tileCtx) intDiv(x, y operand) (q, r view, err error) {
	t := dtype.I32
	uns := x.dt == dtype.U32
	if uns {
		t = dtype.U32
	}
	a, d := ov(c.full(c.widen(x, t))), ov(c.full(c.widen(y, t)))
	aS, dS := a, d
	aS.v, dS.v = a.v.as(dtype.I32), d.v.as(dtype.I32)
	f32 := func() view { return c.tmp(dtype.F32) }
	word := func() view { return c.tmp(dtype.I32) }
	P, V := machine.Pool, machine.DVE
	b := c.b

	inv := f32()
	b.recip(inv, d.v)
	guess := func(rem view) view {
		g := f32()
		b.tt(V, "mult", g, rem, inv)
		w := word()
		if uns && rem.dtype() == dtype.U32 {
			b.copy(V, w.as(dtype.U32), g)
		} else {
			b.copy(V, w, g)
		}
		return w
	}
	q = guess(a.v)
	r = word()
	step := func(qi, from view) {
		p := word()
		b.tt(P, "mult", p, qi, dS.v)
		b.tt(P, "subtract", r, from, p)
	}
	step(q, aS.v)
	for i := 0; i < 2; i++ {
		q1 := guess(r)
		step(q1, r)
		b.tt(P, "add", q, q, q1)
	}
	// |r| <= |d|/2 or so now: give it the sign of a.
	zero := word()
	b.memset(zero, 0)
	mag := word() // |d|
	b.copy(V, mag, dS.v)
	sd := word() // sign of d
	if uns {
		b.memset(sd, 1)
	} else {
		b.tt(P, "subtract", mag, zero, dS.v)
		b.tt(P, "max", mag, mag, dS.v)
		b.ts(sd, dS.v, "max", imm(-1), "min", imm(1))
	}
	fix := func(rem, num string, dir string, back string) {
		// where r <num side> 0 while a is on the other side: r = r dir |d|, q = q back sign(d)
		p, p2 := word(), word()
		b.tt(P, rem, p, r, zero)
		if !uns {
			b.tt(P, num, p2, aS.v, zero)
			b.tt(P, "mult", p, p, p2)
		}
		b.tt(P, "mult", p2, p, mag)
		b.tt(P, dir, r, r, p2)
		b.tt(P, "mult", p2, p, sd)
		b.tt(P, back, q, q, p2)
	}
	fix("is_lt", "is_ge", "add", "subtract")
	if !uns {
		fix("is_gt", "is_lt", "subtract", "add")
	}
	// A remainder of exactly |d| (guess one short) is one more quotient.
	over := word()
	ar := word()
	if uns {
		b.tt(P, "is_ge", over.as(dtype.U32), r.as(dtype.U32), mag.as(dtype.U32))
		p := word()
		b.tt(P, "mult", p, over, mag)
		b.tt(P, "subtract", r, r, p)
		b.tt(P, "add", q, q, over)
	} else {
		b.tt(P, "subtract", ar, zero, r)
		b.tt(P, "max", ar, ar, r)
		// Unsigned: the magnitude of the least integer is 2^31.
		b.tt(P, "is_ge", over.as(dtype.U32), ar.as(dtype.U32), mag.as(dtype.U32))
		sr, p := word(), word()
		b.ts(sr, r, "max", imm(-1), "min", imm(1))
		b.tt(P, "mult", over, over, sr) // +1, -1 or 0
		b.tt(P, "mult", p, over, mag)
		b.tt(P, "subtract", r, r, p)
		b.tt(P, "mult", p, over, sd)
		b.tt(P, "add", q, q, p)
	}
	if uns {
		// The signed steps above hold for divisors below 2^31. From there on the quotient is 0 or 1.
		large, q1, r1, p := c.tmp(dtype.U32), word(), word(), word()
		b.ts(large, d.v, "logical_shift_right", immInt(dtype.U32, 31), "", arg{})
		b.tt(P, "is_ge", q1.as(dtype.U32), a.v, d.v)
		b.tt(P, "mult", p, q1, dS.v)
		b.tt(P, "subtract", r1, aS.v, p)
		b.copyPred(q, q1, large, false)
		b.copyPred(r, r1, large, false)
	}
	z := c.tmp(dtype.U8)
	b.ts(z, d.v, "is_equal", imm(0), "", arg{})
	ones := word()
	b.memset(ones, 0xFFFFFFFF)
	b.copyPred(q, ones, z, false)
	b.copyPred(r, aS.v, z, false)
	return q, r, nil
}

// popcount counts bits with the usual tree of masked adds; every partial sum is exact in words.
func popcount(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	switch classOf(in[0].dt) {
	case clsSmall, clsWord:
	default:
		return c.unsupported(in[0].dt)
	}
	w := c.zeroExtend(in[0])
	c.narrow(dst, c.countBits(w))
	return nil
}

// zeroExtend copies the bit pattern of o into uint32 words.
func (c *tileCtx) zeroExtend(o operand) view {
	w := c.tmp(dtype.U32)
	c.b.copy(machine.DVE, w, asUint(operand{v: c.full(o), dt: o.dt}).v)
	if width(o.dt) == 4 {
		return w
	}
	return w
}

func (c *tileCtx) countBits(w view) view {
	b := c.b
	u := func() view { return c.tmp(dtype.U32) }
	field := func(x view, sh int64, mask int64) view {
		r := u()
		b.ts(r, x, "logical_shift_right", immInt(dtype.U32, sh), "bitwise_and", immInt(dtype.U32, mask))
		return r
	}
	for _, s := range []struct{ sh, mask int64 }{{1, 0x55555555}, {2, 0x33333333}, {4, 0x0F0F0F0F}, {8, 0x00FF00FF}, {16, 0x0000FFFF}} {
		hi := field(w, s.sh, s.mask)
		lo := u()
		b.ts(lo, w, "bitwise_and", immInt(dtype.U32, s.mask), "", arg{})
		r := u()
		b.tt(machine.Pool, "add", r, hi, lo)
		w = r
	}
	return w
}

// leadingZeros smears the top bit downwards and counts what is left.
func leadingZeros(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	switch classOf(in[0].dt) {
	case clsSmall, clsWord:
	default:
		return c.unsupported(in[0].dt)
	}
	w := c.zeroExtend(in[0])
	for _, s := range []int64{1, 2, 4, 8, 16} {
		t, r := c.tmp(dtype.U32), c.tmp(dtype.U32)
		c.b.ts(t, w, "logical_shift_right", immInt(dtype.U32, s), "", arg{})
		c.b.tt(machine.DVE, "bitwise_or", r, w, t)
		w = r
	}
	n := c.countBits(w)
	r := c.tmp(dtype.U32)
	c.word("subtract", r, oi(dtype.U32, 8*width(in[0].dt)), ov(n))
	c.narrow(dst, r)
	return nil
}
