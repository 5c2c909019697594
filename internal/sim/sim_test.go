package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"sort"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/tensor"
	"github.com/alcadev/alca/internal/walrus"
)

// matmulProgram computes y = gelu(w^T x) + x over [128, 256] with w [128, 128]: every kind of producer and
// consumer is in it (DMA, PE, ACT, DVE).
func matmulProgram(gen machine.Gen) *bir.Module {
	f := &bir.Func{Name: "main"}
	b := &bir.Block{Name: "Block1"}
	f.Blocks = []*bir.Block{b}
	dram := func(name string, k bir.TensorKind, dims ...int64) *bir.MemLoc {
		l := f.NewSet(name, bir.DRAM, k, dtype.F32, dims...)
		l.Set.IOName = name
		return l
	}
	x, w, y := dram("x", bir.ExternalInput, 128, 256), dram("w", bir.ExternalInput, 128, 128), dram("y", bir.ExternalOutput, 128, 256)
	xs, ws := f.NewSet("xs", bir.SB, bir.Internal, dtype.F32, 128, 256), f.NewSet("ws", bir.SB, bir.Internal, dtype.F32, 128, 128)
	gs, ys := f.NewSet("gs", bir.SB, bir.Internal, dtype.F32, 128, 256), f.NewSet("ys", bir.SB, bir.Internal, dtype.F32, 128, 256)
	ps := f.NewSet("ps", bir.PSUM, bir.Internal, dtype.F32, 128, 256)
	chip := func(l *bir.MemLoc) bir.Arg {
		return bir.AP(&bir.AccessPattern{Loc: l, DType: dtype.F32, NPart: 128, Free: []bir.Dim{{Step: 1, Count: l.Dims[1]}}})
	}
	mem := func(l *bir.MemLoc) bir.Arg {
		return bir.AP(&bir.AccessPattern{Loc: l, DType: dtype.F32, Free: []bir.Dim{{Step: l.Dims[1], Count: 128}, {Step: 1, Count: l.Dims[1]}}})
	}
	add := func(op bir.Opcode, e machine.Engine, a bir.Attrs, out bir.Arg, in ...bir.Arg) {
		i := f.NewInstr(op, e)
		i.Attrs, i.Ins, i.Outs = a, in, []bir.Arg{out}
		i.Debug = &bir.DebugInfo{Op: op.String()}
		b.Instrs = append(b.Instrs, i)
	}
	add(bir.Load, machine.DMA, &bir.DMAAttrs{}, chip(xs), mem(x))
	add(bir.Load, machine.DMA, &bir.DMAAttrs{}, chip(ws), mem(w))
	add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: bir.AccFlagStart | bir.AccFlagStop, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}}, chip(ps), chip(xs), chip(ws))
	add(bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: bir.ActGelu, Scale: 1}, chip(gs), chip(ps))
	add(bir.TensorTensor, machine.DVE, &bir.TensorTensorAttrs{Op: bir.AluAdd}, chip(ys), chip(gs), chip(xs))
	add(bir.Save, machine.DMA, &bir.DMAAttrs{}, mem(y), chip(ys))
	return &bir.Module{Name: "m", Gen: gen, Funcs: []*bir.Func{f}}
}

func testInputs() map[string]*tensor.Tensor {
	mk := func(r, c int, f func(i int) float32) *tensor.Tensor {
		t := tensor.New(dtype.F32, r, c)
		v := make([]float32, r*c)
		for i := range v {
			v[i] = f(i)
		}
		dtype.RowFromF32(t.Data, v, dtype.F32)
		return t
	}
	return map[string]*tensor.Tensor{
		"x": mk(128, 256, func(i int) float32 { return float32(i*7%31)/16 - 1 }),
		"w": mk(128, 128, func(i int) float32 { return float32(i*5%13)/64 - 0.1 }),
	}
}

