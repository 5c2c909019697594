package eval

import (
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// control are the ops that run regions or functions and so see the environment.
var control map[string]func(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error)

func init() {
	control = map[string]func(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error){
		"stablehlo.while":                runWhile,
		"stablehlo.if":                   runIf,
		"stablehlo.case":                 runCase,
		"stablehlo.reduce":               runReduce,
		"stablehlo.reduce_window":        runReduceWindow,
		"stablehlo.select_and_scatter":   runSelectAndScatter,
		"stablehlo.map":                  runMap,
		"stablehlo.sort":                 runSort,
		"stablehlo.scatter":              runScatter,
		"stablehlo.all_reduce":           runAllReduce,
		"stablehlo.reduce_scatter":       runReduceScatter,
		"func.call":                      runCall,
		"stablehlo.composite":            runCall,
		"stablehlo.custom_call":          runCustomCall,
		"chlo.scan":                      runScan,
		"stablehlo.optimization_barrier": func(_ *machine, _ *hlo.Op, in []Val, _ env) ([]Val, error) { return in, nil },
		"stablehlo.tuple":                func(_ *machine, _ *hlo.Op, in []Val, _ env) ([]Val, error) { return []Val{{Tuple: in}}, nil },
		"stablehlo.get_tuple_element": func(_ *machine, o *hlo.Op, in []Val, _ env) ([]Val, error) {
			return []Val{in[0].Tuple[o.IntOr("index", 0)]}, nil
		},
		"stablehlo.after_all":    token,
		"stablehlo.create_token": token,
	}
}

func token(*machine, *hlo.Op, []Val, env) ([]Val, error) { return []Val{{Token: true}}, nil }

func runWhile(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	state := in
	for {
		if m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		c, err := m.block(o.Body(0), state, e)
		if err != nil {
			return nil, err
		}
		if c[0].T.Data[0] == 0 {
			return state, nil
		}
		if state, err = m.block(o.Body(1), state, e); err != nil {
			return nil, err
		}
	}
}

func runIf(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	k := 1
	if in[0].T.Data[0] != 0 {
		k = 0
	}
	return m.block(o.Body(k), nil, e)
}

func runCase(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	k := intAt(in[0].T, 0)
	if k < 0 || k >= int64(len(o.Regions)) {
		k = int64(len(o.Regions)) - 1
	}
	return m.block(o.Body(int(k)), nil, e)
}

func runCall(m *machine, o *hlo.Op, in []Val, _ env) ([]Val, error) {
	attr := "callee"
	if o.Name() == "stablehlo.composite" {
		attr = "decomposition"
	}
	name, _ := o.Str(attr)
	f := m.mod.Func(name)
	if f == nil || f.Body == nil {
		return nil, errf(o, CodeNoFunc, "there is no function @%s to call", name)
	}
	return m.call(f, in)
}

// scalarBody reports whether a region consists of elementwise ops and constants only, so that it may run on whole
// vectors instead of scalars.
func scalarBody(b *hlo.Block) bool {
	for _, o := range b.Ops {
		switch {
		case o.Def.Has(hlo.Terminator):
		case o.Name() == "stablehlo.constant":
		case o.Def.Has(hlo.Elementwise) && len(o.Regions) == 0 && kernels[o.Name()] != nil && o.Name() != "stablehlo.clamp" && !quantised(o):
		default:
			return false
		}
	}
	return true
}

// apply runs a region of scalars on vectors of n elements.
func (m *machine) apply(b *hlo.Block, args []*tensor.Tensor, n int, e env) ([]*tensor.Tensor, error) {
	vals := make([]Val, len(args))
	for i, a := range args {
		vals[i] = Val{T: a}
	}
	old := m.vector
	m.vector = true
	out, err := m.block(b, vals, e)
	m.vector = old
	if err != nil {
		return nil, err
	}
	res := make([]*tensor.Tensor, len(out))
	for i := range out {
		res[i] = out[i].T
		if len(res[i].Shape) == 0 && n != 1 || len(res[i].Shape) == 0 && len(args) > 0 && len(args[0].Shape) == 1 {
			res[i] = splat(res[i], []int{n})
		}
	}
	return res, nil
}

// scalars runs a region on scalars.
func (m *machine) scalars(b *hlo.Block, args []Val, e env) ([]Val, error) {
	old := m.vector
	m.vector = false
	out, err := m.block(b, args, e)
	m.vector = old
	return out, err
}

// simpleBody returns the op name when a region of two arguments is one commutative binary op of both.
func simpleBody(b *hlo.Block) string {
	if len(b.Args) != 2 || len(b.Ops) != 2 {
		return ""
	}
	o, r := b.Ops[0], b.Ops[1]
	if len(o.Operands) != 2 || len(r.Operands) != 1 || len(o.Results) != 1 || r.Operands[0] != o.Results[0] || !o.Def.Has(hlo.Commutative) {
		return ""
	}
	a, c := o.Operands[0], o.Operands[1]
	if a == b.Args[0] && c == b.Args[1] || a == b.Args[1] && c == b.Args[0] {
		return o.Name()
	}
	return ""
}

func runMap(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	b := o.Body(0)
	shape := in[0].T.Shape
	n := count(shape)
	if scalarBody(b) {
		args := make([]*tensor.Tensor, len(in))
		for i := range in {
			args[i] = reshaped(in[i].T, []int{n})
		}
		out, err := m.apply(b, args, n, e)
		if err != nil {
			return nil, err
		}
		return one(reshaped(out[0], shape)), nil
	}
	r := tensor.New(o.Out(0).Elem, shape...)
	for i := range n {
		args := make([]Val, len(in))
		for k := range in {
			args[k] = Val{T: elem(in[k].T, i)}
		}
		out, err := m.scalars(b, args, e)
		if err != nil {
			return nil, err
		}
		setElem(r, i, out[0].T)
	}
	return one(r), nil
}

// elem returns element i as a scalar that shares memory.
func elem(t *tensor.Tensor, i int) *tensor.Tensor {
	s := t.Type.Size()
	return &tensor.Tensor{Type: t.Type, Data: t.Data[i*s : (i+1)*s : (i+1)*s]}
}

func setElem(t *tensor.Tensor, i int, v *tensor.Tensor) {
	s := t.Type.Size()
	copy(t.Data[i*s:(i+1)*s], v.Data)
}
