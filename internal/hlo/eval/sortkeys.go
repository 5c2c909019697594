package eval

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// sortKeys turns a comparator of the form
//
//	(l0, r0, l1, r1, ...) -> compare dir, f(l0, l1, ...), g(r0, r1, ...)
//
// into an order on element positions: f and g are computed once for all elements instead of in every comparison. It
// returns nil when the comparator has another form.
func (m *machine) sortKeys(b *hlo.Block, in []Val, e env) (func(i, j int) bool, error) {
	if len(b.Ops) < 2 || !scalarBody(b) {
		return nil, nil
	}
	c, ret := b.Ops[len(b.Ops)-2], b.Ops[len(b.Ops)-1]
	if c.Name() != "stablehlo.compare" || len(ret.Operands) != 1 || ret.Operands[0] != c.Results[0] {
		return nil, nil
	}
	const left, right = 1, 2
	sides := map[*hlo.Value]int{} // which arguments a value depends on
	for i, a := range b.Args {
		sides[a] = left << (i % 2)
	}
	for _, o := range b.Ops[:len(b.Ops)-2] {
		s := 0
		for _, v := range o.Operands {
			if v.Def == nil && sides[v] == 0 {
				return nil, nil // a value of an outer region
			}
			s |= sides[v]
		}
		for _, r := range o.Results {
			sides[r] = s
		}
	}
	if sides[c.Operands[0]] != left || sides[c.Operands[1]] != right {
		return nil, nil
	}
	n := numElems(in[0].T)
	args := make([]*tensor.Tensor, len(b.Args))
	for i := range args {
		args[i] = reshaped(in[i/2].T, []int{n})
	}
	keys := &hlo.Block{Args: b.Args, Ops: append(append([]*hlo.Op(nil), b.Ops[:len(b.Ops)-2]...),
		&hlo.Op{Def: ret.Def, Operands: c.Operands, Loc: ret.Loc})}
	out, err := m.apply(keys, args, n, e)
	if err != nil {
		return nil, err
	}
	dir := c.Enum("comparison_direction")
	f, g := out[0], out[1]
	switch ty := f.Type; {
	case ty.IsComplex():
		return nil, nil
	case ty.IsFloat() && c.Enum("compare_type") == "TOTALORDER":
		x, y := floats(f), floats(g)
		return func(i, j int) bool { return holds(dir, order(totalKey(x[i]), totalKey(y[j]))) }, nil
	case ty.IsFloat():
		x, y := floats(f), floats(g)
		return func(i, j int) bool { return holds(dir, order(x[i], y[j])) }, nil
	case ty == dtype.U64:
		x, y := ints(f), ints(g)
		return func(i, j int) bool { return holds(dir, order(uint64(x[i]), uint64(y[j]))) }, nil
	default:
		x, y := ints(f), ints(g)
		return func(i, j int) bool { return holds(dir, order(x[i], y[j])) }, nil
	}
}
