package neff

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// File is a container in memory.
type File struct {
	Name            string // of the package; never an input's path
	Gen             machine.Gen
	CompilerVersion string
	LNC             int // physical cores of a logical core, 1 or 2; one Subgraph each
	Features        Feature
	Inputs          []IO
	Outputs         []IO
	Subgraphs       []*Subgraph
	Debug           *Debug  // nil when stripped
	Extra           []Extra // further members, such as metrics, in path order

	Header Header // as read; ignored by Write
}

// IO is an argument or result.
type IO struct {
	Name  string
	DType dtype.Type
	Shape []int64
	Alias string // of an output: the input whose buffer it must share (a donated argument)
}

// Extra is an archive member that the loader ignores.
type Extra struct {
	Path string
	Data []byte
}

// VarKind is the class of a variable, neff.md 4.2.
type VarKind uint8

const (
	VarInput       VarKind = iota // bound to the caller's buffer of that name
	VarOutput                     // likewise
	VarFile                       // DRAM filled from Data at load
	VarTmp                        // DRAM, private
	VarVirtual                    // DRAM, at Offset of the shared scratchpad
	VarStateBuffer                // on chip: offsets are ADDR4 byte addresses
	VarPointer                    // DRAM, holds the address of variable Ref
	VarDGETable                   // table of the variables in List
)

// Var is a variable. Ids are positive and unique in their subgraph.
type Var struct {
	ID     int
	Name   string
	Kind   VarKind
	Size   int64 // bytes
	Align  int64 // power of two, 0 for none
	DType  dtype.Type
	Shape  []int64
	Data   []byte // VarFile: raw little-endian elements, row-major
	Offset int64  // VarVirtual
	Ref    int    // VarPointer
	List   []int  // VarDGETable
}

// Subgraph is the program of one physical core.
type Subgraph struct {
	Vars          []*Var // in id order
	Queues        []*Queue
	Engines       []*Engine // in the order of EngineOrder, engines without code included
	ReplicaGroups [][]int
	FP8OCP        bool // tag 0x0E is float8_e4m3fn
}

// EngineOrder is the order of Subgraph.Engines.
var EngineOrder = [...]machine.Engine{machine.PE, machine.ACT, machine.Pool, machine.DVE, machine.SP}

// Engine is the program of one engine.
type Engine struct {
	Engine  machine.Engine
	Code    []isa.Bundle
	DMA     []DMA    // descriptors in placement order; the blocks of this engine's triggers
	ActSets []string // ACT: function sets that ActivationTableLoad selects by index
}

// QueueType is the class of a queue set, neff.md 4.1.
type QueueType uint8

const (
	QueueIn QueueType = iota
	QueueOut
	QueueData
	QueueEmbeddingUpdate
	QueueDynamic
)

// Queue is a DMA queue set: NumQueues rings that share the descriptors of a block round-robin.
type Queue struct {
	Name       string
	Type       QueueType
	NumQueues  int            // 1..16
	Owner      machine.Engine // engine that triggers; Unassigned if unknown
	Semaphores []int          // completion semaphores of the set
	Instances  []string       // rings that can be swapped
	Pinned     bool
}

// DMA is one entry of an engine's descriptor list.
type DMA struct {
	ID           int // block id of the trigger
	Queue        string
	Instance     string // a queue instance, wins over Queue
	FuncStart    string
	HasFuncStart bool
	SectionStart bool // restart placement at the first ring
	Event        int  // event to set when done, -1 for none
	Semaphore    int  // semaphore to increment by the queue set's NumQueues when the block is done, -1 for none
	Remote       []int
	Desc         Desc
}

// DescOp is what a descriptor does with the data.
type DescOp uint8

const (
	DescCopy DescOp = iota
	DescCast
	DescAdd // accumulate into the destination, or sum several sources
	DescFMA
	DescMin
	DescMax
	DescTranspose
)

// Desc is a descriptor: it moves the elements of From, in walk order, to To.
type Desc struct {
	Op    DescOp
	From  []Side // one, or up to 16 for add, fma, min and max
	To    Side
	Scale float64 // fma
	Const *Const  // min, max
	// TilingDims, TransposeShape and TransposeElem are for transposes.
	TilingDims     int
	TransposeShape []int64
	TransposeElem  int
}

// Const is the constant operand of min and max.
type Const struct {
	DType dtype.Type
	Value float64
}

