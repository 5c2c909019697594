package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Known is what is known of an argument when a module is refined: its static type, and its value where the program
// computes shapes from it.
type Known struct {
	Type  *hlo.TensorType
	Value *tensor.Tensor // nil when only the type is known
}

// Refine returns a copy of m whose entry takes arguments of static types: shapes are propagated through every op,
// integers that follow from known values are folded, and ops with run-time shapes become their static forms:
//
//	%s = concatenate(reshape(%n), [4])                       =>  constant [3, 4]       (%n known to be 3)
//	dynamic_broadcast_in_dim %x, %s : tensor<?x4xf32>        =>  broadcast_in_dim %x : tensor<3x4xf32>
//	custom_call @shape_assertion(%true)                      =>  nothing
//
// Functions are specialised to the types and known values of each call. A shape that does not become static is an
// error, as is a shape assertion that does not hold.
func Refine(ctx context.Context, m *hlo.Module, args []Known) (*hlo.Module, error) {
	f := m.Entry()
	if f == nil || f.Body == nil {
		return nil, hloErr(CodeNoFunc, m, "the module has no entry to refine")
	}
	if len(args) != len(f.Params) {
		return nil, hloErr(CodeArgs, m, "@%s takes %d arguments, got %d", f.Name, len(f.Params), len(args))
	}
	out := &hlo.Module{Name: m.Name, Attrs: m.Attrs, Loc: m.Loc}
	r := &refiner{src: m, dst: out, ev: &machine{ctx: ctx, mod: m, probes: map[string][]*tensor.Tensor{}}, made: map[string]*refined{}}
	if _, err := r.function(f, f.Name, args); err != nil {
		return nil, err
	}
	slices.Reverse(out.Funcs) // callees finish first, the entry should come first
	if err := hlo.Verify(out); err != nil {
		return nil, err
	}
	return out, nil
}

// refined is a specialised function and what is known of its results.
type refined struct {
	fn  *hlo.Func
	out []Known
}

type refiner struct {
	src, dst *hlo.Module
	ev       *machine
	made     map[string]*refined // by function, types and known values
	depth    int
}

// facts are the new values of a block's old ones, and the tensors known of new ones.
type facts struct {
	value map[*hlo.Value]*hlo.Value
	known map[*hlo.Value]*tensor.Tensor
}

// maxKnown bounds the elements of values that are folded: shapes are short vectors of integers.
const maxKnown = 64

func (r *refiner) function(f *hlo.Func, name string, args []Known) (*refined, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, hloErr(CodeDepth, r.src, "calls nest deeper than %d", maxDepth)
	}
	defer func() { r.depth-- }()
	fc := facts{map[*hlo.Value]*hlo.Value{}, map[*hlo.Value]*tensor.Tensor{}}
	nf := &hlo.Func{Name: name, Private: f.Private, ArgAttrs: f.ArgAttrs, ResAttrs: f.ResAttrs, Attrs: f.Attrs, Loc: f.Loc}
	types := make([]hlo.Type, len(args))
	for i, a := range args {
		types[i] = f.Params[i].Type
		if a.Type != nil {
			t, ok := f.Params[i].Type.(*hlo.TensorType)
			if !ok || !hlo.Compatible(a.Type, t) {
				return nil, hloErr(CodeArgs, r.src, "argument %d of @%s is %s, must be %s", i, f.Name, a.Type, hlo.TypeString(f.Params[i].Type))
			}
			types[i] = a.Type
		}
	}
	b, err := r.block(f.Body.Blocks[0], types, fc, func(nb *hlo.Block) {
		for i, a := range args {
			if a.Value != nil {
				fc.known[nb.Args[i]] = a.Value
			}
		}
	})
	if err != nil {
		return nil, err
	}
	nf.Body = &hlo.Region{Blocks: []*hlo.Block{b}}
	nf.Params = b.Args
	res := &refined{fn: nf}
	for _, v := range b.Terminator().Operands {
		nf.Results = append(nf.Results, v.Type)
		res.out = append(res.out, Known{hlo.TensorOf(v), fc.known[v]})
	}
	r.dst.Funcs = append(r.dst.Funcs, nf)
	return res, nil
}

