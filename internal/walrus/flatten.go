package walrus

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// maxInstrs is the cap of backend.md 5.2.
const maxInstrs = 25_000_000

// unroll turns the function into straight-line blocks (full_unroll_all and lower_branch of the vendor's list):
//
//	Loop i in [0,4) { Load(x[128*i]); ... }  =>  Load(x[0]); ...; Load(x[128]); ...; Load(x[256]); ...
//	DoWhile r { body }                       =>  body; branch to body while r != 0
//
// Static loops are expanded with their axis folded into every pattern and predicate; instructions whose predicate
// is false vanish. A tile that every iteration fills before it reads it becomes one tile an iteration. Dynamic loops
// and branches stay, as block boundaries. Instructions for every engine are copied to the five sequencers.
func unroll(u *unit) error {
	f := &flattener{u: u, env: pelican.MapEnv{}}
	f.cur = f.newBlock("", nil)
	if err := f.blocksOf(u.fn.Blocks, nil); err != nil {
		return err
	}
	for _, b := range f.out {
		if b.term == nil {
			continue
		}
		a := b.term.Attrs.(*bir.BranchAttrs)
		if a.True == nil || b.term.Op == bir.CompareAndBranch && a.False == nil {
			return unsupported(b.term, "branch without a target")
		}
	}
	u.blocks = f.out
	return nil
}

type flattener struct {
	u     *unit
	out   []*block
	cur   *block
	env   pelican.MapEnv
	scope []map[*bir.Block]*block
	loop  *loopInfo
	subst map[*bir.MemLoc]*bir.MemLoc // tiles of the current iteration
	n     int
}

func (f *flattener) newBlock(name string, src *bir.Block) *block {
	if name == "" {
		name = fmt.Sprintf("bb%d", len(f.out))
	}
	b := &block{b: &bir.Block{Name: name}, loop: f.loop}
	if src != nil {
		b.b.NoReorder = src.NoReorder
	}
	return b
}

// start opens b as the current block.
func (f *flattener) start(b *block) {
	b.loop = f.loop
	f.cur = b
	f.out = append(f.out, b)
}

// blocksOf flattens the blocks of one holder. Blocks that nothing branches to continue the current one.
func (f *flattener) blocksOf(blocks []*bir.Block, _ *bir.Block) error {
	targets := map[*bir.Block]*block{}
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if a, ok := in.Attrs.(*bir.BranchAttrs); ok {
				for _, t := range []*bir.Block{a.True, a.False} {
					if t != nil && targets[t] == nil {
						targets[t] = f.newBlock("", t)
					}
				}
			}
		}
	}
	f.scope = append(f.scope, targets)
	for _, b := range blocks {
		if len(f.out) == 0 {
			f.start(f.cur)
		}
		if t := targets[b]; t != nil {
			f.start(t)
		} else if f.cur.term != nil {
			f.start(f.newBlock("", b))
		}
		for i, in := range b.Instrs {
			if err := f.instr(b, in, i == len(b.Instrs)-1); err != nil {
				return err
			}
		}
	}
	f.scope = f.scope[:len(f.scope)-1]
	return nil
}

