package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/penguin"
)

const maxPart = 128 // partitions of SBUF and PSUM (machine.md A1)

// tile is a box of a nest with the roles of its axes: part lie on partitions (row-major among themselves), free in
// the free space, outermost first; every other axis has one value in the box.
type tile struct {
	box
	part, free []int
}

func (t *tile) np() int {
	n := int64(1)
	for _, a := range t.part {
		n *= t.n[a]
	}
	return int(n)
}

func (t *tile) dims() []int64 {
	d := make([]int64, len(t.free))
	for i, a := range t.free {
		d[i] = t.n[a]
	}
	return d
}

// tiles visits the nest in tiles: part axes in pieces of at most 128 partitions, and as many of the innermost axes
// of rest as fit maxFree elements and maxDims dimensions; the others are loops.
func (n *nest) tiles(part, rest []int, maxP, maxFree int64, maxDims int, visit func(t *tile) error) error {
	step := make([]int64, len(n.ax)) // values per tile of each axis
	for i := range step {
		step[i] = 1
	}
	p := int64(1)
	for i := len(part) - 1; i >= 0; i-- {
		a := part[i]
		step[a] = min(n.ax[a].n, max(1, maxP/p))
		p *= step[a]
	}
	f, d := int64(1), 0
	i := len(rest) - 1
	for ; i >= 0 && d < maxDims; i-- {
		a := rest[i]
		if n.ax[a].n > 1 {
			d++
		}
		room := max(1, maxFree/f)
		step[a] = min(n.ax[a].n, room)
		f *= step[a]
		if step[a] < n.ax[a].n {
			i--
			break
		}
	}
	free := rest[i+1:]
	t := &tile{box: n.whole(), part: part, free: free}
	order := append(append([]int{}, rest[:i+1]...), part...)
	order = append(order, free...)
	var walk func(k int) error
	walk = func(k int) error {
		if k == len(order) {
			return visit(t)
		}
		a := order[k]
		for lo := int64(0); lo < n.ax[a].n; lo += step[a] {
			t.lo[a], t.n[a] = lo, min(step[a], n.ax[a].n-lo)
			if err := walk(k + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(0)
}

// dram is the view of l over t in DRAM: partition axes first, then free axes.
func (t *tile) dram(l *lin) []dmaAxis {
	var ax []dmaAxis
	for _, a := range t.part {
		ax = append(ax, dmaAxis{n: t.n[a], dram: l.c[a], part: true})
	}
	for _, a := range t.free {
		ax = append(ax, dmaAxis{n: t.n[a], dram: l.c[a]})
	}
	return ax
}

// dmaAxis is one axis that a transfer between DRAM and a tile walks: its step on each side.
type dmaAxis struct {
	n          int64
	dram, chip int64
	part       bool
}

// maxDMADims is the number of dimensions of a DMA access pattern on the DRAM side (machine.md 7.2).
const maxDMADims = 4

// transfer emits the DMA between elements of DRAM tensor d, from off, and the on-chip view c0 (whose free list is
// ignored), along ax. More dimensions than a descriptor takes become several transfers.
func (s *selector) transfer(d *penguin.Tensor, off int64, ind []penguin.Indirect, c0 view, ax []dmaAxis, store bool) {
	var df, cf []penguin.StepCount
	np := int64(1)
	for _, a := range ax {
		df = append(df, penguin.StepCount{Step: a.dram, Count: a.n})
		if a.part {
			np *= a.n
		} else {
			cf = append(cf, penguin.StepCount{Step: a.chip, Count: a.n})
		}
	}
	if len(normFree(df)) > maxDMADims {
		// Peel the axis with the fewest values.
		k := -1
		for i, a := range ax {
			if a.n > 1 && (k < 0 || a.n < ax[k].n) {
				k = i
			}
		}
		a := ax[k]
		inner := int64(1) // partitions one step of a part axis covers
		for _, x := range ax[k+1:] {
			if x.part {
				inner *= x.n
			}
		}
		rest := append(append([]dmaAxis{}, ax[:k]...), ax[k+1:]...)
		if a.part && hasPart(ax[:k]) {
			// Partitions of the remaining walk would not be contiguous: peel the outer part axes first.
			k = 0
			a = ax[0]
			inner = np / a.n
			rest = ax[1:]
		}
		for i := int64(0); i < a.n; i++ {
			c := c0
			if a.part {
				c.p0 += int(i * inner)
			} else {
				c.off += i * a.chip
			}
			s.transfer(d, off+i*a.dram, ind, c, rest, store)
		}
		return
	}
	c := c0
	c.np = int(np)
	c.free = cf
	dv := view{t: d, off: off, free: df, dt: c0.dt}
	if store {
		s.b.op("dma", dmaEngine, []view{dv}, []arg{av(c)}, penguin.ISA{})
		if len(ind) > 0 {
			s.b.last().Out[0].Ind = ind
		}
		return
	}
	s.b.dmaInd(c, dv, ind)
}

func hasPart(ax []dmaAxis) bool {
	for _, a := range ax {
		if a.part && a.n > 1 {
			return true
		}
	}
	return false
}

// load fetches the elements l names over t into a fresh tile and returns the view along t's free axes: axes that l
// does not depend on are not stored but walked with step 0.
func (s *selector) load(l *lin, t *tile, ind []penguin.Indirect) view {
	ax := t.dram(l)
	size := int64(1)
	free := make([]penguin.StepCount, len(t.free))
	for i := len(ax) - 1; i >= len(t.part); i-- {
		a := &ax[i]
		k := i - len(t.part)
		free[k].Count = a.n
		if a.dram != 0 && a.n > 1 {
			a.chip = size
			free[k].Step = size
			size *= a.n
		}
	}
	x := s.b.alloc(penguin.SBUF, "in", l.t.DType, t.np(), size)
	var walk []dmaAxis
	for _, a := range ax {
		if a.part || a.chip != 0 {
			walk = append(walk, a)
		}
	}
	s.transfer(l.t, l.at(t.box), ind, view{t: x, np: t.np()}, walk, false)
	return view{t: x, np: t.np(), free: free}
}

// store writes a tile, whose free list follows t's free axes, to the elements l names.
func (s *selector) store(v view, l *lin, t *tile, ind []penguin.Indirect) {
	ax := t.dram(l)
	for i := range t.free {
		ax[len(t.part)+i].chip = v.free[i].Step
	}
	s.transfer(l.t, l.at(t.box), ind, v, ax, true)
}

// out returns a fresh tile for the result of type dt over t.
func (s *selector) out(dt dtype.Type, t *tile) view {
	return s.b.tile(penguin.SBUF, "out", dt, t.np(), t.dims()...)
}
