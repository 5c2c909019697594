package isel

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// class sorts element types by the data path that computes on them.
type class uint8

const (
	clsNone  class = iota
	clsBool        // one byte, 0 or 1
	clsFloat       // fp32 hub
	clsSmall       // 8- and 16-bit integers: exact in the fp32 hub, wrap by byte truncation
	clsWord        // 32-bit integers: POOL's integer path
	clsWide        // 64-bit integers: copies only
)

func classOf(t dtype.Type) class {
	switch t {
	case dtype.I1:
		return clsBool
	case dtype.F32, dtype.F16, dtype.BF16, dtype.TF32, dtype.F8E4M3, dtype.F8E5M2, dtype.F8E3M4, dtype.F8E4M3FN:
		return clsFloat
	case dtype.I8, dtype.U8, dtype.I16, dtype.U16:
		return clsSmall
	case dtype.I32, dtype.U32:
		return clsWord
	case dtype.I64, dtype.U64:
		return clsWide
	}
	return clsNone
}

func signed(t dtype.Type) bool { return t.IsInt() && t.IsSigned() }

func width(t dtype.Type) int64 { return int64(t.Size()) }

// uintOf is the unsigned type of the same width.
func uintOf(t dtype.Type) dtype.Type {
	switch width(t) {
	case 1:
		return dtype.U8
	case 2:
		return dtype.U16
	case 4:
		return dtype.U32
	}
	return dtype.U64
}

// operand is a tile input of a recipe: a view with the tile's element count (steps of 0 broadcast), or a constant.
type operand struct {
	v     view
	konst bool
	f     float64 // the constant, by dt
	i     int64
	dt    dtype.Type
}

// perPart reports whether every free element of o is the same, so that it can be a [P,1] scalar operand.
func (o operand) perPart() bool {
	if o.konst {
		return false
	}
	for _, d := range o.v.free {
		if d.Step != 0 && d.Count != 1 {
			return false
		}
	}
	return true
}

// col is the [P,1] form of a perPart operand.
func (o operand) col() view {
	v := o.v
	v.free = []penguin.StepCount{{Step: 1, Count: 1}}
	return v
}

// tileCtx is where a recipe emits: a tile of np partitions and the given free extents.
type tileCtx struct {
	b    *builder
	s    *selector
	np   int
	dims []int64
	loc  diag.Loc
}

func (c *tileCtx) tmp(t dtype.Type) view {
	return c.b.tile(penguin.SBUF, "t", t, c.np, c.dims...)
}

// full returns o as a view, filling a tile when it is a constant.
func (c *tileCtx) full(o operand) view {
	if !o.konst {
		return o.v
	}
	v := c.tmp(o.dt)
	c.b.memset(v, constBits(o))
	return v
}

func constBits(o operand) uint64 {
	switch o.dt {
	case dtype.F32, dtype.TF32:
		return f32bits(o.f)
	}
	if classOf(o.dt) == clsFloat {
		var buf [8]byte
		dtype.RowFromF32(buf[:o.dt.Size()], []float32{float32(o.f)}, o.dt)
		return binary.LittleEndian.Uint64(buf[:])
	}
	n := uint(width(o.dt)) * 8
	if n >= 64 {
		return uint64(o.i)
	}
	return uint64(o.i) & (1<<n - 1)
}

// val is the constant as the fp32 hub sees it.
func (o operand) val() float64 {
	if classOf(o.dt) == clsFloat {
		return o.f
	}
	return float64(o.i)
}

// alu emits dst = x op y through the fp32 hub on the cheapest form.
func (c *tileCtx) alu(op string, dst view, x, y operand) {
	switch {
	case y.konst && x.konst:
		c.b.ts(dst, c.full(x), op, imm(y.val()), "", arg{})
	case y.konst:
		c.b.ts(dst, x.v, op, imm(y.val()), "", arg{})
	case x.konst:
		c.b.tsRev(dst, y.v, op, imm(x.val()))
	case y.perPart() && y.dt == dtype.F32 && !x.perPart():
		c.b.ts(dst, x.v, op, av(y.col()), "", arg{})
	case x.perPart() && x.dt == dtype.F32 && !y.perPart():
		c.b.tsRev(dst, y.v, op, av(x.col()))
	default:
		c.b.tt(machine.DVE, op, dst, x.v, y.v)
	}
}

// word emits dst = x op y in POOL's 32-bit integer path.
func (c *tileCtx) word(op string, dst view, x, y operand) {
	c.b.tt(machine.Pool, op, dst, c.full(x), c.full(y))
}

