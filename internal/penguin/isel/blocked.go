package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// blockedContract emits contractions whose operands do not fit on chip, or do not lie there with the reduced axes on
// partitions (penguin.md 7.3):
//
//	for each block of the stationary side (up to four PSUM banks of 128 columns):
//	    its panel [K on partitions, K tiles, block] is loaded once
//	    for each 512 columns of the moving side:
//	        for each K tile: load [K, 512]; one matmul for each bank
//	        evict the banks
//
// The result goes to an on-chip home when it may stay there, else to DRAM. It reports false for operand types that
// need a conversion.
func (s *selector) blockedContract(in *penguin.Inst, n *nest) (bool, error) {
	a, b, o := n.in(0), n.in(1), n.out(0)
	if a.t.DType != b.t.DType || peType(a.t.DType) != a.t.DType || classOf(o.t.DType) != clsFloat {
		return false, nil
	}
	if n.size(false)*n.size(true) < 1<<14 {
		return false, nil
	}
	if n.size(true)*width(a.t.DType) > 2*s.residentLimit() {
		return false, nil // not even the panel of one bank fits
	}
	var left, right int64 = 1, 1
	for i, x := range n.ax {
		if !x.reduce && a.c[i] != 0 && b.c[i] == 0 {
			left *= x.n
		}
		if !x.reduce && a.c[i] == 0 && b.c[i] != 0 {
			right *= x.n
		}
	}
	c := &blocked{s: s, in: in, st: 0, mv: 1}
	if left > right {
		c.st, c.mv = 1, 0
	}
	// A result that stays on chip comes out with stationary axes on its partitions.
	p := &placed{n: n.clone(), home: make([]*home, 3)}
	resident := false
	if s.resident(in, n) {
		if d, ok := axesDigit(n, o, func(i int) bool {
			return !n.ax[i].reduce && n.acc[c.st].c[i] != 0 && n.acc[c.mv].c[i] == 0
		}); ok {
			if p.home[2] = s.planHome(o.t, d); p.home[2] != nil && p.fit() {
				c.part, resident = p.partAxes(2)
			}
		}
	}
	if !resident {
		p = &placed{n: n.clone(), home: make([]*home, 3)}
	}
	c.p, c.n = p, p.n
	c.classify()
	if len(c.part) == 0 {
		c.part, c.stloop = c.stloop, nil
	}
	if !c.loaders() {
		return false, nil
	}
	if resident {
		s.materialise(o.t, p.home[2])
		c.home = p.home[2]
	} else {
		s.inDRAM(o.t)
	}
	if err := c.emit(); err != nil {
		return true, err
	}
	if resident {
		s.finish(o.t, c.home)
	} else {
		s.written(o.t, nil)
	}
	return true, nil
}

type blocked struct {
	s      *selector
	in     *penguin.Inst
	p      *placed
	n      *nest
	st, mv int // which input is stationary, which moves
	home   *home
	part   []int // stationary axes that become the result's partitions
	stloop []int // stationary axes outside
	mvax   []int
	red    []int
	batch  []int
	load   [2]func(t *tile) (view, bool)
}

func (c *blocked) classify() {
	on := map[int]bool{}
	for _, a := range c.part {
		on[a] = true
	}
	for i, x := range c.n.ax {
		ss, mm := c.n.acc[c.st].c[i] != 0, c.n.acc[c.mv].c[i] != 0
		switch {
		case on[i]:
		case x.reduce:
			c.red = append(c.red, i)
		case ss && !mm:
			c.stloop = append(c.stloop, i)
		case mm && !ss:
			c.mvax = append(c.mvax, i)
		default:
			c.batch = append(c.batch, i)
		}
	}
	if c.p.home[2] != nil {
		sort1(c.mvax, func(i int) int64 { return -c.p.ph[2].fc[i] })
	}
}

// loaders chooses how each operand gets into the form [K on partitions, free axes].
func (c *blocked) loaders() bool {
	for k := 0; k < 2; k++ {
		c.load[k] = c.loader(k)
	}
	return c.load[0] != nil && c.load[1] != nil
}

