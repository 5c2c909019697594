package hlo

import (
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// Attr is a compile-time value attached to an op. Each StableHLO attribute struct (#stablehlo.dot<...> and
// so on) has a Go struct of its own below, so that no consumer parses text.
type Attr interface{ isAttr() }

type (
	// IntAttr is an integer with its type: 3 : i64. Bool literals are BoolAttr.
	IntAttr struct {
		Value int64 // bits for unsigned 64-bit values
		Type  dtype.Type
		Index bool // type "index"
	}
	// FloatAttr is a float with its type: 1.0e-3 : f32.
	FloatAttr struct {
		Value float64
		Type  dtype.Type
	}
	BoolAttr   struct{ Value bool }
	StringAttr struct{ Value string }
	UnitAttr   struct{}
	ArrayAttr  struct{ Elems []Attr }
	DictAttr   struct{ Entries Attrs }
	TypeAttr   struct{ Type Type }
	// SymbolAttr is @name or @outer::@inner.
	SymbolAttr struct{ Path []string }
	// DenseArrayAttr is array<i64: 1, 2>; Elem is I1, an integer type, F32 or F64 (floats held as bits).
	DenseArrayAttr struct {
		Elem   dtype.Type
		Values []int64
	}
	// DenseAttr is dense<...> : tensor<...>. A splat holds one element in Data and Splat is true;
	// otherwise Data has the type's shape.
	DenseAttr struct {
		Type  *TensorType
		Splat bool
		Data  *tensor.Tensor
	}
	// EnumAttr is #stablehlo<precision HIGHEST>: Kind "precision", Value "HIGHEST".
	EnumAttr struct{ Kind, Value string }
	// OpaqueAttr is a dialect attribute kept as text, "#sdy.sharding<...>".
	OpaqueAttr struct{ Text string }

	// DotDims is #stablehlo.dot<...>.
	DotDims struct{ LhsBatch, RhsBatch, LhsContract, RhsContract []int64 }
	// DotAlgorithm is #stablehlo.dot_algorithm<...>.
	DotAlgorithm struct {
		LhsPrecision, RhsPrecision, Accumulation dtype.Type
		LhsComponents, RhsComponents, Primitives int64
		AllowImprecise                           bool
	}
	// ConvDims is #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>.
	ConvDims struct {
		InBatch, InFeature   int64
		InSpatial            []int64
		KernelInFeature      int64
		KernelOutFeature     int64
		KernelSpatial        []int64
		OutBatch, OutFeature int64
		OutSpatial           []int64
	}
	// GatherDims is #stablehlo.gather<...>.
	GatherDims struct {
		OffsetDims, CollapsedSliceDims, OperandBatchingDims, StartIndicesBatchingDims, StartIndexMap []int64
		IndexVectorDim                                                                               int64
	}
	// ScatterDims is #stablehlo.scatter<...>.
	ScatterDims struct {
		UpdateWindowDims, InsertedWindowDims, InputBatchingDims, ScatterIndicesBatchingDims, ScatterDimsToOperandDims []int64
		IndexVectorDim                                                                                                int64
	}
	// ChannelHandle is #stablehlo.channel_handle<...>.
	ChannelHandle struct{ Handle, Type int64 }
	// OutputOperandAlias is #stablehlo.output_operand_alias<...>.
	OutputOperandAlias struct {
		OutputTuple  []int64
		Operand      int64
		OperandTuple []int64
	}
	// TypeExtensions is #stablehlo.type_extensions<bounds = [...]>.
	TypeExtensions struct{ Bounds []int64 }
)

func (IntAttr) isAttr()             {}
func (FloatAttr) isAttr()           {}
func (BoolAttr) isAttr()            {}
func (StringAttr) isAttr()          {}
func (UnitAttr) isAttr()            {}
func (ArrayAttr) isAttr()           {}
func (DictAttr) isAttr()            {}
func (TypeAttr) isAttr()            {}
func (SymbolAttr) isAttr()          {}
func (DenseArrayAttr) isAttr()      {}
func (*DenseAttr) isAttr()          {}
func (EnumAttr) isAttr()            {}
func (OpaqueAttr) isAttr()          {}
func (*DotDims) isAttr()            {}
func (*DotAlgorithm) isAttr()       {}
func (*ConvDims) isAttr()           {}
func (*GatherDims) isAttr()         {}
func (*ScatterDims) isAttr()        {}
func (ChannelHandle) isAttr()       {}
func (*OutputOperandAlias) isAttr() {}
func (TypeExtensions) isAttr()      {}
