package dtype

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The short way to sixteen bits rounds once, as the general encoder does.
func TestFloatBitsRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	check := func(ty Type, v float64) {
		if got, want := ty.FloatBits(v), uint64(formats[ty].encode(v, false)); got != want {
			t.Fatalf("%s of %v (%#x) is %#x, want %#x", ty, v, math.Float64bits(v), got, want)
		}
	}
	for range 200000 {
		v := math.Float64frombits(r.Uint64())
		w := math.Ldexp(r.Float64()*2-1, r.IntN(60)-40)
		for _, ty := range []Type{BF16, F16} {
			if v == v {
				check(ty, v)
			}
			check(ty, w)
			// Next to and at the middle between two values.
			b := uint64(r.IntN(0x7B00))
			mid := (ty.FloatOf(b) + ty.FloatOf(b+1)) / 2
			check(ty, mid)
			check(ty, math.Nextafter(mid, 1e300))
			check(ty, -math.Nextafter(mid, 0))
		}
	}
}
