package hlo

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
)

var _ = define(
	OpDef{Name: "stablehlo.broadcast_in_dim", Doc: "operand dimensions placed at broadcast_dimensions of the result, extents of 1 repeated", In: exactly(1), Out: exactly(1),
		Traits: PerAxis | Pure, Attrs: []AttrDef{req("broadcast_dimensions", AttrInts)}, Verify: rules(verifyBroadcastInDim, verifyBroadcastQuant, verifyBounded)},
	OpDef{Name: "stablehlo.broadcast", Doc: "operand repeated along new leading dimensions", In: exactly(1), Out: exactly(1),
		Traits: Pure, Attrs: []AttrDef{req("broadcast_sizes", AttrInts)}, Infer: inferBroadcast},
	OpDef{Name: "stablehlo.concatenate", Doc: "operands one after the other along a dimension", In: atLeast(1), Out: exactly(1),
		Traits: Pure, Attrs: []AttrDef{req("dimension", AttrInt)}, Infer: inferConcatenate},
	OpDef{Name: "stablehlo.constant", Doc: "a constant tensor", Out: exactly(1), Traits: PerAxis | Pure, Attrs: []AttrDef{req("value", AttrDense)}, Infer: inferConstant},
	OpDef{Name: "stablehlo.iota", Doc: "increasing values along one dimension", Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("iota_dimension", AttrInt)}, Verify: rules(verifyIota, verifyStaticResult)},
	OpDef{Name: "stablehlo.pad", Doc: "padding at the edges (negative: cropping) and between elements", In: exactly(2), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("edge_padding_low", AttrInts), req("edge_padding_high", AttrInts), req("interior_padding", AttrInts)}, Infer: inferPad},
	OpDef{Name: "stablehlo.reshape", Doc: "the same elements in another shape", In: exactly(1), Out: exactly(1), Traits: PerAxis | Pure, Verify: rules(verifyReshape, verifyReshapeQuant, verifyBounded)},
	OpDef{Name: "stablehlo.reverse", Doc: "elements in reverse order along dimensions", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimensions", AttrInts)}, Infer: inferReverse},
	OpDef{Name: "stablehlo.slice", Doc: "a strided rectangle with static bounds", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("start_indices", AttrInts), req("limit_indices", AttrInts), req("strides", AttrInts)}, Infer: inferSlice},
	OpDef{Name: "stablehlo.transpose", Doc: "dimensions permuted", In: exactly(1), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{req("permutation", AttrInts)}, Infer: inferTranspose, Verify: verifyTransposeQuant},
	OpDef{Name: "stablehlo.dynamic_slice", Doc: "a rectangle of static size at run-time start indices, which are clamped", In: atLeast(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("slice_sizes", AttrInts)}, Infer: inferDynamicSlice},
	OpDef{Name: "stablehlo.dynamic_update_slice", Doc: "operand with a rectangle replaced at run-time start indices, which are clamped", In: atLeast(2), Out: exactly(1),
		Traits: Pure, Infer: inferDynamicUpdateSlice},
	OpDef{Name: "stablehlo.gather", Doc: "slices of the operand collected at run-time indices", In: exactly(2), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dimension_numbers", AttrGatherDims), req("slice_sizes", AttrInts), opt("indices_are_sorted", AttrBool)}, Infer: inferGather},
	OpDef{Name: "stablehlo.scatter", Doc: "operands with updates combined in at run-time indices", In: atLeast(3), Out: atLeast(1), Regions: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("scatter_dimension_numbers", AttrScatterDims), opt("indices_are_sorted", AttrBool), opt("unique_indices", AttrBool)},
		Infer: inferScatter, Verify: verifyScatter},
	OpDef{Name: "stablehlo.torch_index_select", Doc: "slices of the operand chosen by an index tensor", In: exactly(2), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("dim", AttrInt), req("batch_dims", AttrInt)}, Verify: verifyIndexSelect},
	OpDef{Name: "stablehlo.sort", Doc: "operands sorted together along a dimension by a comparator", In: atLeast(1), Out: atLeast(1), Regions: exactly(1), Traits: Pure,
		Attrs: []AttrDef{opt("dimension", AttrInt), opt("is_stable", AttrBool)}, Infer: inferOperandTypes, Verify: verifySort},
)

