package lower

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
)

func init() {
	register(dynamicSlice, "stablehlo.dynamic_slice")
	register(dynamicUpdateSlice, "stablehlo.dynamic_update_slice")
}

// startIndex is one start index of a slice: a constant (clamped), or a run-time scalar.
type startIndex struct {
	known bool
	at    int64
	v     view
}

// starts reads the scalar operands of o from first on, clamped to what leaves room for a slice of the given sizes.
func (l *lowerer) starts(o *hlo.Op, first int, shape, sizes []int64) ([]startIndex, error) {
	out := make([]startIndex, len(shape))
	for d := range shape {
		hi := max(0, shape[d]-sizes[d])
		if hi == 0 {
			out[d].known = true
			continue
		}
		if c := l.constOf(o.Operands[first+d]); c != nil {
			out[d] = startIndex{known: true, at: min(max(clampedInt(c.Type, intAt(c, 0)), 0), hi)}
			continue
		}
		v, err := l.index32(l.in(o, first+d))
		if err != nil {
			return nil, err
		}
		out[d].v = v
	}
	return out, nil
}

// clampedInt keeps a 64-bit unsigned value that does not fit positive.
func clampedInt(t dtype.Type, v int64) int64 {
	if t == dtype.U64 && v < 0 {
		return 1<<63 - 1
	}
	return v
}

// index32 is v as 32-bit integers, the form in which the machine reads indices.
func (l *lowerer) index32(v view) (view, error) {
	if v.t.DType == dtype.I32 {
		return v, nil
	}
	if v.t.DType == dtype.I64 {
		// What is far outside stays outside, on its side; a billion leaves room to add offsets.
		for _, lim := range []struct {
			op string
			v  int64
		}{{"minimum", 1 << 30}, {"maximum", -1 << 30}} {
			b := binary.LittleEndian.AppendUint64(nil, uint64(lim.v))
			m, err := l.compute(lim.op, nil, dtype.I64, v.shape, v, l.constSplat(dtype.I64, b))
			if err != nil {
				return v, err
			}
			v = m
		}
	}
	if v.t.DType == dtype.U32 || v.t.DType == dtype.U64 {
		// Large values mean "past the end", not a negative index.
		lim := uint64(1<<31 - 1)
		b := []byte{byte(lim), byte(lim >> 8), byte(lim >> 16), byte(lim >> 24), 0, 0, 0, 0}
		m, err := l.compute("minimum", nil, v.t.DType, v.shape, v, l.constSplat(v.t.DType, b[:v.t.DType.Size()]))
		if err != nil {
			return v, err
		}
		v = m
	}
	return l.compute("convert", nil, dtype.I32, v.shape, v)
}

// indexed adds the run-time parts of starts to the access of v at ix. v must be whole, so that its dimensions are the
// tensor's.
func indexed(v view, ix []pelican.Expr, starts []startIndex, sizes []int64) penguin.Access {
	at := make([]pelican.Expr, len(ix))
	var ind []penguin.Indirect
	for d, s := range starts {
		at[d] = pelican.AddConst(ix[d], s.at)
		if !s.known {
			ind = append(ind, penguin.Indirect{Index: s.v.t, At: s.v.idx, Dim: d, Hi: v.shape[d] - sizes[d]})
		}
	}
	a := v.access(at)
	a.Ind = ind
	return a
}

func allKnown(s []startIndex) bool {
	for _, x := range s {
		if !x.known {
			return false
		}
	}
	return true
}

func dynamicSlice(l *lowerer, o *hlo.Op) error {
	x := l.in(o, 0)
	sizes := o.Out(0).Dims
	st, err := l.starts(o, 1, x.shape, sizes)
	if err != nil {
		return err
	}
	if allKnown(st) {
		start := make([]int64, len(st))
		for i, s := range st {
			start[i] = s.at
		}
		ix := dims(sizes)
		for i := range ix {
			ix[i] = pelican.AddConst(ix[i], start[i])
		}
		v, err := l.viewOf(x, sizes, ix)
		l.set(o, 0, v)
		return err
	}
	if x, err = l.asWhole(x); err != nil {
		return err
	}
	out := whole(l.tensor("dynamic_slice", x.t.DType, sizes))
	out.fresh = l.region
	l.inst("copy", axesOf(sizes), 0, []penguin.Access{indexed(x, dims(sizes), st, sizes)}, penguin.Access{T: out.t, Dims: out.idx}, nil)
	l.set(o, 0, out)
	return nil
}

// writable returns a view with the elements of operand i of o that may be overwritten: the operand itself when
// nothing else will read it.
func (l *lowerer) writable(o *hlo.Op, i int) (view, error) {
	x := l.in(o, i)
	if x.fresh == l.region && l.uses[o.Operands[i]] == 1 && x.isWhole() && x.t.Kind&(penguin.Input|penguin.Const) == 0 {
		return x, nil
	}
	if v, ok := l.donatedBuffer(o.Operands[i]); ok {
		return v, nil
	}
	return l.copyOf(x)
}

// donatedBuffer returns a tensor in the storage of v, a parameter that the caller gives away and that is read here for
// the last time. A cache that is updated in place is not copied.
func (l *lowerer) donatedBuffer(v *hlo.Value) (view, bool) {
	x := l.env[v]
	if !l.donated[v] || l.uses[v] != 1 || l.region != 1 || !x.isWhole() || x.t.Kind&penguin.Input == 0 {
		return view{}, false
	}
	t := l.tensor("donated", x.t.DType, x.shape)
	t.Alias = x.t
	w := whole(t)
	w.fresh = l.region
	return w, true
}

func dynamicUpdateSlice(l *lowerer, o *hlo.Op) error {
	u := l.in(o, 1)
	st, err := l.starts(o, 2, l.in(o, 0).shape, u.shape)
	if err != nil {
		return err
	}
	if sameShape(u.shape, l.in(o, 0).shape) {
		u.fresh = 0
		l.set(o, 0, u)
		return nil
	}
	// An update that reads the tensor it is written to gets a tensor of its own.
	if u.t == l.in(o, 0).t {
		if u, err = l.copyOf(u); err != nil {
			return err
		}
	}
	x, err := l.writable(o, 0)
	if err != nil {
		return err
	}
	if allKnown(st) {
		start := make([]int64, len(st))
		for i, s := range st {
			start[i] = s.at
		}
		err = l.into(x.slice(start, nil, u.shape), "copy", nil, u)
	} else if elems(u.shape) > 0 {
		if !pelican.IsAffine(u.flat()) {
			if u, err = l.copyOf(u); err != nil {
				return err
			}
		}
		l.inst("copy", axesOf(u.shape), 0, []penguin.Access{{T: u.t, Dims: u.idx}}, indexed(x, dims(u.shape), st, u.shape), nil)
	}
	x.fresh = l.region
	l.set(o, 0, x)
	return err
}
