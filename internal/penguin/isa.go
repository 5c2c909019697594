package penguin

import "github.com/alcadev/alca/internal/dtype"

// ISA is the payload of every ISA-level instruction. One struct serves all rows of the table: a row uses the
// fields its Doc names and leaves the rest zero. Names are BIR's, so lowering is a look-up.
type ISA struct {
	Op0, Op1   string // ALU operators, "" for none
	Rev0, Rev1 bool   // swap the sides of Op0, Op1
	Func       string // activation function
	Scale      float64
	Alpha      float64
	Acc        string      // engine accumulator command, "" for idle
	Flags      uint8       // matmul: 1 start, 2 stop, 4 accumulate
	Transpose  bool        // matmul: transpose mode
	Axes       int         // reduce: innermost free dimensions reduced
	Negate     bool        // reduce
	Base       int64       // iota
	Channel    int64       // iota: added per partition
	Pattern    []StepCount // iota, outermost first
	Bits       uint64      // memset: bit pattern in the output's type
	Imms       []ISAImm    // scalar operands, by position among the inputs
}

// ISAImm is a scalar operand that stands before input Pos (counting scalars already inserted).
type ISAImm struct {
	Pos  int
	Type dtype.Type
	F    float64
	I    int64
}

func (*ISA) penguinAttrs() {}

// isaOps are the ISA-level rows. The name is the BIR instruction's in lower case with underscores.
var isaOps = map[string]*OpDef{}

func isaRow(name, doc string) {
	isaOps[name] = &OpDef{Name: name, Doc: doc, ISA: true}
}

func init() {
	isaRow("dma", "copy between DRAM and SBUF, stream order; converts when the types differ. An Ind of the DRAM side adds a run-time offset")
	isaRow("matmul", "in: moving [K, N], stationary [K, M]; out [M, N] in PSUM. Flags, Transpose")
	isaRow("activation", "out = Func(in0*Scale + bias); in1 is bias, in2 (if present) replaces Scale per partition; out1 (if present) receives the sum. Func, Scale, Alpha, Acc")
	isaRow("tensor_tensor", "out = in0 Op0 in1")
	isaRow("tensor_scalar", "out = (in0 Op0 in1) Op1 in2, in1 and in2 scalars or one element per partition. Rev0, Rev1")
	isaRow("scalar_tensor_tensor", "out = (in0 Op0 in1) Op1 in2, in1 a scalar or one element per partition, in2 a tile. Rev0, Rev1")
	isaRow("tensor_reduce", "reduce the Axes innermost free dimensions of in0 with Op0; Negate")
	isaRow("tensor_copy", "out = in0, converted when the types differ")
	isaRow("copy_predicated", "where in1 (unsigned) is not zero, out = in0; else out keeps its value. Rev0 inverts the predicate")
	isaRow("reciprocal", "out = 1/in0")
	isaRow("memset", "out = Bits")
	isaRow("iota", "out = Base + Channel*partition + sum(Pattern step*index), int32")
}

// ISAOp returns the ISA-level row of a name, or nil.
func ISAOp(name string) *OpDef { return isaOps[name] }
