package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

func init() {
	register(bir.TensorCopy, runCopy)
	register(bir.Reciprocal, runReciprocal)
	register(bir.TensorTensor, runTensorTensor)
	register(bir.TensorScalar, runTensorScalar)
	register(bir.TensorScalarPtr, runTensorScalar)
	register(bir.TensorScalarCache, runTensorScalar)
	register(bir.Memset, runMemset)
	register(bir.Activation, runActivation)
	register(bir.ReadActivationAccumulator, runReadAccumulator)
	register(bir.ActivationReadAccumulator, runReadAccumulator)
	register(bir.DveReadAccumulator, runReadAccumulator)
	register(bir.LoadActFuncSet, func(s *State, in *Instr) error { s.ActSet = in.Set; return nil })
}

// runCopy: equal types move bytes, others go through float32.
func runCopy(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	if src.DT == dst.DT {
		return s.eachRowBytes(in, dst, func(p int, b []byte) error { return s.gather(b, src, p) })
	}
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error { return s.loadF32(d, src, p) })
}

func runReciprocal(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, src, p); err != nil {
			return err
		}
		for i, v := range d {
			d[i] = 1 / v
		}
		return nil
	})
}

func is32bitInt(t dtype.Type) bool { return t == dtype.I32 || t == dtype.U32 }

// runTensorTensor: float32 on Vector and GpSimd; raw bits for bit operations; native 32-bit integers on GpSimd when
// all three operands are 32-bit integers.
func runTensorTensor(s *State, in *Instr) error {
	if err := operands(in, 2, 1); err != nil {
		return err
	}
	a, b, dst := &in.In[0], &in.In[1], &in.Out[0]
	if err := sameShape(in, dst, a, b); err != nil {
		return err
	}
	if a.Space == PSUM && b.Space == PSUM {
		return diag.Errorf(CodeEngineMemory, diag.Loc{}, "TensorTensor: at most one PSUM input")
	}
	op := in.Alu[0]
	if isBitvec(op) {
		if !a.DT.IsInt() || !b.DT.IsInt() || !dst.DT.IsInt() {
			return diag.Errorf(CodeDType, diag.Loc{}, "%s works on integers, not %s, %s -> %s", op, a.DT, b.DT, dst.DT)
		}
		return s.eachRowBits(in, dst, func(p int, d []uint32) error {
			x, y := make([]uint32, a.N), make([]uint32, b.N)
			if err := s.loadBits(x, a, p, op == bir.AluArithShiftRight); err != nil {
				return err
			}
			if err := s.loadBits(y, b, p, false); err != nil {
				return err
			}
			for i := range d {
				d[i] = bitOp(op, x[i], y[i], a.Size*8)
			}
			return nil
		})
	}
	if in.Engine == machine.Pool && is32bitInt(a.DT) && is32bitInt(b.DT) && is32bitInt(dst.DT) {
		return s.intTensorTensor(in, a, b, dst)
	}
	y := s.scratch.floats(1, b.N)
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, a, p); err != nil {
			return err
		}
		if err := s.loadF32(y, b, p); err != nil {
			return err
		}
		return applyTT(op, d, d, y)
	})
}

