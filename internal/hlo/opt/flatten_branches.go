package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// flattenBranches carries out all branches of a conditional in which loops stand, and selects. A loop of a branch that
// is not taken makes no trip, since its condition includes the branch's:
//
//	if %p { %a = while(...) cond { %c } do { .. }; return %a } { return %b }
//	    =>  %a = while(...) cond { and %c, %p } do { .. }
//	        select %p, %a, %b
//
//	case %i { A } { B } { C }    =>  the same with i == 0, i == 1, and neither
//
// It declines conditionals without loops, which lowering treats alike itself; those with effects in a branch; and results
// that are not tensors.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "flatten-branches", Doc: "carry out all branches with loops and select", Required: true, Run: func(m *hlo.Module) error {
		for _, r := range m.Bodies() {
			if err := flattenRegion(r, hlo.Subst{}); err != nil {
				return err
			}
		}
		return nil
	}})
}

// flattenRegion flattens the conditionals in r, inner ones first.
func flattenRegion(r *hlo.Region, subst hlo.Subst) error {
	for _, b := range r.Blocks {
		ops := b.Ops
		b.Ops = make([]*hlo.Op, 0, len(ops))
		for _, o := range ops {
			for i, v := range o.Operands {
				o.Operands[i] = subst.Get(v)
			}
			for _, s := range o.Regions {
				if err := flattenRegion(s, subst); err != nil {
					return err
				}
			}
			if !flattens(o) {
				b.Ops = append(b.Ops, o)
				continue
			}
			if err := flatten(b, o, subst); err != nil {
				return err
			}
		}
	}
	return nil
}

// flattens reports whether o is a conditional that has loops in its branches and can be carried out in full.
func flattens(o *hlo.Op) bool {
	if o.Name() != "stablehlo.if" && o.Name() != "stablehlo.case" || len(o.Results) == 0 {
		return false
	}
	for i := range o.Results {
		if t := o.Out(i); t == nil || !t.Static() {
			return false
		}
	}
	loops, effects := false, false
	for _, r := range o.Regions {
		hlo.WalkOps(r, func(x *hlo.Op) {
			loops = loops || x.Name() == "stablehlo.while"
			effects = effects || !x.Def.Has(hlo.Terminator) && !removable(x)
		})
	}
	return loops && !effects
}

func flatten(blk *hlo.Block, o *hlo.Op, subst hlo.Subst) error {
	b := &hlo.Builder{Block: blk, Loc: o.Loc, NameLoc: o.NameLoc}
	taken := branchTaken(b, o)
	var results [][]*hlo.Value
	for k, r := range o.Regions {
		for _, x := range r.Blocks[0].Ops {
			if x.Def.Has(hlo.Terminator) {
				results = append(results, x.Operands)
				break
			}
			if x.Name() == "stablehlo.while" {
				if err := guard(x, taken[k]); err != nil {
					return err
				}
			}
			blk.Ops = append(blk.Ops, x)
		}
	}
	last := len(results) - 1
	for i, res := range o.Results {
		v := subst.Get(results[last][i])
		for k := last - 1; k >= 0; k-- {
			v = b.Select(taken[k], subst.Get(results[k][i]), v)
		}
		subst[res] = v
	}
	return b.Err
}

// branchTaken returns, for each branch of o, whether it is the one.
func branchTaken(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	x := o.Operands[0]
	if o.Name() == "stablehlo.if" {
		return []*hlo.Value{x, b.Op("stablehlo.not", nil, x)}
	}
	n := int64(len(o.Regions))
	var out []*hlo.Value
	for k := range n - 1 {
		out = append(out, b.Compare("EQ", x, b.IntConst(k, dtype.I32)))
	}
	below, above := b.Compare("LT", x, b.IntConst(0, dtype.I32)), b.Compare("GE", x, b.IntConst(n-1, dtype.I32))
	return append(out, b.Op("stablehlo.or", nil, below, above))
}

// guard makes a loop run only where p holds.
func guard(loop *hlo.Op, p *hlo.Value) error {
	c := loop.Body(0)
	t := c.Terminator()
	c.Ops = c.Ops[:len(c.Ops)-1]
	b := &hlo.Builder{Block: c, Loc: loop.Loc}
	t.Operands[0] = b.Op("stablehlo.and", nil, t.Operands[0], p)
	c.Ops = append(c.Ops, t)
	return b.Err
}
