package bir

import (
	"reflect"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// opRule says what operands an opcode takes. Bit i of full: input i has as many elements per partition as output 0.
// Bit i of scalar: input i is a constant, a register or one element per partition.
type opRule struct {
	minIn, maxIn, minOut, maxOut int
	full, scalar                 uint
	check                        func(v *verifier, in *Instr)
}

// opRules holds a row for each opcode whose operands are checked; maxIn of the others is -1.
var opRules [numOpcodes]opRule

func init() {
	for i := range opRules {
		opRules[i].maxIn = -1
	}
	for o, r := range map[Opcode]opRule{
		GenericCopy:               {1, 1, 1, 1, 1, 0, nil},
		GenericRelu:               {1, 1, 1, 1, 1, 0, nil},
		AbstractCopy:              {1, 1, 1, 1, 0, 0, checkTotals},
		Activation:                {1, 3, 1, 2, 1, 6, checkActivation},
		ReadActivationAccumulator: {0, 0, 1, 1, 0, 0, nil},
		ActivationReadAccumulator: {0, 0, 1, 1, 0, 0, nil},
		DveReadAccumulator:        {0, 0, 1, 1, 0, 0, nil},
		LoadActFuncSet:            {0, 0, 0, 0, 0, 0, nil},
		Matmult:                   {2, 2, 1, 1, 0, 0, checkMatmult},
		Memset:                    {0, 0, 1, 1, 0, 0, nil},
		Load:                      {1, 1, 1, 1, 0, 0, checkDMA},
		Save:                      {1, 1, 1, 1, 0, 0, checkDMA},
		DMACopy:                   {1, 16, 1, 1, 0, 0, checkDMA},
		Pool:                      {1, 1, 1, 1, 0, 0, checkPool},
		Reciprocal:                {1, 1, 1, 1, 1, 0, nil},
		TensorCopy:                {1, 1, 1, 1, 1, 0, checkTensorCopy},
		TensorCopyDynamicSrc:      {2, 3, 1, 1, 0, 0, nil},
		TensorCopyDynamicDst:      {2, 3, 1, 1, 0, 0, nil},
		TensorReduce:              {1, 1, 1, 1, 0, 0, checkReduce},
		TensorScalar:              {1, 1, 1, 1, 1, 0, checkTensorScalar},
		TensorScalarPtr:           {1, 3, 1, 2, 0, 0, checkTensorScalarPtr},
		TensorScalarCache:         {2, 3, 1, 1, 1, 6, nil},
		TensorTensor:              {2, 2, 1, 1, 3, 0, checkTensorTensor},
		CopyPredicated:            {2, 3, 1, 2, 3, 0, checkPredicated},
		Select:                    {3, 3, 1, 1, 7, 0, nil},
		StreamShuffle:             {1, 1, 1, 1, 1, 0, checkShuffle},
		StreamTranspose:           {1, 1, 1, 1, 0, 0, nil},
		Iota:                      {0, 0, 1, 1, 0, 0, checkIota},
		TensorScalarAffineSelect:  {1, 1, 1, 1, 1, 0, nil},
		RangeSelect:               {3, 3, 1, 2, 1, 6, nil},
		Dropout:                   {2, 3, 1, 1, 1, 2, nil},
		Max:                       {1, 1, 1, 1, 0, 0, checkMax},
		MaxIndex:                  {2, 2, 1, 1, 0, 0, nil},
		MatchReplace:              {2, 2, 1, 1, 2, 0, nil},
		RegisterMove:              {1, 1, 1, 1, 0, 0, checkRegisters},
		RegisterAlu:               {1, 2, 1, 1, 0, 0, checkRegisters},
		TensorLoad:                {1, 1, 1, 1, 0, 0, checkOneElement},
		TensorSave:                {1, 1, 1, 1, 0, 0, checkOneElement},
		CompareAndBranch:          {2, 2, 0, 0, 0, 0, nil},
		UnconditionalBranch:       {0, 0, 0, 0, 0, 0, nil},
		BNStats:                   {1, 1, 1, 1, 0, 0, checkBNStats},
		DMATrigger:                {0, 0, 0, 0, 0, 0, checkTrigger},
	} {
		opRules[o] = r
	}
}

// sameAttrs reports whether a is what the opcode's row makes.
func sameAttrs(info *OpInfo, a Attrs) bool {
	if info.attrType == nil {
		return a == nil
	}
	return a != nil && reflect.TypeOf(a) == info.attrType
}

// shape checks the operands of in against each other.
func (v *verifier) shape(in *Instr) {
	r := &opRules[in.Op]
	if r.maxIn < 0 {
		return
	}
	if len(in.Ins) < r.minIn || len(in.Ins) > r.maxIn || len(in.Outs) < r.minOut || len(in.Outs) > r.maxOut {
		v.errorf(CodeOperands, "%d inputs and %d outputs; it takes %d to %d and %d to %d", len(in.Ins), len(in.Outs), r.minIn, r.maxIn, r.minOut, r.maxOut)
		return
	}
	if (r.full|r.scalar) != 0 && !v.elementwise(in, r.full, r.scalar) {
		return
	}
	if r.check != nil {
		r.check(v, in)
	}
}

// elementwise checks partition and element counts of the inputs against output 0.
func (v *verifier) elementwise(in *Instr, full, scalar uint) bool {
	out := apOf(in.Outs, 0)
	if out == nil {
		v.errorf(CodeOperands, "output 0 is no access pattern")
		return false
	}
	n := out.Elems()
	for i := range in.Ins {
		p := apOf(in.Ins, i)
		if full>>i&1 != 0 && p == nil {
			v.errorf(CodeOperands, "input %d is no access pattern", i)
			return false
		}
		if p == nil || (full|scalar)>>i&1 == 0 {
			continue
		}
		if p.NPart != out.NPart {
			v.errorf(CodeMatch, "partition count mismatch: input %d has %d, output 0 has %d", i, p.NPart, out.NPart)
			return false
		}
		if m := p.Elems(); full>>i&1 != 0 && m != n {
			v.errorf(CodeElems, "input %d has %d elements per partition, output 0 has %d", i, m, n)
			return false
		} else if scalar>>i&1 != 0 && m != 1 {
			v.errorf(CodeElems, "input %d has %d elements per partition, it must have one", i, m)
			return false
		}
	}
	return true
}

func apOf(args []Arg, i int) *AccessPattern {
	if i >= len(args) || args[i].Kind != ArgAP {
		return nil
	}
	return args[i].AP
}

// twoInputs applies the port rules to two tensor inputs.
func (v *verifier) twoInputs(a, b *AccessPattern) {
	if a == nil || b == nil {
		return
	}
	if a.Loc.Type == PSUM && b.Loc.Type == PSUM {
		v.errorf(CodeTwoPSUM, "at most one PSUM input")
	}
	if a.Loc.Type == SB && b.Loc.Type == SB && a.Loc.Allocated && b.Loc.Allocated &&
		machine.Quadrant(a.Loc.Base+a.Part) != machine.Quadrant(b.Loc.Base+b.Part) {
		v.errorf(CodeQuadrant, "SBUF inputs must start in the same quadrant: partitions %d and %d", a.Loc.Base+a.Part, b.Loc.Base+b.Part)
	}
}

func (v *verifier) bitOps(in *Instr, ops ...AluOp) {
	for _, op := range ops {
		if !op.IsBitwise() {
			continue
		}
		for _, list := range [2][]Arg{in.Ins, in.Outs} {
			for i := range list {
				if p := apOf(list, i); p != nil && p.DType.IsFloat() {
					v.errorf(CodeBitOp, "%s works on integers, not on %s", op, p.DType)
					return
				}
			}
		}
	}
}

func checkActivation(v *verifier, in *Instr) {
	a := in.Attrs.(*ActivationAttrs)
	if a.Func >= ActUnknown {
		v.errorf(CodeVector, "no such activation function: %s", a.Func)
	}
	if p := apOf(in.Ins, 1); p != nil && p.DType == dtype.TF32 {
		v.errorf(CodeDType, "bias cannot be tf32")
	}
}

func checkTensorCopy(v *verifier, in *Instr) {
	if in.Engine == machine.ACT && v.spec.Gen < machine.Gen3 {
		v.errorf(CodeEngine, "the scalar engine of %s has no tensor copy; use an activation", v.spec.Core)
	}
}

func checkTensorScalar(v *verifier, in *Instr) {
	a := in.Attrs.(*TensorScalarAttrs)
	v.bitOps(in, a.Op0, a.Op1)
	if in.Engine == machine.ACT && v.spec.Gen < machine.Gen3 {
		v.errorf(CodeEngine, "the scalar engine of %s has no tensor_scalar; use an activation", v.spec.Core)
	}
}

func checkTensorScalarPtr(v *verifier, in *Instr) {
	a := in.Attrs.(*TensorScalarPtrAttrs)
	v.bitOps(in, a.Op0, a.Op1)
	full, scalar := uint(1), uint(6)
	if a.ScalarTensorTensor || a.TensorTensorScan {
		full, scalar = 5, 2
		if len(in.Ins) != 3 {
			v.errorf(CodeOperands, "scalar_tensor_tensor takes data, scalar and tensor")
			return
		}
	}
	if v.elementwise(in, full, scalar) && full == 5 {
		v.twoInputs(apOf(in.Ins, 0), apOf(in.Ins, 2))
	}
}

func checkTensorTensor(v *verifier, in *Instr) {
	a := in.Attrs.(*TensorTensorAttrs)
	v.bitOps(in, a.Op)
	v.twoInputs(apOf(in.Ins, 0), apOf(in.Ins, 1))
}

func checkPredicated(v *verifier, in *Instr) {
	v.twoInputs(apOf(in.Ins, 0), apOf(in.Ins, 1))
}

func checkReduce(v *verifier, in *Instr) {
	a := in.Attrs.(*TensorReduceAttrs)
	src, dst := apOf(in.Ins, 0), apOf(in.Outs, 0)
	if src == nil || dst == nil {
		v.errorf(CodeOperands, "a reduction takes one tensor and makes one")
		return
	}
	if !a.Op.IsReduction() {
		v.errorf(CodeReduceOp, "%s is not legal as a reduction", a.Op)
	}
	v.bitOps(in, a.Op)
	if a.Axis == AxisC || a.Axis == AxisXYZWC {
		if in.Engine == machine.DVE {
			v.errorf(CodeEngine, "a reduction across partitions runs on GpSimd")
		}
		if a.Negate {
			v.errorf(CodeVector, "negate is not possible across partitions")
		}
		return
	}
	k := int(a.Axis) + 1
	if k > len(src.Free) {
		v.errorf(CodeVector, "axis %s reduces %d dimensions, the input has %d", a.Axis, k, len(src.Free))
		return
	}
	n := int64(1)
	for _, d := range src.Free[:len(src.Free)-k] {
		n *= d.Count
	}
	if dst.Elems() != n {
		v.errorf(CodeElems, "output has %d elements per partition, the reduction leaves %d", dst.Elems(), n)
	}
	if src.NPart != dst.NPart {
		v.errorf(CodeMatch, "partition count mismatch: input has %d, output has %d", src.NPart, dst.NPart)
	}
}

func checkPool(v *verifier, in *Instr) {
	src, dst := apOf(in.Ins, 0), apOf(in.Outs, 0)
	if src == nil || dst == nil || len(src.Free) < 2 {
		v.errorf(CodeVector, "pooling reduces the two innermost of at least two dimensions")
		return
	}
	n := int64(1)
	for _, d := range src.Free[:len(src.Free)-2] {
		n *= d.Count
	}
	if dst.Elems() != n || src.NPart != dst.NPart {
		v.errorf(CodeElems, "output has %d elements in %d partitions, pooling leaves %d in %d", dst.Elems(), dst.NPart, n, src.NPart)
	}
}

func checkMatmult(v *verifier, in *Instr) {
	a := in.Attrs.(*MatmultAttrs)
	mov, sta, dst := apOf(in.Ins, 0), apOf(in.Ins, 1), apOf(in.Outs, 0)
	if mov == nil || sta == nil || dst == nil {
		v.errorf(CodeOperands, "a matmul takes two tensors and makes one")
		return
	}
	bad := func(format string, args ...any) { v.errorf(CodeMatmul, format, args...) }
	n, m := mov.Elems(), sta.Elems()
	limit := int64(v.spec.PSUM.MaxMatmulBanks*v.spec.PSUM.BankBytes) / int64(dst.DType.Size())
	switch {
	case mov.NPart != sta.NPart:
		bad("moving and stationary have %d and %d rows to contract", mov.NPart, sta.NPart)
	case m > int64(v.spec.PE.MaxStationary):
		bad("stationary free size %d exceeds %d", m, v.spec.PE.MaxStationary)
	case n > limit || v.spec.PSUM.MaxMatmulBanks == 1 && n > int64(v.spec.PE.MaxMoving):
		bad("moving free size %d exceeds what fits the accumulator banks (%d)", n, min(limit, int64(v.spec.PE.MaxMoving)))
	case int64(dst.NPart) != m:
		bad("output has %d partitions, the stationary operand %d columns", dst.NPart, m)
	case dst.Elems() != n:
		bad("output has %d elements per partition, the moving operand %d", dst.Elems(), n)
	}
	f32 := func(t dtype.Type) bool { return t == dtype.F32 || t == dtype.TF32 }
	switch {
	case f32(mov.DType) != f32(sta.DType):
		bad("operands %s and %s cannot be mixed", mov.DType, sta.DType)
	case a.IsTranspose:
	case dst.DType == dtype.F32, dst.DType == dtype.I32 && mov.DType.IsInt():
	case dst.DType == dtype.BF16 && v.spec.Gen >= machine.Gen4:
	default:
		v.errorf(CodeDType, "a matmul accumulates in f32, not %s", dst.DType)
	}
	switch a.AccFlags {
	case 0, 1, 2, 3, 4, 6, AccFlagAuto:
	default:
		bad("accumulation flags %d are not legal", a.AccFlags)
	}
	if v.spec.PSUM.MaxMatmulBanks == 1 && dst.Loc.Type == PSUM {
		lo, hi, known := dst.Extent()
		size, bank := int64(dst.DType.Size()), int64(v.spec.PSUM.BankBytes)
		base := int64(0)
		if dst.Loc.Allocated {
			base = dst.Loc.Addr
		}
		if known && (base+lo*size)/bank != (base+(hi+1)*size-1)/bank {
			bad("the destination crosses a PSUM bank")
		}
	}
	if !a.IsTranspose && a.Perf == PerfDoubleRow && !v.spec.PE.DoubleRow {
		v.errorf(CodeGen, "double_row needs NeuronCore-v3")
	}
}

func checkShuffle(v *verifier, in *Instr) {
	a := in.Attrs.(*StreamShuffleAttrs)
	for i, m := range a.Mask {
		if m >= 32 && m != 255 {
			v.errorf(CodeVector, "mask entry %d is %d; it must be below 32, or 255", i, m)
			return
		}
	}
	if in.Ins[0].AP.DType != in.Outs[0].AP.DType {
		v.errorf(CodeDType, "a shuffle does not cast")
	}
}

func checkIota(v *verifier, in *Instr) {
	a := in.Attrs.(*IotaAttrs)
	if len(a.Pattern) > 4 {
		v.errorf(CodeDim, "pattern has %d dimensions, at most 4 fit", len(a.Pattern))
		return
	}
	n := int64(1)
	for _, d := range a.Pattern {
		n *= d.Count
	}
	if p := apOf(in.Outs, 0); p == nil || p.Elems() != n {
		v.errorf(CodeElems, "the pattern makes %d values per partition, the output does not", n)
	}
}

func checkMax(v *verifier, in *Instr) {
	src, dst := apOf(in.Ins, 0), apOf(in.Outs, 0)
	if src == nil || dst == nil || src.Elems() < 8 || src.Elems() > 16384 || dst.Elems() != 8 {
		v.errorf(CodeVector, "max takes 8 to 16384 elements per partition and makes 8")
	}
}

func checkBNStats(v *verifier, in *Instr) {
	src, dst := apOf(in.Ins, 0), apOf(in.Outs, 0)
	if src == nil || dst == nil || src.Elems() > 512 || dst.Elems() != 6 {
		v.errorf(CodeVector, "bn_stats takes at most 512 elements per partition and makes 6")
	}
}

func checkTotals(v *verifier, in *Instr) {
	src, dst := apOf(in.Ins, 0), apOf(in.Outs, 0)
	if src == nil || dst == nil || src.Total() != dst.Total() {
		v.errorf(CodeElems, "source and destination differ in elements")
	}
}

func checkDMA(v *verifier, in *Instr) {
	a := in.Attrs.(*DMAAttrs)
	dst := apOf(in.Outs, 0)
	for i := range in.Ins {
		src := apOf(in.Ins, i)
		if src == nil || dst == nil {
			v.errorf(CodeOperands, "a transfer takes tensors")
			return
		}
		if n, m := src.Total(), dst.Total(); n != m {
			v.errorf(CodeElems, "source %d has %d elements, the destination %d", i, n, m)
		}
		wide := src.DType.Size() == 8 || dst.DType.Size() == 8
		if wide && (src.DType.Size() != dst.DType.Size() || a.Op != AluBypass) {
			v.errorf(CodeDType, "64-bit data can only be copied, not converted from %s to %s", src.DType, dst.DType)
		}
		s, d := src.Loc.Type, dst.Loc.Type
		if in.Op == Load && (s != DRAM || d != SB) || in.Op == Save && (s != SB || d != DRAM) {
			v.errorf(CodeMemory, "moves from %s to %s", s.Mem(), d.Mem())
		}
	}
	switch a.Op {
	case AluBypass, AluAdd:
	case AluMax, AluMin:
		if a.DGE != DGENone && a.DGE != DGEUnassigned {
			v.errorf(CodeDMA, "%s at the destination needs static descriptors", a.Op)
		}
	default:
		v.errorf(CodeDMA, "%s is not a DMA operation", a.Op)
	}
	if a.DGE == DGEHWDGE && v.spec.DGEUnits == 0 {
		v.errorf(CodeDMA, "%s has no hardware descriptor generation", v.spec.Core)
	}
}

func checkTrigger(v *verifier, in *Instr) {
	if a := in.Attrs.(*DMATriggerAttrs); a.Queue == nil || len(a.Blocks) == 0 {
		v.errorf(CodeDMA, "must have queue and block set")
	}
}

func checkRegisters(v *verifier, in *Instr) {
	for i := range in.Ins {
		if k := in.Ins[i].Kind; k != ArgReg && k != ArgImm {
			v.errorf(CodeOperands, "input %d is neither register nor constant", i)
		}
	}
	if in.Outs[0].Kind != ArgReg {
		v.errorf(CodeOperands, "output is no register")
	}
}

func checkOneElement(v *verifier, in *Instr) {
	ap, reg := &in.Ins[0], &in.Outs[0]
	if in.Op == TensorSave {
		ap, reg = reg, ap
	}
	if ap.Kind != ArgAP || reg.Kind != ArgReg || ap.AP.Total() != 1 {
		v.errorf(CodeOperands, "moves one element between memory and a register")
	}
}
