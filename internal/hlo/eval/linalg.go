package eval

import (
	"math"
	"math/cmplx"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.cholesky", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a := in[0].T
		n := a.Shape[len(a.Shape)-1]
		v := append([]complex128(nil), complexes(a)...)
		for b := range batches(a) {
			if m.ctx.Err() != nil {
				return nil, m.ctx.Err()
			}
			cholesky(v[b*n*n:(b+1)*n*n], n, o.Bool("lower"))
		}
		return one(fromNumbers(a, a.Shape, v)), nil
	})
	register("stablehlo.triangular_solve", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a, b := in[0].T, in[1].T
		s := triangular{lower: o.Bool("lower"), unit: o.Bool("unit_diagonal"), left: o.Bool("left_side")}
		switch o.Enum("transpose_a") {
		case "TRANSPOSE":
			s.trans = true
		case "ADJOINT":
			s.trans, s.conj = true, true
		}
		n := a.Shape[len(a.Shape)-1]
		rows, cols := b.Shape[len(b.Shape)-2], b.Shape[len(b.Shape)-1]
		x, y := complexes(a), append([]complex128(nil), complexes(b)...)
		for k := range batches(b) {
			if m.ctx.Err() != nil {
				return nil, m.ctx.Err()
			}
			s.solve(x[k*n*n:(k+1)*n*n], n, y[k*rows*cols:(k+1)*rows*cols], rows, cols)
		}
		return one(fromNumbers(b, b.Shape, y)), nil
	})
}

// batches is the number of matrices in the last two dimensions of a.
func batches(a *tensor.Tensor) int { return count(a.Shape[:len(a.Shape)-2]) }

// fromNumbers rounds complex values to the element type of like, which may be real.
func fromNumbers(like *tensor.Tensor, shape []int, v []complex128) *tensor.Tensor {
	if like.Type.IsComplex() {
		return fromComplexes(like.Type, shape, v)
	}
	f := make([]float64, len(v))
	for i := range v {
		f[i] = real(v[i])
	}
	return fromFloats(like.Type, shape, f)
}

// cholesky replaces a by its factor, reading one triangle and clearing the other. A matrix that is not positive
// definite yields NaN from the column on where that shows.
func cholesky(a []complex128, n int, lower bool) {
	if !lower { // U = L^H of the matrix whose lower triangle is the conjugate of the upper one
		for i := range n {
			for j := range i {
				a[i*n+j] = cmplx.Conj(a[j*n+i])
			}
		}
	}
	for j := range n {
		d := real(a[j*n+j])
		for k := range j {
			l := a[j*n+k]
			d -= real(l)*real(l) + imag(l)*imag(l)
		}
		p := math.Sqrt(d) // NaN when negative
		a[j*n+j] = complex(p, 0)
		for i := j + 1; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= cMul(a[i*n+k], cmplx.Conj(a[j*n+k]))
			}
			a[i*n+j] = s / complex(p, 0)
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			a[i*n+j] = 0
			if !lower {
				a[i*n+j] = cmplx.Conj(a[j*n+i])
				a[j*n+i] = 0
			}
		}
	}
}

// triangular describes op(A) x = b or x op(A) = b.
type triangular struct{ lower, unit, left, trans, conj bool }

// solve replaces b by the solution.
func (s triangular) solve(a []complex128, n int, b []complex128, rows, cols int) {
	at := func(i, j int) complex128 { // element of op(A)
		if s.trans {
			i, j = j, i
		}
		if s.conj {
			return cmplx.Conj(a[i*n+j])
		}
		return a[i*n+j]
	}
	// x op(A) = b is op(A)^T x^T = b^T: swap the indices of op(A) and walk columns of b instead of rows.
	vectors, step, stride := cols, 1, cols
	coef := at
	lower := s.lower != s.trans
	if !s.left {
		vectors, step, stride = rows, cols, 1
		coef = func(i, j int) complex128 { return at(j, i) }
		lower = !lower
	}
	for v := range vectors {
		for k := range n {
			i := k
			if !lower {
				i = n - 1 - k
			}
			x := b[v*step+i*stride]
			for q := range k {
				j := q
				if !lower {
					j = n - 1 - q
				}
				x -= cMul(coef(i, j), b[v*step+j*stride])
			}
			if !s.unit {
				x /= coef(i, i)
			}
			b[v*step+i*stride] = x
		}
	}
}
