package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// cost is what scheduling needs of an instruction, in picoseconds: integers keep schedules identical on every host.
type cost struct {
	busy    int64 // until the engine may issue its next instruction
	latency int64 // until the result is visible
	dma     int64 // DMA: time the busiest ring is occupied
}

func ps(ns float64) int64 { return int64(ns*1000 + 0.5) }

// classOf maps opcodes to cost classes; the operand-dependent ones are in workOf.
var classOf = map[bir.Opcode]machine.Class{
	bir.Activation: machine.Activation, bir.ReadActivationAccumulator: machine.ActReadAcc, bir.ActivationReadAccumulator: machine.ActReadAcc,
	bir.LoadActFuncSet: machine.ActTableLoad, bir.Memset: machine.Memset, bir.Pool: machine.Reduce, bir.Reciprocal: machine.Reciprocal,
	bir.TensorCopy: machine.Copy, bir.TensorCopyDynamicSrc: machine.DynamicCopy, bir.TensorCopyDynamicDst: machine.DynamicCopy,
	bir.IndirectCopy: machine.LocalGather, bir.TensorReduce: machine.Reduce, bir.TensorScalar: machine.TensorScalar,
	bir.TensorScalarPtr: machine.TensorScalar, bir.TensorScalarCache: machine.Cumulative, bir.TensorTensor: machine.TensorTensor,
	bir.BNStats: machine.BNStats, bir.BNStatsAggregate: machine.BNAggregate, bir.BNGradients: machine.BNStats, bir.BNBackprop: machine.BNStats,
	bir.BNBackprop2: machine.BNStats, bir.StreamShuffle: machine.Shuffle, bir.StreamTranspose: machine.BlockTranspose,
	bir.CopyPredicated: machine.CopyPredicated, bir.Iota: machine.Iota, bir.TensorScalarAffineSelect: machine.AffineSelect,
	bir.RangeSelect: machine.RangeSelect, bir.GetSequenceBounds: machine.SequenceBounds, bir.Dropout: machine.Dropout,
	bir.Max: machine.Search8, bir.MaxIndex: machine.Search8, bir.MatchReplace: machine.Search8, bir.MaxIndexAndMatchReplace: machine.Search8,
	bir.Gather: machine.Gather, bir.QuantizeMx: machine.QuantizeMx, bir.Rng: machine.Random, bir.Rand2: machine.Random,
	bir.GetRandState: machine.RandomState, bir.SetRandState: machine.RandomState, bir.RandSetState: machine.RandomState,
	bir.RandGetState: machine.RandomState, bir.DveReadAccumulator: machine.ActReadAcc, bir.Exponential: machine.Exponential,
	bir.NonzeroWithCount: machine.NonzeroCount, bir.RegisterAlu: machine.RegisterOp, bir.RegisterMove: machine.RegisterOp,
	bir.TensorLoad: machine.RegisterOp, bir.TensorSave: machine.RegisterOp, bir.NoOp: machine.RegisterOp, bir.Drain: machine.SemaphoreOp,
	bir.EventSemaphore: machine.SemaphoreOp, bir.GroupResetSemaphores: machine.SemaphoreOp,
	bir.CompareAndBranch: machine.BranchOp, bir.UnconditionalBranch: machine.BranchOp,
}

func memOf(p *bir.AccessPattern) machine.Mem {
	switch p.Loc.Type {
	case bir.PSUM:
		return machine.PSUMMem
	case bir.SB:
		return machine.SBUFMem
	}
	return machine.DRAMMem
}

