package isa

import (
	"math"

	"github.com/alcadev/alca/internal/machine"
)

// rule checks what only one instruction or family asks for.
type rule func(in *Inst, eng machine.Engine, gen machine.Gen) error

// opRules are the operation rules of isa.md 10 and 13, by opcode.
var opRules = [256]rule{
	OpLdweights: ruleLdweights,
	OpMatmul:    ruleMatmul,
	OpMatmulMX:  ruleAccFlags,

	OpActivate:                  all(same(FSrc, FDst), ruleActivate),
	OpActivate2:                 all(same(FSrc, FDst), ruleActivate2),
	OpActivationReadAccumulator: ruleReadAcc,
	OpDveReadAccumulator:        ruleReadAcc,

	OpTensorScalarArithOp:          all(same(FSrc, FDst), ruleArith(FOp0, FOp1), ruleScalarDtypes),
	OpTransposeTensorScalarArithOp: all(ruleArith(FOp0, FOp1), ruleScalarDtypes),
	OpTensorScalarBitvecOp:         all(same(FSrc, FDst), ruleBitvec(FOp0, FOp1)),
	OpTensorScalarCacheReduce:      all(same(FSrc, FDst), ruleArith(FOp0, FOp1), ruleAccImm1),
	OpTensorScalarCacheCumulative:  all(same(FSrc, FDst), ruleArith(FOp0, FOp1), ruleAccImm1),
	OpExponential:                  all(same(FSrc, FDst), ruleExp, ruleAccImm1),
	OpScalarTensorTensorArith:      all(same(FSrc0, FDst), same(FSrc1, FDst), ruleArith(FOp0, FOp1)),
	OpScalarTensorTensorBitvec:     all(same(FSrc0, FDst), same(FSrc1, FDst), ruleBitvec(FOp0, FOp1)),
	OpTensorTensorScanArith:        all(same(FSrc0, FDst), same(FSrc1, FDst), ruleArith(FOp0, FOp1)),
	OpTensorScalarAddr:             all(same(FSrc, FDst), ruleArith(FOp0, FOp1)),

	OpTensorTensorArithOp:  all(same(FSrc0, FDst), same(FSrc1, FDst), ruleTensorTensor),
	OpTensorTensorBitvecOp: all(same(FSrc0, FDst), same(FSrc1, FDst), ruleBitvec(FOp), ruleBothPSUM),
	OpBatchNormBackProp:    all(same(FX, FDst), same(FDy, FDst)),
	OpCopyPredicated:       all(same(FSrc, FDst), same(FMask, FDst), ruleMaskDtype),
	OpCastPredicated:       all(same(FSrc, FDst), same(FMask, FDst), ruleMaskDtype),
	OpCopyPredicatedScalar: all(same(FMask, FDst), ruleMaskDtype),
	OpSelectReduce:         all(same(FSrc, FDst), same(FMask, FDst), ruleMaskDtype),
	OpCopy:                 same(FSrc, FDst),
	OpCast:                 same(FSrc, FDst),
	OpReciprocal:           same(FSrc, FDst),
	OpMemset:               ruleFill,
	OpRng:                  ruleFill,

	OpPool:                         rulePool,
	OpTensorReduceArithOp:          all(ruleReduce, ruleArith(FOp)),
	OpTensorReduceBitvecOp:         all(ruleReduce, ruleBitvec(FOp)),
	OpTransposeTensorReduceArithOp: ruleArith(FOp),
	OpCrossLaneReduceArith:         ruleCrossLane,
	OpCrossLaneReduceBitvec:        ruleCrossLane,
	OpIota:                         rulePattern,
	OpTensorScalarAffineSelect:     ruleAffineSelect,

	OpBatchNormStats2:    all(count(FDst, 6, 6), count(FSrc, 1, 512)),
	OpBatchNormAggregate: all(count(FDst, 2, 2), ruleTriples),
	OpMax8:               all(count(FDst, 8, 8), ruleMax8),
	OpFindIndex8:         all(count(FDst, 8, 8), ruleMax8),
	OpMatchValueLoad:     count(FVals, 8, 8),
	OpMatchReplace8:      same(FSrc, FDst),
	OpDropout:            same(FSrc, FDst),
	OpStreamShuffle:      same(FSrc, FDst),
	OpRangeSelect:        same(FSrc, FDst),

	OpEventSemaphore:        ruleEvent,
	OpCompareBranch:         ruleBranch,
	OpMove:                  ruleMove,
	OpTensorStore:           ruleStore,
	OpPseudoDMATrigger:      ruleQueueName,
	OpPseudoDMARearm:        ruleQueueName,
	OpPseudoDMASwapQueueSet: ruleQueueName,
	OpPseudoDmaDirect2d:     ruleDirect2d,
}

