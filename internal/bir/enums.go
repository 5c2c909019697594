package bir

import "fmt"

// enumName returns the wire name of member i, or a form that shows the number.
func enumName(typ string, names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", typ, i)
}

func enumIndex(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// AluOp is an ALU operation (bir.md 11.2).
type AluOp uint8

const (
	AluBypass AluOp = iota
	AluBitwiseNot
	AluArithShiftLeft
	AluArithShiftRight
	AluAdd
	AluSubtract
	AluMult
	AluDivide
	AluMax
	AluMin
	AluBitwiseAnd
	AluBitwiseOr
	AluBitwiseXor
	AluLogicalAnd
	AluLogicalOr
	AluLogicalXor
	AluLogicalShiftLeft
	AluLogicalShiftRight
	AluIsEqual
	AluNotEqual
	AluIsGT
	AluIsGE
	AluIsLT
	AluIsLE
	AluAverage
	AluElemwiseMul
	AluPow
	AluMod
	AluRsqrt
	AluAbs
	AluAbsMax
	AluAbsMin
	AluModInt
)

var aluOpNames = [...]string{"bypass", "bitwise_not", "arith_shift_left", "arith_shift_right", "add", "subtract", "mult", "divide", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "logical_shift_left", "logical_shift_right", "is_equal", "not_equal", "is_gt", "is_ge", "is_lt", "is_le", "average", "elemwise_mul", "pow", "mod", "rsqrt", "abs", "abs_max", "abs_min", "mod_int"}

// String returns the wire name.
func (v AluOp) String() string { return enumName("AluOp", aluOpNames[:], int(v)) }

// ParseAluOp returns the member called name.
func ParseAluOp(name string) (AluOp, bool) {
	i, ok := enumIndex(aluOpNames[:], name)
	return AluOp(i), ok
}

// ActFunc is an activation function (bir.md 11.3).
type ActFunc uint8

const (
	ActIdentity ActFunc = iota
	ActSquare
	ActRelu
	ActLrelu
	ActPrelu
	ActSigmoid
	ActTanh
	ActExp
	ActSoftplus
	ActSqrt
	ActRsqrt
	ActLn
	ActErf
	ActSin
	ActArctan
	ActSign
	ActGelu
	ActMish
	ActGeluApprxTanh
	ActGeluApprxSigmoid
	ActDerivativeGeluApprxSigmoid
	ActDerivativeGelu
	ActDerivativeErf
	ActCopy
	ActAbs
	ActReciprocal
	ActAbsReciprocalSqrt
	ActSilu
	ActDerivativeSilu
	ActIsFinite
	ActUnknown
)

var actFuncNames = [...]string{"Identity", "Square", "Relu", "Lrelu", "Prelu", "Sigmoid", "Tanh", "Exp", "Softplus", "Sqrt", "Rsqrt", "Ln", "Erf", "Sin", "Arctan", "Sign", "Gelu", "Mish", "Gelu_apprx_tanh", "Gelu_apprx_sigmoid", "Derivative_Gelu_apprx_sigmoid", "Derivative_Gelu", "Derivative_Erf", "Copy", "Abs", "Reciprocal", "Abs_reciprocal_sqrt", "Silu", "Derivative_silu", "Is_finite", "Unknown"}

// String returns the wire name.
func (v ActFunc) String() string { return enumName("ActFunc", actFuncNames[:], int(v)) }

// ParseActFunc returns the member called name.
func ParseActFunc(name string) (ActFunc, bool) {
	i, ok := enumIndex(actFuncNames[:], name)
	return ActFunc(i), ok
}

// AccType is an accumulator command, EngineAccumulationType (bir.md 11.4).
type AccType uint8

const (
	AccIdle AccType = iota
	AccZero
	AccAccumulate
	AccZeroAccumulate
	AccAddAccumulate
	AccLoadAccumulate
)

var accTypeNames = [...]string{"Idle", "Zero", "Accumulate", "ZeroAccumulate", "AddAccumulate", "LoadAccumulate"}

// String returns the wire name.
func (v AccType) String() string { return enumName("AccType", accTypeNames[:], int(v)) }

// ParseAccType returns the member called name.
func ParseAccType(name string) (AccType, bool) {
	i, ok := enumIndex(accTypeNames[:], name)
	return AccType(i), ok
}

// AxisList says which dimensions a reduction folds: 1 to 4 innermost free dimensions, all and partitions, or partitions only.
type AxisList uint8

const (
	AxisX AxisList = iota
	AxisXY
	AxisXYZ
	AxisXYZW
	AxisXYZWC
	AxisC
)

var axisListNames = [...]string{"X", "XY", "XYZ", "XYZW", "XYZWC", "C"}

// String returns the wire name.
func (v AxisList) String() string { return enumName("AxisList", axisListNames[:], int(v)) }

// ParseAxisList returns the member called name.
func ParseAxisList(name string) (AxisList, bool) {
	i, ok := enumIndex(axisListNames[:], name)
	return AxisList(i), ok
}

// PoolFunc is a pooling function.
type PoolFunc uint8

const (
	PoolMax PoolFunc = iota
	PoolAvg
)

var poolFuncNames = [...]string{"Max", "Avg"}

// String returns the wire name.
func (v PoolFunc) String() string { return enumName("PoolFunc", poolFuncNames[:], int(v)) }

// ParsePoolFunc returns the member called name.
func ParsePoolFunc(name string) (PoolFunc, bool) {
	i, ok := enumIndex(poolFuncNames[:], name)
	return PoolFunc(i), ok
}

// PerfMode is a matmul performance mode.
type PerfMode uint8

const (
	PerfNone PerfMode = iota
	PerfDoubleRow
	PerfDoubleColumn
	PerfDoublePixel
	PerfDoubleRowSwInterleave
)

var perfModeNames = [...]string{"None", "DoubleRow", "DoubleColumn", "DoublePixel", "DoubleRowSwInterleave"}

// String returns the wire name.
func (v PerfMode) String() string { return enumName("PerfMode", perfModeNames[:], int(v)) }

// ParsePerfMode returns the member called name.
func ParsePerfMode(name string) (PerfMode, bool) {
	i, ok := enumIndex(perfModeNames[:], name)
	return PerfMode(i), ok
}

// CompareOp is a branch comparison against an immediate or a register.
type CompareOp uint8

const (
	CmpISLTIMM CompareOp = iota
	CmpISLEIMM
	CmpISEQIMM
	CmpISNEIMM
	CmpISGEIMM
	CmpISGTIMM
	CmpISLTREG
	CmpISLEREG
	CmpISEQREG
	CmpISNEREG
	CmpISGEREG
	CmpISGTREG
	CmpUnsupported
)

var compareOpNames = [...]string{"IS_LTIMM", "IS_LEIMM", "IS_EQIMM", "IS_NEIMM", "IS_GEIMM", "IS_GTIMM", "IS_LTREG", "IS_LEREG", "IS_EQREG", "IS_NEREG", "IS_GEREG", "IS_GTREG", "Unsupported"}

// String returns the wire name.
func (v CompareOp) String() string { return enumName("CompareOp", compareOpNames[:], int(v)) }

// ParseCompareOp returns the member called name.
func ParseCompareOp(name string) (CompareOp, bool) {
	i, ok := enumIndex(compareOpNames[:], name)
	return CompareOp(i), ok
}

// DGEType says who makes the descriptors of a DMA.
type DGEType uint8

const (
	DGENone DGEType = iota
	DGESWDGE
	DGEHWDGE
	DGEUnassigned
)

var dGETypeNames = [...]string{"None", "SWDGE", "HWDGE", "Unassigned"}

// String returns the wire name.
func (v DGEType) String() string { return enumName("DGEType", dGETypeNames[:], int(v)) }

// ParseDGEType returns the member called name.
func ParseDGEType(name string) (DGEType, bool) {
	i, ok := enumIndex(dGETypeNames[:], name)
	return DGEType(i), ok
}

// CopyMode is the mode of a DMACopy.
type CopyMode uint8

const (
	CopyCopy CopyMode = iota
	CopyTranspose
	CopyCCE
	CopyReplicate
)

var copyModeNames = [...]string{"Copy", "Transpose", "CCE", "Replicate"}

// String returns the wire name.
func (v CopyMode) String() string { return enumName("CopyMode", copyModeNames[:], int(v)) }

// ParseCopyMode returns the member called name.
func ParseCopyMode(name string) (CopyMode, bool) {
	i, ok := enumIndex(copyModeNames[:], name)
	return CopyMode(i), ok
}

// MemsetMode is the source of a Memset value.
type MemsetMode uint8

const (
	MemsetConst MemsetMode = iota
	MemsetRandom
)

var memsetModeNames = [...]string{"Const", "Random"}

// String returns the wire name.
func (v MemsetMode) String() string { return enumName("MemsetMode", memsetModeNames[:], int(v)) }

// ParseMemsetMode returns the member called name.
func ParseMemsetMode(name string) (MemsetMode, bool) {
	i, ok := enumIndex(memsetModeNames[:], name)
	return MemsetMode(i), ok
}

// TSCMode is the form of a TensorScalarCache.
type TSCMode uint8

const (
	TSCReduce TSCMode = iota
	TSCCumulative
	TSCTensorScan
)

var tSCModeNames = [...]string{"Reduce", "Cumulative", "TensorScan"}

// String returns the wire name.
func (v TSCMode) String() string { return enumName("TSCMode", tSCModeNames[:], int(v)) }

// ParseTSCMode returns the member called name.
func ParseTSCMode(name string) (TSCMode, bool) {
	i, ok := enumIndex(tSCModeNames[:], name)
	return TSCMode(i), ok
}

// ClearMode says how GroupResetSemaphores names its semaphores.
type ClearMode uint8

const (
	ClearSemaphoreZero ClearMode = iota
	ClearSemaphoreZeroBitmask
)

var clearModeNames = [...]string{"SemaphoreZero", "SemaphoreZeroBitmask"}

// String returns the wire name.
func (v ClearMode) String() string { return enumName("ClearMode", clearModeNames[:], int(v)) }

// ParseClearMode returns the member called name.
func ParseClearMode(name string) (ClearMode, bool) {
	i, ok := enumIndex(clearModeNames[:], name)
	return ClearMode(i), ok
}

// IsBitwise reports operations on bit patterns, which take integers only.
func (v AluOp) IsBitwise() bool {
	switch v {
	case AluBitwiseNot, AluBitwiseAnd, AluBitwiseOr, AluBitwiseXor, AluArithShiftLeft, AluArithShiftRight, AluLogicalShiftLeft, AluLogicalShiftRight:
		return true
	}
	return false
}

// IsReduction reports operations legal in a reduction (doc).
func (v AluOp) IsReduction() bool {
	switch v {
	case AluBitwiseAnd, AluBitwiseOr, AluBitwiseXor, AluAdd, AluSubtract, AluMult, AluMax, AluMin, AluLogicalAnd, AluLogicalOr, AluLogicalXor, AluAbsMax, AluAbsMin:
		return true
	}
	return false
}

// IsComparison reports operations whose result is 1 or 0.
func (v AluOp) IsComparison() bool { return v >= AluIsEqual && v <= AluIsLE }
