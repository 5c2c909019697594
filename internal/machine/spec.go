package machine

import (
	"sort"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// NumEngines is the number of Engine values, for arrays indexed by engine.
const NumEngines = int(AllEngines) + 1

// Spec describes one generation. Treat the values as constants.
type Spec struct {
	Gen       Gen
	Name      string // the target name users type: trn1, trn2, trn3
	Core      string // NeuronCore-v2, ...
	ArchLevel int    // BIR's number
	Arch      string // BIR's canonical name
	Aliases   []string

	SBUF SBUF
	PSUM PSUM
	HBM  HBM
	PE   TensorArray

	DMAEngines   int // engines paired with a core
	DMAQueues    int // rings of one engine
	DGEUnits     int // hardware descriptor generators
	MaxDescBytes int64
	MaxDMADims   int // dimensions of an access pattern in a descriptor, without the partition

	Semaphores    int // counting semaphores the compiler may use: ids 0 .. Semaphores-1
	Events        int
	Registers     int // registers per sequencer the compiler may use
	ReorderWindow [NumEngines]int

	ExclusivePorts bool // DVE and GpSimd exclude each other on SBUF, DVE and ACT on PSUM
	MaxLNC         int
	CoresPerChip   int

	Timing Timing
}

// SBUF is the state buffer.
type SBUF struct {
	Partitions        int
	BytesPerPartition int // physical size
	Reserved          int // bytes at the top of each partition for the runtime
	Stride            int // address distance between partitions
}

// Usable is what an allocator may use of a partition.
func (s SBUF) Usable() int { return s.BytesPerPartition - s.Reserved }

// PSUM is the accumulator memory of the tensor engine.
type PSUM struct {
	Partitions     int
	Banks          int
	BankBytes      int
	Stride         int
	Base           uint32 // first engine-local address
	MaxMatmulBanks int    // banks one matmul may write
}

// BytesPerPartition is the physical size.
func (p PSUM) BytesPerPartition() int { return p.Banks * p.BankBytes }

// HBM is the device memory of one compiled core.
type HBM struct {
	Bytes           int64   // capacity of a compiled core
	StackBytesPerNs float64 // bandwidth of the stack the core uses
	CoresPerStack   int
}

// TensorArray is the systolic array of the tensor engine.
type TensorArray struct {
	Rows, Cols     int
	MaxStationary  int // free size of the stationary operand
	MaxMoving      int // free size of the moving operand that fills one PSUM bank in fp32
	MinTile        int // smallest row or column tile
	DoubleRow      bool
	ExactTranspose bool // is_transpose passes bits through
}

// The generations.
var (
	Trn1 = &trn1
	Trn2 = &trn2
	Trn3 = &trn3
)

// All returns the code-generation targets, oldest first.
func All() []*Spec { return []*Spec{Trn1, Trn2, Trn3} }

// ByGen returns the specification of a generation, or nil.
func ByGen(g Gen) *Spec {
	for _, s := range All() {
		if s.Gen == g {
			return s
		}
	}
	return nil
}

// CodeTarget is the diagnostic code of an unusable target name.
const CodeTarget = "DRV020"

// notTargets are generations that exist by name only.
var notTargets = []string{"tonga", "inferentia", "inf1", "gen1", "core_v5", "gen5", "trn4"}

// Lookup returns the specification called name, in any case and under any alias.
func Lookup(name string) (*Spec, error) {
	n := strings.ToLower(name)
	for _, s := range All() {
		if n == s.Name {
			return s, nil
		}
		for _, a := range s.Aliases {
			if n == a {
				return s, nil
			}
		}
	}
	for _, a := range notTargets {
		if n == a {
			return nil, diag.Errorf(CodeTarget, diag.Loc{}, "architecture %s is not a code-generation target", name).WithHint("targets are trn1, trn2 and trn3")
		}
	}
	return nil, diag.Errorf(CodeTarget, diag.Loc{}, "unknown architecture %q", name).WithHint("targets are trn1, trn2 and trn3")
}

// Names returns every accepted target name, sorted.
func Names() []string {
	var out []string
	for _, s := range All() {
		out = append(out, s.Name)
		out = append(out, s.Aliases...)
	}
	sort.Strings(out)
	return out
}

// GHz returns the clock of an engine.
func (s *Spec) GHz(e Engine) float64 {
	switch e {
	case PE:
		return s.Timing.FPE
	case DVE:
		return s.Timing.FDVE
	case ACT:
		return s.Timing.FACT
	case Pool:
		return s.Timing.FPool
	}
	return s.Timing.FCore
}

// peRate is the throughput of the tensor engine relative to bfloat16.
func (s *Spec) peRate(t dtype.Type) float64 {
	switch t {
	case dtype.F32:
		return 0.25
	case dtype.F8E4M3, dtype.F8E5M2, dtype.F8E4M3FN:
		if s.PE.DoubleRow {
			return 2
		}
	}
	return 1
}

// PeakFLOPs returns the peak multiply-accumulate rate of the tensor engine in floating-point operations a
// nanosecond for operands of type t (doc: 2 x 128 x 128 x clock x rate of the type).
func (s *Spec) PeakFLOPs(t dtype.Type) float64 {
	return 2 * float64(s.PE.Rows*s.PE.Cols) * s.Timing.FPE * s.peRate(t)
}

// HBMBandwidth returns the bytes a nanosecond one core can move to and from HBM: what its DMA engines carry, or the
// stack if that is less.
func (s *Spec) HBMBandwidth() float64 {
	return min(s.HBM.StackBytesPerNs, float64(s.DMAEngines)*s.Timing.BwDMA)
}

// Roofline returns the least time in ns for a program with the given operations and boundary bytes.
func (s *Spec) Roofline(flops float64, t dtype.Type, bytes float64) float64 {
	return max(flops/s.PeakFLOPs(t), bytes/s.HBMBandwidth())
}
