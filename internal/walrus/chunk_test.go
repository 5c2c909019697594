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

// TestChunkReduce: a reduction of [16, 4, 64] over the innermost dimension is cut along the outer ones.
func TestChunkReduce(t *testing.T) {
	p := newProg()
	src, dst := p.sb("src", 128, 4096), p.sb("dst", 128, 64)
	in := p.add(bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: bir.AluAdd, Axis: bir.AxisX}, []bir.Arg{tile(dst, 0, 64)}, []bir.Arg{tile(src, 0, 4096)})
	in.Ins[0].AP.Free = []bir.Dim{{Step: 256, Count: 16}, {Step: 64, Count: 4}, {Step: 1, Count: 64}}
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	chunkInstrs(u, 512, false)
	ins := u.blocks[0].instrs
	if len(ins) != 8 {
		t.Fatalf("%d pieces, want 8", len(ins))
	}
	for i, c := range ins {
		s, d := c.Ins[0].AP, c.Outs[0].AP
		if s.Offset != int64(512*i) || s.Elems() != 512 || d.Offset != int64(8*i) || d.Elems() != 8 || s.Free[len(s.Free)-1] != (bir.Dim{Step: 1, Count: 64}) {
			t.Errorf("piece %d: %v at %d -> %v at %d", i, s.Free, s.Offset, d.Free, d.Offset)
		}
	}
}

// TestSpillEverywhere: a budget that only holds one instruction's tiles is enough.
func TestSpillEverywhere(t *testing.T) {
	u := runTo(t, tiledProg(4), Options{OptLevel: 1, SBUFBudget: 1088}, "synchronizer")
	if err := checkAllocation(u); err != nil {
		t.Fatal(err)
	}
	if err := checkSync(u); err != nil {
		t.Fatal(err)
	}
}
