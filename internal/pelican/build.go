package pelican

import "slices"

// Const returns the constant c.
func Const(c int64) Expr {
	if c >= smallLo && c < smallHi {
		return smallConsts[c-smallLo]
	}
	return intern(&Node{kind: KindConst, c: c})
}

const smallLo, smallHi = -16, 1040

// smallConsts keeps the common constants alive and out of the locked table.
var smallConsts = func() (t [smallHi - smallLo]*Node) {
	for i := range t {
		t[i] = intern(&Node{kind: KindConst, c: int64(i + smallLo)})
	}
	return
}()

// Add returns the sum of xs.
func Add(xs ...Expr) Expr {
	var buf [8]Term
	terms, c := buf[:0], int64(0)
	for _, x := range xs {
		if x.kind == KindInvalid {
			return invalid
		}
		xc, xt := x.c, x.terms
		if x.kind != KindConst && x.kind != KindSum {
			xc, xt = 0, []Term{{1, x}}
		}
		var ok bool
		if c, ok = addOK(c, xc); !ok {
			return invalid
		}
		terms = append(terms, xt...)
	}
	return linear(c, terms)
}

// Sub returns a - b.
func Sub(a, b Expr) Expr { return Add(a, Mul(b, -1)) }

// AddConst returns a + c.
func AddConst(a Expr, c int64) Expr {
	if c == 0 {
		return a
	}
	return Add(a, Const(c))
}

// Mul returns k*a.
func Mul(a Expr, k int64) Expr {
	switch {
	case a.kind == KindInvalid:
		return invalid
	case k == 0:
		return Const(0)
	case k == 1:
		return a
	}
	c, terms := a.Parts()
	c, ok := mulOK(c, k)
	if !ok {
		return invalid
	}
	out := make([]Term, len(terms))
	for i, t := range terms {
		kc, ok := mulOK(t.Coef, k)
		if !ok {
			return invalid
		}
		out[i] = Term{kc, t.X}
	}
	return linear(c, out)
}

// Linear returns c plus the terms, whose X may be any expression.
func Linear(c int64, terms ...Term) Expr {
	xs := make([]Expr, 0, len(terms)+1)
	xs = append(xs, Const(c))
	for _, t := range terms {
		xs = append(xs, Mul(t.X, t.Coef))
	}
	return Add(xs...)
}

// linear makes the canonical sum of c and terms (it may reorder the slice): sorted, merged, no zero coefficient,
// and div/mod pairs folded back to their numerator.
func linear(c int64, terms []Term) Expr {
	terms, ok := mergeTerms(terms)
	if !ok {
		return invalid
	}
	for i, t := range terms {
		if t.X.kind != KindMod {
			continue
		}
		if e := foldDivMod(c, terms, i); e != nil {
			return e
		}
	}
	switch {
	case len(terms) == 0:
		return Const(c)
	case len(terms) == 1 && c == 0 && terms[0].Coef == 1:
		return terms[0].X
	}
	return intern(&Node{kind: KindSum, c: c, terms: slices.Clone(terms)})
}

func mergeTerms(terms []Term) ([]Term, bool) {
	sorted := true
	for i := 1; i < len(terms); i++ {
		if compare(terms[i-1].X, terms[i].X) >= 0 {
			sorted = false
			break
		}
	}
	if !sorted {
		slices.SortStableFunc(terms, func(a, b Term) int { return compare(a.X, b.X) })
	}
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].X == t.X {
			k, ok := addOK(out[n-1].Coef, t.Coef)
			if !ok {
				return nil, false
			}
			out[n-1].Coef = k
			if k == 0 {
				out = out[:n-1]
			}
			continue
		}
		if t.Coef != 0 {
			out = append(out, t)
		}
	}
	return out, true
}

// foldDivMod looks for the partner of terms[i], k*(x mod d), and returns the shorter sum, or nil:
//
//	k*d*(x fdiv d)         + k*(x mod d)  =>  k*x
//	k*d*((x fdiv d) mod m) + k*(x mod d)  =>  k*(x mod (d*m))
func foldDivMod(c int64, terms []Term, i int) Expr {
	if len(terms) < 2 {
		return nil
	}
	k, x, d := terms[i].Coef, terms[i].X.x, terms[i].X.c
	kd, ok := mulOK(k, d)
	if !ok {
		return nil
	}
	q := FloorDiv(x, d)
	qc, qt := q.Parts()
	for j, t := range terms {
		if j == i || t.Coef != kd {
			continue
		}
		var repl Expr
		switch {
		case qc == 0 && len(qt) == 1 && qt[0].Coef == 1 && t.X == qt[0].X:
			repl = x
		case t.X.kind == KindMod && t.X.x == q:
			dm, ok := mulOK(d, t.X.c)
			if !ok {
				continue
			}
			repl = Mod(x, dm)
		default:
			continue
		}
		rest := make([]Term, 0, len(terms))
		for l := range terms {
			if l != i && l != j {
				rest = append(rest, terms[l])
			}
		}
		return Add(linear(c, rest), Mul(repl, k))
	}
	return nil
}

