package eval

import (
	"sort"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("chlo.top_k", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		a := in[0].T
		k := int(o.IntOr("k", 0))
		if n := len(a.Shape); n == 0 || a.Shape[n-1] < k {
			return nil, errf(o, CodeShape, "operand has shape %v, its last dimension must hold at least k = %d", a.Shape, k)
		}
		v, i := topK(a, k)
		return []Val{{T: v}, {T: i}}, nil
	})
}

// topK returns the k greatest elements of each line, in total order and with the lower position first among equals,
// and their positions.
func topK(a *tensor.Tensor, k int) (values, positions *tensor.Tensor) {
	last := len(a.Shape) - 1
	n := a.Shape[last]
	shape := append(append([]int(nil), a.Shape[:last]...), k)
	values, positions = tensor.New(a.Type, shape...), tensor.New(dtype.I32, shape...)
	keys := make([]int64, numElems(a))
	switch {
	case a.Type.IsFloat():
		for i, v := range floats(a) {
			keys[i] = totalKey(v)
		}
	default:
		copy(keys, ints(a))
		if a.Type == dtype.U64 {
			for i := range keys {
				keys[i] ^= -1 << 63
			}
		}
	}
	pos := view[int32](positions)
	size := a.Type.Size()
	order := make([]int, n)
	for line := range count(a.Shape[:last]) {
		key := keys[line*n : (line+1)*n]
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(i, j int) bool { return key[order[i]] > key[order[j]] })
		for i := range k {
			pos[line*k+i] = int32(order[i])
			copy(values.Data[(line*k+i)*size:][:size], a.Data[(line*n+order[i])*size:])
		}
	}
	return values, positions
}
