package walrus

import (
	"fmt"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
)

// xfer is one static transfer: the block of descriptors a trigger starts.
type xfer struct {
	in       *bir.Instr // the DMATrigger
	src, dst *bir.MemLoc
	queue    *bir.Queue
	id       int
	sem      int
	descs    []neff.Desc
}

// maxDescs bounds the descriptors of one transfer.
const maxDescs = 1 << 16

// lowerDMA turns every static Load, Save and DMACopy into a DMATrigger and a block of descriptors on a queue of its
// trigger engine (lower_dma, alloc_queues); what keeps a run-time offset is encoded as a direct DMA later.
//
//	Load x[0:128, 0:512] -> sb   =>   DMATrigger qInSP, block 7: 16 descriptors of 8 partitions each
//
// Source and destination are cut at common boundaries, so that each descriptor has at most four dimensions on a
// side, and the longest outer dimension is dealt out to the 16 rings.
func lowerDMA(u *unit) error {
	l := &dmaLowering{u: u, queues: map[string]*bir.Queue{}, ids: map[machine.Engine]int{}}
	for _, b := range u.blocks {
		for _, in := range b.instrs {
			if !isDMA(in) {
				continue
			}
			if in.Op == bir.IndirectLoad || in.Op == bir.IndirectSave || in.Ins[0].AP.Reg != nil || in.Outs[0].AP.Reg != nil {
				continue
			}
			if err := l.lower(in); err != nil {
				return err
			}
		}
	}
	u.stats.Triggers = len(u.xfers)
	return nil
}

type dmaLowering struct {
	u      *unit
	queues map[string]*bir.Queue
	ids    map[machine.Engine]int
}

func (l *dmaLowering) lower(in *bir.Instr) error {
	attrs := in.Attrs.(*bir.DMAAttrs)
	if attrs.Mode != bir.CopyCopy {
		return unsupported(in, "DMA mode %s", attrs.Mode)
	}
	op, err := descOp(in, attrs)
	if err != nil {
		return err
	}
	descs, err := l.u.descriptors(in, op)
	if err != nil {
		return err
	}
	q := l.queueFor(in)
	x := &xfer{in: in, src: rootLoc(in.Ins[0].AP.Loc), dst: rootLoc(in.Outs[0].AP.Loc), queue: q, id: l.ids[in.Engine], sem: l.u.sync.slot[in].sem, descs: descs}
	l.ids[in.Engine]++
	l.addSem(q, x.sem)
	l.u.xfers = append(l.u.xfers, x)
	l.u.stats.Descs += len(descs)
	in.Op, in.Ins, in.Outs = bir.DMATrigger, nil, nil
	blk := l.u.fn.NewInstr(bir.DMABlock, machine.DMA)
	blk.Attrs = &bir.DMABlockAttrs{ID: x.id}
	in.Attrs = &bir.DMATriggerAttrs{Queue: q, Blocks: []*bir.Instr{blk}}
	if len(q.Blocks) == 0 {
		q.Blocks = []*bir.Block{{Name: q.Name + "_0"}}
	}
	q.Blocks[0].Instrs = append(q.Blocks[0].Instrs, blk)
	return nil
}

func descOp(in *bir.Instr, a *bir.DMAAttrs) (neff.DescOp, error) {
	switch a.Op {
	case bir.AluBypass:
		if in.Ins[0].AP.DType != in.Outs[0].AP.DType {
			return neff.DescCast, nil
		}
		return neff.DescCopy, nil
	case bir.AluAdd:
		return neff.DescAdd, nil
	case bir.AluMax:
		return neff.DescMax, nil
	case bir.AluMin:
		return neff.DescMin, nil
	}
	return 0, unsupported(in, "DMA cannot combine with %s", a.Op)
}

// smallTransfer separates transfers that should not queue behind big ones.
const smallTransfer = 64 << 10

// queueFor returns the queue set of a transfer: by trigger engine, direction (the DRAM side's role) and size class.
func (l *dmaLowering) queueFor(in *bir.Instr) *bir.Queue {
	src, dst := in.Ins[0].AP, in.Outs[0].AP
	typ, name := bir.QueueData, "Data"
	side := src.Loc
	if dst.Loc.Type == bir.DRAM && (src.Loc.Type != bir.DRAM || isOutput(dst.Loc.Set.Kind)) {
		side = dst.Loc
	}
	if side.Type == bir.DRAM {
		switch k := side.Set.Kind; {
		case k <= bir.ExternalInputState:
			typ, name = bir.QueueInput, "In"
		case isOutput(k):
			typ, name = bir.QueueOutput, "Out"
		}
	}
	class := 0
	if n := src.Elems() * int64(max(1, src.NPart)) * int64(src.DType.Size()); n > smallTransfer {
		class = 1
	}
	full := fmt.Sprintf("q%s%s%d_%d", name, in.Engine, class, l.u.spec.DMAEngines)
	if q := l.queues[full]; q != nil {
		return q
	}
	q := &bir.Queue{Name: full, Type: typ, Engine: in.Engine, Rings: l.u.spec.DMAEngines}
	l.queues[full] = q
	l.u.mod.Queues = append(l.u.mod.Queues, q)
	return q
}

