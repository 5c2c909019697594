package bir

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// WorkForm tells the forms of an opcode that cost differently.
type WorkForm struct {
	ScalarTensorTensor bool // TensorScalarPtr
	Scan               bool // TensorScalarPtr
	Accumulates        bool // the accumulator takes part
	Partitions         bool // a reduction across partitions
	Dynamic            bool // an address comes from a register or tensor
	Random             bool // Memset
	Ops                [2]AluOp
	Zero               bool // Memset of zero
}

// workClasses is the cost class of each data-path opcode.
var workClasses = map[Opcode]machine.Class{
	GenericCopy:               machine.Copy,
	TensorCopy:                machine.Copy,
	Activation:                machine.Activation,
	GenericRelu:               machine.Activation,
	ReadActivationAccumulator: machine.ActReadAcc,
	ActivationReadAccumulator: machine.ActReadAcc,
	LoadActFuncSet:            machine.ActTableLoad,
	Matmult:                   machine.MultiplyMoving,
	MatmultSparse:             machine.MultiplyMoving,
	MatmultMx:                 machine.MultiplyMoving,
	Memset:                    machine.Memset,
	Pool:                      machine.Reduce,
	Reciprocal:                machine.Reciprocal,
	TensorCopyDynamicSrc:      machine.DynamicCopy,
	TensorCopyDynamicDst:      machine.DynamicCopy,
	IndirectCopy:              machine.LocalGather,
	TensorReduce:              machine.Reduce,
	TensorScalar:              machine.TensorScalar,
	TensorScalarPtr:           machine.TensorScalar,
	TensorScalarCache:         machine.Cumulative,
	TensorTensor:              machine.TensorTensor,
	GPSIMDSB2SB:               machine.Gather,
	BNStats:                   machine.BNStats,
	BNStatsAggregate:          machine.BNAggregate,
	BNGradients:               machine.BNStats,
	BNBackprop:                machine.TensorTensor,
	BNBackprop2:               machine.TensorTensor,
	StreamShuffle:             machine.Shuffle,
	StreamTranspose:           machine.BlockTranspose,
	CopyPredicated:            machine.CopyPredicated,
	Select:                    machine.CopyPredicated,
	Iota:                      machine.Iota,
	TensorScalarAffineSelect:  machine.AffineSelect,
	RangeSelect:               machine.RangeSelect,
	GetSequenceBounds:         machine.SequenceBounds,
	Dropout:                   machine.Dropout,
	Max:                       machine.Search8,
	MaxIndex:                  machine.Search8,
	MatchReplace:              machine.Search8,
	MaxIndexAndMatchReplace:   machine.Search8,
	Gather:                    machine.Gather,
	QuantizeMx:                machine.QuantizeMx,
	Rand:                      machine.Random,
	Rand2:                     machine.Random,
	Rng:                       machine.Random,
	RandSetState:              machine.RandomState,
	RandGetState:              machine.RandomState,
	SetRandState:              machine.RandomState,
	GetRandState:              machine.RandomState,
	DveReadAccumulator:        machine.ActReadAcc,
	Exponential:               machine.Exponential,
	NonzeroWithCount:          machine.NonzeroCount,
	RegisterAlu:               machine.RegisterOp,
	RegisterMove:              machine.RegisterOp,
	TensorLoad:                machine.RegisterOp,
	TensorSave:                machine.RegisterOp,
	CompareAndBranch:          machine.BranchOp,
	UnconditionalBranch:       machine.BranchOp,
	Call:                      machine.BranchOp,
	Return:                    machine.BranchOp,
}

// classOf is workClasses by ordinal; opcodes without data-path work cost what a semaphore instruction costs.
var classOf = func() (t [numOpcodes]machine.Class) {
	for o := range t {
		t[o] = machine.SemaphoreOp
	}
	for o, c := range workClasses {
		t[o] = c
	}
	return
}()

