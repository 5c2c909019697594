package eval

import (
	"math"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.fft", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		length, _ := o.Ints("fft_length")
		t, err := m.fft(in[0].T, o.Enum("fft_type"), toInts(length), o.Out(0))
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
}

// fft transforms the last len(length) dimensions, in complex128. Real forms keep length/2+1 elements of the last one.
func (m *machine) fft(a *tensor.Tensor, kind string, length []int, to *hlo.TensorType) (*tensor.Tensor, error) {
	shape := append([]int(nil), a.Shape...)
	v := append([]complex128(nil), complexes(a)...)
	rank, k := len(shape), len(length)
	last := rank - 1
	inverse := kind == "IFFT" || kind == "IRFFT"
	lines := func(dim int, f func(line []complex128) []complex128) error {
		n, inner := shape[dim], count(shape[dim+1:])
		outer := count(shape[:dim])
		line := make([]complex128, n)
		var out []complex128
		width := n
		for i := range outer {
			if m.ctx.Err() != nil {
				return m.ctx.Err()
			}
			for j := range inner {
				for p := range n {
					line[p] = v[(i*n+p)*inner+j]
				}
				r := f(line)
				if out == nil {
					width = len(r)
					out = make([]complex128, outer*width*inner)
				}
				for p := range r {
					out[(i*width+p)*inner+j] = r[p]
				}
			}
		}
		if out != nil {
			v = out
			shape[dim] = width
		}
		return nil
	}
	plain := func(line []complex128) []complex128 { return dft(line, inverse) }
	if kind == "RFFT" {
		if err := lines(last, func(l []complex128) []complex128 { return dft(l, false)[:len(l)/2+1] }); err != nil {
			return nil, err
		}
	}
	for i := range k {
		d := rank - k + i
		if d == last && (kind == "RFFT" || kind == "IRFFT") {
			continue
		}
		if err := lines(d, plain); err != nil {
			return nil, err
		}
	}
	if kind == "IRFFT" {
		n := length[k-1]
		if err := lines(last, func(l []complex128) []complex128 {
			full := make([]complex128, n)
			for i := range full {
				if i < len(l) {
					full[i] = l[i]
				} else {
					full[i] = complex(real(l[n-i]), -imag(l[n-i]))
				}
			}
			if n > 0 {
				full[0] = complex(real(full[0]), 0)
			}
			return dft(full, true)
		}); err != nil {
			return nil, err
		}
	}
	out := &tensor.Tensor{Type: to.Elem}
	shape = toInts(to.Dims)
	if to.Elem.IsComplex() {
		return fromComplexes(to.Elem, shape, v), nil
	}
	return fromNumbers(out, shape, v), nil
}

// dft is the discrete Fourier transform of any length by recursion over its prime factors; the inverse is scaled.
func dft(x []complex128, inverse bool) []complex128 {
	n := len(x)
	if n == 0 {
		return nil
	}
	root := make([]complex128, n)
	for i := range root {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		if !inverse {
			s = -s
		}
		root[i] = complex(c, s)
	}
	out := make([]complex128, n)
	dftStep(out, x, 1, n, root)
	if inverse {
		for i := range out {
			out[i] /= complex(float64(n), 0)
		}
	}
	return out
}

// dftStep transforms the n elements x[0], x[stride], ... into out; root holds the roots of unity of the whole length,
// of which every stride-th is a root of this one.
func dftStep(out, x []complex128, stride, n int, root []complex128) {
	if n == 1 {
		out[0] = x[0]
		return
	}
	p := 2
	for n%p != 0 {
		if p++; p*p > n {
			p = n
		}
	}
	m := n / p
	for r := range p {
		dftStep(out[r*m:(r+1)*m], x[r*stride:], stride*p, m, root)
	}
	t := make([]complex128, p)
	for k := range m {
		for r := range p {
			t[r] = cMul(out[r*m+k], root[r*k*stride%len(root)])
		}
		for q := range p {
			s := t[0]
			for r := 1; r < p; r++ {
				s += cMul(t[r], root[r*q*m*stride%len(root)])
			}
			out[q*m+k] = s
		}
	}
}
