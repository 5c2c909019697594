package bir

import "github.com/alcadev/alca/internal/pelican"

// PSUM accumulation flags of MatmultAttrs.AccFlags (bir.md 7.1).
const (
	AccFlagStart      = 1
	AccFlagStop       = 2
	AccFlagAccumulate = 4
	AccFlagAuto       = 16 // the pass that groups matmuls decides; never on the wire
)

// The attribute structs. Field order is the order of the wire keys (bir.md 7).
type (
	// MatmultAttrs belongs to the matmul family.
	MatmultAttrs struct {
		AccFlags               uint8
		PsumZeroRegion         uint8
		IsTranspose            bool
		FmapOneZero            bool
		WeightOneZero          bool
		TileSize, TilePosition [2]int // rows, columns; -1 for the whole array
		Perf                   PerfMode
		CompressRatio          int // MatmultSparse
	}
	// ActivationAttrs: dst = Func(in*scale + bias); scale is operand 2 when present, else Scale.
	ActivationAttrs struct {
		Func               ActFunc
		Scale, Alpha       float32
		Acc                AccType
		Op0, Op1           AluOp
		ReduceOp           AluOp
		Reverse0, Reverse1 bool
		Activate2          bool
		ReadUninit         bool
	}
	TensorReduceAttrs struct {
		Op             AluOp
		Axis           AxisList
		Negate         bool
		ApplyTranspose bool
	}
	PoolAttrs               struct{ Func PoolFunc }
	ExponentialAttrs        struct{ Acc AccType }
	MatchReplaceAttrs       struct{ Imm float32 }
	LoadActFuncSetAttrs     struct{ Set int }
	DveReadAccumulatorAttrs struct{ Negated bool }
	CopyAttrs               struct{ ReadUninit bool }
	DynamicCopyAttrs        struct {
		Scale      uint32
		ReadUninit bool
	}
	IndirectCopyAttrs   struct{ NumValid uint16 }
	CopyPredicatedAttrs struct {
		ReversePred bool
		ReadUninit  bool
		ReduceOp    AluOp
		Acc         AccType
	}
	TensorScalarAttrs struct {
		Op0, Op1           AluOp
		Const0, Const1     float32
		Reverse0, Reverse1 bool
	}
	// TensorScalarPtrAttrs covers tensor_scalar, tensor_scalar_reduce, scalar_tensor_tensor and tensor_tensor_scan.
	// Operands: data, operand0, [operand1]; scalars are immediates or [P,1] access patterns.
	TensorScalarPtrAttrs struct {
		Op0, Op1           AluOp
		Reverse0, Reverse1 bool
		ApplyTranspose     bool
		TensorScalarAddr   bool
		ScalarTensorTensor bool
		TensorTensorScan   bool
		NegateSecondOutput bool
		Acc                AccType
	}
	TensorScalarCacheAttrs struct {
		Op0, Op1           AluOp
		Reverse0, Reverse1 bool
		Mode               TSCMode
		Acc                AccType
	}
	TensorTensorAttrs struct{ Op AluOp }
	// IotaAttrs: value at partition p, free index i: Base + p*ChannelMultiplier + sum(i_d * Pattern[d].Step).
	IotaAttrs struct {
		Base              int64
		Pattern           []Dim
		ChannelMultiplier int64
	}
	// AffineSelectAttrs keeps the input where the iota value compares true with zero, else Fill.
	AffineSelectAttrs struct {
		Base              int64
		Pattern           []Dim
		ChannelMultiplier int64
		Compare           AluOp
		Fill              float32
	}
	RangeSelectAttrs struct {
		Base               int64
		Compare0, Compare1 AluOp
		ReduceOp           AluOp
		Acc                AccType
		Fill               float32
	}
	// MemsetAttrs: Constant is the bit pattern of the value in the output's type.
	MemsetAttrs struct {
		Mode     MemsetMode
		Constant uint32
	}
	DropoutAttrs       struct{ KeepThreshold bool }
	StreamShuffleAttrs struct{ Mask [32]uint8 }
	// DMAAttrs belongs to Load, Save, DMACopy and the indirect forms.
	DMAAttrs struct {
		Queue      *Queue // nil until assigned
		DGE        DGEType
		Mode       CopyMode // DMACopy
		Op         AluOp    // bypass: copy; add, max, min: combine at the destination
		OOBSkip    bool
		ReadUninit bool
	}
	// DMATriggerAttrs names the queue and the blocks it starts, in order.
	DMATriggerAttrs struct {
		Queue  *Queue
		Blocks []*Instr // DMABlock instructions of the queue
	}
	// DMADescriptorAttrs belongs to the descriptor opcodes inside a DMABlock.
	DMADescriptorAttrs struct {
		Op          AluOp
		TilingDims  int
		TransposeOp string
		Constants   []float32
		ReadUninit  bool
	}
	DMABlockAttrs struct {
		ID           int
		SectionStart bool
	}
	// BranchAttrs: CompareAndBranch jumps to True or False, UnconditionalBranch to True.
	BranchAttrs struct {
		Compare     CompareOp
		True, False *Block
	}
	QueueInstanceAttrs struct {
		Queue    *Queue
		Instance int
		NoRearm  bool
	}
	ResetSemaphoresAttrs struct {
		Mode ClearMode
		IDs  []int
	}
	DrainAttrs       struct{ ResetSemaphores bool }
	RegisterAluAttrs struct {
		Op   AluOp
		Wide bool // 64-bit
	}
	// LoopAttrs: the body runs for Lower, Lower+Stride, ... below Upper, with Var as the induction variable.
	LoopAttrs struct {
		Axis                 string
		Var                  pelican.Expr
		Lower, Upper, Stride int64
		Parallel             bool
		Unroll               int // 0: fully
	}
	DynamicLoopAttrs struct {
		Axis          string
		Var           pelican.Expr
		Lower, Stride int64
		UpperConst    int64 // upper bound = UpperConst + UpperCoef*UpperReg
		UpperCoef     int64
		UpperReg      *Register
		Parallel      bool
	}
	// DoWhileAttrs: the body runs, then again while Cond is not zero.
	DoWhileAttrs struct{ Cond *Register }
)

