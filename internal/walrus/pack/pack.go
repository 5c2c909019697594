// Package pack solves static memory allocation: buffers with a lifetime and a size get offsets so that buffers
// alive together do not overlap.
//
//	r := pack.Pack([]pack.Buffer{{Start: 0, End: 3, Size: 4}, {Start: 3, End: 9, Size: 4}}, 8, pack.Options{})
//	r.Offsets // [0 0], r.Height 4, r.LowerBound 4
//
// Greedy placement under several orders gives a packing; when that exceeds the capacity a budgeted depth-first
// search over canonical packings tries to reach it. Budgets count nodes, never time, so results do not depend on
// the speed of the machine.
package pack

import "sort"

// Buffer is one allocation request. It lives in the half-open interval [Start, End).
type Buffer struct {
	Start, End int64
	Size       int64
	Align      int64 // 0 or 1: none
	Fixed      bool  // Offset is given
	Offset     int64 // of a Fixed buffer
}

// Options bounds the effort.
type Options struct {
	Nodes  int // search nodes spent when greedy exceeds the capacity; 0: no search
	Orders int // greedy orders tried; 0: all
}

// Result is a packing.
type Result struct {
	Offsets    []int64
	Height     int64 // bytes used
	LowerBound int64 // peak of the live bytes: no packing is lower
	Fits       bool  // Height <= capacity
}

// Pack places the buffers. It stops improving as soon as the height equals the lower bound or fits the capacity
// after a search; a capacity <= 0 means unlimited.
func Pack(bufs []Buffer, capacity int64, opt Options) Result {
	p := newProblem(bufs)
	best := p.greedyBest(capacity, opt.Orders)
	if capacity > 0 && best.Height > capacity && p.lower <= capacity && opt.Nodes > 0 {
		if off, ok := p.search(capacity, opt.Nodes); ok {
			best = p.result(off)
		}
	}
	best.Fits = capacity <= 0 || best.Height <= capacity
	return best
}

type problem struct {
	bufs  []Buffer
	adj   [][]int32 // overlapping in time
	lower int64
	width []int64 // End-Start, at least 1
	peak  []int64 // per buffer: largest live sum over its lifetime
}

func alignUp(x, a int64) int64 {
	if a > 1 {
		if r := x % a; r != 0 {
			x += a - r
		}
	}
	return x
}

// newProblem sweeps the endpoints once: overlap lists and the live-byte peak.
func newProblem(bufs []Buffer) *problem {
	p := &problem{bufs: make([]Buffer, len(bufs)), adj: make([][]int32, len(bufs)), width: make([]int64, len(bufs)), peak: make([]int64, len(bufs))}
	copy(p.bufs, bufs)
	order := make([]int, len(bufs))
	for i := range p.bufs {
		b := &p.bufs[i]
		if b.End <= b.Start {
			b.End = b.Start + 1
		}
		p.width[i] = b.End - b.Start
		order[i] = i
	}
	sort.SliceStable(order, func(x, y int) bool { return p.bufs[order[x]].Start < p.bufs[order[y]].Start })
	live := make([]int, 0, 64)
	for _, i := range order {
		b := &p.bufs[i]
		k := 0
		var sum int64
		for _, j := range live {
			if p.bufs[j].End > b.Start {
				live[k] = j
				k++
				sum += p.bufs[j].Size
				if b.Size > 0 && p.bufs[j].Size > 0 {
					p.adj[i] = append(p.adj[i], int32(j))
					p.adj[j] = append(p.adj[j], int32(i))
				}
			}
		}
		live = append(live[:k], i)
		sum += b.Size
		p.lower = max(p.lower, sum)
		for _, j := range live {
			p.peak[j] = max(p.peak[j], sum)
		}
	}
	for i := range p.bufs {
		if p.bufs[i].Fixed {
			p.lower = max(p.lower, p.bufs[i].Offset+p.bufs[i].Size)
		}
	}
	return p
}

func (p *problem) result(off []int64) Result {
	r := Result{Offsets: off, LowerBound: p.lower}
	for i, o := range off {
		r.Height = max(r.Height, o+p.bufs[i].Size)
	}
	return r
}

// keys returns the sort keys of the named order; greater goes first.
func (p *problem) order(name string) []int {
	key := func(c byte, i int) int64 {
		b := &p.bufs[i]
		switch c {
		case 'A':
			return b.Size * p.width[i]
		case 'Z':
			return b.Size
		case 'W':
			return p.width[i]
		case 'T':
			return p.peak[i]
		case 'O':
			return int64(len(p.adj[i]))
		case 'L':
			return -b.Start
		case 'U':
			return b.End
		}
		return 0
	}
	idx := make([]int, len(p.bufs))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(x, y int) bool {
		i, j := idx[x], idx[y]
		if fi, fj := p.bufs[i].Fixed, p.bufs[j].Fixed; fi != fj {
			return fi
		}
		for k := 0; k < len(name); k++ {
			if a, b := key(name[k], i), key(name[k], j); a != b {
				return a > b
			}
		}
		return false
	})
	return idx
}

// greedyOrders are the static orders tried, best first on the public instances.
var greedyOrders = []string{"TAW", "AZ", "ZW", "WA", "TZW", "OA", "LZ"}

func (p *problem) greedyBest(capacity int64, orders int) Result {
	var best Result
	for k, name := range greedyOrders {
		if orders > 0 && k >= orders {
			break
		}
		r := p.result(p.firstFit(p.order(name)))
		if k == 0 || r.Height < best.Height {
			best = r
		}
		if best.Height <= p.lower || len(p.bufs) > 50000 {
			break
		}
		if capacity > 0 && best.Height <= capacity && (len(p.bufs) > 500 || orders > 0) {
			break // good enough: more orders cost more than they save
		}
	}
	return best
}

// firstFit places buffers in the order given, each in the lowest gap between its placed neighbours.
func (p *problem) firstFit(order []int) []int64 {
	off := make([]int64, len(p.bufs))
	placed := make([]bool, len(p.bufs))
	type span struct{ lo, hi int64 }
	var near []span
	for _, i := range order {
		b := &p.bufs[i]
		placed[i] = true
		if b.Fixed {
			off[i] = b.Offset
			continue
		}
		near = near[:0]
		for _, j := range p.adj[i] {
			if placed[j] {
				near = append(near, span{off[j], off[j] + p.bufs[j].Size})
			}
		}
		sort.Slice(near, func(x, y int) bool { return near[x].lo < near[y].lo })
		at := int64(0)
		for _, s := range near {
			if s.lo >= at+b.Size {
				break
			}
			if s.hi > at {
				at = alignUp(s.hi, b.Align)
			}
		}
		off[i] = at
	}
	return off
}