// noIndirect lists the instructions that refuse indirect operands on every generation.
var noIndirect = [256]bool{
	OpActivationReadAccumulator: true, OpDveReadAccumulator: true, OpCrossLaneReduceArith: true, OpCrossLaneReduceBitvec: true,
	OpBatchNormStats2: true, OpMatchValueLoad: true, OpMax8: true, OpStreamTranspose: true, OpPoolBufferLoad: true,
}

// operandDtypes lists for each operand the fields that may hold its dtype, in order of preference.
var operandDtypes = [numFields][]FieldID{
	FDst:     {FOutDtype, FDstDtype, FDtype, FInDtype},
	FSrc:     {FSrcDtype, FInDtype, FDtype},
	FSrc0:    {FIn0Dtype, FSrc0Dtype},
	FSrc1:    {FIn1Dtype, FSrc1Dtype},
	FMask:    {FMaskDtype},
	FX:       {FXDtype},
	FDy:      {FDyDtype},
	FWeights: {FInDtype},
	FMoving:  {FInDtype},
	FTags:    {FInDtype},
	FVals:    {FInDtype},
	FCoeff:   {FCoeffDtype},
	FIndex:   {FIndexDtype},
	FOperand: {FDtype},
}

// OperandDType returns the wire dtype of an operand slot; 0 when the bundle does not say.
func (in *Inst) OperandDType(f FieldID) DType { return operandDType(in, f) }

func operandDType(in *Inst, f FieldID) DType {
	if f == FDst && in.Info.Layout == layMatmul {
		if d := in.DType(FDstDtype); d != 0 {
			return d
		}
		if in.Get(FPeMode) != PeTranspose {
			return DTF32
		}
		// A transposed result has the dtype of the operand; one-byte elements are widened with a zero byte.
		if d := in.DType(FInDtype); d.Size() > 1 {
			return d
		}
		return DTU16
	}
	for _, id := range operandDtypes[f] {
		if d := in.DType(id); d != 0 {
			return d
		}
	}
	return 0
}

// partitionsOf returns the number of partitions an operand covers, 0 if the bundle does not say.
func partitionsOf(in *Inst, f FieldID) int {
	switch f {
	case FWeights, FMoving:
		return in.Int(FNumActiveRows)
	case FDst:
		switch in.Info.Layout {
		case layMatmul, layMatmulMX, layMatmulSparse:
			return in.Int(FNumActiveCols)
		case layCrossLaneReduce:
			return 1
		case layNonzero, laySb2sb:
			return 0
		}
	case FIndex, FData, FTable, FTags:
		return 0
	}
	return in.Int(FNumActiveChannels)
}

// pe_mode values.
const (
	PeNormal    = 0
	PeFP32R     = 2
	PeTranspose = 3
)

// PEGroup returns the quadrant mask of a row or column range, isa.md 4.5.
func PEGroup(start, size int) int64 {
	switch {
	case size <= 32:
		return 1 << (start / 32)
	case size <= 64:
		return 3 << (2 * (start / 64))
	}
	return 15
}

func all(rules ...rule) rule {
	return func(in *Inst, eng machine.Engine, gen machine.Gen) error {
		for _, r := range rules {
			if err := r(in, eng, gen); err != nil {
				return err
			}
		}
		return nil
	}
}

// static returns an operand, or nil when its extent is known at run time only.
func static(in *Inst, f FieldID) *Tensor {
	if t := in.Tensor(f); t != nil && !t.Addr.IsActive() {
		return t
	}
	return nil
}

func same(a, b FieldID) rule {
	return func(in *Inst, _ machine.Engine, _ machine.Gen) error {
		ta, tb := static(in, a), static(in, b)
		if ta != nil && tb != nil && ta.Count() != tb.Count() {
			return errf(CodeElementCount, "%s: %s has %d elements a partition, %s has %d", in.Info.Name, a, ta.Count(), b, tb.Count())
		}
		return nil
	}
}

