package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// codegen writes every block to the streams of the engines: data-path instructions to their own, block boundaries and
// branches to all. Branch targets are bundle indexes of the branching engine, patched when all blocks have a place.
func codegen(u *unit) error {
	g := &gen{u: u, labels: make([][len(dataEngines)]int, len(u.blocks)), index: map[*bir.Block]int{}}
	u.code = g
	for i, b := range u.blocks {
		g.index[b.b] = i
	}
	for i, b := range u.blocks {
		for e := range g.streams {
			g.labels[i][e] = len(g.streams[e].insts)
		}
		g.lastWeights = weights{}
		for _, in := range b.instrs {
			if err := g.instr(in); err != nil {
				return err
			}
		}
		last := i == len(u.blocks)-1
		if last {
			g.end(i)
			break
		}
		g.boundary(i)
		if err := g.branch(i, b); err != nil {
			return err
		}
	}
	for _, f := range g.fixups {
		s := &g.streams[f.engine]
		s.insts[f.at].Set(isa.FTargetPC, int64(g.labels[f.block][f.engine]))
	}
	for e := range g.streams {
		u.stats.Bundles[dataEngines[e]] = len(g.streams[e].insts)
	}
	return nil
}

// gen is the assembler of one program.
type gen struct {
	u           *unit
	streams     [len(dataEngines)]stream
	labels      [][len(dataEngines)]int
	index       map[*bir.Block]int
	fixups      []fixup
	lastWeights weights

	cur     *bir.Instr
	pending []isa.Inst // bundles of the current instruction
}

type stream struct {
	insts []isa.Inst
	from  []*bir.Instr // what each bundle came from, nil for none
}

type fixup struct{ engine, at, block int }

func (g *gen) put(e int, in isa.Inst, from *bir.Instr) {
	s := &g.streams[e]
	s.insts = append(s.insts, in)
	s.from = append(s.from, from)
}

// emit adds a bundle of the current instruction.
func (g *gen) emit(in isa.Inst) { g.pending = append(g.pending, in) }

// instr encodes one instruction with its synchronisation.
func (g *gen) instr(in *bir.Instr) error {
	enc := encoders[in.Op]
	if enc == nil {
		return unsupported(in, "no encoding")
	}
	g.cur, g.pending = in, g.pending[:0]
	if err := enc(g, in); err != nil {
		return located(err, in)
	}
	e := engineIndex(in.Engine)
	if e < 0 {
		return internalf("%s: %s is on engine %s at code generation", in.NameOf(), in.Op, in.Engine)
	}
	g.sync(e, in)
	for _, x := range g.pending {
		g.put(e, x, in)
	}
	return nil
}

// sync puts the waits on the first bundle and before it, the update on the last.
func (g *gen) sync(e int, in *bir.Instr) {
	if in.Sync == nil || len(g.pending) == 0 {
		return
	}
	waits := make([]isa.Wait, 0, len(in.Sync.Waits))
	for _, w := range in.Sync.Waits {
		waits = append(waits, isa.Wait{Mode: isa.WaitSemGE, ID: uint8(w.ID), Value: int32(w.Value)})
	}
	if n := len(waits); n > 0 {
		g.pending[0].Wait = waits[n-1]
		g.waitFor(e, waits[:n-1], in)
	}
	if in.Op == bir.DMATrigger || isDMA(in) {
		return // the descriptors signal completion
	}
	for _, up := range in.Sync.Updates {
		g.pending[len(g.pending)-1].Update = isa.Update{Mode: isa.UpdateInc, ID: uint8(up.ID), Value: 1}
	}
}

// waitFor emits stand-alone waits, two a bundle.
func (g *gen) waitFor(e int, waits []isa.Wait, from *bir.Instr) {
	for len(waits) > 0 {
		n := min(2, len(waits))
		g.put(e, isa.NewEvent(waits[:n], nil), from)
		g.u.stats.EventSems++
		waits = waits[n:]
	}
}

func (g *gen) finals(block int) []isa.Wait {
	var out []isa.Wait
	for _, w := range g.u.sync.finals[block] {
		out = append(out, isa.Wait{Mode: isa.WaitSemGE, ID: uint8(w.ID), Value: int32(w.Value)})
	}
	return out
}

// end closes the program: the sync engine waits for all transfers, every engine exits.
func (g *gen) end(block int) {
	sp := engineIndex(machine.SP)
	g.waitFor(sp, g.finals(block), nil)
	for e := range g.streams {
		x := isa.New(isa.OpPseudoInst)
		x.Set(isa.FSubop, 1)
		g.put(e, x, nil)
	}
}