func (l *dmaLowering) addSem(q *bir.Queue, sem int) {
	for _, s := range q.Sems {
		if s == sem {
			return
		}
	}
	q.Sems = append(q.Sems, sem)
}

func isOutput(k bir.TensorKind) bool { return k >= bir.ExternalOutput && k <= bir.ExternalOutputState }

// byteSide is one end of a DMA as a walk over bytes.
type byteSide struct {
	ap   *bir.AccessPattern
	off  int64 // ADDR4 on chip, bytes of the variable in DRAM
	dims walk  // outermost first, in bytes
	size int64 // of an element
}

func sideWalk(p *bir.AccessPattern) byteSide {
	size := int64(p.DType.Size())
	s := byteSide{ap: p, size: size, off: p.Loc.Addr + p.Offset*size}
	if p.Loc.Type == bir.DRAM {
		if !internalDRAM(p.Loc) {
			s.off = p.Offset * size
		}
	} else {
		s.off += int64(p.Loc.Base+p.Part) * isa.SBUFPartitionStep
		s.dims = append(s.dims, bir.Dim{Step: isa.SBUFPartitionStep, Count: int64(max(1, p.NPart))})
	}
	for _, d := range p.Free {
		s.dims = append(s.dims, bir.Dim{Step: d.Step * size, Count: d.Count})
	}
	return s
}

func internalDRAM(l *bir.MemLoc) bool {
	return l.Set.Kind == bir.Internal || l.Set.Kind == bir.InternalInterface
}

// descriptors builds the descriptor list of one transfer.
func (u *unit) descriptors(in *bir.Instr, op neff.DescOp) ([]neff.Desc, error) {
	src, dst := sideWalk(in.Ins[0].AP), sideWalk(in.Outs[0].AP)
	if a, b := count(src.dims), count(dst.dims); a != b {
		return nil, diag.Errorf(CodeShape, locOf(in), "%s: %s moves %d elements into %d", in.NameOf(), in.Op, a, b)
	}
	if in.Ins[0].AP.Loc.Type == bir.PSUM || in.Outs[0].AP.Loc.Type == bir.PSUM {
		return nil, unsupported(in, "DMA cannot reach PSUM")
	}
	pieces, err := alignWalks(in, src, dst)
	if err != nil {
		return nil, err
	}
	var out []neff.Desc
	rings := int64(u.spec.DMAEngines)
	for _, p := range pieces {
		for _, q := range p.deal(max(1, rings/int64(len(pieces)))) {
			for _, r := range q.fit() {
				out = append(out, neff.Desc{Op: op, From: []neff.Side{u.side(&src, r.src, r.n, 0)}, To: u.side(&dst, r.dst, r.n, 1)})
				if len(out) > maxDescs {
					return nil, diag.Errorf(CodePattern, locOf(in), "%s: the transfer needs more than %d descriptors", in.NameOf(), maxDescs)
				}
			}
		}
	}
	return out, nil
}

func count(w walk) int64 {
	n := int64(1)
	for _, d := range w {
		n *= d.Count
	}
	return n
}

// xpiece is a rectangular part of a transfer: offsets of both ends and one nest of loops.
type xpiece struct {
	src, dst int64
	size     [2]int64 // element sizes
	n        *nest    // steps[0] source, steps[1] destination, in bytes
}

// alignWalks cuts both walks at common boundaries. Where they do not nest, the outer part is enumerated.
func alignWalks(in *bir.Instr, src, dst byteSide) ([]xpiece, error) {
	size := [2]int64{src.size, dst.size}
	if n, ok := refine([]walk{src.dims, dst.dims}); ok {
		return []xpiece{{src.off, dst.off, size, n}}, nil
	}
	// Split off the longest inner part whose boundaries nest, and list the rest element by element.
	s, d := trim(src.dims), trim(dst.dims)
	i, j := len(s)-1, len(d)-1
	inner := int64(1)
	a, b := int64(1), int64(1) // consumed factors of s[i], d[j]
	var counts, ss, ds []int64
	for i >= 0 && j >= 0 {
		g := gcd64(s[i].Count/a, d[j].Count/b)
		if g == 1 {
			break
		}
		counts, ss, ds = append(counts, g), append(ss, s[i].Step*a), append(ds, d[j].Step*b)
		inner *= g
		if a *= g; a == s[i].Count {
			i, a = i-1, 1
		}
		if b *= g; b == d[j].Count {
			j, b = j-1, 1
		}
	}
	total := count(s) / inner
	if total > maxDescs {
		return nil, diag.Errorf(CodePattern, locOf(in), "%s: source and destination patterns have no common boundaries; %d descriptors would be needed", in.NameOf(), total)
	}
	n := &nest{steps: make([][]int64, 2)}
	for k := len(counts) - 1; k >= 0; k-- {
		n.counts = append(n.counts, counts[k])
		n.steps[0], n.steps[1] = append(n.steps[0], ss[k]), append(n.steps[1], ds[k])
	}
	out := make([]xpiece, 0, total)
	for t := range total {
		out = append(out, xpiece{src.off + offsetOf(s[:i+1], a, t), dst.off + offsetOf(d[:j+1], b, t), size, n})
	}
	return out, nil
}

