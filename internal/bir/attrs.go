package bir

import "github.com/alcadev/alca/internal/pelican"

// PSUM accumulation flags of MatmultAttrs.AccFlags (bir.md 7.1).
const (
	AccFlagStart      = 1
	AccFlagStop       = 2
	AccFlagAccumulate = 4
	AccFlagAuto       = 16 // the pass that groups matmuls decides; never on the wire
)

// The attribute structs (bir.md 7). The tag names the wire key; "always" keys are written even when they have the
// default, which is zero unless the tag says otherwise. The text printer and BIR-JSON read the tags.
type (
	// MatmultAttrs belongs to the matmul family.
	MatmultAttrs struct {
		AccFlags       uint8    `bir:"accumulation_flag,always"`
		PsumZeroRegion uint8    `bir:"psum_zero_region,always"`
		ReplResolution uint32   `bir:"replication_resolution,always"`
		ReplShift      uint32   `bir:"replication_shift_amnt,always"`
		ReplRows       uint32   `bir:"replication_num_rows,always"`
		IsTranspose    bool     `bir:"is_transpose,always"`
		FmapOneZero    bool     `bir:"is_fmap_onezero,always"`
		WeightOneZero  bool     `bir:"is_weight_onezero,always"`
		TileSize       [2]int   `bir:"tile_size,always"`     // rows, columns; -1 (or 0) for the whole array
		TilePosition   [2]int   `bir:"tile_position,always"` // start row, column; -1 (or 0) for the first
		Perf           PerfMode `bir:"perf_mode,always"`
		FmapOffset     uint8    `bir:"ifmap_quant_offset,always"` // zero point of the moving operand
		WeightOffset   uint8    `bir:"weights_quant_offset,always"`
		CompressRatio  int      `bir:"compress_ratio"` // MatmultSparse
	}
	// ActivationAttrs: dst = Func(in*scale + bias); scale is operand 2 when present, else Scale.
	ActivationAttrs struct {
		Func       ActFunc `bir:"func,always"`
		Scale      float32 `bir:"scale,always"`
		Alpha      float32 `bir:"alpha,always"`
		Acc        AccType `bir:"acc,always"`
		Op0        AluOp   `bir:"op0,always"`
		Op1        AluOp   `bir:"op1,always"`
		ReduceOp   AluOp   `bir:"reduce_op,always"`
		Reverse0   bool    `bir:"reverse0"`
		Reverse1   bool    `bir:"reverse1"`
		Activate2  bool    `bir:"is_activate2"`
		ReadUninit bool    `bir:"can_read_uninit"`
	}
	TensorReduceAttrs struct {
		Op             AluOp    `bir:"op,always"`
		Axis           AxisList `bir:"axis,always"`
		Negate         bool     `bir:"negate"`
		ApplyTranspose bool     `bir:"apply_transpose"`
	}
	PoolAttrs struct {
		Func PoolFunc `bir:"func,always"`
	}
	ExponentialAttrs struct {
		Acc AccType `bir:"reduce_cmd,always"`
	}
	MatchReplaceAttrs struct {
		Imm float32 `bir:"imm_value,always"`
	}
	LoadActFuncSetAttrs struct {
		Set int `bir:"act_func_set_id"`
	}
	DveReadAccumulatorAttrs struct {
		Negated bool `bir:"negated"`
	}
	CopyAttrs struct {
		ReadUninit bool `bir:"can_read_uninit"`
	}
	DynamicCopyAttrs struct {
		Scale      uint32 `bir:"scale,always"`
		ReadUninit bool   `bir:"can_read_uninit"`
	}
	IndirectCopyAttrs struct {
		NumValid uint16 `bir:"num_valid_indices,always"`
	}
	CopyPredicatedAttrs struct {
		ReversePred bool    `bir:"reverse_pred"`
		ReadUninit  bool    `bir:"can_read_uninit"`
		ReduceOp    AluOp   `bir:"reduce_op,always"`
		Acc         AccType `bir:"accumulator_cmd,always"`
	}
	TensorScalarAttrs struct {
		Op0      AluOp   `bir:"op0,always"`
		Op1      AluOp   `bir:"op1,always"`
		Const0   float32 `bir:"const0,always"`
		Const1   float32 `bir:"const1,always"`
		Reverse0 bool    `bir:"reverse0,always"`
		Reverse1 bool    `bir:"reverse1,always"`
	}
	// TensorScalarPtrAttrs covers tensor_scalar, tensor_scalar_reduce, scalar_tensor_tensor and tensor_tensor_scan.
	// Operands: data, operand0, [operand1]; scalars are immediates or [P,1] access patterns.
	TensorScalarPtrAttrs struct {
		Op0                AluOp   `bir:"op0,always"`
		Op1                AluOp   `bir:"op1,always"`
		Reverse0           bool    `bir:"reverse0,always"`
		Reverse1           bool    `bir:"reverse1,always"`
		ApplyTranspose     bool    `bir:"apply_transpose"`
		TensorScalarAddr   bool    `bir:"is_tensor_scalar_addr"`
		ScalarTensorTensor bool    `bir:"is_scalar_tensor_tensor"`
		TensorTensorScan   bool    `bir:"is_tensor_tensor_scan"`
		NegateSecondOutput bool    `bir:"negate_second_output"`
		Acc                AccType `bir:"acc"`
	}
	TensorScalarCacheAttrs struct {
		Op0      AluOp   `bir:"op0,always"`
		Op1      AluOp   `bir:"op1,always"`
		Reverse0 bool    `bir:"reverse0"`
		Reverse1 bool    `bir:"reverse1"`
		Mode     TSCMode `bir:"mode"`
		Acc      AccType `bir:"acc"`
	}
	TensorTensorAttrs struct {
		Op AluOp `bir:"op,always"`
	}
	// IotaAttrs: value at partition p, free index i: Base + p*ChannelMultiplier + sum(i_d * Pattern[d].Step).
	IotaAttrs struct {
		Base              int64 `bir:"base,always"`
		Pattern           []Dim `bir:"pattern,always"`
		ChannelMultiplier int64 `bir:"channel_multiplier"`
	}
	// AffineSelectAttrs keeps the input where the iota value compares true with zero, else Fill.
	AffineSelectAttrs struct {
		Base              int64   `bir:"base,always"`
		Pattern           []Dim   `bir:"pattern,always"`
		ChannelMultiplier int64   `bir:"channel_multiplier"`
		Compare           AluOp   `bir:"compare_op,always"`
		Fill              float32 `bir:"fill_value,always"`
	}
	RangeSelectAttrs struct {
		Base     int64   `bir:"base"`
		Compare0 AluOp   `bir:"compare_op0,always"`
		Compare1 AluOp   `bir:"compare_op1,always"`
		ReduceOp AluOp   `bir:"reduce_op,always"`
		Acc      AccType `bir:"reduce_cmd,always"`
		Fill     float32 `bir:"fill_value,always"`
	}
	// MemsetAttrs: Constant is the bit pattern of the value in the output's type.
	MemsetAttrs struct {
		Mode     MemsetMode `bir:"mode,always"`
		Constant uint32     `bir:"constant,always"`
	}
	DropoutAttrs struct {
		KeepThreshold bool `bir:"is_keep_threshold"`
	}
	StreamShuffleAttrs struct {
		Mask [32]uint8 `bir:"mask,always"`
	}
	// DMAAttrs belongs to Load, Save, DMACopy and the indirect forms.
	DMAAttrs struct {
		Queue      *Queue   `bir:"queue"` // nil until assigned
		DGE        DGEType  `bir:"dge_type,default=Unassigned"`
		Mode       CopyMode `bir:"mode"`   // DMACopy
		Op         AluOp    `bir:"cce_op"` // bypass: copy; add, max, min: combine at the destination
		OOBSkip    bool     `bir:"oob_is_err,invert,default=true"`
		ReadUninit bool     `bir:"can_read_uninit"`
	}
	// DMATriggerAttrs names the queue and the blocks it starts, in order.
	DMATriggerAttrs struct {
		Queue  *Queue   `bir:"queue"`
		Blocks []*Instr `bir:"dma_blocks"` // DMABlock instructions of the queue
	}
	// DMADescriptorAttrs belongs to the descriptor opcodes inside a DMABlock.
	DMADescriptorAttrs struct {
		Op          AluOp     `bir:"op"`
		TilingDims  int       `bir:"num_tiling_dimensions"`
		TransposeOp string    `bir:"transpose_op"`
		Constants   []float32 `bir:"constants"`
		ReadUninit  bool      `bir:"can_read_uninit"`
	}
	DMABlockAttrs struct {
		ID           int  `bir:"block_id"`
		SectionStart bool `bir:"section_start"`
	}
	// BranchAttrs: CompareAndBranch jumps to True or False, UnconditionalBranch to True.
	BranchAttrs struct {
		Compare CompareOp `bir:"comp_op,always"`
		True    *Block    `bir:"on_true,always"`
		False   *Block    `bir:"on_false,always"`
	}
	QueueInstanceAttrs struct {
		Queue    *Queue `bir:"queue,always"`
		Instance int    `bir:"instance,always"`
		NoRearm  bool   `bir:"no_rearm"`
	}
	ResetSemaphoresAttrs struct {
		Mode ClearMode `bir:"mode"`
		IDs  []int     `bir:"sema_group"`
	}
	DrainAttrs struct {
		ResetSemaphores bool `bir:"is_reset_sema"`
	}
	RegisterAluAttrs struct {
		Op   AluOp `bir:"op,always"`
		Wide bool  `bir:"is_64bit"` // 64-bit
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
