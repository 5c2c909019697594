package dtype

import "math"

// FloatBits rounds v to nearest even and returns the bit pattern of float type t, in one rounding from f64.
func (t Type) FloatBits(v float64) uint64 {
	switch t {
	case F64:
		return math.Float64bits(v)
	case F32:
		return uint64(math.Float32bits(float32(v)))
	case TF32:
		return uint64(math.Float32bits(RoundTF32(float32(v))))
	case BF16:
		return uint64(F32ToBF16(oddF32(v)))
	case F16:
		return uint64(F32ToF16(oddF32(v)))
	}
	if f, ok := formats[t]; ok {
		return uint64(f.encode(v, false))
	}
	return 0
}

// FloatOf returns the value of a bit pattern of float type t; types that are no floats give NaN.
func (t Type) FloatOf(bits uint64) float64 {
	switch t {
	case F64:
		return math.Float64frombits(bits)
	case F32, TF32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	if f, ok := formats[t]; ok {
		return f.decode(uint32(bits))
	}
	return math.NaN()
}

// oddF32 rounds to float32 toward zero and makes the last bit odd when anything was lost: rounding the result to a
// format of at most 22 significant bits is then as good as rounding v itself.
func oddF32(v float64) float32 {
	f := float32(v)
	if float64(f) == v || v != v || math.IsInf(v, 0) {
		return f
	}
	u := math.Float32bits(f)
	if math.Abs(float64(f)) > math.Abs(v) {
		u-- // one step toward zero; infinity becomes the largest finite value
	}
	return math.Float32frombits(u | 1)
}
