package driver

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

const addModule = `module @m {
  func.func @main(%a: tensor<4x8xf32> loc("a"), %b: tensor<4x8xf32> loc("b")) -> tensor<4x8xf32> {
    %0 = stablehlo.add %a, %b : tensor<4x8xf32>
    %1 = stablehlo.multiply %0, %b : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
`

// TestVerifyEach registers a pass that changes what the program computes; it must be named.
func TestVerifyEach(t *testing.T) {
	broken := pass.Pass[*hlo.Module]{Name: "test-broken", Doc: "turn additions into subtractions", Run: func(m *hlo.Module) error {
		eachOp(m, func(op *hlo.Op) {
			if op.Name() == "stablehlo.add" {
				op.Def = hlo.Lookup("stablehlo.subtract")
			}
		})
		return nil
	}}
	harmless := pass.Pass[*hlo.Module]{Name: "test-harmless", Doc: "do nothing", Run: func(*hlo.Module) error { return nil }}
	hloPasses.Add(broken)
	hloPasses.Add(harmless)
	defer hloPasses.Remove(broken.Name)
	defer hloPasses.Remove(harmless.Name)

	var log strings.Builder
	e := &Env{Out: io.Discard, Err: &log}
	o := CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none", VerifyEach: true, Passes: []string{"test-harmless", "test-broken"}}
	_, err := Compile(context.Background(), e, &Source{Path: "m.mlir", Text: []byte(addModule)}, o)
	if diag.Code(err) != "DRV017" || !strings.Contains(err.Error(), "test-broken") {
		t.Fatalf("got %v, want DRV017 naming test-broken", err)
	}
	if !strings.Contains(log.String(), "verified after hlo/test-harmless") {
		t.Errorf("log: %s", log.String())
	}

	log.Reset()
	o.Passes = []string{"test-harmless"}
	if _, err := Compile(context.Background(), e, &Source{Path: "m.mlir", Text: []byte(addModule)}, o); err != nil {
		t.Fatalf("a correct pipeline: %v", err)
	}
	for _, want := range []string{"hlo/test-harmless", "penguin/lower", "penguin/select", "bir/to-bir", "bir/alloc_sbuf", "bir/synchronizer", "neff/encode"} {
		if !strings.Contains(log.String(), "verified after "+want+"\n") {
			t.Errorf("%s was not verified:\n%s", want, log.String())
		}
	}
}
