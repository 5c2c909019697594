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
