package opt

import (
	"math"

	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

// foldIdentities drops operations that return one of their operands bit for bit:
//
//	maximum(x, -inf)  minimum(x, inf)  multiply(x, 1)  divide(x, 1)  subtract(x, 0)   =>   x
//
// The readers of the result read the operand instead. It declines when the result is an output of the function,
// when the reader stands in another list (a loop body may see the operand change), and on add with 0, which turns
// -0 into 0.
func init() {
	registry.Add(pass.Pass[*penguin.Module]{Name: "fold-identities", Doc: "let readers of x*1, max(x, -inf) and the like read x", Run: eachFunc(foldIdentities)})
}

func foldIdentities(f *penguin.Func) error {
	d := collect(f)
	for _, in := range penguin.Insts(f.Body) {
		k := neutral(in)
		if k < 0 || len(in.In[k].Ind) > 0 || in.In[k].T.DType != in.Out[0].T.DType {
			continue
		}
		t := in.Out[0].T
		if t.Kind&penguin.Output != 0 || d.pinned[t] || d.value(t) != in || !d.stable(in.In[k].T) {
			continue
		}
		ok := true
		for _, r := range d.readers[t] {
			ok = ok && d.list[r] == d.list[in]
		}
		if !ok {
			continue
		}
		for _, r := range d.readers[t] {
			for i := range r.In {
				if r.In[i].T == t {
					r.In[i] = through(in, k, &r.In[i])
				}
			}
		}
		d = collect(f)
	}
	return nil
}

// neutral returns the operand that in's result equals, -1 if none.
func neutral(in *penguin.Inst) int {
	if len(in.In) != 2 || in.Op.Group != penguin.Elementwise {
		return -1
	}
	for k := 0; k < 2; k++ {
		c, ok := scalar(in.In[1-k].T)
		if !ok {
			continue
		}
		right := k == 0 // the constant is the right operand
		switch in.Op.Name {
		case "maximum":
			ok = math.IsInf(c, -1)
		case "minimum":
			ok = math.IsInf(c, 1)
		case "multiply":
			ok = c == 1
		case "divide":
			ok = c == 1 && right
		case "subtract":
			ok = c == 0 && !math.Signbit(c) && right
		default:
			ok = false
		}
		if ok {
			return k
		}
	}
	return -1
}

// through is reader access a of in's result as an access of operand k.
func through(in *penguin.Inst, k int, a *penguin.Access) penguin.Access {
	m := map[pelican.Expr]pelican.Expr{}
	for i, e := range in.Out[0].Dims {
		if !e.IsConst() {
			m[e] = a.Dims[i]
		}
	}
	src := in.In[k]
	out := penguin.Access{T: src.T, Ind: a.Ind}
	for _, e := range src.Dims {
		out.Dims = append(out.Dims, pelican.Subst(e, m))
	}
	return out
}
