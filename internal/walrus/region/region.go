// Package region decides whether two strided sets of bytes overlap, and whether one covers another.
//
// A Set is { Off + sum(i_d * Step_d) + b : 0 <= i_d < Count_d, 0 <= b < Width }, the bytes an access pattern
// touches in one memory. On chip the partition is one more dimension, with a step larger than any row.
//
//	a := region.New(0, 4, []region.Dim{{1024, 8}, {4, 16}})  // 8 rows of pitch 1024, bytes 0..63 of each
//	b := region.New(64, 4, []region.Dim{{1024, 8}, {4, 16}}) // bytes 64..127 of the same rows
//	a.Overlaps(b) // false
//
// Overlaps may say true for sets that do not meet when their steps do not nest; that only adds dependences.
// Covers may say false for the same reason.
package region

import "sort"

// Dim is one dimension in bytes.
type Dim struct{ Step, Count int64 }

// Set is a strided byte set in normal form: steps positive and descending, adjacent dimensions merged, the innermost
// contiguous run folded into Width.
type Set struct {
	Off   int64
	Width int64 // contiguous bytes at every point
	Dims  []Dim
	Hi    int64 // one past the last byte
}

// New normalises a pattern.
func New(off, width int64, dims []Dim) Set {
	s := Set{Off: off, Width: width}
	ds := make([]Dim, 0, len(dims))
	for _, d := range dims {
		if d.Count <= 1 || d.Step == 0 {
			continue
		}
		if d.Step < 0 {
			s.Off += d.Step * (d.Count - 1)
			d.Step = -d.Step
		}
		ds = append(ds, d)
	}
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].Step > ds[j].Step })
	// Fold from the innermost outwards: a step that continues the run widens it, equal-pitch neighbours merge.
	out := make([]Dim, 0, len(ds))
	for i := len(ds) - 1; i >= 0; i-- {
		d := ds[i]
		if len(out) == 0 && d.Step <= s.Width {
			s.Width += d.Step * (d.Count - 1)
			continue
		}
		if n := len(out); n > 0 && d.Step == out[n-1].Step*out[n-1].Count {
			out[n-1].Count *= d.Count
			continue
		}
		out = append(out, d)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	s.Dims = out
	s.Hi = s.Off + s.Width
	for _, d := range out {
		s.Hi += d.Step * (d.Count - 1)
	}
	return s
}

// Shift returns s moved by n bytes.
func (s Set) Shift(n int64) Set {
	s.Off += n
	s.Hi += n
	return s
}

// Dense reports whether s is one contiguous run.
func (s *Set) Dense() bool { return len(s.Dims) == 0 }

// Equal reports whether two normal forms are the same.
func (s *Set) Equal(t *Set) bool {
	if s.Off != t.Off || s.Width != t.Width || len(s.Dims) != len(t.Dims) {
		return false
	}
	for i, d := range s.Dims {
		if d != t.Dims[i] {
			return false
		}
	}
	return true
}

// Overlaps reports whether the sets may share a byte.
func (s *Set) Overlaps(t *Set) bool {
	if s.Hi <= t.Off || t.Hi <= s.Off {
		return false
	}
	if len(s.Dims) == 0 && len(t.Dims) == 0 {
		return true
	}
	return overlap(s.flat(), t.flat())
}

// Covers reports whether every byte of t is surely in s.
func (s *Set) Covers(t *Set) bool {
	if t.Off < s.Off || t.Hi > s.Hi {
		return false
	}
	if len(s.Dims) == 0 {
		return true
	}
	return cover(s.flat(), t.flat())
}

// flat is the working form of the recursion.
type flat struct {
	off, width int64
	dims       []Dim // descending
}

func (s *Set) flat() flat { return flat{s.Off, s.Width, s.Dims} }

func (f flat) hi() int64 {
	h := f.off + f.width
	for _, d := range f.dims {
		h += d.Step * (d.Count - 1)
	}
	return h
}

// split factors f by pitch g into an outer set (in units of g) and an inner set within [0, g), if f is exactly their
// product.
func (f flat) split(g int64) (outer, inner flat, ok bool) {
	q := floorDiv(f.off, g)
	outer = flat{off: q, width: 1, dims: make([]Dim, 0, len(f.dims))}
	inner = flat{off: f.off - q*g, width: f.width}
	for i, d := range f.dims {
		switch {
		case d.Step%g == 0:
			outer.dims = append(outer.dims, Dim{d.Step / g, d.Count})
		case d.Step < g:
			inner.dims = f.dims[i:]
			if inner.hi() > g {
				return outer, inner, false
			}
			outer.fold()
			return outer, inner, true
		default:
			return outer, inner, false
		}
	}
	if inner.hi() > g {
		// A run longer than the pitch that starts on it covers whole rows: exact only for a single run.
		if len(outer.dims) == 0 && inner.off == 0 && inner.width%g == 0 {
			outer.width = inner.width / g
			inner.width = g
			return outer, inner, true
		}
		return outer, inner, false
	}
	outer.fold()
	return outer, inner, true
}

// fold widens the unit run of an outer set by dimensions of step 1.
func (f *flat) fold() {
	for n := len(f.dims); n > 0 && f.dims[n-1].Step <= f.width; n = len(f.dims) {
		f.width += f.dims[n-1].Step * (f.dims[n-1].Count - 1)
		f.dims = f.dims[:n-1]
	}
}

// splitBoth factors both sets by a common pitch: the largest step either has that works for both.
func splitBoth(a, b flat) (ao, ai, bo, bi flat, ok bool) {
	i, j := 0, 0
	for i < len(a.dims) || j < len(b.dims) {
		var g int64
		switch {
		case j == len(b.dims) || i < len(a.dims) && a.dims[i].Step >= b.dims[j].Step:
			g = a.dims[i].Step
			i++
		default:
			g = b.dims[j].Step
			j++
		}
		if ao, ai, ok = a.split(g); ok {
			if bo, bi, ok = b.split(g); ok {
				return ao, ai, bo, bi, true
			}
		}
	}
	return ao, ai, bo, bi, false
}

func overlap(a, b flat) bool {
	if a.hi() <= b.off || b.hi() <= a.off {
		return false
	}
	if len(a.dims) == 0 && len(b.dims) == 0 {
		return true
	}
	if !residuesMeet(a, b) { // cheap, and decides most interleaved columns
		return false
	}
	if ao, ai, bo, bi, ok := splitBoth(a, b); ok {
		return overlap(ao, bo) && overlap(ai, bi)
	}
	return true
}

// residuesMeet tests the sets modulo the gcd of all their steps.
func residuesMeet(a, b flat) bool {
	var g int64
	for _, d := range a.dims {
		g = gcd(g, d.Step)
	}
	for _, d := range b.dims {
		g = gcd(g, d.Step)
	}
	if a.width >= g || b.width >= g {
		return true
	}
	ra, rb := mod(a.off, g), mod(b.off, g)
	return mod(rb-ra, g) < a.width || mod(ra-rb, g) < b.width
}

func cover(s, t flat) bool {
	if t.off < s.off || t.hi() > s.hi() {
		return false
	}
	if len(s.dims) == 0 {
		return true
	}
	if so, si, to, ti, ok := splitBoth(s, t); ok {
		return cover(so, to) && cover(si, ti)
	}
	return false
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func mod(a, m int64) int64 {
	if a %= m; a < 0 {
		a += m
	}
	return a
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
