package lower

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	register(call, "func.call", "stablehlo.composite")
	register(while, "stablehlo.while")
	register(ifOp, "stablehlo.if")
	register(caseOp, "stablehlo.case")
}

const (
	maxCallDepth = 256
	// A counted loop is unrolled when it has at most maxTrips trips and maxUnrolled ops in all.
	maxTrips    = 64
	maxUnrolled = 256
)

func compareAttr(dir string) penguin.Attrs { return &penguin.Compare{Dir: dir} }

// call inlines the callee.
func call(l *lowerer, o *hlo.Op) error {
	attr := "callee"
	if o.Name() == "stablehlo.composite" {
		attr = "decomposition"
	}
	name, _ := o.Str(attr)
	f := l.mod.Func(name)
	if f == nil || f.Body == nil {
		return l.unsupported("function %q has no body here", name)
	}
	if l.depth++; l.depth > maxCallDepth {
		return l.unsupported("calls nest deeper than %d", maxCallDepth)
	}
	defer func() { l.depth-- }()
	l.forget(f.Body)
	countUses(f.Body, l.uses)
	for i, p := range f.Params {
		v := l.in(o, i)
		v.fresh = 0
		l.env[p] = v
		l.same[p] = o.Operands[i]
	}
	res, err := l.block(f.Body.Blocks[0])
	if err != nil {
		return err
	}
	for i, r := range res {
		v := l.env[r]
		v.fresh = 0
		l.set(o, i, v)
		l.same[o.Results[i]] = r
		if c := l.constOf(r); c != nil {
			l.consts[o.Results[i]] = &constant{c}
		} else {
			l.consts[o.Results[i]] = &constant{}
		}
	}
	return nil
}

// while keeps its values in state tensors, which the body rewrites at its end.
func while(l *lowerer, o *hlo.Op) error {
	cond, body := o.Body(0), o.Body(1)
	if done, err := l.unroll(o); done || err != nil {
		return err
	}
	states := make([]view, len(o.Operands))
	for i, v := range o.Operands {
		x := l.env[v]
		if x.fresh == l.region && l.uses[v] == 1 && x.isWhole() {
			states[i] = x
			continue
		}
		t := hlo.TensorOf(v)
		s := whole(l.tensor("state", x.t.DType, t.Dims))
		if err := l.into(s, "copy", nil, x); err != nil {
			return err
		}
		states[i] = s
	}
	w := &penguin.While{Loc: o.Loc}
	outer, region := l.body, l.region
	l.regions++
	l.region = l.regions
	defer func() { l.body, l.region = outer, region }()

	l.body = &w.Cond
	for i, a := range cond.Args {
		l.env[a] = whole(states[i].t)
	}
	res, err := l.block(cond)
	if err != nil {
		return err
	}
	p := l.env[res[0]]
	if l.guard != nil {
		// In a branch that is not taken the loop does not start.
		if p, err = l.compute("and", nil, dtype.I1, nil, p, *l.guard); err != nil {
			return err
		}
	}
	if !p.isWhole() || p.t.Kind&(penguin.Const|penguin.Input) != 0 {
		if p, err = l.copyOf(p); err != nil {
			return err
		}
	}
	w.Pred = p.t

	l.body = &w.Body
	for i, a := range body.Args {
		s := whole(states[i].t)
		if l.uses[a] == 1 {
			s.fresh = l.region // its only user may rewrite the state in place
		}
		l.env[a] = s
	}
	if res, err = l.block(body); err != nil {
		return err
	}
	if err := l.assign(states, res); err != nil {
		return err
	}
	*outer = append(*outer, w)
	l.region = region
	for i := range o.Results {
		s := whole(states[i].t)
		s.fresh = region
		l.set(o, i, s)
	}
	return nil
}

