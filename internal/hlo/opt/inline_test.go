package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
)

func TestInline(t *testing.T) {
	src := `module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %a:2 = func.call @two(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %b = stablehlo.composite "my.neg" %a#1 {decomposition = @neg} : (tensor<4xf32>) -> tensor<4xf32>
    %c = func.call @id(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %a#0, %c : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @two(%y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = func.call @neg(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %y : tensor<4xf32>
    return %y, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @neg(%y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @id(%y: tensor<4xf32>) -> tensor<4xf32> {
    return %y : tensor<4xf32>
  }
  func.func private @unused() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
}`
	want := `module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.negate %x : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    %2 = stablehlo.negate %1 : tensor<4xf32>
    return %x, %2 : tensor<4xf32>, tensor<4xf32>
  }
}`
	m := parse(t, src)
	if err := runPasses(m, "inline"); err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, m), text(t, parse(t, want)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sameResults(t, parse(t, src), m, 0)
}

func TestInlineRefuses(t *testing.T) {
	m := parse(t, `module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @a(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @a(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @b(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @b(%x: tensor<f32>) -> tensor<f32> {
    %0 = func.call @a(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}`)
	err := runPasses(m, "inline")
	if diag.Code(err) != CodeRecursion {
		t.Errorf("got %v, want %s", err, CodeRecursion)
	}
	// Each function calls the one before sixteen times.
	var b strings.Builder
	b.WriteString("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n")
	b.WriteString("func.func private @f0(%v0: tensor<f32>) -> tensor<f32> {\n  %v1 = stablehlo.sine %v0 : tensor<f32>\n  return %v1 : tensor<f32>\n}\n")
	for i := 1; i < 8; i++ {
		fmt.Fprintf(&b, "func.func public @f%d(%%v0: tensor<f32>) -> tensor<f32> {\n", i)
		for k := range 16 {
			fmt.Fprintf(&b, "  %%v%d = func.call @f%d(%%v%d) : (tensor<f32>) -> tensor<f32>\n", k+1, i-1, k)
		}
		b.WriteString("  return %v16 : tensor<f32>\n}\n")
	}
	if err := runPasses(parse(t, b.String()), "inline"); diag.Code(err) != CodeSize {
		t.Errorf("got %v, want %s", err, CodeSize)
	}
}