// FloorDiv returns floor(a/d); d must be positive.
func FloorDiv(a Expr, d int64) Expr {
	if a.kind == KindInvalid || d < 1 {
		return invalid
	}
	if d == 1 {
		return a
	}
	if a.lo != NegInf && a.hi != PosInf && Floor(a.lo, d) == Floor(a.hi, d) {
		return Const(Floor(a.lo, d))
	}
	c, terms := a.Parts()
	// Whole multiples of d leave the division.
	var out, rest []Term
	for _, t := range terms {
		if q := t.Coef / d; q != 0 {
			out = append(out, Term{q, t.X})
		}
		if r := t.Coef % d; r != 0 {
			rest = append(rest, Term{r, t.X})
		}
	}
	if q := Floor(c, d); len(out) > 0 || q != 0 {
		return Add(linear(q, out), FloorDiv(linear(Rem(c, d), rest), d))
	}
	if len(terms) == 1 && terms[0].Coef == 1 {
		switch t := terms[0].X; {
		case t.kind == KindFloorDiv:
			if n, ok := mulOK(d, t.c); ok {
				if off, ok := mulOK(c, t.c); ok {
					return FloorDiv(AddConst(t.x, off), n)
				}
			}
		case t.kind == KindMod && c == 0 && t.c%d == 0:
			return Mod(FloorDiv(t.x, d), t.c/d)
		}
	}
	if hiPart, _, g := split(c, terms, d); g > 1 {
		return FloorDiv(hiPart, d/g)
	}
	return intern(&Node{kind: KindFloorDiv, c: d, x: a})
}

// Mod returns a mod d in [0, d); d must be positive.
func Mod(a Expr, d int64) Expr {
	if a.kind == KindInvalid || d < 1 {
		return invalid
	}
	if d == 1 {
		return Const(0)
	}
	if a.lo != NegInf && a.hi != PosInf {
		if q := Floor(a.lo, d); q == Floor(a.hi, d) {
			if qd, ok := mulOK(q, d); ok && qd != NegInf {
				return AddConst(a, -qd)
			}
		}
	}
	c, terms := a.Parts()
	changed := c != Rem(c, d)
	for _, t := range terms {
		if t.Coef/d != 0 || inner(t, d) {
			changed = true
		}
	}
	if changed {
		xs := []Expr{Const(Rem(c, d))}
		for _, t := range terms {
			r := t.Coef % d
			if r == 0 {
				continue
			}
			x := t.X
			if inner(Term{r, x}, d) {
				x = x.x
			}
			xs = append(xs, Mul(x, r))
		}
		return Mod(Add(xs...), d)
	}
	if hiPart, loPart, g := split(c, terms, d); g > 1 {
		return Add(Mul(Mod(hiPart, d/g), g), loPart)
	}
	return intern(&Node{kind: KindMod, c: d, x: a})
}

// inner reports a term k*(x mod m) that may be replaced by k*x modulo d, because d divides k*m.
func inner(t Term, d int64) bool {
	if t.X.kind != KindMod {
		return false
	}
	km, ok := mulOK(t.Coef, t.X.c)
	return ok && km%d == 0
}

// split finds the greatest g > 1 that divides d such that c + terms = g*hi + lo with lo known to lie in [0, g).
// Then (c+terms) fdiv d = hi fdiv (d/g) and (c+terms) mod d = g*(hi mod (d/g)) + lo.
func split(c int64, terms []Term, d int64) (hi, lo Expr, g int64) {
	var tried []int64
	for _, t := range terms {
		if k := gcd(t.Coef, d); k > 1 && k < d && !slices.Contains(tried, k) {
			tried = append(tried, k)
		}
	}
	slices.Sort(tried)
	for i := len(tried) - 1; i >= 0; i-- {
		g := tried[i]
		var low, high []Term
		for _, t := range terms {
			if t.Coef%g == 0 {
				high = append(high, Term{t.Coef / g, t.X})
			} else {
				low = append(low, t)
			}
		}
		lc := Rem(c, g)
		if l, h := sumRange(lc, low); l >= 0 && h < g {
			return linear(Floor(c, g), high), linear(lc, low), g
		}
	}
	return nil, nil, 0
}
