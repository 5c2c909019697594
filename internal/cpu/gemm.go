// Package cpu holds the hot numeric kernels: matrix products and their like on plain slices. It knows no IR.
package cpu

import (
	"runtime"
	"sync"
)

// parallel runs f over [0, n) in contiguous pieces, one a core; small problems run on the caller.
func parallel(n int, work int64, f func(lo, hi int)) {
	p := runtime.GOMAXPROCS(0)
	if work < 1<<18 || p == 1 || n < 2 {
		f(0, n)
		return
	}
	if p > n {
		p = n
	}
	var wg sync.WaitGroup
	for i := range p {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i*n/p, (i+1)*n/p)
		}()
	}
	wg.Wait()
}

// number is an element type the products work on.
type number interface {
	float32 | float64 | int64 | complex128
}

// MatMul computes c = a*b for row-major a [m, k], b [k, n], c [m, n]. Each element of c is the sum over k ascending,
// rounded after every product and every addition, so the result does not depend on the number of cores.
func MatMul[T number](m, n, k int, a, b, c []T) {
	if haveTiles && m > 1 && int64(m)*int64(n)*int64(k) >= 1<<12 {
		switch a := any(a).(type) {
		case []float32:
			packed(m, n, k, a, any(b).([]float32), any(c).([]float32), tileF32)
			return
		case []float64:
			packed(m, n, k, a, any(b).([]float64), any(c).([]float64), tileF64)
			return
		}
	}
	parallel(m, int64(m)*int64(n)*int64(k), func(lo, hi int) {
		matMulRows(lo, hi, n, k, a, b, c)
	})
}

const (
	blockN = 512 // columns of b that stay in the first-level cache together
	blockK = 64
)

func matMulRows[T number](lo, hi, n, k int, a, b, c []T) {
	for i := lo; i < hi; i++ {
		clear(c[i*n : (i+1)*n])
	}
	for j0 := 0; j0 < n; j0 += blockN {
		j1 := min(j0+blockN, n)
		for k0 := 0; k0 < k; k0 += blockK {
			k1 := min(k0+blockK, k)
			for i := lo; i < hi; i++ {
				row := c[i*n+j0 : i*n+j1]
				for p := k0; p < k1; p++ {
					axpy(row, a[i*k+p], b[p*n+j0:p*n+j1])
				}
			}
		}
	}
}

// axpy adds x*y to c; the conversion keeps the compiler from fusing the two roundings on any architecture.
func axpy[T number](c []T, x T, y []T) {
	y = y[:len(c)]
	i := 0
	for ; i+4 <= len(c); i += 4 {
		c[i] += T(x * y[i])
		c[i+1] += T(x * y[i+1])
		c[i+2] += T(x * y[i+2])
		c[i+3] += T(x * y[i+3])
	}
	for ; i < len(c); i++ {
		c[i] += T(x * y[i])
	}
}

// MatMulC64 is MatMul for single-precision complex numbers: the four real products of a complex one, their sums and
// the running sum are rounded to float32 each, where Go's own complex64 product goes through float64.
func MatMulC64(m, n, k int, a, b, c []complex64) {
	parallel(m, 4*int64(m)*int64(n)*int64(k), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := c[i*n : (i+1)*n]
			clear(row)
			for p := range k {
				x, y := real(a[i*k+p]), imag(a[i*k+p])
				for j, z := range b[p*n : (p+1)*n] {
					re := float32(x*real(z)) - float32(y*imag(z))
					im := float32(x*imag(z)) + float32(y*real(z))
					row[j] = complex(real(row[j])+re, imag(row[j])+im)
				}
			}
		}
	})
}
