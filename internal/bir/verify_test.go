package bir

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// sample is a legal module: load, matmul, activation, a loop and a store.
type sample struct {
	m                      *Module
	f                      *Func
	b                      *Block
	x, w, y, xs, ws, h, ps *MemLoc
	load, mm, act, save    *Instr
	loop, body             *Instr
}

func tile(l *MemLoc, parts int, off int64, free ...Dim) Arg {
	return AP(&AccessPattern{Loc: l, DType: l.Set.DType, NPart: parts, Offset: off, Free: free})
}

func newSample() *sample {
	s := &sample{m: &Module{Name: "m", Gen: machine.Gen3}, f: &Func{Name: "main"}, b: &Block{Name: "Block1"}}
	s.m.Funcs, s.f.Blocks = []*Func{s.f}, []*Block{s.b}
	f := s.f
	s.x = f.NewSet("x", DRAM, ExternalInput, dtype.BF16, 128, 512)
	s.w = f.NewSet("w", DRAM, ExternalInputParameter, dtype.BF16, 128, 128)
	s.y = f.NewSet("y", DRAM, ExternalOutput, dtype.F32, 128, 512)
	s.xs = f.NewSet("x_sb", SB, Internal, dtype.BF16, 128, 512)
	s.ws = f.NewSet("w_sb", SB, Internal, dtype.BF16, 128, 128)
	s.h = f.NewSet("h_sb", SB, Internal, dtype.F32, 128, 512)
	s.ps = f.NewSet("acc", PSUM, Internal, dtype.F32, 128, 512)
	add := func(b *Block, op Opcode, e machine.Engine, ins, outs []Arg, a Attrs) *Instr {
		in := f.NewInstr(op, e)
		in.Ins, in.Outs, in.Attrs = ins, outs, a
		b.Instrs = append(b.Instrs, in)
		return in
	}
	s.load = add(s.b, Load, machine.DMA, []Arg{AP(Whole(s.x))}, []Arg{tile(s.xs, 128, 0, Dim{1, 512})}, &DMAAttrs{})
	lw := add(s.b, Load, machine.DMA, []Arg{AP(Whole(s.w))}, []Arg{tile(s.ws, 128, 0, Dim{1, 128})}, &DMAAttrs{})
	s.mm = add(s.b, Matmult, machine.PE, []Arg{tile(s.xs, 128, 0, Dim{1, 512}), tile(s.ws, 128, 0, Dim{1, 128})}, []Arg{tile(s.ps, 128, 0, Dim{1, 512})}, &MatmultAttrs{AccFlags: 3})
	s.mm.Deps = []Dep{{s.load, Flow}, {lw, Flow}}
	s.act = add(s.b, Activation, machine.ACT, []Arg{tile(s.ps, 128, 0, Dim{1, 512}), ImmF(0)}, []Arg{tile(s.h, 128, 0, Dim{1, 512})}, &ActivationAttrs{Func: ActGelu, Scale: 1})
	s.act.Deps = []Dep{{s.mm, Flow}}
	i := pelican.NewVar("i", 0, 4, 1)
	s.loop = add(s.b, Loop, machine.AllEngines, nil, nil, &LoopAttrs{Axis: "i", Var: i, Upper: 4, Stride: 1})
	body := &Block{Name: "block0"}
	s.loop.Body = []*Block{body}
	part := func(l *MemLoc) *AccessPattern {
		return &AccessPattern{Loc: l, DType: dtype.F32, NPart: 128, Expr: pelican.Mul(i, 128), Free: []Dim{{1, 128}}}
	}
	s.body = add(body, TensorScalar, machine.DVE, []Arg{AP(part(s.h))}, []Arg{AP(part(s.h))}, &TensorScalarAttrs{Op0: AluMult, Const0: 2})
	dst := part(s.y)
	dst.NPart, dst.Free = 0, []Dim{{512, 128}, {1, 128}}
	s.save = add(body, Save, machine.DMA, []Arg{AP(part(s.h))}, []Arg{AP(dst)}, &DMAAttrs{})
	s.save.Deps = []Dep{{s.body, Flow}}
	return s
}

