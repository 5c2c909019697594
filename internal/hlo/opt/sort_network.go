package opt

import (
	mathbits "math/bits"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// Sorting by Batcher's odd-even merge network, all lines side by side, for lines so long that comparing all pairs costs
// more. A step of distance k compares elements k apart where its mask says so:
//
//	swap = mask and less(x[i+k], x[i])
//	x[i], x[i+k] = swap ? x[i+k], x[i] : x[i], x[i+k]
//
// A network does not keep the order of equal elements, so the position is carried along and decides; a single operand of
// integers needs none. It declines lines longer than maxNetwork.
const (
	minNetwork = 256     // below, ranking compares fewer elements than a network moves
	maxNetwork = 1 << 16 // 136 steps
)

// network is a sort under construction.
type network struct {
	calc  // on truth values of the operands' shape
	o     *hlo.Op
	dim   int
	n     int64
	order int // which value holds positions, -1 if none does
}

func sortNetwork(b *hlo.Builder, o *hlo.Op, dim int) []*hlo.Value {
	shape := o.In(0).Dims
	if shape[dim] > maxNetwork {
		return nil
	}
	s := &network{calc{b, hlo.Tensor(dtype.I1, shape...)}, o, dim, shape[dim], -1}
	xs := append([]*hlo.Value(nil), o.Operands...)
	if len(xs) > 1 || !o.In(0).Elem.IsInt() {
		s.order = len(xs)
		xs = append(xs, counting(b, dtype.I32, shape, dim))
	}
	for p := int64(1); p < 1<<mathbits.Len64(uint64(s.n-1)); p *= 2 {
		for k := p; k >= 1; k /= 2 {
			if xs = s.step(xs, p, k); xs == nil {
				return nil
			}
		}
	}
	return xs[:len(o.Operands)]
}

// step exchanges elements i and i+k where the network of merge size p compares them.
func (s *network) step(xs []*hlo.Value, p, k int64) []*hlo.Value {
	m := tensor.New(dtype.I1, int(s.n))
	for i := int64(0); i+k < s.n; i++ {
		if j := i - k%p; j >= 0 && j%(2*k) < k && i/(2*p) == (i+k)/(2*p) {
			m.Data[i] = 1
		}
	}
	mask := s.BroadcastInDim(s.Dense(m), s.t.Dims, int64(s.dim))
	up := make([]*hlo.Value, len(xs))
	var late, early []*hlo.Value // comparator arguments: does the upper one come first, does the lower one
	for i, x := range xs {
		up[i] = s.shift(x, -k)
		if i < len(s.o.Operands) {
			late, early = append(late, up[i], x), append(early, x, up[i])
		}
	}
	swap := lift(s.Builder, s.o.Body(0), late, s.t.Dims)
	if swap == nil {
		return nil
	}
	exchange := swap[0]
	if s.order >= 0 {
		inOrder := lift(s.Builder, s.o.Body(0), early, s.t.Dims)
		tie := s.f("and", s.f("not", inOrder[0]), s.Compare("LT", up[s.order], xs[s.order]))
		exchange = s.f("or", exchange, tie)
	}
	exchange = s.f("and", mask, exchange)
	exchanged := s.shift(exchange, k)
	out := make([]*hlo.Value, len(xs))
	for i, x := range xs {
		out[i] = s.Select(exchange, up[i], s.Select(exchanged, s.shift(x, k), x))
	}
	return out
}

// shift moves elements by d positions up the sorted dimension, down when negative; zeros come in.
func (s *network) shift(x *hlo.Value, d int64) *hlo.Value {
	t := hlo.TensorOf(x)
	lo, hi, mid := make([]int64, len(t.Dims)), make([]int64, len(t.Dims)), make([]int64, len(t.Dims))
	lo[s.dim], hi[s.dim] = d, -d
	return s.Op("stablehlo.pad", hlo.Attrs{{Name: "edge_padding_low", Attr: hlo.IntList(lo...)}, {Name: "edge_padding_high", Attr: hlo.IntList(hi...)},
		{Name: "interior_padding", Attr: hlo.IntList(mid...)}}, x, s.Const(0, t.Elem))
}

// topKBySort sorts values and positions downward and takes the first k.
func topKBySort(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	t := o.In(0)
	last := len(t.Dims) - 1
	key, pos := hlo.Tensor(t.Elem), hlo.Tensor(dtype.I32)
	blk := &hlo.Block{}
	for i, ty := range []hlo.Type{key, key, pos, pos} {
		blk.Args = append(blk.Args, &hlo.Value{Type: ty, Index: i, Loc: b.Loc})
	}
	in := &hlo.Builder{Block: blk, Loc: b.Loc}
	in.Return(descending(in, blk.Args[0], blk.Args[1]))
	sorted := b.Ops("stablehlo.sort", []*hlo.Value{o.Operands[0], counting(b, dtype.I32, t.Dims, last)},
		hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(int64(last))}, {Name: "is_stable", Attr: hlo.BoolAttr{Value: true}}},
		[]*hlo.Region{{Blocks: []*hlo.Block{blk}}}, t, hlo.Tensor(dtype.I32, t.Dims...))
	lo, step, hi := make([]int64, last+1), make([]int64, last+1), append([]int64(nil), t.Dims...)
	for i := range step {
		step[i] = 1
	}
	hi[last] = o.IntOr("k", 0)
	out := make([]*hlo.Value, 2)
	for i, v := range sorted {
		out[i] = b.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(lo...)}, {Name: "limit_indices", Attr: hlo.IntList(hi...)},
			{Name: "strides", Attr: hlo.IntList(step...)}}, v)
	}
	return out
}
