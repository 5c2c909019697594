package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// kernels is the dispatch table of data-path instructions. Control instructions (registers, branches, semaphores)
// belong to the sequencer and are not here.
var kernels = map[bir.Opcode]func(*State, *Instr) error{}

func register(op bir.Opcode, f func(*State, *Instr) error) { kernels[op] = f }

// Supports reports whether op has a kernel.
func Supports(op bir.Opcode) bool { return kernels[op] != nil }

// Run executes one data-path instruction. Errors carry a code; the caller adds the source location.
func (s *State) Run(in *Instr) error {
	f := kernels[in.Op]
	if f == nil {
		return diag.Errorf(CodeUnsupported, diag.Loc{}, "the simulator does not execute %s", in.Op)
	}
	for i := range in.In {
		if err := s.checkOperand(in, &in.In[i], "input"); err != nil {
			return err
		}
	}
	for i := range in.Out {
		if err := s.checkOperand(in, &in.Out[i], "output"); err != nil {
			return err
		}
	}
	for i := range in.S {
		if in.S[i].Kind == Pointer {
			if err := s.checkOperand(in, &in.S[i].Ptr, "scalar operand"); err != nil {
				return err
			}
		}
	}
	return f(s, in)
}

func (s *State) checkOperand(in *Instr, r *Ref, what string) error {
	if r.Space == PSUM && (in.Engine == machine.Pool || in.Engine == machine.DMA) {
		return diag.Errorf(CodeEngineMemory, diag.Loc{}, "%s: %s cannot access PSUM", what, in.Engine)
	}
	if r.Space == DRAM && in.Engine != machine.DMA {
		return diag.Errorf(CodeEngineMemory, diag.Loc{}, "%s: %s cannot access DRAM", what, in.Engine)
	}
	return s.check(r, what)
}

// operands checks the operand counts of an instruction.
func operands(in *Instr, ins, outs int) error {
	if len(in.In) < ins || len(in.Out) < outs {
		return diag.Errorf(CodeOperand, diag.Loc{}, "%s: needs %d inputs and %d outputs, has %d and %d", in.Op, ins, outs, len(in.In), len(in.Out))
	}
	return nil
}

// sameShape checks that operands cover the same partitions and elements.
func sameShape(in *Instr, rs ...*Ref) error {
	for _, r := range rs[1:] {
		if r.N != rs[0].N {
			return diag.Errorf(CodeShape, diag.Loc{}, "%s: operands have %d and %d elements per partition", in.Op, rs[0].N, r.N)
		}
		if r.Rows() != rs[0].Rows() {
			return diag.Errorf(CodeShape, diag.Loc{}, "%s: partition count mismatch: %d and %d", in.Op, rs[0].Rows(), r.Rows())
		}
	}
	return nil
}

// scalar returns the value of operand k for partition p as float32.
func (s *State) scalar(sc *Scalar, p int) (float32, error) {
	switch sc.Kind {
	case Immediate, Register:
		return math.Float32frombits(sc.Value), nil
	case Pointer:
		var v [1]float32
		if p >= sc.Ptr.NPart {
			return 0, diag.Errorf(CodeShape, diag.Loc{}, "scalar operand covers %d partitions, partition %d needed", sc.Ptr.NPart, p)
		}
		err := s.loadF32(v[:], &sc.Ptr, p)
		return v[0], err
	}
	return 0, nil
}

// scalarBits is scalar for bit operations: the raw pattern.
func (s *State) scalarBits(sc *Scalar, p int) (uint32, error) {
	switch sc.Kind {
	case Immediate, Register:
		return sc.Value, nil
	case Pointer:
		var v [1]uint32
		err := s.loadBits(v[:], &sc.Ptr, p, false)
		return v[0], err
	}
	return 0, nil
}

// overlaps reports whether writing out row by row could destroy input rows that are still to be read: the two
// share memory but not row for row.
func overlaps(a, out *Ref) bool {
	if a.Space != out.Space {
		return false
	}
	alo, ahi := a.Extent()
	olo, ohi := out.Extent()
	if ahi <= olo || ohi <= alo {
		return false
	}
	if a.Space == DRAM {
		return a.Var == out.Var
	}
	if a.Part == out.Part {
		return false // row i reads and writes row i only
	}
	return a.Part < out.Part+out.NPart && out.Part < a.Part+a.NPart
}

// eachRow runs f for every row and stores the float32 results it leaves in dst. When the output overlaps an input
// across rows, all rows are computed before the first is written.
func (s *State) eachRow(in *Instr, out *Ref, n int, f func(p int, dst []float32) error) error {
	staged := false
	for i := range in.In {
		staged = staged || overlaps(&in.In[i], out)
	}
	if !staged {
		dst := s.scratch.floats(0, n)
		for p := range out.Rows() {
			if err := f(p, dst); err != nil {
				return err
			}
			if err := s.storeF32(dst, out, p); err != nil {
				return err
			}
		}
		return nil
	}
	all := make([]float32, n*out.Rows())
	for p := range out.Rows() {
		if err := f(p, all[p*n:(p+1)*n]); err != nil {
			return err
		}
	}
	for p := range out.Rows() {
		if err := s.storeF32(all[p*n:(p+1)*n], out, p); err != nil {
			return err
		}
	}
	return nil
}

// eachRowBytes is eachRow for raw bytes.
func (s *State) eachRowBytes(in *Instr, out *Ref, f func(p int, dst []byte) error) error {
	staged := false
	for i := range in.In {
		staged = staged || overlaps(&in.In[i], out)
	}
	n := out.N * out.Size
	if !staged {
		dst := s.scratch.bytes(1, n)
		for p := range out.Rows() {
			if err := f(p, dst); err != nil {
				return err
			}
			s.scatter(dst, out, p)
		}
		return nil
	}
	all := make([]byte, n*out.Rows())
	for p := range out.Rows() {
		if err := f(p, all[p*n:(p+1)*n]); err != nil {
			return err
		}
	}
	for p := range out.Rows() {
		s.scatter(all[p*n:(p+1)*n], out, p)
	}
	return nil
}
