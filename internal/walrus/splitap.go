package walrus

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
)

// slots says how many free dimensions the bundle of an opcode has for the operands that share one iteration: all AP
// inputs of more than one element and all outputs. 0 means the opcode is not split.
func slots(in *bir.Instr) int {
	switch in.Op {
	case bir.Activation, bir.TensorScalar, bir.TensorTensor, bir.CopyPredicated, bir.Dropout, bir.Matmult:
		if a, ok := in.Attrs.(*bir.CopyPredicatedAttrs); ok && (len(in.Ins) > 2 || a.Acc != bir.AccIdle) {
			return 2
		}
		return 3
	case bir.TensorScalarPtr:
		if a, ok := in.Attrs.(*bir.TensorScalarPtrAttrs); ok && (a.ScalarTensorTensor || a.TensorScalarAddr) {
			return 2
		}
		return 3
	case bir.TensorCopy, bir.Reciprocal, bir.Memset:
		return 4
	}
	return 0
}

// carries reports whether splitting the instruction would break a value it carries from element to element.
func carries(in *bir.Instr) bool {
	if len(in.Outs) > 1 {
		return true
	}
	switch a := in.Attrs.(type) {
	case *bir.TensorScalarPtrAttrs:
		return a.TensorTensorScan || a.Acc != bir.AccIdle
	case *bir.ActivationAttrs:
		return a.Acc != bir.AccIdle
	case *bir.CopyPredicatedAttrs:
		return a.Acc != bir.AccIdle
	case *bir.MemsetAttrs:
		return a.Mode == bir.MemsetRandom
	}
	return false
}

// splitPatterns fits access patterns to the dimensions of their bundles (split-ap): it merges what walks memory as
// one dimension, and takes the outermost dimension apart where an operand still has too many, or a step or count
// that its field cannot hold:
//
//	TensorTensor(a[4,3,5,7], b, c)  =>  4 x TensorTensor(a[i][3,5,7], b[i], c[i])
//
// It declines instructions that carry a value along the walk; those fail in the encoder with a diagnostic.
func splitPatterns(u *unit) error {
	for _, b := range u.blocks {
		var out []*bir.Instr
		for i, in := range b.instrs {
			parts := u.splitInstr(in)
			if parts == nil {
				if out != nil {
					out = append(out, in)
				}
				continue
			}
			if out == nil {
				out = append(make([]*bir.Instr, 0, len(b.instrs)+len(parts)), b.instrs[:i]...)
			}
			out = append(out, parts...)
		}
		if out != nil {
			b.instrs = out
		}
	}
	return nil
}

// walk is one operand's iteration: (step, count) outermost first, in elements.
type walk []bir.Dim

// encodable reports whether the walk fits rank dimensions of 16-bit steps and counts.
func (w walk) encodable(rank int) bool {
	m := mergeDims(w)
	if len(m) > rank {
		return false
	}
	for _, d := range m {
		if d.Count > math.MaxUint16 || d.Step < math.MinInt16 || d.Step > math.MaxInt16 {
			return false
		}
	}
	return true
}

// mergeDims drops unit dimensions and joins neighbours that walk memory as one.
func mergeDims(w []bir.Dim) []bir.Dim {
	out := make([]bir.Dim, 0, len(w))
	for _, d := range w {
		if d.Count == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Step == d.Step*d.Count && out[n-1].Count*d.Count <= math.MaxUint16 {
			out[n-1] = bir.Dim{Step: d.Step, Count: out[n-1].Count * d.Count}
			continue
		}
		out = append(out, d)
	}
	return out
}