// bits emits dst = x op y on bit patterns.
func (c *tileCtx) bits(op string, dst view, x, y operand) {
	switch {
	case y.konst && !x.konst:
		c.b.ts(dst, x.v, op, immInt(uintOf(x.dt), int64(constBits(y))), "", arg{})
	case x.konst && !y.konst && (op == "bitwise_and" || op == "bitwise_or" || op == "bitwise_xor"):
		c.b.ts(dst, y.v, op, immInt(uintOf(y.dt), int64(constBits(x))), "", arg{})
	default:
		c.b.tt(machine.DVE, op, dst, c.full(x), c.full(y))
	}
}

func ov(v view) operand                { return operand{v: v, dt: v.dtype()} }
func of(f float64) operand             { return operand{konst: true, f: f, dt: dtype.F32} }
func oi(t dtype.Type, i int64) operand { return operand{konst: true, i: i, dt: t} }

// widen returns o as int32 (or uint32) words with its value kept.
func (c *tileCtx) widen(o operand, t dtype.Type) operand {
	if o.konst {
		return oi(t, o.i)
	}
	if width(o.dt) == 4 {
		o.v = o.v.as(t)
		o.dt = t
		return o
	}
	v := c.tmp(t)
	c.b.copy(machine.DVE, v, o.v)
	return ov(v)
}

// narrow stores 32-bit words modulo the width of dst.
func (c *tileCtx) narrow(dst, w view) {
	n := width(dst.dtype())
	if n == 4 {
		c.b.copy(machine.DVE, dst, w.as(dst.dtype()))
		return
	}
	c.b.copy(machine.DVE, dst, lowPart(w, dst.dtype()))
}

// lowPart views the least significant bytes of each element of w as type t (little-endian storage).
func lowPart(w view, t dtype.Type) view {
	k := width(w.dtype()) / width(t)
	v := w
	v.free = make([]penguin.StepCount, len(w.free))
	for i, d := range w.free {
		v.free[i] = penguin.StepCount{Step: d.Step * k, Count: d.Count}
	}
	v.off *= k
	v.dt = t
	return v
}

// recipe emits one elementwise op on a tile.
type recipe func(c *tileCtx, dst view, in []operand, at penguin.Attrs) error

// intBin makes a recipe for an arithmetic op: fp32 hub for floats, POOL words (wrapping) for integers, and a bit
// operator for booleans.
func arith(op, boolOp string) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		switch classOf(in[0].dt) {
		case clsFloat:
			c.alu(op, dst, in[0], in[1])
		case clsBool:
			c.bits(boolOp, dst.as(dtype.U8), asU8(in[0]), asU8(in[1]))
		case clsWord:
			c.word(op, dst, in[0], in[1])
		case clsSmall:
			w := c.tmp(dtype.I32)
			c.word(op, w, c.widen(in[0], dtype.I32), c.widen(in[1], dtype.I32))
			c.narrow(dst, w)
		default:
			return c.unsupported(in[0].dt)
		}
		return nil
	}
}

func asU8(o operand) operand {
	o.dt = dtype.U8
	if !o.konst {
		o.v.dt = dtype.U8
	}
	return o
}

func asUint(o operand) operand {
	o.dt = uintOf(o.dt)
	if !o.konst {
		o.v.dt = o.dt
	}
	return o
}

func (c *tileCtx) unsupported(t dtype.Type) error {
	return diag.Errorf("PEN190", c.loc, "element type %v is not supported by the instruction selector for this op", t)
}

// extremum is max or min. The engine returns its second operand when either is NaN; HLO wants the NaN.
func extremum(op, boolOp string) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		x, y := in[0], in[1]
		switch classOf(x.dt) {
		case clsFloat:
			if y.konst && !x.konst {
				x, y = y, x
			}
			c.alu(op, dst, x, y)
			if !x.konst {
				p := c.tmp(dtype.U8)
				c.b.tt(machine.DVE, "not_equal", p, x.v, x.v)
				c.b.copyPred(dst, x.v, p, false)
			}
		case clsBool:
			c.bits(boolOp, dst.as(dtype.U8), asU8(x), asU8(y))
		case clsWord:
			c.word(op, dst, x, y)
		case clsSmall:
			c.alu(op, dst, x, y)
		default:
			return c.unsupported(x.dt)
		}
		return nil
	}
}

func bitwise(op string) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		if cl := classOf(in[0].dt); cl == clsWide || cl == clsNone || cl == clsFloat {
			return c.unsupported(in[0].dt)
		}
		t := uintOf(in[0].dt)
		x, y := in[0], in[1]
		if op == "arith_shift_right" && signed(x.dt) {
			y = asUint(y)
			c.b.tt(machine.DVE, op, dst, c.full(x), c.full(y))
			return nil
		}
		c.bits(op, dst.as(t), asUint(x), asUint(y))
		return nil
	}
}

