package bir

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
)

// OnChip reports a location in SBUF or PSUM.
func (l *MemLoc) OnChip() bool { return l.Type == SB || l.Type == PSUM }

// Mem returns the memory as the machine model names it; NoMem while unallocated.
func (t MemType) Mem() machine.Mem {
	switch t {
	case DRAM:
		return machine.DRAMMem
	case SB:
		return machine.SBUFMem
	case PSUM:
		return machine.PSUMMem
	}
	return machine.NoMem
}

// Whole returns the pattern of all elements of l, in order.
func Whole(l *MemLoc) *AccessPattern {
	p := &AccessPattern{Loc: l, DType: l.Set.DType}
	dims := l.Dims
	if l.OnChip() && len(dims) > 0 {
		p.NPart, dims = int(dims[0]), dims[1:]
	}
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	p.Free = []Dim{{1, n}}
	return p
}

// RowElems returns how many elements of type t a partition row of l holds (the whole location, in DRAM).
func (l *MemLoc) RowElems(t dtype.Type) int64 {
	n := l.Bytes()
	if l.OnChip() {
		n = l.PartitionBytes()
	}
	if s := int64(t.Size()); s > 0 {
		return n / s
	}
	return 0
}

// Total returns the number of elements a pattern names, over all partitions.
func (p *AccessPattern) Total() int64 { return p.Elems() * int64(max(1, p.NPart)) }

// Inner returns the innermost dimension with more than one element; Step is 1 if there is none.
func (p *AccessPattern) Inner() Dim {
	for i := len(p.Free) - 1; i >= 0; i-- {
		if p.Free[i].Count > 1 {
			return p.Free[i]
		}
	}
	return Dim{1, 1}
}

// Extent returns the least and greatest element offset the pattern names in a row (in the location, in DRAM). With
// a symbolic offset it is that of all values; known is false when a run-time part leaves it open.
func (p *AccessPattern) Extent() (lo, hi int64, known bool) {
	lo, hi = p.Offset, p.Offset
	for _, d := range p.Free {
		if n := d.Step * (d.Count - 1); n > 0 {
			hi += n
		} else {
			lo += n
		}
	}
	if p.Expr != nil {
		l, h := p.Expr.Bounds()
		if l == pelican.NegInf || h == pelican.PosInf {
			return 0, 0, false
		}
		lo, hi = lo+l, hi+h
	}
	return lo, hi, p.Reg == nil
}

// MergeDims drops dimensions of one element and joins neighbours that form one walk. It never changes the order of
// the elements, and may reuse the slice.
func MergeDims(free []Dim) []Dim {
	out := free[:0]
	for _, d := range free {
		if d.Count == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Step == d.Step*d.Count {
			out[n-1] = Dim{d.Step, out[n-1].Count * d.Count}
			continue
		}
		out = append(out, d)
	}
	if len(out) == 0 && cap(out) > 0 {
		out = append(out, Dim{1, 1})
	}
	return out
}

// Canonical returns p with merged dimensions; p is not changed.
func (p *AccessPattern) Canonical() *AccessPattern {
	q := *p
	q.Free = MergeDims(append(make([]Dim, 0, max(1, len(p.Free))), p.Free...))
	return &q
}

// Run returns the bytes of the contiguous runs the pattern consists of and their number. On chip each partition
// starts a run.
func (p *AccessPattern) Run() (bytes, runs int64) {
	bytes, runs = int64(p.DType.Size()), 1
	size := bytes
	joined := true
	for i := len(p.Free) - 1; i >= 0; i-- {
		d := p.Free[i]
		switch {
		case d.Count == 1:
		case joined && d.Step*size == bytes:
			bytes *= d.Count
		default:
			joined = false
			runs *= d.Count
		}
	}
	if p.Loc.OnChip() {
		runs *= int64(max(1, p.NPart))
	}
	return bytes, runs
}
