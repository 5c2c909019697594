package walrus

import (
	"slices"
	"sort"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/walrus/pack"
)

const psumBankBytes = 2048 // machine.md 4.2

// lifetime is when a location holds data, in positions of the program order over all blocks.
type lifetime struct {
	loc        *bir.MemLoc
	start, end int // half-open
	block      int // index of the only block that touches it, -1 if several do
	writeFirst bool
}

// lifetimes computes the lifetimes of the locations of one memory, in order of first access. A location that several
// blocks of a dynamic loop share, or that an iteration reads before it writes, lives through the whole loop.
func (u *unit) lifetimes(mem bir.MemType, want func(*bir.MemLoc) bool) []*lifetime {
	index := map[*bir.MemLoc]*lifetime{}
	var out []*lifetime
	starts := make([]int, len(u.blocks)+1)
	pos := 0
	var buf []access
	for bi, b := range u.blocks {
		starts[bi] = pos
		for _, in := range b.instrs {
			buf = accesses(buf[:0], in)
			for i := range buf {
				l := buf[i].loc
				if l.Type != mem || want != nil && !want(l) {
					continue
				}
				t := index[l]
				if t == nil {
					t = &lifetime{loc: l, start: pos, end: pos + 1, block: bi, writeFirst: buf[i].write && !buf[i].read}
					index[l] = t
					out = append(out, t)
				}
				if t.block != bi {
					t.block = -1
				}
				t.end = pos + 1
				if t.start == pos && buf[i].read {
					t.writeFirst = false
				}
			}
			pos++
		}
		pos++ // the boundary
	}
	starts[len(u.blocks)] = pos
	blockAt := func(p int) int { return sort.Search(len(starts), func(i int) bool { return starts[i] > p }) - 1 }
	for _, t := range out {
		if t.block >= 0 && t.writeFirst {
			continue
		}
		for grown := true; grown; {
			grown = false
			for bi := blockAt(t.start); bi <= blockAt(t.end-1) && bi < len(u.blocks); bi++ {
				for lp := u.blocks[bi].loop; lp != nil; lp = lp.outer {
					if s := starts[lp.first]; s < t.start {
						t.start, grown = s, true
					}
					if e := starts[lp.last+1]; e > t.end {
						t.end, grown = e, true
					}
				}
			}
		}
	}
	return out
}

// request is one location to place: its lifetime and size in the units of its memory.
type request struct {
	loc        *bir.MemLoc
	start, end int
	size       int64
	align      int64
	fixed      bool
	offset     int64
}

// place packs the requests into capacity units and returns their offsets. It keeps as much distance as fits between
// the end of a location and the reuse of its bytes: reuse orders instructions that are otherwise independent.
// Height and bound of the result are those of the problem with the distance.
func place(reqs []request, capacity int64, nodes int, rotate bool) pack.Result {
	bufs := make([]pack.Buffer, len(reqs))
	var total int64
	length := 0
	anyFixed := false
	for i, r := range reqs {
		bufs[i] = pack.Buffer{Start: int64(r.start), End: int64(r.end), Size: r.size, Align: r.align, Fixed: r.fixed, Offset: r.offset}
		a := max(1, r.align)
		total += (r.size + a - 1) / a * a
		length = max(length, r.end)
		anyFixed = anyFixed || r.fixed
	}
	if rotate {
		if total <= capacity && !anyFixed {
			if r := stack(bufs); r.Height <= capacity { // padding between alignments may exceed it
				return r
			}
		}
		tries := 4
		for d := length; d >= 4 && tries > 0; d /= 2 {
			wide := make([]pack.Buffer, len(bufs))
			for i, b := range bufs {
				wide[i] = b
				wide[i].End = b.End + int64(d)
			}
			if peak(wide) > capacity || pairs(wide) > maxPairs {
				continue
			}
			tries--
			if r := pack.Pack(wide, capacity, pack.Options{Orders: 2}); r.Fits {
				return r
			}
		}
	}
	return pack.Pack(bufs, capacity, pack.Options{Nodes: nodes})
}

// maxPairs bounds the overlaps of a packing problem that only serves to spread addresses.
const maxPairs = 4_000_000

// pairs counts the buffers that overlap in time.
func pairs(bufs []pack.Buffer) int64 {
	starts := make([]int64, len(bufs))
	for i, b := range bufs {
		starts[i] = b.Start
	}
	slices.Sort(starts)
	var n int64
	for _, b := range bufs {
		before, _ := slices.BinarySearch(starts, b.Start)
		until, _ := slices.BinarySearch(starts, b.End)
		n += int64(until - before)
	}
	return n
}

// stack gives every buffer its own bytes.
func stack(bufs []pack.Buffer) pack.Result {
	r := pack.Result{Offsets: make([]int64, len(bufs)), Fits: true}
	for i, b := range bufs {
		if b.Align > 1 {
			r.Height = (r.Height + b.Align - 1) / b.Align * b.Align
		}
		r.Offsets[i] = r.Height
		r.Height += b.Size
	}
	r.LowerBound = r.Height
	return r
}

// peak is the largest sum of sizes alive together.
func peak(bufs []pack.Buffer) int64 {
	type event struct{ at, delta int64 }
	ev := make([]event, 0, 2*len(bufs))
	for _, b := range bufs {
		ev = append(ev, event{b.Start, b.Size}, event{max(b.End, b.Start+1), -b.Size})
	}
	sort.Slice(ev, func(i, j int) bool {
		if ev[i].at != ev[j].at {
			return ev[i].at < ev[j].at
		}
		return ev[i].delta < ev[j].delta
	})
	var cur, top int64
	for _, e := range ev {
		cur += e.delta
		top = max(top, cur)
	}
	return top
}
