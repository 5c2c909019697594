package bir

import "github.com/alcadev/alca/internal/machine"

// sync checks waits and updates.
func (v *verifier) sync(in *Instr) {
	s := in.Sync
	if in.Op == EventSemaphore {
		if len(s.Waits) > 2 || len(s.Updates) > 1 || len(s.Waits)+len(s.Updates) == 0 {
			v.errorf(CodeSync, "carries %d waits and %d updates; two waits and one update fit, and one is needed", len(s.Waits), len(s.Updates))
		}
	}
	for i := range s.Waits {
		w := &s.Waits[i]
		switch {
		case w.ID < 0 || w.ID > 255:
			v.errorf(CodeSync, "waits for id %d; there are 256", w.ID)
		case w.Mode > WaitSemGEReg:
			v.errorf(CodeSync, "wait mode %d does not exist", w.Mode)
		case w.Mode == WaitSemGEReg && w.Reg == nil:
			v.errorf(CodeSync, "waits for a register value without a register")
		}
	}
	for i := range s.Updates {
		u := &s.Updates[i]
		switch {
		case u.ID < 0 || u.ID > 255:
			v.errorf(CodeSync, "updates id %d; there are 256", u.ID)
		case u.Mode > UpdSemWrite:
			v.errorf(CodeSync, "update mode %d does not exist", u.Mode)
		case (u.Mode == UpdSemInc || u.Mode == UpdSemDec) && u.Value != 1 && u.Value != 0:
			v.errorf(CodeSync, "an increment has the value 1, not %d", u.Value)
		}
	}
}

// control checks terminators, branches and regions.
func (v *verifier) control(b *Block, i int, in *Instr) {
	if in.Op.IsTerminator() && i != len(b.Instrs)-1 {
		v.errorf(CodeControl, "a terminator must be the last instruction of block %s", b.Name)
	}
	if (in.Body != nil) != (in.Op.HasRegion()) {
		v.errorf(CodeControl, "has a body, or lacks one")
		return
	}
	switch a := in.Attrs.(type) {
	case *BranchAttrs:
		v.branch(in, a)
	case *LoopAttrs:
		if a.Stride == 0 || a.Var == nil {
			v.errorf(CodeLoop, "loop over %s has no stride or no variable", a.Axis)
		}
	case *DynamicLoopAttrs:
		if a.Stride == 0 || a.Var == nil || a.UpperReg == nil {
			v.errorf(CodeLoop, "dynamic loop over %s lacks stride, variable or register", a.Axis)
		}
	case *DoWhileAttrs:
		if a.Cond == nil {
			v.errorf(CodeDoWhile, "the condition is not a register")
		}
	}
}

func (v *verifier) branch(in *Instr, a *BranchAttrs) {
	targets := []*Block{a.True, a.False}
	if in.Op == UnconditionalBranch {
		targets = targets[:1]
	}
	for _, t := range targets {
		if t == nil || !v.blocks[t] {
			v.errorf(CodeControl, "the target is not a block of this function")
			return
		}
	}
	if in.Op != CompareAndBranch || len(in.Ins) != 2 {
		return
	}
	want := ArgImm
	if a.Compare >= CmpISLTREG {
		want = ArgReg
	}
	if a.Compare >= CmpUnsupported || in.Ins[0].Kind != ArgReg || in.Ins[1].Kind != want {
		v.errorf(CodeControl, "%s does not compare these operands", a.Compare)
	}
	if in.Engine == machine.DMA {
		v.errorf(CodeEngine, "DMA queues do not branch")
	}
}