// assign stores the values of res in the states, all at once: a value that reads a state is first copied out.
func (l *lowerer) assign(states []view, res []*hlo.Value) error {
	isState := map[*penguin.Tensor]int{}
	for i, s := range states {
		isState[s.t] = i
	}
	vals := make([]view, len(res))
	for i, r := range res {
		v := l.env[r]
		if j, ok := isState[v.t]; ok && !(j == i && v.isWhole()) {
			c, err := l.copyOf(v)
			if err != nil {
				return err
			}
			v = c
		}
		vals[i] = v
	}
	for i, v := range vals {
		if v.t == states[i].t {
			continue
		}
		if err := l.into(whole(states[i].t), "copy", nil, v); err != nil {
			return err
		}
	}
	return nil
}

// unroll expands a loop whose condition depends on constants only, if it is short.
func (l *lowerer) unroll(o *hlo.Op) (bool, error) {
	body := o.Body(1)
	size := countOps(o.Regions[1])
	trips, ok := l.tripCount(o, min(maxTrips, maxUnrolled/max(1, size)))
	if !ok {
		return false, nil
	}
	vals := make([]view, len(o.Operands))
	cs := make([]*constant, len(o.Operands))
	for i, v := range o.Operands {
		vals[i] = l.env[v]
		vals[i].fresh = 0
		cs[i] = &constant{l.constOf(v)}
	}
	for range trips {
		l.forget(o.Regions[1])
		for i, a := range body.Args {
			l.env[a] = vals[i]
			l.consts[a] = cs[i]
		}
		res, err := l.block(body)
		if err != nil {
			return true, err
		}
		for i, r := range res {
			vals[i] = l.env[r]
			vals[i].fresh = 0
			cs[i] = &constant{l.constOf(r)}
		}
	}
	for i := range o.Results {
		l.set(o, i, vals[i])
		l.consts[o.Results[i]] = cs[i]
	}
	return true, nil
}

// tripCount runs the constant part of a loop and returns how often its body is entered, if that is at most limit.
func (l *lowerer) tripCount(o *hlo.Op, limit int) (int, bool) {
	cond, body := o.Body(0), o.Body(1)
	cs := make([]*constant, len(o.Operands))
	for i, v := range o.Operands {
		cs[i] = &constant{l.constOf(v)}
	}
	defer func() {
		l.forget(o.Regions[0])
		l.forget(o.Regions[1])
	}()
	for n := 0; ; n++ {
		l.forget(o.Regions[0])
		for i, a := range cond.Args {
			l.consts[a] = cs[i]
		}
		p := l.constOf(cond.Terminator().Operands[0])
		if p == nil {
			return 0, false
		}
		if p.Data[0] == 0 {
			return n, true
		}
		if n == limit {
			return 0, false
		}
		l.forget(o.Regions[1])
		for i, a := range body.Args {
			l.consts[a] = cs[i]
		}
		next := make([]*constant, len(cs))
		for i, r := range body.Terminator().Operands {
			next[i] = &constant{l.constOf(r)}
		}
		cs = next
	}
}

func countOps(r *hlo.Region) int {
	n := 0
	for _, b := range r.Blocks {
		for _, o := range b.Ops {
			n++
			for _, s := range o.Regions {
				n += countOps(s)
			}
		}
	}
	return n
}

// ifOp carries out both branches and selects, or one when the predicate is constant.
func ifOp(l *lowerer, o *hlo.Op) error {
	if c := l.constOf(o.Operands[0]); c != nil {
		k := 1
		if c.Data[0] != 0 {
			k = 0
		}
		return l.onlyBranch(o, k)
	}
	pred := l.in(o, 0)
	a, err := l.branch(o, 0, func() (view, error) { return pred, nil })
	if err != nil {
		return err
	}
	b, err := l.branch(o, 1, func() (view, error) { return l.compute("not", nil, dtype.I1, nil, pred) })
	if err != nil {
		return err
	}
	for i := range o.Results {
		v, err := l.compute("select", nil, l.elem(o.Out(i).Elem), o.Out(i).Dims, l.in(o, 0), a[i], b[i])
		if err != nil {
			return err
		}
		l.set(o, i, v)
	}
	return nil
}

