package lower

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// values makes an input: floats around 0, integers from -3 to 9, so that indices fall on both sides of the bounds.
func values(v *hlo.Value, name string, seed uint64) *tensor.Tensor {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	t := hlo.TensorOf(v)
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	x := tensor.New(t.Elem, shape...)
	n := t.Elem.Size()
	for i := range len(x.Data) / n {
		var bits uint64
		switch {
		case t.Elem == dtype.I1:
			bits = r.Uint64() & 1
		case t.Elem.IsFloat():
			bits = t.Elem.FloatBits(r.NormFloat64())
		case t.Elem.IsSigned():
			bits = uint64(r.Int64N(13) - 3)
		default:
			bits = r.Uint64N(10)
		}
		for k := range n {
			x.Data[i*n+k] = byte(bits >> (8 * k))
		}
	}
	return x
}

// TestPrograms compares the interpreted lowering of small programs with the evaluator, on three seeds.
func TestPrograms(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.mlir")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			m, err := mlir.Parse(src, filepath.Base(f))
			if err != nil {
				t.Fatal(err)
			}
			pm, err := Module(m, Options{Gen: 3})
			if err != nil {
				t.Fatal(err)
			}
			if pm, err = again(pm); err != nil {
				t.Fatal(err)
			}
			fn := m.Entry()
			for seed := range uint64(3) {
				inputs := map[string]*tensor.Tensor{}
				var args []*tensor.Tensor
				for i, n := range fn.InputNames() {
					inputs[n] = values(fn.Params[i], n, seed)
					args = append(args, inputs[n])
				}
				want, err := eval.Run(context.Background(), m, fn.Name, args, eval.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := penguin.Exec(context.Background(), pm, inputs)
				if err != nil {
					t.Fatal(err)
				}
				for i, n := range fn.OutputNames() {
					if d := distance(got[n], want[i]); d > tolerance(want[i].Type) {
						t.Errorf("seed %d: %s is off by %g", seed, n, d)
					}
				}
			}
		})
	}
}

// TestDonatedInPlace: the cache that only the update reads is updated in the caller's buffer, the one that is read
// again is not.
func TestDonatedInPlace(t *testing.T) {
	src, err := os.ReadFile("testdata/donated.mlir")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mlir.Parse(src, "donated.mlir")
	if err != nil {
		t.Fatal(err)
	}
	pm, err := Module(m, Options{Gen: 3})
	if err != nil {
		t.Fatal(err)
	}
	alias := map[string]string{}
	for _, x := range pm.Funcs[0].Tensors {
		if x.Kind&penguin.Output != 0 && x.Alias != nil {
			alias[x.IOName] = x.Alias.IOName
		}
	}
	if len(alias) != 1 || alias["output0"] != m.Entry().InputNames()[0] {
		t.Errorf("outputs in donated buffers: %v, want output0 only", alias)
	}
}