func count(f FieldID, lo, hi int64) rule {
	return func(in *Inst, _ machine.Engine, _ machine.Gen) error {
		if t := static(in, f); t != nil && (t.Count() < lo || t.Count() > hi) {
			return errf(CodeElementCount, "%s: %s has %d elements a partition, must be in %d..%d", in.Info.Name, f, t.Count(), lo, hi)
		}
		return nil
	}
}

func ruleArith(ops ...FieldID) rule {
	return func(in *Inst, _ machine.Engine, gen machine.Gen) error {
		for _, f := range ops {
			if a := in.ALU(f); a.IsBitvec() || a.IsInt32() && !(a == AluIntMod && gen >= machine.Gen4) {
				return errf(CodeAluOp, "%s: %s %s is not an arithmetic operation", in.Info.Name, f, a)
			}
		}
		return nil
	}
}

func ruleBitvec(ops ...FieldID) rule {
	return func(in *Inst, _ machine.Engine, _ machine.Gen) error {
		for _, f := range ops {
			if a := in.ALU(f); !a.IsBitvec() && a != AluBypass {
				return errf(CodeAluOp, "%s: %s %s is not a bitvec operation", in.Info.Name, f, a)
			}
		}
		for _, f := range in.Info.Layout.Fields {
			if f.Kind == KDtype && in.DType(f.ID).IsFloat() {
				return errf(CodeBitvecDtype, "%s: %s is %s, bitvec operations need integers", in.Info.Name, f.ID, in.DType(f.ID))
			}
		}
		return nil
	}
}

func ruleScalarDtypes(in *Inst, _ machine.Engine, _ machine.Gen) error {
	for _, p := range [2][2]FieldID{{FImm0Src, FImm0Dtype}, {FImm1Src, FImm1Dtype}} {
		if d := in.DType(p[1]); in.Src(p[0]) == ImmImmediate && d != 0 && d != DTF32 {
			return errf(CodeTSImmDtype, "%s: immediate of type %s, arithmetic immediates are fp32", in.Info.Name, d)
		}
	}
	return nil
}

func ruleAccImm1(in *Inst, _ machine.Engine, _ machine.Gen) error {
	src, v := in.Imm(FImm1)
	if in.Acc(FAccCmd) != AccLoad && (src != ImmImmediate || math.Float32frombits(v) != 0) {
		return errf(CodeAccImm1, "%s: imm1 must be immediate 0 unless the accumulator is loaded", in.Info.Name)
	}
	return nil
}

func ruleExp(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if in.Get(FOp0) != 0 || in.Get(FOp1) != 0 || in.Get(FReverse) != 0 {
		return errf(CodeExpOps, "Exponential takes no ALU operations")
	}
	return nil
}

func ruleBothPSUM(in *Inst, _ machine.Engine, _ machine.Gen) error {
	a, b := in.Tensor(FSrc0).Addr, in.Tensor(FSrc1).Addr
	if !a.IsReg() && !b.IsReg() && a.IsPSUM() && b.IsPSUM() {
		return errf(CodeTTPSUM, "%s: both inputs are in PSUM", in.Info.Name)
	}
	return nil
}

func ruleTensorTensor(in *Inst, eng machine.Engine, gen machine.Gen) error {
	if err := ruleBothPSUM(in, eng, gen); err != nil {
		return err
	}
	op := in.ALU(FOp)
	if op.IsBitvec() {
		return errf(CodeAluOp, "%s: %s is not an arithmetic operation", in.Info.Name, op)
	}
	if op.IsInt32() {
		for _, f := range [...]FieldID{FIn0Dtype, FIn1Dtype, FOutDtype} {
			if d := in.DType(f); eng != machine.Pool || d != DTI32 && d != DTU32 {
				return errf(CodeAluOp, "%s: %s needs 32-bit integers on GpSimd, %s is %s on %s", in.Info.Name, op, f, d, eng)
			}
		}
	}
	return nil
}

func ruleMaskDtype(in *Inst, _ machine.Engine, _ machine.Gen) error {
	switch d := in.DType(FMaskDtype); d {
	case DTU8, DTU16, DTU32:
		return nil
	default:
		return errf(CodeDtype, "%s: mask is %s, must be uint8, uint16 or uint32", in.Info.Name, d)
	}
}

func ruleFill(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if t := static(in, FDst); t != nil && t.Count() != in.Get(FDstElementCount) {
		return errf(CodeElementCount, "%s: dst_element_count is %d, dst has %d elements", in.Info.Name, in.Get(FDstElementCount), t.Count())
	}
	return nil
}

