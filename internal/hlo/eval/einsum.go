package eval

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.einsum", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		cfg, _ := o.Str("einsum_config")
		ins, out, err := einsumLabels(o, cfg, in)
		if err != nil {
			return nil, err
		}
		t, err := einsum(o, ins, out, in[0].T, in[1].T)
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
	register("stablehlo.unary_einsum", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		cfg, _ := o.Str("einsum_config")
		ins, out, err := einsumLabels(o, cfg, in)
		if err != nil {
			return nil, err
		}
		// A second operand of one element, the number one, makes it a contraction like any other.
		unit := convert(fromInts(in[0].T.Type, nil, []int64{1}), in[0].T.Type)
		if in[0].T.Type.IsFloat() || in[0].T.Type.IsComplex() {
			unit = fromNumbers(in[0].T, nil, []complex128{1})
		}
		t, err := einsum(o, append(ins, ""), out, in[0].T, unit)
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
	register("stablehlo.torch_index_select", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		t, err := torchIndexSelect(o, in[0].T, in[1].T, int(o.IntOr("dim", 0)), int(o.IntOr("batch_dims", 0)))
		if err != nil {
			return nil, err
		}
		return one(t), nil
	})
	register("stablehlo.trace", func(*machine, *hlo.Op, []Val) ([]Val, error) { return nil, nil })
	register("chlo.ragged_dot", runRaggedDot)
}

// einsumLabels splits "ab,bc->ac" and checks that labels fit the operands.
func einsumLabels(o *hlo.Op, cfg string, in []Val) (ins []string, out string, err error) {
	lhs, out, ok := strings.Cut(strings.ReplaceAll(cfg, " ", ""), "->")
	ins = strings.Split(lhs, ",")
	if !ok || len(ins) != len(in) || strings.Contains(cfg, ".") {
		return nil, "", errf(o, CodeUnsupported, "the notation %q is not supported for %d operands", cfg, len(in))
	}
	extent := map[rune]int{}
	for i, s := range ins {
		if len(s) != len(in[i].T.Shape) {
			return nil, "", errf(o, CodeShape, "%q names %d dimensions of an operand of shape %v", s, len(s), in[i].T.Shape)
		}
		for k, r := range s {
			if d, ok := extent[r]; ok && d != in[i].T.Shape[k] || strings.Count(s, string(r)) > 1 {
				return nil, "", errf(o, CodeShape, "label %q stands for different extents or twice in one operand", string(r))
			}
			extent[r] = in[i].T.Shape[k]
		}
	}
	for _, r := range out {
		if _, ok := extent[r]; !ok {
			return nil, "", errf(o, CodeShape, "label %q of the result is in no operand", string(r))
		}
	}
	return ins, out, nil
}

// einsum contracts two operands. A label of one operand alone that the result lacks is summed by multiplying with
// ones along it.
func einsum(o *hlo.Op, ins []string, out string, a, b *tensor.Tensor) (*tensor.Tensor, error) {
	la, lb := ins[0], ins[1]
	widen := func(from string, shape []int, to string, t *tensor.Tensor) (string, *tensor.Tensor) {
		for k, r := range from {
			if strings.ContainsRune(out, r) || strings.ContainsRune(to, r) {
				continue
			}
			dims := make([]int, len(t.Shape))
			for i := range dims {
				dims[i] = i
			}
			t = broadcastInDim(t, dims, append(append([]int(nil), t.Shape...), shape[k]))
			to += string(r)
		}
		return to, t
	}
	lb, b = widen(la, a.Shape, lb, b)
	la, a = widen(lb, b.Shape, la, a)
	d := &hlo.DotDims{}
	order := ""
	for i, r := range la {
		if k := strings.IndexRune(lb, r); k >= 0 {
			if strings.ContainsRune(out, r) {
				d.LhsBatch, d.RhsBatch = append(d.LhsBatch, int64(i)), append(d.RhsBatch, int64(k))
				order += string(r)
			} else {
				d.LhsContract, d.RhsContract = append(d.LhsContract, int64(i)), append(d.RhsContract, int64(k))
			}
		}
	}
	for _, i := range freeDims(len(la), d.LhsBatch, d.LhsContract) {
		order += la[i : i+1]
	}
	for _, i := range freeDims(len(lb), d.RhsBatch, d.RhsContract) {
		order += lb[i : i+1]
	}
	if len(order) != len(out) {
		return nil, errf(o, CodeShape, "the result's labels %q are not those of the operands", out)
	}
	perm := make([]int, len(out))
	for i, r := range out {
		perm[i] = strings.IndexRune(order, r)
	}
	return transpose(dotGeneral(a, b, d, o.Out(0).Elem), perm), nil
}