func (c *blocked) loader(k int) func(t *tile) (view, bool) {
	s, l := c.s, &c.n.acc[k]
	// On chip with a part of the reduced axes on partitions: gather by DMA, piece by piece.
	for _, h := range s.versionsOf(l.t).chip {
		if h.bcast() {
			continue
		}
		if ph, ok, _ := h.place(l, c.n.ax); ok {
			if f := c.gather(k, h, ph); f != nil {
				return f
			}
		}
	}
	var inner, kinner int64 = 0, 0 // free and reduced axes that are contiguous in DRAM
	for i, x := range c.n.ax {
		if l.c[i] == 1 && x.n > 1 {
			if x.reduce {
				kinner = x.n
			} else {
				inner = x.n
			}
		}
	}
	direct := func(t *tile) (view, bool) {
		m := *l
		m.t = s.inDRAM(l.t)
		return s.load(&m, t, nil), true
	}
	if inner >= 16 || kinner < 64 || !transposable(l.t.DType) || len(c.red) != 1 || l.c[c.red[0]] != 1 {
		return direct
	}
	return func(t *tile) (view, bool) { return c.transposed(k, t) }
}

// transposed loads rows [free axes on partitions, K contiguous] and turns each 128 by 128 block on the PE.
func (c *blocked) transposed(k int, t *tile) (view, bool) {
	s, l := c.s, c.n.acc[k]
	l.t = s.inDRAM(l.t)
	kn := t.np()
	total := prodN(t, t.free)
	dst := s.b.tile(penguin.SBUF, "panel", l.t.DType, kn, t.dims()...)
	pt := l.t.DType
	if s.m.Gen == machine.Gen2 {
		pt = dtype.F32
	}
	done := int64(0)
	err := eachPiece(c.n, t.box, t.free, maxPart, func(b box) error {
		rows := &tile{box: b, part: t.free, free: t.part}
		x := s.load(&l, rows, nil)
		x.free = normFree(x.free)
		ps := s.b.tile(penguin.PSUM, "tp", pt, kn, int64(rows.np()))
		s.b.transpose(ps, x, s.identity(l.t.DType, rows.np()))
		d := dst
		d.off = done
		d.free = []penguin.StepCount{{Step: 1, Count: int64(rows.np())}}
		s.b.evict(d, ps)
		done += int64(rows.np())
		return nil
	})
	return dst, err == nil && done == total
}

// gather loads tiles from an on-chip home some of whose partitions are reduced axes: one DMA for each point of the
// other reduced axes of the tile.
func (c *blocked) gather(k int, h *home, ph phys) func(t *tile) (view, bool) {
	inK := map[int]bool{}
	for _, a := range c.red {
		inK[a] = true
	}
	some := false
	for i, pc := range ph.pc {
		if pc == 0 || c.n.ax[i].n == 1 {
			continue
		}
		if !inK[i] {
			return nil
		}
		some = true
	}
	if !some {
		return nil
	}
	s := c.s
	return func(t *tile) (view, bool) {
		dst := s.b.tile(penguin.SBUF, "panel", h.t.DType, t.np(), t.dims()...)
		// Trailing part axes that lie on consecutive partitions move together.
		cut, w := len(t.part), int64(1)
		for cut > 0 && (ph.pc[t.part[cut-1]] == w || t.n[t.part[cut-1]] == 1) {
			cut--
			w *= t.n[t.part[cut]]
		}
		if cut == len(t.part) {
			return dst, false
		}
		at := 0
		err := eachPiece2(c.n, t.box, t.part[:cut], func(int) int64 { return 1 }, func(b box) error {
			u := &tile{box: b, part: t.part[cut:], free: t.free}
			v := view{t: h.t, off: ph.f0, np: u.np()}
			p0 := ph.p0
			for i, lo := range u.lo {
				p0 += ph.pc[i] * lo
				v.off += ph.fc[i] * lo
			}
			v.p0 = int(p0)
			for _, a := range u.free {
				v.free = append(v.free, penguin.StepCount{Step: ph.fc[a], Count: u.n[a]})
			}
			d := dst
			d.p0, d.np = at, u.np()
			s.b.dma(d, v)
			at += u.np()
			return nil
		})
		return dst, err == nil
	}
}

