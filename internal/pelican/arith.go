package pelican

import "math/bits"

// addOK and mulOK are 64-bit arithmetic that reports overflow.
func addOK(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) || b == 0
}

func mulOK(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(absU(a), absU(b))
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absU(a int64) uint64 {
	if a < 0 {
		return uint64(-(a + 1)) + 1
	}
	return uint64(a)
}

// Floor returns floor(a/d) for d > 0; Go's own division truncates.
func Floor(a, d int64) int64 {
	q := a / d
	if a%d < 0 {
		q--
	}
	return q
}

// Rem returns a mod d in [0, d) for d > 0.
func Rem(a, d int64) int64 {
	r := a % d
	if r < 0 {
		r += d
	}
	return r
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// satAdd and satMul are interval arithmetic: NegInf and PosInf absorb, and overflow saturates.
func satAdd(a, b int64) int64 {
	if a == NegInf || b == NegInf {
		return NegInf
	}
	if a == PosInf || b == PosInf {
		return PosInf
	}
	if s, ok := addOK(a, b); ok {
		return s
	}
	if a < 0 {
		return NegInf
	}
	return PosInf
}

func satMul(a, k int64) int64 {
	if k == 0 {
		return 0
	}
	inf := a == NegInf || a == PosInf
	if !inf {
		if p, ok := mulOK(a, k); ok {
			return p
		}
	}
	if (a < 0) != (k < 0) {
		return NegInf
	}
	return PosInf
}

func satFloor(a, d int64) int64 {
	if a == NegInf || a == PosInf {
		return a
	}
	return Floor(a, d)
}

// scaleRange returns the interval k*[lo, hi].
func scaleRange(lo, hi, k int64) (int64, int64) {
	if k < 0 {
		lo, hi = hi, lo
	}
	return satMul(lo, k), satMul(hi, k)
}

func computeBounds(n *Node) (lo, hi int64) {
	switch n.kind {
	case KindConst:
		return n.c, n.c
	case KindSum:
		return sumRange(n.c, n.terms)
	case KindFloorDiv:
		return satFloor(n.x.lo, n.c), satFloor(n.x.hi, n.c)
	case KindMod:
		return modRange(n.x.lo, n.x.hi, n.c)
	}
	return NegInf, PosInf
}

func sumRange(c int64, terms []Term) (lo, hi int64) {
	lo, hi = c, c
	for _, t := range terms {
		l, h := scaleRange(t.X.lo, t.X.hi, t.Coef)
		lo, hi = satAdd(lo, l), satAdd(hi, h)
	}
	return lo, hi
}

func modRange(lo, hi, d int64) (int64, int64) {
	if lo != NegInf && hi != PosInf && Floor(lo, d) == Floor(hi, d) {
		return Rem(lo, d), Rem(hi, d)
	}
	return 0, d - 1
}