// intTensorTensor is GpSimd's exact 32-bit integer path: arithmetic wraps modulo 2^32, comparisons and extrema
// follow the signedness of the operands (mixed signs compare as 64-bit values).
func (s *State) intTensorTensor(in *Instr, a, b, dst *Ref) error {
	wide := func(v uint32, t dtype.Type) int64 {
		if t == dtype.I32 {
			return int64(int32(v))
		}
		return int64(v)
	}
	f := intOps[in.Alu[0]]
	if f == nil {
		return diag.Errorf(CodeUnsupported, diag.Loc{}, "%s has no 32-bit integer form", in.Alu[0])
	}
	return s.eachRowBits(in, dst, func(p int, d []uint32) error {
		x, y := make([]uint32, a.N), make([]uint32, b.N)
		if err := s.loadBits(x, a, p, false); err != nil {
			return err
		}
		if err := s.loadBits(y, b, p, false); err != nil {
			return err
		}
		for i := range d {
			d[i] = uint32(f(wide(x[i], a.DT), wide(y[i], b.DT)))
		}
		return nil
	})
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// intOps are the integer forms of the ALU operations, on values widened to 64 bits.
var intOps = map[bir.AluOp]func(a, b int64) int64{
	bir.AluBypass:     func(a, _ int64) int64 { return a },
	bir.AluAdd:        func(a, b int64) int64 { return a + b },
	bir.AluSubtract:   func(a, b int64) int64 { return a - b },
	bir.AluMult:       func(a, b int64) int64 { return a * b },
	bir.AluMax:        func(a, b int64) int64 { return max(a, b) },
	bir.AluMin:        func(a, b int64) int64 { return min(a, b) },
	bir.AluLogicalAnd: func(a, b int64) int64 { return b2i(a != 0 && b != 0) },
	bir.AluLogicalOr:  func(a, b int64) int64 { return b2i(a != 0 || b != 0) },
	bir.AluLogicalXor: func(a, b int64) int64 { return b2i((a != 0) != (b != 0)) },
	bir.AluIsEqual:    func(a, b int64) int64 { return b2i(a == b) },
	bir.AluNotEqual:   func(a, b int64) int64 { return b2i(a != b) },
	bir.AluIsGT:       func(a, b int64) int64 { return b2i(a > b) },
	bir.AluIsGE:       func(a, b int64) int64 { return b2i(a >= b) },
	bir.AluIsLT:       func(a, b int64) int64 { return b2i(a < b) },
	bir.AluIsLE:       func(a, b int64) int64 { return b2i(a <= b) },
	// Division truncates toward zero; a zero divisor gives all ones for the quotient, as integer units commonly do,
	// and the dividend for the remainder.
	bir.AluDivide: func(a, b int64) int64 {
		if b == 0 {
			return -1
		}
		return a / b
	},
	bir.AluModInt: func(a, b int64) int64 {
		if b == 0 {
			return a
		}
		return a % b
	},
	bir.AluMod: func(a, b int64) int64 {
		if b == 0 {
			return a
		}
		m := a % b
		if m != 0 && (m < 0) != (b < 0) {
			m += b
		}
		return m
	},
}

// eachRowBits is eachRow for raw 32-bit words.
func (s *State) eachRowBits(in *Instr, out *Ref, f func(p int, dst []uint32) error) error {
	rows := make([][]uint32, out.Rows())
	flat := make([]uint32, out.N*out.Rows())
	for p := range rows {
		rows[p] = flat[p*out.N : (p+1)*out.N]
		if err := f(p, rows[p]); err != nil {
			return err
		}
	}
	for p := range rows {
		if err := s.storeBits(rows[p], out, p); err != nil {
			return err
		}
	}
	return nil
}

// runTensorScalar covers every form of the tensor-scalar family.
func runTensorScalar(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	switch in.Mode {
	case ScalarTensorTensor, TensorTensorScan:
		return s.scalarTensorTensor(in)
	case Cumulative:
		return s.cumulative(in)
	case AddressMode:
		return s.addressMode(in)
	}
	if isBitvec(in.Alu[0]) || isBitvec(in.Alu[1]) {
		return s.bitTensorScalar(in)
	}
	accum := in.Acc != bir.AccIdle
	return s.withAccumulator(in, func(p int, acc *float32) error { return nil }, func() error {
		return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
			if err := s.loadF32(d, src, p); err != nil {
				return err
			}
			v, err := s.scalar(&in.S[0], p)
			if err != nil {
				return err
			}
			if err := applyTS(in.Alu[0], in.Rev[0], d, d, v); err != nil {
				return err
			}
			if accum {
				return s.dveAccumulate(in, p, d)
			}
			if in.Alu[1] == bir.AluBypass {
				return nil
			}
			if v, err = s.scalar(&in.S[1], p); err != nil {
				return err
			}
			return applyTS(in.Alu[1], in.Rev[1], d, d, v)
		})
	})
}

// withAccumulator runs body and, when the instruction has a second output, writes the Vector accumulators to it.
func (s *State) withAccumulator(in *Instr, _ func(int, *float32) error, body func() error) error {
	if err := body(); err != nil {
		return err
	}
	if len(in.Out) < 2 {
		return nil
	}
	return s.storeAccumulators(in, &in.Out[1], s.dveAcc[:])
}

