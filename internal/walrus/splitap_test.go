package walrus

import (
	"math/rand"
	"reflect"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

func elemOffsets(ps []*bir.AccessPattern) []int64 {
	var all []int64
	for _, p := range ps {
		out := []int64{p.Offset}
		for _, d := range p.Free {
			var next []int64
			for _, o := range out {
				for k := range d.Count {
					next = append(next, o+k*d.Step)
				}
			}
			out = next
		}
		all = append(all, out...)
	}
	return all
}

// TestSplitPatterns: whatever the patterns, the instructions that replace one touch the same elements in the same
// order, and each of them fits the bundle.
func TestSplitPatterns(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	split := 0
	for n := range 500 {
		counts := make([]int64, 1+rng.Intn(5))
		for i := range counts {
			counts[i] = int64(1 + rng.Intn(4))
		}
		p := newProg()
		mk := func(name string) *bir.AccessPattern {
			l := p.f.NewSet(name, bir.SB, bir.Internal, dtype.F32, 64, 50000)
			a := &bir.AccessPattern{Loc: l, DType: dtype.F32, NPart: 64}
			step := int64(1)
			for i := len(counts) - 1; i >= 0; i-- {
				s := step
				if rng.Intn(6) == 0 {
					s = 0
				}
				a.Free = append([]bir.Dim{{Step: s, Count: counts[i]}}, a.Free...)
				step *= counts[i] + int64(rng.Intn(2))
			}
			return a
		}
		x, y, z := mk("x"), mk("y"), mk("z")
		p.add(bir.TensorTensor, machine.DVE, &bir.TensorTensorAttrs{Op: bir.AluAdd}, []bir.Arg{bir.AP(z)}, []bir.Arg{bir.AP(x), bir.AP(y)})
		u := newUnit(p.m, machine.Trn2, Options{})
		if err := unroll(u); err != nil {
			t.Fatal(err)
		}
		if err := splitPatterns(u); err != nil {
			t.Fatal(err)
		}
		var got [3][]*bir.AccessPattern
		for _, in := range u.blocks[0].instrs {
			for i, a := range []*bir.AccessPattern{in.Ins[0].AP, in.Ins[1].AP, in.Outs[0].AP} {
				got[i] = append(got[i], a)
				if !walk(a.Free).encodable(3) {
					t.Fatalf("case %d: %v does not fit", n, a.Free)
				}
			}
		}
		for i, w := range []*bir.AccessPattern{x, y, z} {
			if g, w := elemOffsets(got[i]), elemOffsets([]*bir.AccessPattern{w}); !reflect.DeepEqual(g, w) {
				t.Fatalf("case %d operand %d: elements %v, want %v", n, i, g, w)
			}
		}
		if len(u.blocks[0].instrs) > 1 {
			split++
		}
	}
	if split < 20 {
		t.Errorf("only %d programs were split", split)
	}
}
