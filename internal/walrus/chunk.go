package walrus

import (
	"github.com/alcadev/alca/internal/bir"
)

// chunkInstrs cuts instructions whose walk is longer than limit elements a partition into pieces of at most that, at
// the same element positions in all of them, so that big tiles fall apart into parts that are spilled on their own:
//
//	TensorTensor(a[0:2048], b, c)  =>  4 x TensorTensor(a[512k:512k+512], b, c)
//
// An accumulating activation or tensor-scalar carries its accumulator from piece to piece and reads it out at the
// end; a reduction is cut along the dimensions it keeps. It declines transposes and everything else that sees its
// operands as a whole, and matmuls unless asked: short ones waste the array. A matmul of an accumulation group stays
// whole in any case, since its pieces' groups would interleave in one bank.
func chunkInstrs(u *unit, limit int64, matmuls bool) {
	for _, b := range u.blocks {
		var out []*bir.Instr
		for _, in := range b.instrs {
			if isMatmul(in) && !matmuls {
				out = append(out, in)
				continue
			}
			out = append(out, u.chunkInstr(in, limit)...)
		}
		b.instrs = out
	}
}

// chunkOperands returns the operands that walk together, nil if the instruction cannot be cut.
func chunkOperands(in *bir.Instr) []*bir.Arg {
	elementwise := slots(in) > 0 || keptDims(in) > 0
	if a, ok := in.Attrs.(*bir.MatmultAttrs); ok && a.AccFlags != bir.AccFlagStart|bir.AccFlagStop {
		return nil
	}
	if !elementwise && in.Op != bir.Load && in.Op != bir.Save && in.Op != bir.DMACopy {
		return nil
	}
	if carries(in) && accumulates(in) == nil {
		return nil
	}
	var ops []*bir.Arg
	for i := range in.Ins {
		if a := &in.Ins[i]; a.Kind == bir.ArgAP && (i == 0 || a.AP.Elems() > 1 && !isMatmul(in)) {
			ops = append(ops, a)
		}
	}
	if len(in.Outs) == 0 || in.Outs[0].Kind != bir.ArgAP {
		return nil
	}
	return append(ops, &in.Outs[0])
}

// keptDims returns how many outer dimensions of its source a reduction along the free axes keeps, 0 if the instruction
// is none or keeps nothing.
func keptDims(in *bir.Instr) int {
	a, ok := in.Attrs.(*bir.TensorReduceAttrs)
	if !ok || in.Op != bir.TensorReduce || a.Axis > bir.AxisXYZW || a.ApplyTranspose || in.Ins[0].Kind != bir.ArgAP {
		return 0
	}
	return max(0, len(in.Ins[0].AP.Free)-int(a.Axis)-1)
}

// accumulates returns the accumulator command of an instruction that accumulates over its walk, nil if it does not or
// starts from an operand.
func accumulates(in *bir.Instr) *bir.AccType {
	on := func(a *bir.AccType) *bir.AccType {
		if *a == bir.AccZeroAccumulate || *a == bir.AccAddAccumulate {
			return a
		}
		return nil
	}
	switch a := in.Attrs.(type) {
	case *bir.ActivationAttrs:
		return on(&a.Acc)
	case *bir.TensorScalarPtrAttrs:
		if !a.ScalarTensorTensor && !a.TensorTensorScan {
			return on(&a.Acc)
		}
	}
	return nil
}