// checkDims checks that dims are distinct dimensions of rank.
func checkDims(o *Op, name string, dims []int64, rank int) error {
	seen := make([]bool, rank)
	for _, d := range dims {
		if d < 0 || d >= int64(rank) {
			return errf(o, CodeAttr, "%s holds %d, the rank is %d", name, d, rank)
		}
		if seen[d] {
			return errf(o, CodeAttr, "%s holds %d twice", name, d)
		}
		seen[d] = true
	}
	return nil
}

// needInts returns an integer-list attribute of length n (-1: any).
func needInts(o *Op, name string, n int) ([]int64, error) {
	v, ok := o.Ints(name)
	if !ok {
		return nil, errf(o, CodeAttr, "attribute %s is missing or not a list of integers", name)
	}
	if n >= 0 && len(v) != n {
		return nil, errf(o, CodeAttr, "%s has %d entries, must have %d", name, len(v), n)
	}
	return v, nil
}

// tensorIn returns operand i as a ranked tensor.
func tensorIn(o *Op, i int) (*TensorType, error) {
	t := o.In(i)
	if t == nil {
		return nil, errf(o, CodeElem, "operand %d must be a tensor, not %s", i, TypeString(o.Operands[i].Type))
	}
	return t, nil
}

func like(t *TensorType, dims []int64) *TensorType {
	return &TensorType{Dims: dims, Elem: t.Elem, Quant: t.Quant}
}

func verifyBroadcastInDim(o *Op) error {
	a, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	r := o.Out(0)
	if r == nil || !sameElem(a, r) {
		return errf(o, CodeElem, "result must be a tensor of %s, not %s", a.ElemString(), TypeString(o.Results[0].Type))
	}
	dims, err := needInts(o, "broadcast_dimensions", len(a.Dims))
	if err != nil {
		return err
	}
	if err := checkDims(o, "broadcast_dimensions", dims, len(r.Dims)); err != nil {
		return err
	}
	for i, d := range dims {
		if a.Dims[i] != 1 && !compatDim(a.Dims[i], r.Dims[d]) {
			return errf(o, CodeShape, "operand dim %d is %d, result dim %d is %d: must be equal or 1", i, a.Dims[i], d, r.Dims[d])
		}
	}
	return nil
}

// verifyIndexSelect: the result has the operand's dimensions, with those of the index in the place of dimension dim.
func verifyIndexSelect(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	a, x, r := ts[0], ts[1], o.Out(0)
	dim, batch := o.IntOr("dim", 0), o.IntOr("batch_dims", 0)
	if dim < 0 {
		dim += int64(len(a.Dims))
	}
	if batch < 0 {
		batch += int64(len(x.Dims))
	}
	if dim < 0 || dim >= int64(len(a.Dims)) || batch < 0 || batch > dim || batch > int64(len(x.Dims)) {
		return errf(o, CodeAttr, "dim %d and batch_dims %d do not fit operand %s and index %s", dim, batch, a, x)
	}
	if !x.Elem.IsInt() || x.Quant != nil {
		return errf(o, CodeElem, "index is %s, must hold integers", x)
	}
	want := slices.Concat(a.Dims[:dim], x.Dims[batch:], a.Dims[dim+1:])
	if r == nil || r.Unranked || !sameElem(a, r) || !CompatibleShapes(r, &TensorType{Dims: want}) {
		return errf(o, CodeResult, "result is %s, must hold %s and have shape %v", TypeString(o.Results[0].Type), a.ElemString(), want)
	}
	return nil
}

func verifyStaticResult(o *Op) error {
	if r := o.Out(0); r == nil || !r.Static() {
		return errf(o, CodeResult, "result is %s, must be static", TypeString(o.Results[0].Type))
	}
	return nil
}

