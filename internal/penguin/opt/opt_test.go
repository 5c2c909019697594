package opt

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// code builds one-function modules; every tensor is [4, 6] unless said otherwise.
type code struct {
	f *penguin.Func
	n int
}

func newCode() *code { return &code{f: &penguin.Func{Name: "main"}} }

func (c *code) tensor(name string, kind penguin.KindFlags, shape ...int64) *penguin.Tensor {
	t := &penguin.Tensor{Name: name, DType: dtype.F32, Shape: shape, Kind: kind, IOName: name}
	c.f.Tensors = append(c.f.Tensors, t)
	return t
}

func (c *code) konst(v float32) *penguin.Tensor {
	c.n++
	t := c.tensor(fmt.Sprintf("c%d", c.n), penguin.Const)
	t.Init = tensor.New(dtype.F32)
	dtype.RowFromF32(t.Init.Data, []float32{v}, dtype.F32)
	return t
}

// op appends op over [4, 6] with point-by-point operands (scalars for constants) and returns its result.
func (c *code) op(name string, kind penguin.KindFlags, in ...*penguin.Tensor) *penguin.Tensor {
	c.n++
	out := c.tensor(fmt.Sprintf("t%d", c.n), kind, 4, 6)
	i, j := pelican.NewVar("i", 0, 4, 1), pelican.NewVar("j", 0, 6, 1)
	x := &penguin.Inst{Op: penguin.Op(name), Out: []penguin.Access{{T: out, Dims: []pelican.Expr{i, j}}},
		Axes: []*penguin.Axis{{Name: "i", Hi: 4, Step: 1, Var: i}, {Name: "j", Hi: 6, Step: 1, Var: j}}}
	for _, t := range in {
		a := penguin.Access{T: t}
		if len(t.Shape) > 0 {
			a.Dims = []pelican.Expr{i, j}
		}
		x.In = append(x.In, a)
	}
	c.f.Body = append(c.f.Body, x)
	return out
}

func (c *code) ops() string {
	var s []string
	for _, in := range penguin.Insts(c.f.Body) {
		s = append(s, in.Op.Name)
	}
	return strings.Join(s, " ")
}

