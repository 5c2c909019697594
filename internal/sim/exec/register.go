package exec

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
)

// RegisterOp returns the sequencer's form of an ALU operation on integers, or nil.
func RegisterOp(op bir.AluOp) func(a, b int64) int64 {
	if f := registerBits[op]; f != nil {
		return f
	}
	return intOps[op]
}

// registerBits are the bit operations on 32-bit registers.
var registerBits = map[bir.AluOp]func(a, b int64) int64{
	bir.AluBitwiseNot: func(a, _ int64) int64 { return ^a },
	bir.AluBitwiseAnd: func(a, b int64) int64 { return a & b },
	bir.AluBitwiseOr:  func(a, b int64) int64 { return a | b },
	bir.AluBitwiseXor: func(a, b int64) int64 { return a ^ b },
	bir.AluLogicalShiftLeft: func(a, b int64) int64 {
		return int64(bitOp(bir.AluLogicalShiftLeft, uint32(a), uint32(b), 32))
	},
	bir.AluLogicalShiftRight: func(a, b int64) int64 {
		return int64(bitOp(bir.AluLogicalShiftRight, uint32(a), uint32(b), 32))
	},
	bir.AluArithShiftLeft: func(a, b int64) int64 {
		return int64(bitOp(bir.AluArithShiftLeft, uint32(a), uint32(b), 32))
	},
	bir.AluArithShiftRight: func(a, b int64) int64 {
		return int64(int32(bitOp(bir.AluArithShiftRight, uint32(a), uint32(b), 32)))
	},
}

// Extend widens the bytes of one element: signed integers sign-extend, others zero-extend.
func Extend(raw []byte, t dtype.Type) int64 {
	var b [8]byte
	copy(b[:], raw)
	v := binary.LittleEndian.Uint64(b[:])
	if t.IsSigned() && t.IsInt() {
		shift := 64 - 8*len(raw)
		return int64(v<<shift) >> shift
	}
	return int64(v)
}
