package isel

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/penguin"
)

// A home says where the elements of a logical tensor lie. In DRAM that is row-major in t. On chip atoms cut the
// row-major index into digits, outermost first, and place each digit on the partitions or in the free space.
type home struct {
	t     *penguin.Tensor // the storage
	atoms []atom          // on chip only
}

// atom is one digit of the row-major index: (index / ls) % ext, placed with stride ps.
type atom struct {
	ls, ext int64
	part    bool
	ps      int64
}

func (h *home) chip() bool { return h.t.Space != penguin.DRAM }

// phys is an access on chip: a partition and a free element index, both linear in the nest's axes.
type phys struct {
	p0, f0 int64
	pc, fc []int64
}

// place maps l, over the axes' extents, into h. It reports false when a digit would carry or an axis spans atoms
// that it does not walk as a whole; cut is then the axis and inner extent whose split may help (cut.axis < 0 if
// none would).
func (h *home) place(l *lin, ax []nestAxis) (ph phys, ok bool, cut axisCut) {
	cut.axis = -1
	ph.pc = make([]int64, len(ax))
	ph.fc = make([]int64, len(ax))
	type digit struct{ lo, hi int64 }
	dig := make([]digit, len(h.atoms))
	rest := l.off
	if rest < 0 {
		// A negative offset with positive terms needs digits of mixed sign.
		for i, c := range l.c {
			if c < 0 {
				rest += c * (ax[i].n - 1)
			}
		}
		return ph, false, cut
	}
	for k, a := range h.atoms {
		d := rest / a.ls
		rest -= d * a.ls
		dig[k] = digit{d, d}
	}
	for i, c := range l.c {
		if c == 0 || ax[i].n == 1 {
			continue
		}
		m := c
		if m < 0 {
			m = -m
		}
		found := false
		for k, a := range h.atoms {
			if m < a.ls || m%a.ls != 0 {
				continue
			}
			// the innermost atom whose stride divides the step
			if m >= a.ls*a.ext && k > 0 {
				break
			}
			if (ax[i].n-1)*m >= a.ls*a.ext && k > 0 {
				// spans this atom and an outer one: cut where the outer one starts
				outer := a.ls * a.ext
				if outer%m == 0 && ax[i].n%(outer/m) == 0 {
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
	rest = l.off
	for k, a := range h.atoms {
		if dig[k].lo < 0 || dig[k].hi >= a.ext {
			return ph, false, cut
		}
		d := rest / a.ls
		rest -= d * a.ls
		if a.part {
			ph.p0 += d * a.ps
		} else {
			ph.f0 += d * a.ps
		}
	}
	return ph, true, cut
}

type axisCut struct {
	axis  int
	inner int64
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

// elems is the number of elements per partition (of all, in DRAM).
func (v view) elems() int64 {
	n := int64(1)
	for _, d := range v.free {
		n *= d.Count
	}
	return n
}
