package driver

import "testing"

func TestFormatOf(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"HloModule x\nENTRY e { ROOT a = f32[] parameter(0) }", "hlo"},
		{"// a comment\n%e (p: f32[]) -> f32[] {", "hlo"},
		{"/* c */ e {\n", "hlo"}, {"%a = f32[2] add(f32[2] %x, f32[2] %y)", "hlo"}, {"ENTRY e {", "hlo"},
		{"# RUN: x\nHloModule m", "hlo"},
		{"module {\n}", "stablehlo"}, {"module @m attributes {a = 1} {\n}", "stablehlo"}, {"func.func @main() {", "stablehlo"},
		{"#loc = loc(unknown)\nmodule {", "stablehlo"}, {"\"builtin.module\"() ({", "stablehlo"}, {"", "stablehlo"},
		{"%0 = \"stablehlo.add\"(%a, %b)", "stablehlo"}, {"ML\xefR\x06", "bytecode"},
		{"\n\x01m\x1a\x0c\n\x01c\x12\x07\n\x01p\x12\x02op", "hlopb"},
	} {
		if got := formatOf([]byte(c.src)).name; got != c.want {
			t.Errorf("%q is taken for %s, must be %s", c.src, got, c.want)
		}
	}
}