// offsetOf returns the byte offset of outer element t when the innermost of ds has a factor f already consumed.
func offsetOf(ds walk, f, t int64) int64 {
	var off int64
	for k := len(ds) - 1; k >= 0; k-- {
		c, step := ds[k].Count, ds[k].Step
		if k == len(ds)-1 {
			c, step = c/f, step*f
		}
		off += t % c * step
		t /= c
	}
	return off
}

func trim(w walk) walk {
	var t walk
	for _, d := range w {
		if d.Count != 1 {
			t = append(t, d)
		}
	}
	return t
}

func gcd64(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// deal cuts the piece along its longest dimension that is not the contiguous run into up to n nearly equal parts; a
// piece that is one run is cut into runs of at least 512 elements.
func (p xpiece) deal(n int64) []xpiece {
	best := -1
	for d := range p.n.counts {
		if d < len(p.n.counts)-1 && (best < 0 || p.n.counts[d] > p.n.counts[best]) {
			best = d
		}
	}
	last := len(p.n.counts) - 1
	if best < 0 && last >= 0 {
		best = last
		n = min(n, max(1, p.n.counts[last]/512))
	}
	if best < 0 || n <= 1 {
		return []xpiece{p}
	}
	if c := p.n.counts[best]; best < last && c < n && p.n.counts[last]*c >= 512*n {
		best = last // few long rows: cut the rows
	}
	c := p.n.counts[best]
	n = min(n, c)
	out := make([]xpiece, 0, n)
	for k := range n {
		lo, hi := k*c/n, (k+1)*c/n
		q := xpiece{p.src + lo*p.n.steps[0][best], p.dst + lo*p.n.steps[1][best], p.size, &nest{counts: append([]int64(nil), p.n.counts...), steps: p.n.steps}}
		q.n.counts[best] = hi - lo
		out = append(out, q)
	}
	return out
}

// dims returns one end's walk.
func (n *nest) side(i int) walk { return n.walk(i, 0) }

// fit peels outer dimensions until each end has at most four dimensions, the run of bytes included.
func (p xpiece) fit() []xpiece {
	ok := true
	for i := range 2 {
		ok = ok && len(sideDims(p.n.side(i), p.size[i])) <= maxSideDims
	}
	if ok || len(p.n.counts) == 0 {
		return []xpiece{p}
	}
	// Take apart the shortest dimension: fewest descriptors. The innermost stays.
	best := 0
	for d := range p.n.counts[:len(p.n.counts)-1] {
		if p.n.counts[d] < p.n.counts[best] {
			best = d
		}
	}
	var out []xpiece
	for k := range p.n.counts[best] {
		q := xpiece{src: p.src + k*p.n.steps[0][best], dst: p.dst + k*p.n.steps[1][best], size: p.size, n: &nest{steps: make([][]int64, 2)}}
		for d := range p.n.counts {
			if d == best {
				continue
			}
			q.n.counts = append(q.n.counts, p.n.counts[d])
			q.n.steps[0] = append(q.n.steps[0], p.n.steps[0][d])
			q.n.steps[1] = append(q.n.steps[1], p.n.steps[1][d])
		}
		out = append(out, q.fit()...)
	}
	return out
}

const maxSideDims = 4 // neff.md 5

// sideDims merges a walk and adds the run of one element behind a strided innermost dimension. Outermost first.
func sideDims(w walk, size int64) walk {
	m := mergeBytes(w)
	if n := len(m); n > 0 && m[n-1].Step == size {
		m[n-1] = bir.Dim{Step: 1, Count: m[n-1].Count * size}
		return m
	}
	return append(m, bir.Dim{Step: 1, Count: size})
}

// mergeBytes is mergeDims without the count limit of compute bundles.
func mergeBytes(w walk) walk {
	out := make(walk, 0, len(w)+1)
	for _, d := range w {
		if d.Count == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Step == d.Step*d.Count {
			out[n-1] = bir.Dim{Step: d.Step, Count: out[n-1].Count * d.Count}
			continue
		}
		out = append(out, d)
	}
	return out
}

// side makes one end of a descriptor. Off is absolute: the variable is chosen when the file is packaged.
func (u *unit) side(s *byteSide, off int64, n *nest, i int) neff.Side {
	dims := sideDims(n.side(i), s.size)
	out := neff.Side{Off: off, DType: s.ap.DType}
	if out.DType == dtype.I1 {
		out.DType = dtype.U8
	}
	for k := len(dims) - 1; k >= 0; k-- {
		out.Steps = append(out.Steps, dims[k].Step)
		out.Sizes = append(out.Sizes, dims[k].Count)
	}
	return out
}