// block refines a block whose arguments take the given types; begin, if not nil, sees the new block before its ops.
func (r *refiner) block(b *hlo.Block, types []hlo.Type, fc facts, begin func(*hlo.Block)) (*hlo.Block, error) {
	nb := &hlo.Block{}
	for i, a := range b.Args {
		v := &hlo.Value{Type: types[i], Index: i, Name: a.Name, Loc: a.Loc}
		fc.value[a] = v
		nb.Args = append(nb.Args, v)
	}
	if begin != nil {
		begin(nb)
	}
	for _, o := range b.Ops {
		if r.ev.ctx.Err() != nil {
			return nil, r.ev.ctx.Err()
		}
		no, err := r.op(o, fc)
		if err != nil {
			return nil, err
		}
		if no != nil {
			nb.Ops = append(nb.Ops, no)
		}
	}
	return nb, nil
}

// op returns the refined op, nil when nothing of it remains.
func (r *refiner) op(o *hlo.Op, fc facts) (*hlo.Op, error) {
	no := &hlo.Op{Def: o.Def, Attrs: slices.Clone(o.Attrs), Loc: o.Loc, NameLoc: o.NameLoc}
	for _, v := range o.Operands {
		no.Operands = append(no.Operands, fc.value[v])
	}
	for i, v := range o.Results {
		nv := &hlo.Value{Type: v.Type, Def: no, Index: i, Name: v.Name, Loc: v.Loc}
		no.Results = append(no.Results, nv)
		fc.value[v] = nv
	}
	if err := r.regions(o, no, fc); err != nil {
		return nil, err
	}
	if o.Name() == "stablehlo.custom_call" {
		if name, _ := o.Str("call_target_name"); name == "shape_assertion" {
			return nil, r.assertion(no, fc)
		}
	}
	if o.Def.Has(hlo.Terminator) {
		return no, nil
	}
	if o.Name() == "interpreter.run_parallel" {
		r.keep(o)
		return no, nil
	}
	if o.Name() == "func.call" || o.Name() == "stablehlo.composite" {
		return no, r.callee(no, fc)
	}
	if err := r.types(no, fc); err != nil {
		return nil, err
	}
	if err := r.fold(no, fc); err != nil {
		return nil, err
	}
	for i, v := range no.Results {
		if t := hlo.TensorOf(v); t != nil && !t.Static() {
			return nil, errf(no, CodeRefine, "result %d stays %s: its shape depends on values that are not known", i, t)
		}
	}
	return no, nil
}

// keep copies the functions o names as they are: run_parallel passes them values of their own types.
func (r *refiner) keep(o *hlo.Op) {
	var visit func(a hlo.Attr)
	visit = func(a hlo.Attr) {
		switch a := a.(type) {
		case hlo.ArrayAttr:
			for _, x := range a.Elems {
				visit(x)
			}
		case hlo.SymbolAttr:
			f := r.src.Func(a.Path[0])
			if f == nil || r.named(f.Name) {
				return
			}
			r.dst.Funcs = append(r.dst.Funcs, f)
			if f.Body != nil {
				for _, x := range f.Body.Blocks[0].Ops {
					r.keep(x)
				}
			}
		}
	}
	for _, a := range o.Attrs {
		visit(a.Attr)
	}
	for _, g := range o.Regions {
		for _, b := range g.Blocks {
			for _, x := range b.Ops {
				r.keep(x)
			}
		}
	}
}

// regions refines the regions of o. Those of structured control flow see shapes; others work on scalars.
func (r *refiner) regions(o, no *hlo.Op, fc facts) error {
	for _, g := range o.Regions {
		ng := &hlo.Region{}
		for _, b := range g.Blocks {
			types := make([]hlo.Type, len(b.Args))
			for i, a := range b.Args {
				types[i] = a.Type
				if o.Name() == "stablehlo.while" {
					types[i] = no.Operands[i].Type
				}
			}
			nb, err := r.block(b, types, fc, nil)
			if err != nil {
				return err
			}
			ng.Blocks = append(ng.Blocks, nb)
		}
		no.Regions = append(no.Regions, ng)
	}
	return nil
}

