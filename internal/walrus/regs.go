package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/walrus/pack"
)

// The top registers are scratch for the encoder, which scales and rebases run-time offsets.
const (
	scratchRegs  = 6
	firstScratch = 56
)

// allocRegs numbers the sequencer registers: linear intervals over the program, extended over the loops they are
// used in, packed into the register file. A register of all engines has the same number on each.
func allocRegs(u *unit) error {
	type span struct {
		r          *bir.Register
		start, end int
	}
	index := map[*bir.Register]int{}
	var spans []span
	touch := func(r *bir.Register, pos int) {
		i, ok := index[r]
		if !ok {
			i = len(spans)
			index[r] = i
			spans = append(spans, span{r, pos, pos + 1})
		}
		spans[i].end = max(spans[i].end, pos+1)
		spans[i].start = min(spans[i].start, pos)
	}
	pos := 0
	starts := make([]int, len(u.blocks)+1)
	visit := func(in *bir.Instr) {
		for _, r := range regReads(nil, in) {
			touch(r, pos)
		}
		for i := range in.Outs {
			if in.Outs[i].Kind == bir.ArgReg {
				touch(in.Outs[i].Reg, pos)
			}
		}
		pos++
	}
	for bi, b := range u.blocks {
		starts[bi] = pos
		for _, in := range b.instrs {
			visit(in)
		}
		if b.term != nil {
			visit(b.term)
		}
		pos++
	}
	starts[len(u.blocks)] = pos
	for grown := true; grown; {
		grown = false
		for bi, b := range u.blocks {
			for lp := b.loop; lp != nil; lp = lp.outer {
				for i := range spans {
					s := &spans[i]
					if s.start < starts[bi+1] && s.end > starts[bi] {
						if a := starts[lp.first]; a < s.start {
							s.start, grown = a, true
						}
						if e := starts[lp.last+1]; e > s.end {
							s.end, grown = e, true
						}
					}
				}
			}
		}
	}
	bufs := make([]pack.Buffer, len(spans))
	for i, s := range spans {
		bufs[i] = pack.Buffer{Start: int64(s.start), End: int64(s.end), Size: 1}
	}
	limit := int64(min(firstScratch, u.spec.Registers))
	r := pack.Pack(bufs, limit, pack.Options{})
	if !r.Fits {
		return diag.Errorf(CodeRegisters, diag.Loc{}, "%d sequencer registers are live together, an engine has %d", r.LowerBound, limit)
	}
	for i, s := range spans {
		s.r.Num = int(r.Offsets[i])
	}
	if len(spans) > 0 {
		u.plan("registers", r.Height, r.LowerBound, "registers")
	}
	return nil
}

// directDMA prepares DMAs whose address holds a register: they go to an engine with a descriptor generator, which
// takes two loops and a contiguous run on a side, so longer patterns become several instructions.
func directDMA(u *unit) error {
	for _, b := range u.blocks {
		var out []*bir.Instr
		changed := false
		for _, in := range b.instrs {
			if !isDMA(in) || in.Ins[0].AP.Reg == nil && in.Outs[0].AP.Reg == nil {
				out = append(out, in)
				continue
			}
			changed = true
			a := *in.Attrs.(*bir.DMAAttrs)
			in.Attrs = &a
			eng, err := offsetEngine(in)
			if err != nil {
				return err
			}
			plain := a.Op == bir.AluBypass && in.Ins[0].AP.DType == in.Outs[0].AP.DType
			switch {
			case eng == machine.AllEngines && u.spec.DGEUnits > 0 && plain:
				in.Engine, a.DGE = machine.SP, bir.DGEHWDGE // hardware neither casts nor combines
			case eng == machine.AllEngines || eng == machine.Pool:
				in.Engine, a.DGE = machine.Pool, bir.DGESWDGE
			case (eng == machine.SP || eng == machine.ACT) && u.spec.DGEUnits > 0 && plain:
				in.Engine, a.DGE = eng, bir.DGEHWDGE
			default:
				return unsupported(in, "its offset register is on engine %s, which generates no descriptors for it", eng)
			}
			in.Attrs = &a
			parts, err := u.splitDirect(in)
			if err != nil {
				return err
			}
			out = append(out, parts...)
		}
		if changed {
			b.instrs = out
		}
	}
	return nil
}

