package opt

import (
	"sort"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

func itoa(i int) string { return strconv.Itoa(i) }

func sortBy(v []int64, less func(x, y int64) bool) {
	sort.Slice(v, func(i, j int) bool { return less(v[i], v[j]) })
}

type attrRule func(c *toHLO, o *hlo.Op) (hlo.Attrs, error)

// toHLOAttrs converts the attributes of ops whose form HLO shares; it is the reverse of the rows of package hlo.
var toHLOAttrs = map[string]attrRule{
	"compare": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		a := hlo.Attrs{{Name: "direction", Attr: hlo.EnumAttr{Kind: "direction", Value: o.Enum("comparison_direction")}}}
		if t := o.Enum("compare_type"); t == "TOTALORDER" {
			a = append(a, hlo.NamedAttr{Name: "type", Attr: hlo.EnumAttr{Kind: "type", Value: t}})
		}
		return a, nil
	},
	"reduce_precision": takeOver("exponent_bits", "mantissa_bits"),
	"concatenate":      dimension("dimension"),
	"iota":             takeOver("iota_dimension"),
	"reverse":          renameInts("dimensions", "dimensions"), "reduce": renameInts("dimensions", "dimensions"), "map": renameInts("dimensions", "dimensions"),
	"transpose": renameInts("permutation", "dimensions"), "dynamic_slice": renameInts("slice_sizes", "dynamic_slice_sizes"),
	"slice": zip("slice", "start_indices", "limit_indices", "strides"),
	"pad":   zip("padding", "edge_padding_low", "edge_padding_high", "interior_padding"),
	"gather": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d, ok := o.Attrs.Get("dimension_numbers").(*hlo.GatherDims)
		if !ok {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "gather is malformed")
		}
		return append(intLists("offset_dims", d.OffsetDims, "collapsed_slice_dims", d.CollapsedSliceDims, "start_index_map", d.StartIndexMap,
			"operand_batching_dims", d.OperandBatchingDims, "start_indices_batching_dims", d.StartIndicesBatchingDims, "slice_sizes", o.IntsOr("slice_sizes", 0, 0)),
			hlo.NamedAttr{Name: "index_vector_dim", Attr: hlo.IntOf(d.IndexVectorDim)},
			hlo.NamedAttr{Name: "indices_are_sorted", Attr: hlo.BoolAttr{Value: o.Bool("indices_are_sorted")}}), nil
	},
	"scatter": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d, ok := o.Attrs.Get("scatter_dimension_numbers").(*hlo.ScatterDims)
		if !ok {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "scatter is malformed")
		}
		return append(intLists("update_window_dims", d.UpdateWindowDims, "inserted_window_dims", d.InsertedWindowDims, "scatter_dims_to_operand_dims",
			d.ScatterDimsToOperandDims, "input_batching_dims", d.InputBatchingDims, "scatter_indices_batching_dims", d.ScatterIndicesBatchingDims),
			hlo.NamedAttr{Name: "index_vector_dim", Attr: hlo.IntOf(d.IndexVectorDim)},
			hlo.NamedAttr{Name: "indices_are_sorted", Attr: hlo.BoolAttr{Value: o.Bool("indices_are_sorted")}},
			hlo.NamedAttr{Name: "unique_indices", Attr: hlo.BoolAttr{Value: o.Bool("unique_indices")}}), nil
	},
	"sort": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d := o.IntOr("dimension", -1)
		if t := o.In(0); d < 0 && t != nil {
			d += int64(len(t.Dims))
		}
		return hlo.Attrs{{Name: "dimensions", Attr: hlo.IntList(d)}, {Name: "is_stable", Attr: hlo.BoolAttr{Value: o.Bool("is_stable")}}}, nil
	},
	"dot_general": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d, ok := o.Attrs.Get("dot_dimension_numbers").(*hlo.DotDims)
		if !ok || o.Attrs.Get("algorithm") != nil {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "dot_general with an algorithm")
		}
		return append(intLists("lhs_batch_dims", d.LhsBatch, "rhs_batch_dims", d.RhsBatch, "lhs_contracting_dims", d.LhsContract, "rhs_contracting_dims", d.RhsContract),
			precision(o)...), nil
	},
	"convolution": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d, ok := o.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
		k := o.In(1)
		if !ok || k == nil {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "convolution is malformed")
		}
		size := make([]int64, len(d.KernelSpatial))
		for i, s := range d.KernelSpatial {
			size[i] = k.Dims[s]
		}
		w, err := window(o, size, "lhs_dilation", "rhs_dilation")
		if err != nil {
			return nil, err
		}
		return append(hlo.Attrs{{Name: "window", Attr: w}, {Name: "dim_labels", Attr: d}, {Name: "feature_group_count", Attr: hlo.IntOf(o.IntOr("feature_group_count", 1))},
			{Name: "batch_group_count", Attr: hlo.IntOf(o.IntOr("batch_group_count", 1))}}, precision(o)...), nil
	},
	"reduce_window": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		w, err := window(o, o.IntsOr("window_dimensions", 0, 1), "base_dilations", "window_dilations")
		return hlo.Attrs{{Name: "window", Attr: w}}, err
	},
	"select_and_scatter": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		n := 0
		if t := o.In(0); t != nil {
			n = len(t.Dims)
		}
		w, err := window(o, o.IntsOr("window_dimensions", n, 1), "", "")
		return hlo.Attrs{{Name: "window", Attr: w}}, err
	},
	"batch_norm_inference": takeOver("epsilon", "feature_index"), "batch_norm_training": takeOver("epsilon", "feature_index"), "batch_norm_grad": takeOver("epsilon", "feature_index"),
	"cholesky": takeOver("lower"), "get_tuple_element": takeOver("index"),
	"triangular_solve": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		return hlo.Attrs{{Name: "left_side", Attr: hlo.BoolAttr{Value: o.Bool("left_side")}}, {Name: "lower", Attr: hlo.BoolAttr{Value: o.Bool("lower")}},
			{Name: "unit_diagonal", Attr: hlo.BoolAttr{Value: o.Bool("unit_diagonal")}}, {Name: "transpose_a", Attr: hlo.EnumAttr{Kind: "transpose_a", Value: o.Enum("transpose_a")}}}, nil
	},
	"fft": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		return append(intLists("fft_length", o.IntsOr("fft_length", 0, 0)), hlo.NamedAttr{Name: "fft_type", Attr: hlo.EnumAttr{Kind: "fft_type", Value: o.Enum("fft_type")}}), nil
	},
	"rng_bit_generator": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		return hlo.Attrs{{Name: "algorithm", Attr: hlo.EnumAttr{Kind: "algorithm", Value: "rng_" + strings.ToLower(o.Enum("rng_algorithm"))}}}, nil
	},
	"get_dimension_size": dimension("dimension"), "set_dimension_size": dimension("dimension"),
	"all_reduce":           func(c *toHLO, o *hlo.Op) (hlo.Attrs, error) { return c.groups(o) },
	"collective_broadcast": func(c *toHLO, o *hlo.Op) (hlo.Attrs, error) { return c.groups(o) },
	"all_gather":           grouped("all_gather_dim"), "reduce_scatter": grouped("scatter_dimension"),
	"collective_permute": func(c *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		d, ok := o.Attrs.Get("source_target_pairs").(*hlo.DenseAttr)
		if !ok {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "collective_permute is malformed")
		}
		g := &hlo.Groups{}
		v := d.Ints()
		for i := 0; i+1 < len(v); i += 2 {
			g.List = append(g.List, []int64{v[i], v[i+1]})
		}
		a, err := c.groups(o)
		return append(a, hlo.NamedAttr{Name: "source_target_pairs", Attr: g}), err
	},
	"custom_call": func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		t, _ := o.Str("call_target_name")
		a := hlo.Attrs{{Name: "custom_call_target", Attr: hlo.StringAttr{Value: t}}, {Name: "custom_call_has_side_effect", Attr: hlo.BoolAttr{Value: o.Bool("has_side_effect")}}}
		switch c := o.Attrs.Get("backend_config").(type) {
		case nil:
		case hlo.StringAttr:
			a = append(a, hlo.NamedAttr{Name: "backend_config", Attr: c})
		case hlo.DictAttr:
			if s := c.Entries.Get(configKey); s != nil {
				a = append(a, hlo.NamedAttr{Name: "backend_config", Attr: s})
				break
			}
			a = append(a, hlo.NamedAttr{Name: "backend_config", Attr: hlo.StringAttr{Value: mlir.AttrText(c)}})
		default:
			return nil, diag.Errorf(CodeToHLO, o.Loc, "custom_call @%s has a backend_config that is no string", t)
		}
		versions := []string{"", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}
		if v := o.IntOr("api_version", 0); v > 0 && v < int64(len(versions)) {
			a = append(a, hlo.NamedAttr{Name: "api_version", Attr: hlo.EnumAttr{Kind: "api_version", Value: versions[v]}})
		}
		if l, ok := o.Attrs.Get("output_operand_aliases").(hlo.ArrayAttr); ok {
			a = append(a, hlo.NamedAttr{Name: "output_to_operand_aliasing", Attr: l})
		}
		if f, ok := o.Attrs.Get("mhlo.frontend_attributes").(hlo.DictAttr); ok {
			a = append(a, hlo.NamedAttr{Name: "frontend_attributes", Attr: f})
		}
		return a, nil
	},
}