func (s *State) storeAccumulators(in *Instr, out *Ref, acc []float32) error {
	for p := range out.Rows() {
		v := acc[out.Part+p]
		if in.Negate {
			v = -v
		}
		if err := s.storeF32([]float32{v}, out, p); err != nil {
			return err
		}
	}
	return nil
}

// startAccumulator applies the accumulator command's opening half.
func startAccumulator(cmd bir.AccType, op bir.AluOp, cur, load float32) float32 {
	switch cmd {
	case bir.AccZero, bir.AccZeroAccumulate:
		return identity(op)
	case bir.AccLoadAccumulate:
		return load
	}
	return cur
}

// accumulates reports whether the command folds the stream into the accumulator.
func accumulates(cmd bir.AccType) bool {
	return cmd == bir.AccAddAccumulate || cmd == bir.AccZeroAccumulate || cmd == bir.AccLoadAccumulate
}

// dveAccumulate folds the float32 results of row p, before rounding, into the Vector accumulator of its partition.
func (s *State) dveAccumulate(in *Instr, p int, d []float32) error {
	lane := in.Out[0].Part + p
	load, err := s.scalar(&in.S[1], p)
	if err != nil {
		return err
	}
	acc := startAccumulator(in.Acc, in.Alu[1], s.dveAcc[lane], load)
	if accumulates(in.Acc) {
		if acc, err = accumulate(in.Alu[1], acc, d); err != nil {
			return err
		}
	}
	s.dveAcc[lane] = acc
	return nil
}

func (s *State) bitTensorScalar(in *Instr) error {
	src, dst := &in.In[0], &in.Out[0]
	if !src.DT.IsInt() || !dst.DT.IsInt() {
		return diag.Errorf(CodeDType, diag.Loc{}, "%s works on integers, not %s -> %s", in.Alu[0], src.DT, dst.DT)
	}
	return s.eachRowBits(in, dst, func(p int, d []uint32) error {
		for k := range 2 {
			op := in.Alu[k]
			if k == 0 {
				if err := s.loadBits(d, src, p, op == bir.AluArithShiftRight); err != nil {
					return err
				}
			}
			if op == bir.AluBypass {
				continue
			}
			if !isBitvec(op) {
				return diag.Errorf(CodeDType, diag.Loc{}, "bit operation %s mixed with arithmetic %s", in.Alu[0], in.Alu[1])
			}
			v, err := s.scalarBits(&in.S[k], p)
			if err != nil {
				return err
			}
			for i := range d {
				if in.Rev[k] {
					d[i] = bitOp(op, v, d[i], src.Size*8)
				} else {
					d[i] = bitOp(op, d[i], v, src.Size*8)
				}
			}
		}
		return nil
	})
}

// scalarTensorTensor: (in0 op0 s0) op1 in1, and its scan form where the scalar is the running result.
func (s *State) scalarTensorTensor(in *Instr) error {
	if err := operands(in, 2, 1); err != nil {
		return err
	}
	a, b, dst := &in.In[0], &in.In[1], &in.Out[0]
	if err := sameShape(in, dst, b); err != nil {
		return err
	}
	y := s.scratch.floats(1, b.N)
	f0, err := aluFunc(in.Alu[0])
	if err != nil {
		return err
	}
	f1, err := aluFunc(in.Alu[1])
	if err != nil {
		return err
	}
	err = s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, a, p); err != nil {
			return err
		}
		if err := s.loadF32(y, b, p); err != nil {
			return err
		}
		v, err := s.scalar(&in.S[0], p)
		if err != nil {
			return err
		}
		if in.Mode == ScalarTensorTensor {
			if err := applyTS(in.Alu[0], in.Rev[0], d, d, v); err != nil {
				return err
			}
			if in.Rev[1] {
				return applyTT(in.Alu[1], d, y, d)
			}
			return applyTT(in.Alu[1], d, d, y)
		}
		for i := range d {
			t := f0(d[i], v)
			if in.Rev[0] {
				t = f0(v, d[i])
			}
			if in.Rev[1] {
				v = f1(y[i], t)
			} else {
				v = f1(t, y[i])
			}
			d[i] = v
		}
		return nil
	})
	if err != nil || len(in.Out) < 2 {
		return err
	}
	return s.storeAccumulators(in, &in.Out[1], s.dveAcc[:])
}

