package penguin

import (
	"math"
	"strings"
	"testing"
)

// What the tables list is computed, and what they do not list is refused rather than computed as nothing.
func TestOperatorsHaveInterpreters(t *testing.T) {
	for op := range arithOps {
		if v := aluF32(op, 3, 3); math.IsNaN(float64(v)) {
			t.Errorf("%s gives NaN in fp32", op)
		}
		if op != "pow" && aluInt(op, 5, 3) == 0 && aluInt(op, 3, 5) == 0 && aluInt(op, 3, 3) == 0 {
			t.Errorf("%s gives only zeros in words", op)
		}
	}
	for fn := range actFuncs {
		if v := actFn(fn, 0.5, 0); math.IsNaN(float64(v)) {
			t.Errorf("%s gives NaN", fn)
		}
	}
	for _, c := range []struct {
		name  string
		at    ISA
		words bool
	}{
		{"tensor_tensor", ISA{Op0: "divide"}, false},
		{"tensor_tensor", ISA{Op0: "pow"}, true},
		{"tensor_scalar", ISA{Op0: "add", Op1: "average"}, false},
		{"activation", ISA{Func: "Mish"}, false},
	} {
		in := &Inst{Op: &OpDef{Name: c.name}}
		if err := checkOperators(in, &c.at, c.words); err == nil || !strings.Contains(err.Error(), "has no interpreter") {
			t.Errorf("%s %+v: %v", c.name, c.at, err)
		}
	}
}