// assertion checks a shape assertion whose condition is known.
func (r *refiner) assertion(o *hlo.Op, fc facts) error {
	in := make([]Val, len(o.Operands))
	for i, v := range o.Operands {
		t := fc.known[v]
		if t == nil {
			return errf(o, CodeRefine, "operand %d of a shape assertion is not known", i)
		}
		in[i] = Val{T: t}
	}
	_, err := runCustomCall(r.ev, o, in, nil)
	return err
}

// callee specialises the called function.
func (r *refiner) callee(o *hlo.Op, fc facts) error {
	attr := "callee"
	if o.Name() == "stablehlo.composite" {
		attr = "decomposition"
	}
	name, _ := o.Str(attr)
	f := r.src.Func(name)
	if f == nil || f.Body == nil || len(f.Params) != len(o.Operands) {
		return errf(o, CodeNoFunc, "there is no function @%s to call", name)
	}
	args := make([]Known, len(o.Operands))
	var key strings.Builder
	key.WriteString(name)
	for i, v := range o.Operands {
		args[i] = Known{hlo.TensorOf(v), fc.known[v]}
		fmt.Fprintf(&key, "|%s", hlo.TypeString(v.Type))
		if t := args[i].Value; t != nil {
			fmt.Fprintf(&key, "=%x", t.Data)
		}
	}
	s := r.made[key.String()]
	if s == nil {
		fresh := name
		for k := 1; r.named(fresh); k++ {
			fresh = fmt.Sprintf("%s_%d", name, k)
		}
		var err error
		if s, err = r.function(f, fresh, args); err != nil {
			return err
		}
		r.made[key.String()] = s
	}
	o.Attrs.Set(attr, hlo.SymbolAttr{Path: []string{s.fn.Name}})
	for i, v := range o.Results {
		v.Type = s.fn.Results[i]
		if t := s.out[i].Value; t != nil {
			fc.known[v] = t
		}
	}
	return nil
}

// named reports whether a function of the result has the name already, or the source's entry does.
func (r *refiner) named(name string) bool {
	return r.dst.Func(name) != nil || r.src.Entry().Name == name
}

// fold evaluates a small op without side effects whose operands are all known and makes it a constant.
func (r *refiner) fold(o *hlo.Op, fc facts) error {
	if !o.Def.Has(hlo.Pure) || len(o.Regions) > 0 || kernels[o.Name()] == nil || len(o.Results) != 1 {
		return nil
	}
	t := hlo.TensorOf(o.Results[0])
	if t == nil || t.Quant != nil || !t.Static() || len(t.Dims) > 1 || !t.Elem.IsInt() && t.Elem != dtype.I1 {
		return nil
	}
	if n, ok := t.NumElements(); !ok || n > maxKnown {
		return nil
	}
	in := make([]Val, len(o.Operands))
	for i, v := range o.Operands {
		k := fc.known[v]
		if k == nil {
			return nil
		}
		in[i] = Val{T: k}
	}
	out, err := r.ev.op(o, in, nil)
	if err != nil {
		return err
	}
	fc.known[o.Results[0]] = out[0].T
	if o.Name() == "stablehlo.constant" {
		return nil
	}
	makeConstant(o, t, out[0].T)
	return nil
}

// makeConstant turns o into a constant.
func makeConstant(o *hlo.Op, t *hlo.TensorType, v *tensor.Tensor) {
	o.Def = hlo.Lookup("stablehlo.constant")
	o.Operands, o.Regions = nil, nil
	o.Attrs = hlo.Attrs{{Name: "value", Attr: &hlo.DenseAttr{Type: t, Data: v}}}
}

func hloErr(code string, m *hlo.Module, format string, args ...any) error {
	return errfAt(code, m.Loc, format, args...)
}
