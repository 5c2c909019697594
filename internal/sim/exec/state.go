// Package exec holds what instructions do: the memories of one core and the effect of each instruction on them,
// bit for bit as the semantics specification says. It knows nothing of time; sim/timeline decides when an
// instruction runs.
//
//	st := exec.NewState(spec)
//	v := st.AddVar("x", 4096)          // a DRAM variable
//	err := st.Run(&exec.Instr{Op: bir.TensorCopy, In: []exec.Ref{src}, Out: []exec.Ref{dst}})
package exec

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// Space is a memory an operand lives in.
type Space uint8

const (
	SBUF Space = iota
	PSUM
	DRAM
)

func (s Space) String() string { return [...]string{"SBUF", "PSUM", "DRAM"}[s] }

// partitions is the number of rows of SBUF and PSUM on every generation.
const partitions = 128

// fill is what never-written on-chip memory holds: NaN in every float type that has one.
const fill = 0xFF

// bank is a two-dimensional on-chip memory: partitions x rowBytes, with a shadow bit per byte that tells
// whether the byte was ever written.
type bank struct {
	rowBytes int
	data     []byte
	written  bitset
	high     int // highest byte offset within a row ever written, plus one
}

func newBank(rowBytes int) *bank {
	b := &bank{rowBytes: rowBytes, data: make([]byte, partitions*rowBytes), written: newBitset(partitions * rowBytes)}
	for i := range b.data {
		b.data[i] = fill
	}
	return b
}

// Var is a DRAM variable. Pages the program never touches cost no memory: the buffers come zeroed from the
// operating system and are committed on first use.
type Var struct {
	Name    string
	Data    []byte
	written bitset
	Reads   int64 // bytes moved out of it
	Writes  int64 // bytes moved into it
}

// State is the memory and registers of one core.
type State struct {
	Gen machine.Gen
	// PartStride is the address distance between partitions in flat SBUF addresses: the hardware's, or more when
	// the memory is larger than the hardware's (unallocated BIR).
	PartStride int64
	sbuf       *bank
	psum       *bank
	Vars       []*Var // index = variable number - 1

	// psumAcc has a bit per byte of PSUM: set when the byte was written since the last START of its group.
	psumAcc bitset

	stationary  [partitions][partitions]float32 // [k][m] of the last Ldweights
	statBits    [partitions][partitions]uint32  // raw element bits, for exact transposes
	statK       int
	statM       int
	statRow     int
	statDT      dtype.Type
	statLoaded  bool
	actAcc      [partitions]float32 // Scalar engine accumulators
	dveAcc      [partitions]float32 // Vector engine accumulators
	shuffleMask [32]byte
	ActSet      int // resident activation table set, -1 none
	// ActSets are the sets the program may load; nil leaves residency unchecked (BIR before tables are placed).
	ActSets []*bir.ActSet

	scratch scratch
	matOut  []float32
	matIn   []float32
}

// NewState returns a core with empty memories.
func NewState(gen machine.Gen, sbufRowBytes, psumRowBytes int) *State {
	stride := int64(PartStride)
	for stride < int64(sbufRowBytes) {
		stride *= 2
	}
	return &State{
		Gen:        gen,
		PartStride: stride,
		sbuf:       newBank(sbufRowBytes),
		psum:       newBank(psumRowBytes),
		psumAcc:    newBitset(partitions * psumRowBytes),
		ActSet:     -1,
	}
}

// AddVar adds a DRAM variable of size bytes that nobody has written yet and returns its number.
func (s *State) AddVar(name string, size int64) int {
	s.Vars = append(s.Vars, &Var{Name: name, Data: make([]byte, size), written: newBitset(int(size))})
	return len(s.Vars)
}

// SetVar fills a variable from data (an input or constant); all its bytes count as written.
func (s *State) SetVar(v int, data []byte) error {
	w := s.Vars[v-1]
	if len(data) != len(w.Data) {
		return diag.Errorf(CodeVarSize, diag.Loc{}, "variable %s holds %d bytes, got %d", w.Name, len(w.Data), len(data))
	}
	copy(w.Data, data)
	w.written.set(0, len(data))
	return nil
}

// ReadVar returns a copy of a variable's bytes. A byte that was never written is an error.
func (s *State) ReadVar(v int) ([]byte, error) {
	w := s.Vars[v-1]
	if i := w.written.firstClear(0, len(w.Data)); i >= 0 {
		return nil, diag.Errorf(CodeUninit, diag.Loc{}, "output %s: byte %d of %d was never written", w.Name, i, len(w.Data))
	}
	return append([]byte(nil), w.Data...), nil
}

// Peak returns the highest byte offset in a partition that was ever written, plus one.
func (s *State) Peak(sp Space) int {
	if sp == SBUF {
		return s.sbuf.high
	}
	return s.psum.high
}

