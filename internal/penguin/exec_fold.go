package penguin

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// runFold executes a reduction. When the row axis is parallel a row of accumulators walks the reduced axes; else
// each row is folded into one.
func (x *interp) runFold(p *plan) error {
	in := p.in
	c, _ := in.Attrs.(*Combine)
	if c == nil || !IsCombine(c.Op) {
		return diag.Errorf(codeExec, in.Loc, "reduce without an operator")
	}
	t := in.In[0].T.DType
	if isIntHub(t) {
		f := binaryInt[c.Op]
		w, sg := width(t), signedInt(t)
		wrap := func(v int64) int64 {
			if w == 1 || w == 64 {
				return v
			}
			if sg {
				return v << (64 - w) >> (64 - w)
			}
			return int64(low(v, w))
		}
		return fold(x, p, p.loadI, p.storeI, func(a, b int64) int64 { return wrap(f(a, b, w, sg)) })
	}
	f := binaryFloat[c.Op]
	if f == nil {
		return diag.Errorf(codeExec, in.Loc, "reduce: %s of element type %v", c.Op, t)
	}
	// Accumulators are fp32.
	return fold(x, p, p.loadF, p.storeF, func(a, b float64) float64 { return float64(float32(f(a, b))) })
}

type loadRow[T any] func(k int, idx []int, vals []int64, n int) ([]T, error)
type storeRow[T any] func(k int, idx []int, vals []int64, src []T) error

func fold[T any](x *interp, p *plan, load loadRow[T], store storeRow[T], f func(a, b T) T) error {
	n := p.rowLen()
	last := len(p.n) - 1
	idx, vals := make([]int, len(p.n)), make([]int64, len(p.n))
	par := p.outer(func(i int) bool { return !p.red[i] })
	red := p.outer(func(i int) bool { return p.red[i] })
	ins := len(p.in.In)
	rowReduced := last >= 0 && p.red[last]
	acc := make([]T, n)
	return p.each(par, idx, vals, func() error {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		first := true
		err := p.each(red, idx, vals, func() error {
			r, err := load(0, idx, vals, n)
			if err != nil {
				return err
			}
			switch {
			case rowReduced:
				if first {
					acc[0] = r[0]
					r = r[1:]
				}
				for _, v := range r {
					acc[0] = f(acc[0], v)
				}
			case first:
				copy(acc, r)
			default:
				for j, v := range r {
					acc[j] = f(acc[j], v)
				}
			}
			first = false
			return nil
		})
		if err != nil {
			return err
		}
		m := n
		if rowReduced {
			m = 1
			vals[last] = p.axes[last].Lo
		}
		if ins > 1 {
			r, err := load(1, idx, vals, m)
			if err != nil {
				return err
			}
			for j := range r {
				acc[j] = f(r[j], acc[j])
			}
		}
		return store(ins, idx, vals, acc[:m])
	})
}

// runContract multiplies and sums. Operands are converted as a whole first, so that the inner loop has no type.
func (x *interp) runContract(p *plan) error {
	for _, a := range p.acc[:2] {
		if !a.linear || len(a.ind) > 0 {
			return x.contractRows(p)
		}
	}
	t0, t1 := p.acc[0].t.DType, p.acc[1].t.DType
	if isIntHub(t0) && isIntHub(t1) {
		return contract(x, p, wholeI(&p.acc[0]), wholeI(&p.acc[1]), func(k int, idx []int, vals []int64, r []int64) error {
			if p.acc[2].t.DType == dtype.I1 {
				for j := range r {
					r[j] = truth(r[j] != 0)
				}
			}
			if !isIntHub(p.acc[2].t.DType) {
				return p.storeConverted(k, idx, vals, r, nil, dtype.I64)
			}
			return p.storeI(k, idx, vals, r)
		})
	}
	return contract(x, p, wholeF(&p.acc[0]), wholeF(&p.acc[1]), func(k int, idx []int, vals []int64, r []float64) error {
		return p.storeConverted(k, idx, vals, nil, r, dtype.F64)
	})
}

func wholeF(a *planAccess) []float64 {
	q := &plan{n: []int{len(a.mem) / a.size}, acc: []planAccess{{t: a.t, mem: a.mem, size: a.size, linear: true, stride: []int{1}}}}
	r, _ := q.loadF(0, []int{0}, []int64{0}, q.n[0])
	return r
}

func wholeI(a *planAccess) []int64 {
	q := &plan{n: []int{len(a.mem) / a.size}, acc: []planAccess{{t: a.t, mem: a.mem, size: a.size, linear: true, stride: []int{1}}}}
	r, _ := q.loadI(0, []int{0}, []int64{0}, q.n[0])
	return r
}

func contract[T int64 | float64](x *interp, p *plan, a, b []T, store storeRow[T]) error {
	n := p.rowLen()
	last := len(p.n) - 1
	idx, vals := make([]int, len(p.n)), make([]int64, len(p.n))
	par := p.outer(func(i int) bool { return !p.red[i] })
	red := p.outer(func(i int) bool { return p.red[i] })
	rowReduced := last >= 0 && p.red[last]
	acc := make([]T, n)
	return p.each(par, idx, vals, func() error {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		clear(acc)
		err := p.each(red, idx, vals, func() error {
			o0, s0, _, _ := p.row(0, idx, vals, n)
			o1, s1, _, _ := p.row(1, idx, vals, n)
			switch {
			case rowReduced:
				s := acc[0]
				for j := 0; j < n; j++ {
					s += a[o0+j*s0] * b[o1+j*s1]
				}
				acc[0] = s
			case s0 == 0 && s1 == 1:
				c, r := a[o0], b[o1:o1+n]
				for j, v := range r {
					acc[j] += c * v
				}
			case s1 == 0 && s0 == 1:
				c, r := b[o1], a[o0:o0+n]
				for j, v := range r {
					acc[j] += c * v
				}
			default:
				for j := range acc {
					acc[j] += a[o0+j*s0] * b[o1+j*s1]
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		m := n
		if rowReduced {
			m = 1
			vals[last] = p.axes[last].Lo
		}
		return store(2, idx, vals, acc[:m])
	})
}

// contractRows is contract for accesses that are not linear.
func (x *interp) contractRows(p *plan) error {
	n := p.rowLen()
	last := len(p.n) - 1
	idx, vals := make([]int, len(p.n)), make([]int64, len(p.n))
	par := p.outer(func(i int) bool { return !p.red[i] })
	red := p.outer(func(i int) bool { return p.red[i] })
	rowReduced := last >= 0 && p.red[last]
	acc := make([]float64, n)
	return p.each(par, idx, vals, func() error {
		clear(acc)
		err := p.each(red, idx, vals, func() error {
			a, err := p.loadF(0, idx, vals, n)
			if err != nil {
				return err
			}
			b, err := p.loadF(1, idx, vals, n)
			if err != nil {
				return err
			}
			for j := range a {
				k := j
				if rowReduced {
					k = 0
				}
				acc[k] += a[j] * b[j]
			}
			return nil
		})
		if err != nil {
			return err
		}
		m := n
		if rowReduced {
			m = 1
			vals[last] = p.axes[last].Lo
		}
		return p.storeConverted(2, idx, vals, nil, acc[:m], dtype.F64)
	})
}
