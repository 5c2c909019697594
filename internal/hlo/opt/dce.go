package opt

import (
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

// dce removes ops whose results nothing uses:
//
//	%0 = stablehlo.add %x, %y      =>  (nothing)
//	return %x                          return %x
//
// An op with an effect of its own, or in a region, stays; so do collectives, in which other processes take part.
// Loops are taken to end.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "hlo-dce", Doc: "remove ops nobody uses", Run: func(m *hlo.Module) error {
		for _, r := range m.Bodies() {
			sweep(r)
		}
		return nil
	}})
}

// sweep removes dead ops from r, users before what they use.
func sweep(r *hlo.Region) {
	uses := hlo.CountUses(r)
	var region func(r *hlo.Region)
	region = func(r *hlo.Region) {
		for _, b := range r.Blocks {
			kept := make([]*hlo.Op, 0, len(b.Ops))
			for i := len(b.Ops) - 1; i >= 0; i-- {
				o := b.Ops[i]
				dead := removable(o)
				for _, v := range o.Results {
					dead = dead && uses[v] == 0
				}
				if dead {
					release(o, uses)
					continue
				}
				for _, s := range o.Regions {
					region(s)
				}
				kept = append(kept, o)
			}
			for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
				kept[i], kept[j] = kept[j], kept[i]
			}
			b.Ops = kept
		}
	}
	region(r)
}

// release takes back the uses that o and its regions make.
func release(o *hlo.Op, uses map[*hlo.Value]int) {
	for _, v := range o.Operands {
		uses[v]--
	}
	for _, r := range o.Regions {
		hlo.WalkOps(r, func(x *hlo.Op) {
			for _, v := range x.Operands {
				uses[v]--
			}
		})
	}
}

// removable reports whether o does nothing but compute its results.
func removable(o *hlo.Op) bool {
	switch o.Name() {
	case "stablehlo.while", "stablehlo.if", "stablehlo.case", "stablehlo.optimization_barrier", "stablehlo.rng_bit_generator":
	default:
		if !o.Def.Has(hlo.Pure) {
			return false
		}
	}
	ok := true
	for _, r := range o.Regions {
		hlo.WalkOps(r, func(x *hlo.Op) { ok = ok && (x.Def.Has(hlo.Terminator) || removable(x)) })
	}
	return ok
}
