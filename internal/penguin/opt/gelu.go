package opt

import (
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

// matchGelu finds the tanh form of the Gaussian error linear unit and makes it one row:
//
//	x * 0.5 * (1 + tanh(0.7978845608 * (x + 0.044715 * x*x*x)))   =>   gelu_tanh(x)
//
// in any order of the commutative operands and of the three factors. It declines when the tanh has another reader
// (the backward pass wants it anyway) and when an operand is not read point by point.
func init() {
	registry.Add(pass.Pass[*penguin.Module]{Name: "match-gelu", Doc: "recognise the tanh form of gelu", Run: eachFunc(matchGelu)})
}

func matchGelu(f *penguin.Func) error {
	// A match leaves the instructions it replaces in place, without readers, so that the definitions stay valid
	// for the next one; they are removed together in the end.
	d := collect(f)
	found := false
	for _, th := range penguin.Insts(f.Body) {
		if th.Op.Name != "tanh" {
			continue
		}
		m := &geluMatch{d: d, th: th}
		y := m.match()
		if y == nil {
			continue
		}
		xa := penguin.Access{T: m.x, Dims: y.Out[0].Dims}
		y.Op, y.In, y.Attrs = penguin.Op("gelu_tanh"), []penguin.Access{xa}, nil
		found = true
	}
	if !found {
		return nil
	}
	return dce(f)
}

type geluMatch struct {
	d  *defs
	th *penguin.Inst
	x  *penguin.Tensor
}

// def is the elementwise instruction called name that defines t.
func (m *geluMatch) def(t *penguin.Tensor, name string) *penguin.Inst {
	in := m.d.value(t)
	if in == nil || in.Op.Name != name {
		return nil
	}
	return in
}

// scaled matches c*t or t*c and returns c and t.
func (m *geluMatch) scaled(t *penguin.Tensor, op string) (float64, *penguin.Tensor) {
	in := m.def(t, op)
	if in == nil {
		return 0, nil
	}
	for k := 0; k < 2; k++ {
		if c, ok := scalar(in.In[k].T); ok && pointwise(in, 1-k) {
			return c, in.In[1-k].T
		}
	}
	return 0, nil
}

// cube matches x*x*x.
func (m *geluMatch) cube(t, x *penguin.Tensor) bool {
	in := m.def(t, "multiply")
	if in == nil {
		if p := m.def(t, "power"); p != nil && pointwise(p, 0) && p.In[0].T == x {
			c, ok := scalar(p.In[1].T)
			return ok && c == 3
		}
		return false
	}
	for k := 0; k < 2; k++ {
		if in.In[k].T != x || !pointwise(in, k) || !pointwise(in, 1-k) {
			continue
		}
		if sq := m.def(in.In[1-k].T, "multiply"); sq != nil && sq.In[0].T == x && sq.In[1].T == x && pointwise(sq, 0) && pointwise(sq, 1) {
			return true
		}
	}
	return false
}

// match returns the last multiplication of the idiom.
func (m *geluMatch) match() *penguin.Inst {
	if m.d.value(m.th.Out[0].T) != m.th || !pointwise(m.th, 0) {
		return nil
	}
	c, inner := m.scaled(m.th.In[0].T, "multiply")
	if inner == nil || !near(c, 0.7978845608) {
		return nil
	}
	add := m.def(inner, "add")
	if add == nil || !pointwise(add, 0) || !pointwise(add, 1) {
		return nil
	}
	for k := 0; k < 2 && m.x == nil; k++ {
		x := add.In[k].T
		a, c3 := m.scaled(add.In[1-k].T, "multiply")
		if c3 != nil && near(a, 0.044715) && m.cube(c3, x) {
			m.x = x
		}
	}
	if m.x == nil {
		return nil
	}
	one := m.only(m.th.Out[0].T)
	if one == nil {
		return nil
	}
	c, t := m.scaled(one.Out[0].T, "add")
	if t != m.th.Out[0].T || c != 1 {
		return nil
	}
	return m.product(one.Out[0].T, false, false)
}

// only is the single reader of t, nil if there are several or t is needed otherwise.
func (m *geluMatch) only(t *penguin.Tensor) *penguin.Inst {
	if len(m.d.readers[t]) != 1 || t.Kind&penguin.Output != 0 || m.d.pinned[t] {
		return nil
	}
	return m.d.readers[t][0]
}

// product follows t through multiplications by 0.5 and x until both have been seen.
func (m *geluMatch) product(t *penguin.Tensor, half, byX bool) *penguin.Inst {
	in := m.only(t)
	if in == nil || in.Op.Name != "multiply" || m.d.value(in.Out[0].T) != in {
		return nil
	}
	k := 0
	if in.In[0].T == t {
		k = 1
	}
	if !pointwise(in, 1-k) {
		return nil
	}
	other := in.In[k].T
	switch c, ok := scalar(other); {
	case ok && c == 0.5 && !half:
		half = true
	case other == m.x && pointwise(in, k) && !byX:
		byX = true
	default:
		c, s := m.scaled(other, "multiply")
		if s != m.x || c != 0.5 || half || byX || !pointwise(in, k) {
			return nil
		}
		half, byX = true, true
	}
	if half && byX {
		return in
	}
	return m.product(in.Out[0].T, half, byX)
}
