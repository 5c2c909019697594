package opt

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// Sorting by rank: the place of an element is the number of elements that come before it. All pairs of a line are
// compared at once, then every place collects the element whose rank it is:
//
//	before(j, i) = i != j and (j < i ? not less(i, j) : less(j, i))      equal elements keep their order
//	rank(i)      = sum over j of before(j, i)
//	out(p)       = sum over i of (rank(i) == p ? x(i) : 0)               on the bit patterns
//
//	stablehlo.sort, dimension of n          => n*n comparisons a line, in whole-tensor ops
//	chlo.top_k                              => the same with the first k places only
//
// Lines longer than minNetwork, and sorts whose pairs number more than maxPairs, go through a merge network instead. It
// declines comparators with control flow.
func init() {
	decompositions["stablehlo.sort"] = sortByRank
	decompositions["chlo.top_k"] = topK
}

const maxPairs = 1 << 26

// ranking is a line-by-line ranking under construction. Pairs have the operands' dimensions (i at dim) and j last.
type ranking struct {
	b     *hlo.Builder
	shape []int64
	dim   int
	pairs []int64
}

func newRanking(b *hlo.Builder, shape []int64, dim int) *ranking {
	n := int64(1)
	for _, d := range append(append([]int64(nil), shape...), shape[dim]) {
		if n *= d; n > maxPairs {
			return nil
		}
	}
	return &ranking{b, shape, dim, append(append([]int64(nil), shape...), shape[dim])}
}

// at is the broadcast of v over pairs: by its element i, or by its element j.
func (r *ranking) at(v *hlo.Value, shape []int64, j bool) *hlo.Value {
	at := iotaDims(len(r.shape))
	if j {
		at[r.dim] = int64(len(r.shape))
	}
	return r.b.BroadcastInDim(v, shape, at...)
}

func counting(b *hlo.Builder, e dtype.Type, shape []int64, dim int) *hlo.Value {
	return b.Typed("stablehlo.iota", hlo.Tensor(e, append([]int64(nil), shape...)...), hlo.Attrs{{Name: "iota_dimension", Attr: hlo.IntOf(int64(dim))}})
}

// rank ranks by less, which gets for each operand the earlier and the later element of every pair.
func (r *ranking) rank(xs []*hlo.Value, less func(early, late []*hlo.Value) *hlo.Value) *hlo.Value {
	b, last := r.b, len(r.shape)
	i, j := counting(b, dtype.I32, r.pairs, r.dim), counting(b, dtype.I32, r.pairs, last)
	jFirst := b.Compare("LT", j, i)
	var early, late []*hlo.Value
	for _, x := range xs {
		xi, xj := r.at(x, r.pairs, false), r.at(x, r.pairs, true)
		// The comparator asks whether the later one comes first where j is earlier, and the answer is turned around.
		early = append(early, b.Select(jFirst, xi, xj))
		late = append(late, b.Select(jFirst, xj, xi))
	}
	lt := less(early, late)
	if lt == nil {
		return nil
	}
	before := b.Op("stablehlo.and", nil, b.Op("stablehlo.xor", nil, lt, jFirst), b.Compare("NE", i, j))
	return b.Reduce("stablehlo.add", b.Convert(before, dtype.I32), 0, int64(last))
}

// pick collects, for each of the first k places, the element of x that has its rank.
func (r *ranking) pick(rank, x *hlo.Value, k int64) *hlo.Value {
	b := r.b
	shape := append([]int64(nil), r.pairs...)
	shape[r.dim] = k
	hit := b.Compare("EQ", r.at(rank, shape, true), counting(b, dtype.I32, shape, r.dim))
	e := hlo.TensorOf(x).Elem
	carrier := e
	op := "stablehlo.add"
	switch {
	case e == dtype.I1:
		op = "stablehlo.or"
	case e.IsFloat():
		carrier = map[int]dtype.Type{8: dtype.I8, 16: dtype.I16, 32: dtype.I32, 64: dtype.I64}[e.Bits()]
		x = b.Typed("stablehlo.bitcast_convert", hlo.Tensor(carrier, shapeOf(x)...), nil, x)
	}
	v := b.Select(hit, r.at(x, shape, true), b.Const(0, carrier, shape...))
	v = b.Reduce(op, v, 0, int64(len(r.shape)))
	if carrier != e {
		v = b.Typed("stablehlo.bitcast_convert", hlo.Tensor(e, shapeOf(v)...), nil, v)
	}
	return v
}

