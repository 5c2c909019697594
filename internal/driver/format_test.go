package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

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

// TestHLOForms writes every example as HLO text and as protobuf; read back, they compute what the module does.
func TestHLOForms(t *testing.T) {
	for _, path := range exampleFiles(t) {
		if testing.Short() && !strings.Contains(path, "mlp") {
			continue
		}
		x := loadExample(t, path)
		for _, emit := range []string{"hlo", "hlopb"} {
			var b bytes.Buffer
			if err := emitModules(&b, []*hlo.Module{x.module.Clone()}, OptOptions{Emit: emit}); err != nil {
				t.Errorf("%s as %s: %v", path, emit, err)
				continue
			}
			src := &Source{Path: path, Text: b.Bytes()}
			if got := formatOf(src.Text).name; got != emit {
				t.Errorf("%s as %s is taken for %s", path, emit, got)
			}
			m, err := src.Parse()
			if err != nil {
				t.Errorf("%s as %s: %v", path, emit, err)
				continue
			}
			f, err := entryOf(m)
			if err != nil {
				t.Fatal(err)
			}
			ins, outs, err := FuncPorts(f)
			if err != nil {
				t.Fatal(err)
			}
			inputs := map[string]*tensor.Tensor{}
			for i, p := range ins {
				inputs[p.Name] = x.inputs[x.ins[i].Name]
			}
			got, err := golden(context.Background(), m, inputs)
			if err != nil {
				t.Errorf("%s as %s: %v", path, emit, err)
				continue
			}
			for i, p := range outs {
				if r := Compare(p.Name, got[p.Name], x.want[x.outs[i].Name], 1e-6); !r.OK {
					t.Errorf("%s as %s: output %s differs by %.3g of scale: %s", path, emit, p.Name, r.Error, r.Reason)
				}
			}
		}
	}
}