// WorkClass returns the cost class of an opcode in a form.
func (o Opcode) WorkClass(f WorkForm) machine.Class {
	if o >= numOpcodes {
		return machine.SemaphoreOp
	}
	c := classOf[o]
	switch {
	case f.Dynamic && c == machine.Copy:
		return machine.DynamicCopy
	case o == TensorScalarPtr && f.Scan:
		return machine.Scan
	case o == TensorScalarPtr && f.ScalarTensorTensor:
		return machine.ScalarTensorTensor
	case o == TensorScalarPtr && f.Accumulates:
		return machine.ScalarReduce
	case o == CopyPredicated && f.Accumulates:
		return machine.SelectReduce
	case o == TensorReduce && f.Partitions:
		return machine.PartitionReduce
	case o == Memset && f.Random:
		return machine.Random
	}
	return c
}

// Fast reports whether the operation has its class's fast path (machine.Work.Fast).
func (f WorkForm) Fast(o Opcode) bool {
	switch o {
	case TensorTensor:
		return f.Ops[0] == AluAdd || f.Ops[0] == AluMult || f.Ops[0] == AluSubtract
	case TensorReduce, Pool:
		return f.Ops[0] == AluAdd || f.Ops[0] == AluMax
	case TensorScalarPtr:
		return f.ScalarTensorTensor && f.Ops[0] == AluSubtract && f.Ops[1] == AluMult
	case Memset:
		return f.Zero
	}
	return false
}

// Form returns the cost-relevant form of an instruction.
func (in *Instr) Form() WorkForm {
	var f WorkForm
	switch a := in.Attrs.(type) {
	case *TensorScalarPtrAttrs:
		f.ScalarTensorTensor, f.Scan, f.Accumulates = a.ScalarTensorTensor, a.TensorTensorScan, a.Acc != AccIdle
		f.Ops = [2]AluOp{a.Op0, a.Op1}
	case *TensorScalarAttrs:
		f.Ops = [2]AluOp{a.Op0, a.Op1}
	case *TensorTensorAttrs:
		f.Ops[0] = a.Op
	case *TensorReduceAttrs:
		f.Ops[0] = a.Op
		f.Partitions = a.Axis == AxisC || a.Axis == AxisXYZWC
	case *PoolAttrs:
		f.Ops[0] = AluAdd
		if a.Func == PoolMax {
			f.Ops[0] = AluMax
		}
	case *CopyPredicatedAttrs:
		f.Accumulates = a.Acc != AccIdle
	case *MemsetAttrs:
		f.Random, f.Zero = a.Mode == MemsetRandom, a.Constant == 0
	}
	for _, list := range [2][]Arg{in.Ins, in.Outs} {
		for i := range list {
			f.Dynamic = f.Dynamic || list[i].Kind == ArgAP && list[i].AP.Reg != nil
		}
	}
	return f
}

// secondTensor is the index of the second full tensor operand, -1 if there is none.
func (in *Instr) secondTensor(f WorkForm) int {
	switch {
	case in.Op.IsMatmul(), in.Op == TensorTensor, in.Op == CopyPredicated:
		return 1
	case in.Op == TensorScalarPtr && (f.ScalarTensorTensor || f.Scan):
		return 2
	}
	return -1
}

// Work describes in to the cost model. For the matmul family it is the MultiplyMoving half.
func (in *Instr) Work() machine.Work {
	f := in.Form()
	w := machine.Work{Engine: in.Engine, Class: in.Op.WorkClass(f), Fast: f.Fast(in.Op), ReadOut: len(in.Outs) > 1}
	w.Power = f.Ops[0] == AluPow
	w.Rsqrt = f.Ops[0] == AluRsqrt
	for i := range in.Ins {
		if in.Ins[i].Kind == ArgAP {
			w.In, w.InMem = operandWork(&w, in.Ins[i].AP, i < 1 || !in.Op.IsMatmul())
			break
		}
	}
	if k := in.secondTensor(f); k >= 0 && k < len(in.Ins) && in.Ins[k].Kind == ArgAP {
		w.In2, w.In2Mem = operandWork(&w, in.Ins[k].AP, !in.Op.IsMatmul())
		if in.Op.IsMatmul() {
			w.M = in.Ins[k].AP.Elems()
		}
	}
	for i := range in.Outs {
		if in.Outs[i].Kind == ArgAP {
			w.Out, w.OutMem = operandWork(&w, in.Outs[i].AP, !in.Op.IsMatmul())
			break
		}
	}
	if a, ok := in.Attrs.(*MatmultAttrs); ok {
		w.Transpose = a.IsTranspose
		w.OneZero = a.FmapOneZero || a.WeightOneZero
	}
	return w
}

