package walrus

import (
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// TestUnrollLoop: a static loop becomes its iterations with constant offsets; a tile each iteration fills before it
// reads it becomes one tile an iteration, a tile that carries a value does not.
func TestUnrollLoop(t *testing.T) {
	p := newProg()
	x := p.dram("x", bir.ExternalInput, 128, 512)
	tmp, sum := p.sb("tmp", 128, 128), p.sb("sum", 128, 128)
	p.add(bir.Memset, machine.DVE, &bir.MemsetAttrs{}, []bir.Arg{tile(sum, 0, 128)}, nil)
	v := pelican.NewVar("i", 0, 4, 1)
	body := &bir.Block{Name: "block0"}
	outer := p.b
	p.b = body
	src := rows(x, 0, 128, 0, 128)
	src.AP.Expr = pelican.Mul(v, 128)
	p.load(tile(tmp, 0, 128), src)
	p.add(bir.TensorTensor, machine.DVE, &bir.TensorTensorAttrs{Op: bir.AluAdd}, []bir.Arg{tile(sum, 0, 128)}, []bir.Arg{tile(sum, 0, 128), tile(tmp, 0, 128)})
	skip := p.addImm(tile(sum, 0, 128), tile(sum, 0, 128), 1)
	skip.Preds = []bir.Pred{{E: pelican.AddConst(v, -3), Ge: true}} // last iteration only
	p.b = outer
	p.add(bir.Loop, machine.AllEngines, &bir.LoopAttrs{Axis: "i", Var: v, Upper: 4, Stride: 1}, nil, nil).Body = []*bir.Block{body}
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	ins := u.blocks[0].instrs
	if len(u.blocks) != 1 || len(ins) != 1+4*2+1 {
		t.Fatalf("%d blocks, %d instructions, want 1 and 10", len(u.blocks), len(ins))
	}
	tiles := map[*bir.MemLoc]bool{}
	for i := range 4 {
		ld, add := ins[1+2*i], ins[2+2*i]
		if got := ld.Ins[0].AP.Offset; got != int64(128*i) || ld.Ins[0].AP.Expr != nil {
			t.Errorf("iteration %d loads from %d", i, got)
		}
		tiles[ld.Outs[0].AP.Loc] = true
		if add.Ins[1].AP.Loc != ld.Outs[0].AP.Loc || add.Ins[0].AP.Loc != sum {
			t.Errorf("iteration %d adds %s and %s", i, add.Ins[0].AP.Loc.Name, add.Ins[1].AP.Loc.Name)
		}
	}
	if len(tiles) != 4 {
		t.Errorf("%d tiles for 4 iterations", len(tiles))
	}
}

// TestRejects: forms the backend does not lower are diagnostics.
func TestRejects(t *testing.T) {
	cases := []struct {
		name, code string
		build      func(p *prog)
	}{
		{"stride 0", CodeUnsupported, func(p *prog) {
			p.add(bir.Loop, machine.AllEngines, &bir.LoopAttrs{Axis: "i", Var: pelican.NewVar("i", 0, 4, 1), Upper: 4}, nil, nil)
		}},
		{"dynamic for", CodeUnsupported, func(p *prog) { p.add(bir.DynamicForLoop, machine.AllEngines, &bir.DynamicLoopAttrs{}, nil, nil) }},
		{"collective", CodeUnsupported, func(p *prog) { p.add(bir.CollectiveCompute, machine.Pool, nil, nil, nil) }},
		{"psum too big", CodePSUM, func(p *prog) {
			a, s := p.psum("a", 128, 8192), p.sb("s", 128, 64)
			p.addImm(tile(a, 0, 64), tile(s, 0, 64), 1)
		}},
		{"elements", CodeShape, func(p *prog) {
			x, s := p.dram("x", bir.ExternalInput, 128, 64), p.sb("s", 128, 64)
			p.load(tile(s, 0, 64), rows(x, 0, 128, 0, 32))
		}},
		{"budget", CodeSBUF, func(p *prog) {
			a, b := p.sb("a", 128, 1), p.sb("b", 128, 5000)
			p.add(bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: bir.AluAdd}, []bir.Arg{tile(a, 0, 1)}, []bir.Arg{tile(b, 0, 5000)})
		}},
	}
	for _, c := range cases {
		p := newProg()
		c.build(p)
		_, _, err := Compile(p.m, machine.Trn2, Options{OptLevel: 2, SBUFBudget: 16384})
		if got := diag.Code(err); got != c.code {
			t.Errorf("%s: error %v, want code %s", c.name, err, c.code)
		}
	}
}
