package pelican

// Subst replaces leaves by expressions, all at once; leaves not in m stay. The result is canonical.
//
// A replacement must lie within the bounds of the leaf it replaces: the simplifications already made rely on them.
func Subst(e Expr, m map[Expr]Expr) Expr {
	if len(m) == 0 {
		return e
	}
	return subst(e, func(v Expr) Expr { return m[v] })
}

// SubstFunc is Subst with a function, which returns nil to keep a leaf.
func SubstFunc(e Expr, f func(v Expr) Expr) Expr { return subst(e, f) }

func subst(e Expr, f func(v Expr) Expr) Expr {
	switch e.kind {
	case KindVar, KindRuntime:
		if r := f(e); r != nil {
			return r
		}
		return e
	case KindSum:
		xs := make([]Expr, 0, len(e.terms)+1)
		xs = append(xs, Const(e.c))
		changed := false
		for _, t := range e.terms {
			x := subst(t.X, f)
			changed = changed || x != t.X
			xs = append(xs, Mul(x, t.Coef))
		}
		if !changed {
			return e
		}
		return Add(xs...)
	case KindFloorDiv:
		if x := subst(e.x, f); x != e.x {
			return FloorDiv(x, e.c)
		}
	case KindMod:
		if x := subst(e.x, f); x != e.x {
			return Mod(x, e.c)
		}
	}
	return e
}

// Walk calls f for every leaf occurrence of e, in the order of the text form.
func Walk(e Expr, f func(leaf Expr)) {
	switch e.kind {
	case KindVar, KindRuntime:
		f(e)
	case KindSum:
		for _, t := range e.terms {
			Walk(t.X, f)
		}
	case KindFloorDiv, KindMod:
		Walk(e.x, f)
	}
}

// Leaves appends the distinct leaves of e to list, in the order of first occurrence.
func Leaves(list []Expr, e Expr) []Expr {
	Walk(e, func(v Expr) {
		for _, w := range list {
			if w == v {
				return
			}
		}
		list = append(list, v)
	})
	return list
}

// Uses reports whether leaf v occurs in e.
func Uses(e, v Expr) bool {
	found := false
	Walk(e, func(w Expr) { found = found || w == v })
	return found
}

// IsAffine reports a constant, a leaf, or a sum of leaves.
func IsAffine(e Expr) bool {
	_, _, ok := AsLinear(e)
	return ok
}

// AsLinear returns e as constant plus terms over leaves; ok is false if e has a division or modulus.
func AsLinear(e Expr) (c int64, terms []Term, ok bool) {
	if e.kind == KindInvalid {
		return 0, nil, false
	}
	c, terms = e.Parts()
	for _, t := range terms {
		if !t.X.IsLeaf() {
			return 0, nil, false
		}
	}
	return c, terms, true
}

// Coef returns the coefficient of leaf v in e, and whether v occurs nowhere else (inside a division or modulus).
func Coef(e, v Expr) (int64, bool) {
	_, terms := e.Parts()
	k := int64(0)
	for _, t := range terms {
		if t.X == v {
			k = t.Coef
		} else if Uses(t.X, v) {
			return 0, false
		}
	}
	return k, true
}

// HasRuntime reports whether e contains a Runtime.
func HasRuntime(e Expr) bool {
	found := false
	Walk(e, func(v Expr) { found = found || v.kind == KindRuntime })
	return found
}

// BoundsIn returns the bounds of e when some leaves have narrower bounds than their own. f returns false to keep
// a leaf's own.
func BoundsIn(e Expr, f func(v Expr) (lo, hi int64, ok bool)) (lo, hi int64) {
	switch e.kind {
	case KindVar, KindRuntime:
		if lo, hi, ok := f(e); ok {
			return lo, hi
		}
	case KindSum:
		lo, hi = e.c, e.c
		for _, t := range e.terms {
			l, h := BoundsIn(t.X, f)
			l, h = scaleRange(l, h, t.Coef)
			lo, hi = satAdd(lo, l), satAdd(hi, h)
		}
		return lo, hi
	case KindFloorDiv:
		l, h := BoundsIn(e.x, f)
		return satFloor(l, e.c), satFloor(h, e.c)
	case KindMod:
		l, h := BoundsIn(e.x, f)
		return modRange(l, h, e.c)
	}
	return e.lo, e.hi
}

// Flatten returns the row-major position of index idx in an array of the given extents.
func Flatten(idx []Expr, extents []int64) Expr {
	e := Const(0)
	for i, x := range idx {
		e = Add(Mul(e, extents[i]), x)
	}
	return e
}

// Delinearise returns the index of row-major position e in an array of the given extents. The first index has no
// modulus: a position beyond the array gives a first index beyond its extent.
func Delinearise(e Expr, extents []int64) []Expr {
	out := make([]Expr, len(extents))
	for i := len(extents) - 1; i >= 0; i-- {
		if i == 0 {
			out[0] = e
			break
		}
		if extents[i] < 1 {
			out[i] = Const(0)
			continue
		}
		out[i] = Mod(e, extents[i])
		e = FloorDiv(e, extents[i])
	}
	return out
}

// ExactDiv returns e/k; ok is false unless constant and all coefficients are divisible by k.
func ExactDiv(e Expr, k int64) (Expr, bool) {
	if k == 0 || e.kind == KindInvalid {
		return nil, false
	}
	c, terms := e.Parts()
	if c%k != 0 {
		return nil, false
	}
	out := make([]Term, len(terms))
	for i, t := range terms {
		if t.Coef%k != 0 {
			return nil, false
		}
		out[i] = Term{t.Coef / k, t.X}
	}
	return linear(c/k, out), true
}

// Divisor returns the greatest number known to divide every value of e: the gcd of its constant and coefficients
// (0 for the constant 0). Steps and first values of axes count.
func Divisor(e Expr) int64 {
	switch e.kind {
	case KindConst:
		return gcd(e.c, 0)
	case KindVar:
		return gcd(e.start, e.c)
	case KindSum:
		g := gcd(e.c, 0)
		for _, t := range e.terms {
			d := Divisor(t.X)
			if p, ok := mulOK(d, t.Coef); ok {
				g = gcd(g, p)
			} else {
				g = gcd(g, t.Coef)
			}
		}
		return g
	case KindMod:
		return gcd(Divisor(e.x), e.c)
	}
	return 1
}
