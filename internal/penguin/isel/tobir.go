package isel

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// ToBIR lowers an ISA-level module, one instruction to one (a run-time offset and a while loop add register
// instructions). Memory locations stay unallocated and there are no dependence edges.
func ToBIR(m *penguin.Module, spec *machine.Spec) (*bir.Module, error) {
	out := &bir.Module{Name: m.Name, Gen: m.Gen}
	for _, f := range m.Funcs {
		bf, err := funcToBIR(f)
		if err != nil {
			return nil, err
		}
		out.Funcs = append(out.Funcs, bf)
	}
	return out, nil
}

type birFunc struct {
	f    *bir.Func
	loc  map[*penguin.Tensor]*bir.MemLoc
	cur  *bir.Block
	list *[]*bir.Block // blocks of the innermost region
	nreg int
	nblk int
}

func funcToBIR(f *penguin.Func) (*bir.Func, error) {
	g := &birFunc{f: &bir.Func{Name: f.Name}, loc: map[*penguin.Tensor]*bir.MemLoc{}}
	for _, t := range f.Tensors {
		g.tensor(t)
	}
	for _, t := range f.Tensors {
		if t.Alias != nil {
			g.loc[t].Alias = g.loc[t.Alias]
		}
	}
	g.list = &g.f.Blocks
	g.block()
	if err := g.stmts(f.Body); err != nil {
		return nil, err
	}
	return g.f, nil
}

func (g *birFunc) tensor(t *penguin.Tensor) {
	mem := map[penguin.Space]bir.MemType{penguin.DRAM: bir.DRAM, penguin.SBUF: bir.SB, penguin.PSUM: bir.PSUM}[t.Space]
	kind := bir.Internal
	switch {
	case t.Kind&penguin.Input != 0:
		kind = bir.ExternalInput
	case t.Kind&penguin.Output != 0:
		kind = bir.ExternalOutput
	case t.Kind&penguin.Const != 0:
		kind = bir.Const
	}
	l := g.f.NewSet(t.Name, mem, kind, birType(t.DType), t.Shape...)
	l.Set.Init = t.Init
	l.Set.IOName = t.IOName
	l.Set.Debug = &bir.DebugInfo{Loc: t.Loc}
	g.loc[t] = l
}

// birType is the storage type: booleans are bytes.
func birType(t dtype.Type) dtype.Type {
	if t == dtype.I1 {
		return dtype.U8
	}
	return t
}

func (g *birFunc) block() *bir.Block {
	g.nblk++
	b := &bir.Block{Name: fmt.Sprintf("block%d", g.nblk)}
	*g.list = append(*g.list, b)
	g.cur = b
	return b
}

func (g *birFunc) reg(t dtype.Type, e machine.Engine) *bir.Register {
	g.nreg++
	return g.f.NewReg(fmt.Sprintf("r%d", g.nreg), e, t)
}

func (g *birFunc) stmts(body []penguin.Stmt) error {
	for _, s := range body {
		switch s := s.(type) {
		case *penguin.Inst:
			if err := g.inst(s); err != nil {
				return err
			}
		case *penguin.Scope:
			if err := g.stmts(s.Body); err != nil {
				return err
			}
		case *penguin.While:
			if err := g.while(s); err != nil {
				return err
			}
		default:
			return diag.Internalf("PEN199", diag.Loc{}, "statement %T has no BIR form", s)
		}
	}
	return nil
}

// while emits cond; if it fails branch past a DoWhile whose body is body; cond.
func (g *birFunc) while(w *penguin.While) error {
	if err := g.stmts(w.Cond); err != nil {
		return err
	}
	dbg := &bir.DebugInfo{Loc: w.Loc, Op: "stablehlo.while"}
	pred := g.reg(dtype.I32, machine.AllEngines)
	load := func() {
		in := g.f.NewInstr(bir.TensorLoad, machine.AllEngines)
		in.Ins = []bir.Arg{bir.AP(&bir.AccessPattern{Loc: g.loc[w.Pred], DType: birType(w.Pred.DType), Free: []bir.Dim{{Step: 1, Count: 1}}})}
		in.Outs = []bir.Arg{bir.RegArg(pred)}
		in.Debug = dbg
		g.cur.Instrs = append(g.cur.Instrs, in)
	}
	load()
	guard := g.f.NewInstr(bir.CompareAndBranch, machine.AllEngines)
	guard.Ins = []bir.Arg{bir.RegArg(pred), bir.ImmI(0)}
	guard.Debug = dbg
	g.cur.Instrs = append(g.cur.Instrs, guard)

	enter := g.block()
	loop := g.f.NewInstr(bir.DoWhile, machine.AllEngines)
	loop.Attrs = &bir.DoWhileAttrs{Cond: pred}
	loop.Debug = dbg
	enter.Instrs = append(enter.Instrs, loop)

	outer := g.list
	g.list = &loop.Body
	g.block()
	if err := g.stmts(w.Body); err != nil {
		return err
	}
	if err := g.stmts(w.Cond); err != nil {
		return err
	}
	load()
	g.list = outer
	exit := g.block()
	guard.Attrs = &bir.BranchAttrs{Compare: bir.CmpISEQIMM, True: exit, False: enter}
	return nil
}

