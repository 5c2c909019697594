package exec

import (
	"math"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// tile is a dense SBUF operand of n float32 elements per partition at byte off.
func tile(sp Space, parts, n int, off int64, dt dtype.Type) Ref {
	r := Ref{Space: sp, NPart: parts, Off: off, DT: dt, Dims: []Walk{{int64(dt.Size()), n}}}
	r.Normalise()
	return r
}

func put(t *testing.T, s *State, r Ref, f func(p, i int) float32) {
	t.Helper()
	row := make([]float32, r.N)
	for p := range r.Rows() {
		for i := range row {
			row[i] = f(p, i)
		}
		if err := s.storeF32(row, &r, p); err != nil {
			t.Fatal(err)
		}
	}
}

func get(t *testing.T, s *State, r Ref) [][]float32 {
	t.Helper()
	out := make([][]float32, r.Rows())
	for p := range out {
		out[p] = make([]float32, r.N)
		if err := s.loadF32(out[p], &r, p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func newTest() *State { return NewState(machine.Gen3, 4096, 16384) }

func TestVectorInstructions(t *testing.T) {
	a := tile(SBUF, 4, 6, 0, dtype.F32)
	b := tile(SBUF, 4, 6, 256, dtype.F32)
	out := tile(SBUF, 4, 6, 512, dtype.F32)
	one := tile(SBUF, 4, 1, 1024, dtype.F32)
	av := func(p, i int) float32 { return float32(p) + 0.5*float32(i) }
	bv := func(p, i int) float32 { return float32(i) - 2 }
	imm := func(v float32) Scalar { return Scalar{Kind: Immediate, Value: math.Float32bits(v)} }
	for _, c := range []struct {
		name string
		in   Instr
		want func(p, i int) float32
	}{
		{"add", Instr{Op: bir.TensorTensor, Engine: machine.DVE, In: []Ref{a, b}, Out: []Ref{out}, Alu: [2]bir.AluOp{bir.AluAdd}},
			func(p, i int) float32 { return av(p, i) + bv(p, i) }},
		{"mult then reversed subtract", Instr{Op: bir.TensorScalarPtr, Engine: machine.DVE, In: []Ref{a}, Out: []Ref{out},
			Alu: [2]bir.AluOp{bir.AluMult, bir.AluSubtract}, Rev: [2]bool{false, true}, S: [3]Scalar{imm(2), imm(1)}},
			func(p, i int) float32 { return 1 - 2*av(p, i) }},
		{"pointer scalar", Instr{Op: bir.TensorScalarPtr, Engine: machine.DVE, In: []Ref{a}, Out: []Ref{out},
			Alu: [2]bir.AluOp{bir.AluAdd, bir.AluBypass}, S: [3]Scalar{{Kind: Pointer, Ptr: one}}},
			func(p, i int) float32 { return av(p, i) + float32(10*p) }},
		{"scalar tensor tensor", Instr{Op: bir.TensorScalarPtr, Engine: machine.DVE, Mode: ScalarTensorTensor, In: []Ref{a, b}, Out: []Ref{out},
			Alu: [2]bir.AluOp{bir.AluMult, bir.AluAdd}, S: [3]Scalar{imm(3)}},
			func(p, i int) float32 { return av(p, i)*3 + bv(p, i) }},
		{"scan", Instr{Op: bir.TensorScalarPtr, Engine: machine.DVE, Mode: TensorTensorScan, In: []Ref{a, b}, Out: []Ref{out},
			Alu: [2]bir.AluOp{bir.AluBypass, bir.AluAdd}, S: [3]Scalar{imm(0)}},
			func(p, i int) float32 { return av(p, i) + bv(p, i) }},
		{"activation with scale and bias", Instr{Op: bir.Activation, Engine: machine.ACT, In: []Ref{a}, Out: []Ref{out}, Func: bir.ActRelu,
			S: [3]Scalar{imm(-1), imm(1)}},
			func(p, i int) float32 { return max(0, 1-av(p, i)) }},
		{"compare", Instr{Op: bir.TensorTensor, Engine: machine.DVE, In: []Ref{a, b}, Out: []Ref{out}, Alu: [2]bir.AluOp{bir.AluIsGT}},
			func(p, i int) float32 { return b2f(av(p, i) > bv(p, i)) }},
		{"iota", Instr{Op: bir.Iota, Engine: machine.Pool, Out: []Ref{out}, Base: 5, ChanMul: 100, Pattern: []Walk{{10, 2}, {1, 3}}},
			func(p, i int) float32 { return float32(5 + 100*p + i/3*10 + i%3) }},
		{"affine select", Instr{Op: bir.TensorScalarAffineSelect, Engine: machine.Pool, In: []Ref{a}, Out: []Ref{out}, ChanMul: 1,
			Pattern: []Walk{{-1, 6}}, Alu: [2]bir.AluOp{bir.AluIsGE}, Fill: math.Float32bits(-9)},
			func(p, i int) float32 {
				if p >= i {
					return av(p, i)
				}
				return -9
			}},
	} {
		s := newTest()
		put(t, s, a, av)
		put(t, s, b, bv)
		put(t, s, one, func(p, _ int) float32 { return float32(10 * p) })
		if err := s.Run(&c.in); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for p, row := range get(t, s, out) {
			for i, v := range row {
				if w := c.want(p, i); v != w {
					t.Errorf("%s: [%d, %d] = %v, want %v", c.name, p, i, v, w)
				}
			}
		}
	}
}

func TestReduceAndPartitionReduce(t *testing.T) {
	s := newTest()
	a := tile(SBUF, 4, 6, 0, dtype.F32)
	put(t, s, a, func(p, i int) float32 { return float32(p*10 + i) })
	out := tile(SBUF, 4, 2, 512, dtype.F32)
	if err := s.Run(&Instr{Op: bir.TensorReduce, Engine: machine.DVE, In: []Ref{a}, Out: []Ref{out}, Alu: [2]bir.AluOp{bir.AluMax}, Axes: 3, Negate: true}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, out); got[1][0] != -12 || got[1][1] != -15 {
		t.Errorf("row 1 = %v, want [-12 -15]", got[1])
	}
	sum := tile(SBUF, 1, 6, 1024, dtype.F32)
	if err := s.Run(&Instr{Op: bir.TensorReduce, Engine: machine.Pool, In: []Ref{a}, Out: []Ref{sum}, Alu: [2]bir.AluOp{bir.AluAdd}, Axes: AxesPartition}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, sum); got[0][2] != 68 {
		t.Errorf("sum over partitions = %v, want 68 at 2", got[0])
	}
}

func TestMatmultAccumulates(t *testing.T) {
	s := newTest()
	st := tile(SBUF, 3, 2, 0, dtype.F32)  // [K=3, M=2]
	mv := tile(SBUF, 3, 4, 64, dtype.F32) // [K=3, N=4]
	ps := tile(PSUM, 2, 4, 0, dtype.F32)
	put(t, s, st, func(p, i int) float32 { return float32(p + 2*i) })
	put(t, s, mv, func(p, i int) float32 { return float32(p*i + 1) })
	for k, flags := range []uint8{AccStart, AccStop} {
		if err := s.Run(&Instr{Op: bir.Matmult, Engine: machine.PE, In: []Ref{mv, st}, Out: []Ref{ps}, AccFlags: flags}); err != nil {
			t.Fatal(err)
		}
		for m, row := range get(t, s, ps) {
			for n, v := range row {
				w := float32(0)
				for p := range 3 {
					w += float32(p+2*m) * float32(p*n+1)
				}
				if w *= float32(k + 1); v != w {
					t.Errorf("after %d: [%d, %d] = %v, want %v", k+1, m, n, v, w)
				}
			}
		}
	}
	err := s.Run(&Instr{Op: bir.Matmult, Engine: machine.PE, In: []Ref{mv, st}, Out: []Ref{tile(PSUM, 2, 4, 2048, dtype.F32)}, AccFlags: AccAccumulate})
	if diag.Code(err) != CodePSUMGroup {
		t.Errorf("accumulating onto fresh PSUM: %v, want %s", err, CodePSUMGroup)
	}
}

func TestFaults(t *testing.T) {
	a := tile(SBUF, 4, 6, 0, dtype.F32)
	out := tile(SBUF, 4, 6, 512, dtype.F32)
	copyOf := func(in, out Ref, e machine.Engine) *Instr {
		return &Instr{Op: bir.TensorCopy, Engine: e, In: []Ref{in}, Out: []Ref{out}}
	}
	bad := func(r Ref, f func(*Ref)) Ref { f(&r); return r }
	for _, c := range []struct {
		name, code string
		in         *Instr
	}{
		{"uninitialised", CodeUninit, copyOf(tile(SBUF, 4, 6, 2048, dtype.F32), out, machine.DVE)},
		{"out of bounds", CodeBounds, copyOf(a, bad(out, func(r *Ref) { r.Off = 4090 }), machine.DVE)},
		{"start partition", CodeStartPartition, copyOf(bad(a, func(r *Ref) { r.Part = 5 }), out, machine.DVE)},
		{"pool in PSUM", CodeEngineMemory, copyOf(a, tile(PSUM, 4, 6, 0, dtype.F32), machine.Pool)},
		{"element counts", CodeShape, copyOf(a, tile(SBUF, 4, 5, 512, dtype.F32), machine.DVE)},
	} {
		s := newTest()
		put(t, s, a, func(p, i int) float32 { return 1 })
		if err := s.Run(c.in); diag.Code(err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
}

func TestTransferCastsAndChecks(t *testing.T) {
	s := newTest()
	v := s.AddVar("x", 16)
	if err := s.SetVar(v, []byte{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64}); err != nil { // 1 2 3 4
		t.Fatal(err)
	}
	// Two partitions, two elements each, transposed on the way and rounded to bf16.
	x := &Xfer{Src: Flat{Space: DRAM, Var: v, DT: dtype.F32, Dims: []Walk{{4, 2}, {8, 2}}},
		Dst: Flat{DT: dtype.BF16, Dims: []Walk{{PartStride, 2}, {2, 2}}}}
	if err := s.Transfer(x); err != nil {
		t.Fatal(err)
	}
	got := get(t, s, tile(SBUF, 2, 2, 0, dtype.BF16))
	if got[0][0] != 1 || got[0][1] != 3 || got[1][0] != 2 || got[1][1] != 4 {
		t.Errorf("got %v, want [[1 3] [2 4]]", got)
	}
	x.Src.Off = 8
	if err := s.Transfer(x); diag.Code(err) != CodeBounds {
		t.Errorf("transfer past the end: %v", err)
	}
}
