package sim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
	"github.com/alcadev/alca/internal/walrus"
)

// gen makes random legal programs: tiles are loaded, combined on random engines and stored, with partial writes,
// strided and broadcast reads, partition slices, matmul groups, reductions, casts and loops.
type gen struct {
	*rand.Rand
	spec  *machine.Spec
	m     *bir.Module
	f     *bir.Func
	b     *bir.Block
	tiles []*bir.MemLoc // fully written SBUF tiles of 128 partitions
	n     int
}

func newGen(seed uint64, spec *machine.Spec) *gen {
	f := &bir.Func{Name: "main"}
	b := &bir.Block{Name: "Block1"}
	f.Blocks = []*bir.Block{b}
	return &gen{Rand: rand.New(rand.NewPCG(seed, 7)), spec: spec, f: f, b: b, m: &bir.Module{Name: "random", Gen: spec.Gen, Funcs: []*bir.Func{f}}}
}

func (g *gen) name(s string) string {
	g.n++
	return fmt.Sprintf("%s%d", s, g.n)
}

func (g *gen) add(op bir.Opcode, e machine.Engine, a bir.Attrs, out *bir.AccessPattern, ins ...bir.Arg) {
	in := g.f.NewInstr(op, e)
	in.Attrs, in.Ins, in.Outs = a, ins, []bir.Arg{bir.AP(out)}
	in.Debug = &bir.DebugInfo{Op: "random." + op.String()}
	g.b.Instrs = append(g.b.Instrs, in)
}

func (g *gen) newTile(t dtype.Type, w int64) *bir.MemLoc {
	return g.f.NewSet(g.name("t"), bir.SB, bir.Internal, t, 128, w)
}

func (g *gen) pick() *bir.MemLoc { return g.tiles[g.IntN(len(g.tiles))] }

// read is a pattern of w elements of a tile: a slice, reversed, strided or broadcast.
func (g *gen) read(l *bir.MemLoc, w int64, part, np int) *bir.AccessPattern {
	p := &bir.AccessPattern{Loc: l, DType: l.Set.DType, Part: part, NPart: np}
	row := l.Dims[1]
	switch k := g.IntN(6); {
	case row < w || k == 0:
		p.Offset, p.Free = g.Int64N(row), []bir.Dim{{Step: 0, Count: w}}
	case k == 1:
		p.Offset = w - 1 + g.Int64N(row-w+1)
		p.Free = []bir.Dim{{Step: -1, Count: w}}
	case k == 2 && row >= 2*w:
		p.Offset = g.Int64N(row - 2*w + 1)
		p.Free = []bir.Dim{{Step: 2, Count: w}}
	case k == 3 && w%4 == 0:
		p.Offset = g.Int64N(row - w + 1)
		p.Free = []bir.Dim{{Step: 1, Count: 4}, {Step: 4, Count: w / 4}}
	default:
		p.Offset, p.Free = g.Int64N(row-w+1), []bir.Dim{{Step: 1, Count: w}}
	}
	return p
}

func whole(l *bir.MemLoc) *bir.AccessPattern {
	return &bir.AccessPattern{Loc: l, DType: l.Set.DType, NPart: int(l.Dims[0]), Free: []bir.Dim{{Step: 1, Count: l.Dims[1]}}}
}

func (g *gen) width() int64 { return []int64{4, 16, 64, 100, 128, 256}[g.IntN(6)] }

func (g *gen) dtype() dtype.Type { return []dtype.Type{dtype.F32, dtype.F32, dtype.BF16}[g.IntN(3)] }

// input adds a loaded tile; some loads transpose or cast.
func (g *gen) input(t dtype.Type, w int64) {
	x := g.f.NewSet(g.name("x"), bir.DRAM, bir.ExternalInput, t, 128, w)
	x.Set.IOName = x.Name
	l := g.newTile(g.dtype(), w)
	src := &bir.AccessPattern{Loc: x, DType: t, Free: []bir.Dim{{Step: w, Count: 128}, {Step: 1, Count: w}}}
	if g.IntN(3) == 0 {
		src.Free = []bir.Dim{{Step: 1, Count: 128}, {Step: 128, Count: w}} // the rows of the [w, 128] view
	}
	g.add(bir.Load, machine.DMA, &bir.DMAAttrs{DGE: bir.DGEUnassigned}, whole(l), bir.AP(src))
	g.tiles = append(g.tiles, l)
}