func compile(t *testing.T, spec *machine.Spec) *neff.File {
	t.Helper()
	f, _, err := walrus.Compile(matmulProgram(spec.Gen), spec, walrus.Options{OptLevel: 2})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func run(f *neff.File, spec *machine.Spec, opt Options) (*Result, error) {
	p, err := Load(f, spec)
	if err != nil {
		return nil, err
	}
	return p.Run(context.Background(), testInputs(), opt)
}

func want(t *testing.T) []float32 {
	in := testInputs()
	x, w, y := make([]float32, 128*256), make([]float32, 128*128), make([]float32, 128*256)
	dtype.RowToF32(x, in["x"].Data, dtype.F32)
	dtype.RowToF32(w, in["w"].Data, dtype.F32)
	for m := range 128 {
		for n := range 256 {
			s := 0.0
			for k := range 128 {
				s += float64(w[k*128+m]) * float64(x[k*256+n])
			}
			y[m*256+n] = float32(s/2*(1+math.Erf(s/math.Sqrt2))) + x[m*256+n]
		}
	}
	return y
}

func TestProgramOnEveryTarget(t *testing.T) {
	y := want(t)
	for _, spec := range machine.All() {
		f := compile(t, spec)
		res, err := run(f, spec, Options{})
		if err != nil {
			t.Errorf("%s: %v", spec.Name, err)
			continue
		}
		got := make([]float32, len(y))
		dtype.RowToF32(got, res.Outputs["y"].Data, dtype.F32)
		for i := range y {
			if math.Abs(float64(got[i]-y[i])) > 1e-5 {
				t.Errorf("%s: element %d = %v, want %v", spec.Name, i, got[i], y[i])
				break
			}
		}
		b, err := LoadBIR(matmulProgram(spec.Gen), spec)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Run(context.Background(), testInputs())
		if err != nil {
			t.Errorf("%s: BIR: %v", spec.Name, err)
		} else if !bytes.Equal(out["y"].Data, res.Outputs["y"].Data) {
			t.Errorf("%s: BIR in program order and NEFF on the clock differ", spec.Name)
		}
		s := res.Stats
		if s.TimeNs < 3000 || s.TimeNs > 20000 || s.HBMRead != 4*(128*256+128*128) || s.HBMWritten != 4*128*256 || s.SBUFPeak == 0 || s.PSUMPeak == 0 {
			t.Errorf("%s: implausible measurements %+v", spec.Name, s)
		}
	}
}

func TestStrippedProgramRunsTheSame(t *testing.T) {
	f := compile(t, machine.Trn2)
	a, err := run(f, machine.Trn2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Strip()
	b, err := run(f, machine.Trn2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Outputs["y"].Data, b.Outputs["y"].Data) || a.Stats.TimeNs != b.Stats.TimeNs {
		t.Errorf("stripping debug members changed the run: %v ns, then %v ns", a.Stats.TimeNs, b.Stats.TimeNs)
	}
}

// Deleting any one wait must be noticed: an error, another result, or another order of events.
func TestDeletedWaitIsNoticed(t *testing.T) {
	base, err := run(compile(t, machine.Trn2), machine.Trn2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	deleted, noticed := 0, 0
	for e := range neff.EngineOrder {
		n := len(compile(t, machine.Trn2).Subgraphs[0].Engines[e].Code)
		for pc := range n {
			f := compile(t, machine.Trn2)
			b := &f.Subgraphs[0].Engines[e].Code[pc]
			if b[4] == 0 {
				continue
			}
			if isa.Opcode(b[0]) != isa.OpEventSemaphore && b[6] == 0 {
				clear(b[8:12])
			}
			b[4], b[5] = 0, 0
			deleted++
			res, err := run(f, machine.Trn2, Options{})
			if err != nil || !bytes.Equal(res.Outputs["y"].Data, base.Outputs["y"].Data) || res.Stats.TimeNs != base.Stats.TimeNs {
				noticed++
			} else {
				t.Errorf("%s: deleting the wait of instruction %d changes nothing", neff.EngineOrder[e], pc)
			}
		}
	}
	if deleted < 4 {
		t.Errorf("only %d waits in the program", deleted)
	}
	t.Logf("%d waits deleted, %d noticed", deleted, noticed)
}

func TestFlippedOperandBitIsNoticed(t *testing.T) {
	base, err := run(compile(t, machine.Trn2), machine.Trn2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := compile(t, machine.Trn2)
	for _, e := range f.Subgraphs[0].Engines {
		for pc := range e.Code {
			if isa.Opcode(e.Code[pc][0]) != isa.OpTensorTensorArithOp {
				continue
			}
			e.Code[pc][0x20] ^= 8 // address of the first input
			res, err := run(f, machine.Trn2, Options{})
			if err == nil && bytes.Equal(res.Outputs["y"].Data, base.Outputs["y"].Data) {
				t.Error("flipping an address bit of the addition changes nothing")
			}
			return
		}
	}
	t.Fatal("no addition in the program")
}

func TestTraceHasNoOverlaps(t *testing.T) {
	res, err := run(compile(t, machine.Trn2), machine.Trn2, Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := WriteTrace(&buf, res.Slices); err != nil {
		t.Fatal(err)
	}
	var tr struct {
		TraceEvents []struct {
			Name    string
			Ph      string
			Tid     int
			Ts, Dur float64
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &tr); err != nil {
		t.Fatal(err)
	}
	end := map[int]float64{}
	n := 0
	evs := tr.TraceEvents
	sort.SliceStable(evs, func(i, j int) bool { return evs[i].Ts < evs[j].Ts })
	for _, e := range evs {
		if e.Ph != "X" {
			continue
		}
		n++
		if e.Ts < end[e.Tid]-1e-9 {
			t.Errorf("slice %q of track %d starts at %v, before %v", e.Name, e.Tid, e.Ts, end[e.Tid])
		}
		end[e.Tid] = e.Ts + e.Dur
	}
	if n < 8 {
		t.Errorf("only %d slices", n)
	}
}

func TestWrongTargetAndInputs(t *testing.T) {
	f := compile(t, machine.Trn2)
	if _, err := Load(f, machine.Trn1); err == nil {
		t.Error("a program for trn2 loads on trn1")
	}
	p, err := Load(f, machine.Trn2)
	if err != nil {
		t.Fatal(err)
	}
	in := testInputs()
	delete(in, "w")
	in["z"] = in["x"]
	if _, err := p.Run(context.Background(), in, Options{}); err == nil {
		t.Error("a missing and a surplus input are accepted")
	}
}