func (c *code) exec(t *testing.T) map[string]*tensor.Tensor {
	t.Helper()
	in := map[string]*tensor.Tensor{}
	for _, x := range c.f.Tensors {
		if x.Kind&penguin.Input != 0 {
			v := tensor.New(dtype.F32, 4, 6)
			vals := make([]float32, 24)
			for i := range vals {
				vals[i] = float32(math.Sin(float64(i*7+len(x.Name)))) * 3
			}
			dtype.RowFromF32(v.Data, vals, dtype.F32)
			in[x.IOName] = v
		}
	}
	out, err := penguin.Exec(context.Background(), &penguin.Module{Name: "m", Funcs: []*penguin.Func{c.f}}, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	in  = penguin.Input
	out = penguin.Output
)

// gelu appends the tanh form of gelu over x, the factors in the given order.
func gelu(c *code, x *penguin.Tensor, order int, kind penguin.KindFlags) {
	x3 := c.op("multiply", 0, c.op("multiply", 0, x, x), x)
	u := c.op("add", 0, x, c.op("multiply", 0, c.konst(0.044715), x3))
	th := c.op("tanh", 0, c.op("multiply", 0, c.konst(0.7978846), u))
	v := c.op("add", 0, c.konst(1), th)
	switch order {
	case 0:
		c.op("multiply", kind, x, c.op("multiply", 0, c.konst(0.5), v))
	case 1:
		c.op("multiply", kind, c.op("multiply", 0, c.konst(0.5), x), v)
	case 2:
		c.op("multiply", kind, c.op("multiply", 0, v, x), c.konst(0.5))
	}
}

func TestPasses(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tc := range []struct {
		name, pass string
		build      func(c *code)
		want       string
		exact      bool
	}{
		{"max with -inf", "fold-identities", func(c *code) {
			c.op("negate", out, c.op("maximum", 0, c.konst(-inf), c.op("abs", 0, c.tensor("x", in, 4, 6))))
		}, "abs negate", true},
		{"times one, minus zero", "fold-identities", func(c *code) {
			x := c.tensor("x", in, 4, 6)
			c.op("abs", out, c.op("subtract", 0, c.op("multiply", 0, x, c.konst(1)), c.konst(0)))
		}, "abs", true},
		{"plus zero stays", "fold-identities", func(c *code) {
			c.op("abs", out, c.op("add", 0, c.tensor("x", in, 4, 6), c.konst(0)))
		}, "add abs", true},
		{"zero minus x stays", "fold-identities", func(c *code) {
			c.op("abs", out, c.op("subtract", 0, c.konst(0), c.tensor("x", in, 4, 6)))
		}, "subtract abs", true},
		{"an output stays", "fold-identities", func(c *code) {
			c.op("multiply", out, c.tensor("x", in, 4, 6), c.konst(1))
		}, "multiply", true},
		{"equal values once", "penguin-cse", func(c *code) {
			x, y := c.tensor("x", in, 4, 6), c.tensor("y", in, 4, 6)
			c.op("multiply", out, c.op("tanh", 0, c.op("add", 0, x, y)), c.op("abs", 0, c.op("add", 0, x, y)))
		}, "add tanh abs multiply", true},
		{"other operand order", "penguin-cse", func(c *code) {
			x, y := c.tensor("x", in, 4, 6), c.tensor("y", in, 4, 6)
			c.op("multiply", out, c.op("subtract", 0, x, y), c.op("subtract", 0, y, x))
		}, "subtract subtract multiply", true},
		{"an output is computed again", "penguin-cse", func(c *code) {
			x := c.tensor("x", in, 4, 6)
			c.op("tanh", out, x)
			c.op("tanh", out, x)
		}, "tanh tanh", true},
		{"gelu, inner half", "match-gelu", func(c *code) { gelu(c, c.tensor("x", in, 4, 6), 0, out) }, "gelu_tanh", false},
		{"gelu, half of x", "match-gelu", func(c *code) { gelu(c, c.tensor("x", in, 4, 6), 1, out) }, "gelu_tanh", false},
		{"gelu, outer half", "match-gelu", func(c *code) { gelu(c, c.tensor("x", in, 4, 6), 2, out) }, "gelu_tanh", false},
		{"tanh with two readers", "match-gelu", func(c *code) {
			x := c.tensor("x", in, 4, 6)
			gelu(c, x, 0, out)
			var th *penguin.Tensor
			for _, i := range penguin.Insts(c.f.Body) {
				if i.Op.Name == "tanh" {
					th = i.Out[0].T
				}
			}
			c.op("negate", out, th)
		}, "multiply multiply multiply add multiply tanh add multiply multiply negate", true},
		{"dead code", "penguin-dce", func(c *code) {
			x := c.tensor("x", in, 4, 6)
			c.op("exponential", 0, c.op("negate", 0, x))
			c.op("abs", out, x)
		}, "abs", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCode()
			tc.build(c)
			before := c.exec(t)
			ps, err := registry.Resolve([]string{tc.pass, "penguin-dce"})
			if err != nil {
				t.Fatal(err)
			}
			m := &penguin.Module{Name: "m", Funcs: []*penguin.Func{c.f}}
			if _, err := pass.Run(context.Background(), ps, m, pass.Options[*penguin.Module]{}); err != nil {
				t.Fatal(err)
			}
			if got := c.ops(); got != tc.want {
				t.Errorf("after %s: %q, want %q", tc.pass, got, tc.want)
			}
			after := c.exec(t)
			for name, b := range before {
				if tc.exact && !bytes.Equal(b.Data, after[name].Data) {
					t.Errorf("%s changes %s", tc.pass, name)
				}
				x, y := make([]float32, 24), make([]float32, 24)
				dtype.RowToF32(x, b.Data, dtype.F32)
				dtype.RowToF32(y, after[name].Data, dtype.F32)
				for i := range x {
					if math.Abs(float64(x[i]-y[i])) > 1e-6 {
						t.Fatalf("%s: element %d is %g, was %g", name, i, y[i], x[i])
					}
				}
			}
		})
	}
}

// TestPipeline checks that every name in the pipeline is a pass and every pass has its place.
func TestPipeline(t *testing.T) {
	names := Pipeline(2)
	if _, err := registry.Resolve(names); err != nil {
		t.Fatal(err)
	}
	if len(names) != len(registry.List()) {
		t.Errorf("pipeline has %d passes, the registry %d", len(names), len(registry.List()))
	}
}
