package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Rounding to formats the device has no cast for, on the bit patterns:
//
//	reduce_precision x, format at least as wide as x's  =>  x
//	reduce_precision x, e5m2 of f32  =>  bits + (half a unit - 1 + the last kept bit), cut; exponents out of range
//	                                     become infinity or a zero; NaN stays
//
// The formats of bf16 and f16 are left to the device's casts.
func init() { decompositions["stablehlo.reduce_precision"] = reducePrecision }

// floatFormats are the exponent and mantissa bits of the float types the device computes with.
var floatFormats = map[dtype.Type]struct{ exp, mant int64 }{
	dtype.F32: {8, 23}, dtype.F16: {5, 10}, dtype.BF16: {8, 7},
}

func reducePrecision(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.In(0)
	src, ok := floatFormats[t.Elem]
	exp, mant := o.IntOr("exponent_bits", 0), o.IntOr("mantissa_bits", 0)
	if !ok || exp < 1 || mant < 0 {
		return nil
	}
	if exp >= src.exp && mant >= src.mant {
		return one(o.Operands[0])
	}
	if t.Elem == dtype.F32 && (exp == 8 && mant == 7 || exp == 5 && mant == 10) {
		return nil
	}
	ut := dtype.U32
	if t.Elem.Bits() == 16 {
		ut = dtype.U16
	}
	u := calc{b, hlo.Tensor(ut, t.Dims...)}
	num := func(v uint64) *hlo.Value { return b.IntConst(int64(v), ut, t.Dims...) }
	x := o.Operands[0]
	orig := b.Typed("stablehlo.bitcast_convert", u.t, nil, x)
	v := orig
	if mant < src.mant {
		cut := uint64(src.mant - mant)
		last := u.f("and", u.f("shift_right_logical", v, num(cut)), num(1))
		v = u.add(v, u.add(last, num(1<<(cut-1)-1)))
		v = u.f("and", v, num(^(uint64(1)<<cut - 1)))
	}
	if exp < src.exp {
		bias, reduced := uint64(1)<<(src.exp-1)-1, uint64(1)<<(exp-1)-1
		inf := uint64(1<<src.exp-1) << src.mant
		e := u.f("and", v, num(inf))
		sign := u.f("and", v, num(1<<(t.Elem.Bits()-1)))
		v = u.sel(u.cmp(e, "LE", num((bias-reduced)<<src.mant)), sign, v)
		v = u.sel(u.cmp(e, "GT", num((bias+reduced)<<src.mant)), u.f("or", sign, num(inf)), v)
	}
	v = u.sel(b.Compare("NE", x, x), orig, v)
	return one(b.Typed("stablehlo.bitcast_convert", t, nil, v))
}
