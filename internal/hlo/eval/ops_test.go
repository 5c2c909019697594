package eval

import (
	"context"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

func parse(t testing.TB, src string) *hlo.Module {
	t.Helper()
	m, err := mlir.Parse([]byte(src), "test.mlir")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Each program checks itself.
func TestPrograms(t *testing.T) {
	for name, body := range map[string]string{
		"threefry": `%s = stablehlo.constant dense<3> : tensor<2xui64>
  %n, %v = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)
  check.expect_eq_const %n, dense<[3, 4]> : tensor<2xui64>
  check.expect_eq_const %v, dense<3349939604322698703> : tensor<ui64>`,
		"cholesky": `%a = stablehlo.constant dense<[[4.0, 9.0, 9.0], [2.0, 10.0, 9.0], [6.0, 9.0, 14.0]]> : tensor<3x3xf32>
  %l = "stablehlo.cholesky"(%a) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_almost_eq_const %l, dense<[[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [3.0, 2.0, 1.0]]> : tensor<3x3xf32>`,
		"cholesky upper": `%a = stablehlo.constant dense<[[4.0, 2.0], [0.0, 10.0]]> : tensor<2x2xf32>
  %l = "stablehlo.cholesky"(%a) {lower = false} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %l, dense<[[2.0, 1.0], [0.0, 3.0]]> : tensor<2x2xf32>`,
		"batch norm training": `%x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 6.0]]> : tensor<2x2xf32>
  %s = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %o = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %y, %m, %v = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %y, dense<[[-0.5, -1.0], [1.5, 3.0]]> : tensor<2x2xf32>
  check.expect_almost_eq_const %m, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_almost_eq_const %v, dense<[1.0, 4.0]> : tensor<2xf32>`,
		"top_k keeps the order of equals": `%x = stablehlo.constant dense<[3, 9, 3, 9, -1]> : tensor<5xi32>
  %v, %i = chlo.top_k(%x, k = 3) : tensor<5xi32> -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %v, dense<[9, 9, 3]> : tensor<3xi32>
  check.expect_eq_const %i, dense<[1, 3, 0]> : tensor<3xi32>`,
		"broadcasting": `%a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %c = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %c, dense<[[11, 21, 31], [12, 22, 32]]> : tensor<2x3xi32>`,
		"einsum": `%a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %c = "stablehlo.einsum"(%a, %b) {einsum_config = "ab,cb->ca"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %c, dense<[[17.0, 39.0], [23.0, 53.0]]> : tensor<2x2xf32>
  %d = "stablehlo.unary_einsum"(%a) {einsum_config = "ab->b"} : (tensor<2x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %d, dense<[4.0, 6.0]> : tensor<2xf32>`,
		"run-time shapes": `%x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %n = "stablehlo.get_dimension_size"(%r) {dimension = 1 : i64} : (tensor<?x?xi32>) -> tensor<i32>
  check.expect_eq_const %n, dense<3> : tensor<i32>
  %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %y = stablehlo.add %r, %i : tensor<?x?xi32>
  %z = stablehlo.reshape %y : (tensor<?x?xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %z, dense<[[1, 2, 3], [5, 6, 7]]> : tensor<2x3xi32>`,
		"sort by a computed key, stably": `%x = stablehlo.constant dense<[2.0, -1.0, 2.0, 5.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%x, %i) ({
   ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<i32>, %t: tensor<i32>):
    %n = stablehlo.negate %p : tensor<f32>
    %o = stablehlo.negate %q : tensor<f32>
    %c = stablehlo.compare LT, %n, %o, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %r#1, dense<[3, 0, 2, 1]> : tensor<4xi32>`,
		"sort by two keys": `%x = stablehlo.constant dense<[2, 1, 2, 1]> : tensor<4xi32>
  %y = stablehlo.constant dense<[3, 4, 1, 2]> : tensor<4xi32>
  %r:2 = "stablehlo.sort"(%x, %y) ({
   ^bb0(%p: tensor<i32>, %q: tensor<i32>, %s: tensor<i32>, %t: tensor<i32>):
    %a = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %b = stablehlo.compare EQ, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = stablehlo.and %b, %c : tensor<i1>
    %e = stablehlo.or %a, %d : tensor<i1>
    stablehlo.return %e : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r#0, dense<[1, 1, 2, 2]> : tensor<4xi32>
  check.expect_eq_const %r#1, dense<[2, 4, 1, 3]> : tensor<4xi32>`,
		"next_after": `%a = stablehlo.constant dense<[1.0, 0.0, -1.0]> : tensor<3xbf16>
  %b = stablehlo.constant dense<[2.0, -1.0, -2.0]> : tensor<3xbf16>
  %c = chlo.next_after %a, %b : tensor<3xbf16>, tensor<3xbf16> -> tensor<3xbf16>
  check.expect_eq_const %c, dense<[0x3F81, 0x8001, 0xBF81]> : tensor<3xbf16>`,
	} {
		m := parse(t, "func.func @main() {\n  "+body+"\n  return\n}")
		checks, err := RunChecks(context.Background(), m)
		if err == nil {
			err = FirstFailure(checks)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(checks) == 0 {
			t.Errorf("%s: nothing was checked", name)
		}
	}
}

func near(a, b, rel float64) bool { return math.Abs(a-b) <= rel*math.Max(math.Abs(b), 1e-300) }

// Reference values from the functions' tables (DLMF; A&S 6, 9 and 23).
func TestSpecialFunctions(t *testing.T) {
	const euler = 0.57721566490153286
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"digamma(1)", digamma(1), -euler},
		{"digamma(1/2)", digamma(0.5), -euler - 2*math.Ln2},
		{"digamma(-1/2)", digamma(-0.5), 2 - euler - 2*math.Ln2},
		{"zeta(2, 1)", zeta(2, 1), math.Pi * math.Pi / 6},
		{"zeta(4, 1)", zeta(4, 1), math.Pow(math.Pi, 4) / 90},
		{"zeta(2, 1/2)", zeta(2, 0.5), math.Pi * math.Pi / 2},
		{"zeta(1.5, 1)", zeta(1.5, 1), 2.6123753486854883},
		{"polygamma(1, 1)", polygamma(1, 1), math.Pi * math.Pi / 6},
		{"polygamma(2, 1)", polygamma(2, 1), -2 * 1.2020569031595942},
		{"I1e(1)", besselI1e(1), 0.20791041534970844},
		{"I1e(-1)", besselI1e(-1), -0.20791041534970844},
		{"log of a subnormal", logF(5e-324), -744.4400719213812},
		{"sin near pi", sinF(math.Pi), 1.2246467991473515e-16},
		{"lgamma(10)", lgamma(10), 12.801827480081469},
	} {
		if !near(c.got, c.want, 2e-14) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, v := range map[string]float64{"digamma(-1)": digamma(-1), "zeta(0.5, 1)": zeta(0.5, 1), "zeta(3, -1)": zeta(3, -1), "polygamma(1.5, 1)": polygamma(1.5, 1)} {
		if v == v {
			t.Errorf("%s = %v, want NaN", name, v)
		}
	}
}

// The two branches of the Bessel function agree where they meet.
func TestBesselBranches(t *testing.T) {
	if a, b := besselI1e(math.Nextafter(30, 0)), besselI1e(30); !near(a, b, 1e-14) {
		t.Errorf("below 30: %v, at 30: %v", a, b)
	}
}

func TestComplexInverses(t *testing.T) {
	pairs := map[string]struct{ f, inverse func(complex128) complex128 }{
		"asin": {cmplx.Sin, cAsin}, "acos": {cmplx.Cos, cAcos}, "atan": {cmplx.Tan, cAtan}, "asinh": {cmplx.Sinh, cAsinh},
		"acosh": {cmplx.Cosh, cAcosh}, "atanh": {cmplx.Tanh, cAtanh}, "log": {cmplx.Exp, cLog}, "log1p": {func(z complex128) complex128 { return cmplx.Exp(z) - 1 }, cLog1p},
		"sqrt": {func(z complex128) complex128 { return z * z }, cSqrt},
	}
	for name, p := range pairs {
		for _, z := range []complex128{0.3 + 0.2i, -0.7 + 1.5i, 2 - 3i, -1.1 - 0.1i, 0.9 + 1e-3i, 12 + 5i} {
			if got := p.f(p.inverse(z)); cmplx.Abs(got-z) > 1e-13*cmplx.Abs(z) {
				t.Errorf("%s(%v) = %v, which maps back to %v", name, z, p.inverse(z), got)
			}
		}
	}
	// No overflow of squares.
	if got, want := cAsin(1e300+1e300i), complex(math.Pi/4, 691.8152486690535); cmplx.Abs(got-want) > 1e-9 {
		t.Errorf("asin(1e300+1e300i) = %v, want about %v", got, want)
	}
}

func TestDFTOfAnyLength(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 12, 17, 30} {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(float64(i*i%7)-3, float64(i%5))
		}
		got := dft(x, false)
		for k := range n {
			var want complex128
			for i := range n {
				want += x[i] * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			if cmplx.Abs(got[k]-want) > 1e-12*float64(n) {
				t.Errorf("length %d: term %d is %v, want %v", n, k, got[k], want)
			}
		}
		for i, v := range dft(got, true) {
			if cmplx.Abs(v-x[i]) > 1e-13*float64(n) {
				t.Errorf("length %d: the inverse gives %v at %d, want %v", n, v, i, x[i])
			}
		}
	}
}

func TestTriangularSolve(t *testing.T) {
	a := []complex128{2, 7i, 1, 3 + 1i} // used half: by the flags
	for _, s := range []triangular{{}, {lower: true}, {left: true}, {left: true, lower: true}, {left: true, trans: true}, {left: true, lower: true, trans: true, conj: true}, {lower: true, unit: true, trans: true}} {
		b := []complex128{1, 2, 3i, 4}
		x := append([]complex128(nil), b...)
		s.solve(a, 2, x, 2, 2)
		var m [4]complex128 // op(A)
		for i := range 2 {
			for j := range 2 {
				v := a[i*2+j]
				if i == j && s.unit {
					v = 1
				}
				if i < j && s.lower || i > j && !s.lower {
					v = 0
				}
				at := i*2 + j
				if s.trans {
					at = j*2 + i
				}
				if s.conj {
					v = cmplx.Conj(v)
				}
				m[at] = v
			}
		}
		for i := range 2 {
			for j := range 2 {
				var got complex128
				for k := range 2 {
					if s.left {
						got += m[i*2+k] * x[k*2+j]
					} else {
						got += x[i*2+k] * m[k*2+j]
					}
				}
				if cmplx.Abs(got-b[i*2+j]) > 1e-14 {
					t.Errorf("%+v: the product is %v at (%d, %d), want %v", s, got, i, j, b[i*2+j])
				}
			}
		}
	}
}

// A gradient agrees with finite differences of batch_norm_training.
func TestBatchNormGradient(t *testing.T) {
	x := []float64{1, 2, -3, 4, 0.5, -1, 2, 2.5}
	g := []float64{0.3, -1, 2, 0.7, 1, 1, -0.5, 0.25}
	o := &hlo.Op{Def: hlo.Lookup("stablehlo.batch_norm_grad"), Attrs: hlo.Attrs{{Name: "epsilon", Attr: hlo.FloatAttr{Value: 0.01}},
		{Name: "feature_index", Attr: hlo.IntAttr{Value: 1}}}}
	f64 := func(shape []int, v []float64) Val { return Val{T: fromFloats(dtype.F64, shape, v)} }
	scale := []float64{1.5, 0.5}
	loss := func(x []float64) (sum float64, mean, variance []float64) {
		b := newBatchNorm(o, fromFloats(dtype.F64, []int{4, 2}, x))
		mean = b.mean(func(i, _ int) float64 { return b.x[i] })
		variance = b.mean(func(i, f int) float64 { return (b.x[i] - mean[f]) * (b.x[i] - mean[f]) })
		for i, v := range b.normalise(mean, variance, scale, []float64{0, 0}) {
			sum += v * g[i]
		}
		return
	}
	_, mean, variance := loss(x)
	out, err := runBatchNormGrad(nil, o, []Val{f64([]int{4, 2}, x), f64([]int{2}, scale), f64([]int{2}, mean), f64([]int{2}, variance), f64([]int{4, 2}, g)})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range floats(out[0].T) {
		const h = 1e-5
		y := append([]float64(nil), x...)
		y[i] += h
		up, _, _ := loss(y)
		y[i] -= 2 * h
		down, _, _ := loss(y)
		if want := (up - down) / (2 * h); math.Abs(got-want) > 1e-7 {
			t.Errorf("gradient %d is %v, finite differences give %v", i, got, want)
		}
	}
}

func TestGridDeadlockIsFound(t *testing.T) {
	m := parse(t, `module {
  func.func @a(%x: tensor<i64>) -> tensor<i64> {
    %r = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i64>) -> tensor<i64>
    return %r : tensor<i64>
  }
  func.func @b(%x: tensor<i64>) -> tensor<i64> {
    return %x : tensor<i64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<1> : tensor<i64>
    %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@a], [@b]]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    return
  }
}`)
	_, err := Run(context.Background(), m, "", nil, Options{})
	if err == nil || !strings.Contains(err.Error(), CodeParallel) {
		t.Errorf("got %v, want %s", err, CodeParallel)
	}
}

func TestLimits(t *testing.T) {
	m := parse(t, `func.func @main(%s: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}`)
	for _, c := range []struct {
		dims [2]int64
		code string
	}{{[2]int64{1 << 20, 1 << 20}, CodeMemory}, {[2]int64{-1, 2}, CodeShape}, {[2]int64{math.MaxInt64, 3}, CodeShape}} {
		_, err := Run(context.Background(), m, "", []*tensor.Tensor{fromInts(dtype.I64, []int{2}, c.dims[:])}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.code) {
			t.Errorf("shape %v: got %v, want %s", c.dims, err, c.code)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	loop := parse(t, `func.func @main() -> tensor<i1> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%a = %t) : tensor<i1> cond { stablehlo.return %a : tensor<i1> } do { stablehlo.return %a : tensor<i1> }
  return %r : tensor<i1>
}`)
	if _, err := Run(ctx, loop, "", nil, Options{}); err != context.Canceled {
		t.Errorf("an endless loop with a cancelled context gives %v", err)
	}
}