// Side is one end of a descriptor: base Off in variable Var and up to four dimensions, innermost first. Steps are
// bytes; Sizes[0] is the bytes of the contiguous run when Steps[0] is 1, further sizes are counts.
//
// On chip (a VarStateBuffer) Off is an ADDR4 byte address, and the partition axis is a dimension with step
// isa.SBUFPartitionStep.
type Side struct {
	Var   int // variable id
	Off   int64
	Steps []int64
	Sizes []int64
	DType dtype.Type // Invalid: uint8, that is plain bytes
}

// Bytes returns how many bytes the side names.
func (s *Side) Bytes() int64 {
	n := int64(1)
	for _, c := range s.Sizes {
		n *= c
	}
	return n
}

// Reach returns the lowest and one past the highest byte offset in the variable that the side touches.
func (s *Side) Reach() (lo, hi int64) {
	lo, hi = s.Off, s.Off+1
	for i, c := range s.Sizes {
		if d := s.Steps[i] * (c - 1); d < 0 {
			lo += d
		} else {
			hi += d
		}
	}
	return lo, hi
}

// Debug maps bundles to their origin. It is not needed to run the program.
type Debug struct {
	Sources []Source
	Instrs  []InstrDebug
	PCs     [][]int32 // one list an engine in EngineOrder, of the first subgraph: bundle index -> index in Instrs, -1 for none
}

// Source is an operation of the source program.
type Source struct {
	Op   string // "stablehlo.add"
	Name string // the module's own name for it
	Loc  diag.Loc
}

// InstrDebug is a back-end instruction.
type InstrDebug struct {
	Name   string
	Opcode string
	Source int32 // index in Sources, -1 for none
}

// NewSubgraph returns a subgraph with empty programs for all engines.
func NewSubgraph() *Subgraph {
	s := &Subgraph{}
	for _, e := range EngineOrder {
		s.Engines = append(s.Engines, &Engine{Engine: e})
	}
	return s
}

// Engine returns the program of an engine, nil for one without a stream.
func (s *Subgraph) Engine(e machine.Engine) *Engine {
	for _, x := range s.Engines {
		if x.Engine == e {
			return x
		}
	}
	return nil
}

// AddVar appends a variable, gives it the next id and returns it.
func (s *Subgraph) AddVar(v Var) *Var {
	v.ID = 1
	if n := len(s.Vars); n > 0 {
		v.ID = s.Vars[n-1].ID + 1
	}
	s.Vars = append(s.Vars, &v)
	return &v
}

// Var returns a variable by id, or nil.
func (s *Subgraph) Var(id int) *Var {
	if id >= 1 && id <= len(s.Vars) && s.Vars[id-1].ID == id {
		return s.Vars[id-1]
	}
	for _, v := range s.Vars {
		if v.ID == id {
			return v
		}
	}
	return nil
}

// VarNamed returns a variable by name, or nil.
func (s *Subgraph) VarNamed(name string) *Var {
	for _, v := range s.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Queue returns a queue set by name, or nil.
func (s *Subgraph) Queue(name string) *Queue {
	for _, q := range s.Queues {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// Strip drops everything the loader does not need.
func (f *File) Strip() { f.Debug, f.Extra = nil, nil }

// Origin returns the instruction and source operation of a bundle of the first subgraph, nil where unknown.
func (f *File) Origin(e machine.Engine, pc int) (*InstrDebug, *Source) {
	if f.Debug == nil {
		return nil, nil
	}
	for i, x := range EngineOrder {
		if x != e || i >= len(f.Debug.PCs) || pc < 0 || pc >= len(f.Debug.PCs[i]) {
			continue
		}
		k := f.Debug.PCs[i][pc]
		if k < 0 || int(k) >= len(f.Debug.Instrs) {
			return nil, nil
		}
		in := &f.Debug.Instrs[k]
		if in.Source < 0 || int(in.Source) >= len(f.Debug.Sources) {
			return in, nil
		}
		return in, &f.Debug.Sources[in.Source]
	}
	return nil, nil
}

// ElemType returns the element type of the side: plain bytes when none is given.
func (s *Side) ElemType() dtype.Type {
	if s.DType == dtype.Invalid {
		return dtype.U8
	}
	return s.DType
}

// Elements returns how many elements the side names.
func (s *Side) Elements() int64 {
	n := int64(s.ElemType().Size())
	if n == 0 {
		return 0
	}
	return s.Bytes() / n
}
