package walrus

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
)

// encoders is the table of isa.md 9: for each instruction what writes its bundles.
var encoders map[bir.Opcode]func(*gen, *bir.Instr) error

func init() {
	encoders = map[bir.Opcode]func(*gen, *bir.Instr) error{
		bir.Matmult: encMatmult,

		bir.Activation: encActivation, bir.ReadActivationAccumulator: encReadAcc, bir.ActivationReadAccumulator: encReadAcc,
		bir.DveReadAccumulator: encReadAcc, bir.LoadActFuncSet: encTableLoad,

		bir.TensorScalar: encTensorScalar, bir.TensorScalarPtr: encTensorScalarPtr, bir.TensorScalarCache: encTensorScalarCache,
		bir.TensorTensor: encTensorTensor, bir.TensorCopy: encCopy, bir.Reciprocal: encCopy, bir.Memset: encMemset, bir.Rng: encMemset,
		bir.CopyPredicated: encCopyPredicated, bir.TensorReduce: encReduce, bir.Pool: encPool, bir.Iota: encIota,
		bir.TensorScalarAffineSelect: encAffineSelect, bir.BNStats: encBNStats, bir.BNStatsAggregate: encBNStats, bir.Max: encBNStats,
		bir.MaxIndex: encMaxIndex, bir.MatchReplace: encMatchReplace, bir.StreamTranspose: encShuffle, bir.StreamShuffle: encShuffle,
		bir.Gather: encGather, bir.RangeSelect: encRangeSelect,

		bir.RegisterMove: encRegisterMove, bir.RegisterAlu: encRegisterAlu, bir.TensorLoad: encTensorLoad, bir.TensorSave: encTensorSave,
		bir.NoOp: encNop, bir.Drain: encNop,
		bir.DMATrigger: encTrigger, bir.Load: encDirect, bir.Save: encDirect, bir.DMACopy: encDirect,
		bir.IndirectLoad: encIndirect, bir.IndirectSave: encIndirect,
	}
}

// bytesAt is the byte of the partition (or of the bank row) at which a pattern starts.
func bytesAt(p *bir.AccessPattern) int64 { return p.Loc.Addr + p.Offset*int64(p.DType.Size()) }

// addr returns the address word of an on-chip operand. A run-time offset is scaled and added to the static address in
// a scratch register first.
func (g *gen) addr(p *bir.AccessPattern) (isa.Addr, error) {
	var a isa.Addr
	switch p.Loc.Type {
	case bir.SB:
		a = isa.SBUFAddr(p.Loc.Base+p.Part, bytesAt(p))
	case bir.PSUM:
		a = isa.PSUMAddr(p.Loc.Base+p.Part, p.Loc.Bank, bytesAt(p))
	default:
		return 0, unsupported(g.cur, "operand %s is in DRAM", p.Loc.Name)
	}
	if p.Reg == nil {
		return a, nil
	}
	r, err := g.scaled(p.Reg, int64(p.DType.Size()))
	if err != nil {
		return 0, err
	}
	g.alu(isa.AluAdd, r, r, int64(a.Bytes()))
	return isa.RegAddr(r), nil
}

// scaled returns a scratch register that holds reg*factor.
func (g *gen) scaled(reg *bir.Register, factor int64) (int, error) {
	used := 0
	for i := range g.pending {
		if g.pending[i].Op() == isa.OpAluOp {
			used = max(used, g.pending[i].Int(isa.FDstReg)-firstScratch+1)
		}
	}
	if used >= scratchRegs {
		return 0, unsupported(g.cur, "more than %d operands with run-time addresses", scratchRegs)
	}
	r := firstScratch + used
	g.alu(isa.AluMult, r, reg.Num, factor)
	return r, nil
}

// alu emits dst = src op imm on 32-bit integers.
func (g *gen) alu(op isa.ALU, dst, src int, imm int64) {
	x := isa.New(isa.OpAluOp)
	x.SetALU(isa.FOp, op)
	x.SetDType(isa.FSrcDtype, isa.DTI32)
	x.SetDType(isa.FDstDtype, isa.DTI32)
	x.Set(isa.FOperandMode, 1)
	x.Set(isa.FDstReg, int64(dst))
	x.Set(isa.FSrc1Reg, int64(src))
	x.Set(isa.FImm, imm)
	g.emit(x)
}

func isaDims(dims []bir.Dim) []isa.Dim {
	out := make([]isa.Dim, len(dims))
	for i, d := range dims {
		out[i] = isa.Dim{Step: d.Step, Count: d.Count}
	}
	return out
}

// operand fills a descriptor slot from an access pattern.
func (g *gen) operand(x *isa.Inst, f isa.FieldID, p *bir.AccessPattern) error {
	return g.operandDims(x, f, p, p.Free)
}

func (g *gen) operandDims(x *isa.Inst, f isa.FieldID, p *bir.AccessPattern, dims []bir.Dim) error {
	a, err := g.addr(p)
	if err != nil {
		return err
	}
	return x.SetPattern(f, a, isaDims(dims))
}

