package walrus

import "github.com/alcadev/alca/internal/bir"

// tuning are the choices that only a schedule can judge.
type tuning struct {
	chunk     int64 // elements a partition to which long instructions are cut; 0: not at all
	poolRsqrt bool  // small reciprocal square roots on GpSimd, sparing the scalar engine's tables
}

// tunings are the candidates of level 2, the default first.
var tunings = []int64{0, 256, 128, 512, 1024, 64}

// tuneEffort bounds the instructions compiled in all trials together.
const tuneEffort = 24000

// tune picks the candidate whose schedule is estimated fastest: for each it runs the passes from rewriting to
// scheduling on a copy of the unit.
//
//	whole tiles:  DVE |---- a ----|            cut:  DVE |-a0-|-a1-|
//	              ACT             |---- b ----|      ACT      |-b0-|-b1-|
func tune(u *unit) error {
	longest := u.longestWalk()
	best, bestTime := tuning{}, int64(-1)
	effort := 0
	try := func(t tuning) error {
		if effort > tuneEffort {
			return nil
		}
		c := u.clone()
		c.tuning, c.quick = t, true
		for _, run := range []func(*unit) error{applyTuning, allocPSUM, allocSBUF, allocDRAM, allocRegs, buildDeps, schedule} {
			if err := run(c); err != nil {
				if t == (tuning{}) {
					return err
				}
				return nil // a candidate that does not fit is no candidate
			}
		}
		if effort += c.count(); c.stats.Reloads > 0 {
			effort += 8 * c.count() // spilling is slow to plan, and cuts what is long anyway
		}
		if bestTime < 0 || c.makespan < bestTime-bestTime/100 {
			best, bestTime = t, c.makespan
		}
		return nil
	}
	hasRsqrt := u.smallRsqrt()
	if longest <= tunings[len(tunings)-1] && !hasRsqrt {
		return nil // nothing to choose
	}
	for _, n := range tunings {
		if n < longest {
			if err := try(tuning{chunk: n}); err != nil {
				return err
			}
		}
	}
	if hasRsqrt {
		if err := try(tuning{chunk: best.chunk, poolRsqrt: true}); err != nil {
			return err
		}
	}
	u.tuning = best
	return nil
}

// longestWalk returns the most elements a partition of an instruction that can be cut.
func (u *unit) longestWalk() int64 {
	var n int64
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			if isDMA(in) || isMatmul(in) {
				continue
			}
			for _, a := range chunkOperands(in) {
				n = max(n, a.AP.Elems())
			}
		}
	}
	return n
}

// applyTuning rewrites the program as the candidate says.
func applyTuning(u *unit) error {
	if u.tuning.poolRsqrt {
		u.moveRsqrt()
	}
	if u.tuning.chunk > 0 {
		chunkInstrs(u, u.tuning.chunk, false)
	}
	return nil
}

// clone copies everything that the passes up to scheduling change: blocks, instructions, operands, locations,
// registers. Attributes are shared: passes replace them.
func (u *unit) clone() *unit {
	c := *u
	c.stats = &Stats{}
	c.fn = &bir.Func{Name: u.fn.Name, Attrs: u.fn.Attrs}
	locs := map[*bir.MemLoc]*bir.MemLoc{}
	for _, s := range u.fn.Sets {
		n := *s
		n.Locs = nil
		for _, l := range s.Locs {
			m := *l
			m.Set = &n
			locs[l] = &m
			n.Locs = append(n.Locs, &m)
		}
		c.fn.Sets = append(c.fn.Sets, &n)
	}
	for _, s := range c.fn.Sets {
		for _, l := range s.Locs {
			if l.Alias != nil {
				l.Alias = locs[l.Alias]
			}
		}
	}
	regs := map[*bir.Register]*bir.Register{}
	reg := func(r *bir.Register) *bir.Register {
		if r == nil {
			return nil
		}
		if regs[r] == nil {
			n := *r
			regs[r] = &n
		}
		return regs[r]
	}
	for _, r := range u.fn.Regs {
		c.fn.Regs = append(c.fn.Regs, reg(r))
	}
	args := func(list []bir.Arg) []bir.Arg {
		out := append([]bir.Arg(nil), list...)
		for i := range out {
			a := &out[i]
			a.Reg = reg(a.Reg)
			if a.AP != nil {
				p := *a.AP
				p.Loc, p.Reg = locs[p.Loc], reg(p.Reg)
				a.AP = &p
			}
		}
		return out
	}
	instr := func(in *bir.Instr) *bir.Instr {
		n := c.fn.NewInstr(in.Op, in.Engine)
		n.Name, n.Attrs, n.Debug = in.Name, in.Attrs, in.Debug
		n.Ins, n.Outs, n.Indirect = args(in.Ins), args(in.Outs), args(in.Indirect)
		return n
	}
	c.blocks = nil
	for _, b := range u.blocks {
		n := &block{b: b.b, loop: b.loop}
		for _, in := range b.instrs {
			n.instrs = append(n.instrs, instr(in))
		}
		if b.term != nil {
			n.term = instr(b.term)
		}
		c.blocks = append(c.blocks, n)
	}
	return &c
}