// LoadWork describes the LoadStationary half of a matmul.
func (in *Instr) LoadWork() machine.Work {
	w := machine.Work{Engine: machine.PE, Class: machine.LoadStationary}
	if len(in.Ins) > 1 && in.Ins[1].Kind == ArgAP {
		p := in.Ins[1].AP
		w.M, w.In, w.In2 = p.Elems(), p.DType, p.DType
		w.InMem = machine.SBUFMem
	}
	return w
}

func operandWork(w *machine.Work, p *AccessPattern, counts bool) (dtype.Type, machine.Mem) {
	if counts {
		w.N = max(w.N, p.Elems())
	}
	if d := p.Inner(); p.Loc.Type != DRAM {
		step := d.Step
		if step < 0 {
			step = -step
		}
		w.Strided = w.Strided || step != 1
		w.StepByte = max(w.StepByte, step*int64(p.DType.Size()))
	}
	return p.DType, p.Loc.Type.Mem()
}

// DMAShape describes the transfer of a DMA instruction to the cost model.
func (in *Instr) DMAShape() machine.DMAShape {
	var d machine.DMAShape
	if len(in.Ins) == 0 || len(in.Outs) == 0 || in.Ins[0].Kind != ArgAP || in.Outs[0].Kind != ArgAP {
		return d
	}
	src, dst := in.Ins[0].AP, in.Outs[0].AP
	d.Src, d.Dst = dmaSide(src, dst), dmaSide(dst, src)
	if a, ok := in.Attrs.(*DMAAttrs); ok {
		d.Accumulate = a.Op != AluBypass
		d.Transpose = a.Mode == CopyTranspose
	}
	d.ElemBytes = int64(src.DType.Size())
	return d
}

func dmaSide(p, other *AccessPattern) machine.DMASide {
	s := machine.DMASide{OnChip: p.Loc.OnChip()}
	s.RunBytes, s.Runs = p.Run()
	if s.OnChip {
		s.Partitions, s.FirstPartition = p.NPart, p.Loc.Base+p.Part
	} else if other.Loc.OnChip() && len(p.Free) > 0 && p.Free[0].Count == int64(other.NPart) && other.NPart > 1 {
		if s.PartitionStep = p.Free[0].Step * int64(p.DType.Size()); s.PartitionStep < 0 {
			s.PartitionStep = -s.PartitionStep
		}
	}
	return s
}

// Cost returns the cost of an instruction on spec: of a matmul both halves, of a DMA instruction the transfer.
func (in *Instr) Cost(spec *machine.Spec) machine.Cost {
	switch {
	case in.Op == Load || in.Op == Save || in.Op == DMACopy || in.Op == IndirectLoad || in.Op == IndirectSave:
		mode := machine.StaticDGE
		if a, ok := in.Attrs.(*DMAAttrs); ok {
			switch a.DGE {
			case DGESWDGE:
				mode = machine.SoftwareDGE
			case DGEHWDGE:
				mode = machine.HardwareDGE
			}
		}
		return spec.DMACost(in.DMAShape(), mode)
	case in.Op.IsMatmul():
		// Loading hides behind the previous multiplication, so only the latency of a lone matmul includes it.
		mm, ls := spec.Cost(in.Work()), spec.Cost(in.LoadWork())
		mm.Latency += ls.II
		mm.II = max(mm.II, ls.II)
		return mm
	}
	return spec.Cost(in.Work())
}
