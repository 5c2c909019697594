package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// chip tries to emit an instruction on tensors that live on chip. It reports false, having emitted nothing that
// matters, when the generic path has to do it.
func (s *selector) chip(in *penguin.Inst, p piece) (bool, error) {
	for _, ind := range p.ind {
		if len(ind) > 0 {
			return false, nil
		}
	}
	if classOf(in.Out[0].T.DType) == clsNone || anyWide(in) && in.Op.Group != penguin.Move {
		return false, nil
	}
	if s.opts.OptLevel < 1 || !s.resident(in, p.n) {
		return false, nil
	}
	n := p.n.clone()
	switch in.Op.Group {
	case penguin.Move:
		return s.chipMove(in, n)
	case penguin.Elementwise:
		r := elementwise[in.Op.Name]
		if r == nil {
			return false, nil
		}
		return s.chipElementwise(in, n, r)
	case penguin.Reduction:
		return s.chipReduce(in, n)
	case penguin.Contraction:
		return s.chipContract(in, n)
	}
	return false, nil
}

// chipMove makes a copy that only renames (a reshape) share its source's storage.
func (s *selector) chipMove(in *penguin.Inst, n *nest) (bool, error) {
	src, dst := n.in(0), n.out(0)
	if classOf(src.t.DType) == clsWide || in.Op.Name != "copy" || src.off != 0 || numel(src.t) != numel(dst.t) || dst.t.Kind&penguin.Output != 0 {
		return false, nil
	}
	for i := range n.ax {
		if src.c[i] != dst.c[i] && n.ax[i].n > 1 {
			return s.chipElementwise(in, n, func(c *tileCtx, d view, ops []operand, _ penguin.Attrs) error {
				c.b.evict(d, c.full(ops[0]))
				return nil
			})
		}
	}
	if s.aliased(src.t) || len(s.uses.writers[src.t]) > 1 || s.uses.region[src.t] < 0 && len(s.uses.writers[src.t]) > 0 {
		return false, nil
	}
	v := s.versionsOf(src.t)
	s.vers[dst.t] = &versions{dram: v.dram, chip: append([]*home{}, v.chip...)}
	return true, nil
}

// aliased reports whether another tensor may overwrite t's storage.
func (s *selector) aliased(t *penguin.Tensor) bool {
	for _, x := range s.fn.Tensors {
		if x.Alias == t {
			return true
		}
	}
	return false
}

// placed is a nest cut so that every operand's home walks it digit by digit.
type placed struct {
	n    *nest
	home []*home // by access, nil for constants and operands loaded tile by tile
	ph   []phys
	part []int // axes on the partitions, outermost first
}

// fit places accesses with homes, cutting axes as they ask.
func (p *placed) fit() bool {
	for round := 0; round < 64; round++ {
		again := false
		p.ph = make([]phys, len(p.n.acc))
		for k := range p.n.acc {
			h := p.home[k]
			if h == nil {
				continue
			}
			ph, ok, cut := h.place(&p.n.acc[k], p.n.ax)
			if ok {
				p.ph[k] = ph
				continue
			}
			if cut.axis < 0 {
				return false
			}
			p.n.split(cut.axis, cut.inner)
			again = true
			break
		}
		if !again {
			return true
		}
	}
	return false
}

// partAxes are the axes that access k walks over partitions, outermost first; ok is false if they are not
// contiguous.
func (p *placed) partAxes(k int) (part []int, ok bool) {
	for i, c := range p.ph[k].pc {
		if c != 0 && p.n.ax[i].n > 1 {
			part = append(part, i)
		}
	}
	sort1(part, func(i int) int64 { return -p.ph[k].pc[i] })
	w := int64(1)
	for j := len(part) - 1; j >= 0; j-- {
		if p.ph[k].pc[part[j]] != w {
			return nil, false
		}
		w *= p.n.ax[part[j]].n
	}
	return part, true
}

// digitOf is the digit of access k's tensor that the axes walk; ok is false if they do not make one. ext 1 means
// that the access does not depend on them.
func (p *placed) digitOf(k int, axes []int) (digit, bool) {
	l := &p.n.acc[k]
	d := digit{1, 1}
	zero, first := 0, true
	for j := len(axes) - 1; j >= 0; j-- {
		c, n := l.c[axes[j]], p.n.ax[axes[j]].n
		switch {
		case c == 0:
			zero++
		case first && c > 0:
			d, first = digit{c, n}, false
		case c == d.ls*d.ext:
			d.ext *= n
		default:
			return d, false
		}
	}
	if zero > 0 && zero < len(axes) {
		return d, false
	}
	return d, true
}

