package cpu

import (
	"math/rand/v2"
	"testing"
)

func TestMatMulSumsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range [][3]int{{1, 1, 1}, {3, 5, 7}, {65, 70, 129}, {33, 600, 40}} {
		m, n, k := d[0], d[1], d[2]
		a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
		for i := range a {
			a[i] = r.Float32() - 0.5
		}
		for i := range b {
			b[i] = r.Float32() - 0.5
		}
		MatMul(m, n, k, a, b, c)
		for i := range m {
			for j := range n {
				var s float32
				for p := range k {
					s += float32(a[i*k+p] * b[p*n+j])
				}
				if s != c[i*n+j] {
					t.Fatalf("%v: [%d, %d] = %v, want %v", d, i, j, c[i*n+j], s)
				}
			}
		}
	}
}

func BenchmarkMatMulF32(b *testing.B) {
	const n = 512
	x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	b.SetBytes(2 * n * n * n) // "bytes" are floating-point operations
	for b.Loop() {
		MatMul(n, n, n, x, y, z)
	}
}