func ruleReadAcc(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if t := in.Tensor(FDst); in.Get(FDstElementCount) != 1 || t.Count() != 1 {
		return errf(CodeElementCount, "%s writes exactly one element a partition", in.Info.Name)
	}
	if in.Info.Code == OpActivationReadAccumulator && in.Get(FNegated) != 0 {
		return errf(CodeFormat, "ActivationReadAccumulator cannot negate")
	}
	return nil
}

func ruleReduce(in *Inst, _ machine.Engine, _ machine.Gen) error {
	ax := in.Int(FAxis)
	if ax < AxisX || ax > AxisXYZW {
		return errf(CodeFormat, "%s: axis code %d must be in 2..5", in.Info.Name, ax)
	}
	return reducedCount(in, ax-AxisX+1)
}

func reducedCount(in *Inst, axes int) error {
	s, d := static(in, FSrc), static(in, FDst)
	if s == nil || d == nil || s.Kind != DescStatic {
		return nil
	}
	n := int64(1)
	for i := axes; i < 4; i++ {
		n *= int64(s.Num[i])
	}
	if d.Count() != n {
		return errf(CodeElementCount, "%s: reducing %d axes leaves %d elements, dst has %d", in.Info.Name, axes, n, d.Count())
	}
	return nil
}

func rulePool(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if f := in.Get(FFunc); f != PoolMax && f != PoolAvg {
		return errf(CodeFormat, "Pool: function %d must be 1 or 2", f)
	}
	return reducedCount(in, 2)
}

func ruleCrossLane(in *Inst, eng machine.Engine, gen machine.Gen) error {
	c := in.Get(FReduceCmd)
	if bit := in.Info.Code == OpCrossLaneReduceBitvec; c > LaneXor || bit != (c >= LaneOr) {
		return errf(CodeFormat, "%s: reduce command %d is not of its class", in.Info.Name, c)
	}
	if in.Get(FChannelOnly) != 0 {
		return same(FSrc, FDst)(in, eng, gen)
	}
	return count(FDst, 1, 1)(in, eng, gen)
}

func patternCount(in *Inst) int64 {
	return in.Get(FNum0) * in.Get(FNum1) * in.Get(FNum2) * in.Get(FNum3)
}

func rulePattern(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if t := static(in, FDst); t != nil && patternCount(in) != t.Count() {
		return errf(CodeElementCount, "%s: pattern has %d elements, dst has %d", in.Info.Name, patternCount(in), t.Count())
	}
	return nil
}

func ruleAffineSelect(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if patternCount(in) == 0 {
		return errf(CodeCountZero, "%s: a pattern count is 0", in.Info.Name)
	}
	switch in.ALU(FCmpOp) {
	case AluIsEqual, AluNotEqual, AluIsGt, AluIsGe, AluIsLt, AluIsLe:
		return nil
	}
	return errf(CodeAluOp, "%s: %s is not a comparison", in.Info.Name, in.ALU(FCmpOp))
}

func ruleTriples(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if t := static(in, FSrc); t != nil && t.Count()%3 != 0 {
		return errf(CodeElementCount, "%s: source has %d elements, must be triples", in.Info.Name, t.Count())
	}
	return nil
}

func ruleMax8(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if t := static(in, FSrc); t != nil && (t.Count() < 8 || t.Count() > 16384) {
		return errf(CodeMax8Count, "%s: source has %d elements, must be in 8..16384", in.Info.Name, t.Count())
	}
	return nil
}

func ruleActivate(in *Inst, _ machine.Engine, gen machine.Gen) error {
	if gen == machine.Gen2 && in.Src(FBiasSrc) == ImmImmediate {
		return errf(CodeActBiasImm, "Activate: generation 2 takes the bias from memory only")
	}
	return nil
}

