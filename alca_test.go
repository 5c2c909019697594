package alca_test

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/alcadev/alca"
)

const module = `func.func @main(%a: tensor<4xf32> loc("x"), %b: tensor<4xf32> loc("y")) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}`

func floats(v ...float32) alca.Array {
	a := alca.Array{DType: "f32", Shape: []int{len(v)}}
	for _, x := range v {
		a.Data = binary.LittleEndian.AppendUint32(a.Data, math.Float32bits(x))
	}
	return a
}

func TestAPI(t *testing.T) {
	ctx := context.Background()
	p, err := alca.Compile(ctx, []byte(module), alca.Options{Target: "trn2", OptLevel: 2})
	if err != nil {
		t.Fatal(err)
	}
	q, err := alca.Load(p.NEFF())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*alca.Program{p, q} {
		if in := x.Inputs(); len(in) != 2 || in[0].Name != "x" || in[1].DType != "f32" || in[0].Shape[0] != 4 {
			t.Errorf("inputs %+v", in)
		}
		r, err := x.Run(ctx, map[string]alca.Array{"x": floats(1, 2, 3, 4), "y": floats(10, 20, 30, 40)})
		if err != nil {
			t.Fatal(err)
		}
		want := floats(10, 40, 90, 160)
		if got := r.Outputs[x.Outputs()[0].Name]; string(got.Data) != string(want.Data) || got.DType != "f32" {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if r.TimeNs <= 0 || r.Cycles <= 0 {
			t.Errorf("time %v ns, %d cycles", r.TimeNs, r.Cycles)
		}
	}
	if _, err := p.Run(ctx, map[string]alca.Array{"x": floats(1)}); err == nil || !strings.Contains(err.Error(), "y: tensor<4xf32>") {
		t.Errorf("wrong inputs: %v", err)
	}
	if _, err := alca.Compile(ctx, []byte("nonsense"), alca.Options{Target: "trn2"}); err == nil || !strings.Contains(err.Error(), "[HLO001]") {
		t.Errorf("nonsense: %v", err)
	}
	if _, err := alca.Load(p.NEFF()[:2000]); err == nil {
		t.Error("a truncated NEFF loads")
	}
}