func (f *flattener) instr(b *bir.Block, in *bir.Instr, last bool) error {
	if f.n++; f.n > maxInstrs {
		return diag.Errorf(CodeUnsupported, locOf(in), "the program has more than %d instructions after unrolling", maxInstrs)
	}
	switch in.Op {
	case bir.Loop:
		return f.static(in)
	case bir.DoWhile:
		return f.doWhile(in)
	case bir.DynamicForLoop:
		return unsupported(in, "loops with a run-time bound are not lowered yet; use DoWhile with a guard")
	case bir.Break, bir.Call:
		return unsupported(in, "not lowered by this backend")
	case bir.CompareAndBranch, bir.UnconditionalBranch:
		if !last {
			return unsupported(in, "a branch must end its block")
		}
		c := f.u.fn.NewInstr(in.Op, machine.AllEngines)
		c.Name, c.Debug = in.Name, in.Debug
		c.Ins = append([]bir.Arg(nil), in.Ins...)
		a := *in.Attrs.(*bir.BranchAttrs)
		for _, t := range []**bir.Block{&a.True, &a.False} {
			if *t == nil {
				continue
			}
			for i := len(f.scope) - 1; i >= 0; i-- {
				if m := f.scope[i][*t]; m != nil {
					*t = m.b
					break
				}
			}
		}
		c.Attrs = &a
		f.cur.term = c
		return nil
	case bir.Return, bir.Exit:
		if len(f.scope) > 1 || !last {
			return unsupported(in, "only the end of the function may return")
		}
		return nil
	case bir.BranchHint, bir.DevicePrint, bir.TensorCompletion:
		return nil
	}
	ok, err := f.holds(in)
	if err != nil || !ok {
		return err
	}
	c := in
	if len(f.env) > 0 {
		if c, err = f.clone(in); err != nil {
			return err
		}
	} else if err := f.fold(c); err != nil {
		return err
	}
	if c.Engine == machine.AllEngines {
		for _, e := range dataEngines {
			k := f.u.fn.NewInstr(c.Op, e)
			k.Name, k.Debug, k.Attrs = c.Name, c.Debug, c.Attrs
			k.Ins, k.Outs = append([]bir.Arg(nil), c.Ins...), append([]bir.Arg(nil), c.Outs...)
			f.cur.instrs = append(f.cur.instrs, k)
		}
		return nil
	}
	f.cur.instrs = append(f.cur.instrs, c)
	return nil
}

// holds evaluates the guards of an instruction.
func (f *flattener) holds(in *bir.Instr) (bool, error) {
	for _, p := range in.Preds {
		v, err := pelican.Eval(p.E, f.env)
		if err != nil {
			return false, unsupported(in, "predicate: %v", err)
		}
		if p.Ge && v < 0 || !p.Ge && v != 0 {
			return false, nil
		}
	}
	return true, nil
}

// clone copies an instruction for the current iteration.
func (f *flattener) clone(in *bir.Instr) (*bir.Instr, error) {
	c := f.u.fn.NewInstr(in.Op, in.Engine)
	c.Name, c.Debug, c.Attrs = "", in.Debug, in.Attrs
	for _, l := range []struct {
		dst *[]bir.Arg
		src []bir.Arg
	}{{&c.Ins, in.Ins}, {&c.Outs, in.Outs}, {&c.Indirect, in.Indirect}} {
		*l.dst = append([]bir.Arg(nil), l.src...)
	}
	return c, f.fold(c)
}

// fold replaces symbolic offsets by their values and tiles by those of the iteration.
func (f *flattener) fold(c *bir.Instr) error {
	for _, list := range [3][]bir.Arg{c.Ins, c.Outs, c.Indirect} {
		for i := range list {
			a := &list[i]
			if a.Kind != bir.ArgAP || a.AP.Expr == nil && f.subst[a.AP.Loc] == nil {
				continue
			}
			ap := *a.AP
			if ap.Expr != nil {
				v, err := pelican.Eval(ap.Expr, f.env)
				if err != nil {
					return unsupported(c, "offset of %s: %v", ap.Loc.Name, err)
				}
				ap.Offset += v
				ap.Expr = nil
			}
			if l := f.subst[ap.Loc]; l != nil {
				ap.Loc = l
			}
			a.AP = &ap
		}
	}
	c.Preds = nil
	return nil
}

