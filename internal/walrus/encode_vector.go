package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

func encTensorScalar(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.TensorScalarAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	op := isa.OpTensorScalarArithOp
	bits := bitvec(a.Op0, a.Op1)
	if bits {
		op = isa.OpTensorScalarBitvecOp
	}
	c0, c1 := bir.ImmF(a.Const0), bir.ImmF(a.Const1)
	return g.tensorScalar(in, op, tsForm{a.Op0, a.Op1, a.Reverse0, a.Reverse1, bir.AccIdle, &c0, &c1, bits})
}

// tsForm is the operation part of the tensor-scalar family.
type tsForm struct {
	op0, op1   bir.AluOp
	rev0, rev1 bool
	acc        bir.AccType
	s0, s1     *bir.Arg // nil: immediate zero
	bits       bool
}

func (g *gen) tensorScalar(in *bir.Instr, op isa.Opcode, f tsForm) error {
	x := isa.New(op)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	if err := setALU(&x, isa.FOp0, f.op0); err != nil {
		return err
	}
	if err := setALU(&x, isa.FOp1, f.op1); err != nil {
		return err
	}
	if err := setAcc(&x, f.acc); err != nil {
		return err
	}
	x.Set(isa.FReverse, flags(f.rev0, f.rev1))
	for _, s := range []struct {
		arg     *bir.Arg
		val, dt isa.FieldID
	}{{f.s0, isa.FImm0, isa.FImm0Dtype}, {f.s1, isa.FImm1, isa.FImm1Dtype}} {
		if s.arg == nil {
			x.SetImm(s.val, 0)
			if f.bits {
				x.SetDType(s.dt, isa.DTI32)
			}
			continue
		}
		if err := g.scalar(&x, s.val, s.dt, s.arg, f.bits); err != nil {
			return err
		}
	}
	g.emit(x)
	return nil
}

func argAt(args []bir.Arg, i int) *bir.Arg {
	if i < len(args) {
		return &args[i]
	}
	return nil
}

func encTensorScalarPtr(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.TensorScalarPtrAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	bits := bitvec(a.Op0, a.Op1)
	switch {
	case a.ScalarTensorTensor || a.TensorTensorScan:
		return g.scalarTensorTensor(in, a, bits)
	case a.TensorScalarAddr:
		return unsupported(in, "the address form is not encoded yet")
	case a.Acc != bir.AccIdle:
		f := tsForm{a.Op0, a.Op1, a.Reverse0, a.Reverse1, a.Acc, argAt(in.Ins, 1), nil, false}
		if a.Acc == bir.AccLoadAccumulate {
			f.s1 = argAt(in.Ins, 2)
		}
		if err := g.tensorScalar(in, isa.OpTensorScalarCacheReduce, f); err != nil {
			return err
		}
		return g.readOut(in, isa.OpDveReadAccumulator, a.NegateSecondOutput)
	}
	op := isa.OpTensorScalarArithOp
	switch {
	case bits:
		op = isa.OpTensorScalarBitvecOp
	case a.ApplyTranspose:
		op = isa.OpTransposeTensorScalarArithOp
	}
	return g.tensorScalar(in, op, tsForm{a.Op0, a.Op1, a.Reverse0, a.Reverse1, bir.AccIdle, argAt(in.Ins, 1), argAt(in.Ins, 2), bits})
}

func (g *gen) scalarTensorTensor(in *bir.Instr, a *bir.TensorScalarPtrAttrs, bits bool) error {
	op := isa.OpScalarTensorTensorArith
	switch {
	case a.TensorTensorScan:
		op = isa.OpTensorTensorScanArith
	case bits:
		op = isa.OpScalarTensorTensorBitvec
	}
	x := isa.New(op)
	s0, err := need(in, in.Ins, 0, "data")
	if err != nil {
		return err
	}
	s1, err := need(in, in.Ins, 2, "operand1")
	if err != nil {
		return err
	}
	if err := g.operand(&x, isa.FSrc0, s0); err != nil {
		return err
	}
	if err := g.operand(&x, isa.FSrc1, s1); err != nil {
		return err
	}
	if err := wire(&x, isa.FSrc0Dtype, s0.DType); err != nil {
		return err
	}
	if err := wire(&x, isa.FSrc1Dtype, s1.DType); err != nil {
		return err
	}
	if err := g.dst(&x, in); err != nil {
		return err
	}
	if err := setALU(&x, isa.FOp0, a.Op0); err != nil {
		return err
	}
	if err := setALU(&x, isa.FOp1, a.Op1); err != nil {
		return err
	}
	if err := setAcc(&x, a.Acc); err != nil {
		return err
	}
	x.Set(isa.FReverse, flags(a.Reverse0, a.Reverse1))
	if err := g.scalar(&x, isa.FImm0, isa.FImm0Dtype, &in.Ins[1], bits); err != nil {
		return err
	}
	g.emit(x)
	return g.readOut(in, isa.OpDveReadAccumulator, a.NegateSecondOutput)
}

