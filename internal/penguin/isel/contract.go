package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

const (
	maxStationary = 128 // columns of a stationary tile (machine.md 6.1)
	maxMoving     = 512 // fp32 results of one PSUM bank
)

// peType is the type in which the PE multiplies elements of t, Invalid if it cannot do so exactly.
func peType(t dtype.Type) dtype.Type {
	switch t {
	case dtype.F32, dtype.BF16, dtype.F16:
		return t
	case dtype.F8E4M3, dtype.F8E5M2, dtype.I8, dtype.U8, dtype.I1:
		return dtype.BF16 // every value is a bf16 value
	}
	return dtype.Invalid
}

// exactTerms is how many products of 8-bit integers an fp32 sum holds exactly.
const exactTerms = 256

// contract emits out = sum over the reduced axes of in0*in1 on the PE. Axes are batch (both operands), stationary
// side or moving side (one operand); the reduced ones lie on the partitions of both tiles. Convolutions are the
// same thing with more axes.
func (s *selector) contract(in *penguin.Inst, n *nest, ind [][]penguin.Indirect) error {
	n.trim(nil)
	a, b := n.in(0), n.in(1)
	ta, tb := peType(a.t.DType), peType(b.t.DType)
	if ta == dtype.Invalid || tb == dtype.Invalid {
		return s.contractSlow(in, n, ind)
	}
	pe := ta
	if tb == dtype.F32 || ta != tb && (ta == dtype.F32 || tb == dtype.F32) {
		pe = dtype.F32
	}
	ints := classOf(a.t.DType) != clsFloat || classOf(b.t.DType) != clsFloat

	var batch, left, right, red []int
	for i, x := range n.ax {
		switch {
		case x.reduce:
			red = append(red, i)
		case a.c[i] != 0 && b.c[i] == 0:
			left = append(left, i)
		case a.c[i] == 0 && b.c[i] != 0:
			right = append(right, i)
		default:
			batch = append(batch, i)
		}
	}
	// The side with more columns moves.
	st, mv, sti, mvi := left, right, 0, 1
	if sizeOf(n, left) > sizeOf(n, right) {
		st, mv, sti, mvi = right, left, 1, 0
	}
	return eachPoint(n, batch, func(bb box) error {
		return eachPiece(n, bb, st, maxStationary, func(sb box) error {
			// Stationary tiles of all K pieces, loaded once for all moving pieces when they are few.
			var held []view
			nk := 0
			_ = eachPiece(n, sb, red, maxPart, func(box) error { nk++; return nil })
			hold := nk <= 8
			return eachPiece(n, sb, mv, maxMoving, func(mb box) error {
				t := &tile{box: mb, part: st, free: mv}
				var acc view
				var ps view
				k := 0
				terms := int64(0)
				chunk := 0
				err := eachPiece(n, mb, red, maxPart, func(kb box) error {
					var sv view
					if hold && len(held) > k {
						sv = held[k]
					} else {
						sv = s.peTile(n.in(sti), &tile{box: kb, part: red, free: st}, ind[sti], pe)
						if hold {
							held = append(held, sv)
						}
					}
					mvw := s.peTile(n.in(mvi), &tile{box: kb, part: red, free: mv}, ind[mvi], pe)
					if chunk == 0 {
						ps = s.b.tile(penguin.PSUM, "ps", dtype.F32, t.np(), t.dims()...)
					}
					kn := int64(mvw.np)
					terms += kn
					last := k == nk-1 || ints && terms+maxPart > exactTerms
					s.b.matmul(ps, mvw, sv, chunk == 0, last)
					chunk++
					k++
					if !last {
						return nil
					}
					chunk, terms = 0, 0
					if ints {
						w := s.out(dtype.I32, t)
						s.b.copy(machine.DVE, w, ps)
						if acc.t == nil {
							acc = w
						} else {
							s.b.tt(machine.Pool, "add", acc, acc, w)
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
				d := s.out(n.out(0).t.DType, t)
				switch {
				case !ints:
					s.b.copy(machine.DVE, d, ps)
				case classOf(d.dtype()) == clsFloat:
					s.b.copy(machine.DVE, d, acc)
				case classOf(d.dtype()) == clsBool:
					s.b.ts(d, acc, "not_equal", imm(0), "", arg{})
				default:
					c := &tileCtx{b: s.b, s: s, np: t.np(), dims: t.dims(), loc: in.Loc}
					c.narrow(d, acc)
				}
				s.store(d, n.out(0), t, ind[n.nin])
				return nil
			})
		})
	})
}

// peTile is the operand l over t in the type the PE wants.
func (s *selector) peTile(l *lin, t *tile, ind []penguin.Indirect, pe dtype.Type) view {
	v := s.load(l, t, ind)
	if v.dtype() != pe {
		w := s.out(pe, t)
		s.b.copy(machine.DVE, w, v)
		return w
	}
	return v
}

func sizeOf(n *nest, axes []int) int64 {
	p := int64(1)
	for _, a := range axes {
		p *= n.ax[a].n
	}
	return p
}

// eachPoint visits every value of axes; the other axes are whole.
func eachPoint(n *nest, axes []int, visit func(b box) error) error {
	return eachPiece2(n, n.whole(), axes, func(int) int64 { return 1 }, visit)
}

// eachPiece visits b in pieces of axes with at most limit points, the innermost axes whole first.
func eachPiece(n *nest, b box, axes []int, limit int64, visit func(b box) error) error {
	step := map[int]int64{}
	p := int64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		st := min(b.n[a], max(1, limit/p))
		step[a] = st
		p *= st
		if st < b.n[a] {
			p = limit // axes further out step by one
		}
	}
	return eachPiece2(n, b, axes, func(a int) int64 { return step[a] }, visit)
}

func eachPiece2(n *nest, b box, axes []int, step func(a int) int64, visit func(b box) error) error {
	if len(axes) == 0 {
		return visit(b)
	}
	a := axes[0]
	for lo := int64(0); lo < b.n[a]; lo += step(a) {
		if err := eachPiece2(n, b.with(a, b.lo[a]+lo, min(step(a), b.n[a]-lo)), axes[1:], step, visit); err != nil {
			return err
		}
	}
	return nil
}

// contractSlow multiplies and adds on POOL or DVE, for types the PE does not multiply exactly.
func (s *selector) contractSlow(in *penguin.Inst, n *nest, ind [][]penguin.Indirect) error {
	a, b := n.in(0), n.in(1)
	for _, l := range []*lin{a, b} {
		if cl := classOf(l.t.DType); cl == clsNone {
			return (&tileCtx{loc: in.Loc}).unsupported(l.t.DType)
		}
	}
	t := dtype.I32
	if anyWide(in) {
		t = dtype.I64
	}
	if n.out(0).t.DType == dtype.U32 {
		t = dtype.U32
	}
	if classOf(a.t.DType) == clsFloat || classOf(b.t.DType) == clsFloat {
		t = dtype.F32
	}
	return s.reduceFrom(in, n, reducers["add"], func(u *tile) view {
		c := &tileCtx{b: s.b, s: s, np: u.np(), dims: u.dims(), loc: in.Loc}
		x, y := s.load(a, u, ind[0]), s.load(b, u, ind[1])
		p := c.tmp(t)
		if t == dtype.I64 {
			c.move(words(p), c.mul64(c.pairOf(ov(x)), c.pairOf(ov(y))))
			return p
		}
		if t == dtype.F32 {
			s.b.tt(machine.DVE, "mult", p, x, y)
			return p
		}
		c.word("mult", p, c.widen(ov(x), t), c.widen(ov(y), t))
		return p
	})
}
