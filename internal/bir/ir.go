package bir

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// Module is the program of one core.
type Module struct {
	Name   string
	Gen    machine.Gen
	Funcs  []*Func // Funcs[0] is "main"
	Queues []*Queue
	Attrs  []ModuleAttr // in insertion order
}

// ModuleAttr is one module attribute; Value is a bool, int64, uint64, string, []any or ordered map.
type ModuleAttr struct {
	Name  string
	Value any
}

// Func is a function: storages and blocks of instructions. Its interface is the set of its memory location
// sets whose Kind is an input or output.
type Func struct {
	Name   string
	Sets   []*MemLocSet
	Regs   []*Register
	Blocks []*Block // Blocks[0] is the entry
	Attrs  []ModuleAttr
	nextID int32
	slab   []Instr // instructions allocated but not handed out
}

// Block is a straight-line list of instructions in program order (before scheduling: a legal sequential order;
// after scheduling: the order in which each engine sees its own instructions).
type Block struct {
	Name      string
	Instrs    []*Instr
	NoReorder bool
}

// Instr is one instruction: one hardware instruction, a macro form lowered before encoding, or a region.
type Instr struct {
	ID       int32 // unique in its Func, assigned by Func.NewInstr; never serialised
	Op       Opcode
	Engine   machine.Engine
	Name     string // empty: "I" + ID
	Ins      []Arg
	Outs     []Arg
	Indirect []Arg // gather/scatter index operands
	Attrs    Attrs // payload of the opcode (see attrs.go), nil if it has none
	Deps     []Dep // edges to earlier instructions that must be done first
	Carried  []Dep // loop-carried edges, innermost common loop
	Sync     *SyncInfo
	Preds    []Pred
	Body     []*Block // Loop, DynamicForLoop, DoWhile, DMABlock
	Start    int64    // scheduled start, cycles of the core base clock; 0 before scheduling
	End      int64
	Debug    *DebugInfo
}

// DebugInfo says which source operation an instruction came from.
type DebugInfo struct {
	Loc  diag.Loc
	Op   string // name of the source operation, "stablehlo.add"
	Name string // profiling name (the module's own loc("...")), if any
}

// EdgeKind is the kind of a dependency edge; a greater value subsumes a smaller one.
type EdgeKind uint8

const (
	EdgeInvalid EdgeKind = iota
	Ordered              // program order without data
	Anti                 // this writes what On reads
	Output               // this writes what On writes
	Flow                 // this reads what On writes
)

// Dep is an edge stored on the consumer: it must not start before On is done.
type Dep struct {
	On   *Instr
	Kind EdgeKind
}

// Pred guards an instruction: E >= 0 (Ge) or E == 0.
type Pred struct {
	E  pelican.Expr
	Ge bool
}

// ArgKind discriminates Arg.
type ArgKind uint8

const (
	ArgAP      ArgKind = iota + 1 // static or symbolic access pattern on a memory location
	ArgImm                        // scalar constant
	ArgReg                        // whole register value
	ArgImmList                    // vector constant
)

// Arg is an operand.
type Arg struct {
	Kind ArgKind
	AP   *AccessPattern // ArgAP
	Reg  *Register      // ArgReg
	Imm  Imm            // ArgImm
	List []Imm          // ArgImmList
}

// Imm is a scalar constant. F holds floats, I integers, by Type.
type Imm struct {
	Type dtype.Type
	F    float64
	I    int64
}

// Dim is one (step, count) pair of an access pattern, in elements of the pattern's dtype.
type Dim struct {
	Step  int64
	Count int64
}

// AccessPattern names the elements an operand touches.
//
// On chip (SB, PSUM) the pattern covers partitions Part .. Part+NPart-1 of Loc (relative to Loc.Base) and in each
// of them the elements Offset + sum(i_d*Free[d].Step), outermost dimension first. On DRAM NPart is 0 and Part
// is 0: all dimensions stand in Free.
//
// Offset counts elements of DType from the start of the location's row (on chip) or of the location (DRAM).
// Expr, when not nil, is added to Offset (loop axes). Reg, when not nil, is a run-time element offset that is
// added too.
type AccessPattern struct {
	Loc    *MemLoc
	DType  dtype.Type
	Part   int
	NPart  int
	Offset int64
	Expr   pelican.Expr
	Reg    *Register
	Free   []Dim
}

// MemType is where a location lives. The values are the wire values.
type MemType uint8

const (
	MemUnallocated MemType = 1
	DRAM           MemType = 8
	SB             MemType = 16
	PSUM           MemType = 32
)

// TensorKind is the role of a set at the function's boundary.
type TensorKind uint8

const (
	ExternalInput TensorKind = iota
	ExternalInputParameter
	ExternalInputState
	ExternalOutput
	ExternalOutputParameter
	ExternalOutputState
	Const
	Internal
	Pointer
	InternalInterface
)

// MemLocSet is a logical tensor. Most have exactly one MemLoc.
type MemLocSet struct {
	Name   string
	Kind   TensorKind
	DType  dtype.Type
	Shape  []int64
	Locs   []*MemLoc
	Init   *tensor.Tensor // data of a Const set, row-major in Shape
	Debug  *DebugInfo
	IOName string // name of the argument or result at the model's boundary, for external kinds
}

// MemLoc is one physical placement of a set.
type MemLoc struct {
	Set       *MemLocSet
	Name      string
	Type      MemType
	Dims      []int64 // on chip: partitions, then free extents; DRAM: logical extents
	Allocated bool
	Pinned    bool    // address fixed by the program; allocators must not move it
	Addr      int64   // SB: byte in partition; PSUM: byte in bank; DRAM: byte in its space
	Bank      int     // PSUM bank
	Base      int     // start partition on chip
	Alias     *MemLoc // MustAlias peer in DRAM (a donated input for its output)
}

// Register is a 32-bit scalar of a sequencer (or of every sequencer, when Engine is AllEngines).
type Register struct {
	Name   string
	Engine machine.Engine
	Num    int // hardware number, -1 before allocation
	DType  dtype.Type
}

// QueueType is the class of a DMA queue.
type QueueType uint8

const (
	QueueInput QueueType = iota
	QueueOutput
	QueueData
	QueuePinnedWeight
	QueueIndirect
	QueueEmbeddingUpdate
	QueueCollective
	QueueDynamicActTable
	QueueDynamic
)

// Queue is a DMA queue: a set of rings triggered by one engine.
type Queue struct {
	Name   string
	Type   QueueType
	Engine machine.Engine // engine that triggers it
	Rings  int            // DMA engines used, 1..16
	Sems   []int          // completion semaphores
	Blocks []*Block       // instances; each holds DMABlock instructions
}

// WaitMode and UpdateMode are the semaphore operations. The values are BIR ordinals.
type WaitMode uint8

const (
	WaitEvent    WaitMode = iota // event set, then clear
	WaitSemGE                    // semaphore >= immediate
	WaitSemGEReg                 // semaphore >= register
)

type UpdateMode uint8

const (
	UpdEventSet UpdateMode = iota
	UpdSemAdd
	UpdSemSub
	UpdSemInc
	UpdSemDec
	UpdSemWrite
)

// Wait is a condition an instruction waits for before it issues.
type Wait struct {
	Mode  WaitMode
	ID    int // semaphore or event id
	Value int64
	Reg   *Register // WaitSemGEReg
}

// Update is a semaphore action that fires when the instruction's writes are visible.
type Update struct {
	Mode  UpdateMode
	ID    int
	Value int64
}

// SyncInfo is what an instruction waits for and signals.
type SyncInfo struct {
	Waits   []Wait
	Updates []Update
}