// takeOver takes attributes over under their names.
func takeOver(names ...string) attrRule {
	return func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		var out hlo.Attrs
		for _, n := range names {
			if a := o.Attrs.Get(n); a != nil {
				out = append(out, hlo.NamedAttr{Name: n, Attr: a})
			}
		}
		return out, nil
	}
}

// renameInts takes an integer list over under another name.
func renameInts(from, to string) attrRule {
	return func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) { return intLists(to, o.IntsOr(from, 0, 0)), nil }
}

// dimension makes dimensions={d} of an integer.
func dimension(from string) attrRule {
	return func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		return intLists("dimensions", []int64{o.IntOr(from, 0)}), nil
	}
}

func grouped(dim string) attrRule {
	return func(c *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		a, err := c.groups(o)
		return append(a, intLists("dimensions", []int64{o.IntOr(dim, 0)})...), err
	}
}

// zip makes a list of triples of three lists.
func zip(to string, from ...string) attrRule {
	return func(_ *toHLO, o *hlo.Op) (hlo.Attrs, error) {
		a, _ := o.Ints(from[0])
		b := o.IntsOr(from[1], len(a), 0)
		d := o.IntsOr(from[2], len(a), 0)
		if len(b) != len(a) || len(d) != len(a) {
			return nil, diag.Errorf(CodeToHLO, o.Loc, "%s is malformed", o.Name())
		}
		var out hlo.ArrayAttr
		for i := range a {
			out.Elems = append(out.Elems, hlo.IntList(a[i], b[i], d[i]))
		}
		return hlo.Attrs{{Name: to, Attr: out}}, nil
	}
}

