package hlo

import "strings"

var _ = define(
	OpDef{Name: "stablehlo.dot_general", Doc: "products summed over contracting dimensions, per batch", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{req("dot_dimension_numbers", AttrDotDims), opt("precision_config", AttrEnums), opt("algorithm", AttrAny)}, Verify: verifyDotGeneral},
	OpDef{Name: "stablehlo.dot", Doc: "vector and matrix product", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{opt("precision_config", AttrEnums)}, Verify: verifyDot},
	OpDef{Name: "stablehlo.convolution", Doc: "windowed products summed over input features", In: exactly(2), Out: exactly(1), Traits: PerAxis | Pure, Attrs: append([]AttrDef{},
		convAttrs...), Verify: func(o *Op) error { return verifyConvolution(o, true) }},
	OpDef{Name: "stablehlo.dynamic_conv", Doc: "convolution with run-time padding", In: exactly(3), Out: exactly(1), Traits: PerAxis | Pure, Attrs: append([]AttrDef{}, convAttrs...), Verify: verifyDynamicConv},
	OpDef{Name: "stablehlo.einsum", Doc: "a product in Einstein notation", In: exactly(2), Out: exactly(1), Traits: Pure, Attrs: []AttrDef{req("einsum_config", AttrString)}, Verify: verifyEinsum},
	OpDef{Name: "stablehlo.unary_einsum", Doc: "a reduction or transposition in Einstein notation", In: exactly(1), Out: exactly(1), Traits: Pure,
		Attrs: []AttrDef{req("einsum_config", AttrString)}, Verify: verifyEinsum},
)

var convAttrs = []AttrDef{opt("window_strides", AttrInts), opt("padding", AttrPairs), opt("lhs_dilation", AttrInts), opt("rhs_dilation", AttrInts),
	opt("window_reversal", AttrBools), req("dimension_numbers", AttrConvDims), req("feature_group_count", AttrInt), req("batch_group_count", AttrInt),
	opt("precision_config", AttrEnums)}

// DotShape returns the result extents of a dot_general: batch, lhs free, rhs free dimensions.
func DotShape(o *Op) ([]int64, error) {
	a, err := tensorIn(o, 0)
	if err != nil {
		return nil, err
	}
	b, err := tensorIn(o, 1)
	if err != nil {
		return nil, err
	}
	d, ok := o.Attrs.Get("dot_dimension_numbers").(*DotDims)
	if !ok {
		return nil, errf(o, CodeAttr, "dot_dimension_numbers is missing")
	}
	if len(d.LhsBatch) != len(d.RhsBatch) || len(d.LhsContract) != len(d.RhsContract) {
		return nil, errf(o, CodeAttr, "batching or contracting dimensions differ in number")
	}
	lhs := append(append([]int64(nil), d.LhsBatch...), d.LhsContract...)
	rhs := append(append([]int64(nil), d.RhsBatch...), d.RhsContract...)
	if err := checkDims(o, "lhs dimensions", lhs, len(a.Dims)); err != nil {
		return nil, err
	}
	if err := checkDims(o, "rhs dimensions", rhs, len(b.Dims)); err != nil {
		return nil, err
	}
	for i := range lhs {
		if !compatDim(a.Dims[lhs[i]], b.Dims[rhs[i]]) {
			kind := "contracting"
			if i < len(d.LhsBatch) {
				kind = "batching"
			}
			e := errf(o, CodeShape, "%s dimensions differ: lhs dim %d is %d, rhs dim %d is %d", kind, lhs[i], a.Dims[lhs[i]], rhs[i], b.Dims[rhs[i]])
			for k, x := range b.Dims {
				if kind == "contracting" && x == a.Dims[lhs[i]] && !contains(rhs, int64(k)) {
					return nil, e.WithHint("did you mean contracting_dims = [%d] x [%d]?", lhs[i], k)
				}
			}
			return nil, e
		}
	}
	var out []int64
	for i, x := range d.LhsBatch {
		out = append(out, meet(a.Dims[x], b.Dims[d.RhsBatch[i]]))
	}
	for i, x := range a.Dims {
		if !contains(lhs, int64(i)) {
			out = append(out, x)
		}
	}
	for i, x := range b.Dims {
		if !contains(rhs, int64(i)) {
			out = append(out, x)
		}
	}
	return out, nil
}

func verifyDotGeneral(o *Op) error {
	dims, err := DotShape(o)
	if err != nil {
		return err
	}
	r := o.Out(0)
	if r == nil || !CompatibleShapes(&TensorType{Dims: dims}, r) {
		return errf(o, CodeResult, "result is %s, its shape must be %v", TypeString(o.Results[0].Type), dims)
	}
	a, b := o.In(0), o.In(1)
	if err := first(verifyProductQuant(o), verifyWeightZero(o)); err != nil {
		return err
	}
	if d, ok := o.Attrs.Get("dot_dimension_numbers").(*DotDims); ok && b.Quant != nil && b.Quant.Axis >= 0 && contains(d.RhsContract, int64(b.Quant.Axis)) {
		return errf(o, CodeElem, "the right operand is quantised along dimension %d, which is contracted", b.Quant.Axis)
	}
	if a.Quant == nil && b.Quant == nil && (a.Elem.IsComplex() != b.Elem.IsComplex() || a.Elem.IsComplex() != r.Elem.IsComplex()) {
		return errf(o, CodeElem, "cannot multiply %s by %s into %s", a.ElemString(), b.ElemString(), r.ElemString())
	}
	return nil
}

