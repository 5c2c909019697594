package eval

import (
	"math"
	"math/cmplx"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.fft", runFFT)
	register("stablehlo.cholesky", runCholesky)
	register("stablehlo.triangular_solve", runTriangularSolve)
}

// dft transforms v in place: mixed radix by powers of two, else the direct sum.
func dft(v []complex128, inverse bool) {
	n := len(v)
	if n <= 1 {
		return
	}
	sign := -1.0
	if inverse {
		sign = 1
	}
	if n%2 == 0 {
		a, b := make([]complex128, n/2), make([]complex128, n/2)
		for i := range a {
			a[i], b[i] = v[2*i], v[2*i+1]
		}
		dft(a, inverse)
		dft(b, inverse)
		for i := range a {
			w := cmplx.Rect(1, sign*2*math.Pi*float64(i)/float64(n)) * b[i]
			v[i], v[i+n/2] = a[i]+w, a[i]-w
		}
		return
	}
	out := make([]complex128, n)
	for k := range out {
		for i, x := range v {
			out[k] += x * cmplx.Rect(1, sign*2*math.Pi*float64(i*k%n)/float64(n))
		}
	}
	copy(v, out)
}

// fftDim transforms every line along a dimension.
func fftDim(v []complex128, shape []int, dim int, inverse bool) {
	str := strides(shape)
	outer := append([]int(nil), shape...)
	n := shape[dim]
	outer[dim] = 1
	line := make([]complex128, n)
	_ = eachIndex(outer, func(idx []int, _ int) error {
		base := dot(idx, str)
		for i := range line {
			line[i] = v[base+i*str[dim]]
		}
		dft(line, inverse)
		for i := range line {
			x := line[i]
			if inverse {
				x /= complex(float64(n), 0)
			}
			v[base+i*str[dim]] = x
		}
		return nil
	})
}

func runFFT(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a := in[0].T
	l, _ := o.Ints("fft_length")
	kind := o.Enum("fft_type")
	r := len(a.Shape)
	first := r - len(l)
	v := append([]complex128(nil), complexes(a)...)
	shape := append([]int(nil), a.Shape...)
	to := o.Out(0).Elem
	switch kind {
	case "FFT", "IFFT":
		for d := r - 1; d >= first; d-- {
			fftDim(v, shape, d, kind == "IFFT")
		}
		return one(fromComplexes(to, shape, v)), nil
	case "RFFT":
		for d := r - 1; d >= first; d-- {
			fftDim(v, shape, d, false)
		}
		full := fromComplexes(to, shape, v)
		lo, st, hi := make([]int, r), make([]int, r), append([]int(nil), shape...)
		for i := range st {
			st[i] = 1
		}
		hi[r-1] = shape[r-1]/2 + 1
		return one(slice(full, lo, hi, st)), nil
	}
	// IRFFT: complex transforms over the leading dimensions, then each line completed by conjugate symmetry.
	for d := first; d < r-1; d++ {
		fftDim(v, shape, d, true)
	}
	n := int(l[len(l)-1])
	h := shape[r-1]
	lines := count(shape[:r-1])
	outShape := append(append([]int(nil), shape[:r-1]...), n)
	out := make([]float64, lines*n)
	line := make([]complex128, n)
	for k := range lines {
		for i := range line {
			j := i
			if i > n/2 {
				j = n - i
			}
			x := complex128(0)
			if j < h {
				x = v[k*h+j]
			}
			if i > n/2 {
				x = cmplx.Conj(x)
			}
			line[i] = x
		}
		dft(line, true)
		for i := range line {
			out[k*n+i] = real(line[i]) / float64(n)
		}
	}
	return one(fromFloats(to, outShape, out)), nil
}

func storeComplex(a *tensor.Tensor, v []complex128) *tensor.Tensor {
	if a.Type.IsComplex() {
		return fromComplexes(a.Type, a.Shape, v)
	}
	f := make([]float64, len(v))
	for i := range v {
		f[i] = real(v[i])
	}
	return fromFloats(a.Type, a.Shape, f)
}

// runCholesky factors each matrix; a matrix that is not positive definite gives NaN.
func runCholesky(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a := in[0].T
	lower := o.Bool("lower")
	n := a.Shape[len(a.Shape)-1]
	x := complexes(a)
	out := make([]complex128, len(x))
	for b := 0; b < len(x); b += n * n {
		m, l := x[b:b+n*n], out[b:b+n*n]
		at := func(i, j int) complex128 { // the lower triangle of the input
			if lower {
				return m[i*n+j]
			}
			return cmplx.Conj(m[j*n+i])
		}
		for j := range n {
			s := real(at(j, j))
			for k := range j {
				s -= real(l[j*n+k] * cmplx.Conj(l[j*n+k]))
			}
			d := math.Sqrt(s)
			l[j*n+j] = complex(d, 0)
			for i := j + 1; i < n; i++ {
				t := at(i, j)
				for k := range j {
					t -= l[i*n+k] * cmplx.Conj(l[j*n+k])
				}
				l[i*n+j] = t / complex(d, 0)
			}
		}
		if !lower {
			for i := range n {
				for j := range i {
					l[j*n+i], l[i*n+j] = cmplx.Conj(l[i*n+j]), 0
				}
			}
		}
	}
	return one(storeComplex(a, out)), nil
}

// runTriangularSolve solves op(a) x = b or x op(a) = b by substitution.
func runTriangularSolve(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a, b := in[0].T, in[1].T
	left, lower, unit := o.Bool("left_side"), o.Bool("lower"), o.Bool("unit_diagonal")
	tr := o.Enum("transpose_a")
	n := a.Shape[len(a.Shape)-1]
	r := len(b.Shape)
	rows, cols := b.Shape[r-2], b.Shape[r-1]
	x, y := complexes(a), append([]complex128(nil), complexes(b)...)
	// at is op(a); transposing turns a lower matrix into an upper one.
	for q := 0; q*rows*cols < len(y); q++ {
		m, v := x[q*n*n:(q+1)*n*n], y[q*rows*cols:(q+1)*rows*cols]
		at := func(i, j int) complex128 {
			switch tr {
			case "TRANSPOSE":
				return m[j*n+i]
			case "ADJOINT":
				return cmplx.Conj(m[j*n+i])
			}
			return m[i*n+j]
		}
		low := lower != (tr == "TRANSPOSE" || tr == "ADJOINT")
		// x op(a) = b is op(a)^T x^T = b^T.
		coef, isLow, count, get, set := at, low, cols, func(i, c int) complex128 { return v[i*cols+c] }, func(i, c int, z complex128) { v[i*cols+c] = z }
		if !left {
			coef, isLow, count = func(i, j int) complex128 { return at(j, i) }, !low, rows
			get, set = func(i, c int) complex128 { return v[c*cols+i] }, func(i, c int, z complex128) { v[c*cols+i] = z }
		}
		for c := range count {
			for k := range n {
				i := k
				if !isLow {
					i = n - 1 - k
				}
				s := get(i, c)
				for j := range n {
					if isLow && j < i || !isLow && j > i {
						s -= coef(i, j) * get(j, c)
					}
				}
				if !unit {
					s /= coef(i, i)
				}
				set(i, c, s)
			}
		}
	}
	return one(storeComplex(b, y)), nil
}
