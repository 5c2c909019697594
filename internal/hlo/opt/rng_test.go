package opt

import (
	"fmt"
	"strings"
	"testing"
)

func TestRandomBits(t *testing.T) {
	for _, c := range []struct{ algorithm, state, out string }{
		{"THREE_FRY", "2xui64", "3x4xui32"},
		{"THREE_FRY", "2xui64", "3x5xui8"},
		{"THREE_FRY", "2xui64", "7xui64"},
		{"THREE_FRY", "2xui64", "i16"},
		{"PHILOX", "2xui64", "3x3xui32"},
		{"PHILOX", "3xui64", "5xi64"},
		{"DEFAULT", "3xui64", "6xi1"},
	} {
		t.Run(c.algorithm+" "+c.out, func(t *testing.T) {
			state, out := "tensor<"+c.state+">", "tensor<"+c.out+">"
			// The counter is about to run over.
			src := wrap(fmt.Sprintf("(%%x: %s) -> (%s, %s)", state, state, out), fmt.Sprintf(`
    %%c = stablehlo.constant dense<18446744073709551610> : %s
    %%s = stablehlo.add %%x, %%c : %s
    %%0:2 = stablehlo.rng_bit_generator %%s, algorithm = %s : (%s) -> (%s, %s)
    return %%0#0, %%0#1 : %s, %s`, state, state, c.algorithm, state, state, out, state, out))
			m := parse(t, src)
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if s := text(t, m); strings.Contains(s, "rng_bit_generator") {
				t.Fatalf("not decomposed:\n%s", s)
			}
			sameResults(t, parse(t, src), m, 0)
		})
	}
}

func TestMulHi(t *testing.T) {
	for _, e := range []string{"i32", "ui32", "i8", "ui16"} {
		ty := "tensor<8x" + e + ">"
		src := wrap(fmt.Sprintf("(%%x: %s, %%y: %s) -> %s", ty, ty, ty), fmt.Sprintf(`
    %%k = stablehlo.constant dense<99> : %s
    %%a = stablehlo.multiply %%x, %%k : %s
    %%0 = "chlo.mulhi"(%%a, %%y) : (%s, %s) -> %s
    return %%0 : %s`, ty, ty, ty, ty, ty, ty))
		m := parse(t, src)
		if err := runPasses(m, "decompose"); err != nil {
			t.Fatal(err)
		}
		if s := text(t, m); strings.Contains(s, "mulhi") {
			t.Fatalf("not decomposed:\n%s", s)
		}
		sameResults(t, parse(t, src), m, 0)
	}
}
