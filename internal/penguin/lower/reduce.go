package lower

import (
	"math"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	register(reduce, "stablehlo.reduce")
}

// combineOf returns the elementwise row by which a reducer's block joins its i-th accumulator and value.
func combineOf(b *hlo.Block, i, n int) (string, bool) {
	t := b.Terminator()
	if t == nil || i >= len(t.Operands) || len(b.Args) != 2*n {
		return "", false
	}
	d := t.Operands[i].Def
	if d == nil || len(d.Operands) != 2 {
		return "", false
	}
	x, y := b.Args[i], b.Args[n+i]
	if !(d.Operands[0] == x && d.Operands[1] == y || d.Operands[0] == y && d.Operands[1] == x) {
		return "", false
	}
	name, ok := strings.CutPrefix(d.Name(), "stablehlo.")
	return name, ok && penguin.IsCombine(name)
}

// isIdentity reports whether combining with a value of the given bits changes nothing.
func isIdentity(op string, t dtype.Type, bits uint64) bool {
	var one, ones uint64
	if t.IsFloat() {
		one = t.FloatBits(1)
	} else {
		one, ones = 1, math.MaxUint64>>(64-8*t.Size())
		if t == dtype.I1 {
			ones = 1
		}
	}
	switch op {
	case "add":
		// +0 turns a sum of -0 into +0, as the reference does; no one can tell a sum from -0 apart otherwise.
		return bits == 0 || t.IsFloat() && bits == t.FloatBits(math.Copysign(0, -1))
	case "or", "xor":
		return bits == 0
	case "multiply":
		return bits == one
	case "and":
		return bits == ones
	case "maximum", "minimum":
		return bits == limitBits(t, op == "minimum")
	}
	return false
}

// limitBits is the greatest or least value of t, infinite for floats.
func limitBits(t dtype.Type, greatest bool) uint64 {
	if t == dtype.I1 {
		if greatest {
			return 1
		}
		return 0
	}
	if t.IsFloat() {
		if greatest {
			return t.FloatBits(math.Inf(1))
		}
		return t.FloatBits(math.Inf(-1))
	}
	lo, hi := t.IntRange()
	mask := uint64(math.MaxUint64) >> (64 - 8*t.Size())
	if greatest {
		return uint64(hi) & mask
	}
	return uint64(lo) & mask
}

func reduce(l *lowerer, o *hlo.Op) error {
	n := len(o.Results)
	xs, inits := make([]view, n), make([]view, n)
	for i := range xs {
		xs[i], inits[i] = l.in(o, i), l.in(o, n+i)
	}
	which, _ := o.Ints("dimensions")
	red := make([]bool, len(xs[0].shape))
	count := int64(1)
	for _, d := range which {
		red[d] = true
		count *= xs[0].shape[d]
	}
	shape := o.Out(0).Dims
	if count == 0 {
		for i := range inits {
			l.set(o, i, inits[i].splatTo(shape))
		}
		return nil
	}
	body := o.Body(0)
	simple := true
	ops := make([]string, n)
	for i := range ops {
		var ok bool
		ops[i], ok = combineOf(body, i, n)
		simple = simple && ok && l.elem(o.Out(i).Elem) == xs[i].t.DType
	}
	if simple {
		for i := range xs {
			v, err := l.reduceOne(ops[i], xs[i], inits[i], red, shape)
			if err != nil {
				return err
			}
			l.set(o, i, v)
		}
		return nil
	}
	for d := len(red) - 1; d >= 0; d-- {
		if !red[d] {
			continue
		}
		var err error
		if xs, err = l.fold(body, xs, d); err != nil {
			return err
		}
	}
	res, err := l.scalars(body, shape, append(inits, xs...))
	if err != nil {
		return err
	}
	for i := range res {
		l.set(o, i, res[i])
	}
	return nil
}

// reduceOne emits a reduction over the dimensions marked in red.
func (l *lowerer) reduceOne(op string, x, init view, red []bool, shape []int64) (view, error) {
	ix := make([]pelican.Expr, len(x.shape))
	var axes []axis
	k := 0
	for d, n := range x.shape {
		if !red[d] {
			ix[d] = dim(k, n)
			axes = append(axes, axis{ix[d], n})
			k++
		}
	}
	nred := 0
	for d, n := range x.shape {
		if red[d] {
			ix[d] = axisVar("r", d, n)
			axes = append(axes, axis{ix[d], n})
			nred++
		}
	}
	return l.reduction(op, x, ix, axes, nred, init, shape)
}

// reduction emits out[d] = init op (op over the last nred axes of x[ix]).
func (l *lowerer) reduction(op string, x view, ix []pelican.Expr, axes []axis, nred int, init view, shape []int64) (view, error) {
	out := whole(l.tensor("reduce", x.t.DType, shape))
	out.fresh = l.region
	for try := 0; try < 2; try++ {
		ins := []penguin.Access{x.access(ix)}
		if bits, ok := l.splat(init); !ok || !isIdentity(op, x.t.DType, bits) {
			ins = append(ins, penguin.Access{T: init.t, Dims: init.splatTo(shape).idx})
		}
		if l.inst("reduce", axes, nred, ins, penguin.Access{T: out.t, Dims: out.idx}, &penguin.Combine{Op: op}) {
			return out, nil
		}
		var err error
		if x, err = l.copyOf(x); err != nil {
			return out, err
		}
	}
	return out, diag.Internalf(codeInternal, l.op.Loc, "reduction whose index expressions cannot be made linear")
}

// fold reduces dimension d by the block b, which joins neighbours level by level, so that the order of the elements
// is kept: only associativity is asked of b.
func (l *lowerer) fold(b *hlo.Block, xs []view, d int) ([]view, error) {
	cut := func(start, step, n int64) ([]view, []int64) {
		out := make([]view, len(xs))
		var shape []int64
		for i, x := range xs {
			st, sp := make([]int64, len(x.shape)), make([]int64, len(x.shape))
			for k := range sp {
				sp[k] = 1
			}
			st[d], sp[d] = start, step
			shape = append([]int64(nil), x.shape...)
			shape[d] = n
			out[i] = x.slice(st, sp, shape)
		}
		return out, shape
	}
	var tails [][]view
	for n := xs[0].shape[d]; n > 1; n /= 2 {
		if n%2 == 1 {
			t, _ := cut(n-1, 1, 1)
			tails = append(tails, t)
		}
		lo, shape := cut(0, 2, n/2)
		hi, _ := cut(1, 2, n/2)
		var err error
		if xs, err = l.scalars(b, shape, append(lo, hi...)); err != nil {
			return nil, err
		}
	}
	for i := len(tails) - 1; i >= 0; i-- {
		var err error
		if xs, err = l.scalars(b, xs[0].shape, append(append([]view(nil), xs...), tails[i]...)); err != nil {
			return nil, err
		}
	}
	for i, x := range xs {
		var ix []pelican.Expr
		var shape []int64
		for k, n := range x.shape {
			if k == d {
				ix = append(ix, zero)
				continue
			}
			ix = append(ix, dim(len(shape), n))
			shape = append(shape, n)
		}
		xs[i] = x.of(shape, ix)
	}
	return xs, nil
}
