// Package timeline runs the instruction streams of one core on a clock: engines issue in order, wait for
// semaphores, and finish after the costs of package machine say; DMA transfers move in the background.
// Data effects (package exec) happen in the order of the clock, so a missing wait changes what is computed or is
// reported as a race.
//
//	p := &timeline.Program{Spec: spec, Streams: ..., Queues: ...}
//	res, err := timeline.Run(ctx, p, state, timeline.Options{})
package timeline

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// Kind tells what a stream entry does.
type Kind uint8

const (
	Data        Kind = iota // a data-path instruction
	LoadWeights             // PE: load the stationary tile (Data.In[0])
	Multiply                // PE: stream the moving tile
	Nop                     // sync carrier, Drain included (Drain waits for everything the engine issued)
	Drain
	Barrier // update first, then wait
	EventSemaphore
	ResetSemaphores
	Halt // the stream ends
	Branch
	RegMove
	RegALU
	RegLoad
	RegStore
	Trigger // start the descriptors of a queue block
	Direct  // a transfer described by the instruction itself
	Rewind  // swap or rewind a queue instance
	Skip    // second half of the entry before it: takes no time
)

// Entry is one decoded instruction of an engine's stream.
type Entry struct {
	Kind   Kind
	Data   *exec.Instr
	Waits  []Wait
	Update *Update
	Ctl    *Control
	PC     int
	Src    Source
}

// Source is where an instruction came from; the zero Source when the program carries no debug members.
type Source struct {
	Loc diag.Loc
	Op  string
}

// Wait blocks until a semaphore reaches a value, or an event is set (and clears it).
type Wait struct {
	Event bool
	Equal bool // wait for equality (run-time records only)
	ID    uint8
	Value int32
	Reg   int // register number holding the value, -1 for an immediate
}

// UpdateOp is a semaphore action.
type UpdateOp uint8

const (
	SetEvent UpdateOp = iota
	ClearEvent
	Add // adds Value, which may be negative
	Write
)

// Update is a semaphore action and when it fires.
type Update struct {
	Op     UpdateOp
	ID     uint8
	Value  int32
	AtRead bool // when the instruction begins, not when it completes
}

// Control holds the fields of sequencer instructions.
type Control struct {
	Cmp      Compare // Branch
	Target   int
	A, B     int // registers: lhs, rhs; RegALU: sources
	Dst      int
	UseImm   bool
	Imm      int64
	Unsigned bool
	Wide     bool // 64-bit
	Alu      func(a, b int64) int64
	Ref      exec.Ref // RegLoad, RegStore
	First    uint8    // ResetSemaphores range
	Last     uint8
	Mask     *[32]byte // ResetSemaphores bitmask, else nil
	Queue    string
	Block    int
	Xfer     *DirectXfer
}

// Compare is a branch condition.
type Compare uint8

const (
	Always Compare = iota
	LT
	LE
	EQ
	NE
	GE
	GT
)

// Block is a group of descriptors that one trigger starts.
type Block struct {
	Xfers []exec.Xfer
	Sems  []SemAdd // updates when all rings are done
	Shape machine.DMAShape
	Src   Source
}

// SemAdd adds to a semaphore.
type SemAdd struct {
	ID    uint8
	Value int32
}

// DirectXfer is a transfer whose addresses may come from registers.
type DirectXfer struct {
	Xfer           exec.Xfer
	SrcReg, DstReg int // byte offset registers, -1 for none
	SrcLo, SrcHi   int64
	DstLo, DstHi   int64 // run-time bounds, 0, 0 for unchecked
	Sem            *SemAdd
	Shape          machine.DMAShape
	Index          *exec.Ref // gather or scatter
	Scatter        bool
	SkipOOB        bool
}

// Queue is a DMA queue with its blocks by identifier.
type Queue struct {
	Name   string
	Blocks map[int]*Block
	Rings  int
}

// Program is everything a core executes.
type Program struct {
	Spec    *machine.Spec
	Streams [machine.NumEngines][]Entry // by machine.Engine
	Queues  map[string]*Queue
}
