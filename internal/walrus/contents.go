package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/walrus/region"
)

// contents is what a location holds: the patterns written into it, as few as possible. Stores and reloads move
// exactly these bytes; the rest of the location was never written and must not be read.
type contents struct {
	parts []piece
}

// piece is one written pattern.
type piece struct {
	set   region.Set
	ap    bir.AccessPattern
	box   extent // partitions and bytes spanned
	dense bool   // fills its box
	exact int64  // bytes
}

func (c *contents) empty() bool { return len(c.parts) == 0 }

// coveredBy reports whether a write replaces everything.
func (c *contents) coveredBy(a *access) bool {
	for i := range c.parts {
		if !a.set.Covers(&c.parts[i].set) {
			return false
		}
	}
	return true
}

// add records a write. A run-time offset makes the whole row of its partitions count as written.
func (c *contents) add(a *access) {
	p := piece{set: a.set, ap: *a.arg}
	lo, hi := rowRange(a.arg)
	n := max(1, a.arg.NPart)
	p.box = extent{a.arg.Part, a.arg.Part + n, lo, hi}
	p.exact = int64(a.arg.DType.Size()) * distinct(a.arg.Free) * int64(n)
	if a.arg.Reg != nil || a.arg.Expr != nil {
		p.box.b0, p.box.b1 = 0, a.arg.Loc.PartitionBytes()
		p.exact = p.box.bytes()
	}
	p.dense = p.exact == p.box.bytes()
	k := 0
	for i := range c.parts {
		q := &c.parts[i]
		if q.set.Covers(&p.set) {
			return
		}
		if p.set.Covers(&q.set) {
			continue
		}
		c.parts[k] = *q
		k++
	}
	c.parts = append(c.parts[:k], p)
	c.merge()
}

func (e extent) bytes() int64 { return int64(e.p1-e.p0) * (e.b1 - e.b0) }

// distinct counts the different elements a pattern names in a partition; broadcast dimensions repeat.
func distinct(dims []bir.Dim) int64 {
	n := int64(1)
	for _, d := range dims {
		if d.Step != 0 {
			n *= d.Count
		}
	}
	return n
}

// merge replaces pieces that together fill a box by the box: dense neighbours pair by pair, then interleaved patterns
// that share one bounding box.
func (c *contents) merge() {
	for again := true; again; {
		again = false
	pairs:
		for i := range c.parts {
			for j := range c.parts[:i] {
				a, b := &c.parts[j], &c.parts[i]
				if !a.dense || !b.dense {
					continue
				}
				if box, ok := joined(a.box, b.box); ok {
					c.parts[j] = densePiece(box)
					c.parts = append(c.parts[:i], c.parts[i+1:]...)
					again = true
					break pairs
				}
			}
		}
	}
	if len(c.parts) < 2 {
		return
	}
	box := c.parts[0].box
	var sum int64
	for i := range c.parts {
		p := &c.parts[i]
		box.p0, box.p1 = min(box.p0, p.box.p0), max(box.p1, p.box.p1)
		box.b0, box.b1 = min(box.b0, p.box.b0), max(box.b1, p.box.b1)
		sum += p.exact
		for j := range c.parts[:i] {
			if c.parts[j].set.Overlaps(&p.set) {
				return
			}
		}
	}
	if sum == box.bytes() {
		c.parts = append(c.parts[:0], densePiece(box))
	}
}

// joined returns the union of two boxes if it is a box.
func joined(a, b extent) (extent, bool) {
	if a.p0 == b.p0 && a.p1 == b.p1 && a.b0 <= b.b1 && b.b0 <= a.b1 {
		return extent{a.p0, a.p1, min(a.b0, b.b0), max(a.b1, b.b1)}, true
	}
	if a.b0 == b.b0 && a.b1 == b.b1 && a.p0 <= b.p1 && b.p0 <= a.p1 {
		return extent{min(a.p0, b.p0), max(a.p1, b.p1), a.b0, a.b1}, true
	}
	return extent{}, false
}

func densePiece(box extent) piece {
	set := region.New(int64(box.p0)*partStep+box.b0, box.b1-box.b0, []region.Dim{{Step: partStep, Count: int64(box.p1 - box.p0)}})
	return piece{set: set, box: box, dense: true, exact: box.bytes()}
}

// pattern is a piece as operands of a DMA.
type pattern struct {
	ap bir.AccessPattern // without location
}

// patterns returns the pieces as access patterns; dense ones in the set's type when it divides them.
func (c *contents) patterns(set *bir.MemLocSet) []pattern {
	var out []pattern
	for i := range c.parts {
		p := &c.parts[i]
		ap := p.ap
		if p.dense {
			dt := set.DType
			size := int64(dt.Size())
			if p.box.b0%size != 0 || p.box.b1%size != 0 {
				if p.ap.Loc == nil { // a merged box always consists of whole elements of its writes
					dt, size = dtype.U8, 1
				} else {
					dt, size = p.ap.DType, int64(p.ap.DType.Size())
				}
			}
			ap = bir.AccessPattern{DType: dt, Part: p.box.p0, NPart: p.box.p1 - p.box.p0, Offset: p.box.b0 / size,
				Free: []bir.Dim{{Step: 1, Count: (p.box.b1 - p.box.b0) / size}}}
		} else {
			ap.Reg, ap.Expr = nil, nil
			ap.Free = nil
			for _, d := range p.ap.Free {
				if d.Step != 0 {
					ap.Free = append(ap.Free, d)
				}
			}
			if len(ap.Free) == 0 {
				ap.Free = []bir.Dim{{Step: 1, Count: 1}}
			}
		}
		out = append(out, pattern{ap})
	}
	return out
}

func (p pattern) bytes() int64 {
	return p.ap.Elems() * int64(max(1, p.ap.NPart)) * int64(p.ap.DType.Size())
}

// on returns the pattern on an SBUF location.
func (p pattern) on(l *bir.MemLoc) *bir.AccessPattern {
	ap := p.ap
	ap.Loc = l
	return &ap
}

// home returns the same elements in the DRAM home, which has the rows of the SBUF location one after the other.
func (p pattern) home(h, of *bir.MemLoc) *bir.AccessPattern {
	pitch := of.PartitionBytes() / int64(p.ap.DType.Size())
	ap := p.ap
	ap.Loc = h
	ap.Offset += int64(ap.Part) * pitch
	ap.Free = append([]bir.Dim{{Step: pitch, Count: int64(max(1, ap.NPart))}}, ap.Free...)
	ap.Part, ap.NPart = 0, 0
	return &ap
}
