package opt

import (
	"strings"

	"github.com/alcadev/alca/internal/hlo"
)

// Contractions and look-ups that dot_general and gather express:
//
//	dot %a, %b                       =>  dot_general contracting the last dimension of %a with the first of %b
//	einsum "ab,bc->ca"               =>  transpose (dot_general, letters in both and in the result batch, in both only contract)
//	unary_einsum "ab->b"             =>  transpose (reduce add over the letters the result lacks)
//	torch_index_select %x, %i        =>  gather of slices of one index along dim
//
// An einsum with "..." or a letter twice in one operand stays.
func init() {
	decompositions["stablehlo.dot"] = dot
	decompositions["stablehlo.einsum"] = einsum
	decompositions["stablehlo.unary_einsum"] = unaryEinsum
	decompositions["stablehlo.torch_index_select"] = torchIndexSelect
}

func dot(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	attrs := hlo.Attrs{{Name: "dot_dimension_numbers", Attr: &hlo.DotDims{
		LhsContract: []int64{int64(len(o.In(0).Dims) - 1)}, RhsContract: []int64{0}}}}
	for _, a := range o.Attrs {
		if a.Name == "precision_config" {
			attrs = append(attrs, a)
		}
	}
	return one(b.Typed("stablehlo.dot_general", o.Out(0), attrs, o.Operands...))
}

// subscripts splits "ab,bc->ac" and checks it against the ranks; nil when it is not of the plain kind.
func subscripts(o *hlo.Op) (in []string, out string) {
	s, _ := o.Str("einsum_config")
	s = strings.ReplaceAll(s, " ", "")
	lhs, out, ok := strings.Cut(s, "->")
	in = strings.Split(lhs, ",")
	if !ok || len(in) != len(o.Operands) {
		return nil, ""
	}
	for i, list := range append(append([]string(nil), in...), out) {
		t := o.Out(0)
		if i < len(in) {
			t = o.In(i)
		}
		if len(list) != len(t.Dims) {
			return nil, ""
		}
		for k, r := range list {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
			if !letter || strings.IndexRune(list, r) != k || i == len(in) && !strings.ContainsRune(lhs, r) {
				return nil, ""
			}
		}
	}
	return in, out
}

// sumOut adds up the dimensions of v whose letter is not wanted, and returns the letters left.
func sumOut(b *hlo.Builder, v *hlo.Value, letters string, wanted func(r rune) bool) (*hlo.Value, string) {
	var dims []int64
	kept := ""
	for i, r := range letters {
		if wanted(r) {
			kept += string(r)
		} else {
			dims = append(dims, int64(i))
		}
	}
	if len(dims) > 0 {
		v = b.Reduce("stablehlo.add", v, 0, dims...)
	}
	return v, kept
}

// arrange transposes v from one order of letters to another.
func arrange(b *hlo.Builder, v *hlo.Value, from, to string) *hlo.Value {
	perm := make([]int64, len(to))
	for i, r := range to {
		perm[i] = int64(strings.IndexRune(from, r))
	}
	return b.Transpose(v, perm...)
}

func unaryEinsum(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	in, out := subscripts(o)
	if in == nil {
		return nil
	}
	v, left := sumOut(b, o.Operands[0], in[0], func(r rune) bool { return strings.ContainsRune(out, r) })
	return one(arrange(b, v, left, out))
}

func einsum(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	in, out := subscripts(o)
	if in == nil || !sameExtents(o, in) {
		return nil
	}
	x, xs := sumOut(b, o.Operands[0], in[0], func(r rune) bool { return strings.ContainsRune(in[1]+out, r) })
	y, ys := sumOut(b, o.Operands[1], in[1], func(r rune) bool { return strings.ContainsRune(in[0]+out, r) })
	d := &hlo.DotDims{}
	var batch, xFree, yFree string
	var dims, free []int64
	for i, r := range xs {
		j := strings.IndexRune(ys, r)
		switch {
		case j < 0:
			xFree += string(r)
			free = append(free, shapeOf(x)[i])
		case strings.ContainsRune(out, r):
			batch += string(r)
			dims = append(dims, shapeOf(x)[i])
			d.LhsBatch, d.RhsBatch = append(d.LhsBatch, int64(i)), append(d.RhsBatch, int64(j))
		default:
			d.LhsContract, d.RhsContract = append(d.LhsContract, int64(i)), append(d.RhsContract, int64(j))
		}
	}
	dims = append(dims, free...)
	for j, r := range ys {
		if !strings.ContainsRune(xs, r) {
			yFree += string(r)
			dims = append(dims, shapeOf(y)[j])
		}
	}
	v := b.Typed("stablehlo.dot_general", hlo.Tensor(o.Out(0).Elem, dims...), hlo.Attrs{{Name: "dot_dimension_numbers", Attr: d}}, x, y)
	return one(arrange(b, v, batch+xFree+yFree, out))
}

// sameExtents reports whether the letters both operands have stand for the same extents.
func sameExtents(o *hlo.Op, in []string) bool {
	for i, r := range in[0] {
		if j := strings.IndexRune(in[1], r); j >= 0 && o.In(0).Dims[i] != o.In(1).Dims[j] {
			return false
		}
	}
	return true
}

func torchIndexSelect(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	x, idx := o.In(0), o.In(1)
	dim, batch := o.IntOr("dim", 0), o.IntOr("batch_dims", 0)
	if dim < 0 {
		dim += int64(len(x.Dims))
	}
	if batch < 0 {
		batch += int64(len(idx.Dims))
	}
	if batch > dim || dim >= int64(len(x.Dims)) {
		return nil
	}
	// The result has the operand's dimensions, that of dim replaced by the index's own dimensions.
	g := &hlo.GatherDims{CollapsedSliceDims: []int64{dim}, StartIndexMap: []int64{dim}, IndexVectorDim: int64(len(idx.Dims))}
	sizes := append([]int64(nil), x.Dims...)
	sizes[dim] = 1
	for i := int64(0); i < batch; i++ {
		g.OperandBatchingDims = append(g.OperandBatchingDims, i)
		g.StartIndicesBatchingDims = append(g.StartIndicesBatchingDims, i)
		sizes[i] = 1
	}
	own := int64(len(idx.Dims)) - batch
	for i := batch; i < int64(len(x.Dims)); i++ {
		switch {
		case i < dim:
			g.OffsetDims = append(g.OffsetDims, i)
		case i > dim:
			g.OffsetDims = append(g.OffsetDims, i+own-1)
		}
	}
	return one(b.Typed("stablehlo.gather", o.Out(0), hlo.Attrs{{Name: "dimension_numbers", Attr: g}, {Name: "slice_sizes", Attr: hlo.IntList(sizes...)}}, o.Operands...))
}