// candidates are the digits to try for in's output, best first.
func (s *selector) candidates(in *penguin.Inst, n *nest, inputs []int) []digit {
	var out []digit
	add := func(d digit, ok bool) {
		if !ok || d.ext < 2 {
			return
		}
		for _, x := range out {
			if x == d {
				return
			}
		}
		out = append(out, d)
	}
	dst := n.out(0)
	// Follow the largest input that is on chip: nothing has to move.
	best := int64(0)
	for _, i := range inputs {
		if sz := numel(n.in(i).t); sz > best {
			for _, h := range s.versionsOf(n.in(i).t).chip {
				if h.bcast() {
					continue
				}
				if d, ok := mapDigit(n, n.in(i), dst, h.dig); ok && d.ext >= 2 {
					best = sz
					out = append([]digit{d}, out...)
				}
			}
		}
	}
	w := s.wishFor(dst.t, 0)
	if w.weight >= 10 && len(out) > 1 {
		// Several layouts are free: take the wished one.
		for i, d := range out {
			if d == w.d {
				out[0], out[i] = out[i], out[0]
			}
		}
	}
	if sz := numel(dst.t); sz <= maxSingle {
		// Small values stay with their operands on one partition, or go there to be reduced.
		alone := sz < 64 || w.d == single && w.weight >= 10 && len(out) == 0
		for _, i := range inputs {
			if len(out) == 0 && numel(n.in(i).t) == sz && s.onSingle(n.in(i).t) {
				alone = true
			}
		}
		if alone {
			out = append(out, single)
		}
	}
	add(w.d, w.weight > 0)
	// Rows: the leading dimensions, then any dimension that fills partitions well.
	st := int64(1)
	type dim struct{ st, n int64 }
	var dims []dim
	for i := len(dst.t.Shape) - 1; i >= 0; i-- {
		dims = append([]dim{{st, dst.t.Shape[i]}}, dims...)
		st *= dst.t.Shape[i]
	}
	if len(dims) == 1 {
		if p := rowsFor(dims[0].n); p > 1 {
			add(digit{dims[0].n / p, p}, true)
		}
	}
	// The last dimension is contiguous in DRAM: take it for partitions only if no other will do.
	for _, lim := range []int64{64, 16, 2} {
		for _, d := range dims[:max(0, len(dims)-1)] {
			if p := fitPart(d.n); p >= lim {
				add(digit{d.st, p}, true)
			}
		}
	}
	if len(dims) > 0 {
		last := dims[len(dims)-1]
		add(digit{last.st, fitPart(last.n)}, true)
	}
	return out
}

// single is the digit of a home on one partition, where small values that are reduced as a whole live: a scalar there
// is a per-partition operand of the values beside it.
var single = digit{1, 1}

// maxSingle is the most elements worth walking on one partition.
const maxSingle = 2048

// onSingle reports whether t is on chip on one partition only.
func (s *selector) onSingle(t *penguin.Tensor) bool {
	chip := s.versionsOf(t).chip
	return len(chip) > 0 && chip[0].dig == single
}

// chipElementwise emits rec with the output, and every input that depends on the partition axes, on chip.
func (s *selector) chipElementwise(in *penguin.Inst, n *nest, rec recipe) (bool, error) {
	n.trim(nil)
	var inputs []int
	for i := 0; i < n.nin; i++ {
		if _, ok := splat(n.in(i).t); !ok {
			inputs = append(inputs, i)
		}
	}
	for _, d := range s.candidates(in, n, inputs) {
		p, ok := s.placeElementwise(n.clone(), d, inputs)
		if !ok {
			continue
		}
		return true, s.runElementwise(in, p, inputs, rec)
	}
	return false, nil
}

