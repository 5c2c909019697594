package isel

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

func constExpr(c int64) pelican.Expr { return pelican.Const(c) }

// splitConst separates the constant of an offset from its symbolic rest, nil if there is none.
func splitConst(e pelican.Expr) (int64, pelican.Expr) {
	if e == nil {
		return 0, nil
	}
	if c, ok := e.Const(); ok {
		return c, nil
	}
	c, terms := e.Parts()
	return c, pelican.Linear(0, terms...)
}

// piece is a nest together with the constant values of axes that had to be enumerated.
type piece struct {
	n   *nest
	ind [][]penguin.Indirect // by access
}

// maxPieces bounds the enumeration of an axis whose divisions do not nest.
const maxPieces = 4096

// nests brings an op-level instruction into normal form. A floor division or modulo left after simplification
// splits the axis it divides:
//
//	x[i//4, i%4]  with i = 4*i1 + i0   =>   x[i1, i0]
//
// Divisions that do not nest (reshapes between coprime extents under a transpose) are enumerated: one nest for
// each value of the smallest axis involved.
func nests(in *penguin.Inst) ([]piece, error) {
	var vars []pelican.Expr
	var ax []nestAxis
	sub := map[pelican.Expr]pelican.Expr{}
	for i, a := range in.Axes {
		n := pelican.Trip(a.Lo, a.Hi, a.Step)
		v := pelican.NewVar(a.Name, 0, n, 1)
		sub[a.Var] = pelican.Linear(a.Lo, pelican.Term{Coef: a.Step, X: v})
		if n == 1 {
			sub[a.Var] = pelican.Const(a.Lo)
		}
		vars = append(vars, v)
		ax = append(ax, nestAxis{n, i >= len(in.Axes)-in.Reduce})
	}
	accs := append(append([]penguin.Access{}, in.In...), in.Out...)
	exprs := make([]pelican.Expr, len(accs))
	ind := make([][]penguin.Indirect, len(accs))
	for k, a := range accs {
		if a.Tile != nil {
			return nil, diag.Internalf("PEN199", in.Loc, "%s: tile access at op level", in.Op.Name)
		}
		ind[k] = a.Ind
		switch {
		case len(a.Dims) == 0 && len(a.T.Shape) == 0:
			exprs[k] = pelican.Const(0)
		case len(a.Dims) == 0:
			return nil, diag.Internalf("PEN199", in.Loc, "%s: whole-tensor access of %s", in.Op.Name, a.T.Name)
		default:
			ix := make([]pelican.Expr, len(a.Dims))
			for d, e := range a.Dims {
				ix[d] = pelican.Subst(e, sub)
			}
			exprs[k] = pelican.Flatten(ix, a.T.Shape)
		}
		if exprs[k].IsInvalid() {
			return nil, diag.Internalf("PEN199", in.Loc, "%s: index of %s has no value", in.Op.Name, a.T.Name)
		}
	}
	if io, ok := in.Attrs.(*penguin.Iota); ok {
		// The stored value is one more linear form; nests hands it back as an access without a tensor.
		exprs = append(exprs, pelican.Subst(io.Value, sub))
		accs = append(accs, penguin.Access{})
		ind = append(ind, nil)
	}
	for _, p := range in.Pred {
		return nil, diag.Errorf("PEN190", in.Loc, "%s: predicate %v is not supported by the instruction selector", in.Op.Name, p.E)
	}
	for k := range ind {
		ind[k] = substInd(ind[k], sub)
	}
	var out []piece
	var solve func(vars []pelican.Expr, ax []nestAxis, exprs []pelican.Expr, ind [][]penguin.Indirect) error
	// enumerate makes a nest for each value of axis i.
	enumerate := func(i int, why pelican.Expr, vars []pelican.Expr, ax []nestAxis, exprs []pelican.Expr, ind [][]penguin.Indirect) error {
		if ax[i].reduce || ax[i].n*int64(len(out)+1) > maxPieces {
			return diag.Errorf("PEN190", in.Loc, "%s: index expression %v cannot be cut into at most %d strided pieces", in.Op.Name, why, maxPieces)
		}
		vs := append(append([]pelican.Expr{}, vars[:i]...), vars[i+1:]...)
		as := append(append([]nestAxis{}, ax[:i]...), ax[i+1:]...)
		for v := int64(0); v < ax[i].n; v++ {
			m := map[pelican.Expr]pelican.Expr{vars[i]: pelican.Const(v)}
			ex := make([]pelican.Expr, len(exprs))
			for k := range exprs {
				ex[k] = pelican.Subst(exprs[k], m)
			}
			in2 := make([][]penguin.Indirect, len(ind))
			for k := range ind {
				in2[k] = substInd(ind[k], m)
			}
			if err := solve(vs, as, ex, in2); err != nil {
				return err
			}
		}
		return nil
	}
	solve = func(vars []pelican.Expr, ax []nestAxis, exprs []pelican.Expr, ind [][]penguin.Indirect) error {
		for i, v := range vars {
			for k := range ind {
				for _, x := range ind[k] {
					for _, e := range x.At {
						if pelican.Uses(e, v) {
							return enumerate(i, e, vars, ax, exprs, ind)
						}
					}
				}
			}
			if in.Op.Group == penguin.Update && ax[i].n > 1 && exprs[len(in.In)] != nil && !pelican.Uses(exprs[len(in.In)], v) {
				// Several points meet in one element: keep their order.
				return enumerate(i, exprs[len(in.In)], vars, ax, exprs, ind)
			}
		}
		for {
			bad := pelican.Expr(nil)
			for _, e := range exprs {
				if bad = firstDivision(e); bad != nil {
					break
				}
			}
			if bad == nil {
				break
			}
			i, inner := splitFor(bad, vars, ax)
			if i < 0 {
				return enumerate(smallestIn(bad, vars, ax), bad, vars, ax, exprs, ind)
			}
			v, n := vars[i], ax[i].n
			v1 := pelican.NewVar(v.Name()+"o", 0, n/inner, 1)
			v0 := pelican.NewVar(v.Name()+"i", 0, inner, 1)
			m := map[pelican.Expr]pelican.Expr{v: pelican.Add(pelican.Mul(v1, inner), v0)}
			for k := range exprs {
				exprs[k] = pelican.Subst(exprs[k], m)
			}
			vars = append(vars[:i:i], append([]pelican.Expr{v1, v0}, vars[i+1:]...)...)
			ax = append(ax[:i:i], append([]nestAxis{{n / inner, ax[i].reduce}, {inner, ax[i].reduce}}, ax[i+1:]...)...)
		}
		n := &nest{ax: append([]nestAxis{}, ax...), nin: len(in.In)}
		for k, e := range exprs {
			l := lin{t: accs[k].T, c: make([]int64, len(vars))}
			c, terms, ok := pelican.AsLinear(e)
			if !ok {
				return diag.Internalf("PEN199", in.Loc, "%s: %v is not linear", in.Op.Name, e)
			}
			l.off = c
			for _, t := range terms {
				found := false
				for i, v := range vars {
					if t.X == v {
						l.c[i] = t.Coef
						found = true
					}
				}
				if !found {
					return diag.Internalf("PEN199", in.Loc, "%s: index uses %v, which is no axis of the instruction", in.Op.Name, t.X)
				}
			}
			n.acc = append(n.acc, l)
		}
		out = append(out, piece{n, ind})
		return nil
	}
	if err := solve(vars, ax, exprs, ind); err != nil {
		return nil, err
	}
	return out, nil
}

