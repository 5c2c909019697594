package opt

import (
	"github.com/alcadev/alca/internal/hlo"
)

// Factorisations of small matrices, unrolled over their rows; batches side by side, in f32 and rounded once:
//
//	triangular_solve  =>  row by row, x(i) = (b(i) - A(i, solved) x(solved)) / A(i, i)
//	cholesky          =>  column by column, c = A(j.., j) - L(j.., ..j) L(j, ..j)', L(j.., j) = c / sqrt(c(0))
//
// The other triangle is not read. It declines matrices of more than maxUnrolled rows and complex ones.
func init() {
	decompositions["stablehlo.triangular_solve"] = triangularSolve
	decompositions["stablehlo.cholesky"] = cholesky
}

const maxUnrolled = 64

// matrices writes operations on the last two dimensions of tensors whose others are batches.
type matrices struct {
	*hlo.Builder
	batch int
}

// part is v[.., r0:r1, c0:c1].
func (m matrices) part(v *hlo.Value, r0, r1, c0, c1 int64) *hlo.Value {
	d := shapeOf(v)
	lo, hi, step := make([]int64, len(d)), append([]int64(nil), d...), make([]int64, len(d))
	for i := range step {
		step[i] = 1
	}
	lo[m.batch], hi[m.batch], lo[m.batch+1], hi[m.batch+1] = r0, r1, c0, c1
	return m.Op("stablehlo.slice", hlo.Attrs{{Name: "start_indices", Attr: hlo.IntList(lo...)},
		{Name: "limit_indices", Attr: hlo.IntList(hi...)}, {Name: "strides", Attr: hlo.IntList(step...)}}, v)
}

func (m matrices) transpose(v *hlo.Value) *hlo.Value {
	perm := iotaDims(m.batch + 2)
	perm[m.batch], perm[m.batch+1] = perm[m.batch+1], perm[m.batch]
	return m.Transpose(v, perm...)
}

// product multiplies x by y, contracting the last dimension of x with dimension c (0: rows, 1: columns) of y.
func (m matrices) product(x, y *hlo.Value, c int) *hlo.Value {
	b := iotaDims(m.batch)
	dims := append(append([]int64(nil), shapeOf(x)[:m.batch+1]...), shapeOf(y)[m.batch+1-c])
	return m.Typed("stablehlo.dot_general", hlo.Tensor(hlo.TensorOf(x).Elem, dims...), hlo.Attrs{{Name: "dot_dimension_numbers", Attr: &hlo.DotDims{
		LhsBatch: b, RhsBatch: b, LhsContract: []int64{int64(m.batch + 1)}, RhsContract: []int64{int64(m.batch + c)}}}}, x, y)
}

func (m matrices) concat(dim int, v ...*hlo.Value) *hlo.Value {
	if len(v) == 1 {
		return v[0]
	}
	return m.Op("stablehlo.concatenate", hlo.Attrs{{Name: "dimension", Attr: hlo.IntOf(int64(m.batch + dim))}}, v...)
}

// spread repeats the single column or row of v to the shape of like.
func (m matrices) spread(v, like *hlo.Value) *hlo.Value {
	return spread(m.Builder, v, shapeOf(like), iotaDims(m.batch+2))
}

func triangularSolve(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if !deviceFloat(o.In(0).Elem) {
		return nil
	}
	rank := len(o.In(0).Dims)
	n := o.In(0).Dims[rank-1]
	if n < 1 || n > maxUnrolled {
		return nil
	}
	return wide(b, o, func(in ...*hlo.Value) *hlo.Value {
		m := matrices{b, rank - 2}
		a, rhs := in[0], in[1]
		lower, left := o.Bool("lower"), o.Bool("left_side")
		// x A = b is A' x' = b'; the transposed matrix has its triangle on the other side.
		turned := o.Enum("transpose_a") == "TRANSPOSE" || o.Enum("transpose_a") == "ADJOINT"
		if !left {
			rhs = m.transpose(rhs)
			turned = !turned
		}
		if turned {
			a = m.transpose(a)
			lower = !lower
		}
		cols := shapeOf(rhs)[rank-1]
		var x *hlo.Value // the rows solved so far
		for k := range n {
			i, from, to := k, int64(0), k
			if !lower {
				i = n - 1 - k
				from, to = i+1, n
			}
			row := m.part(rhs, i, i+1, 0, cols)
			if x != nil {
				row = b.Op("stablehlo.subtract", nil, row, m.product(m.part(a, i, i+1, from, to), x, 0))
			}
			if !o.Bool("unit_diagonal") {
				row = b.Op("stablehlo.divide", nil, row, m.spread(m.part(a, i, i+1, i, i+1), row))
			}
			switch {
			case x == nil:
				x = row
			case lower:
				x = m.concat(0, x, row)
			default:
				x = m.concat(0, row, x)
			}
		}
		if !left {
			x = m.transpose(x)
		}
		return x
	})
}

func cholesky(b *hlo.Builder, o *hlo.Op) []*hlo.Value {
	if !deviceFloat(o.In(0).Elem) {
		return nil
	}
	rank := len(o.In(0).Dims)
	n := o.In(0).Dims[rank-1]
	if n < 1 || n > maxUnrolled {
		return nil
	}
	return wide(b, o, func(in ...*hlo.Value) *hlo.Value {
		m := matrices{b, rank - 2}
		a := in[0]
		if !o.Bool("lower") {
			a = m.transpose(a)
		}
		var l *hlo.Value // the columns so far, all rows
		for j := range n {
			c := m.part(a, j, n, j, j+1)
			if l != nil {
				c = b.Op("stablehlo.subtract", nil, c, m.product(m.part(l, j, n, 0, j), m.part(l, j, j+1, 0, j), 1))
			}
			d := b.Op("stablehlo.sqrt", nil, m.part(c, 0, 1, 0, 1))
			c = b.Op("stablehlo.divide", nil, c, m.spread(d, c))
			if j > 0 {
				t := hlo.TensorOf(c)
				dims := append([]int64(nil), t.Dims...)
				dims[m.batch] = j
				c = m.concat(0, b.Const(0, t.Elem, dims...), c)
			}
			if l == nil {
				l = c
			} else {
				l = m.concat(1, l, c)
			}
		}
		if !o.Bool("lower") {
			l = m.transpose(l)
		}
		return l
	})
}
