package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// testMatMul compares with the plain triple loop bit for bit, not-numbers included.
func testMatMul[T float32 | float64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range [][3]int{{1, 1, 1}, {3, 5, 7}, {6, 16, 20}, {65, 70, 129}, {33, 600, 40}, {200, 17, 300}, {7, 1100, 513}, {2, 3, 0}, {0, 4, 4}, {128, 128, 64}} {
		m, n, k := d[0], d[1], d[2]
		a, b, c := make([]T, m*k), make([]T, k*n), make([]T, m*n)
		for i := range a {
			a[i] = T(r.Float64() - 0.5)
		}
		for i := range b {
			b[i] = T(r.Float64() - 0.5)
		}
		if k > 100 {
			a[k/2] = T(math.Inf(1))
		}
		for i := range c {
			c[i] = 9 // must not survive
		}
		MatMul(m, n, k, a, b, c)
		for i := range m {
			for j := range n {
				var s T
				for p := range k {
					s += T(a[i*k+p] * b[p*n+j])
				}
				if got := c[i*n+j]; s != got && (s == s || got == got) {
					t.Fatalf("%v: [%d, %d] = %v, want %v", d, i, j, got, s)
				}
			}
		}
	}
}

func TestMatMulSumsInOrder(t *testing.T) {
	t.Run("f32", testMatMul[float32])
	t.Run("f64", testMatMul[float64])
}

func TestMatMulC64(t *testing.T) {
	a, b := []complex64{1 + 2i, 3}, []complex64{2 - 1i, 1i, 4, 5}
	c := make([]complex64, 2)
	MatMulC64(1, 2, 2, a, b, c)
	if want := [2]complex64{16 + 3i, 13 + 1i}; c[0] != want[0] || c[1] != want[1] {
		t.Errorf("got %v, want %v", c, want)
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