func TestVerify(t *testing.T) {
	if err := Verify(newSample().m); err != nil {
		t.Fatalf("the sample is not legal: %v", err)
	}
	for _, c := range []struct {
		code string
		text string
		edit func(s *sample)
	}{
		{CodeOpcode, "cannot stand in a block", func(s *sample) { s.mm.Op = MatmultBase }},
		{CodeOpcode, "opcode 200", func(s *sample) { s.mm.Op = 200 }},
		{CodeEngine, "engine DVE cannot execute it", func(s *sample) { s.mm.Engine = machine.DVE }},
		{CodeGen, "needs NeuronCore-v4", func(s *sample) { s.mm.Op = MatmultMx }},
		{CodeAttrs, "attributes are <nil>", func(s *sample) { s.mm.Attrs = nil }},
		{CodeMemory, "in PSUM, which Pool cannot reach", func(s *sample) {
			s.body.Engine = machine.Pool
			s.h.Type = PSUM
		}},
		{CodeMemory, "output 0 is in SBUF, which PE cannot reach", func(s *sample) { s.ps.Type = SB }},
		{CodeMemory, "moves from SBUF to DRAM", func(s *sample) { s.save.Op = Load }},
		{CodeDType, "is f64", func(s *sample) { s.body.Ins[0].AP.DType = dtype.F64 }},
		{CodeStart, "illegal start partition 32 for 64 partitions", func(s *sample) { s.body.Ins[0].AP.Part, s.body.Ins[0].AP.NPart = 32, 64 }},
		{CodeParts, "Size of partition dimension 200", func(s *sample) { s.h.Dims = []int64{200, 512} }},
		{CodeDim, "step 40000", func(s *sample) { s.body.Ins[0].AP.Free = []Dim{{40000, 128}} }},
		{CodeDim, "5 free dimensions", func(s *sample) { s.body.Ins[0].AP.Free = []Dim{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 128}} }},
		{CodeBounds, "access out of bounds: elements 480..543 of x_sb, which has 512", func(s *sample) {
			s.mm.Ins[0].AP.Offset, s.mm.Ins[0].AP.Free = 480, []Dim{{1, 64}}
		}},
		{CodeBounds, "elements 128..639 of h_sb", func(s *sample) { s.body.Ins[0].AP.Offset = 128 }},
		{CodeMatch, "partition count mismatch", func(s *sample) { s.body.Ins[0].AP.NPart = 64 }},
		{CodeElems, "input 0 has 64 elements", func(s *sample) { s.body.Ins[0].AP.Free = []Dim{{1, 64}} }},
		{CodeMatmul, "moving and stationary have 128 and 64 rows", func(s *sample) { s.mm.Ins[1].AP.NPart = 64 }},
		{CodeMatmul, "output has 64 partitions", func(s *sample) { s.mm.Outs[0].AP.NPart = 64 }},
		{CodeMatmul, "accumulation flags 5", func(s *sample) { s.mm.Attrs.(*MatmultAttrs).AccFlags = 5 }},
		{CodeDType, "accumulates in f32, not bf16", func(s *sample) { s.mm.Outs[0].AP.DType = dtype.BF16 }},
		{CodeBackEdge, "dependency on the later", func(s *sample) { s.load.Deps = []Dep{{s.mm, Flow}} }},
		{CodeBackEdge, "dependency on itself", func(s *sample) { s.load.Deps = []Dep{{s.load, Flow}} }},
		{CodeSync, "two waits and one update fit", func(s *sample) {
			in := s.f.NewInstr(EventSemaphore, machine.SP)
			in.Sync = &SyncInfo{}
			s.b.Instrs = append(s.b.Instrs, in)
		}},
		{CodeSync, "updates id 300", func(s *sample) { s.mm.Sync = &SyncInfo{Updates: []Update{{UpdSemInc, 300, 1}}} }},
		{CodeControl, "terminator must be the last", func(s *sample) {
			s.b.Instrs = append([]*Instr{s.f.NewInstr(Return, machine.AllEngines)}, s.b.Instrs...)
		}},
		{CodeControl, "has a body, or lacks one", func(s *sample) { s.loop.Body = nil }},
		{CodeLoop, "no stride", func(s *sample) { s.loop.Attrs.(*LoopAttrs).Stride = 0 }},
		{CodeAxis, "axis i outside its loop", func(s *sample) {
			s.b.Instrs = append(s.b.Instrs, s.loop.Body[0].Instrs...)
			s.loop.Body[0].Instrs = nil
		}},
		{CodePlace, "outside the 229376 of a SBUF partition", func(s *sample) { s.h.Allocated, s.h.Addr = true, 229376-1024 }},
		{CodePlace, "bank 8 of 8", func(s *sample) { s.ps.Allocated, s.ps.Bank = true, 8 }},
		{CodeAlias, "alias must be in DRAM", func(s *sample) { s.xs.Alias = s.x }},
		{CodeName, "\"x\" is empty or used twice", func(s *sample) { s.f.NewSet("x", DRAM, Internal, dtype.F32, 4) }},
		{CodeOperands, "0 inputs and 1 outputs", func(s *sample) { s.act.Ins = nil }},
		{CodeDMA, "pow is not a DMA operation", func(s *sample) { s.save.Attrs.(*DMAAttrs).Op = AluPow }},
	} {
		s := newSample()
		c.edit(s)
		err := Verify(s.m)
		if err == nil {
			t.Errorf("%s (%s): accepted", c.code, c.text)
			continue
		}
		found := false
		for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
			found = found || diag.Code(e) == c.code && strings.Contains(e.Error(), c.text)
		}
		if !found {
			t.Errorf("want %s %q, got %v", c.code, c.text, err)
		}
	}
}

