package walrus

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// moveHome is the last resort for a tile too big to be in SBUF together with what an instruction needs beside it: the
// tile lives in DRAM, and every access moves just its own elements through a small tile, packed in walk order:
//
//	f(t[0:65 step 128])  =>  Load(t' <- home[0:65 step 128]); f(t'[0:65])
//	t[...] = g()         =>  t' = g(); Save(home[...] <- t')
//
// It takes the biggest tile of the instruction that needs most, and reports whether there was one to take.
func (u *unit) moveHome() bool {
	l := u.homeCandidate()
	if l == nil {
		return false
	}
	home := u.fn.NewSet(l.Name+"_Home", bir.DRAM, bir.Internal, l.Set.DType, l.Dims...)
	home.Set.Debug = l.Set.Debug
	n := 0
	for _, b := range u.blocks {
		var out []*bir.Instr
		for _, in := range b.instrs {
			var after []*bir.Instr
			visit := func(a *bir.Arg, read, write bool) {
				if a.Kind != bir.ArgAP || a.AP.Loc != l {
					return
				}
				n++
				op := u.packed(a.AP, home, fmt.Sprintf("%s_Part%d", l.Name, n))
				if read {
					out = append(out, u.transfer(bir.Load, in, op.chip, op.dram))
				}
				if write {
					after = append(after, u.transfer(bir.Save, in, op.dram, op.chip))
				}
				a.AP = op.use
			}
			for i := range in.Ins {
				visit(&in.Ins[i], true, false)
			}
			for i := range in.Indirect {
				visit(&in.Indirect[i], true, false)
			}
			for i := range in.Outs {
				visit(&in.Outs[i], i == 0 && readsOutput(in), true)
			}
			out = append(out, in)
			out = append(out, after...)
		}
		b.instrs = out
	}
	u.stats.Spilled++
	u.stats.Reloads += n
	return true
}

// homeCandidate returns the biggest movable tile of the instruction with the largest working set.
func (u *unit) homeCandidate() *bir.MemLoc {
	fixed := map[*bir.MemLoc]bool{}
	var buf []access
	var worst *bir.Instr
	var most int64
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			buf = accesses(buf[:0], in)
			var sum int64
			seen := map[*bir.MemLoc]bool{}
			for i := range buf {
				l := buf[i].loc
				if l.Type != bir.SB {
					continue
				}
				if p := buf[i].arg; l.Pinned || p.Reg != nil || p.Expr != nil {
					fixed[l] = true
				}
				if !seen[l] {
					seen[l] = true
					n, _ := sbufRequestSize(l)
					sum += n
				}
			}
			if sum > most {
				worst, most = in, sum
			}
		}
	}
	if worst == nil || most <= u.sbufCapacity {
		return nil
	}
	var best *bir.MemLoc
	buf = accesses(buf[:0], worst)
	for i := range buf {
		l := buf[i].loc
		if l.Type == bir.SB && !fixed[l] && (best == nil || l.PartitionBytes() > best.PartitionBytes()) && buf[i].arg.Elems()*int64(buf[i].arg.DType.Size()) < l.PartitionBytes() {
			best = l
		}
	}
	return best
}

// packedAccess is an access turned into one of a tile of just its elements, and the two sides of the transfer
// between that tile and the home.
type packedAccess struct{ use, chip, dram *bir.AccessPattern }

func (u *unit) packed(p *bir.AccessPattern, home *bir.MemLoc, name string) packedAccess {
	size := int64(p.DType.Size())
	var real []bir.Dim // without broadcasts
	for _, d := range p.Free {
		if d.Step != 0 || d.Count == 1 {
			real = append(real, d)
		}
	}
	if len(real) == 0 {
		real = []bir.Dim{{Step: 1, Count: 1}}
	}
	elems := int64(1)
	for _, d := range real {
		elems *= d.Count
	}
	parts := max(1, p.NPart)
	t := u.fn.NewSet(name, bir.SB, bir.Internal, p.DType, int64(p.Part+parts), elems)
	t.Set.Debug = home.Set.Debug
	use := *p
	use.Loc, use.Offset = t, 0
	use.Free = append([]bir.Dim(nil), p.Free...)
	step := int64(1)
	for i := len(use.Free) - 1; i >= 0; i-- {
		if d := &use.Free[i]; d.Step != 0 || d.Count == 1 {
			d.Step = step
			step *= d.Count
		}
	}
	chip := use
	chip.Free = []bir.Dim{{Step: 1, Count: elems}}
	pitch := home.PartitionBytes() / size
	dram := &bir.AccessPattern{Loc: home, DType: p.DType, Offset: int64(p.Part)*pitch + p.Offset,
		Free: append([]bir.Dim{{Step: pitch, Count: int64(parts)}}, real...)}
	return packedAccess{&use, &chip, dram}
}

// transfer makes a DMA for an instruction's operand.
func (u *unit) transfer(op bir.Opcode, of *bir.Instr, dst, src *bir.AccessPattern) *bir.Instr {
	in := u.fn.NewInstr(op, machine.DMA)
	in.Attrs = &bir.DMAAttrs{DGE: bir.DGENone}
	in.Debug = of.Debug
	s, d := *src, *dst
	in.Ins, in.Outs = []bir.Arg{bir.AP(&s)}, []bir.Arg{bir.AP(&d)}
	return in
}