func encTensorScalarCache(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.TensorScalarCacheAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	op := isa.OpTensorScalarCacheCumulative
	if a.Mode == bir.TSCReduce {
		op = isa.OpTensorScalarCacheReduce
	}
	f := tsForm{a.Op0, a.Op1, a.Reverse0, a.Reverse1, a.Acc, argAt(in.Ins, 1), nil, false}
	if a.Acc == bir.AccLoadAccumulate {
		f.s1 = argAt(in.Ins, 2)
	}
	if err := g.tensorScalar(in, op, f); err != nil {
		return err
	}
	return g.readOut(in, isa.OpDveReadAccumulator, false)
}

// int32ALU is the native integer band of GpSimd (isa.md 7.4).
var int32ALU = map[bir.AluOp]isa.ALU{bir.AluAdd: isa.AluIntAdd, bir.AluMult: isa.AluIntMult, bir.AluSubtract: isa.AluIntSubtract,
	bir.AluDivide: isa.AluIntDivide, bir.AluMod: isa.AluIntMod}

func encTensorTensor(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.TensorTensorAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	s0, err := need(in, in.Ins, 0, "in0")
	if err != nil {
		return err
	}
	s1, err := need(in, in.Ins, 1, "in1")
	if err != nil {
		return err
	}
	op := isa.OpTensorTensorArithOp
	if bitvec(a.Op) {
		op = isa.OpTensorTensorBitvecOp
	}
	x := isa.New(op)
	if err := g.operand(&x, isa.FSrc0, s0); err != nil {
		return err
	}
	if err := g.operand(&x, isa.FSrc1, s1); err != nil {
		return err
	}
	if err := wire(&x, isa.FIn0Dtype, s0.DType); err != nil {
		return err
	}
	if err := wire(&x, isa.FIn1Dtype, s1.DType); err != nil {
		return err
	}
	if err := g.dst(&x, in); err != nil {
		return err
	}
	w32 := func(t dtype.Type) bool { return t == dtype.I32 || t == dtype.U32 }
	if native, ok := int32ALU[a.Op]; ok && in.Engine == machine.Pool && w32(s0.DType) && w32(s1.DType) && w32(in.Outs[0].AP.DType) {
		x.SetALU(isa.FOp, native)
	} else if err := setALU(&x, isa.FOp, a.Op); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

func encCopy(g *gen, in *bir.Instr) error {
	src, err := need(in, in.Ins, 0, "src")
	if err != nil {
		return err
	}
	d, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	op := isa.OpCopy
	switch {
	case in.Op == bir.Reciprocal:
		op = isa.OpReciprocal
	case src.DType != d.DType:
		op = isa.OpCast
	}
	x := isa.New(op)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

func encMemset(g *gen, in *bir.Instr) error {
	op := isa.OpMemset
	a, _ := in.Attrs.(*bir.MemsetAttrs)
	if in.Op == bir.Rng || a != nil && a.Mode == bir.MemsetRandom {
		op = isa.OpRng
	}
	x := isa.New(op)
	if err := g.dst(&x, in); err != nil {
		return err
	}
	x.Set(isa.FDstElementCount, in.Outs[0].AP.Elems())
	if op == isa.OpMemset && a != nil {
		x.Set(isa.FFill, int64(a.Constant))
	}
	g.emit(x)
	return nil
}

func encCopyPredicated(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.CopyPredicatedAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	mask, err := need(in, in.Ins, 1, "mask")
	if err != nil {
		return err
	}
	dst, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	rev := flags(a.ReversePred, false)
	src := ap(in.Ins, 0)
	var x isa.Inst
	switch {
	case len(in.Ins) > 2 || a.Acc != bir.AccIdle:
		if src == nil {
			return unsupported(in, "a fill value needs a tensor source")
		}
		x = isa.New(isa.OpSelectReduce)
		if err := setALU(&x, isa.FReduceOp, bir.AluMax); err != nil {
			return err
		}
		if err := setAcc(&x, a.Acc); err != nil {
			return err
		}
		fill := bir.ImmF(0)
		f := &fill
		if len(in.Ins) > 2 {
			f = &in.Ins[2]
		}
		if err := g.scalar(&x, isa.FFalseValue, isa.FFalseDtype, f, false); err != nil {
			return err
		}
	case src == nil:
		x = isa.New(isa.OpCopyPredicatedScalar)
		if err := g.scalar(&x, isa.FScalar0, isa.FSrcDtype, &in.Ins[0], false); err != nil {
			return err
		}
	case src.DType == dst.DType:
		x = isa.New(isa.OpCopyPredicated)
	default:
		x = isa.New(isa.OpCastPredicated)
	}
	x.Set(isa.FReverse, rev)
	if src != nil {
		if err := g.operand(&x, isa.FSrc, src); err != nil {
			return err
		}
		if err := wire(&x, isa.FSrcDtype, src.DType); err != nil {
			return err
		}
	}
	if err := g.operand(&x, isa.FMask, mask); err != nil {
		return err
	}
	if err := wire(&x, isa.FMaskDtype, mask.DType); err != nil {
		return err
	}
	if err := g.dst(&x, in); err != nil {
		return err
	}
	g.emit(x)
	return g.readOut(in, isa.OpDveReadAccumulator, false)
}

// reduceDims orders a reduced source for the bundle: the reduced dimensions innermost, merged; a reduction over unit
// dimensions keeps one of count 1.
func reduceDims(p *bir.AccessPattern, n int) (dims []bir.Dim, axes int) {
	k := max(0, len(p.Free)-n)
	red := mergeDims(p.Free[k:])
	if len(red) == 0 {
		red = []bir.Dim{{Step: 1, Count: 1}}
	}
	return append(mergeDims(p.Free[:k]), red...), len(red)
}

// exactPattern fills a slot without dropping dimensions: the reduced ones must stay where the axis code says.
func (g *gen) exactPattern(x *isa.Inst, f isa.FieldID, p *bir.AccessPattern, dims []bir.Dim) error {
	a, err := g.addr(p)
	if err != nil {
		return err
	}
	t := *x.Tensor(f)
	t.Addr = a
	if len(dims) > int(t.N) {
		return unsupported(g.cur, "%s: %d dimensions, the bundle has %d", p.Loc.Name, len(dims), t.N)
	}
	for i := range dims {
		d := dims[len(dims)-1-i]
		if d.Count < 1 || d.Count > 65535 || d.Step < -32768 || d.Step > 32767 {
			return unsupported(g.cur, "%s: dimension (step %d, count %d) does not fit 16 bits", p.Loc.Name, d.Step, d.Count)
		}
		t.Step[i], t.Num[i] = int16(d.Step), uint16(d.Count)
	}
	x.SetTensor(f, t)
	return nil
}

// laneOps are the cross-partition reductions.
var laneOps = map[bir.AluOp]int64{bir.AluAdd: isa.LaneAdd, bir.AluAverage: isa.LaneAvg, bir.AluMax: isa.LaneMax,
	bir.AluBitwiseOr: isa.LaneOr, bir.AluBitwiseAnd: isa.LaneAnd, bir.AluBitwiseXor: isa.LaneXor}

func encReduce(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.TensorReduceAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	src, err := need(in, in.Ins, 0, "src")
	if err != nil {
		return err
	}
	if a.Axis == bir.AxisC || a.Axis == bir.AxisXYZWC {
		cmd, ok := laneOps[a.Op]
		if !ok {
			return unsupported(in, "no cross-partition reduction with %s", a.Op)
		}
		op := isa.OpCrossLaneReduceArith
		if bitvec(a.Op) {
			op = isa.OpCrossLaneReduceBitvec
		}
		x := isa.New(op)
		if err := g.unary(&x, in); err != nil {
			return err
		}
		x.Set(isa.FNumActiveChannels, int64(src.NPart))
		x.Set(isa.FReduceCmd, cmd)
		if a.Axis == bir.AxisC {
			x.Set(isa.FChannelOnly, 1)
		}
		if a.Op == bir.AluAverage {
			n := int64(src.NPart)
			if a.Axis == bir.AxisXYZWC {
				n *= src.Elems()
			}
			x.SetF32(isa.FMeanScale, 1/float32(n))
		}
		g.emit(x)
		return nil
	}
	op := isa.OpTensorReduceArithOp
	switch bits := bitvec(a.Op); {
	case bits && a.ApplyTranspose:
		op = isa.OpTransposeTensorReduceBitvecOp
	case bits:
		op = isa.OpTensorReduceBitvecOp
	case a.ApplyTranspose:
		op = isa.OpTransposeTensorReduceArithOp
	}
	x := isa.New(op)
	dims, axes := reduceDims(src, int(a.Axis)+1)
	if err := g.exactPattern(&x, isa.FSrc, src, dims); err != nil {
		return err
	}
	if err := wire(&x, isa.FInDtype, src.DType); err != nil {
		return err
	}
	if err := g.dst(&x, in); err != nil {
		return err
	}
	if err := setALU(&x, isa.FOp, a.Op); err != nil {
		return err
	}
	x.Set(isa.FAxis, int64(isa.AxisX+axes-1))
	x.Set(isa.FNegated, flags(a.Negate, false))
	g.emit(x)
	return nil
}

func encPool(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.PoolAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	src, err := need(in, in.Ins, 0, "src")
	if err != nil {
		return err
	}
	x := isa.New(isa.OpPool)
	// The window is the two innermost dimensions, whatever their counts.
	win := []bir.Dim{{Step: 1, Count: 1}, {Step: 1, Count: 1}}
	k := max(0, len(src.Free)-2)
	copy(win[2-(len(src.Free)-k):], src.Free[k:])
	if err := g.exactPattern(&x, isa.FSrc, src, append(mergeDims(src.Free[:k]), win...)); err != nil {
		return err
	}
	if err := wire(&x, isa.FInDtype, src.DType); err != nil {
		return err
	}
	if err := g.dst(&x, in); err != nil {
		return err
	}
	x.Set(isa.FSubdim, isa.AxisXY)
	if a.Func == bir.PoolMax {
		x.Set(isa.FFunc, isa.PoolMax)
		x.SetF32(isa.FPoolScale, 1)
	} else {
		x.Set(isa.FFunc, isa.PoolAvg)
		x.SetF32(isa.FPoolScale, 1/float32(win[0].Count*win[1].Count))
	}
	g.emit(x)
	return nil
}

var stepFields = [4]isa.FieldID{isa.FStep0, isa.FStep1, isa.FStep2, isa.FStep3}
var numFields = [4]isa.FieldID{isa.FNum0, isa.FNum1, isa.FNum2, isa.FNum3}

// iotaPattern fills the index pattern, innermost first.
func iotaPattern(x *isa.Inst, in *bir.Instr, pattern []bir.Dim) error {
	var dims []bir.Dim
	for _, d := range pattern {
		if d.Count != 1 {
			dims = append(dims, d)
		}
	}
	if len(dims) > 4 {
		return unsupported(in, "index pattern of %d dimensions", len(dims))
	}
	for i := range 4 {
		s, n := int64(1), int64(1)
		if i < len(dims) {
			d := dims[len(dims)-1-i]
			s, n = d.Step, d.Count
		}
		x.Set(stepFields[i], s)
		x.Set(numFields[i], n)
	}
	return nil
}

func encIota(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.IotaAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	x := isa.New(isa.OpIota)
	if err := iotaPattern(&x, in, a.Pattern); err != nil {
		return err
	}
	x.Set(isa.FOffset, a.Base)
	x.Set(isa.FChannelMultiplier, a.ChannelMultiplier)
	if err := g.dst(&x, in); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

func encAffineSelect(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.AffineSelectAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	src, err := need(in, in.Ins, 0, "on_true")
	if err != nil {
		return err
	}
	dst, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	n, ok := refine([]walk{a.Pattern, src.Free, dst.Free})
	if !ok || len(n.counts) > 3 {
		return unsupported(in, "pattern, source and destination share no loop nest of three dimensions")
	}
	x := isa.New(isa.OpTensorScalarAffineSelect)
	if err := iotaPattern(&x, in, n.walk(0, 0)); err != nil {
		return err
	}
	for i, f := range [3][2]isa.FieldID{{isa.FSrcStep0, isa.FDstStep0}, {isa.FSrcStep1, isa.FDstStep1}, {isa.FSrcStep2, isa.FDstStep2}} {
		ss, ds := int64(1), int64(1)
		if k := len(n.counts) - 1 - i; k >= 0 {
			ss, ds = n.steps[1][k], n.steps[2][k]
		}
		x.Set(f[0], ss)
		x.Set(f[1], ds)
	}
	for _, p := range []struct {
		f, dt isa.FieldID
		ap    *bir.AccessPattern
	}{{isa.FSrcAddr, isa.FInDtype, src}, {isa.FDstAddr, isa.FOutDtype, dst}} {
		addr, err := g.addr(p.ap)
		if err != nil {
			return err
		}
		x.Set(p.f, int64(addr))
		if err := wire(&x, p.dt, p.ap.DType); err != nil {
			return err
		}
	}
	x.Set(isa.FNumActiveChannels, int64(dst.NPart))
	x.Set(isa.FOffset, a.Base)
	x.Set(isa.FChannelMultiplier, a.ChannelMultiplier)
	x.SetF32(isa.FOnFalse, a.Fill)
	if err := setALU(&x, isa.FCmpOp, a.Compare); err != nil {
		return err
	}
	g.emit(x)
	return nil
}