// wire sets dtype fields.
func wire(x *isa.Inst, f isa.FieldID, t dtype.Type) error {
	w, err := isa.WireDType(t)
	if err != nil {
		return err
	}
	x.SetDType(f, w)
	return nil
}

func ap(args []bir.Arg, i int) *bir.AccessPattern {
	if i < len(args) && args[i].Kind == bir.ArgAP {
		return args[i].AP
	}
	return nil
}

// need returns the access pattern at an operand position or a diagnostic.
func need(in *bir.Instr, args []bir.Arg, i int, what string) (*bir.AccessPattern, error) {
	if p := ap(args, i); p != nil {
		return p, nil
	}
	return nil, unsupported(in, "operand %s is not an access pattern", what)
}

// unary is what most instructions start with: one input, one output.
func (g *gen) unary(x *isa.Inst, in *bir.Instr) error {
	src, err := need(in, in.Ins, 0, "src")
	if err != nil {
		return err
	}
	if err := g.operand(x, isa.FSrc, src); err != nil {
		return err
	}
	if err := wire(x, isa.FInDtype, src.DType); err != nil {
		return err
	}
	return g.dst(x, in)
}

// dst fills the output, its dtype and the partition count.
func (g *gen) dst(x *isa.Inst, in *bir.Instr) error {
	d, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	x.Set(isa.FNumActiveChannels, int64(d.NPart))
	f := isa.FOutDtype
	if !x.Has(f) {
		f = isa.FDtype
	}
	if err := wire(x, f, d.DType); err != nil {
		return err
	}
	return g.operand(x, isa.FDst, d)
}

// scalar fills a scalar operand. Arithmetic constants travel as fp32, constants of bit operations as integers.
func (g *gen) scalar(x *isa.Inst, f, dt isa.FieldID, a *bir.Arg, bits bool) error {
	hasType := x.Has(dt)
	switch a.Kind {
	case bir.ArgAP:
		p, err := g.addr(a.AP)
		if err != nil {
			return err
		}
		x.SetImmAddr(f, p)
		if hasType {
			return wire(x, dt, a.AP.DType)
		}
		return nil
	case bir.ArgReg:
		x.SetImmReg(f, a.Reg.Num)
	case bir.ArgImm:
		if bits {
			x.SetImm(f, uint32(immInt(&a.Imm)))
			if hasType {
				return wire(x, dt, intOf(a.Imm.Type))
			}
			return nil
		}
		x.SetImm(f, math.Float32bits(immF32(&a.Imm)))
	default:
		return unsupported(g.cur, "scalar operand of an unknown kind")
	}
	if hasType {
		x.SetDType(dt, isa.DTF32)
	}
	return nil
}

func intOf(t dtype.Type) dtype.Type {
	if t.IsInt() {
		return t
	}
	return dtype.I32
}

func bitvec(ops ...bir.AluOp) bool {
	for _, o := range ops {
		switch o {
		case bir.AluBitwiseNot, bir.AluArithShiftLeft, bir.AluArithShiftRight, bir.AluBitwiseAnd, bir.AluBitwiseOr, bir.AluBitwiseXor,
			bir.AluLogicalShiftLeft, bir.AluLogicalShiftRight:
			return true
		}
	}
	return false
}

func setALU(x *isa.Inst, f isa.FieldID, op bir.AluOp) error {
	w, err := isa.ALUFromBIR(int(op))
	if err != nil {
		return err
	}
	x.SetALU(f, w)
	return nil
}

func setAcc(x *isa.Inst, a bir.AccType) error {
	w, err := isa.AccFromBIR(int(a))
	if err != nil {
		return err
	}
	x.Set(isa.FAccCmd, int64(w))
	return nil
}

func flags(a, b bool) int64 {
	var v int64
	if a {
		v |= 1
	}
	if b {
		v |= 2
	}
	return v
}

// readOut appends the accumulator read-out of an instruction with a second output.
func (g *gen) readOut(in *bir.Instr, op isa.Opcode, negate bool) error {
	if len(in.Outs) < 2 {
		return nil
	}
	d, err := need(in, in.Outs, 1, "reduce_res")
	if err != nil {
		return err
	}
	return g.readAcc(op, d, negate)
}

func (g *gen) readAcc(op isa.Opcode, d *bir.AccessPattern, negate bool) error {
	x := isa.New(op)
	x.Set(isa.FDstElementCount, 1)
	x.Set(isa.FNegated, flags(negate, false))
	x.Set(isa.FNumActiveChannels, int64(d.NPart))
	if err := wire(&x, isa.FDtype, d.DType); err != nil {
		return err
	}
	if err := g.operand(&x, isa.FDst, d); err != nil {
		return err
	}
	g.emit(x)
	return nil
}

func encReadAcc(g *gen, in *bir.Instr) error {
	d, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	op := isa.OpActivationReadAccumulator
	neg := false
	if in.Op == bir.DveReadAccumulator {
		op = isa.OpDveReadAccumulator
		if a, ok := in.Attrs.(*bir.DveReadAccumulatorAttrs); ok {
			neg = a.Negated
		}
	}
	return g.readAcc(op, d, neg)
}

// noType stands for "no dtype field": no bundle with scalar operands has this one.
const noType = isa.FBgTranspose
