package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Counter-based random bits as integer arithmetic on all blocks at once:
//
//	rng_bit_generator THREE_FRY  =>  Threefry-2x32, 20 rounds, of the counters s[1], s[1]+1, ...
//	rng_bit_generator PHILOX     =>  Philox-4x32, 10 rounds (DEFAULT too)
//	chlo.mulhi                   =>  the product in twice the width, shifted
//
// It declines float results and products of 64-bit integers.
func init() {
	decompositions["stablehlo.rng_bit_generator"] = rngBitGenerator
	decompositions["chlo.mulhi"] = mulHi
}

// words writes arithmetic on 32-bit words of one shape.
type words struct {
	calc
	shape []int64
}

func (w words) k(v uint32) *hlo.Value { return w.IntConst(int64(v), dtype.U32, w.shape...) }

func (w words) low(v *hlo.Value) *hlo.Value { return w.Convert(v, dtype.U32) }

func (w words) high(v *hlo.Value) *hlo.Value {
	return w.Convert(w.f("shift_right_logical", v, w.IntConst(32, dtype.U64, shapeOf(v)...)), dtype.U32)
}

// join makes 64-bit integers of their halves.
func (w words) join(lo, hi *hlo.Value) *hlo.Value {
	h := w.f("shift_left", w.Convert(hi, dtype.U64), w.IntConst(32, dtype.U64, shapeOf(hi)...))
	return w.f("or", h, w.Convert(lo, dtype.U64))
}

func (w words) rotate(v *hlo.Value, by uint32) *hlo.Value {
	return w.f("or", w.f("shift_left", v, w.k(by)), w.f("shift_right_logical", v, w.k(32-by)))
}

// all spreads the scalar v.
func (w words) all(v *hlo.Value) *hlo.Value { return spread(w.Builder, v, w.shape, nil) }

func (w words) threefry(k0, k1, x0, x1 *hlo.Value) (*hlo.Value, *hlo.Value) {
	rot := [2][4]uint32{{13, 15, 26, 6}, {17, 29, 16, 24}}
	ks := [3]*hlo.Value{k0, k1, w.f("xor", w.f("xor", k0, k1), w.IntConst(0x1BD11BDA, dtype.U32))}
	for i := range ks {
		ks[i] = w.all(ks[i])
	}
	x0, x1 = w.add(x0, ks[0]), w.add(x1, ks[1])
	for g := range 5 {
		for _, r := range rot[g%2] {
			x0 = w.add(x0, x1)
			x1 = w.f("xor", w.rotate(x1, r), x0)
		}
		x0 = w.add(x0, ks[(g+1)%3])
		x1 = w.add(w.add(x1, ks[(g+2)%3]), w.k(uint32(g+1)))
	}
	return x0, x1
}

func (w words) philox(k0, k1 *hlo.Value, c [4]*hlo.Value) [4]*hlo.Value {
	product := func(x *hlo.Value, m uint32) (hi, lo *hlo.Value) {
		p := w.mul(w.Convert(x, dtype.U64), w.IntConst(int64(m), dtype.U64, w.shape...))
		return w.high(p), w.low(p)
	}
	k0, k1 = w.all(k0), w.all(k1)
	for i := range 10 {
		if i > 0 {
			k0, k1 = w.add(k0, w.k(0x9E3779B9)), w.add(k1, w.k(0xBB67AE85))
		}
		h0, l0 := product(c[0], 0xD2511F53)
		h1, l1 := product(c[2], 0xCD9E8D57)
		c = [4]*hlo.Value{w.f("xor", w.f("xor", h1, c[1]), k0), l1, w.f("xor", w.f("xor", h0, c[3]), k1), l0}
	}
	return c
}

func rngBitGenerator(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t, st := o.Out(1), o.In(0)
	if !t.Elem.IsInt() && t.Elem != dtype.I1 || st.Elem != dtype.U64 || len(st.Dims) != 1 || st.Dims[0] < 2 {
		return nil
	}
	n, ok := t.NumElements()
	if !ok || n == 0 || n > 1<<31 {
		return nil
	}
	var s []*hlo.Value // the words of the state
	for i := range st.Dims[0] {
		one := b.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(i)}, {Name: "limit_indices", Attr: hlo.IntList(i + 1)},
			{Name: "strides", Attr: hlo.IntList(1)}}, o.Operands[0])
		s = append(s, b.Reshape(one))
	}
	var bits *hlo.Value
	var used int64
	if o.Enum("rng_algorithm") == "THREE_FRY" {
		bits, used = threefryBits(b, s, t, n)
	} else {
		bits, used = philoxBits(b, s, t, n)
	}
	c := calcOn(b, s[1])
	next := c.f("add", s[1], b.IntConst(used, dtype.U64))
	if len(s) > 2 && o.Enum("rng_algorithm") != "THREE_FRY" {
		s[2] = c.f("add", s[2], b.Convert(c.cmp(next, "LT", s[1]), dtype.U64))
	}
	s[1] = next
	for i := range s {
		s[i] = b.Reshape(s[i], 1)
	}
	state := b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(0)}}, s...)
	if t.Elem == dtype.I1 {
		bits = b.Op("stablehlo.and", nil, bits, b.IntConst(1, dtype.U32, t.Dims...))
	}
	return []*hlo.Value{state, b.Convert(bits, t.Elem)}
}

