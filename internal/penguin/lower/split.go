package lower

import "github.com/alcadev/alca/internal/pelican"

// axis is an axis of an instruction under construction.
type axis struct {
	v pelican.Expr
	n int64
}

// divisionOf returns an innermost floor division or modulus of e, nil if e is linear.
func divisionOf(e pelican.Expr) pelican.Expr {
	switch e.Kind() {
	case pelican.KindFloorDiv, pelican.KindMod:
		x, _ := e.Div()
		if d := divisionOf(x); d != nil {
			return d
		}
		return e
	case pelican.KindSum:
		_, terms := e.Parts()
		for _, t := range terms {
			if d := divisionOf(t.X); d != nil {
				return d
			}
		}
	}
	return nil
}

// cutFor picks the axis whose split lets the division simplify, and the extent of its inner part: the axis whose
// steps cross the divisor, cut where they do.
func cutFor(div pelican.Expr, axes []axis) (k int, inner int64) {
	x, d := div.Div()
	_, terms, ok := pelican.AsLinear(x)
	k = -1
	if !ok {
		return
	}
	for _, t := range terms {
		c := max(t.Coef, -t.Coef)
		if c%d == 0 || d%c != 0 {
			continue
		}
		for i, a := range axes {
			if in := d / c; a.v == t.X && in > 1 && in < a.n && a.n%in == 0 && in > inner {
				k, inner = i, in
			}
		}
	}
	return
}

// linearise splits axes until the row-major position of every access is linear. It returns the new axes, with
// replaced the map from old variables to new expressions, and whether it succeeded. reduce counts the trailing
// reduced axes and grows with their splits.
func linearise(axes []axis, reduce int, flats []pelican.Expr) ([]axis, int, map[pelican.Expr]pelican.Expr, bool) {
	axes = append([]axis(nil), axes...)
	flats = append([]pelican.Expr(nil), flats...)
	total := map[pelican.Expr]pelican.Expr{}
	for i := 0; i < len(flats); {
		d := divisionOf(flats[i])
		if d == nil {
			i++
			continue
		}
		k, in := cutFor(d, axes)
		if k < 0 {
			return nil, 0, nil, false
		}
		a := axes[k]
		hi := axis{pelican.NewVar(a.v.Name()+"o", 0, a.n/in, 1), a.n / in}
		lo := axis{pelican.NewVar(a.v.Name()+"i", 0, in, 1), in}
		m := map[pelican.Expr]pelican.Expr{a.v: pelican.Add(pelican.Mul(hi.v, in), lo.v)}
		for j := range flats {
			flats[j] = pelican.Subst(flats[j], m)
		}
		for v, e := range total {
			total[v] = pelican.Subst(e, m)
		}
		total[a.v] = m[a.v]
		if k >= len(axes)-reduce {
			reduce++
		}
		axes = append(axes[:k:k], append([]axis{hi, lo}, axes[k+1:]...)...)
	}
	return axes, reduce, total, true
}
