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
		gap := actGap{} // since the last activation that needs the resident set
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
					gap.see(in, len(out))
					out = append(out, nil)
					copy(out[gap.at+1:], out[gap.at:])
					out[gap.at] = ld
				}
				k++
				out = append(out, in)
				gap = actGap{}
				gap.after(in)
				continue
			}
			if in.Engine == machine.ACT {
				gap.see(in, len(out))
				gap.after(in)
			}
			out = append(out, in)
		}
		b.instrs = out
	}
	return nil
}

// actGap finds the longest time the scalar engine idles before an instruction: a table load there costs least. Times
// are those of the schedule; without one all gaps are empty and the load stays next to its user.
type actGap struct {
	free, best int64
	at         int
	any        bool
}

// see considers the place before in, which stands at position at. Among equals the last place wins.
func (g *actGap) see(in *bir.Instr, at int) {
	if idle := max(0, in.Start-g.free); !g.any || idle >= g.best {
		g.best, g.at, g.any = idle, at, true
	}
}

func (g *actGap) after(in *bir.Instr) { g.free = max(g.free, in.End) }

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