// static expands one Loop.
func (f *flattener) static(in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.LoopAttrs)
	if !ok || a.Stride == 0 {
		return unsupported(in, "loop without bounds or with stride 0")
	}
	private := f.privateTiles(in)
	outer := f.subst
	n := 0
	for v := a.Lower; a.Stride > 0 && v < a.Upper || a.Stride < 0 && v > a.Upper; v += a.Stride {
		f.env[a.Var] = v
		if len(private) > 0 && n > 0 {
			f.subst = map[*bir.MemLoc]*bir.MemLoc{}
			for k, l := range outer {
				f.subst[k] = l
			}
			for _, l := range private {
				c := f.u.fn.NewSet(fmt.Sprintf("%s_%s%d", l.Name, a.Axis, v), l.Type, bir.Internal, l.Set.DType, l.Dims...)
				c.Base, c.Set.Debug = l.Base, l.Set.Debug
				f.subst[l] = c
			}
		}
		if err := f.blocksOf(in.Body, nil); err != nil {
			return err
		}
		n++
	}
	f.subst = outer
	delete(f.env, a.Var)
	return nil
}

// privateTiles returns the on-chip locations only this loop touches, which one iteration never reads before it has
// written the bytes itself: each iteration may have its own.
func (f *flattener) privateTiles(loop *bir.Instr) []*bir.MemLoc {
	inside := map[*bir.MemLoc]int{}
	bad := map[*bir.MemLoc]bool{}
	have := map[*bir.MemLoc]*contents{}
	var order []*bir.MemLoc
	var buf []access
	bir.Walk(loop.Body, func(_ *bir.Block, in *bir.Instr) {
		buf = accesses(buf[:0], in)
		for i := range buf {
			a := &buf[i]
			l := a.arg.Loc
			if l.Type == bir.DRAM || l.Pinned {
				continue
			}
			if inside[l]++; have[l] == nil {
				have[l] = &contents{}
				order = append(order, l)
			}
			if a.arg.Expr != nil || a.arg.Reg != nil || len(in.Preds) > 0 {
				bad[l] = true // what is written depends on the iteration
				continue
			}
			if a.read {
				ok := false
				for k := range have[l].parts {
					ok = ok || have[l].parts[k].set.Covers(&a.set)
				}
				if !ok {
					bad[l] = true
				}
			}
		}
		for i := range buf {
			if a := &buf[i]; a.write && a.arg.Loc.Type != bir.DRAM && !bad[a.arg.Loc] && have[a.arg.Loc] != nil {
				have[a.arg.Loc].add(a)
			}
		}
	})
	total := f.useCounts()
	var out []*bir.MemLoc
	for _, l := range order {
		if !bad[l] && total[l] == inside[l] {
			out = append(out, l)
		}
	}
	return out
}

// useCounts counts the accesses of every location in the source function.
func (f *flattener) useCounts() map[*bir.MemLoc]int {
	m := map[*bir.MemLoc]int{}
	var buf []access
	bir.Walk(f.u.fn.Blocks, func(_ *bir.Block, in *bir.Instr) {
		buf = accesses(buf[:0], in)
		for i := range buf {
			m[buf[i].arg.Loc]++
		}
	})
	return m
}

// doWhile lays out the body and the branch back.
func (f *flattener) doWhile(in *bir.Instr) error {
	a, ok := in.Attrs.(*bir.DoWhileAttrs)
	if !ok || a.Cond == nil {
		return unsupported(in, "loop without a condition register")
	}
	outer := f.loop
	f.loop = &loopInfo{outer: outer}
	head := f.newBlock("", nil)
	f.start(head)
	f.loop.first = len(f.out) - 1
	if err := f.blocksOf(in.Body, nil); err != nil {
		return err
	}
	if f.cur.term != nil {
		f.start(f.newBlock("", nil))
	}
	f.loop.last = len(f.out) - 1
	next := f.newBlock("", nil)
	br := f.u.fn.NewInstr(bir.CompareAndBranch, machine.AllEngines)
	br.Debug = in.Debug
	br.Ins = []bir.Arg{bir.RegArg(a.Cond), {Kind: bir.ArgImm, Imm: bir.Imm{Type: dtype.I32}}}
	br.Attrs = &bir.BranchAttrs{Compare: bir.CmpISNEIMM, True: head.b, False: next.b}
	f.cur.term = br
	f.loop = outer
	f.start(next)
	return nil
}
