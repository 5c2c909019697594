package timeline

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// form tells the cost model which form of its opcode an instruction has.
func form(in *exec.Instr) bir.WorkForm {
	return bir.WorkForm{
		ScalarTensorTensor: in.Op == bir.TensorScalarPtr && in.Mode == exec.ScalarTensorTensor,
		Scan:               in.Op == bir.TensorScalarPtr && in.Mode == exec.TensorTensorScan,
		Accumulates:        in.Acc != bir.AccIdle || in.Op == bir.CopyPredicated && in.S[1].Kind != exec.NoScalar,
		Partitions:         in.Axes < 0,
		Zero:               in.Fill == 0,
		Ops:                in.Alu,
	}
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
	f := form(in)
	w := machine.Work{Engine: e, Class: in.Op.WorkClass(f), Fast: f.Fast(in.Op), Power: in.Alu[0] == bir.AluPow, Rsqrt: in.Alu[0] == bir.AluRsqrt}
	switch en.Kind {
	case LoadWeights:
		w.Class = machine.LoadStationary
	case Multiply:
		w.Class = machine.MultiplyMoving
	}
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
	}
	return w
}

// cost prices the entry for its engine.
func (r *runner) cost(e *engine, en *Entry) machine.Cost {
	return r.p.Spec.Cost(work(e.id, en))
}
