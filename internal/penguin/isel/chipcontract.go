package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/penguin"
)

// chipContract emits a contraction on on-chip operands: both have the same part of the reduced axes on partitions,
// and the result comes out with the stationary operand's free axes on partitions. Which operand that is follows from
// the layout the result's consumers want.
func (s *selector) chipContract(in *penguin.Inst, n *nest) (bool, error) {
	n.trim(nil)
	a, b, o := n.in(0), n.in(1), n.out(0)
	if a.t.DType != b.t.DType || peType(a.t.DType) != a.t.DType {
		return false, nil
	}
	if o.t.DType != dtype.F32 && o.t.DType != a.t.DType {
		return false, nil
	}
	// What lies on the partitions of both operands: a digit of the reduced axes, one that an operand already has if
	// possible.
	kd, ok := s.contractDigit(n)
	if !ok {
		return false, nil
	}
	outs := s.contractOut(n)
	for _, d := range outs {
		p := &placed{n: n.clone(), home: make([]*home, 3)}
		if p.home[2] = s.planHome(o.t, d); p.home[2] == nil || !p.fit() {
			continue
		}
		part, ok := p.partAxes(2)
		if !ok || len(part) == 0 {
			continue
		}
		// The output's partition axes belong to one operand.
		st := -1
		for k := 0; k < 2; k++ {
			all := true
			for _, x := range part {
				if p.n.acc[k].c[x] == 0 || p.n.acc[1-k].c[x] != 0 {
					all = false
				}
			}
			if all {
				st = k
			}
		}
		if st < 0 {
			continue
		}
		da, okA := mapDigitAxes(n, kd, a)
		db, okB := mapDigitAxes(n, kd, b)
		if !okA || !okB {
			return false, nil
		}
		if p.home[0] = s.version(a.t, da); p.home[0] == nil {
			return false, nil
		}
		if p.home[1] = s.version(b.t, db); p.home[1] == nil {
			return false, nil
		}
		if !p.fit() {
			continue
		}
		if p.part, ok = p.partAxes(2); !ok {
			continue
		}
		if err := s.runContract(in, p, st); err == errDecline {
			continue
		} else if err != nil {
			return true, err
		}
		return true, nil
	}
	return false, nil
}

// axisDigit is a digit of the reduced iteration space: for each operand the digit of its tensor.
type axisDigit [2]digit

func mapDigitAxes(n *nest, kd axisDigit, l *lin) (digit, bool) {
	for k := 0; k < 2; k++ {
		if n.in(k) == l {
			return kd[k], kd[k].ext > 1
		}
	}
	return digit{}, false
}

// contractDigit chooses the reduced digit on partitions.
func (s *selector) contractDigit(n *nest) (axisDigit, bool) {
	red := func(i int) bool { return n.ax[i].reduce }
	inside := func(k int, d digit) (axisDigit, bool) {
		// d must consist of reduced axes only and map to the other operand.
		l, m := n.in(k), n.in(1-k)
		for i, a := range n.ax {
			c := l.c[i]
			if c > 0 && a.n > 1 && !a.reduce && c < d.ls*d.ext && c*a.n > d.ls {
				return axisDigit{}, false
			}
		}
		o, ok := mapDigit(n, l, m, d)
		var r axisDigit
		r[k], r[1-k] = d, o
		return r, ok && o.ext > 1
	}
	best, found := axisDigit{}, false
	for k := 0; k < 2; k++ {
		for _, h := range s.versionsOf(n.in(k).t).chip {
			if h.bcast() {
				continue
			}
			if r, ok := inside(k, h.dig); ok && (!found || r[0].ext > best[0].ext) {
				best, found = r, true
			}
		}
	}
	if found && best[0].ext >= 32 {
		return best, true
	}
	for k := 0; k < 2; k++ {
		if d, ok := axesDigit(n, n.in(k), red); ok {
			if r, ok := inside(k, d); ok && (!found || r[0].ext > best[0].ext) {
				best, found = r, true
			}
		}
	}
	return best, found
}

