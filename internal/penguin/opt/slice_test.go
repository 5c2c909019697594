package opt

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// inst appends op over the given axes.
func (c *code) inst(op string, red int, at penguin.Attrs, ax []pelican.Expr, out penguin.Access, in ...penguin.Access) {
	x := &penguin.Inst{Op: penguin.Op(op), Reduce: red, Attrs: at, In: in, Out: []penguin.Access{out}}
	for _, v := range ax {
		_, hi, _ := v.Range()
		x.Axes = append(x.Axes, &penguin.Axis{Name: v.Name(), Hi: hi, Step: 1, Var: v})
	}
	c.f.Body = append(c.f.Body, x)
}

func at(t *penguin.Tensor, ix ...pelican.Expr) penguin.Access { return penguin.Access{T: t, Dims: ix} }

// attention is softmax(q k' + mask) v over h heads; the mask is computed between the chain's instructions.
func attention(c *code, h, n, d int64) {
	V := func(name string, n int64) pelican.Expr { return pelican.NewVar(name, 0, n, 1) }
	q, k, v := c.tensor("q", in, h, n, d), c.tensor("k", in, h, n, d), c.tensor("v", in, h, n, d)
	mask := c.tensor("mask", in, n, n)
	s, m2, sm := c.tensor("s", 0, h, n, n), c.tensor("m2", 0, n, n), c.tensor("sm", 0, h, n, n)
	mx, e, sum := c.tensor("mx", 0, h, n), c.tensor("e", 0, h, n, n), c.tensor("sum", 0, h, n)
	p, o := c.tensor("p", 0, h, n, n), c.tensor("o", out, n, h, d)
	a, i, j, x := V("a", h), V("i", n), V("j", n), V("x", d)
	hnn := []pelican.Expr{a, i, j}
	c.inst("contract", 1, nil, []pelican.Expr{a, i, j, x}, at(s, a, i, j), at(q, a, i, x), at(k, a, j, x))
	c.inst("negate", 0, nil, []pelican.Expr{i, j}, at(m2, i, j), at(mask, i, j))
	c.inst("add", 0, nil, hnn, at(sm, a, i, j), at(s, a, i, j), at(m2, i, j))
	c.inst("reduce", 1, &penguin.Combine{Op: "maximum"}, hnn, at(mx, a, i), at(sm, a, i, j))
	c.inst("subtract", 0, nil, hnn, at(e, a, i, j), at(sm, a, i, j), at(mx, a, i))
	c.inst("reduce", 1, &penguin.Combine{Op: "add"}, hnn, at(sum, a, i), at(e, a, i, j))
	c.inst("multiply", 0, nil, hnn, at(p, a, i, j), at(e, a, i, j), at(sum, a, i))
	c.inst("contract", 1, nil, []pelican.Expr{i, a, x, j}, at(o, i, a, x), at(p, a, i, j), at(v, a, j, x))
}

func (c *code) execAll(t *testing.T) map[string]*tensor.Tensor {
	t.Helper()
	ins := map[string]*tensor.Tensor{}
	for _, x := range c.f.Tensors {
		if x.Kind&penguin.Input == 0 {
			continue
		}
		shape, n := make([]int, len(x.Shape)), 1
		for i, d := range x.Shape {
			shape[i] = int(d)
			n *= int(d)
		}
		vals := make([]float32, n)
		for i := range vals {
			vals[i] = float32(math.Sin(float64(i*13 + len(x.Name)*int(x.Name[0]))))
		}
		ins[x.IOName] = tensor.New(dtype.F32, shape...)
		dtype.RowFromF32(ins[x.IOName].Data, vals, dtype.F32)
	}
	res, err := penguin.Exec(context.Background(), &penguin.Module{Name: "m", Funcs: []*penguin.Func{c.f}}, ins)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestSlice(t *testing.T) {
	for _, tc := range []struct {
		name   string
		limit  int64 // bytes a value may take
		pieces int   // expected
		edit   func(c *code)
	}{
		{"nothing is large", 1 << 20, 1, nil},
		{"by head", 6 * 36 * 4, 4, nil},
		{"by query rows where heads are too few", 40 * 4, 0, nil},
		{"a reader outside wants a value whole", 6 * 36 * 4, 4, func(c *code) {
			var p *penguin.Tensor
			for _, x := range c.f.Tensors {
				if x.Name == "p" {
					p = x
				}
			}
			p.Kind = penguin.Output
			p.IOName = "p"
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCode()
			attention(c, 12, 6, 5)
			if tc.edit != nil {
				tc.edit(c)
			}
			want := c.execAll(t)
			sliceFunc(c.f, tc.limit)
			got := c.execAll(t)
			for name := range want {
				if string(want[name].Data) != string(got[name].Data) {
					t.Errorf("%s changes", name)
				}
			}
			n := strings.Count(c.ops(), "subtract")
			if tc.pieces > 0 && n != tc.pieces {
				t.Errorf("%d pieces, want %d: %s", n, tc.pieces, c.ops())
			}
		})
	}
}

// TestSliceDeclines keeps a chain whose value is reduced along every dimension that could be cut.
func TestSliceDeclines(t *testing.T) {
	c := newCode()
	V := func(name string, n int64) pelican.Expr { return pelican.NewVar(name, 0, n, 1) }
	i := V("i", 512)
	x, y, s := c.tensor("x", in, 512), c.tensor("y", 0, 512), c.tensor("s", out)
	c.inst("negate", 0, nil, []pelican.Expr{i}, at(y, i), at(x, i))
	c.inst("reduce", 1, &penguin.Combine{Op: "add"}, []pelican.Expr{i}, at(s), at(y, i))
	sliceFunc(c.f, 1024)
	if got := c.ops(); got != "negate reduce" {
		t.Errorf("got %q", got)
	}
}
