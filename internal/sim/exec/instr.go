package exec

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// ScalarKind tells where a scalar operand comes from.
type ScalarKind uint8

const (
	NoScalar  ScalarKind = iota
	Immediate            // the bits in Value
	Pointer              // a [P,1] tile, one element a partition
	Register             // a sequencer register, read when the instruction issues
)

// Scalar is a scalar or per-partition operand.
type Scalar struct {
	Kind  ScalarKind
	Value uint32 // Immediate: fp32 bits for arithmetic, raw for bit operations; Register: its number
	Ptr   Ref
}

// Instr is a decoded instruction, ready to run. Which fields count depends on Op; the BIR and bundle loaders fill
// them the same way.
type Instr struct {
	Op     bir.Opcode
	Engine machine.Engine
	In     []Ref
	Out    []Ref
	S      [3]Scalar // Activation: scale, bias, alpha; TensorScalar: imm0, imm1; CopyPredicated: fill
	Alu    [2]bir.AluOp
	Rev    [2]bool
	Reduce bir.AluOp
	Func   bir.ActFunc
	Acc    bir.AccType
	// Mode picks a form within an opcode (TensorScalarPtr: plain, scalar-tensor-tensor, scan).
	Mode    Mode
	Axes    int  // reduce: how many innermost dimensions; -1 across partitions; -2 everything
	Negate  bool // reduce
	Reverse bool // predicate reversed
	// Matmul.
	K, M      int
	PEMode    PEMode
	AccFlags  uint8
	PERow     int
	PECol     int
	ZeroBanks int
	// Iota and affine select.
	Base    int32
	ChanMul int32
	Pattern []Walk // steps are integers added, not bytes
	Fill    uint32 // memset: bit pattern; affine select: fp32 bits of on_false
	Set     int    // LoadActFuncSet
	Count0  float32
	PoolAvg bool
}

// Mode is a form of an opcode that has several.
type Mode uint8

const (
	Plain              Mode = iota
	ScalarTensorTensor      // (in0 op0 s0) op1 in1
	TensorTensorScan        // r = (in0 op0 r) op1 in1
	Cumulative              // TensorScalarCache
	ReduceTo                // tensor_scalar_reduce
	AddressMode             // 64-bit integer arithmetic
)

// PEMode is the PE array's data mode.
type PEMode uint8

const (
	PENormal PEMode = iota
	PETranspose
)