// splitInstr returns the instructions that replace in, nil if it fits.
func (u *unit) splitInstr(in *bir.Instr) []*bir.Instr {
	rank := slots(in)
	if rank == 0 {
		return nil
	}
	type operand struct {
		arg *bir.Arg
		out bool
		i   int
	}
	var ops []operand
	fits := true
	for i := range in.Ins {
		if a := &in.Ins[i]; a.Kind == bir.ArgAP && a.AP.Elems() > 1 && !(in.Op == bir.Matmult && i == 1) {
			ops = append(ops, operand{a, false, i})
		}
	}
	for i := range in.Outs {
		if a := &in.Outs[i]; a.Kind == bir.ArgAP && a.AP.Elems() > 1 {
			ops = append(ops, operand{a, true, i})
		}
	}
	walks := make([]walk, len(ops))
	for i, o := range ops {
		walks[i] = o.arg.AP.Free
		fits = fits && walks[i].encodable(rank)
	}
	if fits || carries(in) {
		return nil
	}
	common, ok := refine(walks)
	if !ok {
		return nil
	}
	// Peel outermost dimensions until every operand fits.
	peel := 0
	for peel < len(common.counts)-1 {
		fits = true
		for i := range walks {
			fits = fits && common.walk(i, peel).encodable(rank)
		}
		if fits {
			break
		}
		peel++
	}
	total := int64(1)
	for _, c := range common.counts[:peel] {
		total *= c
	}
	if total > 1<<20 {
		return nil
	}
	parts := make([]*bir.Instr, 0, total)
	idx := make([]int64, peel)
	for range total {
		c := u.fn.NewInstr(in.Op, in.Engine)
		c.Name, c.Debug, c.Attrs = in.Name, in.Debug, in.Attrs
		c.Ins, c.Outs, c.Indirect = append([]bir.Arg(nil), in.Ins...), append([]bir.Arg(nil), in.Outs...), in.Indirect
		for i, o := range ops {
			ap := *o.arg.AP
			for d, k := range idx {
				ap.Offset += k * common.steps[i][d]
			}
			ap.Free = mergeDims(common.walk(i, peel))
			if len(ap.Free) == 0 {
				ap.Free = []bir.Dim{{Step: 1, Count: 1}}
			}
			if o.out {
				c.Outs[o.i] = bir.AP(&ap)
			} else {
				c.Ins[o.i] = bir.AP(&ap)
			}
		}
		parts = append(parts, c)
		for d := peel - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < common.counts[d] {
				break
			}
			idx[d] = 0
		}
	}
	return parts
}

// nest is an iteration space that several walks share: the same counts, a step per walk.
type nest struct {
	counts []int64
	steps  [][]int64 // [walk][dim]
}

// walk returns walk i without its outermost peel dimensions.
func (n *nest) walk(i, peel int) walk {
	w := make(walk, 0, len(n.counts)-peel)
	for d := peel; d < len(n.counts); d++ {
		w = append(w, bir.Dim{Step: n.steps[i][d], Count: n.counts[d]})
	}
	return w
}

// refine finds the coarsest common iteration space of walks over equally many elements: dimensions are cut at every
// boundary some walk has. It fails when the boundaries do not nest ([2,3] against [3,2]).
func refine(ws []walk) (*nest, bool) {
	type cursor struct {
		w    walk
		k    int   // dimension, from the innermost
		done int64 // elements of dimension k already consumed, as a factor
	}
	cs := make([]cursor, len(ws))
	for i, w := range ws {
		var t walk
		for _, d := range w {
			if d.Count != 1 {
				t = append(t, d)
			}
		}
		cs[i] = cursor{t, len(t) - 1, 1}
	}
	n := &nest{steps: make([][]int64, len(ws))}
	for {
		take := int64(0)
		ended := 0
		for i := range cs {
			c := &cs[i]
			if c.k < 0 {
				ended++
				continue
			}
			if left := c.w[c.k].Count / c.done; take == 0 || left < take {
				take = left
			}
		}
		if ended == len(cs) {
			break
		}
		if ended > 0 {
			return nil, false
		}
		for i := range cs {
			c := &cs[i]
			d := c.w[c.k]
			if left := d.Count / c.done; left%take != 0 {
				return nil, false
			}
			n.steps[i] = append(n.steps[i], d.Step*c.done)
			if c.done *= take; c.done == d.Count {
				c.k, c.done = c.k-1, 1
			}
		}
		n.counts = append(n.counts, take)
	}
	// Built innermost first.
	flip := func(s []int64) {
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			s[i], s[j] = s[j], s[i]
		}
	}
	flip(n.counts)
	for i := range n.steps {
		flip(n.steps[i])
	}
	return n, true
}
