package lower

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	// Ops that are rows of the penguin table under their own name.
	for _, d := range penguin.Ops() {
		if d.Group != penguin.Elementwise {
			continue
		}
		register(elementwise, "stablehlo."+d.Name)
	}
	register(elementwise, "chlo.erf")
	register(square, "chlo.square")
	register(bitcast, "stablehlo.bitcast_convert")
	register(identity, "stablehlo.optimization_barrier", "builtin.unrealized_conversion_cast")
	register(mapOp, "stablehlo.map")
	register(realOp, "stablehlo.real")
	register(imagOp, "stablehlo.imag")
	register(processID, "stablehlo.partition_id", "stablehlo.replica_id")
}

// elementwise lowers an op whose result element depends on one element of each operand.
func elementwise(l *lowerer, o *hlo.Op) error {
	name := o.Name()
	name = name[strings.IndexByte(name, '.')+1:]
	var attrs penguin.Attrs
	switch name {
	case "compare":
		attrs = &penguin.Compare{Dir: o.Enum("comparison_direction"), Total: o.Enum("compare_type") == "TOTALORDER"}
	case "reduce_precision":
		attrs = &penguin.ReducePrecision{Exp: int(o.IntOr("exponent_bits", 0)), Mantissa: int(o.IntOr("mantissa_bits", 0))}
	}
	ins := make([]view, len(o.Operands))
	for i := range ins {
		ins[i] = l.in(o, i)
	}
	t := l.elem(o.Out(0).Elem)
	if p, ok := attrs.(*penguin.ReducePrecision); ok && holds(p, t) || name == "convert" && ins[0].t.DType == t {
		v := ins[0].splatTo(l.outShape(o, 0))
		v.fresh = 0
		l.set(o, 0, v)
		return nil
	}
	v, err := l.compute(name, attrs, t, l.outShape(o, 0), ins...)
	l.set(o, 0, v)
	return err
}

// holds reports whether every value of t has at most the bits that p leaves.
func holds(p *penguin.ReducePrecision, t dtype.Type) bool {
	switch t {
	case dtype.F32:
		return p.Exp >= 8 && p.Mantissa >= 23
	case dtype.BF16:
		return p.Exp >= 8 && p.Mantissa >= 7
	case dtype.F16:
		return p.Exp >= 5 && p.Mantissa >= 10
	}
	return false
}

func square(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	v, err := l.compute("multiply", nil, l.elem(o.Out(0).Elem), l.outShape(o, 0), x, x)
	l.set(o, 0, v)
	return err
}

// bitcast lowers a reinterpretation between element types of equal size.
func bitcast(l *lowerer, o *hlo.Op) error {
	from, to := l.in(o, 0).t.DType, l.elem(o.Out(0).Elem)
	if from == to {
		l.set(o, 0, l.in(o, 0))
		return nil
	}
	if from.Size() != to.Size() || from.Bits() != to.Bits() {
		return l.unsupported("from %v to %v: only element types of one width are supported", from, to)
	}
	v, err := l.compute("bitcast", nil, to, l.outShape(o, 0), l.in(o, 0))
	l.set(o, 0, v)
	return err
}

// identity passes its operands on.
func identity(l *lowerer, o *hlo.Op) error {
	for i := range o.Results {
		v := l.in(o, i)
		v.fresh = 0
		l.set(o, i, v)
		l.same[o.Results[i]] = o.Operands[i]
	}
	return nil
}

// mapOp lowers the region once, on whole tensors.
func mapOp(l *lowerer, o *hlo.Op) error {
	ins := make([]view, len(o.Operands))
	for i := range ins {
		ins[i] = l.in(o, i)
	}
	res, err := l.scalars(o.Body(0), o.Out(0).Dims, ins)
	if err != nil {
		return err
	}
	l.set(o, 0, res[0])
	return nil
}

// scalars carries out the scalar ops of b on views of the given shape, which stand for its arguments.
func (l *lowerer) scalars(b *hlo.Block, shape []int64, args []view) ([]view, error) {
	saved := l.lift
	l.lift = shape
	defer func() { l.lift = saved }()
	for i, a := range b.Args {
		if len(hlo.TensorOf(a).Dims) != 0 {
			return nil, l.unsupported("its region works on tensors, not on scalars")
		}
		l.env[a] = args[i]
	}
	res, err := l.block(b)
	if err != nil {
		return nil, err
	}
	out := make([]view, len(res))
	for i, r := range res {
		out[i] = l.env[r].splatTo(shape)
	}
	return out, nil
}

// realOp and imagOp take the parts of a number; of a real one that is itself and zero.
func realOp(l *lowerer, o *hlo.Op) error { return identity(l, o) }

func imagOp(l *lowerer, o *hlo.Op) error {
	l.set(o, 0, l.constSplat(o.Out(0).Elem, make([]byte, 8)).splatTo(l.outShape(o, 0)))
	return nil
}

// processID is the number of the only process. Programs for several are refused.
func processID(l *lowerer, o *hlo.Op) error {
	for _, n := range []string{"mhlo.num_partitions", "mhlo.num_replicas"} {
		if a, ok := l.mod.Attrs.Get(n).(hlo.IntAttr); ok && a.Value > 1 {
			return l.unsupported("the module is for %d processes", a.Value)
		}
	}
	l.set(o, 0, l.constSplat(o.Out(0).Elem, make([]byte, 4)))
	return nil
}