func ruleActivate2(in *Inst, _ machine.Engine, _ machine.Gen) error {
	switch p := [2]ALU{in.ALU(FOp0), in.ALU(FOp1)}; p {
	case [2]ALU{AluMult, AluAdd}, [2]ALU{AluMult, AluSubtract}, [2]ALU{AluMult, AluBypass}, [2]ALU{AluAdd, AluBypass},
		[2]ALU{AluSubtract, AluBypass}, [2]ALU{AluBypass, AluBypass}:
	default:
		return errf(CodeAC2Ops, "Activate2: operations (%s, %s) are not a legal pair", p[0], p[1])
	}
	src := in.Tensor(FSrc).Addr
	if src.IsReg() {
		return nil
	}
	quadrant, pointers := -1, 0
	if !src.IsPSUM() {
		quadrant = src.Partition() / 32
	}
	for _, f := range [...]FieldID{FImm0, FImm1, FReluParam} {
		s, v := in.Imm(f)
		if s != ImmPointer || Addr(v).IsReg() {
			continue
		}
		q := Addr(v).Partition() / 32
		if Addr(v).IsPSUM() || quadrant >= 0 && q != quadrant {
			return errf(CodeAC2Quadrant, "Activate2: pointer %s must be in the SBUF quadrant of the source and of the other pointers", f)
		}
		quadrant = q
		pointers++
	}
	return nil
}

func ruleAccFlags(in *Inst, _ machine.Engine, _ machine.Gen) error {
	switch f := in.Get(FAccFlags); f {
	case 0, 1, 2, 3, 4, 6:
		return nil
	default:
		return errf(CodeAccFlags, "%s: accumulate flags %d are not legal", in.Info.Name, f)
	}
}

func ruleLdweights(in *Inst, _ machine.Engine, gen machine.Gen) error {
	t := in.Tensor(FWeights)
	if !t.Addr.IsReg() && t.Addr.IsPSUM() {
		return errf(CodeAddrSpace, "Ldweights: the stationary operand must be in SBUF")
	}
	if in.Get(FPerfMode) > 3 {
		return errf(CodePerfMode, "Ldweights: performance mode %d has no wire form", in.Get(FPerfMode))
	}
	if in.Get(FPerfMode) == 0 && t.Kind == DescStatic && t.Count() != in.Get(FNumActiveCols) {
		return errf(CodeElementCount, "Ldweights: stationary has %d columns, num_active_cols is %d", t.Count(), in.Get(FNumActiveCols))
	}
	return nil
}

// matmulMaxN is the largest moving free size of generations 2 and 3; generation 4 allows a whole PSUM partition.
const matmulMaxN = 512

func ruleMatmul(in *Inst, eng machine.Engine, gen machine.Gen) error {
	if err := ruleAccFlags(in, eng, gen); err != nil {
		return err
	}
	mv, dst := in.Tensor(FMoving), in.Tensor(FDst)
	if !mv.Addr.IsReg() && mv.Addr.IsPSUM() {
		return errf(CodeAddrSpace, "Matmul: the moving operand must be in SBUF")
	}
	if !dst.Addr.IsReg() && !dst.Addr.IsPSUM() {
		return errf(CodeAddrSpace, "Matmul: the destination must be in PSUM")
	}
	if in.Get(FPerfMode) > 3 {
		return errf(CodePerfMode, "Matmul: performance mode %d has no wire form", in.Get(FPerfMode))
	}
	if in.Get(FPerfMode) == 0 && mv.Kind == DescStatic && mv.Count() != dst.Count() {
		return errf(CodeElementCount, "Matmul: moving has %d columns, dst has %d", mv.Count(), dst.Count())
	}
	if gen < machine.Gen4 {
		if dst.Count() > matmulMaxN {
			return errf(CodeElementCount, "Matmul: %d columns, generation %d takes at most %d", dst.Count(), gen, matmulMaxN)
		}
		if d := in.DType(FDstDtype); d != 0 {
			return errf(CodePSUMDtype, "Matmul: the result dtype is not selectable on generation %d", gen)
		}
	}
	return nil
}

func ruleEvent(in *Inst, _ machine.Engine, _ machine.Gen) error {
	for _, m := range [...]WaitMode{in.Wait.Mode, WaitMode(in.Get(FWait1Mode))} {
		switch m {
		case WaitNone, WaitSemGE, WaitSemGEReg:
		default:
			return errf(CodeWaitMode, "EventSemaphore: wait mode %#02x is not allowed", uint8(m))
		}
	}
	u := UpdateMode(in.Get(FUpdateMode))
	if !u.Valid() {
		return errf(CodeUpdateMode, "EventSemaphore: update mode %#02x is not defined", uint8(u))
	}
	if in.Update.Mode != UpdateNone {
		return errf(CodeFormat, "EventSemaphore: the update belongs in its body, not in the sync band")
	}
	if in.Wait.Mode == WaitNone && in.Get(FWait1Mode) == 0 && u == UpdateNone {
		return errf(CodeEventEmpty, "EventSemaphore with neither wait nor update")
	}
	if WaitMode(in.Get(FWait1Mode)) == WaitSemGEReg && uint64(in.Get(FWait1Value)) > 63 {
		return errf(CodeRegID, "EventSemaphore: wait register %d is above 63", in.Get(FWait1Value))
	}
	return nil
}