func verifyDot(o *Op) error {
	a, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	b, err := tensorIn(o, 1)
	if err != nil {
		return err
	}
	if len(a.Dims) < 1 || len(a.Dims) > 2 || len(b.Dims) < 1 || len(b.Dims) > 2 {
		return errf(o, CodeShape, "operands are %s and %s: must be vectors or matrices", a, b)
	}
	if !compatDim(a.Dims[len(a.Dims)-1], b.Dims[0]) {
		return errf(o, CodeShape, "lhs dim %d is %d, rhs dim 0 is %d", len(a.Dims)-1, a.Dims[len(a.Dims)-1], b.Dims[0])
	}
	dims := append(append([]int64(nil), a.Dims[:len(a.Dims)-1]...), b.Dims[1:]...)
	if r := o.Out(0); r == nil || !CompatibleShapes(&TensorType{Dims: dims}, r) {
		return errf(o, CodeResult, "result is %s, its shape must be %v", TypeString(o.Results[0].Type), dims)
	}
	return nil
}

// ConvWindow returns the window parameters of a convolution, defaults filled in; Size holds the kernel's spatial
// extents.
func ConvWindow(o *Op) (Window, error) {
	d, ok := o.Attrs.Get("dimension_numbers").(*ConvDims)
	if !ok {
		return Window{}, errf(o, CodeAttr, "dimension_numbers is missing")
	}
	n := len(d.InSpatial)
	k := o.In(1)
	w := Window{Stride: o.IntsOr("window_strides", n, 1), BaseDilation: o.IntsOr("lhs_dilation", n, 1), Dilation: o.IntsOr("rhs_dilation", n, 1)}
	for _, x := range d.KernelSpatial {
		w.Size = append(w.Size, k.Dims[x])
	}
	if o.Name() == "stablehlo.dynamic_conv" && len(w.Stride) > n {
		w.Stride = w.Stride[:n] // JAX's exporter writes the strides of the two-dimensional form for one dimension
	}
	for _, c := range []struct {
		name string
		v    []int64
	}{{"window_strides", w.Stride}, {"lhs_dilation", w.BaseDilation}, {"rhs_dilation", w.Dilation}} {
		if len(c.v) != n {
			return w, errf(o, CodeAttr, "%s has %d entries, there are %d spatial dimensions", c.name, len(c.v), n)
		}
		for _, x := range c.v {
			if x < 1 {
				return w, errf(o, CodeAttr, "%s holds %d, must be positive", c.name, x)
			}
		}
	}
	if w.Pad, ok = o.Pairs("padding", n); !ok {
		return w, errf(o, CodeAttr, "padding must have shape [%d, 2]", n)
	}
	return w, nil
}

// verifyDynamicConv checks what does not depend on the padding.
func verifyDynamicConv(o *Op) error {
	d, ok := o.Attrs.Get("dimension_numbers").(*ConvDims)
	if !ok {
		return errf(o, CodeAttr, "dimension_numbers is missing")
	}
	if p := o.In(2); p == nil || !p.Elem.IsInt() || !CompatibleShapes(p, &TensorType{Dims: []int64{int64(len(d.InSpatial)), 2}}) {
		return errf(o, CodeShape, "padding is %s, must be integers of shape [%d, 2]", TypeString(o.Operands[2].Type), len(d.InSpatial))
	}
	return verifyConvolution(o, false)
}

