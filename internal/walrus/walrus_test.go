package walrus

import (
	"fmt"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// prog builds BIR for tests.
type prog struct {
	m *bir.Module
	f *bir.Func
	b *bir.Block
}

func newProg() *prog {
	f := &bir.Func{Name: "main"}
	b := &bir.Block{Name: "Block1"}
	f.Blocks = []*bir.Block{b}
	return &prog{&bir.Module{Name: "m", Gen: machine.Gen3, Funcs: []*bir.Func{f}}, f, b}
}

func (p *prog) dram(name string, k bir.TensorKind, dims ...int64) *bir.MemLoc {
	l := p.f.NewSet(name, bir.DRAM, k, dtype.F32, dims...)
	l.Set.IOName = name
	return l
}

func (p *prog) sb(name string, dims ...int64) *bir.MemLoc {
	return p.f.NewSet(name, bir.SB, bir.Internal, dtype.F32, dims...)
}

func (p *prog) psum(name string, dims ...int64) *bir.MemLoc {
	return p.f.NewSet(name, bir.PSUM, bir.Internal, dtype.F32, dims...)
}

func (p *prog) add(op bir.Opcode, e machine.Engine, a bir.Attrs, outs, ins []bir.Arg) *bir.Instr {
	in := p.f.NewInstr(op, e)
	in.Attrs, in.Ins, in.Outs = a, ins, outs
	p.b.Instrs = append(p.b.Instrs, in)
	return in
}

// rows is the DRAM pattern of rows [r, r+n) and columns [c, c+w) of a matrix.
func rows(l *bir.MemLoc, r, n, c, w int64) bir.Arg {
	pitch := l.Dims[1]
	return bir.AP(&bir.AccessPattern{Loc: l, DType: l.Set.DType, Offset: r*pitch + c, Free: []bir.Dim{{Step: pitch, Count: n}, {Step: 1, Count: w}}})
}

// tile is the SBUF or PSUM pattern of columns [c, c+w).
func tile(l *bir.MemLoc, c, w int64) bir.Arg {
	return bir.AP(&bir.AccessPattern{Loc: l, DType: l.Set.DType, NPart: int(l.Dims[0]), Offset: c, Free: []bir.Dim{{Step: 1, Count: w}}})
}

func (p *prog) load(dst, src bir.Arg) *bir.Instr {
	return p.add(bir.Load, machine.DMA, &bir.DMAAttrs{}, []bir.Arg{dst}, []bir.Arg{src})
}

func (p *prog) save(dst, src bir.Arg) *bir.Instr {
	return p.add(bir.Save, machine.DMA, &bir.DMAAttrs{}, []bir.Arg{dst}, []bir.Arg{src})
}

func (p *prog) addImm(dst, src bir.Arg, v float32) *bir.Instr {
	return p.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluAdd}, []bir.Arg{dst}, []bir.Arg{src, bir.ImmF(v)})
}

func (p *prog) act(f bir.ActFunc, dst, src bir.Arg) *bir.Instr {
	return p.add(bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: f, Scale: 1}, []bir.Arg{dst}, []bir.Arg{src, bir.ImmF(0)})
}

// pipeline of n tiles: load, add, exp, matmul with a resident weight, save.
func tiledProg(n int64) *prog {
	p := newProg()
	x := p.dram("x", bir.ExternalInput, 128, 512*n)
	w := p.dram("w", bir.ExternalInput, 128, 128)
	y := p.dram("y", bir.ExternalOutput, 128, 512*n)
	wt := p.sb("wt", 128, 128)
	p.load(tile(wt, 0, 128), rows(w, 0, 128, 0, 128))
	for i := range n {
		xt := p.sb(fmt.Sprintf("xt%d", i), 128, 512)
		et := p.sb(fmt.Sprintf("et%d", i), 128, 512)
		ot := p.sb(fmt.Sprintf("ot%d", i), 128, 512)
		acc := p.psum(fmt.Sprintf("acc%d", i), 128, 512)
		p.load(tile(xt, 0, 512), rows(x, 0, 128, 512*i, 512))
		p.addImm(tile(xt, 0, 512), tile(xt, 0, 512), 1)
		p.act(bir.ActExp, tile(et, 0, 512), tile(xt, 0, 512))
		p.add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: bir.AccFlagStart | bir.AccFlagStop, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}},
			[]bir.Arg{tile(acc, 0, 512)}, []bir.Arg{tile(et, 0, 512), tile(wt, 0, 128)})
		p.act(bir.ActTanh, tile(ot, 0, 512), tile(acc, 0, 512))
		p.save(rows(y, 0, 128, 512*i, 512), tile(ot, 0, 512))
	}
	return p
}

// TestCompile: the tiled program compiles at every level for every generation, with checked allocation and
// synchronisation, and a better schedule at level 1.
func TestCompile(t *testing.T) {
	for _, spec := range machine.All() {
		for _, level := range []int{0, 1, 2} {
			for _, budget := range []int64{0, 16384} {
				p := tiledProg(20)
				p.m.Gen = spec.Gen
				f, st, err := Compile(p.m, spec, Options{OptLevel: level, SBUFBudget: budget, Verify: true})
				if err != nil {
					t.Fatalf("%s -O%d budget %d: %v", spec.Name, level, budget, err)
				}
				if len(f.Inputs) != 2 || len(f.Outputs) != 1 || st.Triggers < 41 {
					t.Errorf("%s -O%d: %d inputs, %d outputs, %d triggers", spec.Name, level, len(f.Inputs), len(f.Outputs), st.Triggers)
				}
				for _, pl := range st.Plans {
					t.Logf("%s -O%d budget %d: %s %d, bound %d %s, gap %.1f%%", spec.Name, level, budget, pl.Name, pl.Value, pl.Bound, pl.Unit, 100*pl.Gap())
				}
			}
		}
	}
}