func TestVerifyBitOpsAndPorts(t *testing.T) {
	s := newSample()
	a := s.f.NewSet("a", PSUM, Internal, dtype.F32, 128, 64)
	in := s.f.NewInstr(TensorTensor, machine.DVE)
	in.Ins = []Arg{tile(a, 128, 0, Dim{1, 64}), tile(a, 128, 0, Dim{1, 64})}
	in.Outs = []Arg{tile(s.h, 128, 0, Dim{1, 64})}
	in.Attrs = &TensorTensorAttrs{Op: AluBitwiseAnd}
	s.b.Instrs = append(s.b.Instrs, in)
	err := Verify(s.m)
	for _, want := range []string{CodeBitOp, CodeTwoPSUM} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// TestWork checks that instructions reach the cost formulas they should.
func TestWork(t *testing.T) {
	s := newSample()
	spec := machine.Trn2
	for _, c := range []struct {
		in *Instr
		ii float64
	}{
		{s.mm, 512 / 2.4},
		{s.act, 512 / 1.2},
		{s.body, 64 / 0.96}, // 128 elements in 2x mode
		{s.load, 8 * (1024/23. + 1)},
	} {
		if got := c.in.Cost(spec).II; fmt.Sprintf("%.2f", got) != fmt.Sprintf("%.2f", c.ii) {
			t.Errorf("%s: II %.2f, want %.2f", c.in.Op, got, c.ii)
		}
	}
}

func TestMergeDims(t *testing.T) {
	for _, c := range []struct{ in, want []Dim }{
		{[]Dim{{64, 4}, {1, 64}}, []Dim{{1, 256}}},
		{[]Dim{{128, 4}, {1, 1}, {2, 64}}, []Dim{{2, 256}}},
		{[]Dim{{128, 4}, {1, 64}}, []Dim{{128, 4}, {1, 64}}},
		{[]Dim{{0, 3}, {1, 64}}, []Dim{{0, 3}, {1, 64}}},
		{[]Dim{{5, 1}, {7, 1}}, []Dim{{1, 1}}},
		{[]Dim{{-64, 4}, {-1, 64}}, []Dim{{-1, 256}}},
	} {
		in := append([]Dim(nil), c.in...)
		if got := MergeDims(in); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("MergeDims(%v) = %v, want %v", c.in, got, c.want)
		}
	}
}

// BenchmarkVerify builds and verifies a function of many instructions and reports bytes and time for each.
func BenchmarkVerify(b *testing.B) {
	const n = 100000
	s := newSample()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for k := 0; k < n; k++ {
		in := s.f.NewInstr(TensorTensor, machine.DVE)
		in.Ins = []Arg{tile(s.h, 128, 0, Dim{1, 256}), tile(s.h, 128, 256, Dim{1, 256})}
		in.Outs = []Arg{tile(s.h, 128, 0, Dim{1, 256})}
		in.Attrs = &TensorTensorAttrs{Op: AluAdd}
		in.Deps = []Dep{{s.mm, Flow}}
		s.b.Instrs = append(s.b.Instrs, in)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		if err := Verify(s.m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/instr")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/instr")
}