// verifyBounded: extents of the result are known, or bounded in one dimension.
func verifyBounded(o *Op) error {
	r := o.Out(0)
	open := 0
	for i, d := range r.Dims {
		if d >= 0 {
			continue
		}
		if open++; open > 1 || i >= len(r.Bounds) || r.Bounds[i] < 0 {
			return errf(o, CodeResult, "result is %s, must be static or bounded in one dimension", r)
		}
	}
	return nil
}

func inferBroadcast(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	sizes, err := needInts(o, "broadcast_sizes", -1)
	if err != nil {
		return nil, err
	}
	for _, s := range sizes {
		if s < 0 {
			return nil, errf(o, CodeAttr, "broadcast_sizes holds %d", s)
		}
	}
	return []Type{like(a, append(append([]int64(nil), sizes...), a.Dims...))}, nil
}

func inferConcatenate(o *Op) ([]Type, error) {
	ts, err := tensors(o)
	if err != nil {
		return nil, err
	}
	rank := len(ts[0].Dims)
	d := o.IntOr("dimension", -1)
	if d < 0 || d >= int64(rank) {
		return nil, errf(o, CodeAttr, "dimension is %d, the rank is %d", d, rank)
	}
	out := append([]int64(nil), ts[0].Dims...)
	for i, t := range ts[1:] {
		if len(t.Dims) != rank || !sameElem(t, ts[0]) {
			return nil, errf(o, CodeShape, "operand 0 is %s, operand %d is %s", ts[0], i+1, t)
		}
		for k := range out {
			switch {
			case int64(k) == d && (out[k] < 0 || t.Dims[k] < 0):
				out[k] = Dynamic
			case int64(k) == d:
				out[k] += t.Dims[k]
			case !compatDim(out[k], t.Dims[k]):
				return nil, errf(o, CodeShape, "operand 0 is %s, operand %d is %s: dim %d differs", ts[0], i+1, t, k)
			default:
				out[k] = meet(out[k], t.Dims[k])
			}
		}
	}
	return []Type{like(ts[0], out)}, nil
}

func inferConstant(o *Op) ([]Type, error) {
	d, ok := o.Attrs.Get("value").(*DenseAttr)
	if !ok {
		return nil, errf(o, CodeAttr, "value is missing or not a dense constant")
	}
	if len(o.Results) == 1 {
		// The elements of a quantised constant are given as what is stored.
		if r := o.Out(0); r != nil && r.Quant != nil && r.Quant.Storage == d.Type.Elem && CompatibleShapes(r, d.Type) {
			return []Type{r}, nil
		}
	}
	return []Type{d.Type}, nil
}

func verifyIota(o *Op) error {
	r := o.Out(0)
	if r == nil {
		return errf(o, CodeElem, "result must be a tensor")
	}
	if d := o.IntOr("iota_dimension", -1); d < 0 || d >= int64(len(r.Dims)) {
		return errf(o, CodeAttr, "iota_dimension is %d, the rank is %d", d, len(r.Dims))
	}
	if r.Elem == dtype.I1 {
		return errf(o, CodeElem, "result must hold numbers, not i1")
	}
	return nil
}

func inferPad(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	p, err := tensorIn(o, 1)
	if err != nil {
		return nil, err
	}
	if len(p.Dims) != 0 || !sameElem(a, p) {
		return nil, errf(o, CodeElem, "padding value is %s, must be a scalar of %s", p, a.ElemString())
	}
	n := len(a.Dims)
	lo, err := needInts(o, "edge_padding_low", n)
	if err != nil {
		return nil, err
	}
	hi, err := needInts(o, "edge_padding_high", n)
	if err != nil {
		return nil, err
	}
	mid, err := needInts(o, "interior_padding", n)
	if err != nil {
		return nil, err
	}
	out := make([]int64, n)
	for i, d := range a.Dims {
		if mid[i] < 0 {
			return nil, errf(o, CodeAttr, "interior_padding holds %d", mid[i])
		}
		if d < 0 {
			out[i] = Dynamic
			continue
		}
		out[i] = d + lo[i] + hi[i] + max(d-1, 0)*mid[i]
		if out[i] < 0 {
			return nil, errf(o, CodeShape, "dim %d would have %d elements", i, out[i])
		}
	}
	return []Type{like(a, out)}, nil
}

