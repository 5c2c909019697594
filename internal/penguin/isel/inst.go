package isel

import (
	"math"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// inst emits one op-level instruction by the generic path.
func (s *selector) inst(in *penguin.Inst) error {
	if in.Op.ISA {
		*s.b.body = append(*s.b.body, in)
		return nil
	}
	s.b.src, s.b.since = in, nil
	ps, err := nests(in)
	if err != nil {
		return err
	}
	if s.opts.OptLevel > 0 && len(ps) == 1 && !empty(ps[0].n) {
		for _, way := range onChip {
			back := s.mark(in)
			done, err := way(s, in, ps[0])
			if err != nil && err != errDecline {
				return err
			}
			if done && err == nil {
				return nil
			}
			// What it emitted before it found that a pattern cannot be walked goes.
			back()
		}
	}
	for _, p := range ps {
		if empty(p.n) {
			continue
		}
		s.toDRAM(in, p)
		if err := s.piece(in, p); err != nil {
			return err
		}
	}
	return nil
}

// onChip are the ways of emitting an instruction on tensors that live on chip, best first. Each reports whether it
// did; errDecline says that it could not after all.
var onChip = []func(s *selector, in *penguin.Inst, p piece) (bool, error){
	(*selector).chip,
	func(s *selector, in *penguin.Inst, p piece) (bool, error) {
		if in.Op.Group != penguin.Contraction || indirect(p) {
			return false, nil
		}
		n := p.n.clone()
		n.trim(nil)
		return s.blockedContract(in, n)
	},
}

// mark returns a function that takes back what has been emitted since.
func (s *selector) mark(in *penguin.Inst) func() {
	body, tensors, since := len(*s.b.body), len(s.fn.Tensors), len(s.b.since)
	busy := s.b.busy
	vers := map[*penguin.Tensor]*versions{}
	for _, side := range [][]penguin.Access{in.In, in.Out} {
		for i := range side {
			t := side[i].T
			v := s.versionsOf(t)
			vers[t] = &versions{dram: v.dram, chip: append([]*home(nil), v.chip...)}
		}
	}
	tiles := map[string]view{}
	for k, v := range s.cache.tiles {
		tiles[k] = v
	}
	return func() {
		if len(*s.b.body) == body {
			return
		}
		*s.b.body = (*s.b.body)[:body]
		s.fn.Tensors = s.fn.Tensors[:tensors]
		s.b.since = s.b.since[:since]
		s.b.busy = busy
		for t, v := range vers {
			s.vers[t] = v
		}
		s.cache.tiles = tiles
	}
}

// toDRAM points the operands of the generic path at up-to-date DRAM storage.
func (s *selector) toDRAM(in *penguin.Inst, p piece) {
	for i := range in.In {
		if _, ok := splat(in.In[i].T); !ok {
			p.n.acc[i].t = s.inDRAM(in.In[i].T)
		}
	}
	for _, ind := range p.ind {
		for k := range ind {
			ind[k].Index = s.inDRAM(ind[k].Index)
		}
	}
	for i := range in.Out {
		// A partial write needs the rest of the tensor in place.
		s.inDRAM(in.Out[i].T)
		s.written(in.Out[i].T, nil)
	}
}

func indirect(p piece) bool {
	for _, ind := range p.ind {
		if len(ind) > 0 {
			return true
		}
	}
	return false
}

func empty(n *nest) bool {
	for _, a := range n.ax {
		if a.n <= 0 {
			return true
		}
	}
	return false
}

func (s *selector) piece(in *penguin.Inst, p piece) error {
	name := in.Op.Name
	if r, ok := elementwise[name]; ok {
		if anyWide(in) {
			if r, ok = wide[name]; !ok {
				return (&tileCtx{loc: in.Loc}).unsupported(dtype.I64)
			}
		}
		return s.elementwise(in, p, r)
	}
	if h, ok := structural[name]; ok {
		return h(s, in, p)
	}
	return diag.Errorf("PEN190", in.Loc, "%s is not supported by the instruction selector", name)
}

// structural maps the op-level rows that are not elementwise to their emitters.
var structural map[string]func(s *selector, in *penguin.Inst, p piece) error

func init() {
	structural = map[string]func(s *selector, in *penguin.Inst, p piece) error{
		"copy":    emitCopy,
		"bitcast": emitCopy,
		"fill":    emitFill,
		"iota": func(s *selector, in *penguin.Inst, p piece) error {
			return s.iota(in, p.n)
		},
		"contract": func(s *selector, in *penguin.Inst, p piece) error {
			return s.contract(in, p.n, p.ind)
		},
		"reduce":  emitReduce,
		"scatter": emitScatter,
	}
}

// emitCopy moves bytes; a bitcast moves them under the result's type.
func emitCopy(s *selector, in *penguin.Inst, p piece) error {
	s.dmaOnly(p.n.in(0), p.n.out(0), p.n, p.ind[0], p.ind[1])
	if src, dst := p.n.in(0).t.DType, p.n.out(0).t.DType; src != dst {
		for _, d := range s.b.since {
			// A source that lives on chip is first written back, under its own type.
			if d.Out[0].T == p.n.out(0).t {
				d.In[0].Tile.DType = dst
			}
		}
	}
	return nil
}

// emitFill stores one value over a strided region.
func emitFill(s *selector, in *penguin.Inst, p piece) error {
	bits := in.Attrs.(*penguin.Fill).Bits
	p.n.trim(nil)
	dst := p.n.out(0)
	for _, n := range flatParts(p.n) {
		part, rest := s.roles(n)
		var whole view
		err := n.tiles(part, rest, maxPart, s.maxFree(), 3, func(t *tile) error {
			d := whole
			if d.t == nil || d.np < t.np() || elemsOf(d) < prodN(t, t.free) {
				d = s.out(dst.t.DType, t)
				s.fillTile(d, bits)
				whole = d
			}
			d.np, d.free = t.np(), compact(t.dims())
			s.store(d, n.out(0), t, p.ind[0])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillTile sets a tile; 64-bit elements are set by halves.
func (s *selector) fillTile(v view, bits uint64) {
	if v.dtype().Size() < 8 {
		s.b.memset(v, bits)
		return
	}
	for half := int64(0); half < 2; half++ {
		h := v
		h.dt = dtype.U32
		h.off = half
		h.free = []penguin.StepCount{{Step: 2, Count: elemsOf(v)}}
		s.b.memset(h, bits>>(32*half)&0xFFFFFFFF)
	}
}

func emitReduce(s *selector, in *penguin.Inst, p piece) error {
	op := in.Attrs.(*penguin.Combine).Op
	r, ok := reducers[op]
	if !ok {
		return diag.Errorf("PEN190", in.Loc, "reduce by %q is not supported by the instruction selector", op)
	}
	if len(in.In) == 1 {
		return s.reduce(in, p.n, r, p.ind[0])
	}
	// The second operand joins elementwise afterwards; an identity needs no joining.
	if o, ok := splat(in.In[1].T); ok && isIdentity(op, o) {
		n := &nest{ax: p.n.ax, acc: []lin{p.n.acc[0], p.n.acc[2]}, nin: 1}
		return s.reduce(in, n, r, p.ind[0])
	}
	par := *p.n
	t := s.b.dram("sum", in.Out[0].T.DType, reduceShape(p.n))
	first := p.n.clone()
	first.acc = []lin{first.acc[0], rowMajor(t, first)}
	first.nin = 1
	join := par.clone()
	join.acc = []lin{rowMajor(t, join), join.acc[1], join.acc[2]}
	for i := len(join.ax) - 1; i >= 0; i-- {
		if join.ax[i].reduce {
			join.drop(i)
		}
	}
	if err := s.reduce(in, first, r, p.ind[0]); err != nil {
		return err
	}
	rec := elementwise[op]
	if anyWide(in) {
		rec = wide[op]
	}
	return s.elementwise(in, piece{join, [][]penguin.Indirect{nil, nil, nil}}, rec)
}

func reduceShape(n *nest) []int64 {
	var sh []int64
	for _, a := range n.ax {
		if !a.reduce {
			sh = append(sh, a.n)
		}
	}
	return sh
}

// rowMajor is the access of t by the parallel axes of n in order.
func rowMajor(t *penguin.Tensor, n *nest) lin {
	l := lin{t: t, c: make([]int64, len(n.ax))}
	st := int64(1)
	for i := len(n.ax) - 1; i >= 0; i-- {
		if !n.ax[i].reduce {
			l.c[i] = st
			st *= n.ax[i].n
		}
	}
	return l
}

// isIdentity reports whether joining o changes nothing.
func isIdentity(op string, o operand) bool {
	fl := classOf(o.dt) == clsFloat
	lo, hi := o.dt.IntRange()
	ones := int64(-1)
	if o.dt == dtype.I1 {
		ones, lo, hi = 1, 0, 1
	}
	if !signed(o.dt) && !fl && o.dt != dtype.I1 {
		ones = hi
		if o.dt == dtype.U64 {
			return false
		}
	}
	switch op {
	case "add", "or", "xor":
		return fl && o.f == 0 || !fl && o.i == 0
	case "multiply":
		return fl && o.f == 1 || !fl && o.i == 1
	case "and":
		return !fl && o.i == ones
	case "maximum":
		return fl && math.IsInf(o.f, -1) || !fl && o.i == lo
	case "minimum":
		return fl && math.IsInf(o.f, 1) || !fl && o.i == hi
	}
	return false
}

// emitScatter joins the input into the output, one nest at a time; nests whose points meet have been enumerated.
func emitScatter(s *selector, in *penguin.Inst, p piece) error {
	op := in.Attrs.(*penguin.Combine).Op
	if op == "" {
		s.dmaOnly(p.n.in(0), p.n.out(0), p.n, p.ind[0], p.ind[1])
		return nil
	}
	r, ok := elementwise[op]
	if anyWide(in) {
		r, ok = wide[op]
	}
	if !ok {
		return diag.Errorf("PEN190", in.Loc, "scatter by %q is not supported by the instruction selector", op)
	}
	n := p.n.clone()
	n.acc = []lin{n.acc[1].clone(), n.acc[0], n.acc[1]}
	n.nin = 2
	return s.elementwise(in, piece{n, [][]penguin.Indirect{p.ind[1], p.ind[0], p.ind[1]}}, r)
}

// iota stores a linear form of the axes: POOL computes it from the tile's corner, a step for each free axis and one
// for the partition.
func (s *selector) iota(in *penguin.Inst, n *nest) error {
	if cl := classOf(n.out(0).t.DType); cl == clsNone {
		return (&tileCtx{loc: in.Loc}).unsupported(n.out(0).t.DType)
	}
	n.trim(nil)
	part, rest := s.roles(n)
	v, dst := &n.acc[len(n.acc)-1], n.out(0)
	return n.tiles(part, rest, maxPart, s.maxFree(), 4, func(t *tile) error {
		at := penguin.ISA{Base: v.at(t.box)}
		if len(part) > 0 {
			at.Channel = v.c[part[0]]
		}
		steps := true
		for _, a := range t.free {
			at.Pattern = append(at.Pattern, penguin.StepCount{Step: v.c[a], Count: t.n[a]})
			steps = steps && max(v.c[a], -v.c[a]) <= maxStep
		}
		if !steps {
			return diag.Errorf("PEN190", in.Loc, "iota steps above %d are not supported by the instruction selector", maxStep)
		}
		if len(at.Pattern) == 0 {
			at.Pattern = []penguin.StepCount{{Step: 0, Count: 1}}
		}
		w := s.out(dtype.I32, t)
		s.b.op("iota", machine.Pool, []view{w}, nil, at)
		d := w
		switch t2 := dst.t.DType; {
		case t2 == dtype.I32:
		case classOf(t2) == clsFloat:
			d = s.out(t2, t)
			s.b.copy(machine.DVE, d, w)
		case classOf(t2) == clsBool:
			d = s.out(t2, t)
			s.b.ts(d.as(dtype.U8), w, "not_equal", imm(0), "", arg{})
		case classOf(t2) == clsWide:
			d = s.out(t2, t)
			(&tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims()}).extend(words(d), ov(w))
		default:
			d = s.out(t2, t)
			(&tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims()}).narrow(d, w)
		}
		s.store(d, dst, t, nil)
		return nil
	})
}
