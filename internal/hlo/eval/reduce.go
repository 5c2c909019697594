package eval

import (
	"github.com/alcadev/alca/internal/cpu"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// split returns for a reduction the kept and reduced dimensions' extents and strides.
func split(shape, dims []int) (keep, keepStr, red, redStr []int) {
	str := strides(shape)
	in := make([]bool, len(shape))
	for _, d := range dims {
		in[d] = true
	}
	keep, red = []int{}, []int{}
	for i := range shape {
		if in[i] {
			red, redStr = append(red, shape[i]), append(redStr, str[i])
		} else {
			keep, keepStr = append(keep, shape[i]), append(keepStr, str[i])
		}
	}
	return
}

// runReduce folds the reduced dimensions in row-major order from the initial value, for all results at once when
// the region allows it.
func runReduce(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	n := len(in) / 2
	dims64, _ := o.Ints("dimensions")
	dims := toInts(dims64)
	keep, _, red, _ := split(in[0].T.Shape, dims)
	b := o.Body(0)
	if n == 1 {
		if t := fastReduce(o, simpleBody(b), in[0].T, in[1].T, dims, o.Out(0).Elem); t != nil {
			return one(reshaped(t, keep)), nil
		}
	}
	// [reduced, kept] order makes every step a contiguous vector.
	perm := append([]int(nil), dims...)
	sortInts(perm)
	isRed := map[int]bool{}
	for _, d := range dims {
		isRed[d] = true
	}
	for i := range in[0].T.Shape {
		if !isRed[i] {
			perm = append(perm, i)
		}
	}
	nk, nr := count(keep), count(red)
	var err error
	rows := make([]*tensor.Tensor, n)
	acc := make([]*tensor.Tensor, n)
	for i := range n {
		rows[i] = transpose(in[i].T, perm)
		elemT := o.Out(i).Elem
		acc[i] = splat(convert(in[n+i].T, elemT), []int{nk})
		if o.Out(i).Elem != in[i].T.Type {
			rows[i] = convert(rows[i], elemT)
		}
	}
	vec := scalarBody(b)
	if vec && nr >= 32 && nk <= 1024 {
		// Few results of many values: a step on vectors of a few elements is all overhead. Fold neighbours first.
		if rows, nr, err = m.pairUp(b, rows, nr, nk, e); err != nil {
			return nil, err
		}
	}
	for r := range nr {
		if m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		args := make([]*tensor.Tensor, 2*n)
		for i := range n {
			s := rows[i].Type.Size() * nk
			args[i] = acc[i]
			args[n+i] = &tensor.Tensor{Type: rows[i].Type, Shape: []int{nk}, Data: rows[i].Data[r*s : (r+1)*s]}
		}
		if acc, err = m.fold(b, args, nk, vec, e); err != nil {
			return nil, err
		}
	}
	out := make([]Val, n)
	for i := range n {
		out[i] = Val{T: reshaped(acc[i], keep)}
	}
	return out, nil
}

// pairUp folds neighbouring rows until few are left; the order of values is kept, only their grouping changes, which
// the definition of a reduction leaves open. Each row holds nk elements.
func (m *machine) pairUp(b *hlo.Block, rows []*tensor.Tensor, nr, nk int, e env) ([]*tensor.Tensor, int, error) {
	n := len(rows)
	for nr >= 8 {
		if m.ctx.Err() != nil {
			return nil, 0, m.ctx.Err()
		}
		h := nr / 2
		args := make([]*tensor.Tensor, 2*n)
		rest := make([][]byte, n)
		for i, t := range rows {
			w := t.Type.Size() * nk
			args[i], args[n+i] = tensor.New(t.Type, h*nk), tensor.New(t.Type, h*nk)
			for r := range h {
				copy(args[i].Data[r*w:(r+1)*w], t.Data[2*r*w:])
				copy(args[n+i].Data[r*w:(r+1)*w], t.Data[(2*r+1)*w:])
			}
			rest[i] = t.Data[2*h*w : nr*w]
		}
		out, err := m.apply(b, args, h*nk, e)
		if err != nil {
			return nil, 0, err
		}
		next := make([]*tensor.Tensor, n)
		for i := range out {
			next[i] = &tensor.Tensor{Type: out[i].Type, Shape: []int{(nr - h) * nk}, Data: append(out[i].Data[:len(out[i].Data):len(out[i].Data)], rest[i]...)}
			if len(rest[i]) > 0 {
				next[i] = clone(next[i]) // aligned
			}
		}
		rows, nr = next, nr-h
	}
	return rows, nr, nil
}

// fold applies a reducer region to vectors of n elements: accumulators first, then values.
func (m *machine) fold(b *hlo.Block, args []*tensor.Tensor, n int, vec bool, e env) ([]*tensor.Tensor, error) {
	if vec {
		return m.apply(b, args, n, e)
	}
	k := len(args) / 2
	out := make([]*tensor.Tensor, k)
	for i := range n {
		vals := make([]Val, len(args))
		for j := range args {
			vals[j] = Val{T: elem(args[j], i)}
		}
		r, err := m.scalars(b, vals, e)
		if err != nil {
			return nil, err
		}
		for j := range out {
			if out[j] == nil {
				out[j] = tensor.New(r[j].T.Type, n)
			}
			setElem(out[j], i, r[j].T)
		}
	}
	if n == 0 {
		for j := range out {
			out[j] = args[j]
		}
	}
	return out, nil
}

func sortInts(v []int) {
	for i := 1; i < len(v); i++ {
		for j := i; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
}

// fastReduce folds floats of at most 32 bits in f32 by a simple body. It returns nil when the case is not its own.
// Over the last dimensions sums use interleaved accumulators (cpu.Sum), else one a result, in row-major order.
func fastReduce(o *hlo.Op, op string, a, init *tensor.Tensor, dims []int, to dtype.Type) *tensor.Tensor {
	if op == "" || a.Type != to || !a.Type.IsFloat() || a.Type == dtype.F64 {
		return nil
	}
	r, ok := binaries[op]
	if !ok || r.f32 == nil {
		return nil
	}
	keep, keepStr, red, redStr := split(a.Shape, dims)
	x := floats32(a)
	v0 := floats32(init)[0]
	out := make([]float32, count(keep))
	if nr := count(red); op == "stablehlo.add" && trailing(a.Shape, dims) {
		for k := range out {
			out[k] = v0 + cpu.Sum(x[k*nr:(k+1)*nr])
		}
		return fromFloats32(a.Type, keep, out)
	}
	idx := make([]int, len(keep))
	base := 0
	ridx := make([]int, len(red))
	nr := count(red)
	for k := range out {
		acc := v0
		off := base
		clear(ridx)
		for range nr {
			switch op {
			case "stablehlo.add":
				acc += x[off]
			default:
				acc = r.f32(acc, x[off])
			}
			for d := len(red) - 1; d >= 0; d-- {
				ridx[d]++
				off += redStr[d]
				if ridx[d] < red[d] {
					break
				}
				off -= redStr[d] * red[d]
				ridx[d] = 0
			}
		}
		out[k] = acc
		for d := len(keep) - 1; d >= 0; d-- {
			idx[d]++
			base += keepStr[d]
			if idx[d] < keep[d] {
				break
			}
			base -= keepStr[d] * keep[d]
			idx[d] = 0
		}
	}
	return fromFloats32(a.Type, keep, out)
}

// trailing reports whether dims are the last dimensions of a shape.
func trailing(shape, dims []int) bool {
	for _, d := range dims {
		if d < len(shape)-len(dims) {
			return false
		}
	}
	return true
}

// windowTaps calls f for every tap of the window at output position pos with the flat offset of the input
// element, or -1 where the tap lies in padding or a dilation gap.
func windowTaps(w hlo.Window, shape, str []int, pos []int, f func(off int) error) error {
	n := len(shape)
	tap := make([]int, n)
	size := toInts(w.Size)
	for {
		off := 0
		for d := range n {
			p := pos[d]*int(w.Stride[d]) - int(w.Pad[d][0]) + tap[d]*int(w.Dilation[d])
			bd := int(w.BaseDilation[d])
			if p < 0 || p%bd != 0 || p/bd >= shape[d] {
				off = -1
				break
			}
			off += p / bd * str[d]
		}
		if err := f(off); err != nil {
			return err
		}
		d := n - 1
		for ; d >= 0; d-- {
			if tap[d]++; tap[d] < size[d] {
				break
			}
			tap[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

// eachIndex calls f for every index of a shape in row-major order.
func eachIndex(shape []int, f func(idx []int, flat int) error) error {
	for _, d := range shape {
		if d == 0 {
			return nil
		}
	}
	idx := make([]int, len(shape))
	for flat := 0; ; flat++ {
		if err := f(idx, flat); err != nil {
			return err
		}
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if idx[d]++; idx[d] < shape[d] {
				break
			}
			idx[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

// runReduceWindow gathers each tap of the window for all positions into a vector, padding with the initial value,
// and folds tap by tap.
func runReduceWindow(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	n := len(in) / 2
	shape := in[0].T.Shape
	w, err := hlo.WindowOf(o, len(shape))
	if err != nil {
		return nil, err
	}
	outShape := make([]int, len(shape))
	for i := range shape {
		outShape[i] = windowCount(shape[i], w, i)
	}
	np := count(outShape)
	taps := 1
	for _, s := range w.Size {
		taps *= int(s)
	}
	if err := m.guardWindows(o, outShape, w.Size); err != nil {
		return nil, err
	}
	str := strides(shape)
	offs := make([][]int32, taps) // [tap][position]
	for t := range offs {
		offs[t] = make([]int32, np)
	}
	_ = eachIndex(outShape, func(pos []int, flat int) error {
		t := 0
		return windowTaps(w, shape, str, pos, func(off int) error {
			offs[t][flat] = int32(off)
			t++
			return nil
		})
	})
	b := o.Body(0)
	vec := scalarBody(b)
	acc := make([]*tensor.Tensor, n)
	src := make([]*tensor.Tensor, n)
	for i := range n {
		ty := o.Out(i).Elem
		acc[i] = splat(convert(in[n+i].T, ty), []int{np})
		src[i] = convert(in[i].T, ty)
	}
	for t := range offs {
		if m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		args := make([]*tensor.Tensor, 2*n)
		for i := range n {
			s := src[i].Type.Size()
			v := tensor.New(src[i].Type, np)
			init := convert(in[n+i].T, src[i].Type).Data
			for p, off := range offs[t] {
				if off < 0 {
					copy(v.Data[p*s:(p+1)*s], init)
				} else {
					copy(v.Data[p*s:(p+1)*s], src[i].Data[int(off)*s:])
				}
			}
			args[i], args[n+i] = acc[i], v
		}
		if acc, err = m.fold(b, args, np, vec, e); err != nil {
			return nil, err
		}
	}
	out := make([]Val, n)
	for i := range out {
		out[i] = Val{T: reshaped(acc[i], outShape)}
	}
	return out, nil
}

// guardWindows refuses windows whose taps at all positions exceed the memory limit.
func (m *machine) guardWindows(o *hlo.Op, positions []int, size []int64) error {
	n := 1
	for _, d := range positions {
		n = mulSize(n, max(d, 1))
	}
	for _, d := range size {
		n = mulSize(n, max(int(d), 1))
	}
	if n < 0 {
		return errf(o, CodeMemory, "windows of %v at %v positions exceed any limit", size, positions)
	}
	return m.guardCount(o, n, dtype.I32)
}

func windowCount(d int, w hlo.Window, i int) int {
	n := 0
	if d > 0 {
		n = (d-1)*int(w.BaseDilation[i]) + 1
	}
	n += int(w.Pad[i][0] + w.Pad[i][1])
	span := (int(w.Size[i])-1)*int(w.Dilation[i]) + 1
	if n < span {
		return 0
	}
	return (n-span)/int(w.Stride[i]) + 1
}

// runSelectAndScatter: in each window the fold of select picks a winner; the source value is combined into the
// winner's place by scatter.
func runSelectAndScatter(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	a, src, init := in[0].T, in[1].T, in[2].T
	w, err := hlo.WindowOf(o, len(a.Shape))
	if err != nil {
		return nil, err
	}
	out := splat(init, a.Shape)
	str := strides(a.Shape)
	dir := compareBody(o.Body(0))
	err = eachIndex(src.Shape, func(pos []int, flat int) error {
		best := -1
		if err := windowTaps(w, a.Shape, str, pos, func(off int) error {
			if off < 0 {
				return nil
			}
			if best < 0 {
				best = off
				return nil
			}
			x, y := elem(a, best), elem(a, off)
			keep := false
			if dir != "" {
				keep = compare(dir, false, x, y).Data[0] != 0
			} else {
				r, err := m.scalars(o.Body(0), []Val{{T: x}, {T: y}}, e)
				if err != nil {
					return err
				}
				keep = r[0].T.Data[0] != 0
			}
			if !keep {
				best = off
			}
			return nil
		}); err != nil {
			return err
		}
		if best < 0 {
			return nil
		}
		r, err := m.scalars(o.Body(1), []Val{{T: elem(out, best)}, {T: elem(src, flat)}}, e)
		if err != nil {
			return err
		}
		setElem(out, best, r[0].T)
		return nil
	})
	return one(out), err
}

// compareBody returns the direction when a region is one comparison of its first two arguments in order.
func compareBody(b *hlo.Block) string {
	if len(b.Ops) != 2 || len(b.Args) < 2 {
		return ""
	}
	c, r := b.Ops[0], b.Ops[1]
	if c.Name() != "stablehlo.compare" || len(r.Operands) != 1 || r.Operands[0] != c.Results[0] || c.Operands[0] != b.Args[0] || c.Operands[1] != b.Args[1] {
		return ""
	}
	if c.Enum("compare_type") == "TOTALORDER" {
		return ""
	}
	return c.Enum("comparison_direction")
}