func verifyReshape(o *Op) error {
	a, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	r := o.Out(0)
	if r == nil || !sameElem(a, r) {
		return errf(o, CodeElem, "operand is %s, result %s: element types must be equal", a, TypeString(o.Results[0].Type))
	}
	x, ok := a.NumElements()
	y, ok2 := r.NumElements()
	if ok && ok2 && x != y && !a.Unranked {
		return errf(o, CodeShape, "operand %s has %d elements, result %s has %d", a, x, r, y)
	}
	return nil
}

func inferReverse(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	dims, err := needInts(o, "dimensions", -1)
	if err != nil {
		return nil, err
	}
	return []Type{like(a, a.Dims)}, checkDims(o, "dimensions", dims, len(a.Dims))
}

func inferSlice(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	n := len(a.Dims)
	lo, err := needInts(o, "start_indices", n)
	if err != nil {
		return nil, err
	}
	hi, err := needInts(o, "limit_indices", n)
	if err != nil {
		return nil, err
	}
	step, err := needInts(o, "strides", n)
	if err != nil {
		return nil, err
	}
	out := make([]int64, n)
	for i, d := range a.Dims {
		if step[i] < 1 || lo[i] < 0 || hi[i] < lo[i] || d >= 0 && hi[i] > d {
			return nil, errf(o, CodeShape, "dim %d of extent %d cannot be sliced [%d:%d:%d]", i, d, lo[i], hi[i], step[i])
		}
		out[i] = (hi[i] - lo[i] + step[i] - 1) / step[i]
	}
	return []Type{like(a, out)}, nil
}

func inferTranspose(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	perm, err := needInts(o, "permutation", len(a.Dims))
	if err != nil {
		return nil, err
	}
	if err := checkDims(o, "permutation", perm, len(a.Dims)); err != nil {
		return nil, err
	}
	out := make([]int64, len(perm))
	r := like(a, out)
	if a.Bounds != nil {
		r.Bounds = make([]int64, len(perm))
	}
	for i, p := range perm {
		out[i] = a.Dims[p]
		if r.Bounds != nil {
			r.Bounds[i] = a.Bounds[p]
		}
	}
	return []Type{r}, nil
}

// scalarIndices checks run-time start indices: scalars of one integer type, one a dimension.
func scalarIndices(o *Op, first, rank int) error {
	if len(o.Operands)-first != rank {
		return errf(o, CodeArity, "%d start indices for rank %d", len(o.Operands)-first, rank)
	}
	for i := first; i < len(o.Operands); i++ {
		t := o.In(i)
		if t == nil || len(t.Dims) != 0 || !t.Elem.IsInt() || t.Elem != o.In(first).Elem {
			return errf(o, CodeElem, "operand %d is %s: start indices must be integer scalars of one type", i, TypeString(o.Operands[i].Type))
		}
	}
	return nil
}

func inferDynamicSlice(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	if err := scalarIndices(o, 1, len(a.Dims)); err != nil {
		return nil, err
	}
	sizes, err := needInts(o, "slice_sizes", len(a.Dims))
	if err != nil {
		return nil, err
	}
	for i, s := range sizes {
		if s < 0 || a.Dims[i] >= 0 && s > a.Dims[i] {
			return nil, errf(o, CodeShape, "slice size %d exceeds dim %d of extent %d", s, i, a.Dims[i])
		}
	}
	return []Type{like(a, append([]int64(nil), sizes...))}, nil
}

func inferDynamicUpdateSlice(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	u, err := tensorIn(o, 1)
	if err != nil {
		return nil, err
	}
	if err := scalarIndices(o, 2, len(a.Dims)); err != nil {
		return nil, err
	}
	if len(u.Dims) != len(a.Dims) || !sameElem(a, u) {
		return nil, errf(o, CodeShape, "update is %s, operand %s", u, a)
	}
	for i, d := range u.Dims {
		if d >= 0 && a.Dims[i] >= 0 && d > a.Dims[i] {
			return nil, errf(o, CodeShape, "update dim %d is %d, exceeds the operand's %d", i, d, a.Dims[i])
		}
	}
	return []Type{like(a, a.Dims)}, nil
}

