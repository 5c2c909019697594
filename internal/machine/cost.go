package machine

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
)

// Class is a kind of work with one cost formula.
type Class uint8

const (
	Copy               Class = iota // one tensor in, one out
	DynamicCopy                     // copy whose address comes from a register or tensor
	TensorScalar                    // one tensor with scalars or [P,1] operands
	TensorTensor                    // two tensors
	ScalarTensorTensor              // tensor, scalar, tensor
	Scan                            // tensor_tensor_scan
	Reduce                          // along the free dimensions
	ScalarReduce                    // tensor_scalar with an accumulated result
	Cumulative                      // tensor_scalar_cumulative
	RangeSelect
	SelectReduce
	CopyPredicated
	Reciprocal
	BNStats
	BNAggregate
	Search8 // max8, find_index8, match_replace8
	BlockTranspose
	Shuffle
	Dropout
	Memset
	Random
	Exponential
	QuantizeMx
	RandomState
	Activation
	ActTableLoad
	ActReadAcc
	Iota
	AffineSelect
	LocalGather
	Gather
	PartitionReduce
	SequenceBounds
	NonzeroCount
	LoadStationary // tensor engine: first half of a matmul
	MultiplyMoving // second half
	RegisterOp     // sequencer
	BranchOp
	SemaphoreOp
	numClasses
)

// Work describes an instruction to the cost model. The zero values of In, In2 and their memories mean no such
// operand. Partitions do not matter: cost depends on what happens in each.
type Work struct {
	Engine   Engine
	Class    Class
	N        int64 // elements per partition of the largest operand; PE: free size of the moving operand
	M        int64 // PE: free size of the stationary operand
	In, In2  dtype.Type
	Out      dtype.Type
	InMem    Mem
	In2Mem   Mem
	OutMem   Mem
	Strided  bool  // an operand's innermost step is not 1
	StepByte int64 // largest innermost step in bytes over all operands
	// Fast says the operation is one for which the class has a fast path: TensorTensor add, subtract, mult;
	// Reduce add, max; ScalarTensorTensor (subtract, mult); Memset of zero.
	Fast      bool
	Power     bool // TensorTensor pow on GpSimd
	Rsqrt     bool // TensorScalar rsqrt on GpSimd
	ReadOut   bool // an accumulated result is written too
	OneZero   bool // PE: one operand holds only zeros and ones
	Transpose bool // PE: is_transpose
	ElemsIdx  int64
}

// Cost is what an instruction costs.
type Cost struct {
	II      float64 // ns until the engine may start its next independent instruction
	Latency float64 // ns until the result is visible
	Speed   int     // vector-engine speed mode: 1, 2 or 4
}

func size(t dtype.Type) int { return t.Size() }

func half(t dtype.Type) bool { return t == dtype.BF16 || t == dtype.F16 }

func fp8(t dtype.Type) bool { return t.IsFloat() && t.Size() == 1 }

// speed is the vector engine's mode for copies and tensor-scalar work (doc; the fp32 rule from the width table and a
// profile figure).
func (s *Spec) speed(w *Work) float64 {
	if s.Gen < Gen3 {
		return 1
	}
	narrow := func(t dtype.Type) bool { return half(t) || s.Gen >= Gen4 && fp8(t) }
	in := w.In
	if in == dtype.Invalid { // memset has no input
		in = w.Out
	}
	h := narrow(in) && narrow(w.Out)
	inPS, outPS := w.InMem == PSUMMem, w.OutMem == PSUMMem
	sb, mixed := !inPS && !outPS, inPS != outPS
	switch {
	case h && sb && !w.Strided:
		return 4
	case h && sb, h && !w.Strided && mixed, !h && sb && !w.Strided:
		return 2
	}
	return 1
}

// byWidth scales a per-element cost by GpSimd's port width: n for 32-bit, n/2 for 16-bit, n/4 for 8-bit operands.
func byWidth(n float64, ts ...dtype.Type) float64 {
	widest := 1
	for _, t := range ts {
		if t != dtype.Invalid {
			widest = max(widest, size(t))
		}
	}
	return n * min(1, float64(widest)/4)
}

