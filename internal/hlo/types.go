package hlo

import "github.com/alcadev/alca/internal/dtype"

// Type is the type of a Value: *TensorType, *TupleType, TokenType, *FuncType (callees only) or OpaqueType
// (a dialect type kept as text).
type Type interface{ isType() }

// Dynamic is the extent of a dimension that is not known statically, printed "?".
const Dynamic = int64(-1)

// TensorType is a ranked tensor.
type TensorType struct {
	Dims     []int64 // Dynamic where unknown
	Elem     dtype.Type
	Quant    *QuantType // non-nil: elements are quantised, Elem is the storage type
	Bounds   []int64    // upper bounds of dynamic dims (Dynamic: none), nil if there are none
	Encoding Attr       // other encodings, such as sparsity; nil if none
	Unranked bool       // tensor<*xf32>
	Index    bool       // elements are of MLIR type "index"; Elem is I64
}

// QuantType describes !quant.uniform<...>.
type QuantType struct {
	Expressed  dtype.Type
	Storage    dtype.Type
	Min, Max   int64
	DefaultMin bool      // Min and Max are the storage type's own and are not printed
	Axis       int       // quantised dimension, -1 for per tensor
	Scales     []float64 // one, or one a slice along Axis
	ZeroPoints []int64
}

// TupleType groups types.
type TupleType struct{ Elems []Type }

// TokenType is !stablehlo.token.
type TokenType struct{}

// FuncType is a function signature.
type FuncType struct{ Ins, Outs []Type }

// OpaqueType is a dialect type alca keeps but does not interpret.
type OpaqueType struct{ Text string }

func (*TensorType) isType() {}
func (*TupleType) isType()  {}
func (TokenType) isType()   {}
func (*FuncType) isType()   {}
func (OpaqueType) isType()  {}

// Tensor returns a static tensor type.
func Tensor(elem dtype.Type, dims ...int64) *TensorType {
	return &TensorType{Elem: elem, Dims: dims}
}

// Rank returns the number of dimensions.
func (t *TensorType) Rank() int { return len(t.Dims) }

// Static reports whether every dimension is known.
func (t *TensorType) Static() bool {
	if t.Unranked {
		return false
	}
	for _, d := range t.Dims {
		if d < 0 {
			return false
		}
	}
	return true
}
