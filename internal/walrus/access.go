package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/walrus/region"
)

// partStep is the distance of neighbouring partitions in the byte space of an on-chip location: larger than any row
// and the step of the SBUF address map (machine.md 4.4).
const partStep = 0x40000

// access is one operand's use of a memory location.
type access struct {
	loc         *bir.MemLoc // root of its alias chain
	set         region.Set  // bytes, relative to the location
	read, write bool
	arg         *bir.AccessPattern
}

// rootLoc follows must-alias links: a donated input and its output are one storage.
func rootLoc(l *bir.MemLoc) *bir.MemLoc {
	for n := 0; l.Alias != nil && n < 8; n++ {
		l = l.Alias
	}
	return l
}

// apSet returns the bytes of a static pattern relative to its location's first byte. A run-time offset may reach any
// byte of the rows (of the location, in DRAM).
func apSet(p *bir.AccessPattern) region.Set {
	size := int64(p.DType.Size())
	onChip := p.Loc.Type != bir.DRAM
	if p.Reg != nil || p.Expr != nil {
		if !onChip {
			return region.New(0, p.Loc.Bytes(), nil)
		}
		return region.New(int64(p.Part)*partStep, p.Loc.PartitionBytes(), []region.Dim{{Step: partStep, Count: int64(max(1, p.NPart))}})
	}
	var buf [8]region.Dim
	dims := buf[:0]
	off := p.Offset * size
	if onChip {
		off += int64(p.Part) * partStep
		dims = append(dims, region.Dim{Step: partStep, Count: int64(max(1, p.NPart))})
	}
	for _, d := range p.Free {
		dims = append(dims, region.Dim{Step: d.Step * size, Count: d.Count})
	}
	return region.New(off, size, dims)
}

// readsOutput reports whether the instruction's first output is read as well as written (bir.md 12.3).
func readsOutput(in *bir.Instr) bool {
	switch a := in.Attrs.(type) {
	case *bir.MatmultAttrs:
		return a.AccFlags&bir.AccFlagStart == 0
	case *bir.DMAAttrs:
		return a.Op != bir.AluBypass
	}
	return in.Op == bir.CopyPredicated || in.Op == bir.IndirectSaveAccumulate
}

// accesses appends the memory uses of in.
func accesses(dst []access, in *bir.Instr) []access {
	for _, list := range [2][]bir.Arg{in.Ins, in.Indirect} {
		for i := range list {
			if a := &list[i]; a.Kind == bir.ArgAP {
				dst = append(dst, access{loc: rootLoc(a.AP.Loc), set: apSet(a.AP), read: true, arg: a.AP})
			}
		}
	}
	for i := range in.Outs {
		if a := &in.Outs[i]; a.Kind == bir.ArgAP {
			dst = append(dst, access{loc: rootLoc(a.AP.Loc), set: apSet(a.AP), read: i == 0 && readsOutput(in), write: true, arg: a.AP})
		}
	}
	// An indirect load or save reaches data the pattern does not show: any row of the indexed side.
	switch in.Op {
	case bir.IndirectLoad, bir.GenericIndirectLoad:
		widen(dst, in.Ins[0].AP)
	case bir.IndirectSave, bir.GenericIndirectSave, bir.IndirectSaveAccumulate:
		widen(dst, in.Outs[0].AP)
	}
	return dst
}

func widen(as []access, p *bir.AccessPattern) {
	for i := range as {
		if as[i].arg == p && p.Loc.Type == bir.DRAM {
			as[i].set = region.New(0, p.Loc.Bytes(), nil)
		}
	}
}

// state is an engine-private resource that instructions hand over without a memory location.
type state uint8

const (
	noState state = iota
	actAcc        // ACT accumulators
	dveAcc        // DVE accumulators
	rngState
)

// engineState tells which private state an instruction reads and writes.
func engineState(in *bir.Instr) (st state, read, write bool) {
	acc := func(s state, a bir.AccType) (state, bool, bool) {
		if a == bir.AccIdle {
			return noState, false, false
		}
		return s, a == bir.AccAddAccumulate || a == bir.AccAccumulate, true
	}
	switch a := in.Attrs.(type) {
	case *bir.ActivationAttrs:
		return acc(actAcc, a.Acc)
	case *bir.TensorScalarPtrAttrs:
		return acc(dveAcc, a.Acc)
	case *bir.TensorScalarCacheAttrs:
		return acc(dveAcc, a.Acc)
	case *bir.CopyPredicatedAttrs:
		return acc(dveAcc, a.Acc)
	case *bir.RangeSelectAttrs:
		return acc(dveAcc, a.Acc)
	case *bir.ExponentialAttrs:
		return acc(dveAcc, a.Acc)
	case *bir.MemsetAttrs:
		if a.Mode == bir.MemsetRandom {
			return rngState, true, true
		}
	}
	switch in.Op {
	case bir.ReadActivationAccumulator, bir.ActivationReadAccumulator:
		return actAcc, true, false
	case bir.DveReadAccumulator:
		return dveAcc, true, false
	case bir.Rng, bir.Rand2, bir.RandSetState, bir.RandGetState, bir.SetRandState, bir.GetRandState, bir.Dropout:
		return rngState, true, true
	}
	return noState, false, false
}

// isDMA reports whether the instruction moves data on the DMA queues.
func isDMA(in *bir.Instr) bool {
	switch in.Op {
	case bir.Load, bir.Save, bir.DMACopy, bir.IndirectLoad, bir.IndirectSave:
		return true
	}
	return false
}

// isMatmul reports whether the instruction belongs to the matmul family.
func isMatmul(in *bir.Instr) bool {
	switch in.Op {
	case bir.Matmult, bir.MatmultSparse, bir.MatmultMx:
		return true
	}
	return false
}

// isSequencer reports whether the instruction completes in the sequencer, with no data path behind it.
func isSequencer(in *bir.Instr) bool {
	switch in.Op {
	case bir.RegisterAlu, bir.RegisterMove, bir.TensorLoad, bir.NoOp, bir.EventSemaphore, bir.GroupResetSemaphores, bir.AllEngineBarrier,
		bir.Drain, bir.Halt, bir.CompareAndBranch, bir.UnconditionalBranch, bir.BranchHint, bir.Return, bir.Exit, bir.DMATrigger, bir.LoadActFuncSet:
		return true
	}
	return false
}

var dataEngines = [...]machine.Engine{machine.PE, machine.ACT, machine.Pool, machine.DVE, machine.SP}
