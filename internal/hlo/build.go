package hlo

import (
	"math"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// NewOp makes an op of the named row. Result types that are not given are inferred; the op is checked against its
// row. Regions must be complete before, so ops with regions take them here.
func NewOp(name string, loc diag.Loc, operands []*Value, attrs Attrs, regions []*Region, results ...Type) (*Op, error) {
	d := Lookup(name)
	if d == nil {
		return nil, diag.Internalf(CodeSymbol, loc, "there is no op %s", name)
	}
	o := &Op{Def: d, Operands: operands, Attrs: attrs, Regions: regions, Loc: loc}
	if len(results) == 0 && d.Out.Max != 0 {
		var err error
		if results, err = InferTypes(o); err != nil {
			return nil, err
		}
	}
	for i, t := range results {
		o.Results = append(o.Results, &Value{Type: t, Def: o, Index: i, Loc: loc})
	}
	return o, VerifyOp(o)
}

// Builder appends ops to a block. The first error is kept in Err and turns what follows into nothing, so that a
// rewrite is written as one expression after the other and asks once:
//
//	b := &hlo.Builder{Block: blk, Loc: o.Loc}
//	y := b.Op("stablehlo.multiply", nil, x, x)
//	return y, b.Err
type Builder struct {
	Block   *Block
	Loc     diag.Loc
	NameLoc string
	Err     error
}

// Op appends an op of one result whose type is inferred.
func (b *Builder) Op(name string, attrs Attrs, operands ...*Value) *Value {
	return b.Ops(name, operands, attrs, nil)[0]
}

// Typed appends an op of one result of type t.
func (b *Builder) Typed(name string, t Type, attrs Attrs, operands ...*Value) *Value {
	return b.Ops(name, operands, attrs, nil, t)[0]
}

// Ops appends an op in full. The first error sticks in b.Err and nothing more is appended; the values returned from
// then on belong to no block and exist so that a recipe can run to its end, where its caller looks at b.Err.
func (b *Builder) Ops(name string, operands []*Value, attrs Attrs, regions []*Region, results ...Type) []*Value {
	var o *Op
	if b.Err == nil {
		o, b.Err = NewOp(name, b.Loc, operands, attrs, regions, results...)
	}
	if b.Err != nil {
		out := make([]*Value, max(1, len(results)))
		for i := range out {
			out[i] = &Value{Type: Tensor(dtype.I1)}
			if i < len(results) {
				out[i].Type = results[i]
			}
		}
		return out
	}
	o.NameLoc = b.NameLoc
	b.Block.Ops = append(b.Block.Ops, o)
	return o.Results
}

// Const appends a constant whose elements, of type t, all are v.
func (b *Builder) Const(v float64, t dtype.Type, dims ...int64) *Value {
	x := tensor.New(t)
	PutNumber(x.Data, t, v)
	return b.Splat(x, dims...)
}

// IntConst appends a constant whose elements, of integer type t, all are v.
func (b *Builder) IntConst(v int64, t dtype.Type, dims ...int64) *Value {
	x := tensor.New(t)
	putBits(x.Data, uint64(v))
	return b.Splat(x, dims...)
}

// Splat appends a constant whose elements all are the one of x.
func (b *Builder) Splat(x *tensor.Tensor, dims ...int64) *Value {
	ty := Tensor(x.Type, append([]int64(nil), dims...)...)
	return b.Op("stablehlo.constant", Attrs{{"value", &DenseAttr{Type: ty, Splat: true, Data: &tensor.Tensor{Type: x.Type, Data: x.Data}}}})
}

// Dense appends the constant x.
func (b *Builder) Dense(x *tensor.Tensor) *Value {
	return b.Op("stablehlo.constant", Attrs{{"value", DenseOf(x)}})
}

// DenseOf is the attribute of a constant; equal elements make a splat.
func DenseOf(x *tensor.Tensor) *DenseAttr {
	dims := make([]int64, len(x.Shape))
	for i, d := range x.Shape {
		dims[i] = int64(d)
	}
	n := x.Type.Size()
	same := len(x.Data) >= n
	for i := n; same && i < len(x.Data); i++ {
		same = x.Data[i] == x.Data[i-n]
	}
	a := &DenseAttr{Type: Tensor(x.Type, dims...), Data: x}
	if same && len(dims) > 0 {
		a.Splat = true
		a.Data = &tensor.Tensor{Type: x.Type, Data: append([]byte(nil), x.Data[:n]...)}
	}
	return a
}

// PutNumber stores v, rounded or truncated to t, in dst.
func PutNumber(dst []byte, t dtype.Type, v float64) {
	switch {
	case t == dtype.C64:
		putBits(dst[:4], uint64(math.Float32bits(float32(v))))
	case t == dtype.C128:
		putBits(dst[:8], math.Float64bits(v))
	case t.IsFloat():
		putBits(dst, t.FloatBits(v))
	case t == dtype.I1:
		dst[0] = 0
		if v != 0 {
			dst[0] = 1
		}
	default:
		mask := uint64(math.MaxUint64) >> (64 - t.Bits())
		putBits(dst, uint64(int64(v))&mask)
	}
}

func putBits(dst []byte, v uint64) {
	for i := range dst {
		dst[i] = byte(v >> (8 * i))
	}
}

// IntList is a list attribute: array<i64: ...>.
func IntList(v ...int64) DenseArrayAttr {
	return DenseArrayAttr{Elem: dtype.I64, Values: append([]int64{}, v...)}
}

// IntOf is an attribute n : i64.
func IntOf(n int64) IntAttr { return IntAttr{Value: n, Type: dtype.I64} }

// Convert converts x to element type t.
func (b *Builder) Convert(x *Value, t dtype.Type) *Value {
	a := TensorOf(x)
	if a == nil || a.Elem == t {
		return x
	}
	return b.Typed("stablehlo.convert", Tensor(t, a.Dims...), nil, x)
}

// Reshape gives x the extents dims.
func (b *Builder) Reshape(x *Value, dims ...int64) *Value {
	a := TensorOf(x)
	return b.Typed("stablehlo.reshape", Tensor(a.Elem, dims...), nil, x)
}

// Transpose permutes the dimensions of x.
func (b *Builder) Transpose(x *Value, perm ...int64) *Value {
	for i, p := range perm {
		if int64(i) != p {
			return b.Op("stablehlo.transpose", Attrs{{"permutation", IntList(perm...)}}, x)
		}
	}
	return x
}

// BroadcastInDim spreads x, whose dimensions become those of the result listed in at, to the extents shape.
func (b *Builder) BroadcastInDim(x *Value, shape []int64, at ...int64) *Value {
	a := TensorOf(x)
	return b.Typed("stablehlo.broadcast_in_dim", Tensor(a.Elem, append([]int64(nil), shape...)...), Attrs{{"broadcast_dimensions", IntList(at...)}}, x)
}

// Compare compares x and y elementwise; dir is EQ, NE, LT, LE, GT or GE.
func (b *Builder) Compare(dir string, x, y *Value) *Value {
	return b.Op("stablehlo.compare", Attrs{{"comparison_direction", EnumAttr{"comparison_direction", dir}}}, x, y)
}

// Select chooses x where p holds, else y.
func (b *Builder) Select(p, x, y *Value) *Value { return b.Op("stablehlo.select", nil, p, x, y) }

// Reduce combines the dimensions dims of x, whose identity is the constant init, by the binary op named op.
func (b *Builder) Reduce(op string, x *Value, init float64, dims ...int64) *Value {
	e := TensorOf(x).Elem
	z := b.Const(init, e)
	return b.Ops("stablehlo.reduce", []*Value{x, z}, Attrs{{"dimensions", IntList(dims...)}}, []*Region{b.BinaryRegion(op, e)})[0]
}

// BinaryRegion is the region (x, y) -> op(x, y) on scalars of type e.
func (b *Builder) BinaryRegion(op string, e dtype.Type) *Region {
	x, y := &Value{Type: Tensor(e), Loc: b.Loc}, &Value{Type: Tensor(e), Index: 1, Loc: b.Loc}
	blk := &Block{Args: []*Value{x, y}}
	in := &Builder{Block: blk, Loc: b.Loc, Err: b.Err}
	r := in.Op(op, nil, x, y)
	in.Return(r)
	b.Err = in.Err
	return &Region{Blocks: []*Block{blk}}
}

// Return ends a region.
func (b *Builder) Return(v ...*Value) {
	if b.Err == nil {
		b.Block.Ops = append(b.Block.Ops, &Op{Def: Lookup("stablehlo.return"), Operands: v, Loc: b.Loc})
	}
}
