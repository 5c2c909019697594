package isa

import (
	"fmt"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// DType is a wire dtype, isa.md 7.3.
type DType uint8

const (
	DTU64    DType = 0x01
	DTI8     DType = 0x02
	DTU8     DType = 0x03
	DTI16    DType = 0x04
	DTU16    DType = 0x05
	DTBF16   DType = 0x06
	DTF16    DType = 0x07
	DTI32    DType = 0x08
	DTU32    DType = 0x09
	DTF32    DType = 0x0A
	DTF32R   DType = 0x0B
	DTI64    DType = 0x0C
	DTF8E3   DType = 0x0D
	DTF8E4   DType = 0x0E
	DTF8E5   DType = 0x0F
	DTF4E2x4 DType = 0x10 // gen4
)

var dtypeRows = [...]struct {
	name string // profiler spelling
	size int
	typ  dtype.Type
}{
	DTU64:    {"uint64", 8, dtype.U64},
	DTI8:     {"int8", 1, dtype.I8},
	DTU8:     {"uint8", 1, dtype.U8},
	DTI16:    {"int16", 2, dtype.I16},
	DTU16:    {"uint16", 2, dtype.U16},
	DTBF16:   {"bfloat16", 2, dtype.BF16},
	DTF16:    {"fp16", 2, dtype.F16},
	DTI32:    {"int32", 4, dtype.I32},
	DTU32:    {"uint32", 4, dtype.U32},
	DTF32:    {"fp32", 4, dtype.F32},
	DTF32R:   {"fp32r", 4, dtype.TF32},
	DTI64:    {"int64", 8, dtype.I64},
	DTF8E3:   {"fp8e3", 1, dtype.F8E3M4},
	DTF8E4:   {"fp8e4", 1, dtype.F8E4M3},
	DTF8E5:   {"fp8e5", 1, dtype.F8E5M2},
	DTF4E2x4: {"fp4e2x4", 2, dtype.F4E2M1FN},
}

// Valid reports whether the tag is defined for a generation.
func (d DType) Valid(gen machine.Gen) bool {
	return d >= DTU64 && (d <= DTF8E5 || d == DTF4E2x4 && gen >= machine.Gen4)
}

// Size returns the container size in bytes, 0 for an undefined tag.
func (d DType) Size() int {
	if int(d) < len(dtypeRows) {
		return dtypeRows[d].size
	}
	return 0
}

// Type returns the element type. ocp says that tag 0x0E is float8_e4m3fn in this program, not float8_e4m3.
func (d DType) Type(ocp bool) dtype.Type {
	if d == DTF8E4 && ocp {
		return dtype.F8E4M3FN
	}
	if int(d) < len(dtypeRows) {
		return dtypeRows[d].typ
	}
	return dtype.Invalid
}

// IsFloat reports whether the tag is a floating-point format.
func (d DType) IsFloat() bool {
	switch d {
	case DTBF16, DTF16, DTF32, DTF32R, DTF8E3, DTF8E4, DTF8E5, DTF4E2x4:
		return true
	}
	return false
}

func (d DType) String() string {
	if int(d) < len(dtypeRows) && d > 0 {
		return dtypeRows[d].name
	}
	return fmt.Sprintf("dtype%#02x", uint8(d))
}

// WireDType returns the wire tag of an element type. Booleans travel as uint8.
func WireDType(t dtype.Type) (DType, error) {
	switch t {
	case dtype.I1, dtype.F8E8M0FNU:
		return DTU8, nil
	case dtype.F8E4M3FN:
		return DTF8E4, nil
	case dtype.F4E2M1FN:
	default:
		for d := DTU64; d <= DTF8E5; d++ {
			if dtypeRows[d].typ == t {
				return d, nil
			}
		}
	}
	return 0, errf(CodeDtype, "element type %d has no wire form", uint8(t))
}

// ALU is a wire ALU operation, isa.md 7.4.
type ALU uint8

const (
	AluBypass            ALU = 0x00
	AluBitwiseNot        ALU = 0x01
	AluArithShiftLeft    ALU = 0x02
	AluArithShiftRight   ALU = 0x03
	AluAdd               ALU = 0x04
	AluSubtract          ALU = 0x05
	AluMult              ALU = 0x06
	AluDivide            ALU = 0x07
	AluMax               ALU = 0x08
	AluMin               ALU = 0x09
	AluBitwiseAnd        ALU = 0x0A
	AluBitwiseOr         ALU = 0x0B
	AluBitwiseXor        ALU = 0x0C
	AluLogicalAnd        ALU = 0x0D
	AluLogicalOr         ALU = 0x0E
	AluLogicalXor        ALU = 0x0F
	AluLogicalShiftLeft  ALU = 0x10
	AluLogicalShiftRight ALU = 0x11
	AluIsEqual           ALU = 0x12
	AluIsGt              ALU = 0x13
	AluIsGe              ALU = 0x14
	AluIsLe              ALU = 0x15
	AluIsLt              ALU = 0x16
	AluNotEqual          ALU = 0x18
	AluAbs               ALU = 0x19
	AluPow               ALU = 0x1A
	AluMod               ALU = 0x1B
	AluRsqrt             ALU = 0x1D
	AluAbsMax            ALU = 0x20 // gen4
	AluAbsMin            ALU = 0x21 // gen4
	AluIntAdd            ALU = 0xC4 // the int32 band of POOL TensorTensor
	AluIntMult           ALU = 0xC5
	AluIntSubtract       ALU = 0xC6
	AluIntDivide         ALU = 0xC7
	AluIntMod            ALU = 0xC8 // gen4 outside that band
)

// aluRow is a row of the ALU table. bir is BIR's AluOpType ordinal, -1 for none.
type aluRow struct {
	op     ALU
	bir    int
	name   string
	bitvec bool
	gen4   bool
}

var aluTable = []aluRow{
	{AluBypass, 0, "bypass", false, false},
	{AluBitwiseNot, 1, "bitwise_not", true, false},
	{AluArithShiftLeft, 2, "arith_shift_left", true, false},
	{AluArithShiftRight, 3, "arith_shift_right", true, false},
	{AluAdd, 4, "add", false, false},
	{AluSubtract, 5, "subtract", false, false},
	{AluMult, 6, "mult", false, false},
	{AluDivide, 7, "divide", false, false},
	{AluMax, 8, "max", false, false},
	{AluMin, 9, "min", false, false},
	{AluBitwiseAnd, 10, "bitwise_and", true, false},
	{AluBitwiseOr, 11, "bitwise_or", true, false},
	{AluBitwiseXor, 12, "bitwise_xor", true, false},
	{AluLogicalAnd, 13, "logical_and", false, false},
	{AluLogicalOr, 14, "logical_or", false, false},
	{AluLogicalXor, 15, "logical_xor", false, false},
	{AluLogicalShiftLeft, 16, "logical_shift_left", true, false},
	{AluLogicalShiftRight, 17, "logical_shift_right", true, false},
	{AluIsEqual, 18, "is_equal", false, false},
	{AluNotEqual, 19, "not_equal", false, false},
	{AluIsGt, 20, "is_gt", false, false},
	{AluIsGe, 21, "is_ge", false, false},
	{AluIsLt, 22, "is_lt", false, false},
	{AluIsLe, 23, "is_le", false, false},
	{AluPow, 26, "pow", false, false},
	{AluMod, 27, "mod", false, false},
	{AluRsqrt, 28, "rsqrt", false, false},
	{AluAbs, 29, "abs", false, false},
	{AluAbsMax, 30, "abs_max", false, true},
	{AluAbsMin, 31, "abs_min", false, true},
	{AluIntAdd, -1, "int_add", false, false},
	{AluIntMult, -1, "int_mult", false, false},
	{AluIntSubtract, -1, "int_subtract", false, false},
	{AluIntDivide, -1, "int_divide", false, false},
	{AluIntMod, 32, "mod_int", false, false},
}

var (
	aluByWire [256]*aluRow
	aluByBIR  [64]*aluRow
)

func init() {
	for i := range aluTable {
		r := &aluTable[i]
		aluByWire[r.op] = r
		if r.bir >= 0 {
			aluByBIR[r.bir] = r
		}
	}
}

// Valid reports whether the operation exists on a generation.
func (a ALU) Valid(gen machine.Gen) bool {
	r := aluByWire[a]
	return r != nil && (!r.gen4 || gen >= machine.Gen4)
}

// IsBitvec reports whether the operation needs a Bitvec opcode.
func (a ALU) IsBitvec() bool { return aluByWire[a] != nil && aluByWire[a].bitvec }

// IsInt32 reports whether the operation belongs to the exact int32 band of POOL.
func (a ALU) IsInt32() bool { return a >= AluIntAdd && a <= AluIntMod }

func (a ALU) String() string {
	if r := aluByWire[a]; r != nil {
		return r.name
	}
	return fmt.Sprintf("alu%#02x", uint8(a))
}

// ALUFromBIR returns the wire operation of a BIR AluOpType ordinal.
func ALUFromBIR(ord int) (ALU, error) {
	if ord >= 0 && ord < len(aluByBIR) && aluByBIR[ord] != nil {
		return aluByBIR[ord].op, nil
	}
	return 0, errf(CodeAluOp, "ALU operation %d has no wire form", ord)
}

// Act is a wire activation function, isa.md 7.5.
type Act uint8

const (
	ActIdentity         Act = 1
	ActRelu             Act = 2
	ActLrelu            Act = 3
	ActPrelu            Act = 4
	ActSigmoid          Act = 5
	ActTanh             Act = 6
	ActExp              Act = 7
	ActSqrt             Act = 8
	ActSoftplus         Act = 9
	ActLn               Act = 10
	ActSin              Act = 19
	ActErf              Act = 21
	ActDerivErf         Act = 22
	ActGelu             Act = 23
	ActMish             Act = 24
	ActGeluTanh         Act = 25
	ActGeluSigmoid      Act = 26
	ActArctan           Act = 28
	ActRsqrt            Act = 29
	ActSquare           Act = 30
	ActSign             Act = 31
	ActDerivGelu        Act = 32
	ActAbs              Act = 33
	ActAbsRecipSqrt     Act = 34
	ActIsFinite         Act = 35
	ActSilu             Act = 36
	ActDerivSilu        Act = 37
	ActDerivGeluSigmoid Act = 38
	ActCopy             Act = 128
	ActReciprocal       Act = 129
)

type actRow struct {
	f     Act
	bir   int
	name  string
	wired bool // needs no table
}

// actTable is in BIR order.
var actTable = []actRow{
	{ActIdentity, 0, "Identity", true},
	{ActSquare, 1, "Square", true},
	{ActRelu, 2, "Relu", true},
	{ActLrelu, 3, "Lrelu", true},
	{ActPrelu, 4, "Prelu", true},
	{ActSigmoid, 5, "Sigmoid", false},
	{ActTanh, 6, "Tanh", false},
	{ActExp, 7, "Exp", false},
	{ActSoftplus, 8, "Softplus", false},
	{ActSqrt, 9, "Sqrt", false},
	{ActRsqrt, 10, "Rsqrt", false},
	{ActLn, 11, "Ln", false},
	{ActErf, 12, "Erf", false},
	{ActSin, 13, "Sin", false},
	{ActArctan, 14, "Arctan", false},
	{ActSign, 15, "Sign", true},
	{ActGelu, 16, "Gelu", false},
	{ActMish, 17, "Mish", false},
	{ActGeluTanh, 18, "Gelu_apprx_tanh", false},
	{ActGeluSigmoid, 19, "Gelu_apprx_sigmoid", false},
	{ActDerivGeluSigmoid, 20, "Derivative_Gelu_apprx_sigmoid", false},
	{ActDerivGelu, 21, "Derivative_Gelu", false},
	{ActDerivErf, 22, "Derivative_Erf", false},
	{ActCopy, 23, "Copy", true},
	{ActAbs, 24, "Abs", true},
	{ActReciprocal, 25, "Reciprocal", false},
	{ActAbsRecipSqrt, 26, "Abs_reciprocal_sqrt", false},
	{ActSilu, 27, "Silu", false},
	{ActDerivSilu, 28, "Derivative_silu", false},
	{ActIsFinite, 29, "Is_finite", true},
}

var actByWire [256]*actRow

func init() {
	for i := range actTable {
		actByWire[actTable[i].f] = &actTable[i]
	}
}

// Valid reports whether the function id is defined.
func (a Act) Valid() bool { return actByWire[a] != nil }

// Hardwired reports whether the function needs no resident table.
func (a Act) Hardwired() bool { return actByWire[a] != nil && actByWire[a].wired }

func (a Act) String() string {
	if r := actByWire[a]; r != nil {
		return r.name
	}
	return fmt.Sprintf("act%d", uint8(a))
}

// ActFromBIR returns the wire function of a BIR ActivationFunctionType ordinal.
func ActFromBIR(ord int) (Act, error) {
	if ord >= 0 && ord < len(actTable) {
		return actTable[ord].f, nil
	}
	return 0, errf(CodeActFunc, "activation function %d has no wire form", ord)
}

// Acc is an accumulate command, isa.md 7.6.
type Acc uint8

const (
	AccIdle           Acc = 0
	AccZero           Acc = 1
	AccAdd            Acc = 2
	AccZeroAccumulate Acc = 3
	AccLoad           Acc = 4
)

func (a Acc) String() string { return enumName("acc", uint8(a), accNames[:]) }

var accNames = [...]string{"idle", "reset", "reduce", "reset_reduce", "load_reduce"}

// AccFromBIR returns the wire command of a BIR EngineAccumulationType ordinal.
func AccFromBIR(ord int) (Acc, error) {
	switch ord {
	case 0:
		return AccIdle, nil
	case 1:
		return AccZero, nil
	case 3:
		return AccZeroAccumulate, nil
	case 4:
		return AccAdd, nil
	case 5:
		return AccLoad, nil
	}
	return 0, errf(CodeAccCmd, "accumulation type %d has no wire form", ord)
}

// PSUM accumulate flags, isa.md 7.7.
const (
	PsumStart      = 1
	PsumStop       = 2
	PsumAccumulate = 4
)

// ImmSrc is the source of a scalar operand, isa.md 2.5.
type ImmSrc uint8

const (
	ImmPointer   ImmSrc = 0
	ImmImmediate ImmSrc = 1
	ImmRegister  ImmSrc = 2
)

// WaitMode and UpdateMode are the sync modes, isa.md 7.10.
type WaitMode uint8

const (
	WaitNone              WaitMode = 0
	WaitSemEQ             WaitMode = 0x01
	WaitSemDec            WaitMode = 0x04
	WaitSemGE             WaitMode = 0x05
	WaitEventSetThenClear WaitMode = 0x07
	WaitSemGEReg          WaitMode = 0x85
)

// Valid reports whether the mode is defined.
func (m WaitMode) Valid() bool {
	switch m {
	case WaitNone, WaitSemEQ, WaitSemDec, WaitSemGE, WaitEventSetThenClear, WaitSemGEReg:
		return true
	}
	return false
}

type UpdateMode uint8

const (
	UpdateNone     UpdateMode = 0
	UpdateEventSet UpdateMode = 0x11
	UpdateEventClr UpdateMode = 0x12
	UpdateInc      UpdateMode = 0x13
	UpdateDec      UpdateMode = 0x14
	UpdateAdd      UpdateMode = 0x15
	UpdateSub      UpdateMode = 0x17
	UpdateWrite    UpdateMode = 0x19

	// UpdateComplete is the bit of the trigger time: set on completion, clear once inputs are read.
	UpdateComplete UpdateMode = 0x10
)

// Op returns the operation without its trigger time, as the @complete constant.
func (m UpdateMode) Op() UpdateMode { return m | UpdateComplete }

// Valid reports whether the mode is defined.
func (m UpdateMode) Valid() bool {
	if m == UpdateNone {
		return true
	}
	switch m | UpdateComplete {
	case UpdateEventSet, UpdateEventClr, UpdateInc, UpdateDec, UpdateAdd, UpdateSub, UpdateWrite:
		return m < 0x20
	}
	return false
}

// UsesValue reports whether the mode takes an amount.
func (m UpdateMode) UsesValue() bool {
	switch m | UpdateComplete {
	case UpdateAdd, UpdateSub, UpdateWrite:
		return m != UpdateNone
	}
	return false
}

// Cmp is a branch comparison, isa.md 7.11.
type Cmp uint8

const (
	CmpAlways Cmp = 0
	CmpLT     Cmp = 1 // against the immediate
	CmpLE     Cmp = 2
	CmpEQ     Cmp = 3
	CmpNE     Cmp = 4
	CmpGE     Cmp = 5
	CmpGT     Cmp = 6
	CmpLTReg  Cmp = 9 // against a register
	CmpLEReg  Cmp = 10
	CmpEQReg  Cmp = 11
	CmpNEReg  Cmp = 12
	CmpGEReg  Cmp = 13
	CmpGTReg  Cmp = 14
)

var cmpNames = [...]string{"always", "lt", "le", "eq", "ne", "ge", "gt", "", "", "lt_reg", "le_reg", "eq_reg", "ne_reg", "ge_reg", "gt_reg"}

// Valid reports whether the comparison is defined.
func (c Cmp) Valid() bool { return int(c) < len(cmpNames) && cmpNames[c] != "" }

func (c Cmp) String() string { return enumName("cmp", uint8(c), cmpNames[:]) }

// IsReg reports whether the right-hand side is a register.
func (c Cmp) IsReg() bool { return c >= CmpLTReg && c <= CmpGTReg }

// Negate returns the comparison that holds when c does not.
func (c Cmp) Negate() Cmp {
	switch c {
	case CmpLT, CmpLTReg:
		return c + (CmpGE - CmpLT)
	case CmpGE, CmpGEReg:
		return c - (CmpGE - CmpLT)
	case CmpLE, CmpLEReg:
		return c + (CmpGT - CmpLE)
	case CmpGT, CmpGTReg:
		return c - (CmpGT - CmpLE)
	case CmpEQ, CmpEQReg:
		return c + 1
	case CmpNE, CmpNEReg:
		return c - 1
	}
	return c
}

// Axis codes of TensorReduce and Pool, pool functions, cross-lane reduce commands, isa.md 7.8.
const (
	AxisX    = 2
	AxisXY   = 3
	AxisXYZ  = 4
	AxisXYZW = 5

	PoolMax = 1
	PoolAvg = 2

	LaneAdd = 0
	LaneAvg = 1
	LaneMax = 2
	LaneOr  = 3
	LaneAnd = 4
	LaneXor = 5
)

// Sync commands of PseudoDmaDirect2d.
const (
	DMATranspose = 1
	DMACompute   = 2
	DMACopy      = 3
)

func enumName(prefix string, v uint8, names []string) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return fmt.Sprintf("%s%d", prefix, v)
}
