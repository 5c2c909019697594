package cpu

import "testing"

func TestSum(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 47, 1000} {
		x := make([]float32, n)
		var want float32
		for i := range x {
			x[i] = float32(i%7) - 2 // exact in any order
			want += x[i]
		}
		if got := Sum(x); got != want {
			t.Errorf("%d values: got %v, want %v", n, got, want)
		}
	}
	// Many equal addends keep their precision: a single accumulator would stop growing at 2^24.
	x := make([]float32, 1<<25)
	for i := range x {
		x[i] = 1
	}
	if got := Sum(x); got != 1<<25 {
		t.Errorf("sum of %d ones is %v", len(x), got)
	}
}