// placeElementwise plans homes for digit d of the output.
func (s *selector) placeElementwise(n *nest, d digit, inputs []int) (*placed, bool) {
	p := &placed{n: n, home: make([]*home, len(n.acc))}
	o := n.nin
	p.home[o] = s.planHome(n.out(0).t, d)
	if p.home[o] == nil || !p.fit() {
		return nil, false
	}
	part, ok := p.partAxes(o)
	if !ok {
		return nil, false
	}
	// Check every input before making any version.
	digits := make([]digit, n.nin)
	for _, i := range inputs {
		if digits[i], ok = p.digitOf(i, part); !ok {
			return nil, false
		}
	}
	for _, i := range inputs {
		t := n.in(i).t
		if digits[i].ext == 1 && d != single {
			p.home[i] = s.broadcast(t)
		} else {
			p.home[i] = s.version(t, digits[i])
		}
		if p.home[i] == nil {
			return nil, false
		}
	}
	if !p.fit() {
		return nil, false
	}
	if p.part, ok = p.partAxes(o); !ok {
		return nil, false
	}
	return p, true
}

// freeAxes are the axes of p not on partitions, ordered by the steps of access k so that its innermost walk is
// contiguous, with those it does not walk outermost.
func (p *placed) freeAxes(k int, sel func(i int) bool) []int {
	on := map[int]bool{}
	for _, a := range p.part {
		on[a] = true
	}
	var free []int
	for i := range p.n.ax {
		if !on[i] && sel(i) {
			free = append(free, i)
		}
	}
	sort1(free, func(i int) int64 {
		c := p.ph[k].fc[i]
		if c == 0 {
			return -1 << 62
		}
		return -max(c, -c)
	})
	return free
}

// below is how many of the innermost axes of rest access i walks in steps below grain, or all of them when that
// leaves pieces too small to be worth an instruction.
func (p *placed) below(i int, rest []int, grain int64) int {
	n, elems := 0, int64(1)
	for k := len(rest) - 1; k >= 0 && p.ph[i].fc[rest[k]] < grain; k-- {
		n++
		elems *= p.n.ax[rest[k]].n
	}
	if elems < 64 {
		return len(rest)
	}
	return n
}

// operandView is input i over the tile.
func (s *selector) operandView(p *placed, i int, t *tile) (operand, bool) {
	l := p.n.in(i)
	if o, ok := splat(l.t); ok {
		return o, true
	}
	h := p.home[i]
	if h.bcast() {
		// Every partition holds everything: any range of them will do.
		v := view{t: h.t, off: p.ph[i].f0, np: t.np()}
		for a, lo := range t.lo {
			v.off += p.ph[i].fc[a] * lo
		}
		for _, a := range t.free {
			v.free = append(v.free, penguin.StepCount{Step: p.ph[i].fc[a], Count: t.n[a]})
		}
		return ov(v), true
	}
	v, ok := p.ph[i].tileView(h.t, t)
	return ov(v), ok
}

func (s *selector) runElementwise(in *penguin.Inst, p *placed, inputs []int, rec recipe) error {
	o := p.n.nin
	out := p.n.out(0).t
	s.materialise(out, p.home[o])
	rest := p.freeAxes(o, func(int) bool { return true })
	dims := 3
	// Loop over the axes along which a per-partition operand changes, when the rest is long enough.
	for _, i := range inputs {
		if len(rest) < 2 || p.n.in(i).t.DType != dtype.F32 {
			continue
		}
		inner := int64(1)
		for k := len(rest) - 1; k >= 0; k-- {
			if p.ph[i].fc[rest[k]] != 0 {
				if inner >= 64 {
					dims = min(dims, len(rest)-1-k)
				}
				break
			}
			inner *= p.n.ax[rest[k]].n
		}
	}
	// Keep to the pieces in which an input was written.
	for _, i := range inputs {
		if g := p.home[i].grain; g > 0 {
			dims = min(dims, p.below(i, rest, g))
		}
	}
	if dims < len(rest) {
		p.home[o].grain = p.ph[o].fc[rest[len(rest)-1-dims]]
	}
	err := p.n.tiles(p.part, rest, maxPart, 2*s.maxFree(), dims, func(t *tile) error {
		dst, ok := p.ph[o].tileView(p.home[o].t, t)
		ops := make([]operand, p.n.nin)
		for i := range ops {
			var ok2 bool
			ops[i], ok2 = s.operandView(p, i, t)
			ok = ok && ok2
		}
		if !ok {
			return errDecline
		}
		c := &tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims(), loc: in.Loc}
		return rec(c, dst, ops, in.Attrs)
	})
	if err != nil {
		return err
	}
	s.finish(out, p.home[o])
	return nil
}

