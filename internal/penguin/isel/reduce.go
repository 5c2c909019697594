package isel

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// reducer says how one reduction combines, by class of element type. The engine's max and min ignore NaN, which
// HLO wants propagated, so they are followed by a reduction of x != x.
type reducer struct {
	name string // op-level row
	op   string // ALU operator
	nan  bool
	bool string // operator on booleans
	bits bool   // on bit patterns (integers)
}

// order reports max and min, which are exact in any float type that holds the operands.
func (r reducer) order() bool { return r.op == "max" || r.op == "min" }

var reducers = map[string]reducer{
	"add":      {name: "add", op: "add", bool: "bitwise_or"},
	"multiply": {name: "multiply", op: "mult", bool: "bitwise_and"},
	"maximum":  {name: "maximum", op: "max", nan: true, bool: "bitwise_or"},
	"minimum":  {name: "minimum", op: "min", nan: true, bool: "bitwise_and"},
	"and":      {name: "and", op: "bitwise_and", bits: true, bool: "bitwise_and"},
	"or":       {name: "or", op: "bitwise_or", bits: true, bool: "bitwise_or"},
	"xor":      {name: "xor", op: "bitwise_xor", bits: true, bool: "bitwise_xor"},
}

// reduce emits a reduction of input 0 over the nest's reduced axes into output 0. init, when not nil, is combined
// once into every result.
func (s *selector) reduce(in *penguin.Inst, n *nest, r reducer, ind []penguin.Indirect) error {
	n.trim(nil)
	src := n.in(0)
	cl := classOf(src.t.DType)
	if cl == clsNone {
		return diag.Errorf("PEN190", in.Loc, "%s over elements of type %v is not supported by the instruction selector", in.Op.Name, src.t.DType)
	}
	// Few results of long sums: first reduce rows on 128 partitions into a scratch tensor, then those.
	if par, red := n.size(false), n.size(true); par < 32 && red >= 512 {
		if m, scratch, ok := s.rowSplit(n, par); ok {
			if err := s.reduceTiles(in, m, r, ind); err != nil {
				return err
			}
			return s.reduceTiles(in, scratch, r, nil)
		}
	}
	return s.reduceTiles(in, n, r, ind)
}

// rowSplit turns part of a reduced axis into a parallel axis over a scratch tensor, and returns the nest that
// fills the scratch and the one that reduces it.
func (s *selector) rowSplit(n *nest, par int64) (first, second *nest, ok bool) {
	best, rows := -1, int64(1)
	for i, a := range n.ax {
		if !a.reduce {
			continue
		}
		for p := int64(maxPart) / max(1, min(par, 4)); p > rows; p-- {
			if a.n%p == 0 {
				best, rows = i, p
				break
			}
		}
	}
	if best < 0 || rows < 8 {
		return nil, nil, false
	}
	t := s.b.dram("partial", n.in(0).t.DType, []int64{par, rows})
	first = n.clone()
	first.split(best, first.ax[best].n/rows)
	first.ax[best].reduce = false
	first.move(best, 0)
	second = &nest{nin: 1}
	out := lin{t: t, c: make([]int64, len(first.ax))}
	out.c[0] = 1
	sin := lin{t: t}
	sout := lin{t: n.out(0).t, off: n.out(0).off}
	stride := rows * par
	for i := 1; i < len(first.ax); i++ {
		if first.ax[i].reduce {
			continue
		}
		stride /= first.ax[i].n
		out.c[i] = stride
		second.ax = append(second.ax, nestAxis{n: first.ax[i].n})
		sin.c = append(sin.c, stride)
		sout.c = append(sout.c, first.out(0).c[i])
	}
	second.ax = append(second.ax, nestAxis{n: rows, reduce: true})
	sin.c = append(sin.c, 1)
	sout.c = append(sout.c, 0)
	second.acc = []lin{sin, sout}
	*first.out(0) = out
	return first, second, true
}

func (s *selector) reduceTiles(in *penguin.Inst, n *nest, r reducer, ind []penguin.Indirect) error {
	return s.reduceFrom(in, n, r, func(t *tile) view { return s.load(n.in(0), t, ind) })
}