func (u *unit) chunkInstr(in *bir.Instr, limit int64) []*bir.Instr {
	ops := chunkOperands(in)
	if ops == nil {
		return []*bir.Instr{in}
	}
	n := int64(0)
	touchesSBUF := false
	walks := make([]walk, len(ops))
	var tail []bir.Dim // reduced dimensions of the source: they stay whole
	for i, a := range ops {
		p := a.AP
		if p.Reg != nil || p.Expr != nil {
			return []*bir.Instr{in}
		}
		n = max(n, p.Elems()/max(1, dramRows(in, p)))
		touchesSBUF = touchesSBUF || p.Loc.Type == bir.SB
		walks[i] = p.Free
	}
	if n <= limit || !touchesSBUF {
		return []*bir.Instr{in}
	}
	if k := keptDims(in); k > 0 {
		walks[0], tail = walks[0][:k], walks[0][k:]
		for _, d := range tail {
			limit = max(1, limit/d.Count)
		}
	}
	lead := 0 // dimensions that stand for partitions on the DRAM side
	if isDMA(in) {
		var ok bool
		if walks, ok = dmaWalks(in); !ok {
			return []*bir.Instr{in}
		}
		lead = 1
	}
	nst, ok := refine(walks)
	if !ok {
		return []*bir.Instr{in}
	}
	if lead == 1 && (len(nst.counts) < 2 || nst.steps[partitionSide(in)][0] != partStep) {
		return []*bir.Instr{in}
	}
	// Pieces: whole iterations of the outer dimensions, a run of one dimension, everything inside it.
	inner := int64(1)
	d := len(nst.counts) - 1
	for d > lead && inner*nst.counts[d] <= limit {
		inner *= nst.counts[d]
		d--
	}
	if d < lead {
		return []*bir.Instr{in}
	}
	// Equal pieces: a short rest costs as much to start as a long one.
	run := max(1, limit/inner)
	parts := (nst.counts[d] + run - 1) / run
	run = (nst.counts[d] + parts - 1) / parts
	var pieces []piecePos
	total := int64(1)
	for _, c := range nst.counts[lead:d] {
		total *= c
	}
	if total*((nst.counts[d]+run-1)/run) > 4096 {
		return []*bir.Instr{in}
	}
	for t := range total {
		for at := int64(0); at < nst.counts[d]; at += run {
			pieces = append(pieces, piecePos{t, at, min(run, nst.counts[d]-at)})
		}
	}
	acc := accumulates(in)
	out := make([]*bir.Instr, 0, len(pieces))
	for k, p := range pieces {
		c := u.fn.NewInstr(in.Op, in.Engine)
		c.Name, c.Debug, c.Attrs = in.Name, in.Debug, in.Attrs
		c.Ins, c.Outs = append([]bir.Arg(nil), in.Ins...), append([]bir.Arg(nil), in.Outs...)
		if acc != nil {
			c.Attrs = withAcc(in.Attrs, k)
			if k < len(pieces)-1 {
				c.Outs = c.Outs[:1]
			}
		}
		for i, a := range ops {
			ap := *a.AP
			t := p.outer
			for q := d - 1; q >= lead; q-- {
				ap.Offset += t % nst.counts[q] * nst.steps[i][q]
				t /= nst.counts[q]
			}
			ap.Offset += p.at * nst.steps[i][d]
			ap.Free = nil
			for q := range nst.counts {
				switch {
				case q < lead && ap.Loc.Type != bir.DRAM:
					// the partitions stay in NPart
				case q < lead || q > d:
					ap.Free = append(ap.Free, bir.Dim{Step: nst.steps[i][q], Count: nst.counts[q]})
				case q == d:
					ap.Free = append(ap.Free, bir.Dim{Step: nst.steps[i][q], Count: p.n})
				}
			}
			if i == 0 {
				ap.Free = append(ap.Free, tail...)
			}
			replaceArg(c, in, a, &ap)
		}
		out = append(out, c)
	}
	return out
}

type piecePos struct{ outer, at, n int64 }

// replaceArg puts p where a stands in the original instruction.
func replaceArg(c, in *bir.Instr, a *bir.Arg, p *bir.AccessPattern) {
	for i := range in.Ins {
		if &in.Ins[i] == a {
			c.Ins[i] = bir.AP(p)
		}
	}
	if &in.Outs[0] == a {
		c.Outs[0] = bir.AP(p)
	}
}

// withAcc returns the attributes of piece k: the first does what the whole did, the others go on.
func withAcc(a bir.Attrs, k int) bir.Attrs {
	if k == 0 {
		return a
	}
	switch a := a.(type) {
	case *bir.ActivationAttrs:
		b := *a
		b.Acc = bir.AccAddAccumulate
		return &b
	case *bir.TensorScalarPtrAttrs:
		b := *a
		b.Acc = bir.AccAddAccumulate
		return &b
	}
	return a
}

// dramRows is how many of a DRAM pattern's elements go to different partitions.
func dramRows(in *bir.Instr, p *bir.AccessPattern) int64 {
	if !isDMA(in) || p.Loc.Type != bir.DRAM {
		return 1
	}
	for _, q := range []*bir.AccessPattern{in.Ins[0].AP, in.Outs[0].AP} {
		if q.Loc.Type != bir.DRAM {
			return int64(max(1, q.NPart))
		}
	}
	return 1
}

// partitionSide is the operand (input 0, output 1) of a DMA that is on chip.
func partitionSide(in *bir.Instr) int {
	if in.Ins[0].AP.Loc.Type != bir.DRAM {
		return 0
	}
	return 1
}

// dmaWalks returns the walks of a transfer between DRAM and SBUF, the partitions as outermost dimension of both.
func dmaWalks(in *bir.Instr) ([]walk, bool) {
	src, dst := in.Ins[0].AP, in.Outs[0].AP
	if (src.Loc.Type == bir.DRAM) == (dst.Loc.Type == bir.DRAM) {
		return nil, false
	}
	ws := []walk{src.Free, dst.Free}
	k := partitionSide(in)
	chip := []*bir.AccessPattern{src, dst}[k]
	if chip.NPart < 2 {
		return nil, false // one partition: the walk has no leading dimension
	}
	ws[k] = append(walk{{Step: partStep, Count: int64(chip.NPart)}}, chip.Free...)
	return ws, true
}