// Ref is a decoded operand: rows of bytes and an element walk within each row.
//
// On chip the rows are partitions Part..Part+NPart-1 and Off is the byte in the partition. In DRAM there is one
// row, the variable Var, and Off the byte in it. The walk is Dims, outermost first, steps in bytes.
type Ref struct {
	Space Space
	Part  int
	NPart int
	Var   int
	Off   int64
	DT    dtype.Type
	Size  int // bytes of an element
	Dims  []Walk
	N     int // elements in a row: the product of the counts
}

// Walk is one dimension of an element walk.
type Walk struct {
	Step  int64 // bytes
	Count int
}

// Rows returns the number of rows the operand covers.
func (r *Ref) Rows() int {
	if r.Space == DRAM {
		return 1
	}
	return r.NPart
}

// Extent returns the lowest and one past the highest byte offset in a row that the walk touches.
func (r *Ref) Extent() (lo, hi int64) {
	lo, hi = r.Off, r.Off
	for _, d := range r.Dims {
		s := d.Step * int64(d.Count-1)
		if s < 0 {
			lo += s
		} else {
			hi += s
		}
	}
	return lo, hi + int64(r.Size)
}

func (r *Ref) String() string {
	if r.Space == DRAM {
		return fmt.Sprintf("DRAM var %d byte %d", r.Var, r.Off)
	}
	return fmt.Sprintf("%s partitions %d..%d byte %d", r.Space, r.Part, r.Part+r.NPart-1, r.Off)
}

// Normalise fills N and Size and merges adjacent dimensions, so that a dense operand has one dimension.
func (r *Ref) Normalise() {
	r.N = 1
	for _, d := range r.Dims {
		r.N *= d.Count
	}
	if r.Size == 0 {
		r.Size = r.DT.Size()
	}
	out := r.Dims[:0:0]
	for _, d := range r.Dims {
		if d.Count == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Step == d.Step*int64(d.Count) {
			out[n-1] = Walk{d.Step, out[n-1].Count * d.Count}
			continue
		}
		out = append(out, d)
	}
	r.Dims = out
}

// dense reports whether the elements of a row are contiguous in walk order.
func (r *Ref) dense() bool {
	return len(r.Dims) == 0 || len(r.Dims) == 1 && r.Dims[0].Step == int64(r.Size)
}

// row returns the bytes of row i of the operand's memory, the whole partition or variable.
func (s *State) row(r *Ref, i int) ([]byte, *bitset, int) {
	switch r.Space {
	case DRAM:
		v := s.Vars[r.Var-1]
		return v.Data, &v.written, 0
	case PSUM:
		p := (r.Part + i) * s.psum.rowBytes
		return s.psum.data[p : p+s.psum.rowBytes], &s.psum.written, p
	default:
		p := (r.Part + i) * s.sbuf.rowBytes
		return s.sbuf.data[p : p+s.sbuf.rowBytes], &s.sbuf.written, p
	}
}

// check reports an operand that leaves its memory or breaks a placement rule.
func (s *State) check(r *Ref, what string) error {
	lo, hi := r.Extent()
	limit := int64(0)
	switch r.Space {
	case DRAM:
		if r.Var < 1 || r.Var > len(s.Vars) {
			return diag.Errorf(CodeBounds, diag.Loc{}, "%s: no DRAM variable %d (there are %d)", what, r.Var, len(s.Vars))
		}
		limit = int64(len(s.Vars[r.Var-1].Data))
	case PSUM:
		limit = int64(s.psum.rowBytes)
	default:
		limit = int64(s.sbuf.rowBytes)
	}
	if lo < 0 || hi > limit {
		return diag.Errorf(CodeBounds, diag.Loc{}, "%s: access out of bounds: bytes %d..%d of %s, which holds %d", what, lo, hi, r, limit)
	}
	if r.Space != DRAM {
		if r.NPart < 1 || r.NPart > partitions || r.Part < 0 || r.Part+r.NPart > partitions {
			return diag.Errorf(CodeBounds, diag.Loc{}, "%s: partitions %d..%d exceed the %d that exist", what, r.Part, r.Part+r.NPart-1, partitions)
		}
		if !startLegal(r.Part, r.NPart) {
			return diag.Errorf(CodeStartPartition, diag.Loc{}, "%s: illegal start partition %d for %d partitions", what, r.Part, r.NPart).
				WithHint("more than 64 partitions start at 0, more than 32 at 0 or 64, others at 0, 32, 64 or 96")
		}
	}
	return nil
}

// startLegal is the start-partition rule (machine.md A2, NKI documentation).
func startLegal(start, n int) bool {
	switch {
	case n > 64:
		return start == 0
	case n > 32:
		return start == 0 || start == 64
	}
	return start%32 == 0
}

// ShareVar makes variable a use the storage of variable b, which has the same size.
func (s *State) ShareVar(a, b int) { s.Vars[a-1] = s.Vars[b-1] }