// not inverts booleans and bit patterns.
func not(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x := asUint(in[0])
	switch classOf(in[0].dt) {
	case clsBool:
		c.bits("bitwise_xor", dst.as(dtype.U8), x, oi(dtype.U8, 1))
	case clsSmall, clsWord:
		c.bits("bitwise_xor", dst.as(x.dt), x, oi(x.dt, -1))
	default:
		return c.unsupported(in[0].dt)
	}
	return nil
}

// actFn applies an ACT function to floats.
func actFn(fn string) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		if classOf(in[0].dt) != clsFloat {
			return c.unsupported(in[0].dt)
		}
		c.b.act(fn, dst, c.full(in[0]), 1, imm(0))
		return nil
	}
}

func negate(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	if classOf(in[0].dt) == clsFloat {
		c.alu("mult", dst, in[0], of(-1))
		return nil
	}
	return arith("subtract", "bitwise_xor")(c, dst, []operand{oi(in[0].dt, 0), in[0]}, at)
}

func absolute(c *tileCtx, dst view, in []operand, at penguin.Attrs) error {
	if classOf(in[0].dt) == clsFloat {
		c.b.act("Abs", dst, c.full(in[0]), 1, imm(0))
		return nil
	}
	if !signed(in[0].dt) {
		c.b.copy(machine.DVE, dst, c.full(in[0]))
		return nil
	}
	n := c.tmp(in[0].dt)
	if err := negate(c, n, in, at); err != nil {
		return err
	}
	// The most negative value is its own negation, so the maximum keeps it.
	return extremum("max", "bitwise_or")(c, dst, []operand{in[0], ov(n)}, at)
}

func sign(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x := in[0]
	switch classOf(x.dt) {
	case clsFloat:
		c.b.act("Sign", dst, c.full(x), 1, imm(0))
	case clsSmall, clsWord:
		// The sign of an integer survives the rounding of the fp32 hub.
		c.b.ts(dst, c.full(x), "max", imm(-1), "min", imm(1))
	default:
		return c.unsupported(x.dt)
	}
	return nil
}

func divide(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x, y := in[0], in[1]
	switch classOf(x.dt) {
	case clsFloat:
		if y.konst {
			c.alu("mult", dst, x, of(1/y.f))
			return nil
		}
		r := c.small(y, dtype.F32)
		if r.one {
			c.b.recip(r.v, y.col())
		} else {
			c.b.recip(r.v, y.v)
		}
		if x.konst && x.f == 1 {
			c.b.copy(machine.DVE, dst, r.wide(c).v)
			return nil
		}
		c.alu("mult", dst, x, r.wide(c))
		return nil
	case clsSmall, clsWord:
		q, _, err := c.intDiv(x, y)
		if err != nil {
			return err
		}
		c.narrow(dst, q)
		return nil
	}
	return c.unsupported(x.dt)
}

// narrowOperand is a [P,1] or a whole tile, after what it is computed from.
type narrowOperand struct {
	v   view
	one bool
}

// small allocates a result as wide as o needs: one element per partition if o is constant along the tile.
func (c *tileCtx) small(o operand, t dtype.Type) narrowOperand {
	if o.perPart() {
		v := c.b.tile(penguin.SBUF, "t", t, c.np, 1)
		return narrowOperand{v, true}
	}
	return narrowOperand{c.tmp(t), false}
}

// wide is the operand over the whole tile.
func (n narrowOperand) wide(c *tileCtx) operand {
	if !n.one {
		return ov(n.v)
	}
	v := n.v
	v.free = nil
	for _, d := range c.dims {
		v.free = append(v.free, penguin.StepCount{Step: 0, Count: d})
	}
	return ov(v)
}

