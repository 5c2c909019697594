package timeline

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// classes maps opcodes with one cost class to it; the others are decided by form in classOf.
var classes = map[bir.Opcode]machine.Class{
	bir.TensorCopy:                machine.Copy,
	bir.TensorScalar:              machine.TensorScalar,
	bir.TensorTensor:              machine.TensorTensor,
	bir.TensorReduce:              machine.Reduce,
	bir.Pool:                      machine.Reduce,
	bir.Reciprocal:                machine.Reciprocal,
	bir.Memset:                    machine.Memset,
	bir.Iota:                      machine.Iota,
	bir.TensorScalarAffineSelect:  machine.AffineSelect,
	bir.RangeSelect:               machine.RangeSelect,
	bir.Select:                    machine.CopyPredicated,
	bir.CopyPredicated:            machine.CopyPredicated,
	bir.BNStats:                   machine.BNStats,
	bir.BNStatsAggregate:          machine.BNAggregate,
	bir.Max:                       machine.Search8,
	bir.MaxIndex:                  machine.Search8,
	bir.MatchReplace:              machine.Search8,
	bir.MaxIndexAndMatchReplace:   machine.Search8,
	bir.StreamTranspose:           machine.BlockTranspose,
	bir.StreamShuffle:             machine.Shuffle,
	bir.Activation:                machine.Activation,
	bir.LoadActFuncSet:            machine.ActTableLoad,
	bir.ReadActivationAccumulator: machine.ActReadAcc,
	bir.ActivationReadAccumulator: machine.ActReadAcc,
	bir.DveReadAccumulator:        machine.ActReadAcc,
	bir.TensorScalarCache:         machine.Cumulative,
}

// classOf returns the cost class of a data-path instruction.
func classOf(en *Entry) machine.Class {
	switch en.Kind {
	case LoadWeights:
		return machine.LoadStationary
	case Multiply:
		return machine.MultiplyMoving
	}
	in := en.Data
	switch in.Op {
	case bir.TensorScalarPtr:
		switch {
		case in.Mode == exec.TensorTensorScan:
			return machine.Scan
		case in.Mode == exec.ScalarTensorTensor:
			return machine.ScalarTensorTensor
		case in.Acc != bir.AccIdle:
			return machine.ScalarReduce
		}
		return machine.TensorScalar
	case bir.TensorScalarCache:
		if in.Mode != exec.Cumulative {
			return machine.ScalarReduce
		}
	case bir.CopyPredicated:
		if in.S[1].Kind != exec.NoScalar {
			return machine.SelectReduce
		}
	case bir.TensorReduce:
		if in.Axes < 0 {
			return machine.PartitionReduce
		}
	}
	return classes[in.Op]
}

func memOf(s exec.Space) machine.Mem {
	switch s {
	case exec.PSUM:
		return machine.PSUMMem
	case exec.DRAM:
		return machine.DRAMMem
	}
	return machine.SBUFMem
}

// work describes an instruction to the cost model.
func work(e machine.Engine, en *Entry) machine.Work {
	in := en.Data
	w := machine.Work{Engine: e, Class: classOf(en)}
	see := func(r *exec.Ref) {
		w.N = max(w.N, int64(r.N))
		if n := len(r.Dims); n > 0 {
			step := r.Dims[n-1].Step
			if step < 0 {
				step = -step
			}
			w.StepByte = max(w.StepByte, step)
			if step != int64(r.Size) {
				w.Strided = true
			}
		}
	}
	for i := range in.In {
		see(&in.In[i])
	}
	for i := range in.Out {
		see(&in.Out[i])
	}
	if len(in.In) > 0 {
		w.In, w.InMem = in.In[0].DT, memOf(in.In[0].Space)
	}
	if len(in.In) > 1 {
		w.In2, w.In2Mem = in.In[1].DT, memOf(in.In[1].Space)
	}
	if len(in.Out) > 0 {
		w.Out, w.OutMem = in.Out[0].DT, memOf(in.Out[0].Space)
	}
	w.ReadOut = len(in.Out) > 1
	switch w.Class {
	case machine.LoadStationary:
		w.M = int64(in.In[0].N)
	case machine.MultiplyMoving:
		w.N, w.M = int64(in.In[0].N), int64(in.M)
		w.Transpose = in.PEMode == exec.PETranspose
	case machine.TensorTensor:
		switch in.Alu[0] {
		case bir.AluAdd, bir.AluSubtract, bir.AluMult:
			w.Fast = true
		case bir.AluPow:
			w.Power = true
		}
	case machine.Reduce:
		w.Fast = in.Alu[0] == bir.AluAdd || in.Alu[0] == bir.AluMax
	case machine.ScalarTensorTensor:
		w.Fast = in.Alu[0] == bir.AluSubtract && in.Alu[1] == bir.AluMult && w.In == dtype.BF16 && w.In2 == dtype.BF16
	case machine.Memset:
		w.Fast = in.Fill == 0
	case machine.TensorScalar:
		w.Rsqrt = in.Alu[0] == bir.AluRsqrt
	}
	return w
}

// cost prices the entry for its engine.
func (r *runner) cost(e *engine, en *Entry) machine.Cost {
	return r.p.Spec.Cost(work(e.id, en))
}
