package dtype

import (
	"math"
	"testing"
)

// Vectors from the semantics specification, section 3.
func TestRowFromF32(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		ty   Type
		in   float32
		want uint32
	}{
		{U8, -3, 0}, {U8, 255.5, 255}, {U8, 300, 255}, {U8, 0.5, 0}, {U8, 1.5, 2}, {U8, 2.5, 2},
		{I8, -128.5, 0x80}, {I32, 3e9, 0x7FFFFFFF}, {I32, 2147483648, 0x7FFFFFFF}, {I32, -1.5, 0xFFFFFFFE},
		{I32, nan, 0x7FFFFFFF}, {U16, -inf, 0},
		{BF16, 1, 0x3F80}, {BF16, nan, 0x7FC0}, {BF16, inf, 0x7F80}, {BF16, 1.00390625, 0x3F80}, {BF16, 1.01171875, 0x3F82},
		{F16, 65520, 0x7C00}, {F16, 65519, 0x7BFF}, {F16, 1, 0x3C00}, {F16, 5.9604645e-08, 1}, {F16, 2.9802322e-08, 0}, {F16, -2, 0xC000},
		{F8E4M3FN, 448, 0x7E}, {F8E4M3FN, 464, 0x7E}, {F8E4M3FN, 1e9, 0x7E}, {F8E4M3FN, nan, 0x7F}, {F8E4M3FN, 192, 0x74},
		{F8E4M3, 240, 0x77}, {F8E4M3, inf, 0x77}, {F8E5M2, 57344, 0x7B}, {F8E5M2, 24576, 0x76}, {F8E3M4, 15.5, 0x6F},
		{F8E5M2, nan, 0x7E},
	} {
		b := make([]byte, 8)
		if !RowFromF32(b, []float32{c.in}, c.ty) {
			t.Fatalf("%s: no conversion", c.ty)
		}
		got := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		if got != c.want {
			t.Errorf("%s(%v) = %#x, want %#x", c.ty, c.in, got, c.want)
		}
	}
}

// Every finite pattern of a narrow float survives the way to float32 and back.
func TestNarrowRoundTrip(t *testing.T) {
	for ty, f := range formats {
		if info[ty].size > 2 || ty == F8E8M0FNU {
			continue
		}
		for b := uint32(0); b < 1<<info[ty].bits; b++ {
			v := f.decode(b)
			if v != v {
				continue
			}
			if got := f.encode(v, false); got != b {
				t.Fatalf("%s: %#x decodes to %v, which encodes to %#x", ty, b, v, got)
			}
			if ty == F16 && float64(F16ToF32(uint16(b))) != v {
				t.Fatalf("F16ToF32(%#x) = %v, want %v", b, F16ToF32(uint16(b)), v)
			}
			if ty == F16 && uint32(F32ToF16(float32(v))) != b {
				t.Fatalf("F32ToF16(%v) = %#x, want %#x", v, F32ToF16(float32(v)), b)
			}
		}
	}
}