// cumulative: A = op1(op0(x, s0), A), written for every element.
func (s *State) cumulative(in *Instr) error {
	src, dst := &in.In[0], &in.Out[0]
	f1, err := aluFunc(in.Alu[1])
	if err != nil {
		return err
	}
	return s.withAccumulator(in, nil, func() error {
		return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
			if err := s.loadF32(d, src, p); err != nil {
				return err
			}
			v, err := s.scalar(&in.S[0], p)
			if err != nil {
				return err
			}
			if err := applyTS(in.Alu[0], in.Rev[0], d, d, v); err != nil {
				return err
			}
			load, err := s.scalar(&in.S[1], p)
			if err != nil {
				return err
			}
			lane := dst.Part + p
			acc := startAccumulator(in.Acc, in.Alu[1], s.dveAcc[lane], load)
			for i := range d {
				acc = f1(d[i], acc)
				d[i] = acc
			}
			s.dveAcc[lane] = acc
			return nil
		})
	})
}

// addressMode computes in 64-bit integers and stores the low 32 bits.
func (s *State) addressMode(in *Instr) error {
	src, dst := &in.In[0], &in.Out[0]
	return s.eachRowBits(in, dst, func(p int, d []uint32) error {
		if err := s.loadBits(d, src, p, false); err != nil {
			return err
		}
		for k := range 2 {
			f := intOps[in.Alu[k]]
			if f == nil {
				return diag.Errorf(CodeUnsupported, diag.Loc{}, "%s has no integer form", in.Alu[k])
			}
			v, err := s.scalarBits(&in.S[k], p)
			if err != nil {
				return err
			}
			for i := range d {
				d[i] = uint32(f(int64(d[i]), int64(v)))
			}
		}
		return nil
	})
}

func runMemset(s *State, in *Instr) error {
	if err := operands(in, 0, 1); err != nil {
		return err
	}
	dst := &in.Out[0]
	return s.eachRowBits(in, dst, func(p int, d []uint32) error {
		for i := range d {
			d[i] = in.Fill
		}
		return nil
	})
}

// runActivation: func(in*scale + bias), two roundings, with an optional sum into the Scalar engine's accumulators.
func runActivation(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	f := actFuncs[in.Func]
	if f == nil {
		return diag.Errorf(CodeUnsupported, diag.Loc{}, "unknown activation function %s", in.Func)
	}
	if s.ActSets != nil && !in.Func.Hardwired() && (s.ActSet < 0 || s.ActSet >= len(s.ActSets) || !s.ActSets[s.ActSet].Has(in.Func)) {
		return diag.Errorf(CodeActTable, diag.Loc{}, "activation table not resident: %s needs a function set that holds it", in.Func)
	}
	plain := in.Func == bir.ActIdentity || in.Func == bir.ActCopy
	alpha := 0.0
	if in.S[2].Kind == Immediate {
		alpha = float64(math.Float32frombits(in.S[2].Value))
	}
	err := s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, src, p); err != nil {
			return err
		}
		scale, err := s.scalar(&in.S[0], p)
		if err != nil {
			return err
		}
		bias, err := s.scalar(&in.S[1], p)
		if err != nil {
			return err
		}
		if in.S[0].Kind == Pointer || in.S[0].Kind == Immediate && scale != 1 {
			for i := range d {
				d[i] *= scale
			}
		}
		if in.S[1].Kind == Pointer || in.S[1].Kind == Immediate && bias != 0 {
			for i := range d {
				d[i] += bias
			}
		}
		if !plain {
			for i := range d {
				d[i] = float32(f(float64(d[i]), alpha))
			}
		}
		lane := dst.Part + p
		acc := startAccumulator(in.Acc, in.Reduce, s.actAcc[lane], 0)
		if accumulates(in.Acc) {
			if acc, err = accumulate(in.Reduce, acc, d); err != nil {
				return err
			}
		}
		s.actAcc[lane] = acc
		return nil
	})
	if err != nil || len(in.Out) < 2 {
		return err
	}
	return s.storeAccumulators(in, &in.Out[1], s.actAcc[:])
}

func runReadAccumulator(s *State, in *Instr) error {
	if err := operands(in, 0, 1); err != nil {
		return err
	}
	acc := s.actAcc[:]
	if in.Op == bir.DveReadAccumulator {
		acc = s.dveAcc[:]
	}
	return s.storeAccumulators(in, &in.Out[0], acc)
}
