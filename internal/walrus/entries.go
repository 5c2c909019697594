package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/walrus/region"
)

// entry is one remembered access.
type entry struct {
	in   *bir.Instr
	set  region.Set // relative to the location
	dead bool       // covered by a later write
}

// entryList holds the accesses of one location that still matter. A long list gets a grid of bands over rows and
// columns, so that tiles of a big tensor only meet their neighbours.
type entryList struct {
	items []entry
	alive int
	grid  *grid
}

// gridFrom is the length from which a list is worth a grid; a variable for tests.
var gridFrom = 96

// maxBands bounds the bands of one direction.
const maxBands = 2048

// grid sorts entries into cells by the rows and columns their sets may touch. The number of bands follows the shape of
// the entries at the time it is built: full rows need no columns.
type grid struct {
	pitch      int64 // bytes from row to row
	width      int64 // bytes of a row that are used
	total      int64
	rows, cols int64
	cells      [][]int32
	built      int     // entries when built
	stamp      []int32 // per item: the last query that saw it
	query      int32
}

// newGrid builds the grid of the live items.
func newGrid(l *bir.MemLoc, items []entry) *grid {
	g := shapeOf(l)
	g.built = len(items)
	g.rows, g.cols = maxBands, maxBands
	var r, c int64 = 1, 1
	for i := range items {
		r0, r1, c0, c1 := g.bands(&items[i].set)
		r += r1 - r0 + 1
		c += c1 - c0 + 1
	}
	n := int64(len(items) + 1)
	g.rows, g.cols = max(1, maxBands*n/r), max(1, maxBands*n/c)
	for g.rows*g.cols > 8*n {
		if g.rows > g.cols {
			g.rows /= 2
		} else {
			g.cols /= 2
		}
	}
	g.cells = make([][]int32, g.rows*g.cols)
	for i := range items {
		g.insert(int32(i), &items[i].set)
	}
	return g
}

// shapeOf tells how a location's bytes form rows.
func shapeOf(l *bir.MemLoc) *grid {
	g := &grid{}
	if l.Type == bir.DRAM {
		n := len(l.Dims)
		g.total = max(1, l.Bytes())
		g.pitch = g.total
		if n > 0 && l.Dims[n-1] > 0 {
			g.pitch = l.Dims[n-1] * int64(l.Set.DType.Size())
			// Short rows make poor columns: join dimensions until a row is long enough to band.
			for k := n - 2; k > 0 && g.pitch < 256; k-- {
				g.pitch *= l.Dims[k]
			}
		}
		g.width = g.pitch
		return g
	}
	g.pitch, g.width = partStep, max(1, l.PartitionBytes())
	g.total = max(1, l.Dims[0]) * partStep
	return g
}

// bands returns the inclusive ranges of row and column bands a set may touch.
func (g *grid) bands(s *region.Set) (r0, r1, c0, c1 int64) {
	clamp := func(v, n int64) int64 { return max(0, min(v, n-1)) }
	r0 = clamp(s.Off*g.rows/g.total, g.rows)
	r1 = clamp((s.Hi-1)*g.rows/g.total, g.rows)
	lo := s.Off % g.pitch
	span := s.Width
	for _, d := range s.Dims {
		switch {
		case d.Step%g.pitch == 0:
		case d.Step < g.pitch:
			span += d.Step * (d.Count - 1)
		default:
			return r0, r1, 0, g.cols - 1
		}
	}
	if lo < 0 || lo+span > g.pitch {
		return r0, r1, 0, g.cols - 1
	}
	return r0, r1, clamp(lo*g.cols/g.width, g.cols), clamp((lo+span-1)*g.cols/g.width, g.cols)
}

func (g *grid) insert(i int32, s *region.Set) {
	r0, r1, c0, c1 := g.bands(s)
	for r := r0; r <= r1; r++ {
		for c := c0; c <= c1; c++ {
			k := r*g.cols + c
			g.cells[k] = append(g.cells[k], i)
		}
	}
	for int(i) >= len(g.stamp) {
		g.stamp = append(g.stamp, 0)
	}
}

func (l *entryList) len() int { return l.alive }

// add appends an access of loc.
func (l *entryList) add(loc *bir.MemLoc, e entry) {
	if len(l.items) > 2*gridFrom && l.alive < len(l.items)/4 {
		l.compact(loc)
	}
	l.items = append(l.items, e)
	l.alive++
	switch {
	case l.grid != nil && len(l.items) < 4*l.grid.built:
		l.grid.insert(int32(len(l.items)-1), &e.set)
	case len(l.items) > gridFrom:
		l.compact(loc)
	}
}

// compact drops dead entries.
func (l *entryList) compact(loc *bir.MemLoc) {
	k := 0
	for i := range l.items {
		if !l.items[i].dead {
			l.items[k] = l.items[i]
			k++
		}
	}
	clear(l.items[k:])
	l.items = l.items[:k]
	l.grid = nil
	if k > gridFrom/2 {
		l.grid = newGrid(loc, l.items)
	}
}

// each calls f for every live entry that may meet set, in the order they were added within a cell. f returns true to
// drop the entry.
func (l *entryList) each(set *region.Set, f func(*entry) bool) {
	visit := func(e *entry) {
		if !e.dead && f(e) {
			e.dead = true
			l.alive--
		}
	}
	if l.grid == nil {
		for i := range l.items {
			visit(&l.items[i])
		}
		if l.alive == 0 {
			l.items = l.items[:0]
		}
		return
	}
	g := l.grid
	g.query++
	r0, r1, c0, c1 := g.bands(set)
	for r := r0; r <= r1; r++ {
		for c := c0; c <= c1; c++ {
			k := r*g.cols + c
			cell := g.cells[k]
			n := 0
			for _, i := range cell {
				if l.items[i].dead {
					continue
				}
				cell[n] = i
				n++
				if g.stamp[i] != g.query {
					g.stamp[i] = g.query
					visit(&l.items[i])
				}
			}
			g.cells[k] = cell[:n]
		}
	}
}