func remainder(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
	x, y := in[0], in[1]
	switch classOf(x.dt) {
	case clsFloat:
		// r = x - trunc(x/y)*y, then one correction because the rounded quotient may be one off.
		xv, yv := c.full(x), c.full(y)
		q, r := c.tmp(dtype.F32), c.tmp(dtype.F32)
		c.b.recip(q, yv)
		c.b.tt(machine.DVE, "mult", q, xv, q)
		t := c.trunc(q)
		// y in two halves of 12 bits: the products with quotients below 2^12 are exact.
		y32 := c.hub(y)
		hi, lo := c.tmp(dtype.F32), c.tmp(dtype.F32)
		c.b.ts(hi.as(dtype.U32), y32.as(dtype.U32), "bitwise_and", immInt(dtype.U32, 0xFFFFF000), "", arg{})
		c.b.tt(machine.DVE, "subtract", lo, y32, hi)
		c.b.tt(machine.DVE, "mult", hi, t, hi)
		c.b.tt(machine.DVE, "mult", lo, t, lo)
		c.b.tt(machine.DVE, "subtract", r, xv, hi)
		c.b.tt(machine.DVE, "subtract", r, r, lo)
		ax, ay, s := c.tmp(dtype.F32), c.tmp(dtype.F32), c.tmp(dtype.F32)
		c.b.act("Sign", s, xv, 1, imm(0))
		c.b.act("Abs", ay, yv, 1, imm(0))
		// m is the remainder with the sign of x taken out; it lies in (-|y|, 2|y|).
		c.b.tt(machine.DVE, "mult", ax, r, s)
		p := c.tmp(dtype.F32)
		c.b.ts(p, ax, "is_lt", imm(0), "", arg{})
		c.b.tt(machine.DVE, "mult", p, p, ay)
		c.b.tt(machine.DVE, "add", ax, ax, p)
		c.b.tt(machine.DVE, "is_ge", p, ax, ay)
		c.b.tt(machine.DVE, "mult", p, p, ay)
		c.b.tt(machine.DVE, "subtract", ax, ax, p)
		c.b.tt(machine.DVE, "mult", dst, ax, s)
		// |x| < |y|, an infinite y among them, leaves x.
		c.b.act("Abs", ax, xv, 1, imm(0))
		lt := c.tmp(dtype.U8)
		c.b.tt(machine.DVE, "is_lt", lt, ax, ay)
		xs := xv
		if xv.dtype() != dst.dtype() {
			xs = c.tmp(dst.dtype())
			c.b.copy(machine.DVE, xs, xv)
		}
		c.b.copyPred(dst, xs, lt, false)
		return nil
	case clsSmall, clsWord:
		_, r, err := c.intDiv(x, y)
		if err != nil {
			return err
		}
		c.narrow(dst, r)
		return nil
	}
	return c.unsupported(x.dt)
}

// trunc rounds floats toward zero: through int32 where the magnitude allows, unchanged above 2^23.
func (c *tileCtx) trunc(x view) view {
	a, r := c.tmp(dtype.F32), c.tmp(dtype.F32)
	c.b.act("Abs", a, x, 1, imm(0))
	f := c.floorAbs(a)
	s := c.tmp(dtype.F32)
	c.b.act("Sign", s, x, 1, imm(0))
	c.b.tt(machine.DVE, "mult", r, f, s)
	return r
}

// floorAbs is floor of a non-negative float tile; values of 2^23 and more are integers already, NaN stays.
func (c *tileCtx) floorAbs(a view) view {
	i := c.tmp(dtype.I32)
	c.b.copy(machine.DVE, i, a)
	f, g := c.tmp(dtype.F32), c.tmp(dtype.F32)
	c.b.copy(machine.DVE, f, i)
	c.b.tt(machine.DVE, "is_gt", g, f, a)
	c.b.tt(machine.DVE, "subtract", f, f, g)
	big := c.tmp(dtype.U8)
	c.b.ts(big, a, "is_lt", imm(1<<23), "", arg{})
	c.b.copyPred(f, a, big, true)
	return f
}

// rounding makes floor, ceil and the two roundings of floats.
func rounding(kind string) recipe {
	return func(c *tileCtx, dst view, in []operand, _ penguin.Attrs) error {
		if classOf(in[0].dt) != clsFloat {
			return c.unsupported(in[0].dt)
		}
		x := c.full(in[0])
		if x.dtype() != dtype.F32 {
			w := c.tmp(dtype.F32)
			c.b.copy(machine.DVE, w, x)
			x = w
		}
		i, f, g := c.tmp(dtype.I32), c.tmp(dtype.F32), c.tmp(dtype.F32)
		if kind == "afz" {
			a, s := c.tmp(dtype.F32), c.tmp(dtype.F32)
			c.b.act("Abs", a, x, 1, imm(0))
			c.b.act("Sign", s, x, 1, imm(0))
			fl := c.floorAbs(a)
			c.b.tt(machine.DVE, "subtract", g, a, fl)
			c.b.ts(g, g, "is_ge", imm(0.5), "", arg{})
			c.b.tt(machine.DVE, "add", f, fl, g)
			c.b.tt(machine.DVE, "mult", f, f, s)
		} else {
			c.b.copy(machine.DVE, i, x)
			c.b.copy(machine.DVE, f, i)
			switch kind {
			case "floor":
				c.b.tt(machine.DVE, "is_gt", g, f, x)
				c.b.tt(machine.DVE, "subtract", f, f, g)
			case "ceil":
				c.b.tt(machine.DVE, "is_lt", g, f, x)
				c.b.tt(machine.DVE, "add", f, f, g)
			}
		}
		// 2^23 and above are integers; the comparison is false for NaN, which stays too.
		a, small := c.tmp(dtype.F32), c.tmp(dtype.U8)
		c.b.act("Abs", a, x, 1, imm(0))
		c.b.ts(small, a, "is_lt", imm(1<<23), "", arg{})
		c.b.copyPred(f, x, small, true)
		c.b.copy(machine.DVE, dst, f)
		return nil
	}
}
