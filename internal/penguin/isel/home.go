package isel

import (
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/penguin"
)

// A home says where the elements of a logical tensor lie. In DRAM that is row-major in t. On chip atoms cut the
// row-major index into digits, outermost first, and place each digit on the partitions or in the free space.
type home struct {
	t     *penguin.Tensor // the storage
	dig   digit           // what lies on the partitions (on chip)
	atoms []atom          // on chip only
	free  int64           // elements per partition
	// grain, when not 0, is the step from which on the writer looped over the free space: it wrote pieces below it.
	// Readers that walk the same pieces can be joined with the writer.
	grain int64
}

// bcast reports a home that holds the whole tensor on each partition.
func (h *home) bcast() bool { return h.dig.ls == 0 }

// digit is the part (index / ls) % ext of a row-major index.
type digit struct{ ls, ext int64 }

// atom is one digit of the row-major index: (index / ls) % ext, placed with stride ps.
type atom struct {
	ls, ext int64
	part    bool
	ps      int64
}

// parts is the number of partitions of an on-chip home.
func (h *home) parts() int64 { return h.dig.ext }

func numel(t *penguin.Tensor) int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// layout cuts shape at its dimensions and at the digit d. The free digits keep their order, except that the rest
// of the dimension d comes from goes outermost: its blocks then follow each other and the next digit is contiguous.
// It returns false when d does not fit the shape.
func layout(shape []int64, d digit) (atoms []atom, free int64, ok bool) {
	total := int64(1)
	for _, n := range shape {
		total *= n
	}
	if d.ls < 1 || d.ext < 1 || d.ext > maxPart || total%(d.ls*d.ext) != 0 {
		return nil, 0, false
	}
	cuts := map[int64]bool{1: true, d.ls: true, d.ls * d.ext: true, total: true}
	s := int64(1)
	dimHi := total // the dimension in which d ends
	for i := len(shape) - 1; i >= 0; i-- {
		lo := s
		s *= shape[i]
		cuts[s] = true
		if top := d.ls * d.ext; lo < top && top <= s {
			dimHi = s
		}
	}
	var c []int64
	for x := range cuts {
		c = append(c, x)
	}
	sort.Slice(c, func(i, j int) bool { return c[i] > c[j] })
	for i := 0; i+1 < len(c); i++ {
		if c[i]%c[i+1] != 0 {
			return nil, 0, false
		}
		a := atom{ls: c[i+1], ext: c[i] / c[i+1]}
		a.part = a.ls >= d.ls && a.ls < d.ls*d.ext
		atoms = append(atoms, a)
	}
	// Partition strides: row-major among the part atoms.
	ps := int64(1)
	for i := len(atoms) - 1; i >= 0; i-- {
		if atoms[i].part {
			atoms[i].ps = ps
			ps *= atoms[i].ext
		}
	}
	free = 1
	place := func(sel func(a *atom) bool) {
		for i := len(atoms) - 1; i >= 0; i-- {
			if a := &atoms[i]; !a.part && sel(a) {
				a.ps = free
				free *= a.ext
			}
		}
	}
	outer := func(a *atom) bool { return a.ls >= d.ls*d.ext && a.ls < dimHi }
	place(func(a *atom) bool { return !outer(a) })
	place(outer)
	return atoms, free, true
}

// phys is an access on chip: a partition and a free element index, both linear in the nest's axes.
type phys struct {
	p0, f0 int64
	pc, fc []int64
}

// axisCut asks for axis to be split with the given inner extent; axis < 0 asks for nothing.
type axisCut struct {
	axis  int
	inner int64
}

// place maps l, over the axes' extents, into h. It reports false when a digit would carry or an axis spans digits
// that it does not walk as a whole; cut is then the split that may help.
func (h *home) place(l *lin, ax []nestAxis) (ph phys, ok bool, cut axisCut) {
	cut.axis = -1
	ph.pc = make([]int64, len(ax))
	ph.fc = make([]int64, len(ax))
	if l.off < 0 {
		return ph, false, cut
	}
	type span struct{ lo, hi int64 }
	dig := make([]span, len(h.atoms))
	rest := l.off
	for k, a := range h.atoms {
		d := rest / a.ls
		rest -= d * a.ls
		dig[k] = span{d, d}
		if a.part {
			ph.p0 += d * a.ps
		} else {
			ph.f0 += d * a.ps
		}
	}
	for i, c := range l.c {
		if c == 0 || ax[i].n == 1 {
			continue
		}
		m := max(c, -c)
		found := false
		for k, a := range h.atoms {
			if m < a.ls || m%a.ls != 0 {
				continue
			}
			if k > 0 && m >= a.ls*a.ext {
				break
			}
			if k > 0 && (ax[i].n-1)*m >= a.ls*a.ext {
				// The axis goes on into the next digit: cut it where that starts.
				if outer := a.ls * a.ext; outer%m == 0 && ax[i].n%(outer/m) == 0 {
					cut = axisCut{i, outer / m}
				}
				return ph, false, cut
			}
			step := c / a.ls
			if step > 0 {
				dig[k].hi += step * (ax[i].n - 1)
			} else {
				dig[k].lo += step * (ax[i].n - 1)
			}
			if a.part {
				ph.pc[i] = step * a.ps
			} else {
				ph.fc[i] = step * a.ps
			}
			found = true
			break
		}
		if !found {
			return ph, false, cut
		}
	}
	for k, a := range h.atoms {
		if dig[k].lo < 0 || dig[k].hi >= a.ext {
			return ph, false, cut
		}
	}
	return ph, true, cut
}

// view is a physical operand: a tile of a tensor.
type view struct {
	t      *penguin.Tensor
	p0, np int // np 0: DRAM
	off    int64
	free   []penguin.StepCount
	dt     dtype.Type // Invalid: the tensor's own
}

func (v view) dtype() dtype.Type {
	if v.dt != dtype.Invalid {
		return v.dt
	}
	return v.t.DType
}

// legalStart is the rule for the first partition of an operand of np partitions (machine.md A2).
func legalStart(p0, np int64) bool {
	switch {
	case p0 < 0 || p0+np > maxPart:
		return false
	case np > 64:
		return p0 == 0
	case np > 32:
		return p0%64 == 0
	}
	return p0%32 == 0
}

// maxStep is the largest step of an on-chip access pattern (machine.md A5).
const maxStep = 32767

// tileView is the view of a placed access over a tile, false if the engines cannot walk it: the partition axes of
// the tile must lie on consecutive partitions and the free axes in the free space.
func (ph *phys) tileView(t *penguin.Tensor, tl *tile) (view, bool) {
	v := view{t: t, off: ph.f0, free: make([]penguin.StepCount, len(tl.free))}
	p0 := ph.p0
	for i, lo := range tl.lo {
		p0 += ph.pc[i] * lo
		v.off += ph.fc[i] * lo
	}
	np := int64(1)
	for i := len(tl.part) - 1; i >= 0; i-- {
		a := tl.part[i]
		if tl.n[a] == 1 {
			continue
		}
		if ph.fc[a] != 0 || ph.pc[a] != np {
			return v, false
		}
		np *= tl.n[a]
	}
	for k, a := range tl.free {
		if tl.n[a] > 1 && ph.pc[a] != 0 || max(ph.fc[a], -ph.fc[a]) > maxStep {
			return v, false
		}
		v.free[k] = penguin.StepCount{Step: ph.fc[a], Count: tl.n[a]}
	}
	v.p0, v.np = int(p0), int(np)
	return v, legalStart(p0, np)
}