func sortable(e dtype.Type) bool {
	return e == dtype.I1 || e.IsInt() || e.IsFloat() && (e.Bits() == 8 || e.Bits() == 16 || e.Bits() == 32 || e.Bits() == 64)
}

func sortByRank(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	shape := o.In(0).Dims
	dim := int(o.IntOr("dimension", -1))
	if dim < 0 {
		dim += len(shape)
	}
	if len(shape) == 0 {
		return append([]*hlo.Value(nil), o.Operands...)
	}
	for _, v := range o.Operands {
		if !sortable(hlo.TensorOf(v).Elem) {
			return nil
		}
	}
	if shape[dim] <= 1 {
		return append([]*hlo.Value(nil), o.Operands...)
	}
	r := newRanking(b, shape, dim)
	if r == nil || shape[dim] > minNetwork {
		return sortNetwork(b, o, dim)
	}
	rank := r.rank(o.Operands, func(early, late []*hlo.Value) *hlo.Value {
		var args []*hlo.Value
		for k := range early {
			args = append(args, early[k], late[k])
		}
		res := lift(b, o.Body(0), args, r.pairs)
		if res == nil {
			return nil
		}
		return res[0]
	})
	if rank == nil {
		return nil
	}
	var out []*hlo.Value
	for _, v := range o.Operands {
		out = append(out, r.pick(rank, v, shape[dim]))
	}
	return out
}

func topK(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	x := o.Operands[0]
	shape := shapeOf(x)
	last := len(shape) - 1
	if !sortable(o.In(0).Elem) {
		return nil
	}
	if shape[last] == 0 {
		return nil
	}
	r := newRanking(b, shape, last)
	if r == nil || shape[last] > minNetwork {
		return topKBySort(b, o)
	}
	rank := r.rank([]*hlo.Value{x}, func(early, late []*hlo.Value) *hlo.Value { return descending(b, early[0], late[0]) })
	k := o.IntOr("k", 0)
	return []*hlo.Value{r.pick(rank, x, k), r.pick(rank, counting(b, dtype.I32, shape, last), k)}
}

// descending is x > y, in total order for floats.
func descending(b *hlo.Builder, x, y *hlo.Value) *hlo.Value {
	attrs := hlo.Attrs{{Name: "comparison_direction", Attr: hlo.EnumAttr{Kind: "comparison_direction", Value: "GT"}}}
	if hlo.TensorOf(x).Elem.IsFloat() {
		attrs = append(attrs, hlo.NamedAttr{Name: "compare_type", Attr: hlo.EnumAttr{Kind: "comparison_type", Value: "TOTALORDER"}})
	}
	return b.Op("stablehlo.compare", attrs, x, y)
}

// lift appends the ops of a region on scalars, applied to whole tensors of the given shape, and returns the results;
// nil when an op is neither elementwise nor a constant. Scalars from outside are spread.
func lift(b *hlo.Builder, blk *hlo.Block, args []*hlo.Value, shape []int64) []*hlo.Value {
	env := map[*hlo.Value]*hlo.Value{}
	for i, a := range blk.Args {
		env[a] = args[i]
	}
	get := func(v *hlo.Value) *hlo.Value {
		if n := env[v]; n != nil {
			return n
		}
		n := b.BroadcastInDim(v, shape)
		env[v] = n
		return n
	}
	for _, o := range blk.Ops {
		var in []*hlo.Value
		for _, v := range o.Operands {
			if t := hlo.TensorOf(v); t == nil || len(t.Dims) != 0 || t.Unranked {
				return nil
			}
			in = append(in, get(v))
		}
		switch {
		case o.Def.Has(hlo.Terminator):
			return in
		case len(o.Results) != 1 || o.Out(0) == nil || len(o.Out(0).Dims) != 0 || len(o.Regions) > 0:
			return nil
		case o.Name() == "stablehlo.constant":
			env[o.Result()] = b.BroadcastInDim(b.Op(o.Name(), o.Attrs), shape)
		case o.Name() == "stablehlo.reshape" || o.Name() == "stablehlo.broadcast_in_dim":
			env[o.Result()] = in[0]
		case o.Def.Has(hlo.Elementwise):
			env[o.Result()] = b.Typed(o.Name(), hlo.Tensor(o.Out(0).Elem, shape...), o.Attrs, in...)
		default:
			return nil
		}
	}
	return nil
}
