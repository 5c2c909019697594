package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
)

func b2f(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// aluOps is the arithmetic half of the ALU table (semantics.md 4.1, 4.3): a op b in float32.
var aluOps = map[bir.AluOp]func(a, b float32) float32{
	bir.AluBypass:      func(a, _ float32) float32 { return a },
	bir.AluAdd:         func(a, b float32) float32 { return a + b },
	bir.AluSubtract:    func(a, b float32) float32 { return a - b },
	bir.AluMult:        func(a, b float32) float32 { return a * b },
	bir.AluElemwiseMul: func(a, b float32) float32 { return a * b },
	bir.AluDivide:      func(a, b float32) float32 { return a / b },
	bir.AluMax:         func(a, b float32) float32 { return maxSecond(a, b) },
	bir.AluMin:         func(a, b float32) float32 { return minSecond(a, b) },
	bir.AluLogicalAnd:  func(a, b float32) float32 { return b2f(a != 0 && b != 0) },
	bir.AluLogicalOr:   func(a, b float32) float32 { return b2f(a != 0 || b != 0) },
	bir.AluLogicalXor:  func(a, b float32) float32 { return b2f((a != 0) != (b != 0)) },
	bir.AluIsEqual:     func(a, b float32) float32 { return b2f(a == b) },
	bir.AluNotEqual:    func(a, b float32) float32 { return b2f(a != b) },
	bir.AluIsGT:        func(a, b float32) float32 { return b2f(a > b) },
	bir.AluIsGE:        func(a, b float32) float32 { return b2f(a >= b) },
	bir.AluIsLT:        func(a, b float32) float32 { return b2f(a < b) },
	bir.AluIsLE:        func(a, b float32) float32 { return b2f(a <= b) },
	bir.AluPow:         func(a, b float32) float32 { return float32(math.Pow(float64(a), float64(b))) },
	bir.AluMod: func(a, b float32) float32 {
		if b == 0 {
			return float32(math.NaN())
		}
		x, y := float64(a), float64(b)
		return float32(x - math.Floor(x/y)*y)
	},
	bir.AluRsqrt: func(a, _ float32) float32 { return float32(1 / math.Sqrt(float64(a))) },
	bir.AluAbs:   func(a, _ float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) },
	bir.AluAbsMax: func(a, b float32) float32 {
		if abs32(a) > abs32(b) {
			return a
		}
		return b
	},
	bir.AluAbsMin: func(a, b float32) float32 {
		if abs32(a) < abs32(b) {
			return a
		}
		return b
	},
}

func abs32(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) }

// maxSecond returns the second operand on ties and NaN, as the hardware's comparator does.
func maxSecond(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func minSecond(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

func aluFunc(op bir.AluOp) (func(a, b float32) float32, error) {
	if f, ok := aluOps[op]; ok {
		return f, nil
	}
	return nil, diag.Errorf(CodeUnsupported, diag.Loc{}, "ALU operation %s is not arithmetic", op)
}

// isBitvec reports the operations on raw bit patterns.
func isBitvec(op bir.AluOp) bool {
	switch op {
	case bir.AluBitwiseNot, bir.AluArithShiftLeft, bir.AluArithShiftRight, bir.AluBitwiseAnd, bir.AluBitwiseOr,
		bir.AluBitwiseXor, bir.AluLogicalShiftLeft, bir.AluLogicalShiftRight:
		return true
	}
	return false
}

// bitOp applies a bit operation on elements of width bits held zero-extended (sign-extended for arithmetic
// right shifts) in 32 bits.
func bitOp(op bir.AluOp, a, b uint32, width int) uint32 {
	mask := uint32(1)<<uint(width) - 1
	if width == 32 {
		mask = math.MaxUint32
	}
	switch op {
	case bir.AluBypass:
		return a
	case bir.AluBitwiseNot:
		return ^a & mask
	case bir.AluBitwiseAnd:
		return a & b
	case bir.AluBitwiseOr:
		return a | b
	case bir.AluBitwiseXor:
		return a ^ b
	case bir.AluLogicalShiftLeft, bir.AluArithShiftLeft:
		if b >= 32 {
			return 0
		}
		return a << b & mask
	case bir.AluLogicalShiftRight:
		if b >= 32 {
			return 0
		}
		return (a & mask) >> b
	case bir.AluArithShiftRight:
		return uint32(int32(a) >> min(b, 31))
	}
	return 0
}

// applyTT computes dst = op(a, b) element by element; the common operations have loops of their own because the
// call through a function value costs more than the arithmetic.
func applyTT(op bir.AluOp, dst, a, b []float32) error {
	n := len(dst)
	a, b = a[:n], b[:n]
	switch op {
	case bir.AluAdd:
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	case bir.AluSubtract:
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	case bir.AluMult:
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	case bir.AluMax:
		for i := range dst {
			dst[i] = maxSecond(a[i], b[i])
		}
	case bir.AluMin:
		for i := range dst {
			dst[i] = minSecond(a[i], b[i])
		}
	case bir.AluBypass:
		copy(dst, a)
	default:
		f, err := aluFunc(op)
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] = f(a[i], b[i])
		}
	}
	return nil
}

// applyTS computes dst = op(a, s), or op(s, a) when reversed.
func applyTS(op bir.AluOp, rev bool, dst, a []float32, s float32) error {
	a = a[:len(dst)]
	switch {
	case op == bir.AluBypass && !rev:
		copy(dst, a)
	case op == bir.AluAdd:
		for i := range dst {
			dst[i] = a[i] + s
		}
	case op == bir.AluMult:
		for i := range dst {
			dst[i] = a[i] * s
		}
	case op == bir.AluSubtract && !rev:
		for i := range dst {
			dst[i] = a[i] - s
		}
	case op == bir.AluSubtract:
		for i := range dst {
			dst[i] = s - a[i]
		}
	case op == bir.AluMax && !rev:
		for i := range dst {
			dst[i] = maxSecond(a[i], s)
		}
	case op == bir.AluMin && !rev:
		for i := range dst {
			dst[i] = minSecond(a[i], s)
		}
	default:
		f, err := aluFunc(op)
		if err != nil {
			return err
		}
		if rev {
			for i := range dst {
				dst[i] = f(s, a[i])
			}
			return nil
		}
		for i := range dst {
			dst[i] = f(a[i], s)
		}
	}
	return nil
}

// identity returns the neutral element of an accumulating operation.
func identity(op bir.AluOp) float32 {
	switch op {
	case bir.AluMult, bir.AluElemwiseMul, bir.AluLogicalAnd:
		return 1
	case bir.AluMax:
		return float32(math.Inf(-1))
	case bir.AluMin, bir.AluAbsMin:
		return float32(math.Inf(1))
	}
	return 0
}

// accumulate folds x into acc in stream order, accumulator on the left.
func accumulate(op bir.AluOp, acc float32, x []float32) (float32, error) {
	switch op {
	case bir.AluAdd:
		for _, v := range x {
			acc += v
		}
	case bir.AluMult:
		for _, v := range x {
			acc *= v
		}
	case bir.AluSubtract:
		for _, v := range x {
			acc -= v
		}
	case bir.AluMax:
		// The comparator keeps the accumulator on ties and NaN.
		for _, v := range x {
			if v > acc {
				acc = v
			}
		}
	case bir.AluMin:
		for _, v := range x {
			if v < acc {
				acc = v
			}
		}
	default:
		f, err := aluFunc(op)
		if err != nil {
			return 0, err
		}
		for _, v := range x {
			acc = f(acc, v)
		}
	}
	return acc, nil
}