// finish records that out was just written to h and stores a model output.
func (s *selector) finish(out *penguin.Tensor, h *home) {
	s.written(out, h)
	if out.Kind&penguin.Output != 0 {
		s.moveHome(out, h, out, true)
		s.versionsOf(out).dram = out
	}
}

// chipReduce reduces over the free space of an on-chip input.
func (s *selector) chipReduce(in *penguin.Inst, n *nest) (bool, error) {
	r, ok := reducers[in.Attrs.(*penguin.Combine).Op]
	if !ok {
		return false, nil
	}
	if len(in.In) == 2 {
		o, ok := splat(in.In[1].T)
		if !ok || !isIdentity(in.Attrs.(*penguin.Combine).Op, o) {
			return false, nil
		}
		n = &nest{ax: n.ax, acc: []lin{n.acc[0], n.acc[2]}, nin: 1}
	}
	if r.nan && s.nanReaches(in) {
		r.nan = false
	}
	n.trim(nil)
	if n.size(false) < 2 && numel(n.in(0).t) > maxSingle {
		return false, nil
	}
	for _, d := range s.reduceCandidates(in, n) {
		p := &placed{n: n.clone(), home: make([]*home, 2)}
		p.home[1] = s.planHome(n.out(0).t, d)
		if p.home[1] == nil || !p.fit() {
			continue
		}
		part, ok := p.partAxes(1)
		if !ok {
			continue
		}
		dg, ok := p.digitOf(0, part)
		if !ok || dg.ext == 1 && d != single {
			continue
		}
		if p.home[0] = s.version(n.in(0).t, dg); p.home[0] == nil || !p.fit() {
			continue
		}
		if p.part, ok = p.partAxes(1); !ok {
			continue
		}
		return true, s.runReduce(in, p, r)
	}
	return false, nil
}

// reduceCandidates puts the digits first that the input already has on partitions.
func (s *selector) reduceCandidates(in *penguin.Inst, n *nest) []digit {
	var out []digit
	for _, h := range s.versionsOf(n.in(0).t).chip {
		if h.bcast() {
			continue
		}
		if d, ok := mapDigit(n, n.in(0), n.out(0), h.dig); ok && d.ext > 1 {
			out = append(out, d)
		}
	}
	if d, ok := axesDigit(n, n.out(0), func(i int) bool { return !n.ax[i].reduce }); ok {
		out = append(out, d)
	}
	if numel(n.in(0).t) <= maxSingle {
		out = append(out, single)
	}
	return out
}

func (s *selector) runReduce(in *penguin.Inst, p *placed, r reducer) error {
	out := p.n.out(0).t
	s.materialise(out, p.home[1])
	par := p.freeAxes(1, func(i int) bool { return !p.n.ax[i].reduce })
	red := p.freeAxes(0, func(i int) bool { return p.n.ax[i].reduce })
	limit := 4 * s.maxFree()
	redSize := p.n.size(true)
	parFree := max(1, limit/min(redSize, limit))
	dims := 2
	if g := p.home[0].grain; g > 0 && redSize >= 64 {
		n := 0
		for k := len(par) - 1; k >= 0 && p.ph[0].fc[par[k]] < g; k-- {
			n++
		}
		dims = min(dims, n)
	}
	err := p.n.tiles(p.part, par, maxPart, parFree, dims, func(t *tile) error {
		dst, ok := p.ph[1].tileView(p.home[1].t, t)
		if !ok {
			return errDecline
		}
		dt := out.DType
		acc := dst
		if at := s.accType(dt, r); at != dt {
			acc = s.out(at, t)
		}
		first := true
		err := p.n.tilesIn(t, red, limit/max(1, prodN(t, t.free)), 4-len(t.free), func(t2 *tile, nred int) error {
			x, ok := p.ph[0].tileView(p.home[0].t, t2)
			if !ok {
				return errDecline
			}
			d := acc
			if !first {
				d = s.out(acc.dtype(), t)
			}
			if err := s.reduceOne(in, r, d, x, t, t2, nred); err != nil {
				return err
			}
			if !first {
				s.combine(r, acc, acc, d, t)
			}
			first = false
			return nil
		})
		if err != nil {
			return err
		}
		if acc.t != dst.t {
			if classOf(dt) == clsSmall {
				(&tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims(), loc: in.Loc}).narrow(dst, acc)
			} else {
				s.b.copy(machine.DVE, dst, acc)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.finish(out, p.home[1])
	return nil
}
