package opt

import (
	"math"
	"testing"

	"github.com/alcadev/alca/internal/hlo/gen"
)

// TestRandomPrograms runs the pipelines over random programs. Nothing in them is rounded elsewhere than before, so the
// results are equal bit for bit.
func TestRandomPrograms(t *testing.T) {
	n := uint64(200)
	if testing.Short() {
		n = 50
	}
	for seed := range n {
		o := gen.Options{Ops: 20, Control: seed%2 == 0}
		before := gen.Module(seed, o)
		args := randomArgs(before, seed)
		want := evalOn(t, before, args)
		for level := range 3 {
			after := before.Clone()
			if err := runPasses(after, Pipeline(level)...); err != nil {
				t.Fatalf("seed %d -O%d: %v\n%s", seed, level, err, text(t, before))
			}
			for i, got := range evalOn(t, after, args) {
				if at, off := maxUlp(got, want[i]); off > 0 && !math.IsNaN(off) {
					t.Fatalf("seed %d -O%d: result %d element %d is %g ulp off\n%s", seed, level, i, at, off, text(t, before))
				}
			}
		}
	}
}