func ruleBranch(in *Inst, _ machine.Engine, _ machine.Gen) error {
	c := in.Get(FCompOp)
	if c > math.MaxUint8 || !Cmp(c).Valid() {
		return errf(CodeBranchOp, "CompareBranch: comparison %d is not defined", c)
	}
	if Cmp(c) != CmpAlways && in.Get(FDtype) == 0 {
		return errf(CodeDtype, "CompareBranch: comparison without a dtype")
	}
	return nil
}

func ruleMove(in *Inst, _ machine.Engine, _ machine.Gen) error {
	n := in.Get(FNumRegs)
	if n == 2 && in.Get(FSrcMode) == 0 {
		return errf(CodeMove64Reg, "Move: a 64-bit move between registers has no encoding")
	}
	switch d := in.DType(FDtype); d {
	case DTF32, DTU32, DTI32, DTI64, DTU64:
		return nil
	default:
		return errf(CodeMoveDtype, "Move: %s is not a register type", d)
	}
}

func ruleStore(in *Inst, _ machine.Engine, gen machine.Gen) error {
	v := uint64(in.Get(FAddr))
	if v>>63 != 0 {
		return nil
	}
	if a := Addr(v); a.IsPSUM() || gen == machine.Gen2 {
		return errf(CodeStoreSpace, "TensorStore to %s is not possible on generation %d", a, gen)
	}
	return nil
}

func ruleQueueName(in *Inst, _ machine.Engine, _ machine.Gen) error {
	if in.Name == "" || len(in.Name) > 31 {
		return errf(CodeQueueName, "%s: queue name %q must have 1 to 31 bytes", in.Info.Name, in.Name)
	}
	return nil
}

func ruleDirect2d(in *Inst, eng machine.Engine, _ machine.Gen) error {
	if eng != machine.Pool && eng != machine.ACT && eng != machine.SP {
		return errf(CodeEngine, "PseudoDmaDirect2d: engine %s has no descriptor generator", eng)
	}
	if c := in.Get(FSyncCommand); c < DMATranspose || c > DMACopy {
		return errf(CodeFormat, "PseudoDmaDirect2d: sync command %d must be in 1..3", c)
	}
	for _, f := range [...]FieldID{FSrc, FDst} {
		if a := in.Addr8(f); a.IsOnChip() && Addr(a.Imm()).IsPSUM() {
			return errf(CodeAddrSpace, "PseudoDmaDirect2d: %s is in PSUM, which DMA cannot reach", f)
		}
	}
	for _, f := range [...]FieldID{FSrcOffsetReg, FDstOffsetReg} {
		if v := in.Get(f); v != 0 && v&0x80 == 0 {
			return errf(CodeRegID, "PseudoDmaDirect2d: %s %#02x has no register flag", f, v)
		}
	}
	ns, nd := in.Get(FSrcNum0)*in.Get(FSrcNum1), in.Get(FDstNum0)*in.Get(FDstNum1)
	if ns == 0 || nd == 0 {
		return errf(CodeCountZero, "PseudoDmaDirect2d: a loop count is 0")
	}
	ss, ds := in.DType(FSrcDtype).Size(), in.DType(FDstDtype).Size()
	if elems := func(n int64, f FieldID, size int) int64 { return n * ElemSize(in, f) / int64(size) }; elems(ns, FSrcElemSize, ss) != elems(nd, FDstElemSize, ds) {
		return errf(CodeElementCount, "PseudoDmaDirect2d: source moves %d x %d bytes of %s, destination %d x %d bytes of %s",
			ns, ElemSize(in, FSrcElemSize), in.DType(FSrcDtype), nd, ElemSize(in, FDstElemSize), in.DType(FDstDtype))
	}
	return nil
}

// ElemSize returns an elem_size field of a PseudoDmaDirect2d in bytes: 0 on the wire stands for 65536.
func ElemSize(in *Inst, f FieldID) int64 {
	if v := in.Get(f); v != 0 {
		return v
	}
	return 65536
}
