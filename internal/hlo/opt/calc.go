package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// calc writes arithmetic on tensors of one shape and element type. Numbers are float64 or *hlo.Value.
type calc struct {
	*hlo.Builder
	t *hlo.TensorType
}

func calcOn(b *hlo.Builder, v *hlo.Value) calc { return calc{b, hlo.TensorOf(v)} }

// val makes a value of x, which is one already or a number.
func (c calc) val(x any) *hlo.Value {
	switch x := x.(type) {
	case *hlo.Value:
		return x
	case float64:
		return c.Const(x, c.t.Elem, c.t.Dims...)
	case int:
		return c.Const(float64(x), c.t.Elem, c.t.Dims...)
	}
	panic("calc: operand is neither a value nor a number")
}

func (c calc) f(name string, x ...any) *hlo.Value {
	in := make([]*hlo.Value, len(x))
	for i := range x {
		in[i] = c.val(x[i])
	}
	return c.Op("stablehlo."+name, nil, in...)
}

func (c calc) add(x, y any) *hlo.Value                 { return c.f("add", x, y) }
func (c calc) sub(x, y any) *hlo.Value                 { return c.f("subtract", x, y) }
func (c calc) mul(x, y any) *hlo.Value                 { return c.f("multiply", x, y) }
func (c calc) div(x, y any) *hlo.Value                 { return c.f("divide", x, y) }
func (c calc) neg(x any) *hlo.Value                    { return c.f("negate", x) }
func (c calc) abs(x any) *hlo.Value                    { return c.f("abs", x) }
func (c calc) cmp(x any, dir string, y any) *hlo.Value { return c.Compare(dir, c.val(x), c.val(y)) }
func (c calc) sel(p *hlo.Value, x, y any) *hlo.Value {
	return c.Select(p, c.val(x), c.val(y))
}

// poly is the polynomial with the given coefficients, the highest power first.
func (c calc) poly(x *hlo.Value, coef ...float64) *hlo.Value {
	r := c.val(coef[0])
	for _, k := range coef[1:] {
		r = c.add(c.mul(r, x), k)
	}
	return r
}

// rising is the polynomial with the given coefficients, the constant first.
func (c calc) rising(x *hlo.Value, coef []float64) *hlo.Value {
	rev := make([]float64, len(coef))
	for i, k := range coef {
		rev[len(coef)-1-i] = k
	}
	return c.poly(x, rev...)
}

// deviceFloat reports whether t is a float of at most 32 bits.
func deviceFloat(t dtype.Type) bool { return t.IsFloat() && t.Bits() <= 32 }
