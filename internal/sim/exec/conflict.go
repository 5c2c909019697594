package exec

// Region is the memory an operand touches, in a form that can be tested for overlap quickly: a rectangle of
// partitions x bytes, and the walk for the exact answer when rectangles meet.
type Region struct {
	Space  Space
	Var    int
	P0, P1 int   // partitions [P0, P1), some perhaps untouched; 0, 1 in DRAM
	Lo, Hi int64 // bytes in the row
	Off    int64
	Size   int
	Dims   []Walk
	Dense  bool // every byte of Lo..Hi is touched
}

// Region returns what the operand touches.
func (r *Ref) Region() Region {
	lo, hi := r.Extent()
	g := Region{Space: r.Space, Var: r.Var, P0: r.Part, P1: r.Part + r.NPart, Lo: lo, Hi: hi, Off: r.Off, Size: r.Size, Dims: r.Dims}
	if r.Space == DRAM {
		g.P0, g.P1 = 0, 1
	}
	g.Dense = r.dense()
	return g
}

// Region returns what one side of a transfer touches.
func (f *Flat) Region() Region {
	r := Ref{Space: f.Space, Var: f.Var, Off: f.Off, DT: f.DT, Size: f.DT.Size(), Dims: f.Dims, NPart: 1}
	if f.Space == DRAM {
		r.Normalise()
		return r.Region()
	}
	r.Part, r.Off = int(f.Off/PartStride), f.Off%PartStride
	r.Dims = nil
	for _, d := range f.Dims {
		switch {
		case d.Count == 1:
		case d.Step > 0 && d.Step%PartStride == 0 && d.Step == PartStride && r.NPart == 1:
			r.NPart = d.Count
		case d.Step%PartStride == 0 && d.Step != 0:
			// Several dimensions over partitions: their hull.
			if n := int(d.Step/PartStride) * (d.Count - 1); n < 0 {
				r.Part, r.NPart = r.Part+n, r.NPart-n
			} else {
				r.NPart += n
			}
		default:
			r.Dims = append(r.Dims, d)
		}
	}
	r.Normalise()
	return r.Region()
}

// Overlaps reports whether the two regions share a byte.
func (a *Region) Overlaps(b *Region) bool {
	if a.Space != b.Space || a.Space == DRAM && a.Var != b.Var {
		return false
	}
	if a.P0 >= b.P1 || b.P0 >= a.P1 || a.Lo >= b.Hi || b.Lo >= a.Hi {
		return false
	}
	if a.Dense && b.Dense {
		return true
	}
	return a.walkMeets(b)
}

// walkMeets marks the bytes of one walk inside the common window and probes with the other.
func (a *Region) walkMeets(b *Region) bool {
	lo, hi := max(a.Lo, b.Lo), min(a.Hi, b.Hi)
	marks := newBitset(int(hi - lo))
	each := func(g *Region, f func(l, h int64) bool) bool {
		r := Ref{Off: g.Off, Size: g.Size, Dims: g.Dims}
		hit := false
		_ = r.eachRun(func(off, step int64, n int) error {
			if hit {
				return nil
			}
			if step == int64(g.Size) {
				l, h := max(off, lo), min(off+int64(n*g.Size), hi)
				if l < h {
					hit = f(l-lo, h-lo)
				}
				return nil
			}
			for k := 0; k < n && !hit; k++ {
				o := off + int64(k)*step
				l, h := max(o, lo), min(o+int64(g.Size), hi)
				if l < h {
					hit = f(l-lo, h-lo)
				}
			}
			return nil
		})
		return hit
	}
	each(a, func(l, h int64) bool { marks.set(int(l), int(h)); return false })
	return each(b, func(l, h int64) bool { return marks.firstSet(int(l), int(h)) >= 0 })
}