// indexShape returns the extents of an index tensor without its index vector dimension, and that dimension's extent.
func indexShape(o *Op, t *TensorType, vec int64) ([]int64, int64, error) {
	if vec < 0 || vec > int64(len(t.Dims)) {
		return nil, 0, errf(o, CodeAttr, "index_vector_dim is %d, the indices have rank %d", vec, len(t.Dims))
	}
	if !t.Elem.IsInt() {
		return nil, 0, errf(o, CodeElem, "indices hold %s, must hold integers", t.ElemString())
	}
	size := int64(1)
	var batch []int64
	for i, d := range t.Dims {
		if int64(i) == vec {
			size = d
			continue
		}
		batch = append(batch, d)
	}
	return batch, size, nil
}

func contains(xs []int64, v int64) bool {
	for _, x := range xs {
		if x == v {
			return true
		}
	}
	return false
}

// sliceSizes are the slice sizes of a gather: an attribute, or an operand, of which only a constant is known.
func sliceSizes(o *Op, rank int) ([]int64, error) {
	if len(o.Operands) < 3 {
		sizes, err := needInts(o, "slice_sizes", rank)
		if err != nil {
			return nil, err
		}
		for _, s := range sizes {
			if s < 0 {
				return nil, errf(o, CodeAttr, "slice_sizes holds %d", s)
			}
		}
		return sizes, nil
	}
	t := o.In(2)
	if t == nil || len(t.Dims) != 1 || !t.Elem.IsInt() || !compatDim(t.Dims[0], int64(rank)) {
		return nil, errf(o, CodeShape, "slice sizes are %s, must be a vector of %d integers", TypeString(o.Operands[2].Type), rank)
	}
	if v, ok := constInts(o.Operands[2]); ok {
		for _, s := range v {
			if s < 0 {
				return nil, errf(o, CodeShape, "slice sizes hold %d", s)
			}
		}
		return v, nil
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = Dynamic
	}
	return out, nil
}

// sorted requires ascending dimensions.
func sorted(o *Op, name string, dims []int64) error {
	if !slices.IsSorted(dims) {
		return errf(o, CodeAttr, "%s is %v, must be ascending", name, dims)
	}
	return nil
}

// batching checks that batching dimensions of an index tensor are dimensions of it, other than the index vector's, and as
// long as the operand's.
func batching(o *Op, name string, a *TensorType, dims []int64, idx *TensorType, at []int64, vec int64) error {
	if err := checkDims(o, name, at, len(idx.Dims)); err != nil {
		return err
	}
	for i, d := range at {
		if d == vec {
			return errf(o, CodeAttr, "%s holds %d, the dimension of the index vectors", name, d)
		}
		if i < len(dims) && dims[i] >= 0 && dims[i] < int64(len(a.Dims)) && !compatDim(a.Dims[dims[i]], idx.Dims[d]) {
			return errf(o, CodeShape, "batching dims differ: operand dim %d is %d, index dim %d is %d", dims[i], a.Dims[dims[i]], d, idx.Dims[d])
		}
	}
	return nil
}