var randomOps = []bir.AluOp{bir.AluAdd, bir.AluSubtract, bir.AluMult, bir.AluMax, bir.AluMin}

func (g *gen) alu() bir.AluOp { return randomOps[g.IntN(len(randomOps))] }

// step adds one random operation that writes a new tile, or part of an old one.
func (g *gen) step() {
	w := g.width()
	dst := g.newTile(g.dtype(), w)
	out := whole(dst)
	fresh := true
	part, np := 0, 128
	if g.IntN(3) == 0 { // overwrite a slice of an old tile
		dst, fresh = g.pick(), false
		if w > dst.Dims[1] {
			w = dst.Dims[1]
		}
		switch g.IntN(3) {
		case 1:
			part, np = 64*g.IntN(2), 64
		case 2:
			part, np = 32*g.IntN(4), 1+g.IntN(32)
		}
		out = &bir.AccessPattern{Loc: dst, DType: dst.Set.DType, Part: part, NPart: np, Offset: g.Int64N(dst.Dims[1] - w + 1), Free: []bir.Dim{{Step: 1, Count: w}}}
	}
	// An input may not overlap the output it would be read after.
	input := func() *bir.AccessPattern {
		for {
			l := g.pick()
			if l != dst {
				return g.read(l, w, part, np)
			}
			if len(g.tiles) == 1 {
				same := *out
				return &same
			}
		}
	}
	scalar := func() bir.Arg {
		if g.IntN(2) == 0 {
			return bir.ImmF(float32(g.IntN(9)-4) / 4)
		}
		p := input()
		p.Free = []bir.Dim{{Step: 1, Count: 1}}
		p.Offset = 0
		if p.DType != dtype.F32 {
			return bir.ImmF(0.5)
		}
		return bir.AP(p)
	}
	engine := []machine.Engine{machine.DVE, machine.Pool}[g.IntN(2)]
	switch g.IntN(12) {
	case 9, 10, 11:
		if !fresh {
			g.add(bir.TensorCopy, engine, &bir.CopyAttrs{}, out, bir.AP(input()))
			break
		}
		g.special(dst, out, w, input)
	case 0, 1:
		g.add(bir.TensorTensor, engine, &bir.TensorTensorAttrs{Op: g.alu()}, out, bir.AP(input()), bir.AP(input()))
	case 2, 3:
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: g.alu(), Op1: g.alu(), Reverse0: g.IntN(2) == 0}, out, bir.AP(input()), scalar(), scalar())
	case 4:
		fn := []bir.ActFunc{bir.ActTanh, bir.ActSigmoid, bir.ActIdentity, bir.ActRelu, bir.ActExp}[g.IntN(5)]
		in := input()
		if fn == bir.ActExp { // keep values tame
			fn = bir.ActTanh
		}
		g.add(bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: fn, Scale: 0.5}, out, bir.AP(in), bir.ImmF(0.25))
	case 5:
		g.add(bir.TensorCopy, engine, &bir.CopyAttrs{}, out, bir.AP(input()))
	case 6:
		if !fresh {
			g.add(bir.Memset, machine.DVE, &bir.MemsetAttrs{Constant: 0}, out)
			break
		}
		src := g.pick()
		one := g.newTile(dtype.F32, 1)
		g.add(bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: []bir.AluOp{bir.AluAdd, bir.AluMax}[g.IntN(2)], Axis: bir.AxisX}, whole(one), bir.AP(whole(src)))
		g.tiles = append(g.tiles, one)
		g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, out, bir.AP(&bir.AccessPattern{Loc: one, DType: dtype.F32, NPart: 128, Free: []bir.Dim{{Step: 0, Count: w}}}))
	case 7:
		if !fresh {
			g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, out, bir.AP(input()))
			break
		}
		g.matmul(out, w)
	case 8:
		if !fresh || w < 8 {
			g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, out, bir.AP(input()))
			break
		}
		g.loop(dst, w)
	}
	if fresh {
		g.tiles = append(g.tiles, dst)
	}
}

