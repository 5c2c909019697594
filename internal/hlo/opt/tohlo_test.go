package opt

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

// throughHLO writes m as HLO text, reads that and converts it back.
func throughHLO(m *hlo.Module) (*hlo.Module, string, error) {
	m = m.Clone()
	if err := ToHLO(m); err != nil {
		return nil, "", err
	}
	if err := hlo.Verify(m); err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	if err := hlotext.Print(&b, m, hlotext.Options{}); err != nil {
		return nil, "", err
	}
	back, err := hlotext.Parse(b.Bytes(), "printed")
	if err == nil {
		err = hlo.Verify(back)
	}
	if err == nil {
		err = FromHLO(back)
	}
	if err == nil {
		err = hlo.Verify(back)
	}
	return back, b.String(), err
}

// TestToHLO sends programs through HLO text; they must compute the same.
func TestToHLO(t *testing.T) {
	for _, c := range []struct{ name, src string }{
		{"while that uses a value from outside", `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.negate %x : tensor<3xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<3xf32>
    cond { %n = stablehlo.constant dense<4> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1> }
    do { %o = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %o : tensor<i32>
      %b = stablehlo.subtract %a, %y : tensor<3xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<3xf32> }
  return %r#1 : tensor<3xf32> }`},
		{"branches", `func.func @main(%x: tensor<3xf32>, %p: tensor<i1>, %k: tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = "stablehlo.if"(%p) ({ %n = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %n : tensor<3xf32> }, { stablehlo.return %x : tensor<3xf32> }) : (tensor<i1>) -> tensor<3xf32>
  %b = "stablehlo.case"(%k) ({ stablehlo.return %a : tensor<3xf32> }, { %s = stablehlo.add %a, %x : tensor<3xf32>
    stablehlo.return %s : tensor<3xf32> }, { stablehlo.return %x : tensor<3xf32> }) : (tensor<i32>) -> tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32> }`},
		{"reduction of two, calls, broadcast of extent one", `func.func @main(%x: tensor<1x4xf32>) -> (tensor<f32>, tensor<3x4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
  %t = stablehlo.broadcast_in_dim %b, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %r:2 = "stablehlo.reduce"(%t, %t, %z, %z) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>):
    %s = stablehlo.add %a, %d : tensor<f32>
    %m = stablehlo.maximum %c, %e : tensor<f32>
    stablehlo.return %s, %m : tensor<f32>, tensor<f32> }) : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %q = func.call @f(%r#0, %r#1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %q, %b : tensor<f32>, tensor<3x4xf32> }
func.func private @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.multiply %a, %b : tensor<f32>
  return %c : tensor<f32> }`},
	} {
		m, err := mlir.Parse([]byte(c.src), "t")
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		back, text, err := throughHLO(m)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
			continue
		}
		var args []*tensor.Tensor
		for k, p := range m.Entry().Params {
			ty := hlo.TensorOf(p)
			x := tensor.New(ty.Elem)
			n := 1
			for _, d := range ty.Dims {
				n *= int(d)
				x.Shape = append(x.Shape, int(d))
			}
			x.Data = make([]byte, n*ty.Elem.Size())
			for i := range n {
				hlo.PutNumber(x.Data[i*ty.Elem.Size():(i+1)*ty.Elem.Size()], ty.Elem, float64(k+1-i)) // 1 for the predicate
			}
			args = append(args, x)
		}
		want, err := eval.Run(context.Background(), m, "", args, eval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Run(context.Background(), back, "", args, eval.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
			continue
		}
		for i := range want {
			if !bytes.Equal(got[i].Data, want[i].Data) {
				t.Errorf("%s: result %d is %v, must be %v\n%s", c.name, i, got[i].Data, want[i].Data, text)
			}
		}
	}
}

// TestThroughHLOFiles converts real programs to StableHLO and back; the entry signature stays.
func TestThroughHLOFiles(t *testing.T) {
	ok, all := 0, 0
	for _, f := range hloFiles(t, "benchmarks") {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && len(src) > 1<<19 {
			continue
		}
		m, err := hlotext.Parse(src, filepath.Base(f))
		if err == nil {
			err = FromHLO(m)
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		all++
		back, _, err := throughHLO(m)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		a, b := m.Entry(), back.Entry()
		same := len(a.Params) == len(b.Params) && len(a.Results) == len(b.Results)
		for i := range a.Params {
			same = same && hlo.TypeString(a.Params[i].Type) == hlo.TypeString(b.Params[i].Type)
		}
		if !same {
			t.Errorf("%s: the entry signature changed", filepath.Base(f))
			continue
		}
		ok++
	}
	t.Logf("%d of %d modules go through HLO text", ok, all)
}
