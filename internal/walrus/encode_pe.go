package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// weights identifies the stationary tile the tensor engine holds.
type weights struct {
	valid      bool
	tensor     isa.Tensor
	dtype      isa.DType
	rows, cols int
	row, col   int64
	pass       int64
}

// encMatmult writes the Ldweights and Matmul pair. Ldweights is left out while the array still holds the same tile
// and nothing wrote it since: writers of SBUF are other engines, and a matmul that had to wait for one reloads.
func encMatmult(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.MatmultAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	mov, err := need(in, in.Ins, 0, "moving")
	if err != nil {
		return err
	}
	stat, err := need(in, in.Ins, 1, "stationary")
	if err != nil {
		return err
	}
	dst, err := need(in, in.Outs, 0, "dst")
	if err != nil {
		return err
	}
	if a.AccFlags == bir.AccFlagAuto {
		return unsupported(in, "accumulation flags were not decided")
	}
	gen := g.u.spec.Gen
	k, m := mov.NPart, int(stat.Elems())
	pos := func(i int, def int) int {
		if a.TilePosition[i] > 0 {
			return a.TilePosition[i]
		}
		return def
	}
	row := isa.PEGroup(pos(0, (mov.Loc.Base+mov.Part)/32*32), max(k, a.TileSize[0]))
	col := isa.PEGroup(pos(1, (dst.Loc.Base+dst.Part)/32*32), max(m, a.TileSize[1]))
	if a.IsTranspose {
		col = 15
	}
	if gen == machine.Gen2 && a.IsTranspose {
		// No transpose mode: the product with the identity is the transpose.
		a = &bir.MatmultAttrs{AccFlags: a.AccFlags, TileSize: a.TileSize, TilePosition: a.TilePosition, Perf: a.Perf}
	}
	common := func(x *isa.Inst, t dtype.Type) error {
		x.Set(isa.FNumActiveRows, int64(k))
		x.Set(isa.FNumActiveCols, int64(m))
		x.Set(isa.FRowGroup, row)
		x.Set(isa.FColGroup, col)
		x.Set(isa.FPerfMode, int64(a.Perf))
		if gen == machine.Gen2 {
			x.Set(isa.FXbus, 0x10)
		}
		if t == dtype.TF32 {
			x.SetDType(isa.FInDtype, isa.DTF32)
			x.Set(isa.FPeMode, isa.PeFP32R)
			return nil
		}
		return wire(x, isa.FInDtype, t)
	}
	lw := isa.New(isa.OpLdweights)
	if err := common(&lw, stat.DType); err != nil {
		return err
	}
	if err := g.operand(&lw, isa.FWeights, stat); err != nil {
		return err
	}
	w := weights{valid: true, tensor: *lw.Tensor(isa.FWeights), dtype: lw.DType(isa.FInDtype), rows: k, cols: m, row: row, col: col,
		pass: lw.Get(isa.FPeMode)}
	waits := in.Sync != nil && len(in.Sync.Waits) > 0
	if waits || w != g.lastWeights || stat.Reg != nil || stat.DType == dtype.F32 {
		g.emit(lw)
	}
	g.lastWeights = w
	mm := isa.New(isa.OpMatmul)
	if err := common(&mm, mov.DType); err != nil {
		return err
	}
	if a.IsTranspose {
		mm.Set(isa.FPeMode, isa.PeTranspose)
	}
	if err := g.operand(&mm, isa.FMoving, mov); err != nil {
		return err
	}
	if err := g.operand(&mm, isa.FDst, dst); err != nil {
		return err
	}
	mm.Set(isa.FAccFlags, int64(a.AccFlags))
	if gen >= machine.Gen4 {
		if err := wire(&mm, isa.FDstDtype, dst.DType); err != nil {
			return err
		}
	}
	g.emit(mm)
	return nil
}

func encActivation(g *gen, in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.ActivationAttrs)
	if !ok {
		return unsupported(in, "no attributes")
	}
	if a.Activate2 {
		return encActivate2(g, in, a)
	}
	x := isa.New(isa.OpActivate)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	fn, err := isa.ActFromBIR(int(a.Func))
	if err != nil {
		return err
	}
	x.Set(isa.FFunc, int64(fn))
	if err := setAcc(&x, a.Acc); err != nil {
		return err
	}
	x.SetDType(isa.FBiasDtype, isa.DTF32)
	if len(in.Ins) > 1 {
		if err := g.scalar(&x, isa.FBias, isa.FBiasDtype, &in.Ins[1], false); err != nil {
			return err
		}
	} else {
		x.SetImmF32(isa.FBias, 0)
	}
	if len(in.Ins) > 2 {
		if err := g.scalar(&x, isa.FScale, noType, &in.Ins[2], false); err != nil {
			return err
		}
	} else {
		x.SetImmF32(isa.FScale, a.Scale)
	}
	x.SetImmF32(isa.FAlpha, 0)
	if a.Func == bir.ActLrelu || a.Func == bir.ActPrelu {
		x.SetImmF32(isa.FAlpha, a.Alpha)
	}
	g.emit(x)
	return g.readOut(in, isa.OpActivationReadAccumulator, false)
}

func encActivate2(g *gen, in *bir.Instr, a *bir.ActivationAttrs) error {
	x := isa.New(isa.OpActivate2)
	if err := g.unary(&x, in); err != nil {
		return err
	}
	fn, err := isa.ActFromBIR(int(a.Func))
	if err != nil {
		return err
	}
	x.Set(isa.FFunc, int64(fn))
	for _, f := range []func() error{
		func() error { return setAcc(&x, a.Acc) },
		func() error { return setALU(&x, isa.FOp0, a.Op0) },
		func() error { return setALU(&x, isa.FOp1, a.Op1) },
		func() error { return setALU(&x, isa.FReduceOp, a.ReduceOp) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	if len(in.Ins) != 3 {
		return unsupported(in, "the two-operation form takes three operands, has %d", len(in.Ins))
	}
	x.SetDType(isa.FImmDtype, isa.DTF32)
	for i, f := range []isa.FieldID{isa.FImm0, isa.FImm1} {
		if err := g.scalar(&x, f, isa.FImmDtype, &in.Ins[i+1], false); err != nil {
			return err
		}
	}
	x.SetImmF32(isa.FReluParam, a.Alpha)
	x.Set(isa.FReverse, flags(a.Reverse0, a.Reverse1))
	g.emit(x)
	return g.readOut(in, isa.OpActivationReadAccumulator, false)
}

func encTableLoad(g *gen, in *bir.Instr) error {
	x := isa.New(isa.OpActivationTableLoad)
	x.Set(isa.FActTblSel, int64(in.Attrs.(*bir.LoadActFuncSetAttrs).Set))
	g.emit(x)
	return nil
}
