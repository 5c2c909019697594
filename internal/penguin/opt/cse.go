package opt

import (
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

// cse lets the readers of a value that has been computed before read the earlier one:
//
//	subtract(x[i, j], m[i]) -> a[i, j]        subtract(x[i, j], m[i]) -> a[i, j]
//	subtract(x[p, q], m[p]) -> b[p, q]   =>   exponential(a[r, s]) -> y[r, s]
//	exponential(b[r, s]) -> y[r, s]
//
// It declines when an operand is written more than once, and when the later value is an output of the function.
func init() {
	registry.Add(pass.Pass[*penguin.Module]{Name: "penguin-cse", Doc: "compute equal values once", Run: eachFunc(cse)})
}

func cse(f *penguin.Func) error {
	d := collect(f)
	gone := map[*penguin.Inst]bool{}
	eachList(&f.Body, func(body *[]penguin.Stmt) {
		seen := map[string]*penguin.Tensor{}
		for _, s := range *body {
			in, ok := s.(*penguin.Inst)
			if !ok {
				continue
			}
			if len(in.Out) != 1 || d.value(in.Out[0].T) != in {
				continue
			}
			ok = true
			for i := range in.In {
				ok = ok && d.stable(in.In[i].T) && len(in.In[i].Ind) == 0
			}
			if !ok {
				continue
			}
			k := key(in)
			t := in.Out[0].T
			first := seen[k]
			if first == nil {
				seen[k] = t
				continue
			}
			if t.Kind&penguin.Output != 0 || d.pinned[t] {
				continue
			}
			for _, r := range d.readers[t] {
				for i := range r.In {
					if r.In[i].T == t {
						r.In[i].T = first
						d.readers[first] = append(d.readers[first], r)
					}
				}
			}
			d.readers[t] = nil
			gone[in] = true
		}
	})
	remove(f, gone)
	return nil
}

// key spells an instruction with its axes numbered, so that equal values have equal keys.
func key(in *penguin.Inst) string {
	m := map[pelican.Expr]pelican.Expr{}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", in.Op.Name, in.Reduce)
	for i, a := range in.Axes {
		m[a.Var] = numbered(i, a.Lo, a.Hi, a.Step)
		fmt.Fprintf(&b, " %d:%d:%d", a.Lo, a.Hi, a.Step)
	}
	access := func(a *penguin.Access) {
		for _, e := range a.Dims {
			fmt.Fprintf(&b, ",%v", pelican.Subst(e, m))
		}
	}
	for i := range in.In {
		fmt.Fprintf(&b, " %s", in.In[i].T.Name)
		access(&in.In[i])
	}
	fmt.Fprintf(&b, " -> %v %v", in.Out[0].T.DType, in.Out[0].T.Shape)
	access(&in.Out[0])
	switch at := in.Attrs.(type) {
	case nil:
	case *penguin.Iota:
		fmt.Fprintf(&b, " %v", pelican.Subst(at.Value, m))
	default:
		fmt.Fprintf(&b, " %+v", at)
	}
	return b.String()
}

func numbered(i int, lo, hi, step int64) pelican.Expr {
	return pelican.NewVar(fmt.Sprintf("#%d", i), lo, hi, step)
}
