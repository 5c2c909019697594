package region

import (
	"math/rand"
	"testing"
)

func bytesOf(off, width int64, dims []Dim) map[int64]bool {
	m := map[int64]bool{}
	var rec func(o int64, k int)
	rec = func(o int64, k int) {
		if k == len(dims) {
			for b := range width {
				m[o+b] = true
			}
			return
		}
		for i := range dims[k].Count {
			rec(o+i*dims[k].Step, k+1)
		}
	}
	rec(off, 0)
	return m
}

// TestAgainstEnumeration: Overlaps never misses a shared byte, Covers never claims a missing one, and on nested
// tile patterns of one tensor both are exact.
func TestAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	nested := func() (int64, int64, []Dim) { // a random tile of a row-major [4,6,8] tensor of 4-byte elements
		ext := []int64{4, 6, 8}
		pitch := []int64{192, 32, 4}
		var off int64
		var dims []Dim
		for i := range ext {
			lo := rng.Int63n(ext[i])
			n := 1 + rng.Int63n(ext[i]-lo)
			off += lo * pitch[i]
			dims = append(dims, Dim{pitch[i], n})
		}
		return off, 4, dims
	}
	random := func() (int64, int64, []Dim) {
		dims := make([]Dim, rng.Intn(4))
		for i := range dims {
			dims[i] = Dim{int64(rng.Intn(41) - 20), int64(1 + rng.Intn(4))}
		}
		return int64(rng.Intn(60)), int64(1 + rng.Intn(4)), dims
	}
	for n := range 20000 {
		gen, exact := random, false
		if n%2 == 0 {
			gen, exact = nested, true
		}
		ao, aw, ad := gen()
		bo, bw, bd := gen()
		a, b := New(ao, aw, ad), New(bo, bw, bd)
		am, bm := bytesOf(ao, aw, ad), bytesOf(bo, bw, bd)
		meet, inside := false, true
		for x := range bm {
			meet = meet || am[x]
			inside = inside && am[x]
		}
		if got := a.Overlaps(&b); got != meet && (exact || meet) {
			t.Fatalf("case %d: %v %v overlaps: got %v, want %v", n, a, b, got, meet)
		}
		if got := a.Covers(&b); got != inside && (exact || !inside) {
			t.Fatalf("case %d: %v %v covers: got %v, want %v", n, a, b, got, inside)
		}
	}
}
