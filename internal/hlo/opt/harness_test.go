package opt

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

func parse(t testing.TB, src string) *hlo.Module {
	t.Helper()
	m, err := mlir.Parse([]byte(src), "test.mlir")
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := hlo.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return m
}

func text(t testing.TB, m *hlo.Module) string {
	t.Helper()
	var b bytes.Buffer
	if err := mlir.Print(&b, m, mlir.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func runPasses(m *hlo.Module, names ...string) error {
	ps, err := registry.Resolve(names)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if err := p.Run(m); err != nil {
			return err
		}
		if err := hlo.Verify(m); err != nil {
			return err
		}
	}
	return nil
}

// wrap makes a module of the ops of a function body.
func wrap(sig, body string) string {
	return "module {\n  func.func @main" + sig + " {\n    " + strings.TrimSpace(body) + "\n  }\n}\n"
}

// randomArgs makes arguments for the entry of m; floats lie in (-3, 3), with zeros and ones among them.
func randomArgs(m *hlo.Module, seed uint64) []*tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 7))
	var out []*tensor.Tensor
	for _, p := range m.Entry().Params {
		ty := hlo.TensorOf(p)
		shape := make([]int, len(ty.Dims))
		for i, d := range ty.Dims {
			shape[i] = int(d)
		}
		x := tensor.New(ty.Elem, shape...)
		n := ty.Elem.Size()
		for i := 0; i < len(x.Data); i += n {
			v := 6*r.Float64() - 3
			switch {
			case r.IntN(8) == 0:
				v = float64(r.IntN(3) - 1)
			case ty.Elem == dtype.I1:
				v = float64(r.IntN(2))
			}
			hlo.PutNumber(x.Data[i:i+n], ty.Elem, v)
		}
		out = append(out, x)
	}
	return out
}

// sameResults evaluates both modules on random arguments; float results may differ by tol units in the last place.
func sameResults(t testing.TB, before, after *hlo.Module, tol float64) {
	t.Helper()
	for seed := range uint64(3) {
		args := randomArgs(before, seed)
		want, err := eval.Run(context.Background(), before, "", args, eval.Options{})
		if err != nil {
			t.Fatalf("before: %v", err)
		}
		got, err := eval.Run(context.Background(), after, "", args, eval.Options{})
		if err != nil {
			t.Fatalf("after: %v\n%s", err, text(t, after))
		}
		for i := range want {
			if at, off := maxUlp(got[i], want[i]); off > tol {
				t.Errorf("result %d element %d is %g ulp off, allowed %g\n%s", i, at, off, tol, text(t, after))
			}
		}
	}
}

// maxUlp is the largest difference in units of the last place, and where.
func maxUlp(got, want *tensor.Tensor) (at int, off float64) {
	if got.Type != want.Type || len(got.Data) != len(want.Data) {
		return 0, math.Inf(1)
	}
	n := got.Type.Size()
	for i := 0; i < len(got.Data); i += n {
		if d := ulp(got.Type, bits(got.Data[i:i+n]), bits(want.Data[i:i+n])); d > off {
			at, off = i/n, d
		}
	}
	return at, off
}

func bits(b []byte) uint64 {
	var v uint64
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func ulp(t dtype.Type, a, b uint64) float64 {
	if a == b {
		return 0
	}
	if !t.IsFloat() {
		return math.Inf(1)
	}
	if x, y := t.FloatOf(a), t.FloatOf(b); x != x && y != y || x == y {
		return 0
	}
	key := func(v uint64) float64 {
		if s := uint64(1) << (t.Bits() - 1); v&s != 0 {
			return -float64(v &^ s)
		}
		return float64(v)
	}
	return math.Abs(key(a) - key(b))
}

// rewriteCase is a module before and after a pass: the bodies of @main.
type rewriteCase struct {
	name, sig, before, after string
	tol                      float64
}

// checkRewrites runs passes over the cases' modules, compares text and evaluates both.
func checkRewrites(t *testing.T, passes []string, cases []rewriteCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := wrap(c.sig, c.before)
			m := parse(t, src)
			if err := runPasses(m, passes...); err != nil {
				t.Fatal(err)
			}
			after := c.after
			if after == "" {
				after = c.before // declined
			}
			if got, want := text(t, m), text(t, parse(t, wrap(c.sig, after))); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			sameResults(t, parse(t, src), m, c.tol)
		})
	}
}