func (g *birFunc) ap(a *penguin.Access) (*bir.AccessPattern, error) {
	t := a.Tile
	if t == nil {
		return nil, diag.Internalf("PEN199", a.T.Loc, "access to %s is not a tile", a.T.Name)
	}
	p := &bir.AccessPattern{Loc: g.loc[a.T], DType: birType(a.T.DType), Part: t.P0, NPart: t.NP}
	if t.DType != dtype.Invalid {
		p.DType = birType(t.DType)
	}
	off, expr := splitConst(t.Off)
	p.Offset, p.Expr = off, expr
	for _, d := range t.Free {
		p.Free = append(p.Free, bir.Dim{Step: d.Step, Count: d.Count})
	}
	return p, nil
}

// offsetReg computes the clamped run-time part of an access into a register, in elements.
func (g *birFunc) offsetReg(a *penguin.Access, dbg *bir.DebugInfo) *bir.Register {
	const eng = machine.Pool // software descriptor generation exists on every generation and reads POOL's registers
	var sum *bir.Register
	emit := func(op bir.Opcode, at bir.Attrs, out *bir.Register, ins ...bir.Arg) {
		in := g.f.NewInstr(op, eng)
		in.Ins, in.Outs, in.Attrs, in.Debug = ins, []bir.Arg{bir.RegArg(out)}, at, dbg
		g.cur.Instrs = append(g.cur.Instrs, in)
	}
	alu := func(op bir.AluOp, x *bir.Register, y bir.Arg) *bir.Register {
		r := g.reg(dtype.I32, eng)
		emit(bir.RegisterAlu, &bir.RegisterAluAttrs{Op: op}, r, bir.RegArg(x), y)
		return r
	}
	for _, ind := range a.Ind {
		stride := int64(1)
		for _, d := range a.T.Shape[ind.Dim+1:] {
			stride *= d
		}
		pos := int64(0)
		for i, e := range ind.At {
			c, _ := splitConst(e)
			pos = pos*ind.Index.Shape[i] + c
		}
		t := birType(ind.Index.DType)
		if t.Size() == 8 {
			// The low word of an index that fits any tensor is the index.
			t, pos = dtype.I32, pos*2
		}
		r := g.reg(dtype.I32, eng)
		emit(bir.TensorLoad, nil, r, bir.AP(&bir.AccessPattern{Loc: g.loc[ind.Index], DType: t, Offset: pos, Free: []bir.Dim{{Step: 1, Count: 1}}}))
		r = alu(bir.AluMax, r, bir.ImmI(ind.Lo))
		r = alu(bir.AluMin, r, bir.ImmI(ind.Hi))
		if stride != 1 {
			r = alu(bir.AluMult, r, bir.ImmI(stride))
		}
		if sum == nil {
			sum = r
		} else {
			sum = alu(bir.AluAdd, sum, bir.RegArg(r))
		}
	}
	return sum
}

func (g *birFunc) inst(in *penguin.Inst) error {
	at, _ := in.Attrs.(*penguin.ISA)
	if !in.Op.ISA || at == nil {
		return diag.Internalf("PEN199", in.Loc, "op-level instruction %s reached the lowering to BIR", in.Op.Name)
	}
	lower := birLower[in.Op.Name]
	if lower == nil {
		return diag.Internalf("PEN199", in.Loc, "ISA-level op %s has no BIR form", in.Op.Name)
	}
	dbg := &bir.DebugInfo{Loc: in.Loc, Op: in.Src, Name: in.Name}
	var ins, outs []bir.Arg
	side := func(acc []penguin.Access) ([]bir.Arg, error) {
		var r []bir.Arg
		for i := range acc {
			p, err := g.ap(&acc[i])
			if err != nil {
				return nil, err
			}
			if len(acc[i].Ind) > 0 {
				p.Reg = g.offsetReg(&acc[i], dbg)
			}
			r = append(r, bir.AP(p))
		}
		return r, nil
	}
	ins, err := side(in.In)
	if err != nil {
		return err
	}
	outs, err = side(in.Out)
	if err != nil {
		return err
	}
	for _, m := range at.Imms {
		a := bir.Arg{Kind: bir.ArgImm, Imm: bir.Imm{Type: m.Type, F: m.F, I: m.I}}
		ins = append(ins[:m.Pos:m.Pos], append([]bir.Arg{a}, ins[m.Pos:]...)...)
	}
	op, attrs, err := lower(at, ins, outs)
	if err != nil {
		return diag.Internalf("PEN199", in.Loc, "%s: %v", in.Op.Name, err)
	}
	x := g.f.NewInstr(op, in.Engine)
	x.Ins, x.Outs, x.Attrs, x.Debug = ins, outs, attrs, dbg
	g.cur.Instrs = append(g.cur.Instrs, x)
	return nil
}