// workOf describes a data-path instruction to the machine's cost model.
func workOf(in *bir.Instr) machine.Work {
	w := machine.Work{Engine: in.Engine, Class: classOf[in.Op]}
	operand := func(p *bir.AccessPattern) {
		w.N = max(w.N, p.Elems())
		for k := len(p.Free) - 1; k >= 0; k-- {
			if p.Free[k].Count > 1 {
				s := p.Free[k].Step
				if s < 0 {
					s = -s
				}
				w.Strided = w.Strided || s != 1
				w.StepByte = max(w.StepByte, s*int64(p.DType.Size()))
				break
			}
		}
	}
	tensors := 0
	for i := range in.Ins {
		a := &in.Ins[i]
		if a.Kind != bir.ArgAP {
			continue
		}
		if i > 0 && a.AP.Elems() == 1 && in.Op != bir.TensorTensor {
			continue // a [P,1] operand
		}
		operand(a.AP)
		switch tensors {
		case 0:
			w.In, w.InMem = a.AP.DType, memOf(a.AP)
		case 1:
			w.In2, w.In2Mem = a.AP.DType, memOf(a.AP)
		}
		tensors++
	}
	for i := range in.Outs {
		if a := &in.Outs[i]; a.Kind == bir.ArgAP {
			if i == 0 {
				operand(a.AP)
				w.Out, w.OutMem = a.AP.DType, memOf(a.AP)
			} else {
				w.ReadOut = true
			}
		}
	}
	fast := func(op bir.AluOp) bool { return op == bir.AluAdd || op == bir.AluSubtract || op == bir.AluMult }
	switch a := in.Attrs.(type) {
	case *bir.TensorTensorAttrs:
		w.Fast, w.Power = fast(a.Op), a.Op == bir.AluPow
	case *bir.TensorScalarPtrAttrs:
		switch {
		case a.TensorTensorScan:
			w.Class = machine.Scan
		case a.ScalarTensorTensor:
			w.Class, w.Fast = machine.ScalarTensorTensor, a.Op0 == bir.AluSubtract && a.Op1 == bir.AluMult
		case a.Acc != bir.AccIdle:
			w.Class = machine.ScalarReduce
		}
		w.Rsqrt = a.Op0 == bir.AluRsqrt || a.Op1 == bir.AluRsqrt
	case *bir.TensorScalarAttrs:
		w.Rsqrt = a.Op0 == bir.AluRsqrt || a.Op1 == bir.AluRsqrt
	case *bir.TensorReduceAttrs:
		if a.Axis == bir.AxisC || a.Axis == bir.AxisXYZWC {
			w.Class = machine.PartitionReduce
		}
		w.Fast = a.Op == bir.AluAdd || a.Op == bir.AluMax
	case *bir.MemsetAttrs:
		if a.Mode == bir.MemsetRandom {
			w.Class = machine.Random
		}
		w.Fast = a.Constant == 0
	case *bir.CopyPredicatedAttrs:
		if len(in.Ins) > 2 || a.Acc != bir.AccIdle {
			w.Class = machine.SelectReduce
		}
	}
	return w
}

// sideOf describes one operand of a DMA to the cost model.
func sideOf(p *bir.AccessPattern) machine.DMASide {
	size := int64(p.DType.Size())
	s := machine.DMASide{RunBytes: size, Runs: 1, OnChip: p.Loc.Type != bir.DRAM}
	run := true
	for k := len(p.Free) - 1; k >= 0; k-- {
		d := p.Free[k]
		if d.Count == 1 {
			continue
		}
		if run && d.Step*size == s.RunBytes {
			s.RunBytes *= d.Count
			continue
		}
		run = false
		s.Runs *= d.Count
	}
	if s.OnChip {
		s.Partitions = max(1, p.NPart)
		s.FirstPartition = p.Loc.Base + p.Part
		s.Runs *= int64(s.Partitions)
	}
	return s
}

// costOf returns the cost of an instruction on its engine. Ldweights are hidden behind the previous matmul.
func (u *unit) costOf(in *bir.Instr) cost {
	t := &u.spec.Timing
	switch {
	case isDMA(in):
		shape := machine.DMAShape{Src: sideOf(in.Ins[0].AP), Dst: sideOf(in.Outs[0].AP)}
		mode, trig := machine.StaticDGE, t.TTrigStatic
		if a := in.Attrs.(*bir.DMAAttrs); a.DGE == bir.DGESWDGE {
			mode, trig = machine.SoftwareDGE, t.DGESwBase
		} else if a.DGE == bir.DGEHWDGE {
			mode, trig = machine.HardwareDGE, t.TTrigHw
		}
		c := u.spec.DMACost(shape, mode)
		// The rings share the transfer evenly whatever the partitions: the descriptors are ours to deal out.
		busy := float64(u.spec.Descriptors(shape)) / float64(u.spec.DMAEngines) * (max(float64(shape.Bytes())/float64(u.spec.Descriptors(shape)), t.DescMin)/t.BwDMA + t.DescOvh)
		return cost{busy: ps(trig), latency: ps(c.Latency - c.II + busy), dma: ps(busy)}
	case isMatmul(in):
		mov, stat := in.Ins[0].AP, in.Ins[1].AP
		w := machine.Work{Engine: machine.PE, Class: machine.MultiplyMoving, N: mov.Elems(), M: stat.Elems(), In: mov.DType, In2: stat.DType, Out: dtype.F32}
		if a, ok := in.Attrs.(*bir.MatmultAttrs); ok {
			w.OneZero, w.Transpose = a.FmapOneZero || a.WeightOneZero, a.IsTranspose
		}
		c := u.spec.Cost(w)
		return cost{busy: ps(c.II), latency: ps(c.Latency)}
	}
	c := u.spec.Cost(workOf(in))
	return cost{busy: ps(c.II), latency: ps(c.Latency)}
}