// counters are s, s+1, ... in the given shape, and the carries out of 64 bits.
func (w words) counters(s *hlo.Value) (c, carry *hlo.Value) {
	n := int64(1)
	for _, d := range w.shape {
		n *= d
	}
	i := w.Reshape(counting(w.Builder, dtype.U64, []int64{n}, 0), w.shape...)
	s = w.all(s)
	c = w.add(s, i)
	return c, w.Convert(w.cmp(c, "LT", s), dtype.U64)
}

// threefryBits spends a block on each 64-bit element. Narrower elements share one: the first words fill the first half
// of a dimension, the second words the other half.
func threefryBits(b *hlo.Builder, s []*hlo.Value, t *hlo.TensorType, n int64) (*hlo.Value, int64) {
	dim := -1 // the first even dimension, else the last
	shape := append([]int64(nil), t.Dims...)
	blocks := n
	if t.Elem.Bits() < 64 && len(shape) > 0 {
		for i, d := range shape {
			if d%2 == 0 {
				dim = i
				break
			}
		}
		if dim < 0 {
			dim = len(shape) - 1
		}
		blocks = n / shape[dim] * ((shape[dim] + 1) / 2)
		shape[dim] = (shape[dim] + 1) / 2
	}
	w := words{calcOn(b, s[0]), shape}
	c, _ := w.counters(s[1])
	lo, hi := w.threefry(w.low(s[0]), w.high(s[0]), w.low(c), w.high(c))
	switch {
	case t.Elem.Bits() == 64:
		return w.join(lo, hi), blocks
	case dim < 0:
		return lo, blocks
	}
	v := b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(int64(dim))}}, lo, hi)
	return crop(b, v, t.Dims), blocks
}

// philoxBits uses the four words of a block in order, two for a 64-bit element.
func philoxBits(b *hlo.Builder, s []*hlo.Value, t *hlo.TensorType, n int64) (*hlo.Value, int64) {
	per := int64(4)
	if t.Elem.Bits() == 64 {
		per = 2
	}
	blocks := (n + per - 1) / per
	w := words{calcOn(b, s[0]), []int64{blocks, 1}}
	lo, carry := w.counters(s[1])
	hi := carry
	if len(s) > 2 {
		hi = w.add(carry, w.all(s[2]))
	}
	x := w.philox(w.low(s[0]), w.high(s[0]), [4]*hlo.Value{w.low(lo), w.high(lo), w.low(hi), w.high(hi)})
	parts := x[:]
	if per == 2 {
		parts = []*hlo.Value{w.join(x[0], x[1]), w.join(x[2], x[3])}
	}
	v := b.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(1)}}, parts...)
	return b.Reshape(crop(b, b.Reshape(v, blocks*per), []int64{n}), t.Dims...), blocks
}

// crop keeps the leading part of v that has the given extents.
func crop(b *hlo.Builder, v *hlo.Value, dims []int64) *hlo.Value {
	if sameInts(shapeOf(v), dims) {
		return v
	}
	zero, step := make([]int64, len(dims)), make([]int64, len(dims))
	for i := range step {
		step[i] = 1
	}
	return b.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(zero...)}, {Name: "limit_indices", Attr: hlo.IntList(dims...)},
		{Name: "strides", Attr: hlo.IntList(step...)}}, v)
}

func mulHi(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.Out(0)
	to, shift := dtype.U64, "shift_right_logical"
	if t.Elem.IsSigned() {
		to, shift = dtype.I64, "shift_right_arithmetic"
	}
	if t.Elem.Bits() > 32 {
		return nil
	}
	c := calcOn(b, o.Operands[0])
	p := c.mul(b.Convert(o.Operands[0], to), b.Convert(o.Operands[1], to))
	return one(b.Convert(c.f(shift, p, b.IntConst(int64(t.Elem.Bits()), to, t.Dims...)), t.Elem))
}
