package walrus

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// maxActSets is how many function sets a kernel may use (semantics.md 7.4).
const maxActSets = 8

// loadActTables inserts LoadActFuncSet so that every activation finds its function resident:
//
//	exp(a); gelu(b)  =>  load exp_and_others; exp(a); load gelu_and_others; gelu(b)
//
// The resident set stays while it contains the function; otherwise the set that serves the longest run of coming
// functions is loaded, the first in list order among equals. A block starts with nothing known to be resident.
func loadActTables(u *unit) error {
	index := map[int]int{}
	for _, b := range u.blocks {
		var fns []bir.ActFunc
		for _, in := range b.instrs {
			if a, ok := in.Attrs.(*bir.ActivationAttrs); ok && in.Op == bir.Activation && !a.Func.Hardwired() {
				fns = append(fns, a.Func)
			}
		}
		if len(fns) == 0 {
			continue
		}
		cur, k := -1, 0
		out := make([]*bir.Instr, 0, len(b.instrs)+4)
		for _, in := range b.instrs {
			a, ok := in.Attrs.(*bir.ActivationAttrs)
			if ok && in.Op == bir.Activation && !a.Func.Hardwired() {
				if cur < 0 || !bir.ActSets[cur].Has(a.Func) {
					if cur = longestSet(fns[k:]); cur < 0 {
						return diag.Errorf(CodeUnsupported, locOf(in), "%s: no function set contains %s", in.NameOf(), a.Func)
					}
					if _, ok := index[cur]; !ok {
						index[cur] = len(u.actSets)
						u.actSets = append(u.actSets, cur)
						if len(u.actSets) > maxActSets {
							return diag.Errorf(CodeUnsupported, locOf(in), "the program needs more than %d activation function sets", maxActSets)
						}
					}
					ld := u.fn.NewInstr(bir.LoadActFuncSet, machine.ACT)
					ld.Attrs = &bir.LoadActFuncSetAttrs{Set: index[cur]}
					ld.Debug = in.Debug
					out = append(out, ld)
				}
				k++
			}
			out = append(out, in)
		}
		b.instrs = out
	}
	return nil
}

// longestSet returns the set with the longest prefix of fns, -1 if none has the first.
func longestSet(fns []bir.ActFunc) int {
	best, bestLen := -1, 0
	for i := range bir.ActSets {
		n := 0
		for n < len(fns) && n < 4096 && bir.ActSets[i].Has(fns[n]) {
			n++
		}
		if n > bestLen {
			best, bestLen = i, n
		}
	}
	return best
}
