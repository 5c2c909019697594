package hlo

import (
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// This file converts attributes of the HLO form to those of StableHLO rows.

// keep takes over attributes that have the same name and form.
func keep(names ...string) func(*Op) (Attrs, error) {
	return func(o *Op) (Attrs, error) {
		var out Attrs
		for _, n := range names {
			if a := o.Attrs.Get(n); a != nil {
				out = append(out, NamedAttr{n, a})
			}
		}
		return out, nil
	}
}

// renamed takes over an integer list under another name.
func renamed(from, to string) func(*Op) (Attrs, error) {
	return func(o *Op) (Attrs, error) { return Attrs{{to, IntList(o.IntsOr(from, 0, 0)...)}}, nil }
}

// oneDim is the only entry of dimensions={d}.
func oneDim(o *Op, name string) (Attrs, error) {
	d, _ := o.Ints("dimensions")
	if len(d) != 1 {
		return nil, errf(o, CodeAttr, "dimensions must have one entry, not %d", len(d))
	}
	return Attrs{{name, IntOf(d[0])}}, nil
}

func intsOfHLO(o *Op, name string) []int64 { return o.IntsOr(name, 0, 0) }

// I64Dense is dense<...> : tensor<dims x i64>.
func I64Dense(v []int64, dims ...int64) *DenseAttr {
	shape := make([]int, len(dims))
	n := 1
	for i, d := range dims {
		shape[i] = int(d)
		n *= int(d)
	}
	x := tensor.New(dtype.I64, shape...)
	for i := range min(n, len(v)) {
		putBits(x.Data[8*i:8*i+8], uint64(v[i]))
	}
	return &DenseAttr{Type: Tensor(dtype.I64, dims...), Data: x}
}

func hloCompare(o *Op) (Attrs, error) {
	out := Attrs{{"comparison_direction", EnumAttr{"comparison_direction", o.Enum("direction")}}}
	if t := o.Enum("type"); t != "" {
		out = append(out, NamedAttr{"compare_type", EnumAttr{"comparison_type", t}})
	}
	return out, nil
}

func hloBroadcast(o *Op) (Attrs, error) {
	return Attrs{{"broadcast_dimensions", IntList(intsOfHLO(o, "dimensions")...)}}, nil
}

// triples returns an attribute that is a list of three integers an entry: slice bounds, padding.
func triples(o *Op, name string) ([][3]int64, error) {
	a, ok := o.Attrs.Get(name).(ArrayAttr)
	if t := o.In(0); !ok && (t == nil || len(t.Dims) > 0) {
		return nil, errf(o, CodeAttr, "%s is missing", name)
	}
	out := make([][3]int64, len(a.Elems))
	for i, e := range a.Elems {
		d, ok := e.(DenseArrayAttr)
		if !ok || len(d.Values) != 3 {
			return nil, errf(o, CodeAttr, "%s is malformed", name)
		}
		out[i] = [3]int64(d.Values)
	}
	return out, nil
}

func hloSlice(o *Op) (Attrs, error) {
	return hloTriples(o, "slice", "start_indices", "limit_indices", "strides")
}
func hloPad(o *Op) (Attrs, error) {
	return hloTriples(o, "padding", "edge_padding_low", "edge_padding_high", "interior_padding")
}

func hloTriples(o *Op, name string, to ...string) (Attrs, error) {
	t, err := triples(o, name)
	if err != nil {
		return nil, err
	}
	var out Attrs
	for k, n := range to {
		v := make([]int64, len(t))
		for i := range t {
			v[i] = t[i][k]
		}
		out = append(out, NamedAttr{n, IntList(v...)})
	}
	return out, nil
}

func hloPrecision(o *Op) Attrs {
	a, ok := o.Attrs.Get("operand_precision").(ArrayAttr)
	if !ok {
		return nil
	}
	var out ArrayAttr
	for _, e := range a.Elems {
		x, ok := e.(EnumAttr)
		v := strings.ToUpper(x.Value)
		if !ok || v != "HIGH" && v != "HIGHEST" {
			v = "DEFAULT"
		}
		out.Elems = append(out.Elems, EnumAttr{"precision", v})
	}
	return Attrs{{"precision_config", out}}
}

func hloDot(o *Op) (Attrs, error) {
	d := &DotDims{LhsBatch: intsOfHLO(o, "lhs_batch_dims"), RhsBatch: intsOfHLO(o, "rhs_batch_dims"),
		LhsContract: intsOfHLO(o, "lhs_contracting_dims"), RhsContract: intsOfHLO(o, "rhs_contracting_dims")}
	return append(Attrs{{"dot_dimension_numbers", d}}, hloPrecision(o)...), nil
}

func hloGather(o *Op) (Attrs, error) {
	d := &GatherDims{OffsetDims: intsOfHLO(o, "offset_dims"), CollapsedSliceDims: intsOfHLO(o, "collapsed_slice_dims"),
		OperandBatchingDims: intsOfHLO(o, "operand_batching_dims"), StartIndicesBatchingDims: intsOfHLO(o, "start_indices_batching_dims"),
		StartIndexMap: intsOfHLO(o, "start_index_map"), IndexVectorDim: o.IntOr("index_vector_dim", 0)}
	return Attrs{{"dimension_numbers", d}, {"slice_sizes", IntList(intsOfHLO(o, "slice_sizes")...)},
		{"indices_are_sorted", BoolAttr{o.Bool("indices_are_sorted")}}}, nil
}

func hloScatter(o *Op) (Attrs, error) {
	d := &ScatterDims{UpdateWindowDims: intsOfHLO(o, "update_window_dims"), InsertedWindowDims: intsOfHLO(o, "inserted_window_dims"),
		InputBatchingDims: intsOfHLO(o, "input_batching_dims"), ScatterIndicesBatchingDims: intsOfHLO(o, "scatter_indices_batching_dims"),
		ScatterDimsToOperandDims: intsOfHLO(o, "scatter_dims_to_operand_dims"), IndexVectorDim: o.IntOr("index_vector_dim", 0)}
	return Attrs{{"scatter_dimension_numbers", d}, {"indices_are_sorted", BoolAttr{o.Bool("indices_are_sorted")}},
		{"unique_indices", BoolAttr{o.Bool("unique_indices")}}}, nil
}

func hloSort(o *Op) (Attrs, error) {
	d := intsOfHLO(o, "dimensions")
	if len(d) == 0 {
		d = []int64{0} // older text of one-dimensional sorts
	}
	if len(d) != 1 {
		return nil, errf(o, CodeAttr, "dimensions must have one entry, not %d", len(d))
	}
	return Attrs{{"dimension", IntOf(d[0])}, {"is_stable", BoolAttr{o.Bool("is_stable")}}}, nil
}

func hloMap(o *Op) (Attrs, error) {
	if d, ok := o.Ints("dimensions"); ok {
		return Attrs{{"dimensions", IntList(d...)}}, nil
	}
	t, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	all := make([]int64, len(t.Dims))
	for i := range all {
		all[i] = int64(i)
	}
	return Attrs{{"dimensions", IntList(all...)}}, nil
}

// windowLists spreads a window over lists of its parts.
func windowLists(w *HLOWindow) (size, stride, pad, lhs, rhs, rev []int64) {
	for _, d := range w.Dims {
		size, stride, pad = append(size, d.Size), append(stride, d.Stride), append(pad, d.Low, d.High)
		lhs, rhs = append(lhs, d.LhsDilate), append(rhs, d.RhsDilate)
		r := int64(0)
		if d.Reversal {
			r = 1
		}
		rev = append(rev, r)
	}
	return
}

func hloWindow(o *Op) *HLOWindow {
	w, ok := o.Attrs.Get("window").(*HLOWindow)
	if !ok {
		w = &HLOWindow{}
	}
	return w
}

func hloReduceWindow(o *Op) (Attrs, error) {
	w := hloWindow(o)
	if o.Attrs.Get("window") == nil {
		return nil, errf(o, CodeAttr, "window is missing")
	}
	size, stride, pad, lhs, rhs, _ := windowLists(w)
	return Attrs{{"window_dimensions", IntList(size...)}, {"window_strides", IntList(stride...)}, {"base_dilations", IntList(lhs...)},
		{"window_dilations", IntList(rhs...)}, {"padding", I64Dense(pad, int64(len(size)), 2)}}, nil
}

func hloSelectAndScatter(o *Op) (Attrs, error) {
	size, stride, pad, _, _, _ := windowLists(hloWindow(o))
	return Attrs{{"window_dimensions", IntList(size...)}, {"window_strides", IntList(stride...)}, {"padding", I64Dense(pad, int64(len(size)), 2)}}, nil
}

func hloConvolution(o *Op) (Attrs, error) {
	d, ok := o.Attrs.Get("dim_labels").(*ConvDims)
	if !ok {
		return nil, errf(o, CodeAttr, "dim_labels is missing")
	}
	size, stride, pad, lhs, rhs, rev := windowLists(hloWindow(o))
	if len(size) != len(d.InSpatial) {
		return nil, errf(o, CodeAttr, "window has %d dimensions, dim_labels %d", len(size), len(d.InSpatial))
	}
	out := Attrs{{"window_strides", IntList(stride...)}, {"padding", I64Dense(pad, int64(len(size)), 2)}, {"lhs_dilation", IntList(lhs...)},
		{"rhs_dilation", IntList(rhs...)}, {"window_reversal", DenseArrayAttr{Elem: dtype.I1, Values: rev}}, {"dimension_numbers", d},
		{"feature_group_count", IntOf(o.IntOr("feature_group_count", 1))}, {"batch_group_count", IntOf(o.IntOr("batch_group_count", 1))}}
	return append(out, hloPrecision(o)...), nil
}

func hloTriangularSolve(o *Op) (Attrs, error) {
	t := o.Enum("transpose_a")
	if t == "" {
		t = "NO_TRANSPOSE"
	}
	return Attrs{{"left_side", BoolAttr{o.Bool("left_side")}}, {"lower", BoolAttr{o.Bool("lower")}},
		{"unit_diagonal", BoolAttr{o.Bool("unit_diagonal")}}, {"transpose_a", EnumAttr{"transpose", t}}}, nil
}

func hloFFT(o *Op) (Attrs, error) {
	return Attrs{{"fft_type", EnumAttr{"fft_type", o.Enum("fft_type")}}, {"fft_length", IntList(intsOfHLO(o, "fft_length")...)}}, nil
}

func hloRngBits(o *Op) (Attrs, error) {
	a := strings.TrimPrefix(strings.ToUpper(o.Enum("algorithm")), "RNG_")
	return Attrs{{"rng_algorithm", EnumAttr{"rng_algorithm", a}}}, nil
}

func channelOf(o *Op) Attrs {
	if id := o.IntOr("channel_id", 0); id > 0 {
		return Attrs{{"channel_handle", ChannelHandle{Handle: id, Type: 1}}}
	}
	return nil
}

// ReplicaGroups is the dense form of replica_groups: one row a group, short rows filled up with -1.
func ReplicaGroups(o *Op) (*DenseAttr, error) {
	g, ok := o.Attrs.Get("replica_groups").(*Groups)
	if !ok {
		return I64Dense(nil, 0, 0), nil
	}
	rows, ok := g.Rows()
	if !ok {
		return nil, errf(o, CodeAttr, "replica_groups: the figures of the iota form do not fit together")
	}
	w := 0
	for _, r := range rows {
		w = max(w, len(r))
	}
	var v []int64
	for _, r := range rows {
		v = append(v, r...)
		for range w - len(r) {
			v = append(v, -1)
		}
	}
	return I64Dense(v, int64(len(rows)), int64(w)), nil
}

func hloGroups(dim string) func(*Op) (Attrs, error) {
	return func(o *Op) (Attrs, error) {
		var out Attrs
		if dim != "" {
			a, err := oneDim(o, dim)
			if err != nil {
				return nil, err
			}
			out = a
		}
		g, err := ReplicaGroups(o)
		if err != nil {
			return nil, err
		}
		out = append(out, NamedAttr{"replica_groups", g})
		out = append(out, channelOf(o)...)
		if o.Bool("use_global_device_ids") {
			out = append(out, NamedAttr{"use_global_device_ids", UnitAttr{}})
		}
		return out, nil
	}
}

func hloPairs(o *Op) (Attrs, error) {
	g, ok := o.Attrs.Get("source_target_pairs").(*Groups)
	if !ok {
		return nil, errf(o, CodeAttr, "source_target_pairs is missing")
	}
	var v []int64
	for _, p := range g.List {
		if len(p) != 2 {
			return nil, errf(o, CodeAttr, "source_target_pairs must hold pairs")
		}
		v = append(v, p...)
	}
	return append(Attrs{{"source_target_pairs", I64Dense(v, int64(len(g.List)), 2)}}, channelOf(o)...), nil
}

func hloCustomCall(o *Op) (Attrs, error) {
	t, _ := o.Str("custom_call_target")
	out := Attrs{{"call_target_name", StringAttr{t}}}
	if c, ok := o.Attrs.Get("backend_config").(StringAttr); ok {
		out = append(out, NamedAttr{"backend_config", c})
	}
	if o.Bool("custom_call_has_side_effect") {
		out = append(out, NamedAttr{"has_side_effect", BoolAttr{true}})
	}
	if a, ok := o.Attrs.Get("output_to_operand_aliasing").(ArrayAttr); ok {
		out = append(out, NamedAttr{"output_operand_aliases", a})
	}
	if v := apiVersions[o.Enum("api_version")]; v != 0 {
		out = append(out, NamedAttr{"api_version", IntAttr{Value: v, Type: dtype.I32}})
	}
	if f, ok := o.Attrs.Get("frontend_attributes").(DictAttr); ok && len(f.Entries) > 0 {
		out = append(out, NamedAttr{"mhlo.frontend_attributes", f})
	}
	return out, nil
}

var apiVersions = map[string]int64{"API_VERSION_ORIGINAL": 1, "API_VERSION_STATUS_RETURNING": 2, "API_VERSION_STATUS_RETURNING_UNIFIED": 3, "API_VERSION_TYPED_FFI": 4}
