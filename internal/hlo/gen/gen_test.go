package gen

import (
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// Every program is valid, the same for the same seed, and survives its text form.
func TestPrograms(t *testing.T) {
	used := map[string]bool{}
	for seed := range uint64(300) {
		o := Options{Ops: 16, Control: seed%2 == 0}
		m := Module(seed, o)
		if err := hlo.Verify(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text := mlir.Text(m)
		if again := mlir.Text(Module(seed, o)); again != text {
			t.Fatalf("seed %d gives two programs", seed)
		}
		back, err := mlir.Parse([]byte(text), "gen")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if mlir.Text(back) != text {
			t.Errorf("seed %d: text does not round-trip", seed)
		}
		for _, r := range m.Bodies() {
			hlo.WalkOps(r, func(o *hlo.Op) { used[o.Name()] = true })
		}
	}
	for _, op := range []string{"dot_general", "convolution", "while", "reduce", "reduce_window", "dynamic_slice", "dynamic_update_slice", "pad", "concatenate", "select", "compare"} {
		if !used["stablehlo."+op] {
			t.Errorf("no program uses %s", op)
		}
	}
}