// reduceFrom reduces the tiles that fetch makes over parallel and reduced free axes.
func (s *selector) reduceFrom(in *penguin.Inst, n *nest, r reducer, fetch func(t *tile) view) error {
	var red []int
	part, rest := s.roles(n)
	for i, a := range n.ax {
		if a.reduce {
			red = append(red, i)
		}
	}
	limit := s.maxFree()
	// The results of one tile stay in SBUF while the reduced axes are walked in pieces.
	redSize := n.size(true)
	parFree := max(1, limit/min(redSize, limit))
	return n.tiles(part, rest, maxPart, parFree, 2, func(t *tile) error {
		dt := n.out(0).t.DType
		acc := s.out(s.accType(dt, r), t)
		first := true
		err := n.tilesIn(t, red, limit/max(1, prodN(t, t.free)), 4-len(t.free), func(t2 *tile, nred int) error {
			x := fetch(t2)
			dstv := acc
			if !first {
				dstv = s.out(acc.dtype(), t)
			}
			if err := s.reduceOne(in, r, dstv, x, t, t2, nred); err != nil {
				return err
			}
			if !first {
				s.combine(r, acc, acc, dstv, t)
			}
			first = false
			return nil
		})
		if err != nil {
			return err
		}
		c := &tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims(), loc: in.Loc}
		d := acc
		if acc.dtype() != dt {
			d = s.out(dt, t)
			if classOf(dt) == clsSmall {
				c.narrow(d, acc)
			} else {
				s.b.copy(machine.DVE, d, acc)
			}
		}
		s.store(d, n.out(0), t, nil)
		return nil
	})
}

func prodN(t *tile, axes []int) int64 {
	p := int64(1)
	for _, a := range axes {
		p *= t.n[a]
	}
	return p
}

// accType is the type in which partial results are kept: fp32 for narrow float sums, words for narrow integers.
func (s *selector) accType(t dtype.Type, r reducer) dtype.Type {
	switch {
	case r.bits || r.order() || classOf(t) == clsWide:
		return t
	case classOf(t) == clsSmall:
		return dtype.I32
	case classOf(t) == clsFloat:
		return dtype.F32
	}
	return t
}

// tilesIn visits the pieces of the axes red inside tile t, appending them to its free axes; nred is the number of
// free axes appended.
func (n *nest) tilesIn(t *tile, red []int, maxFree int64, maxDims int, visit func(t *tile, nred int) error) error {
	m := &nest{ax: make([]nestAxis, len(n.ax))}
	for i := range n.ax {
		m.ax[i].n = 1
	}
	for _, a := range red {
		m.ax[a] = n.ax[a]
	}
	return m.tiles(nil, red, 1, max(1, maxFree), max(1, maxDims), func(p *tile) error {
		u := &tile{box: box{append([]int64{}, t.lo...), append([]int64{}, t.n...)}, part: t.part}
		for _, a := range red {
			u.lo[a], u.n[a] = p.lo[a], p.n[a]
		}
		u.free = append(append([]int{}, t.free...), p.free...)
		return visit(u, len(p.free))
	})
}