func verifyConvolution(o *Op, padded bool) error {
	a, err := tensorIn(o, 0)
	if err != nil {
		return err
	}
	k, err := tensorIn(o, 1)
	if err != nil {
		return err
	}
	r := o.Out(0)
	if r == nil || len(a.Dims) != len(k.Dims) || len(r.Dims) != len(a.Dims) || len(a.Dims) < 2 {
		return errf(o, CodeShape, "input %s, kernel %s and result must have one rank", a, k)
	}
	d, ok := o.Attrs.Get("dimension_numbers").(*ConvDims)
	if !ok {
		return errf(o, CodeAttr, "dimension_numbers is missing")
	}
	for _, c := range []struct {
		name string
		dims []int64
	}{{"input dimensions", append([]int64{d.InBatch, d.InFeature}, d.InSpatial...)},
		{"kernel dimensions", append([]int64{d.KernelInFeature, d.KernelOutFeature}, d.KernelSpatial...)},
		{"output dimensions", append([]int64{d.OutBatch, d.OutFeature}, d.OutSpatial...)}} {
		if len(c.dims) != len(a.Dims) {
			return errf(o, CodeAttr, "%s name %d dimensions, the rank is %d", c.name, len(c.dims), len(a.Dims))
		}
		if err := checkDims(o, c.name, c.dims, len(a.Dims)); err != nil {
			return err
		}
	}
	w, err := ConvWindow(o)
	if err != nil {
		return err
	}
	if v, ok := o.Ints("window_reversal"); ok && len(v) != len(d.InSpatial) {
		return errf(o, CodeAttr, "window_reversal has %d entries, there are %d spatial dimensions", len(v), len(d.InSpatial))
	}
	for i, n := range w.Size {
		if n == 0 {
			return errf(o, CodeShape, "kernel dim %d is 0, a window must hold something", d.KernelSpatial[i])
		}
	}
	if a.Quant == nil && k.Quant == nil && !sameElem(a, k) && !(a.Elem.IsFloat() && k.Elem.IsFloat()) {
		return errf(o, CodeElem, "cannot multiply %s by %s", a.ElemString(), k.ElemString())
	}
	if err := first(verifyProductQuant(o), quantAxisIs(o, "the kernel", k, d.KernelOutFeature), quantAxisIs(o, "the result", r, d.OutFeature)); err != nil {
		return err
	}
	fg, bg := o.IntOr("feature_group_count", 1), o.IntOr("batch_group_count", 1)
	if fg < 1 || bg < 1 || fg > 1 && bg > 1 {
		return errf(o, CodeAttr, "feature_group_count %d and batch_group_count %d: positive, and one of them 1", fg, bg)
	}
	in, kin, kout := a.Dims[d.InFeature], k.Dims[d.KernelInFeature], k.Dims[d.KernelOutFeature]
	if in >= 0 && in%fg != 0 {
		return errf(o, CodeShape, "input features %d are not a multiple of feature_group_count %d", in, fg)
	}
	if in >= 0 && kin >= 0 && in != kin*fg {
		return errf(o, CodeShape, "input has %d features, kernel takes %d in %d groups", in, kin, fg)
	}
	if kout >= 0 && (kout%fg != 0 || kout%bg != 0) {
		return errf(o, CodeShape, "kernel output features %d are not a multiple of the groups", kout)
	}
	nb := a.Dims[d.InBatch]
	if nb >= 0 {
		if nb%bg != 0 {
			return errf(o, CodeShape, "batch %d is not a multiple of batch_group_count %d", nb, bg)
		}
		nb /= bg
	}
	if !compatDim(nb, r.Dims[d.OutBatch]) || !compatDim(kout, r.Dims[d.OutFeature]) {
		return errf(o, CodeResult, "result is %s, batch must be %d and features %d", r, nb, kout)
	}
	for i, x := range d.InSpatial {
		if w.Size[i] < 0 || !padded {
			continue
		}
		n := windowExtent(a.Dims[x], w.Size[i], w.Stride[i], w.BaseDilation[i], w.Dilation[i], w.Pad[i])
		if !compatDim(n, r.Dims[d.OutSpatial[i]]) {
			return errf(o, CodeResult, "result dim %d is %d, the window has %d positions", d.OutSpatial[i], r.Dims[d.OutSpatial[i]], n)
		}
	}
	return nil
}

// verifyEinsum checks that a configuration such as "ij,jk->ik" names each dimension of the operands by a letter, and
// that the result has the extents its letters stand for. Configurations with an ellipsis are left to who expands them.
func verifyEinsum(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	r := o.Out(0)
	if r == nil {
		return errf(o, CodeResult, "result must be a tensor, not %s", TypeString(o.Results[0].Type))
	}
	config, _ := o.Str("einsum_config")
	left, right, ok := strings.Cut(strings.ReplaceAll(config, " ", ""), "->")
	in := strings.Split(left, ",")
	if !ok || len(in) != len(ts) {
		return errf(o, CodeAttr, "einsum_config %q does not name %d operands and a result", config, len(ts))
	}
	if strings.Contains(config, "...") {
		return nil
	}
	extent := map[rune]int64{}
	for i, t := range ts {
		if len(in[i]) != len(t.Dims) || t.Unranked {
			return errf(o, CodeShape, "einsum_config %q names %d dimensions of operand %d, which is %s", config, len(in[i]), i, t)
		}
		for k, c := range in[i] {
			n, seen := extent[c]
			if seen && !compatDim(n, t.Dims[k]) {
				return errf(o, CodeShape, "dimension %q is %d and %d", string(c), n, t.Dims[k])
			}
			extent[c] = t.Dims[k]
			if seen {
				extent[c] = meet(n, t.Dims[k])
			}
		}
	}
	if len(right) != len(r.Dims) || r.Unranked {
		return errf(o, CodeResult, "einsum_config %q names %d dimensions of the result, which is %s", config, len(right), r)
	}
	for k, c := range right {
		if n, ok := extent[c]; !ok || !compatDim(n, r.Dims[k]) {
			return errf(o, CodeResult, "result is %s, einsum_config %q makes dim %d %d", r, config, k, n)
		}
	}
	return nil
}
