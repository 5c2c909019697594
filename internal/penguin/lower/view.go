package lower

import (
	"strconv"
	"sync"

	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

var zero = pelican.Const(0)

// view is a value: the element d of it is element idx(d) of t. Dimensions of extent 1 never occur in idx.
type view struct {
	t     *penguin.Tensor
	shape []int64
	idx   []pelican.Expr // one for each dimension of t
	// fresh is not zero when the op which made the value also made t, so that no other value sees t: it is then the
	// number of the region that the op stands in.
	fresh int
}

// dim is the variable of dimension k of extent n.
func dim(k int, n int64) pelican.Expr { return axisVar("d", k, n) }

func axisVar(prefix string, k int, n int64) pelican.Expr {
	if n <= 1 {
		return zero
	}
	key := varKey{prefix, k, n}
	if v, ok := vars.Load(key); ok {
		return v.(pelican.Expr)
	}
	v, _ := vars.LoadOrStore(key, pelican.NewVar(prefix+strconv.Itoa(k), 0, n, 1))
	return v.(pelican.Expr)
}

type varKey struct {
	prefix string
	k      int
	n      int64
}

// vars shares the variable of a dimension, so that views of one shape use the same ones. Order among variables goes by
// name, so sharing between programs does not show.
var vars sync.Map

func dims(shape []int64) []pelican.Expr {
	out := make([]pelican.Expr, len(shape))
	for k, n := range shape {
		out[k] = dim(k, n)
	}
	return out
}

// whole is the view of all of t.
func whole(t *penguin.Tensor) view {
	return view{t: t, shape: t.Shape, idx: dims(t.Shape)}
}

// at is the index into t of element ix of the view.
func (v view) at(ix []pelican.Expr) []pelican.Expr {
	m := make(map[pelican.Expr]pelican.Expr, len(ix))
	for k, n := range v.shape {
		if n > 1 {
			m[dim(k, n)] = ix[k]
		}
	}
	out := make([]pelican.Expr, len(v.idx))
	for k, e := range v.idx {
		out[k] = pelican.Subst(e, m)
	}
	return out
}

// access is the operand that reads element ix.
func (v view) access(ix []pelican.Expr) penguin.Access {
	return penguin.Access{T: v.t, Dims: v.at(ix)}
}

// of is the view of the given shape whose element d is element ix(d) of v.
func (v view) of(shape []int64, ix []pelican.Expr) view {
	return view{t: v.t, shape: shape, idx: v.at(ix)}
}

// isWhole reports whether v is all of its tensor, in order and in shape.
func (v view) isWhole() bool {
	if len(v.shape) != len(v.t.Shape) {
		return false
	}
	for k, n := range v.shape {
		if n != v.t.Shape[k] || v.idx[k] != dim(k, n) {
			return false
		}
	}
	return true
}

func elems(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func sameShape(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// broadcast is the view of v in shape, dimension k of v being dimension to[k].
func (v view) broadcast(shape []int64, to []int64) view {
	ix := make([]pelican.Expr, len(v.shape))
	for k, d := range to {
		ix[k] = zero
		if v.shape[k] != 1 {
			ix[k] = dim(int(d), shape[d])
		}
	}
	return v.of(shape, ix)
}

// splatTo spreads a scalar over shape; a view that has the shape is returned as it is.
func (v view) splatTo(shape []int64) view {
	if len(v.shape) == 0 && len(shape) > 0 {
		return v.broadcast(shape, nil)
	}
	return v
}

// slice is v[start + stride*d] in the given shape.
func (v view) slice(start, stride, shape []int64) view {
	ix := make([]pelican.Expr, len(shape))
	for k := range shape {
		s := int64(1)
		if stride != nil {
			s = stride[k]
		}
		ix[k] = pelican.AddConst(pelican.Mul(dim(k, shape[k]), s), start[k])
	}
	return v.of(shape, ix)
}

// flat is the row-major position in t of the view's elements.
func (v view) flat() pelican.Expr { return pelican.Flatten(v.idx, v.t.Shape) }