type lowerFn func(at *penguin.ISA, ins, outs []bir.Arg) (bir.Opcode, bir.Attrs, error)

func alu(name string) (bir.AluOp, error) {
	if name == "" {
		return bir.AluBypass, nil
	}
	o, ok := bir.ParseAluOp(name)
	if !ok {
		return 0, fmt.Errorf("no ALU operator %q", name)
	}
	return o, nil
}

func tensorScalar(stt bool) lowerFn {
	return func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		o0, err := alu(at.Op0)
		if err != nil {
			return 0, nil, err
		}
		o1, err := alu(at.Op1)
		a := &bir.TensorScalarPtrAttrs{Op0: o0, Op1: o1, Reverse0: at.Rev0, Reverse1: at.Rev1, ScalarTensorTensor: stt}
		return bir.TensorScalarPtr, a, err
	}
}

// birLower maps each ISA-level row to its instruction.
var birLower = map[string]lowerFn{
	"dma": func(_ *penguin.ISA, ins, outs []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		op := bir.DMACopy
		from, to := ins[0].AP.Loc.Type, outs[0].AP.Loc.Type
		switch {
		case from == bir.DRAM && to == bir.SB:
			op = bir.Load
		case from == bir.SB && to == bir.DRAM:
			op = bir.Save
		}
		return op, &bir.DMAAttrs{DGE: bir.DGEUnassigned}, nil
	},
	"matmul": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		return bir.Matmult, &bir.MatmultAttrs{AccFlags: at.Flags, IsTranspose: at.Transpose,
			TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}}, nil
	},
	"activation": func(at *penguin.ISA, ins, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		fn, ok := bir.ParseActFunc(at.Func)
		if !ok {
			return 0, nil, fmt.Errorf("no activation function %q", at.Func)
		}
		a := &bir.ActivationAttrs{Func: fn, Scale: float32(at.Scale), Alpha: float32(at.Alpha)}
		if at.Acc != "" {
			if a.Acc, ok = bir.ParseAccType(at.Acc); !ok {
				return 0, nil, fmt.Errorf("no accumulator command %q", at.Acc)
			}
			a.ReduceOp = bir.AluAdd
		}
		return bir.Activation, a, nil
	},
	"tensor_tensor": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		o, err := alu(at.Op0)
		return bir.TensorTensor, &bir.TensorTensorAttrs{Op: o}, err
	},
	"tensor_scalar":        tensorScalar(false),
	"scalar_tensor_tensor": tensorScalar(true),
	"tensor_reduce": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		o, err := alu(at.Op0)
		if at.Axes < 1 || at.Axes > 4 {
			return 0, nil, fmt.Errorf("%d reduced dimensions", at.Axes)
		}
		return bir.TensorReduce, &bir.TensorReduceAttrs{Op: o, Axis: bir.AxisList(at.Axes - 1), Negate: at.Negate}, err
	},
	"tensor_copy": func(_ *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		return bir.TensorCopy, &bir.CopyAttrs{}, nil
	},
	"copy_predicated": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		return bir.CopyPredicated, &bir.CopyPredicatedAttrs{ReversePred: at.Rev0}, nil
	},
	"reciprocal": func(_ *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		return bir.Reciprocal, nil, nil
	},
	"memset": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		return bir.Memset, &bir.MemsetAttrs{Constant: uint32(at.Bits)}, nil
	},
	"iota": func(at *penguin.ISA, _, _ []bir.Arg) (bir.Opcode, bir.Attrs, error) {
		a := &bir.IotaAttrs{Base: at.Base, ChannelMultiplier: at.Channel}
		for _, d := range at.Pattern {
			a.Pattern = append(a.Pattern, bir.Dim{Step: d.Step, Count: d.Count})
		}
		return bir.Iota, a, nil
	},
}