// workCycles returns the throughput part of the cost in engine cycles, and the speed mode.
func (s *Spec) workCycles(w *Work) (cycles float64, speed int) {
	n := float64(w.N)
	sp := 1.0
	switch w.Class {
	case Copy, TensorScalar:
		switch w.Engine {
		case DVE:
			sp = s.speed(w)
			n /= sp
		case ACT:
			if s.Gen >= Gen4 && s.speed(w) >= 2 {
				sp, n = 2, n/2
			}
		case Pool:
			if w.Class == Copy {
				n = byWidth(n, w.In, w.Out)
			} else if w.Rsqrt {
				n *= 4
			}
		}
	case TensorTensor:
		if w.Engine == Pool {
			if w.Power {
				n *= 16
			} else {
				n = byWidth(2*n, w.In, w.In2, w.Out)
			}
			break
		}
		onePSUM := (w.InMem == PSUMMem) != (w.In2Mem == PSUMMem)
		same := w.In == dtype.BF16 && w.In2 == dtype.BF16 && w.Out == dtype.BF16
		if s.Gen >= Gen3 {
			same = half(w.In) && half(w.In2) && half(w.Out)
		} else {
			same = same && w.Fast && !w.Strided
		}
		if !onePSUM && !same {
			n *= 2
		}
	case ScalarTensorTensor:
		onePSUM := (w.InMem == PSUMMem) != (w.In2Mem == PSUMMem)
		if !onePSUM && !(w.In == dtype.BF16 && w.In2 == dtype.BF16 && w.Fast && w.N%2 == 0) {
			n *= 2
		}
	case SelectReduce, CopyPredicated:
		if (w.InMem == PSUMMem) == (w.In2Mem == PSUMMem) {
			n *= 2
		}
	case Scan:
		n *= 2
	case Reduce:
		if s.Gen < Gen3 && w.Fast && w.In == dtype.BF16 && w.Out == dtype.BF16 {
			n /= 2
		}
	case Reciprocal:
		n *= s.Timing.RecipW
	case BNAggregate:
		n = 13 * n / 3
	case Memset:
		switch {
		case w.Engine == Pool:
		case s.Gen >= Gen3:
			sp = s.speed(w)
			n /= sp
		case w.Fast && half(w.Out):
			n /= 2
		}
	case Random:
		if w.Engine == Pool {
			n *= 2
		} else if s.Gen >= Gen4 {
			n /= 4
		}
	case Exponential, QuantizeMx:
		n /= 4
	case RandomState:
		n = 64
	case ActReadAcc:
		n = s.Timing.ActReadAcc
	case LocalGather:
		e := float64(max(1, w.ElemsIdx))
		c := (28 + 4*e) / (4 * e) / min(4/float64(max(1, size(w.In))), e)
		n = n * e / c
	case Gather, SequenceBounds, NonzeroCount:
		n *= 4
	case PartitionReduce:
		n *= 8
	case LoadStationary:
		n = min(64, float64(w.M))
	}
	if w.StepByte > 16 { // the memory interface runs at half rate (doc gen2, applied to all)
		n *= 2
	}
	return math.Ceil(n), int(sp)
}

// passes returns how often the tensor engine streams the moving operand, and the cycles it needs per column.
func (s *Spec) passes(w *Work) (pairs, k float64) {
	if w.In != dtype.F32 && w.In2 != dtype.F32 {
		return 1, 1
	}
	if w.OneZero || w.Transpose && s.PE.ExactTranspose {
		return 1, 2
	}
	return 2, 2
}

// Cost returns the cost of an instruction. It is pure and allocates nothing.
func (s *Spec) Cost(w Work) Cost {
	t := &s.Timing
	switch w.Class {
	case RegisterOp:
		return Cost{t.TSeq, t.TSeq, 1}
	case BranchOp:
		return Cost{t.TBranch, t.TBranch, 1}
	case SemaphoreOp:
		return Cost{t.TSemOp, t.TSemOp, 1}
	case ActTableLoad:
		return Cost{t.ActTableLoad, t.ActTableLoad, 1}
	}
	cyc, sp := s.workCycles(&w)
	f := s.GHz(w.Engine)
	switch {
	case w.Class == LoadStationary:
		return Cost{max(t.MinII, cyc) / f, t.FixPELoad + cyc/f, 1}
	case w.Class == MultiplyMoving:
		pairs, k := s.passes(&w)
		one := max(t.MinII, k*cyc) / f
		if k == 1 {
			return Cost{one, t.FixPEMultiply + cyc/f, 1}
		}
		one += t.PEFP32Load
		return Cost{pairs * one, pairs*one + t.FixPEMultiply, 1}
	case w.Engine == Pool:
		ns := (t.FixPool + cyc) / f
		return Cost{ns, ns, 1}
	}
	fix, minII := t.FixDVE, t.MinII
	if w.Engine == ACT {
		fix = t.FixACT
	}
	if w.Class == DynamicCopy {
		minII = t.MinIIDynamic
	}
	ii := max(minII, cyc)
	if w.ReadOut {
		extra := t.MinII
		if w.Engine == ACT {
			extra = t.ActReadAcc
		}
		ii, cyc = ii+extra, cyc+extra
	}
	return Cost{ii / f, (fix + cyc) / f, sp}
}
