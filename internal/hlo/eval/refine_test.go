package eval

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

func TestRefine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"shape arithmetic is folded, the broadcast becomes static", `func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %a = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>
  %b = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<4> : tensor<1xi32>
  %s = stablehlo.concatenate %b, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x4xf32>
  %y = stablehlo.add %x, %i : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}`, `stablehlo.iota dim = 0 : tensor<3x4xf32>`},
		{"run-time slice", `func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %z = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %o = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %b = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %c = stablehlo.constant dense<4> : tensor<1xi64>
  %s = stablehlo.concatenate %b, %c, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = stablehlo.real_dynamic_slice %x, %z, %s, %o : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}`, `-> tensor<2x4xf32>`},
		{"calls are specialised", `module {
  func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %y = call @f(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  }
  func.func private @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %y = stablehlo.negate %x : tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  }
}`, `stablehlo.negate %arg0 : tensor<3x4xf32>`},
		{"loops carry refined types", `func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i64>, tensor<?x4xf32> cond {
    %l = stablehlo.constant dense<2> : tensor<i64>
    %c = stablehlo.compare LT, %i, %l, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i64>
    %j = stablehlo.add %i, %o : tensor<i64>
    %w = stablehlo.add %v, %v : tensor<?x4xf32>
    stablehlo.return %j, %w : tensor<i64>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}`, `stablehlo.add %arg3, %arg3 : tensor<3x4xf32>`},
	} {
		m := parse(t, c.in)
		val := fromInts(dtype.I64, nil, []int64{3})
		x := fromFloats(dtype.F32, []int{3, 4}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
		args := []Known{{hlo.Tensor(dtype.I64), val}, {hlo.Tensor(dtype.F32, 3, 4), nil}}
		r, err := Refine(context.Background(), m, args)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var b bytes.Buffer
		mlir.Print(&b, r, mlir.Options{})
		if text := b.String(); strings.Contains(text, "?") {
			t.Errorf("%s: a shape stays dynamic:\n%s", c.name, text)
		} else if !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, text)
		}
		in := []Val{{T: val}, {T: x}}
		got, err := Run(context.Background(), r, "", tensorsOf(in), Options{})
		if err != nil {
			t.Errorf("%s: refined: %v", c.name, err)
			continue
		}
		want, err := Run(context.Background(), m, "", tensorsOf(in), Options{})
		if err != nil {
			t.Errorf("%s: original: %v", c.name, err)
			continue
		}
		if !bytes.Equal(got[0].Data, want[0].Data) {
			t.Errorf("%s: the refined program gives %v, the original %v", c.name, floats(got[0]), floats(want[0]))
		}
	}
}

func TestRefineDeclines(t *testing.T) {
	for name, c := range map[string]struct{ in, code string }{
		"an unknown extent": {`func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>, %m: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = stablehlo.dynamic_iota %m, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}`, CodeRefine},
		"a failed shape assertion": {`func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>, %m: tensor<2xi64>) -> tensor<i64> {
  %k = stablehlo.constant dense<4> : tensor<i64>
  %c = stablehlo.compare EQ, %n, %k, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%c, %n) {error_message = "n is {0}", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
  return %n : tensor<i64>
}`, "n is 3"},
	} {
		m := parse(t, c.in)
		args := []Known{{hlo.Tensor(dtype.I64), fromInts(dtype.I64, nil, []int64{3})}, {hlo.Tensor(dtype.F32, 3, 4), nil}, {hlo.Tensor(dtype.I64, 2), nil}}
		if _, err := Refine(context.Background(), m, args); err == nil || !strings.Contains(err.Error(), c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
}

func tensorsOf(in []Val) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(in))
	for i := range in {
		out[i] = in[i].T
	}
	return out
}
