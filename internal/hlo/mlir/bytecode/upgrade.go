package bytecode

import (
	"sort"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// module builds the IR from the decoded ops, in the current op set.
func (f *file) module(s *stream, top *rawOp) *hlo.Module {
	m := &hlo.Module{Loc: diag.Loc{File: f.name}}
	for _, k := range top.keys {
		v := top.attrs[k]
		if k == "sym_name" {
			n, _ := v.(hlo.StringAttr)
			m.Name = n.Value
			continue
		}
		m.Attrs.Set(k, f.plain(s, f.asAttr(s, v)))
	}
	for _, r := range top.regions {
		for _, b := range r.blocks {
			for _, o := range b.ops {
				switch {
				case o.name == "func":
					m.Funcs = append(m.Funcs, f.function(s, o))
				case o.name == "module":
					m.Subs = append(m.Subs, f.module(s, o))
				default:
					s.fail(CodeOp, "op %s.%s stands in a module", o.dialect, o.name)
				}
			}
		}
	}
	return m
}

func (f *file) function(s *stream, o *rawOp) *hlo.Func {
	fn := &hlo.Func{Loc: o.loc.loc}
	name, _ := o.attrs["sym_name"].(hlo.StringAttr)
	fn.Name = name.Value
	if v, ok := o.attrs["sym_visibility"].(hlo.StringAttr); ok {
		fn.Private = v.Value == "private"
	}
	ta, _ := o.attrs["function_type"].(hlo.TypeAttr)
	ft, ok := ta.Type.(*hlo.FuncType)
	if !ok {
		s.fail(CodeFormat, "function @%s has no function type", fn.Name)
	}
	fn.Results = ft.Outs
	for _, k := range o.keys {
		switch k {
		case "sym_name", "sym_visibility", "function_type":
		case "arg_attrs":
			fn.ArgAttrs = dicts(o.attrs[k], len(ft.Ins))
		case "res_attrs":
			fn.ResAttrs = dicts(o.attrs[k], len(ft.Outs))
		default:
			fn.Attrs.Set(k, f.plain(s, f.asAttr(s, o.attrs[k])))
		}
	}
	if len(o.regions) == 1 && len(o.regions[0].blocks) == 1 {
		fn.Body = f.regionOf(s, o.regions[0], true)
		fn.Params = fn.Body.Blocks[0].Args
	} else {
		for i, t := range ft.Ins {
			fn.Params = append(fn.Params, &hlo.Value{Type: t, Index: i})
		}
	}
	return fn
}

// dicts reads a list of dictionaries, nil when all are empty.
func dicts(v any, n int) []hlo.Attrs {
	a, _ := v.(hlo.ArrayAttr)
	if len(a.Elems) != n {
		return nil
	}
	out := make([]hlo.Attrs, n)
	some := false
	for i, e := range a.Elems {
		if d, ok := e.(hlo.DictAttr); ok && len(d.Entries) > 0 {
			out[i] = d.Entries
			sort.SliceStable(out[i], func(a, b int) bool { return out[i][a].Name < out[i][b].Name })
			some = true
		}
	}
	if !some {
		return nil
	}
	return out
}

func (f *file) regionOf(s *stream, r *rawRegion, fn bool) *hlo.Region {
	out := &hlo.Region{}
	for _, b := range r.blocks {
		nb := &hlo.Block{Args: b.args}
		for _, a := range b.args {
			f.checkType(s, a)
		}
		for _, o := range b.ops {
			nb.Ops = append(nb.Ops, f.upgrade(s, o, fn))
		}
		out.Blocks = append(out.Blocks, nb)
	}
	return out
}

// checkType refuses element types where a value's type must stand.
func (f *file) checkType(s *stream, v *hlo.Value) {
	if t, ok := v.Type.(scalarType); ok || v.Type == nil {
		s.fail(CodeFormat, "a value has type %s", hlo.TypeString(t))
	}
}

// upgrade turns a VHLO op into its current form.
func (f *file) upgrade(s *stream, o *rawOp, inFunc bool) *hlo.Op {
	name := "stablehlo." + o.name
	switch {
	case o.name == "call":
		name = "func.call"
	case o.name == "return" && inFunc:
		name = "func.return"
	case o.dialect != "vhlo":
		name = o.dialect + "." + o.name
	}
	def := hlo.Lookup(name)
	if def == nil {
		s.fail(CodeOp, "op %s.%s_v%d of producer %s is unknown", o.dialect, o.name, o.version, f.producer)
	}
	op := &hlo.Op{Def: def, Operands: o.operands, Results: o.results, Loc: o.loc.loc, NameLoc: o.loc.name}
	for i, r := range op.Results {
		f.checkType(s, r)
		r.Def, r.Index = op, i
	}
	for _, v := range op.Operands {
		if v.Type == nil {
			s.fail(CodeFormat, "%s uses a value that is never defined", name)
		}
	}
	for _, r := range o.regions {
		op.Regions = append(op.Regions, f.regionOf(s, r, false))
	}
	f.attributes(s, o, op)
	return op
}

// ints reads a list of integers in any of its VHLO spellings.
func ints(v any) []int64 {
	switch v := v.(type) {
	case *hlo.DenseAttr:
		return v.Ints()
	case hlo.ArrayAttr:
		out := make([]int64, 0, len(v.Elems))
		for _, e := range v.Elems {
			if i, ok := e.(hlo.IntAttr); ok {
				out = append(out, i.Value)
			}
		}
		return out
	}
	return nil
}

func integer(v any) int64 {
	i, _ := v.(hlo.IntAttr)
	return i.Value
}

// attributes converts the attributes of o: dimension numbers become structs, integer lists arrays, defaults go.
func (f *file) attributes(s *stream, o *rawOp, op *hlo.Op) {
	used := map[string]bool{}
	take := func(n string) any { used[n] = true; return o.attrs[n] }
	switch o.name {
	case "dot_general":
		op.Attrs.Set("dot_dimension_numbers", &hlo.DotDims{LhsBatch: ints(take("lhs_batching_dimensions")), RhsBatch: ints(take("rhs_batching_dimensions")),
			LhsContract: ints(take("lhs_contracting_dimensions")), RhsContract: ints(take("rhs_contracting_dimensions"))})
		lt, _ := take("lhs_precision_type").(hlo.TypeAttr)
		rt, _ := take("rhs_precision_type").(hlo.TypeAttr)
		at, _ := take("accumulation_type").(hlo.TypeAttr)
		lc, rc, np := integer(take("lhs_component_count")), integer(take("rhs_component_count")), integer(take("num_primitive_operations"))
		imp, _ := take("allow_imprecise_accumulation").(hlo.BoolAttr)
		if a, ok := at.Type.(scalarType); ok && !a.none {
			l, _ := lt.Type.(scalarType)
			r, _ := rt.Type.(scalarType)
			op.Attrs.Set("algorithm", &hlo.DotAlgorithm{LhsPrecision: l.t, RhsPrecision: r.t, Accumulation: a.t, LhsComponents: lc, RhsComponents: rc,
				Primitives: np, AllowImprecise: imp.Value})
		}
	case "convolution", "dynamic_conv":
		op.Attrs.Set("dimension_numbers", &hlo.ConvDims{
			InBatch: integer(take("input_batch_dimension")), InFeature: integer(take("input_feature_dimension")), InSpatial: ints(take("input_spatial_dimensions")),
			KernelInFeature: integer(take("kernel_input_feature_dimension")), KernelOutFeature: integer(take("kernel_output_feature_dimension")),
			KernelSpatial: ints(take("kernel_spatial_dimensions")),
			OutBatch:      integer(take("output_batch_dimension")), OutFeature: integer(take("output_feature_dimension")), OutSpatial: ints(take("output_spatial_dimensions"))})
	case "gather", "dynamic_gather":
		op.Attrs.Set("dimension_numbers", &hlo.GatherDims{OffsetDims: ints(take("offset_dims")), CollapsedSliceDims: ints(take("collapsed_slice_dims")),
			OperandBatchingDims: ints(take("operand_batching_dims")), StartIndicesBatchingDims: ints(take("start_indices_batching_dims")),
			StartIndexMap: ints(take("start_index_map")), IndexVectorDim: integer(take("index_vector_dim"))})
	case "scatter":
		op.Attrs.Set("scatter_dimension_numbers", &hlo.ScatterDims{UpdateWindowDims: ints(take("update_window_dims")), InsertedWindowDims: ints(take("inserted_window_dims")),
			InputBatchingDims: ints(take("input_batching_dims")), ScatterIndicesBatchingDims: ints(take("scatter_indices_batching_dims")),
			ScatterDimsToOperandDims: ints(take("scatter_dims_to_operand_dims")), IndexVectorDim: integer(take("index_vector_dim"))})
	}
	keys := append([]string(nil), o.keys...)
	sort.Strings(keys)
	for _, k := range keys {
		if used[k] {
			continue
		}
		if a := f.attribute(s, o, op, k, o.attrs[k]); a != nil {
			name := k
			if k == "channel_id" {
				name = "channel_handle"
			}
			op.Attrs.Set(name, a)
		}
	}
	hlo.DropOpDefaults(op)
}

// attribute converts one attribute; nil means that the current op has none of the name.
func (f *file) attribute(s *stream, o *rawOp, op *hlo.Op, name string, v any) hlo.Attr {
	switch name {
	case "channel_id":
		ch := hlo.ChannelHandle{Handle: integer(v)}
		if t, ok := o.attrs["channel_type"]; ok {
			ch.Type = integer(t)
		}
		return ch
	case "channel_type", "operand_segment_sizes", "result_segment_sizes":
		return nil
	case "callee", "decomposition":
		n, _ := v.(hlo.StringAttr)
		return hlo.SymbolAttr{Path: []string{n.Value}}
	case "called_computations":
		a, _ := v.(hlo.ArrayAttr)
		out := hlo.ArrayAttr{}
		for _, e := range a.Elems {
			if n, ok := e.(hlo.StringAttr); ok {
				out.Elems = append(out.Elems, hlo.SymbolAttr{Path: []string{n.Value}})
			}
		}
		return out
	}
	def := op.Def.Attr(name)
	switch x := v.(type) {
	case nil:
		return nil
	case enum:
		if x.kind == "custom_call_api_version" {
			return hlo.IntAttr{Value: int64(x.value[0] - '0'), Type: dtype.I32}
		}
		return hlo.EnumAttr{Kind: x.kind, Value: x.value}
	case *hlo.DenseAttr:
		if def == nil {
			return x
		}
		switch def.Kind {
		case hlo.AttrInts:
			return hlo.DenseArrayAttr{Elem: dtype.I64, Values: x.Ints()}
		case hlo.AttrBools:
			return hlo.DenseArrayAttr{Elem: dtype.I1, Values: x.Ints()}
		}
		return x
	case hlo.ArrayAttr:
		if def != nil && def.Kind == hlo.AttrInts {
			return hlo.DenseArrayAttr{Elem: dtype.I64, Values: ints(x)}
		}
	}
	return f.plain(s, f.asAttr(s, v))
}

// plain makes nested attributes free of forms that exist only in the file.
func (f *file) plain(s *stream, a hlo.Attr) hlo.Attr {
	switch x := a.(type) {
	case hlo.ArrayAttr:
		out := hlo.ArrayAttr{Elems: make([]hlo.Attr, len(x.Elems))}
		for i, e := range x.Elems {
			out.Elems[i] = f.plain(s, e)
		}
		return out
	case hlo.DictAttr:
		out := hlo.DictAttr{}
		for _, e := range x.Entries {
			out.Entries = append(out.Entries, hlo.NamedAttr{Name: e.Name, Attr: f.plain(s, e.Attr)})
		}
		sort.SliceStable(out.Entries, func(i, j int) bool { return out.Entries[i].Name < out.Entries[j].Name })
		return out
	case hlo.TypeAttr:
		if t, ok := x.Type.(scalarType); ok {
			if t.none {
				return hlo.OpaqueAttr{Text: "none"}
			}
			return hlo.OpaqueAttr{Text: (&hlo.TensorType{Elem: t.t, Quant: t.quant, Index: t.index}).ElemString()}
		}
	}
	return a
}