// reduceOne reduces the trailing nred free axes of x into dst.
func (s *selector) reduceOne(in *penguin.Inst, r reducer, dst, x view, t, t2 *tile, nred int) error {
	cl := classOf(x.dtype())
	inner := normFree(x.free[len(t.free):])
	outer := x.free[:len(t.free)]
	src := x
	src.free = append(append([]penguin.StepCount{}, outer...), inner...)
	switch {
	case cl == clsWide:
		s.foldWide(in, r, dst, x, t, t2)
	case cl == clsBool || r.bits:
		op := r.op
		if cl == clsBool {
			op = r.bool
		}
		u := uintOf(x.dtype())
		s.b.reduceRaw(dst.as(u), src.as(u), op, len(inner))
	case cl == clsFloat, r.order() && cl == clsSmall:
		s.b.reduceRaw(dst, src, r.op, len(inner))
		if r.nan && cl == clsFloat {
			c := &tileCtx{b: s.b, s: s, np: t2.np(), dims: t2.dims(), loc: in.Loc}
			ne := c.tmp(dtype.U8)
			s.b.tt(machine.DVE, "not_equal", ne, x, x)
			any := s.out(dtype.U8, t)
			ne.free = append(append([]penguin.StepCount{}, ne.free[:len(t.free)]...), normFree(ne.free[len(t.free):])...)
			s.b.reduceRaw(any, ne, "max", len(ne.free)-len(t.free))
			nan := s.out(dst.dtype(), t)
			s.b.memset(nan, nanBits(dst.dtype()))
			s.b.copyPred(dst, nan, any, false)
		}
	default:
		// 32-bit words: the fp32 hub is not exact, so fold halves on POOL.
		c := &tileCtx{b: s.b, s: s, np: t2.np(), dims: t2.dims(), loc: in.Loc}
		w := c.tmp(dst.dtype())
		if x.dtype() == dst.dtype() {
			s.b.copy(machine.DVE, w, x)
		} else {
			s.b.copy(machine.DVE, w, x)
		}
		red := int64(1)
		for _, d := range x.free[len(t.free):] {
			red *= d.Count
		}
		for red > 1 {
			h := red / 2
			lo, hi := w, w
			lo.free = append(append([]penguin.StepCount{}, w.free[:len(t.free)]...), penguin.StepCount{Step: 1, Count: h})
			hi.free = lo.free
			hi.off += red - h
			s.b.tt(machine.Pool, r.op, lo, lo, hi)
			red -= h
		}
		one := w
		one.free = w.free[:len(t.free)]
		s.b.copy(machine.DVE, dst, one)
	}
	return nil
}

// foldWide reduces 64-bit integers by halves.
func (s *selector) foldWide(in *penguin.Inst, r reducer, dst, x view, t, t2 *tile) {
	c := &tileCtx{b: s.b, s: s, np: t2.np(), dims: t2.dims(), loc: in.Loc}
	w := c.tmp(x.dtype())
	c.move(words(w), words(x))
	red := int64(1)
	for _, d := range x.free[len(t.free):] {
		red *= d.Count
	}
	kept := w.free[:len(t.free):len(t.free)]
	for red > 1 {
		h := red / 2
		lo, hi := w, w
		lo.free = append(append([]penguin.StepCount{}, kept...), penguin.StepCount{Step: 1, Count: h})
		hi.free = lo.free
		hi.off += red - h
		s.joinWide(r, lo, lo, hi, t2.np(), append(t.dims(), h))
		red -= h
	}
	one := w
	one.free = kept
	(&tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims()}).move(words(dst), words(one))
}

// joinWide is dst = x op y on 64-bit integers.
func (s *selector) joinWide(r reducer, dst, x, y view, np int, dims []int64) {
	c := &tileCtx{b: s.b, s: s, np: np, dims: dims}
	// Recipes of wide cannot fail on 64-bit operands.
	_ = wide[r.name](c, dst, []operand{ov(x), ov(y)}, nil)
}

func nanBits(t dtype.Type) uint64 {
	return constBits(operand{konst: true, dt: t, f: nan()})
}

// combine is dst = x op y on partial results.
func (s *selector) combine(r reducer, dst, x, y view, t *tile) {
	op, eng := r.op, machine.DVE
	switch cl := classOf(dst.dtype()); {
	case cl == clsBool:
		op = r.bool
		dst, x, y = dst.as(dtype.U8), x.as(dtype.U8), y.as(dtype.U8)
	case r.bits:
		u := uintOf(dst.dtype())
		dst, x, y = dst.as(u), x.as(u), y.as(u)
	case cl == clsWide:
		s.joinWide(r, dst, x, y, t.np(), t.dims())
		return
	case cl == clsWord:
		eng = machine.Pool
	case r.nan && cl == clsFloat:
		// max(x, y) is y when either is NaN: put back an x that is one.
		d := s.out(dst.dtype(), t)
		p := s.out(dtype.U8, t)
		s.b.tt(eng, op, d, x, y)
		s.b.tt(eng, "not_equal", p, x, x)
		s.b.copyPred(d, x, p, false)
		s.b.copy(eng, dst, d)
		return
	}
	s.b.tt(eng, op, dst, x, y)
}
