package opt

import (
	"context"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/eval"
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/tensor"
)

// fold-constants computes ops whose operands are all constants, if the result is small:
//
//	%0 = stablehlo.constant dense<2.0> : tensor<f32>
//	%1 = stablehlo.broadcast_in_dim %0, dims = []  =>  %1 = stablehlo.constant dense<2.0> : tensor<4x4xf32>
//
// It declines results of more than 4096 elements that are no splat (they would grow the program), ops with
// regions, quantised and dynamic types, and whatever the evaluator refuses.
func init() {
	registry.Add(pass.Pass[*hlo.Module]{Name: "fold-constants", Doc: "compute ops on constants", Run: func(m *hlo.Module) error {
		for _, body := range m.Bodies() {
			known := map[*hlo.Value]*hlo.DenseAttr{}
			hlo.WalkBlocks(body, func(b *hlo.Block) { foldBlock(b, known) })
		}
		return nil
	}})
}

const maxFolded = 4096 // elements

// foldBlock folds the ops of a block; known are the constants of the function so far.
func foldBlock(b *hlo.Block, known map[*hlo.Value]*hlo.DenseAttr) {
	for i, o := range b.Ops {
		if o.Name() == "stablehlo.constant" {
			if d, ok := o.Attrs.Get("value").(*hlo.DenseAttr); ok && len(o.Results) == 1 {
				known[o.Results[0]] = d
			}
			continue
		}
		d := fold(o, known)
		if d == nil {
			continue
		}
		n := &hlo.Op{Def: hlo.Lookup("stablehlo.constant"), Attrs: hlo.Attrs{{Name: "value", Attr: d}},
			Results: o.Results, Loc: o.Loc, NameLoc: o.NameLoc}
		n.Results[0].Def = n
		b.Ops[i] = n
		known[n.Results[0]] = d
	}
}

// fold returns the value of o, or nil.
func fold(o *hlo.Op, known map[*hlo.Value]*hlo.DenseAttr) *hlo.DenseAttr {
	if !o.Def.Has(hlo.Pure) || o.Def.Has(hlo.Terminator) || len(o.Regions) > 0 || len(o.Results) != 1 || len(o.Operands) == 0 {
		return nil
	}
	t := o.Out(0)
	if t == nil || !t.Static() || t.Quant != nil || t.Index || t.Encoding != nil {
		return nil
	}
	n, ok := t.NumElements()
	if !ok {
		return nil
	}
	splat := true
	for _, v := range o.Operands {
		d := known[v]
		if d == nil || d.Type.Quant != nil {
			return nil
		}
		splat = splat && d.Splat
	}
	// An elementwise op of splats, or a broadcast of one, is a splat: one element is computed. The shape of what
	// is evaluated then differs from the op's, so the type of every value becomes that of a scalar.
	if splat && (o.Def.Has(hlo.Elementwise) || o.Name() == "stablehlo.broadcast_in_dim" || o.Name() == "stablehlo.reshape") {
		return foldSplat(o, known, t)
	}
	if n > maxFolded {
		return nil
	}
	args := make([]*tensor.Tensor, len(o.Operands))
	for i, v := range o.Operands {
		d := known[v]
		if k, ok := d.Type.NumElements(); !ok || k > maxFolded {
			return nil
		}
		args[i] = expand(d)
	}
	out := evaluate(o, args, operandTypes(o), t)
	if out == nil {
		return nil
	}
	if n == 1 {
		return &hlo.DenseAttr{Type: t, Splat: true, Data: &tensor.Tensor{Type: out.Type, Data: out.Data}}
	}
	return &hlo.DenseAttr{Type: t, Data: out}
}

func foldSplat(o *hlo.Op, known map[*hlo.Value]*hlo.DenseAttr, t *hlo.TensorType) *hlo.DenseAttr {
	if !o.Def.Has(hlo.Elementwise) {
		return &hlo.DenseAttr{Type: t, Splat: true, Data: known[o.Operands[0]].Data}
	}
	args := make([]*tensor.Tensor, len(o.Operands))
	types := make([]hlo.Type, len(o.Operands))
	for i, v := range o.Operands {
		d := known[v]
		args[i] = &tensor.Tensor{Type: d.Data.Type, Data: d.Data.Data}
		types[i] = hlo.Tensor(d.Type.Elem)
	}
	out := evaluate(o, args, types, hlo.Tensor(t.Elem))
	if out == nil {
		return nil
	}
	return &hlo.DenseAttr{Type: t, Splat: true, Data: out}
}

func operandTypes(o *hlo.Op) []hlo.Type {
	ts := make([]hlo.Type, len(o.Operands))
	for i, v := range o.Operands {
		ts[i] = v.Type
	}
	return ts
}

// expand writes a splat out.
func expand(d *hlo.DenseAttr) *tensor.Tensor {
	if !d.Splat {
		return d.Data
	}
	shape := make([]int, len(d.Type.Dims))
	for i, x := range d.Type.Dims {
		shape[i] = int(x)
	}
	t := tensor.New(d.Type.Elem, shape...)
	for i := 0; i < len(t.Data); i += len(d.Data.Data) {
		copy(t.Data[i:], d.Data.Data)
	}
	return t
}

// evaluate runs one op in a function of its own, or returns nil if the evaluator refuses.
func evaluate(o *hlo.Op, args []*tensor.Tensor, types []hlo.Type, out hlo.Type) *tensor.Tensor {
	f := &hlo.Func{Name: "fold", Results: []hlo.Type{out}, Loc: o.Loc}
	for i, t := range types {
		f.Params = append(f.Params, &hlo.Value{Type: t, Index: i})
	}
	op := &hlo.Op{Def: o.Def, Operands: f.Params, Attrs: o.Attrs, Loc: o.Loc}
	op.Results = []*hlo.Value{{Type: out, Def: op}}
	ret := &hlo.Op{Def: hlo.Lookup("func.return"), Operands: op.Results, Loc: o.Loc}
	f.Body = &hlo.Region{Blocks: []*hlo.Block{{Args: f.Params, Ops: []*hlo.Op{op, ret}}}}
	res, err := eval.Run(context.Background(), &hlo.Module{Funcs: []*hlo.Func{f}}, "fold", args, eval.Options{})
	if err != nil {
		return nil
	}
	return res[0]
}