// contractOut lists digits for the output, best first: the wished one, then the rows of either operand.
func (s *selector) contractOut(n *nest) []digit {
	var out []digit
	o := n.out(0)
	w := s.wishFor(o.t, 0)
	if w.weight > 0 {
		out = append(out, w.d)
	}
	widest := w.d
	for k := 0; k < 2; k++ {
		l, m := n.in(k), n.in(1-k)
		if d, ok := axesDigit(n, o, func(i int) bool { return !n.ax[i].reduce && l.c[i] != 0 && m.c[i] == 0 }); ok {
			out = append(out, d)
			if d.ext > widest.ext {
				widest = d
			}
		}
	}
	if w.weight > 0 && w.d.ext*8 <= widest.ext {
		// The wish would leave the PE's columns empty.
		out[0] = widest
		out = append(out, w.d)
	}
	return out
}

func (s *selector) runContract(in *penguin.Inst, p *placed, st int) error {
	n := p.n
	mv := 1 - st
	// K: the axes on the partitions of both operands, in the same order.
	kpart, ok1 := p.partAxes(st)
	kpart2, ok2 := p.partAxes(mv)
	if !ok1 || !ok2 || len(kpart) != len(kpart2) {
		return errDecline
	}
	kp := map[int]bool{}
	for i := range kpart {
		if kpart[i] != kpart2[i] || !n.ax[kpart[i]].reduce {
			return errDecline
		}
		kp[kpart[i]] = true
	}
	op := map[int]bool{}
	for _, a := range p.part {
		op[a] = true
	}
	var kloop, batch, stloop, mvax []int
	for i, a := range n.ax {
		switch {
		case kp[i] || op[i]:
		case a.reduce:
			kloop = append(kloop, i)
		case n.acc[st].c[i] != 0 && n.acc[mv].c[i] != 0:
			batch = append(batch, i)
		case n.acc[st].c[i] != 0:
			stloop = append(stloop, i)
		default:
			mvax = append(mvax, i)
		}
	}
	sort1(mvax, func(i int) int64 { return -p.ph[2].fc[i] })
	// Innermost moving axes that fit a PSUM bank and three dimensions are in the tile; the rest are loops.
	step := map[int]int64{}
	f, cut := int64(1), len(mvax)
	for cut > 0 && len(mvax)-cut < 3 {
		a := mvax[cut-1]
		step[a] = min(n.ax[a].n, max(1, maxMoving/f))
		f *= step[a]
		cut--
		if step[a] < n.ax[a].n {
			break
		}
	}
	mvfree := mvax[cut:]
	loops := append(append(append([]int{}, batch...), stloop...), mvax...)
	// Everything must be walkable before anything is emitted.
	check := func(emit bool) error {
		return eachPiece2(n, n.whole(), loops, func(a int) int64 { return max(1, step[a]) }, func(bx box) error {
			ot := &tile{box: bx, part: p.part, free: mvfree}
			ov, ok := p.ph[2].tileView(p.home[2].t, ot)
			if !ok {
				return errDecline
			}
			var ps view
			if emit {
				ps = s.b.tile(penguin.PSUM, "ps", dtype.F32, ot.np(), ot.dims()...)
			}
			k := 0
			nk := sizeOf(n, kloop)
			err := eachPiece2(n, bx, kloop, func(int) int64 { return 1 }, func(kb box) error {
				sv, ok1 := p.ph[st].tileView(p.home[st].t, &tile{box: kb, part: kpart, free: p.part})
				mvv, ok2 := p.ph[mv].tileView(p.home[mv].t, &tile{box: kb, part: kpart, free: mvfree})
				if !ok1 || !ok2 || sv.p0 != 0 || mvv.p0 != 0 || len(normFree(sv.free)) > 3 || len(normFree(mvv.free)) > 3 {
					return errDecline
				}
				if emit {
					s.b.matmul(ps, mvv, sv, k == 0, int64(k) == nk-1)
				}
				k++
				return nil
			})
			if err == nil && emit {
				s.b.evict(ov, ps)
			}
			return err
		})
	}
	p.home[2].t = &penguin.Tensor{}
	if err := check(false); err != nil {
		return err
	}
	s.materialise(n.out(0).t, p.home[2])
	if err := check(true); err != nil {
		return err
	}
	s.finish(n.out(0).t, p.home[2])
	return nil
}