// special fills a new tile by one of the less common instructions.
func (g *gen) special(dst *bir.MemLoc, out *bir.AccessPattern, w int64, input func() *bir.AccessPattern) {
	row := []bir.Dim{{Step: 1, Count: w}}
	switch g.IntN(9) {
	case 0:
		g.add(bir.Iota, machine.Pool, &bir.IotaAttrs{Base: g.Int64N(9) - 4, Pattern: []bir.Dim{{Step: g.Int64N(5) - 2, Count: w}}, ChannelMultiplier: g.Int64N(3)}, out)
	case 1:
		g.add(bir.TensorScalarAffineSelect, machine.Pool, &bir.AffineSelectAttrs{Base: g.Int64N(9), Pattern: []bir.Dim{{Step: -1, Count: w}}, ChannelMultiplier: 1, Compare: bir.AluIsGE, Fill: -3}, out, bir.AP(input()))
	case 2:
		mask := g.newTile(dtype.U8, w)
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluIsGT, Op1: bir.AluBypass}, whole(mask), bir.AP(input()), bir.ImmF(0))
		g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, out, bir.AP(input()))
		g.add(bir.CopyPredicated, machine.DVE, &bir.CopyPredicatedAttrs{ReversePred: g.IntN(2) == 0}, out, bir.AP(g.plain(dst.Set.DType, w)), bir.AP(whole(mask)))
	case 3: // through internal DRAM
		home := g.f.NewSet(g.name("d"), bir.DRAM, bir.Internal, dst.Set.DType, 128, w)
		flat := &bir.AccessPattern{Loc: home, DType: dst.Set.DType, Free: []bir.Dim{{Step: w, Count: 128}, {Step: 1, Count: w}}}
		back := *flat
		g.add(bir.Save, machine.DMA, &bir.DMAAttrs{}, flat, bir.AP(g.plain(dst.Set.DType, w)))
		if g.IntN(2) == 0 {
			back.Offset, back.Free = w-1, []bir.Dim{{Step: w, Count: 128}, {Step: -1, Count: w}}
		}
		g.add(bir.Load, machine.DMA, &bir.DMAAttrs{}, out, bir.AP(&back))
	case 4: // rotate partitions by 32
		src := g.plain(dst.Set.DType, w)
		lo, hi := *src, *src
		lo.NPart, hi.Part, hi.NPart = 96, 96, 32
		g.add(bir.DMACopy, machine.DMA, &bir.DMAAttrs{}, &bir.AccessPattern{Loc: dst, DType: dst.Set.DType, Part: 32, NPart: 96, Free: row}, bir.AP(&lo))
		g.add(bir.DMACopy, machine.DMA, &bir.DMAAttrs{}, &bir.AccessPattern{Loc: dst, DType: dst.Set.DType, NPart: 32, Free: row}, bir.AP(&hi))
	case 5: // transpose on the tensor engine with an identity
		src, eye := g.plain(dtype.BF16, 128), g.newTile(dtype.BF16, 128)
		g.add(bir.Memset, machine.DVE, &bir.MemsetAttrs{Constant: 0x3f80}, whole(eye))
		g.add(bir.TensorScalarAffineSelect, machine.Pool, &bir.AffineSelectAttrs{Pattern: []bir.Dim{{Step: -1, Count: 128}}, ChannelMultiplier: 1, Compare: bir.AluIsEqual}, whole(eye), bir.AP(whole(eye)))
		t := dtype.F32
		if g.spec.PE.ExactTranspose {
			t = dtype.BF16
		}
		ps := g.f.NewSet(g.name("tp"), bir.PSUM, bir.Internal, t, 128, 128)
		g.add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: 3, IsTranspose: g.spec.PE.ExactTranspose, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}}, whole(ps), bir.AP(whole(eye)), bir.AP(src))
		o := &bir.AccessPattern{Loc: ps, DType: t, NPart: 128, Free: []bir.Dim{{Step: 1, Count: w}}}
		if w > 128 {
			o.Free = []bir.Dim{{Step: 0, Count: w}}
		}
		g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, out, bir.AP(o))
	case 6:
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluAdd, ScalarTensorTensor: true}, out, bir.AP(input()), bir.ImmF(0.5), bir.AP(input()))
	case 7: // integers, bit operations and a cast back
		a, b := g.newTile(dtype.I32, w), g.newTile(dtype.I32, w)
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluBypass}, whole(a), bir.AP(input()), bir.ImmF(4))
		g.add(bir.TensorTensor, machine.DVE, &bir.TensorTensorAttrs{Op: []bir.AluOp{bir.AluBitwiseAnd, bir.AluBitwiseOr, bir.AluBitwiseXor}[g.IntN(3)]}, whole(b), bir.AP(whole(a)), bir.AP(whole(a)))
		g.add(bir.TensorTensor, machine.Pool, &bir.TensorTensorAttrs{Op: bir.AluAdd}, whole(b), bir.AP(whole(a)), bir.AP(whole(b)))
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluBypass}, out, bir.AP(whole(b)), bir.ImmF(0.125))
	case 8:
		if w%4 != 0 {
			g.add(bir.Memset, machine.Pool, &bir.MemsetAttrs{}, out)
			return
		}
		// Two-dimensional reduction of [w, 2, 2] windows.
		src := g.plain(dtype.F32, 4*w)
		src.Free = []bir.Dim{{Step: 4, Count: w}, {Step: 2, Count: 2}, {Step: 1, Count: 2}}
		g.add(bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: bir.AluMax, Axis: bir.AxisXY, Negate: g.IntN(2) == 0}, out, bir.AP(src))
	}
}