func (*MatmultAttrs) birAttrs()            {}
func (*ActivationAttrs) birAttrs()         {}
func (*TensorReduceAttrs) birAttrs()       {}
func (*PoolAttrs) birAttrs()               {}
func (*ExponentialAttrs) birAttrs()        {}
func (*MatchReplaceAttrs) birAttrs()       {}
func (*LoadActFuncSetAttrs) birAttrs()     {}
func (*DveReadAccumulatorAttrs) birAttrs() {}
func (*CopyAttrs) birAttrs()               {}
func (*DynamicCopyAttrs) birAttrs()        {}
func (*IndirectCopyAttrs) birAttrs()       {}
func (*CopyPredicatedAttrs) birAttrs()     {}
func (*TensorScalarAttrs) birAttrs()       {}
func (*TensorScalarPtrAttrs) birAttrs()    {}
func (*TensorScalarCacheAttrs) birAttrs()  {}
func (*TensorTensorAttrs) birAttrs()       {}
func (*IotaAttrs) birAttrs()               {}
func (*AffineSelectAttrs) birAttrs()       {}
func (*RangeSelectAttrs) birAttrs()        {}
func (*MemsetAttrs) birAttrs()             {}
func (*DropoutAttrs) birAttrs()            {}
func (*StreamShuffleAttrs) birAttrs()      {}
func (*DMAAttrs) birAttrs()                {}
func (*DMATriggerAttrs) birAttrs()         {}
func (*DMADescriptorAttrs) birAttrs()      {}
func (*DMABlockAttrs) birAttrs()           {}
func (*BranchAttrs) birAttrs()             {}
func (*QueueInstanceAttrs) birAttrs()      {}
func (*ResetSemaphoresAttrs) birAttrs()    {}
func (*DrainAttrs) birAttrs()              {}
func (*RegisterAluAttrs) birAttrs()        {}
func (*LoopAttrs) birAttrs()               {}
func (*DynamicLoopAttrs) birAttrs()        {}
func (*DoWhileAttrs) birAttrs()            {}