// intLists makes attributes of names and integer lists in turn.
func intLists(kv ...any) hlo.Attrs {
	var out hlo.Attrs
	for i := 0; i+1 < len(kv); i += 2 {
		out = append(out, hlo.NamedAttr{Name: kv[i].(string), Attr: hlo.IntList(kv[i+1].([]int64)...)})
	}
	return out
}

func precision(o *hlo.Op) hlo.Attrs {
	a, ok := o.Attrs.Get("precision_config").(hlo.ArrayAttr)
	if !ok {
		return nil
	}
	var out hlo.ArrayAttr
	plain := true
	for _, e := range a.Elems {
		x, _ := e.(hlo.EnumAttr)
		plain = plain && x.Value == "DEFAULT"
		out.Elems = append(out.Elems, hlo.EnumAttr{Kind: "precision", Value: strings.ToLower(x.Value)})
	}
	if plain {
		return nil
	}
	return hlo.Attrs{{Name: "operand_precision", Attr: out}}
}

// window gathers the lists that describe a window.
func window(o *hlo.Op, size []int64, lhs, rhs string) (*hlo.HLOWindow, error) {
	n := len(size)
	stride := o.IntsOr("window_strides", n, 1)
	pads, ok := o.Pairs("padding", n)
	l, r := o.IntsOr(lhs, n, 1), o.IntsOr(rhs, n, 1)
	rev := o.Bools("window_reversal", n)
	if !ok || len(stride) != n || len(l) != n || len(r) != n || len(rev) != n {
		return nil, diag.Errorf(CodeToHLO, o.Loc, "window of %s is malformed", o.Name())
	}
	w := &hlo.HLOWindow{}
	for i := range n {
		w.Dims = append(w.Dims, hlo.WindowDim{Size: size[i], Stride: stride[i], Low: pads[i][0], High: pads[i][1], LhsDilate: l[i], RhsDilate: r[i], Reversal: rev[i]})
	}
	return w, nil
}