// sub is the part of a loaded tile view over t that box b names; the free steps are compact over t's free axes.
func sub(v view, t *tile, b box) view {
	free := make([]penguin.StepCount, len(t.free))
	for i := len(t.free) - 1; i >= 0; i-- {
		a := t.free[i]
		v.off += (b.lo[a] - t.lo[a]) * v.free[i].Step
		free[i] = penguin.StepCount{Step: v.free[i].Step, Count: b.n[a]}
	}
	v.free = free
	return v
}

func (c *blocked) emit() error {
	n, s := c.n, c.s
	w := width(c.n.acc[0].t.DType)
	// K tiles of the whole contraction.
	nk := int64(0)
	_ = eachPiece(n, n.whole(), c.red, maxPart, func(box) error { nk++; return nil })
	limit := s.residentLimit()
	// The stationary block: up to four banks, less if its panel would be large.
	banks := int64(4)
	for banks > 1 && banks*maxStationary*nk*w > limit {
		banks /= 2
	}
	// The moving side is held as well when it is small: then every tile is loaded once.
	mvTotal := sizeOf(n, c.mvax)
	chunk := int64(maxMoving)
	for chunk < mvTotal && 2*chunk*nk*w <= limit {
		chunk *= 2
	}
	block := maxStationary * banks
	stax := append(append([]int{}, c.stloop...), c.part...)
	kpieces := func(b box, f func(kb box) error) error { return eachPiece(n, b, c.red, maxPart, f) }
	return eachPiece2(n, n.whole(), c.batch, func(int) int64 { return 1 }, func(ob box) error {
		return eachPiece(n, ob, stax, block, func(sb box) error {
			panel, ptiles, err := c.fetch(c.st, stax, sb, kpieces)
			if err != nil {
				return err
			}
			return eachPiece(n, sb, c.mvax, chunk, func(cb box) error {
				held, tiles, err := c.fetch(c.mv, c.mvax, cb, kpieces)
				if err != nil {
					return err
				}
				return eachPiece(n, cb, c.mvax, maxMoving, func(mb box) error {
					return eachPiece2(n, mb, c.stloop, func(int) int64 { return 1 }, func(lb box) error {
						return eachPiece(n, lb, c.part, maxStationary, func(b box) error {
							t := &tile{box: b, part: c.part, free: c.mvax}
							ps := s.b.tile(penguin.PSUM, "ps", dtype.F32, t.np(), t.dims()...)
							for k := range held {
								sv := sub(panel[k], ptiles[k], b)
								mvv := sub(held[k], tiles[k], b)
								s.b.matmul(ps, mvv, sv, k == 0, k == len(held)-1)
							}
							return c.out(ps, t)
						})
					})
				})
			})
		})
	})
}

// fetch loads operand k over its free axes in b, one tile for each piece of the reduced axes.
func (c *blocked) fetch(k int, free []int, b box, kpieces func(b box, f func(kb box) error) error) (vs []view, ts []*tile, err error) {
	err = kpieces(b, func(kb box) error {
		t := &tile{box: kb, part: c.red, free: free}
		v, ok := c.load[k](t)
		if !ok {
			return errDecline
		}
		vs, ts = append(vs, v), append(ts, t)
		return nil
	})
	return vs, ts, err
}

// out evicts one bank to the result.
func (c *blocked) out(ps view, t *tile) error {
	s := c.s
	if c.home != nil {
		d, ok := c.p.ph[2].tileView(c.home.t, t)
		if !ok {
			return errDecline
		}
		s.b.evict(d, ps)
		return nil
	}
	o := *c.n.out(0)
	d := s.out(o.t.DType, t)
	s.b.evict(d, ps)
	s.store(d, &o, t, nil)
	return nil
}
