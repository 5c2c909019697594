package walrus

import (
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// TestChunk: tiles that cannot be in SBUF together are cut with their instructions; an accumulating instruction hands
// its accumulator on and reads it out once.
func TestChunk(t *testing.T) {
	p := newProg()
	x := p.dram("x", bir.ExternalInput, 128, 4096)
	y := p.dram("y", bir.ExternalOutput, 128, 4096)
	a, b, s := p.sb("a", 128, 4096), p.sb("b", 128, 4096), p.sb("s", 128, 1)
	p.load(tile(a, 0, 4096), rows(x, 0, 128, 0, 4096))
	exp := p.act(bir.ActExp, tile(b, 0, 4096), tile(a, 0, 4096))
	exp.Attrs.(*bir.ActivationAttrs).Acc = bir.AccZeroAccumulate
	exp.Outs = append(exp.Outs, tile(s, 0, 1))
	p.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluDivide}, []bir.Arg{tile(b, 0, 4096)}, []bir.Arg{tile(b, 0, 4096), tile(s, 0, 1)})
	p.save(rows(y, 0, 128, 0, 4096), tile(b, 0, 4096))
	u := runTo(t, p, Options{OptLevel: 2, SBUFBudget: 8192, Verify: true}, "synchronizer")
	if err := checkSync(u); err != nil {
		t.Fatal(err)
	}
	if err := checkAllocation(u); err != nil {
		t.Fatal(err)
	}
	var acts, resets, reads int
	var cols int64
	for _, in := range u.blocks[0].instrs {
		if a, ok := in.Attrs.(*bir.ActivationAttrs); ok {
			acts++
			cols += in.Ins[0].AP.Elems()
			if a.Acc == bir.AccZeroAccumulate {
				resets++
			}
			reads += len(in.Outs) - 1
		}
	}
	if acts < 4 || resets != 1 || reads != 1 || cols != 4096 {
		t.Errorf("%d activations over %d columns, %d resets, %d reads; want at least 4 over 4096, 1, 1", acts, cols, resets, reads)
	}
	if u.stats.Reloads == 0 {
		t.Error("nothing was spilled")
	}
}