func inferGather(o *Op) ([]Type, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	idx, err := tensorIn(o, 1)
	if err != nil {
		return nil, err
	}
	g, ok := o.Attrs.Get("dimension_numbers").(*GatherDims)
	if !ok {
		return nil, errf(o, CodeAttr, "dimension_numbers is missing")
	}
	sizes, err := sliceSizes(o, len(a.Dims))
	if err != nil {
		return nil, err
	}
	batch, n, err := indexShape(o, idx, g.IndexVectorDim)
	if err != nil {
		return nil, err
	}
	if !compatDim(n, int64(len(g.StartIndexMap))) {
		return nil, errf(o, CodeShape, "index vectors have %d entries, start_index_map %d", n, len(g.StartIndexMap))
	}
	if err := first(checkDims(o, "start_index_map", g.StartIndexMap, len(a.Dims)),
		sorted(o, "offset_dims", g.OffsetDims), sorted(o, "collapsed_slice_dims", g.CollapsedSliceDims), sorted(o, "operand_batching_dims", g.OperandBatchingDims),
		checkDims(o, "start_index_map and operand_batching_dims", slices.Concat(g.StartIndexMap, g.OperandBatchingDims), len(a.Dims)),
		batching(o, "start_indices_batching_dims", a, g.OperandBatchingDims, idx, g.StartIndicesBatchingDims, g.IndexVectorDim)); err != nil {
		return nil, err
	}
	dropped := append(append([]int64(nil), g.CollapsedSliceDims...), g.OperandBatchingDims...)
	if err := checkDims(o, "collapsed_slice_dims and operand_batching_dims", dropped, len(a.Dims)); err != nil {
		return nil, err
	}
	if len(g.OperandBatchingDims) != len(g.StartIndicesBatchingDims) {
		return nil, errf(o, CodeAttr, "operand_batching_dims and start_indices_batching_dims have %d and %d entries", len(g.OperandBatchingDims), len(g.StartIndicesBatchingDims))
	}
	var window []int64
	for i, s := range sizes {
		if s != Dynamic && (s < 0 || a.Dims[i] >= 0 && s > a.Dims[i]) {
			return nil, errf(o, CodeShape, "slice size %d exceeds dim %d of extent %d", s, i, a.Dims[i])
		}
		if contains(dropped, int64(i)) {
			if s > 1 {
				return nil, errf(o, CodeShape, "collapsed dim %d has slice size %d, must be at most 1", i, s)
			}
			continue
		}
		window = append(window, s)
	}
	rank := len(batch) + len(window)
	if len(g.OffsetDims) != len(window) {
		return nil, errf(o, CodeAttr, "offset_dims has %d entries, the slices have %d dimensions left", len(g.OffsetDims), len(window))
	}
	if err := checkDims(o, "offset_dims", g.OffsetDims, rank); err != nil {
		return nil, err
	}
	out := make([]int64, rank)
	w, b := 0, 0
	for i := range out {
		if contains(g.OffsetDims, int64(i)) {
			out[i] = window[w]
			w++
		} else {
			out[i] = batch[b]
			b++
		}
	}
	return []Type{like(a, out)}, nil
}

func inferScatter(o *Op) ([]Type, error) {
	n := (len(o.Operands) - 1) / 2
	if len(o.Operands) != 2*n+1 || n < 1 {
		return nil, errf(o, CodeArity, "%d operands, must be inputs, indices and as many updates as inputs", len(o.Operands))
	}
	out := make([]Type, n)
	for i := range out {
		t, err := tensorIn(o, i)
		if err != nil {
			return nil, err
		}
		out[i] = like(bodyElem(o, 0, i, t), t.Dims)
	}
	return out, nil
}

