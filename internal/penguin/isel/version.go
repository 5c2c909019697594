package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// versions lists where the current value of a tensor can be read: at most one DRAM copy and any number of on-chip
// layouts.
type versions struct {
	dram *penguin.Tensor // row-major DRAM storage that is up to date, nil if there is none
	chip []*home
}

func (s *selector) versionsOf(t *penguin.Tensor) *versions {
	v := s.vers[t]
	if v == nil {
		v = &versions{dram: t}
		s.vers[t] = v
	}
	return v
}

// written forgets every version of t but the one just written.
func (s *selector) written(t *penguin.Tensor, h *home) {
	v := &versions{}
	if h == nil {
		v.dram = t
	} else {
		v.chip = []*home{h}
	}
	s.vers[t] = v
}

// planHome lays t out with digit d on the partitions, without storage yet; nil if that does not fit.
func (s *selector) planHome(t *penguin.Tensor, d digit) *home {
	atoms, free, ok := layout(t.Shape, d)
	if !ok || free*width(t.DType) > s.residentLimit() {
		return nil
	}
	return &home{dig: d, atoms: atoms, free: free}
}

// materialise gives a planned home its storage.
func (s *selector) materialise(t *penguin.Tensor, h *home) {
	parts := int(h.dig.ext)
	h.t = s.b.alloc(penguin.SBUF, t.Name, t.DType, parts, h.free)
}

// residentLimit is the most bytes per partition one resident tensor may take.
func (s *selector) residentLimit() int64 {
	b := int64(s.spec.SBUF.Usable())
	if s.opts.SBUFBudget > 0 {
		b = min(b, s.opts.SBUFBudget)
	}
	return b / 3
}

// wholeNest walks all of t: one axis for each boundary the homes need.
func wholeNest(t *penguin.Tensor, hs ...*home) *nest {
	cuts := map[int64]bool{1: true, numel(t): true}
	for _, h := range hs {
		for _, a := range h.atoms {
			cuts[a.ls] = true
			cuts[a.ls*a.ext] = true
		}
	}
	var c []int64
	for x := range cuts {
		c = append(c, x)
	}
	sortDesc(c)
	n := &nest{acc: []lin{{t: t}}}
	for i := 0; i+1 < len(c); i++ {
		if c[i]%c[i+1] != 0 {
			return nil
		}
		n.ax = append(n.ax, nestAxis{n: c[i] / c[i+1]})
		n.acc[0].c = append(n.acc[0].c, c[i+1])
	}
	return n
}

// moveHome transfers all of t between DRAM storage and an on-chip home.
func (s *selector) moveHome(t *penguin.Tensor, h *home, dram *penguin.Tensor, store bool) {
	n := wholeNest(t, h)
	l := n.in(0)
	ph, ok, _ := h.place(l, n.ax)
	if !ok {
		panic("home does not hold its own tensor")
	}
	var ax []dmaAxis
	add := func(part bool) {
		for i, a := range n.ax {
			if (ph.pc[i] != 0) == part && a.n > 1 {
				ax = append(ax, dmaAxis{n: a.n, dram: l.c[i], chip: ph.fc[i], part: part})
			}
		}
	}
	add(true)
	add(false)
	s.transfer(dram, 0, nil, view{t: h.t, np: int(h.parts())}, ax, store)
}

// inDRAM makes sure there is row-major storage with t's value and returns it.
func (s *selector) inDRAM(t *penguin.Tensor) *penguin.Tensor {
	v := s.versionsOf(t)
	if v.dram == nil {
		for _, h := range v.chip {
			if !h.bcast() {
				s.moveHome(t, h, t, true)
				v.dram = t
				break
			}
		}
	}
	return v.dram
}

// broadcast returns t on chip with a copy of all of it on every partition, nil if that is too large.
func (s *selector) broadcast(t *penguin.Tensor) *home {
	v := s.versionsOf(t)
	for _, h := range v.chip {
		if h.bcast() {
			return h
		}
	}
	h := s.planHome(t, digit{1, 1})
	if h == nil || h.free > 8192 {
		return nil
	}
	d := s.inDRAM(t)
	h.dig = digit{0, maxPart}
	for i := range h.atoms {
		if h.atoms[i].part {
			h.atoms[i].part, h.atoms[i].ps = false, 0
		}
	}
	s.materialise(t, h)
	s.transfer(d, 0, nil, view{t: h.t, np: maxPart}, []dmaAxis{{n: maxPart, part: true}, {n: h.free, dram: 1, chip: 1}}, false)
	v.chip = append(v.chip, h)
	return h
}

// version returns t on chip with digit d on the partitions, making it from another version if need be; nil if the
// layout does not fit t.
func (s *selector) version(t *penguin.Tensor, d digit) *home {
	v := s.versionsOf(t)
	for _, h := range v.chip {
		if h.dig == d {
			return h
		}
	}
	h := s.planHome(t, d)
	if h == nil {
		return nil
	}
	wn := wholeNest(t, h)
	if wn == nil {
		return nil
	}
	// A strided load moves single elements when the contiguous digit lies on partitions.
	scattered := d.ls == 1 && d.ext > 1 && numel(t) > 2048
	s.materialise(t, h)
	for _, src := range v.chip {
		if s.relayout(t, src, h) {
			v.chip = append(v.chip, h)
			return h
		}
	}
	if scattered && v.dram != nil && len(v.chip) == 0 && transposable(t.DType) {
		if nat, ok := naturalDigit(t.Shape, d); ok {
			if src := s.version(t, nat); src != nil && s.relayout(t, src, h) {
				v.chip = append(v.chip, h)
				return h
			}
		}
	}
	s.moveHome(t, h, s.inDRAM(t), false)
	v.chip = append(v.chip, h)
	return h
}