// caseOp carries out all branches and selects; an index out of range takes the last.
func caseOp(l *lowerer, o *hlo.Op) error {
	n := len(o.Regions)
	if c := l.constOf(o.Operands[0]); c != nil {
		k := intAt(c, 0)
		if k < 0 || k >= int64(n) {
			k = int64(n) - 1
		}
		return l.onlyBranch(o, int(k))
	}
	index := l.in(o, 0)
	compare := func(dir string, k int) (view, error) {
		return l.compute("compare", compareAttr(dir), dtype.I1, nil, index, l.constSplat(dtype.I32, []byte{byte(k), byte(k >> 8), 0, 0}))
	}
	res, err := l.branch(o, n-1, func() (view, error) {
		neg, err := compare("LT", 0)
		if err != nil {
			return neg, err
		}
		past, err := compare("GE", n-1)
		if err != nil {
			return past, err
		}
		return l.compute("or", nil, dtype.I1, nil, neg, past)
	})
	if err != nil {
		return err
	}
	res = append([]view(nil), res...)
	for k := 0; k < n-1; k++ {
		is, err := compare("EQ", k)
		if err != nil {
			return err
		}
		r, err := l.branch(o, k, func() (view, error) { return is, nil })
		if err != nil {
			return err
		}
		for i := range res {
			if res[i], err = l.compute("select", nil, l.elem(o.Out(i).Elem), o.Out(i).Dims, is, r[i], res[i]); err != nil {
				return err
			}
		}
	}
	for i := range res {
		l.set(o, i, res[i])
	}
	return nil
}

func (l *lowerer) onlyBranch(o *hlo.Op, k int) error {
	res, err := l.block(o.Body(k))
	if err != nil {
		return err
	}
	for i, r := range res {
		v := l.env[r]
		v.fresh = 0
		l.set(o, i, v)
		l.same[o.Results[i]] = r
	}
	return nil
}

// branch lowers region k of a conditional whose branches are all carried out. Loops inside are guarded by taken, the
// condition under which the branch counts, because they might not end otherwise; an op with an effect is refused.
func (l *lowerer) branch(o *hlo.Op, k int, taken func() (view, error)) ([]view, error) {
	if bad := find(o.Regions[k], func(o *hlo.Op) bool { return o.Def.Has(hlo.Effect) }); bad != nil {
		return nil, diag.Errorf(codeUnsupported, bad.Loc, "%s inside a branch taken at run time is not supported on the device yet", bad.Name())
	}
	guard := l.guard
	defer func() { l.guard = guard }()
	if find(o.Regions[k], func(o *hlo.Op) bool { return o.Name() == "stablehlo.while" }) != nil {
		g, err := taken()
		if err != nil {
			return nil, err
		}
		if guard != nil {
			if g, err = l.compute("and", nil, dtype.I1, nil, g, *guard); err != nil {
				return nil, err
			}
		}
		l.guard = &g
	}
	// Values of outside must not be rewritten: the other branches read them too.
	region := l.region
	l.regions++
	l.region = l.regions
	defer func() { l.region = region }()
	res, err := l.block(o.Body(k))
	if err != nil {
		return nil, err
	}
	out := make([]view, len(res))
	for i, r := range res {
		out[i] = l.env[r]
	}
	return out, nil
}

// find returns an op of r for which f holds, nil if there is none.
func find(r *hlo.Region, f func(o *hlo.Op) bool) *hlo.Op {
	for _, b := range r.Blocks {
		for _, o := range b.Ops {
			if f(o) {
				return o
			}
			for _, s := range o.Regions {
				if bad := find(s, f); bad != nil {
					return bad
				}
			}
		}
	}
	return nil
}