func verifyScatter(o *Op) error {
	n := (len(o.Operands) - 1) / 2
	a := o.In(0)
	idx, err := tensorIn(o, n)
	if err != nil {
		return err
	}
	s, ok := o.Attrs.Get("scatter_dimension_numbers").(*ScatterDims)
	if !ok {
		return errf(o, CodeAttr, "scatter_dimension_numbers is missing")
	}
	batch, vec, err := indexShape(o, idx, s.IndexVectorDim)
	if err != nil {
		return err
	}
	if !compatDim(vec, int64(len(s.ScatterDimsToOperandDims))) {
		return errf(o, CodeShape, "index vectors have %d entries, scatter_dims_to_operand_dims %d", vec, len(s.ScatterDimsToOperandDims))
	}
	for _, c := range []struct {
		name string
		dims []int64
	}{{"inserted_window_dims", s.InsertedWindowDims}, {"input_batching_dims", s.InputBatchingDims}, {"scatter_dims_to_operand_dims", s.ScatterDimsToOperandDims}} {
		if err := checkDims(o, c.name, c.dims, len(a.Dims)); err != nil {
			return err
		}
	}
	if err := first(sorted(o, "update_window_dims", s.UpdateWindowDims), sorted(o, "inserted_window_dims", s.InsertedWindowDims),
		sorted(o, "input_batching_dims", s.InputBatchingDims),
		checkDims(o, "inserted_window_dims and input_batching_dims", slices.Concat(s.InsertedWindowDims, s.InputBatchingDims), len(a.Dims)),
		checkDims(o, "scatter_dims_to_operand_dims and input_batching_dims", slices.Concat(s.ScatterDimsToOperandDims, s.InputBatchingDims), len(a.Dims)),
		batching(o, "scatter_indices_batching_dims", a, s.InputBatchingDims, idx, s.ScatterIndicesBatchingDims, s.IndexVectorDim)); err != nil {
		return err
	}
	for k := range n {
		u, err := tensorIn(o, n+1+k)
		if err != nil {
			return err
		}
		if !sameElem(u, o.In(k)) {
			return errf(o, CodeElem, "update %d holds %s, input %s", k, u.ElemString(), o.In(k).ElemString())
		}
		if len(u.Dims) != len(batch)+len(s.UpdateWindowDims) {
			return errf(o, CodeShape, "update %d has rank %d, must be %d (indices) + %d (window)", k, len(u.Dims), len(batch), len(s.UpdateWindowDims))
		}
		if err := checkDims(o, "update_window_dims", s.UpdateWindowDims, len(u.Dims)); err != nil {
			return err
		}
		b := 0
		var window []int64
		for i, d := range u.Dims {
			if contains(s.UpdateWindowDims, int64(i)) {
				window = append(window, d)
				continue
			}
			if !compatDim(d, batch[b]) {
				return errf(o, CodeShape, "update %d dim %d is %d, the indices have %d", k, i, d, batch[b])
			}
			b++
		}
		w := 0
		for i, d := range a.Dims {
			if contains(s.InsertedWindowDims, int64(i)) || contains(s.InputBatchingDims, int64(i)) {
				continue
			}
			if w >= len(window) {
				return errf(o, CodeShape, "update_window_dims has %d entries, the input has more dimensions left", len(window))
			}
			if window[w] >= 0 && d >= 0 && window[w] > d {
				return errf(o, CodeShape, "update window dim %d is %d, exceeds the input's %d", w, window[w], d)
			}
			w++
		}
		if w != len(window) {
			return errf(o, CodeShape, "update_window_dims has %d entries, the input has %d dimensions left", len(window), w)
		}
	}
	return verifyPromotion(o, 0, o.Operands[n+1:], o.Operands[:n])
}

// inferOperandTypes: results have the operands' types.
func inferOperandTypes(o *Op) ([]Type, error) {
	out := make([]Type, len(o.Operands))
	for i, v := range o.Operands {
		out[i] = v.Type
	}
	return out, nil
}

func verifySort(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	for i, t := range ts {
		if !CompatibleShapes(t, ts[0]) {
			return errf(o, CodeShape, "operand 0 is %s, operand %d is %s: shapes must be equal", ts[0], i, t)
		}
	}
	rank := int64(len(ts[0].Dims))
	if d := o.IntOr("dimension", -1); d < -rank || d >= rank && rank > 0 {
		return errf(o, CodeAttr, "dimension is %d, the rank is %d", d, rank)
	}
	if len(o.Regions[0].Blocks) != 1 {
		return errf(o, CodeRegion, "the comparator must have one block")
	}
	args := o.Body(0).Args
	if len(args) != 2*len(ts) {
		return errf(o, CodeRegion, "comparator has %d arguments, must have %d", len(args), 2*len(ts))
	}
	for i, a := range args {
		t := TensorOf(a)
		if t == nil || len(t.Dims) != 0 || t.Elem != ts[i/2].Elem {
			return errf(o, CodeRegion, "comparator argument %d is %s, must be a scalar of %s", i, TypeString(a.Type), ts[i/2].ElemString())
		}
	}
	term := o.Body(0).Terminator()
	if term == nil || len(term.Operands) != 1 || TensorOf(term.Operands[0]) == nil || TensorOf(term.Operands[0]).Elem != dtype.I1 {
		return errf(o, CodeRegion, "comparator must return one i1")
	}
	return nil
}