// offsetEngine returns the engine whose registers address a transfer, AllEngines if any may.
func offsetEngine(in *bir.Instr) (machine.Engine, error) {
	eng := machine.AllEngines
	for _, p := range []*bir.AccessPattern{in.Ins[0].AP, in.Outs[0].AP} {
		if p.Reg == nil || p.Reg.Engine == machine.AllEngines {
			continue
		}
		if eng != machine.AllEngines && eng != p.Reg.Engine {
			return 0, unsupported(in, "its two offset registers are on different engines")
		}
		eng = p.Reg.Engine
	}
	return eng, nil
}

// splitDirect cuts a register-addressed DMA into instructions of at most two loops and a run on each side.
func (u *unit) splitDirect(in *bir.Instr) ([]*bir.Instr, error) {
	src, dst := in.Ins[0].AP, in.Outs[0].AP
	full := func(p *bir.AccessPattern) walk {
		if p.Loc.Type == bir.DRAM {
			return p.Free
		}
		return append(walk{{Step: partStep, Count: int64(max(1, p.NPart))}}, p.Free...) // partition steps are never merged
	}
	n, ok := refine([]walk{full(src), full(dst)})
	if !ok {
		return nil, unsupported(in, "a run-time address with patterns that have no common boundaries")
	}
	fits := func(peel int) bool {
		for i, p := range []*bir.AccessPattern{src, dst} {
			m := mergeBytes(n.walk(i, peel))
			if k := len(m); k > 0 && m[k-1].Step == 1 && m[k-1].Count*int64(p.DType.Size()) <= 65536 {
				m = m[:k-1]
			}
			if len(m) > 2 {
				return false
			}
			for _, d := range m {
				if d.Count > 65535 {
					return false
				}
			}
		}
		return true
	}
	peel := 0
	for peel < len(n.counts) && !fits(peel) {
		peel++
	}
	total := int64(1)
	for _, c := range n.counts[:peel] {
		total *= c
	}
	if total > 4096 || !fits(peel) {
		return nil, unsupported(in, "a run-time address with a pattern of too many pieces")
	}
	if total == 1 {
		return []*bir.Instr{in}, nil
	}
	var out []*bir.Instr
	idx := make([]int64, peel)
	for range total {
		c := u.fn.NewInstr(in.Op, in.Engine)
		c.Name, c.Debug, c.Attrs = in.Name, in.Debug, in.Attrs
		ends := [2]*bir.AccessPattern{src, dst}
		for i, p := range ends {
			ap := *p
			for d, k := range idx {
				if s := n.steps[i][d]; p.Loc.Type != bir.DRAM && s >= partStep {
					ap.Part += int(k * s / partStep)
				} else {
					ap.Offset += k * s
				}
			}
			w := n.walk(i, peel)
			if p.Loc.Type != bir.DRAM {
				ap.NPart = 1
				var rest walk
				for _, d := range w {
					if d.Step >= partStep {
						ap.NPart *= int(d.Count)
					} else {
						rest = append(rest, d)
					}
				}
				w = rest
			}
			ap.Free = mergeBytes(w)
			if len(ap.Free) == 0 {
				ap.Free = []bir.Dim{{Step: 1, Count: 1}}
			}
			ends[i] = &ap
		}
		c.Ins, c.Outs = []bir.Arg{bir.AP(ends[0])}, []bir.Arg{bir.AP(ends[1])}
		out = append(out, c)
		for d := peel - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < n.counts[d] {
				break
			}
			idx[d] = 0
		}
	}
	return out, nil
}