// substInd replaces axes in the positions of run-time indices.
func substInd(ind []penguin.Indirect, m map[pelican.Expr]pelican.Expr) []penguin.Indirect {
	out := append([]penguin.Indirect(nil), ind...)
	for i := range out {
		at := make([]pelican.Expr, len(out[i].At))
		for k, e := range out[i].At {
			at[k] = pelican.Subst(e, m)
		}
		out[i].At = at
	}
	return out
}

// firstDivision returns an innermost FloorDiv or Mod of e, nil if e is linear.
func firstDivision(e pelican.Expr) pelican.Expr {
	switch e.Kind() {
	case pelican.KindFloorDiv, pelican.KindMod:
		x, _ := e.Div()
		if d := firstDivision(x); d != nil {
			return d
		}
		return e
	case pelican.KindSum:
		_, terms := e.Parts()
		for _, t := range terms {
			if d := firstDivision(t.X); d != nil {
				return d
			}
		}
	}
	return nil
}

// splitFor picks the axis of a division of a linear numerator by d whose split lets it simplify: the axis whose
// steps cross d, cut where it does. It returns -1 if there is none.
func splitFor(div pelican.Expr, vars []pelican.Expr, ax []nestAxis) (axis int, inner int64) {
	x, d := div.Div()
	_, terms, ok := pelican.AsLinear(x)
	if !ok {
		return -1, 0
	}
	best := -1
	var bestIn int64
	for _, t := range terms {
		c := t.Coef
		if c < 0 {
			c = -c
		}
		if c%d == 0 {
			continue
		}
		for i, v := range vars {
			if v != t.X || d%c != 0 {
				continue
			}
			in := d / c
			if in > 1 && in < ax[i].n && ax[i].n%in == 0 && (best < 0 || in > bestIn) {
				best, bestIn = i, in
			}
		}
	}
	return best, bestIn
}

func smallestIn(div pelican.Expr, vars []pelican.Expr, ax []nestAxis) int {
	best := -1
	for i, v := range vars {
		if pelican.Uses(div, v) && (best < 0 || ax[i].n < ax[best].n) {
			best = i
		}
	}
	return best
}