// boundary separates two blocks (lower_control): all engines drain and meet, the sync engine waits for the transfers
// and clears the semaphores, so that the counts of the next block start at zero whichever path led there.
//
//	others: drain, arrive++        wait go[e] >= 1, go[e]--
//	SP:     wait transfers, drain  wait arrive >= 4, clear, go[e]++ for each
func (g *gen) boundary(block int) {
	sp := engineIndex(machine.SP)
	for e := range g.streams {
		if e == sp {
			continue
		}
		d := isa.New(isa.OpDrain)
		d.Set(isa.FDrainCount, 1)
		d.Update = isa.Update{Mode: isa.UpdateInc, ID: semArrive, Value: 1}
		g.put(e, d, nil)
		g.put(e, isa.NewEvent([]isa.Wait{{Mode: isa.WaitSemGE, ID: uint8(semGo + e), Value: 1}},
			&isa.Update{Mode: isa.UpdateDec, ID: uint8(semGo + e)}), nil)
	}
	g.waitFor(sp, g.finals(block), nil)
	d := isa.New(isa.OpDrain)
	d.Set(isa.FDrainCount, 1)
	g.put(sp, d, nil)
	g.put(sp, isa.NewEvent([]isa.Wait{{Mode: isa.WaitSemGE, ID: semArrive, Value: int32(len(dataEngines) - 1)}}, nil), nil)
	for _, r := range [][2]int64{{semEngine, semArrive}, {int64(semSlots), int64(g.u.sync.sems - 1)}} {
		if r[1] < r[0] {
			continue // no transfers
		}
		c := isa.New(isa.OpEventSemaphoreRangeClear)
		c.Set(isa.FClearMode, 1)
		c.Set(isa.FRangeFirst, r[0])
		c.Set(isa.FRangeLast, r[1])
		g.put(sp, c, nil)
	}
	for e := range g.streams {
		if e != sp {
			g.put(sp, isa.NewEvent(nil, &isa.Update{Mode: isa.UpdateInc, ID: uint8(semGo + e)}), nil)
		}
	}
}

// branch encodes the control transfer at the end of a block on every engine.
func (g *gen) branch(i int, b *block) error {
	if b.term == nil {
		return nil
	}
	a := b.term.Attrs.(*bir.BranchAttrs)
	jump := func(to *bir.Block) error {
		k, ok := g.index[to]
		if !ok {
			return unsupported(b.term, "the branch target is not a block of the function")
		}
		if k == i+1 {
			return nil
		}
		for e := range g.streams {
			x := isa.New(isa.OpCompareBranch)
			x.Set(isa.FOperandKind, 3)
			g.fixups = append(g.fixups, fixup{e, len(g.streams[e].insts), k})
			g.put(e, x, b.term)
		}
		return nil
	}
	if b.term.Op == bir.UnconditionalBranch {
		return jump(a.True)
	}
	k, ok := g.index[a.True]
	if !ok {
		return unsupported(b.term, "the branch target is not a block of the function")
	}
	for e := range g.streams {
		x := isa.New(isa.OpCompareBranch)
		x.Set(isa.FOperandKind, 3)
		cmp := isa.Cmp(a.Compare + 1)
		if a.Compare >= bir.CmpISLTREG {
			cmp = isa.CmpLTReg + isa.Cmp(a.Compare-bir.CmpISLTREG)
			x.Set(isa.FRhsReg, int64(b.term.Ins[1].Reg.Num))
		} else {
			x.Set(isa.FImm, int64(int32(immInt(&b.term.Ins[1].Imm))))
		}
		lhs := b.term.Ins[0].Reg
		dt := lhs.DType
		if dt == dtype.Invalid {
			dt = dtype.I32
		}
		w, err := isa.WireDType(dt)
		if err != nil {
			return located(err, b.term)
		}
		x.Set(isa.FCompOp, int64(cmp))
		x.SetDType(isa.FDtype, w)
		x.Set(isa.FLhsReg, int64(lhs.Num))
		g.fixups = append(g.fixups, fixup{e, len(g.streams[e].insts), k})
		g.put(e, x, b.term)
	}
	return jump(a.False)
}

func immInt(i *bir.Imm) int64 {
	if i.Type.IsFloat() {
		return int64(i.F)
	}
	return i.I
}

// located gives an encoder's diagnostic the place and name of the instruction.
func located(err error, in *bir.Instr) error {
	if d, ok := err.(*diag.Diagnostic); ok {
		c := *d
		if !c.Loc.Known() {
			c.Loc = locOf(in)
		}
		c.Msg = in.NameOf() + ": " + c.Msg
		return &c
	}
	return err
}
