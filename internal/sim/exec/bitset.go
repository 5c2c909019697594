package exec

import "math/bits"

// bitset is a set of small integers; ranges are set and tested a word at a time.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// set adds lo..hi-1.
func (b bitset) set(lo, hi int) {
	if lo >= hi {
		return
	}
	wl, wh := lo>>6, (hi-1)>>6
	ml := ^uint64(0) << (lo & 63)
	mh := ^uint64(0) >> (63 - (hi-1)&63)
	if wl == wh {
		b[wl] |= ml & mh
		return
	}
	b[wl] |= ml
	for i := wl + 1; i < wh; i++ {
		b[i] = ^uint64(0)
	}
	b[wh] |= mh
}

// clear removes lo..hi-1.
func (b bitset) clear(lo, hi int) {
	if lo >= hi {
		return
	}
	wl, wh := lo>>6, (hi-1)>>6
	ml := ^uint64(0) << (lo & 63)
	mh := ^uint64(0) >> (63 - (hi-1)&63)
	if wl == wh {
		b[wl] &^= ml & mh
		return
	}
	b[wl] &^= ml
	for i := wl + 1; i < wh; i++ {
		b[i] = 0
	}
	b[wh] &^= mh
}

// firstClear returns the first absent member of lo..hi-1, or -1.
func (b bitset) firstClear(lo, hi int) int {
	for i := lo; i < hi; {
		w := ^b[i>>6] >> (i & 63)
		if w != 0 {
			if j := i + bits.TrailingZeros64(w); j < hi {
				return j
			}
			return -1
		}
		i = (i | 63) + 1
	}
	return -1
}

// firstSet returns the first member of lo..hi-1, or -1.
func (b bitset) firstSet(lo, hi int) int {
	for i := lo; i < hi; {
		w := b[i>>6] >> (i & 63)
		if w != 0 {
			if j := i + bits.TrailingZeros64(w); j < hi {
				return j
			}
			return -1
		}
		i = (i | 63) + 1
	}
	return -1
}

// has reports membership of i.
func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
