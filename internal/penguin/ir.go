package penguin

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// Module is a set of functions for one target.
type Module struct {
	Name  string
	Gen   machine.Gen
	Funcs []*Func // Funcs[0] is "main"
}

// Func is a compilation unit: tensors and a body over them. Inputs and outputs are the tensors flagged so, in
// the order of Tensors.
type Func struct {
	Name    string
	Tensors []*Tensor
	Body    []Stmt
	Deps    []Dep
}

// KindFlags is a bit set of tensor roles.
type KindFlags uint8

const (
	Input KindFlags = 1 << iota
	Output
	Const
	InternalIO
	NonLocal // may live in DRAM (a permission, not a decision)
)

// Space is the memory a tensor lives in.
type Space uint8

const (
	DRAM Space = iota
	SBUF
	PSUM
)

// Tensor is a named array. In DRAM it is row-major in Shape. On chip Shape is physical: [partitions, free...]
// and at most 128 partitions.
type Tensor struct {
	Name   string
	DType  dtype.Type
	Shape  []int64
	Kind   KindFlags
	Space  Space
	Alias  *Tensor        // shares storage with this tensor (a donated input for its output)
	Init   *tensor.Tensor // data of a Const
	IOName string         // name at the model's boundary (Input, Output)
	Loc    diag.Loc
	Copies int // rotating buffers, 0 or 1 for one
}

// Stmt is *Loop, *While, *Scope, *Inst or *Cluster.
type Stmt interface{ isStmt() }

// AxisType says how iterations of an axis relate.
type AxisType uint8

const (
	DefaultAxis AxisType = iota
	Parallel             // independent iterations
	Sequential           // loop-carried
	Shard
	Thread
	Block
	CCRank
	Interleave
	SPMD
)

// Axis is a loop level: values Lo, Lo+Step, ... below Hi. Lo and Hi are affine in outer axes.
type Axis struct {
	Name         string
	Lo, Hi, Step int64
	Type         AxisType
	Var          pelican.Expr // the induction variable
}

// Loop runs Body once per value of Axis.
type Loop struct {
	Axis *Axis
	Body []Stmt
}

// While runs Cond, leaves when element 0 of Pred is zero, else runs Body, and repeats.
type While struct {
	Cond []Stmt
	Pred *Tensor
	Body []Stmt
	Loc  diag.Loc
}

// Scope is a named lexical region.
type Scope struct {
	Name      string
	NoReorder bool
	Body      []Stmt
}

// ClusterKind names the template that emits a cluster.
type ClusterKind uint8

// Cluster is a group of op-level instructions emitted together by one template.
type Cluster struct {
	Kind ClusterKind
	Ops  []*Inst
}

// Inst is one operation.
//
// At op level it is a comprehension: for every point of Axes (parallel axes first, then those in Reduce) the
// op combines the elements its accesses name. Accesses are affine in the axes (floordiv and mod allowed), so
// broadcast, transpose, slice, reverse, reshape and convolution windows are index expressions, not ops:
//
//	%4 = add(x[i, j], b[j]) -> y[i, j]              broadcast of b
//	%5 = copy(x[j, i]) -> y[i, j]                   transpose
//	%6 = contract(a[b, m, k], w[k, n]) -> y[b, m, n]   reduce k
//
// Operand and result element types stand on the tensors. A scalar constant operand is a Const tensor of shape []
// with no Dims. A point whose access carries Ind reads its index from memory (dynamic slices, gather); such an
// Index is never an output of the same instruction. copy may name the same tensor on both sides only if no point
// reads what another writes. An instruction with an empty axis does nothing.
//
// At ISA level it is one hardware instruction on tiles (Access.Tile), and Axes is empty.
type Inst struct {
	ID     int
	Op     *OpDef
	Axes   []*Axis // op level: the iteration domain
	Reduce int     // the last Reduce of Axes are reduced over
	In     []Access
	Out    []Access
	Attrs  Attrs // op-specific immediates
	Pred   []Pred
	Loc    diag.Loc
	Src    string // source op name, "stablehlo.add"
	Name   string // profiling name from the module's own loc
	Engine machine.Engine
}

// Pred guards an instruction: E >= 0 (Ge) or E == 0.
type Pred struct {
	E  pelican.Expr
	Ge bool
}

// Access names elements of a tensor: exactly one of Dims and Tile is set, or neither for the whole tensor.
// Ind adds a run-time offset to one dimension of Dims.
type Access struct {
	T    *Tensor
	Dims []pelican.Expr // op level: one index expression per dimension of T
	Ind  []Indirect     // op level: run-time parts of the index
	Tile *Tile          // ISA level
}

// Indirect adds the integer Index[At...] (clamped to Lo..Hi) to dimension Dim of an access.
type Indirect struct {
	Index  *Tensor
	At     []pelican.Expr // position in Index, affine in the instruction's axes; empty for a scalar
	Dim    int
	Lo, Hi int64
}

// Tile is a physical access: partitions P0 .. P0+NP-1 (NP 0 for DRAM) and a strided walk over the free space,
// outermost first, starting at Off, all in elements.
type Tile struct {
	P0, NP int
	Free   []StepCount
	Off    pelican.Expr
	DType  dtype.Type // Invalid: the tensor's own; else a reinterpretation of the bytes
}

// StepCount is one dimension of a strided walk.
type StepCount struct{ Step, Count int64 }

// DepKind is the kind of a dependency edge.
type DepKind uint8

// Dep is a dependency edge between instructions.
type Dep struct {
	Src, Dst *Inst
	Kind     DepKind
}

// Attrs is the payload of an op: a pointer to the op's attribute struct, or nil.
type Attrs interface{ penguinAttrs() }

// OpDef is a row of the op table.
type OpDef struct {
	Name   string
	Doc    string
	ISA    bool         // an ISA-level row
	Group  Group        // op level
	Ins    int          // op level: operands
	MaxIns int          // op level: operands with the optional ones, 0 for Ins
	New    func() Attrs // a fresh payload, nil when the op has none
}

func (*Loop) isStmt()    {}
func (*While) isStmt()   {}
func (*Scope) isStmt()   {}
func (*Inst) isStmt()    {}
func (*Cluster) isStmt() {}