// plain returns the whole of a new tile of type t and width w with the values of another, shrunk.
func (g *gen) plain(t dtype.Type, w int64) *bir.AccessPattern {
	l := g.newTile(t, w)
	g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluAdd}, whole(l), bir.AP(g.read(g.pick(), w, 0, 128)), bir.ImmF(0.25), bir.ImmF(0.125))
	return whole(l)
}

// matmul accumulates one or two products in PSUM and copies the result out. Operands are cast to bfloat16 first.
func (g *gen) matmul(out *bir.AccessPattern, w int64) {
	acc := g.f.NewSet(g.name("acc"), bir.PSUM, bir.Internal, dtype.F32, 128, w)
	n := 1 + g.IntN(2)
	for k := range n {
		mov, sta := g.newTile(dtype.BF16, w), g.newTile(dtype.BF16, 128)
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluBypass}, whole(mov), bir.AP(g.read(g.pick(), w, 0, 128)), bir.ImmF(0.0625))
		g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluBypass}, whole(sta), bir.AP(g.read(g.pick(), 128, 0, 128)), bir.ImmF(0.0625))
		flags := uint8(0)
		if k == 0 {
			flags |= bir.AccFlagStart
		} else {
			flags |= bir.AccFlagAccumulate
		}
		if k == n-1 {
			flags |= bir.AccFlagStop
		}
		g.add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: flags, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}}, whole(acc), bir.AP(whole(mov)), bir.AP(whole(sta)))
	}
	g.add(bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: bir.ActTanh, Scale: 1}, out, bir.AP(whole(acc)), bir.ImmF(0))
}

// loop writes dst column block by column block.
func (g *gen) loop(dst *bir.MemLoc, w int64) {
	trip := int64(4)
	if w%4 != 0 {
		trip = 2
	}
	v := pelican.NewVar(g.name("i"), 0, trip, 1)
	in := g.f.NewInstr(bir.Loop, machine.AllEngines)
	in.Attrs = &bir.LoopAttrs{Axis: v.Name(), Var: v, Upper: trip, Stride: 1}
	body := &bir.Block{Name: "block0"}
	in.Body = []*bir.Block{body}
	g.b.Instrs = append(g.b.Instrs, in)
	keep := g.b
	g.b = body
	src := g.pick()
	read := &bir.AccessPattern{Loc: src, DType: src.Set.DType, NPart: 128, Free: []bir.Dim{{Step: 0, Count: w / trip}}}
	if src.Dims[1] >= trip {
		read.Expr = pelican.Mod(pelican.AddConst(v, 1), trip)
	}
	g.add(bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluAdd, Op1: bir.AluMult},
		&bir.AccessPattern{Loc: dst, DType: dst.Set.DType, NPart: 128, Expr: pelican.Mul(v, w/trip), Free: []bir.Dim{{Step: 1, Count: w / trip}}}, bir.AP(read), bir.ImmF(1), bir.ImmF(0.5))
	g.b = keep
}