// torchIndexSelect: result[batch, before, index..., after] = operand[batch, before, index[batch, ...], after]. Indices
// outside of the dimension are clamped, as gather does.
func torchIndexSelect(o *hlo.Op, a, idx *tensor.Tensor, dim, batch int) (*tensor.Tensor, error) {
	if dim < 0 {
		dim += len(a.Shape)
	}
	if batch < 0 {
		batch += len(idx.Shape)
	}
	if dim < 0 || dim >= len(a.Shape) || batch < 0 || batch > dim || batch > len(idx.Shape) {
		return nil, errf(o, CodeShape, "dim %d and batch_dims %d do not fit shapes %v and %v", dim, batch, a.Shape, idx.Shape)
	}
	g := &hlo.GatherDims{IndexVectorDim: int64(len(idx.Shape)), StartIndexMap: []int64{int64(dim)}, CollapsedSliceDims: []int64{int64(dim)}}
	sizes := append([]int(nil), a.Shape...)
	sizes[dim] = 1
	for i := range batch {
		g.OperandBatchingDims, g.StartIndicesBatchingDims = append(g.OperandBatchingDims, int64(i)), append(g.StartIndicesBatchingDims, int64(i))
		sizes[i] = 1
	}
	inner := len(idx.Shape) - batch
	for i := range a.Shape {
		switch {
		case i < batch || i == dim:
		case i < dim:
			g.OffsetDims = append(g.OffsetDims, int64(i))
		default:
			g.OffsetDims = append(g.OffsetDims, int64(i-1+inner))
		}
	}
	return gather(a, idx, g, sizes), nil
}

var raggedList = regexp.MustCompile(`(\w+)_dimensions = \[([^\]]*)\]`)

// runRaggedDot multiplies in groups along a ragged dimension of the left side, whose sizes are values. If the rows are
// ragged, each group of rows has its own right side; if the contracted dimension is, each group gives a product of
// its own; if a batch dimension is, the groups do not matter.
func runRaggedDot(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
	text, _ := o.Attrs.Get("ragged_dot_dimension_numbers").(hlo.OpaqueAttr)
	lists := map[string][]int64{}
	for _, g := range raggedList.FindAllStringSubmatch(text.Text, -1) {
		for _, w := range strings.Split(g[2], ",") {
			if n, err := strconv.ParseInt(strings.TrimSpace(w), 10, 64); err == nil {
				lists[g[1]] = append(lists[g[1]], n)
			}
		}
	}
	a, b, sizes := in[0].T, in[1].T, in[2].T
	d := &hlo.DotDims{LhsBatch: lists["lhs_batching"], RhsBatch: lists["rhs_batching"], LhsContract: lists["lhs_contracting"], RhsContract: lists["rhs_contracting"]}
	ragged, group := lists["lhs_ragged"], lists["rhs_group"]
	if len(ragged) != 1 || len(sizes.Shape) != 1 || len(group) > 1 || ragged[0] >= int64(len(a.Shape)) {
		return nil, errf(o, CodeUnsupported, "the evaluator takes one ragged dimension and one list of group sizes")
	}
	to := o.Out(0).Elem
	rd := int(ragged[0])
	find := func(v []int64) int {
		for i, x := range v {
			if int(x) == rd {
				return i
			}
		}
		return -1
	}
	if find(d.LhsBatch) >= 0 {
		return one(dotGeneral(a, b, d, to)), nil
	}
	kk := find(d.LhsContract)
	if kk < 0 && len(group) != 1 {
		return nil, errf(o, CodeShape, "the right side has no group dimension")
	}
	var parts []*tensor.Tensor
	at := 0
	for i, n := range vector(sizes) {
		if n < 0 || at+n > a.Shape[rd] {
			return nil, errf(o, CodeShape, "group %d of size %d exceeds the ragged dimension of extent %d", i, n, a.Shape[rd])
		}
		lhs := span(a, rd, at, at+n)
		at += n
		if kk >= 0 {
			p := dotGeneral(lhs, span(b, int(d.RhsContract[kk]), at-n, at), d, to)
			parts = append(parts, reshaped(p, append([]int{1}, p.Shape...)))
			continue
		}
		g := int(group[0])
		rhs := span(b, g, i, i+1)
		rhs = reshaped(rhs, append(append([]int(nil), b.Shape[:g]...), b.Shape[g+1:]...))
		e := &hlo.DotDims{LhsBatch: d.LhsBatch, LhsContract: d.LhsContract, RhsBatch: without(d.RhsBatch, g), RhsContract: without(d.RhsContract, g)}
		parts = append(parts, dotGeneral(lhs, rhs, e, to))
	}
	shape := toInts(o.Out(0).Dims)
	if kk >= 0 {
		if len(parts) == 0 {
			return one(tensor.New(to, shape...)), nil
		}
		return one(concat(parts, 0)), nil
	}
	// The ragged dimension's place in the result; rows of no group are zero.
	place := len(d.LhsBatch)
	for _, f := range freeDims(len(a.Shape), d.LhsBatch, d.LhsContract) {
		if f == rd {
			break
		}
		place++
	}
	shape[place] -= at
	return one(concat(append(parts, tensor.New(to, shape...)), place)), nil
}

// span is the part [lo, hi) of a dimension.
func span(t *tensor.Tensor, dim, lo, hi int) *tensor.Tensor {
	from, to, step := make([]int, len(t.Shape)), append([]int(nil), t.Shape...), make([]int, len(t.Shape))
	for i := range step {
		step[i] = 1
	}
	from[dim], to[dim] = lo, hi
	return slice(t, from, to, step)
}

// without renumbers dimensions after dimension g has gone.
func without(v []int64, g int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = x
		if int(x) > g {
			out[i]--
		}
	}
	return out
}