// naturalDigit is a digit whose rows are contiguous in DRAM and that shares nothing with d.
func naturalDigit(shape []int64, d digit) (digit, bool) {
	total := int64(1)
	for _, n := range shape {
		total *= n
	}
	// The boundary above d's dimension.
	s := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s *= shape[i]
		if s >= d.ls*d.ext {
			break
		}
	}
	if s >= total {
		return digit{}, false
	}
	return digit{s, fitPart(total / s)}, true
}

// fitPart is the largest divisor of n of at most 128.
func fitPart(n int64) int64 { return divisorUpTo(n, maxPart) }

// transposable types pass through the PE unchanged.
func transposable(t dtype.Type) bool { return t == dtype.F32 || t == dtype.BF16 || t == dtype.F16 }

// identity is the [n, n] unit matrix of type t that PE transposes multiply by.
func (s *selector) identity(t dtype.Type, n int) view {
	v := s.cached("identity "+t.String(), func() view {
		c := tensor.New(t, maxPart, maxPart)
		row := make([]float32, maxPart)
		sz := t.Size()
		for i := 0; i < maxPart; i++ {
			clear(row)
			row[i] = 1
			dtype.RowFromF32(c.Data[i*maxPart*sz:(i+1)*maxPart*sz], row, t)
		}
		d := &penguin.Tensor{Name: s.b.fresh("identity"), DType: t, Shape: []int64{maxPart, maxPart}, Kind: penguin.Const, Init: c}
		s.fn.Tensors = append(s.fn.Tensors, d)
		x := s.b.tile(penguin.SBUF, "ident", t, maxPart, maxPart)
		s.b.dma(x, view{t: d, free: compact([]int64{maxPart, maxPart})})
		return x
	})
	v.np = n
	v.free = []penguin.StepCount{{Step: 1, Count: int64(n)}}
	return v
}

// relayout fills dst from src by PE transposes: the digit on src's partitions goes to the free space and the one
// on dst's partitions comes out of it. It declines when the two digits overlap.
func (s *selector) relayout(t *penguin.Tensor, src, dst *home) bool {
	a, b := src.dig, dst.dig
	if src.bcast() || !transposable(t.DType) || a.ls < b.ls*b.ext && b.ls < a.ls*a.ext {
		return false
	}
	n := wholeNest(t, src, dst)
	if n == nil {
		return false
	}
	l := n.in(0)
	sp, ok1, _ := src.place(l, n.ax)
	dp, ok2, _ := dst.place(l, n.ax)
	if !ok1 || !ok2 {
		return false
	}
	var sa, da, other []int
	for i := range n.ax {
		switch {
		case sp.pc[i] != 0:
			sa = append(sa, i)
		case dp.pc[i] != 0:
			da = append(da, i)
		default:
			other = append(other, i)
		}
	}
	// The axis along which several transposes share a PSUM bank: the other axis whose step in dst is smallest.
	sort1(other, func(i int) int64 { return -dp.fc[i] })
	group := int64(1)
	cols := sizeOf(n, sa)
	bank := int64(maxMoving)
	if cols*4 > bank*4 {
		return false
	}
	var gax []int
	if len(other) > 0 {
		g := other[len(other)-1]
		group = min(n.ax[g].n, bank/cols)
		gax = []int{g}
		other = other[:len(other)-1]
	}
	id := s.identity(t.DType, int(a.ext))
	pt := t.DType
	if s.m.Gen == machine.Gen2 {
		pt = dtype.F32
	}
	err := eachPiece2(n, n.whole(), append(append([]int{}, other...), gax...), func(ax int) int64 {
		if len(gax) > 0 && ax == gax[0] {
			return group
		}
		return 1
	}, func(bx box) error {
		out := &tile{box: bx, part: da, free: append(append([]int{}, gax...), sa...)}
		ov, ok := dp.tileView(dst.t, out)
		if !ok {
			return errDecline
		}
		g := int64(1)
		if len(gax) > 0 {
			g = bx.n[gax[0]]
		}
		ps := s.b.tile(penguin.PSUM, "tp", pt, int(b.ext), g, cols)
		for k := int64(0); k < g; k++ {
			kb := bx
			if len(gax) > 0 {
				kb = bx.with(gax[0], bx.lo[gax[0]]+k, 1)
			}
			st, ok := sp.tileView(src.t, &tile{box: kb, part: sa, free: da})
			if !ok {
				return errDecline
			}
			p := ps
			p.off = k * cols
			p.free = []penguin.StepCount{{Step: 1, Count: cols}}
			s.b.transpose(p, st, id)
		}
		s.b.evict(ov, ps)
		return nil
	})
	return err == nil
}