// output stores a tile.
func (g *gen) output(l *bir.MemLoc) {
	y := g.f.NewSet(g.name("y"), bir.DRAM, bir.ExternalOutput, dtype.F32, 128, l.Dims[1])
	y.Set.IOName = y.Name
	g.add(bir.Save, machine.DMA, &bir.DMAAttrs{DGE: bir.DGEUnassigned}, &bir.AccessPattern{Loc: y, DType: dtype.F32, Free: []bir.Dim{{Step: l.Dims[1], Count: 128}, {Step: 1, Count: l.Dims[1]}}}, bir.AP(whole(l)))
}

// random returns the program of a seed, the same each time.
func random(seed uint64, spec *machine.Spec) *bir.Module {
	g := newGen(seed, spec)
	for range 2 + g.IntN(3) {
		g.input(g.dtype(), g.width())
	}
	for range 5 + g.IntN(25) {
		g.step()
		if g.IntN(6) == 0 {
			g.output(g.pick())
		}
	}
	g.output(g.tiles[len(g.tiles)-1])
	return g.m
}

func inputsOf(seed uint64, m *bir.Module) map[string]*tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 11))
	in := map[string]*tensor.Tensor{}
	for _, s := range m.Funcs[0].Sets {
		if !s.Kind.IsInput() {
			continue
		}
		shape := []int{int(s.Shape[0]), int(s.Shape[1])}
		t := tensor.New(s.DType, shape...)
		for i := 0; i < shape[0]*shape[1]; i++ {
			bits := math.Float32bits(float32(r.IntN(129)-64) / 64) // exact in bfloat16
			if s.DType == dtype.BF16 {
				binary.LittleEndian.PutUint16(t.Data[2*i:], uint16(bits>>16))
			} else {
				binary.LittleEndian.PutUint32(t.Data[4*i:], bits)
			}
		}
		in[s.IOName] = t
	}
	return in
}

// TestDifferential compares what the simulator computes from the NEFF of a random program with the program's BIR run
// in order, bit for bit, at every optimisation level, with and without spilling.
func TestDifferential(t *testing.T) {
	ctx := context.Background()
	seeds := uint64(20)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		spec := machine.All()[seed%3]
		m := random(seed, spec)
		if err := bir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in := inputsOf(seed, m)
		prog, err := sim.LoadBIR(m, spec)
		if err != nil {
			t.Fatal(err)
		}
		want, err := prog.Run(ctx, in)
		if err != nil {
			t.Fatalf("seed %d: BIR: %v\n%s", seed, err, listing(m))
		}
		for _, opt := range []walrus.Options{{OptLevel: 0}, {OptLevel: 1, SBUFBudget: 8192}, {OptLevel: 2}} {
			opt.Verify = true
			label := fmt.Sprintf("seed %d %s -O%d budget %d", seed, spec.Name, opt.OptLevel, opt.SBUFBudget)
			file, _, err := walrus.Compile(random(seed, spec), spec, opt)
			if err != nil {
				t.Errorf("%s: %v", label, err)
				continue
			}
			var b bytes.Buffer
			if err := neff.Write(&b, file); err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			if file, err = neff.Read(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			p, err := sim.Load(file, spec)
			if err != nil {
				t.Errorf("%s: %v", label, err)
				continue
			}
			res, err := p.Run(ctx, in, sim.Options{})
			if err != nil {
				t.Errorf("%s: %v", label, err)
				continue
			}
			for name, w := range want {
				got := res.Outputs[name]
				if got == nil || !bytes.Equal(got.Data, w.Data) {
					t.Errorf("%s: output %s differs from the BIR run", label, name)
				}
			}
		}
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, listing(m))
			return
		}
	}
}

func listing(m *bir.Module) string {
	var b strings.Builder
	bir.Print(&b, m)
	return b.String()
}
