package bir

import "github.com/alcadev/alca/internal/machine"

// The instruction types, in ordinal order (bir.md 6). OpRegisterPool and similar prefixes are not needed: the
// names are the wire names.
const (
	Generic Opcode = iota
	GenericCopy
	GenericRelu
	AbstractCopy
	Activation
	ReadActivationAccumulator
	LoadActFuncSet
	MatmultBase
	Matmult
	MatmultSparse
	Memset
	GetGlobalRankId
	NoOp
	EventSemaphore
	GroupResetSemaphores
	AllEngineBarrier
	Drain
	Halt
	DMA
	Load
	Pool
	Reciprocal
	Save
	TensorCopy
	TensorCopyDynamicSrc
	TensorCopyDynamicDst
	IndirectCopy
	TensorReduce
	TensorScalar
	TensorScalarPtr
	TensorScalarCache
	TensorTensor
	DMACopy
	GPSIMDSB2SB
	BNStats
	BNStatsAggregate
	BNGradients
	BNBackprop
	BNBackprop2
	StreamShuffle
	StreamTranspose
	ReadVarAddr
	GenericIndirectLoad
	IndirectLoad
	GenericIndirectSave
	IndirectSave
	IndirectSaveAccumulate
	Collective
	CollectiveCompute
	CollectiveSend
	CollectiveRecv
	Select
	CopyPredicated
	CustomOp
	BIRKernel
	NKIKernel
	NKIKLIRKernel
	DevicePrint
	GetRandState
	SetRandState
	Rand
	Iota
	TensorScalarAffineSelect
	RangeSelect
	GetSequenceBounds
	Dropout
	GetCurProcessingRankID
	DMATrigger
	DMADescriptor
	DMADescriptorCopy
	DMADescriptorCCE
	DMADescriptorTranspose
	DMADescriptorReplicate
	RegisterAlu
	RegisterMove
	TensorLoad
	TensorSave
	Terminator
	CompareAndBranch
	UnconditionalBranch
	BranchHint
	Return
	Exit
	Break
	Call
	SwitchQueueInstance
	ResetQueueInstance
	CoreBarrier
	Max
	MaxIndex
	MatchReplace
	MaxIndexAndMatchReplace
	Gather
	InlineASMBytes
	TensorCompletion
	MatmultMx
	QuantizeMx
	Rand2
	RandSetState
	RandGetState
	Rng
	ActivationReadAccumulator
	DveReadAccumulator
	Exponential
	NonzeroWithCount
	Loop
	DynamicForLoop
	DMABlock
	DoWhile
	TongaReduceMacroSymbolic
	numOpcodes
)

var anyEngine = []machine.Engine{machine.PE, machine.ACT, machine.Pool, machine.DVE, machine.SP}

// opTable is the instruction table: everything that differs between opcodes, once.
var opTable = [numOpcodes]OpInfo{
	Generic:                   {Name: "Generic", Role: RoleAbstract, Engines: nil, MinGen: machine.Gen2, Ins: "", Outs: ""},
	GenericCopy:               {Name: "GenericCopy", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(CopyAttrs) }},
	GenericRelu:               {Name: "GenericRelu", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "src", Outs: "dst"},
	AbstractCopy:              {Name: "AbstractCopy", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "src", Outs: "dst"},
	Activation:                {Name: "Activation", Role: RoleMachine, Engines: []machine.Engine{machine.ACT}, MinGen: machine.Gen2, Ins: "data, bias, [scale]; two-op form: data, imm0, imm1", Outs: "dst, [reduce_res]", New: func() Attrs { return new(ActivationAttrs) }},
	ReadActivationAccumulator: {Name: "ReadActivationAccumulator", Role: RoleMachine, Engines: []machine.Engine{machine.ACT}, MinGen: machine.Gen2, Ins: "", Outs: "dst"},
	LoadActFuncSet:            {Name: "LoadActFuncSet", Role: RoleMachine, Engines: []machine.Engine{machine.ACT}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(LoadActFuncSetAttrs) }},
	MatmultBase:               {Name: "MatmultBase", Role: RoleAbstract, Engines: []machine.Engine{machine.PE}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Matmult:                   {Name: "Matmult", Role: RoleMachine, Engines: []machine.Engine{machine.PE}, MinGen: machine.Gen2, Ins: "moving(ifmap), stationary(weights)", Outs: "dst (PSUM)", New: func() Attrs { return new(MatmultAttrs) }},
	MatmultSparse:             {Name: "MatmultSparse", Role: RoleMachine, Engines: []machine.Engine{machine.PE}, MinGen: machine.Gen3, Ins: "moving, stationary, tags", Outs: "dst", New: func() Attrs { return new(MatmultAttrs) }},
	Memset:                    {Name: "Memset", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: "dst", New: func() Attrs { return new(MemsetAttrs) }},
	GetGlobalRankId:           {Name: "GetGlobalRankId", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "r:uint32"},
	NoOp:                      {Name: "NoOp", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "", Outs: ""},
	EventSemaphore:            {Name: "EventSemaphore", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "", Outs: ""},
	GroupResetSemaphores:      {Name: "GroupResetSemaphores", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(ResetSemaphoresAttrs) }},
	AllEngineBarrier:          {Name: "AllEngineBarrier", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Drain:                     {Name: "Drain", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(DrainAttrs) }},
	Halt:                      {Name: "Halt", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "", Outs: ""},
	DMA:                       {Name: "DMA", Role: RoleAbstract, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Load:                      {Name: "Load", Role: RoleLowered | RoleMachine, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src (DRAM)", Outs: "dst (SB)", New: func() Attrs { return new(DMAAttrs) }},
	Pool:                      {Name: "Pool", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(PoolAttrs) }},
	Reciprocal:                {Name: "Reciprocal", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src", Outs: "dst"},
	Save:                      {Name: "Save", Role: RoleLowered | RoleMachine, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src (SB)", Outs: "dst (DRAM)", New: func() Attrs { return new(DMAAttrs) }},
	TensorCopy:                {Name: "TensorCopy", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.ACT, machine.Pool}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(CopyAttrs) }},
	TensorCopyDynamicSrc:      {Name: "TensorCopyDynamicSrc", Role: RoleLowered, Engines: []machine.Engine{machine.DVE, machine.ACT, machine.Pool}, MinGen: machine.Gen2, Ins: "src, offset, [idx]", Outs: "dst", New: func() Attrs { return new(DynamicCopyAttrs) }},
	TensorCopyDynamicDst:      {Name: "TensorCopyDynamicDst", Role: RoleLowered, Engines: []machine.Engine{machine.DVE, machine.ACT, machine.Pool}, MinGen: machine.Gen2, Ins: "src, offset, [idx]", Outs: "dst", New: func() Attrs { return new(DynamicCopyAttrs) }},
	IndirectCopy:              {Name: "IndirectCopy", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "data, index(uint16)", Outs: "dst", New: func() Attrs { return new(IndirectCopyAttrs) }},
	TensorReduce:              {Name: "TensorReduce", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(TensorReduceAttrs) }},
	TensorScalar:              {Name: "TensorScalar", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.ACT, machine.Pool}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(TensorScalarAttrs) }},
	TensorScalarPtr:           {Name: "TensorScalarPtr", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.ACT, machine.Pool}, MinGen: machine.Gen2, Ins: "see §7.3", Outs: "dst, [reduce_res]", New: func() Attrs { return new(TensorScalarPtrAttrs) }},
	TensorScalarCache:         {Name: "TensorScalarCache", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src, s0, [s1]", Outs: "dst", New: func() Attrs { return new(TensorScalarCacheAttrs) }},
	TensorTensor:              {Name: "TensorTensor", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "in0, in1", Outs: "dst", New: func() Attrs { return new(TensorTensorAttrs) }},
	DMACopy:                   {Name: "DMACopy", Role: RoleLowered | RoleMachine, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src…", Outs: "dst", New: func() Attrs { return new(DMAAttrs) }},
	GPSIMDSB2SB:               {Name: "GPSIMDSB2SB", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen3, Ins: "src", Outs: "dst"},
	BNStats:                   {Name: "BNStats", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src", Outs: "dst 6/partition"},
	BNStatsAggregate:          {Name: "BNStatsAggregate", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src 3k/partition", Outs: "dst 2/partition"},
	BNGradients:               {Name: "BNGradients", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "x, dy, mean, varfactor", Outs: "dst 3/partition"},
	BNBackprop:                {Name: "BNBackprop", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "x, dy, coeff (scale, A, Bc), mean", Outs: "dst"},
	BNBackprop2:               {Name: "BNBackprop2", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "x, dy, scale, (A, Bc), mean", Outs: "dst"},
	StreamShuffle:             {Name: "StreamShuffle", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(StreamShuffleAttrs) }},
	StreamTranspose:           {Name: "StreamTranspose", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src (32×32 blocks)", Outs: "dst"},
	ReadVarAddr:               {Name: "ReadVarAddr", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "var (kind Pointer)", Outs: "r:addr (64-bit)"},
	GenericIndirectLoad:       {Name: "GenericIndirectLoad", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "data, index", Outs: "dst", New: func() Attrs { return new(DMAAttrs) }},
	IndirectLoad:              {Name: "IndirectLoad", Role: RoleMachine, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "data, index", Outs: "dst", New: func() Attrs { return new(DMAAttrs) }},
	GenericIndirectSave:       {Name: "GenericIndirectSave", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "data, index", Outs: "dst", New: func() Attrs { return new(DMAAttrs) }},
	IndirectSave:              {Name: "IndirectSave", Role: RoleMachine, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "data, index", Outs: "dst", New: func() Attrs { return new(DMAAttrs) }},
	IndirectSaveAccumulate:    {Name: "IndirectSaveAccumulate", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "data, index", Outs: "dst"},
	Collective:                {Name: "Collective", Role: RoleAbstract, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	CollectiveCompute:         {Name: "CollectiveCompute", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen3, Ins: "srcs…", Outs: "dsts…"},
	CollectiveSend:            {Name: "CollectiveSend", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "src", Outs: ""},
	CollectiveRecv:            {Name: "CollectiveRecv", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: "dst"},
	Select:                    {Name: "Select", Role: RoleLowered, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "pred, on_true, on_false", Outs: "dst"},
	CopyPredicated:            {Name: "CopyPredicated", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src, mask, [fill: imm or AP]", Outs: "dst (read-modify-write), [reduce_res]", New: func() Attrs { return new(CopyPredicatedAttrs) }},
	CustomOp:                  {Name: "CustomOp", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "inputs…", Outs: "outputs…"},
	BIRKernel:                 {Name: "BIRKernel", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "inputs…", Outs: "outputs…"},
	NKIKernel:                 {Name: "NKIKernel", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "inputs…", Outs: "outputs…"},
	NKIKLIRKernel:             {Name: "NKIKLIRKernel", Role: RoleLowered, Engines: nil, MinGen: machine.Gen2, Ins: "inputs…", Outs: "outputs…"},
	DevicePrint:               {Name: "DevicePrint", Role: RoleMeta, Engines: anyEngine, MinGen: machine.Gen2, Ins: "src", Outs: ""},
	GetRandState:              {Name: "GetRandState", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: "state"},
	SetRandState:              {Name: "SetRandState", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "seed", Outs: ""},
	Rand:                      {Name: "Rand", Role: RoleLowered, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "", Outs: "dst"},
	Iota:                      {Name: "Iota", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: "dst", New: func() Attrs { return new(IotaAttrs) }},
	TensorScalarAffineSelect:  {Name: "TensorScalarAffineSelect", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "on_true", Outs: "dst", New: func() Attrs { return new(AffineSelectAttrs) }},
	RangeSelect:               {Name: "RangeSelect", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen3, Ins: "on_true, bound0, bound1", Outs: "dst, [reduce_res]", New: func() Attrs { return new(RangeSelectAttrs) }},
	GetSequenceBounds:         {Name: "GetSequenceBounds", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen3, Ins: "segment_ids", Outs: "dst"},
	Dropout:                   {Name: "Dropout", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "src, prob (i or AP), [state]", Outs: "dst", New: func() Attrs { return new(DropoutAttrs) }},
	GetCurProcessingRankID:    {Name: "GetCurProcessingRankID", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "r:uint32"},
	DMATrigger:                {Name: "DMATrigger", Role: RoleMachine, Engines: []machine.Engine{machine.SP, machine.ACT, machine.Pool, machine.PE, machine.DVE}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(DMATriggerAttrs) }},
	DMADescriptor:             {Name: "DMADescriptor", Role: RoleAbstract, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	DMADescriptorCopy:         {Name: "DMADescriptorCopy", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(DMADescriptorAttrs) }},
	DMADescriptorCCE:          {Name: "DMADescriptorCCE", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "srcs…", Outs: "dst", New: func() Attrs { return new(DMADescriptorAttrs) }},
	DMADescriptorTranspose:    {Name: "DMADescriptorTranspose", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src", Outs: "dst", New: func() Attrs { return new(DMADescriptorAttrs) }},
	DMADescriptorReplicate:    {Name: "DMADescriptorReplicate", Role: RoleLowered, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "src", Outs: "dst…", New: func() Attrs { return new(DMADescriptorAttrs) }},
	RegisterAlu:               {Name: "RegisterAlu", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "r:a, r:b or i:b", Outs: "r:dst", New: func() Attrs { return new(RegisterAluAttrs) }},
	RegisterMove:              {Name: "RegisterMove", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "i:v or r:v", Outs: "r:dst"},
	TensorLoad:                {Name: "TensorLoad", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "AP (1 element)", Outs: "r:dst"},
	TensorSave:                {Name: "TensorSave", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "r:src", Outs: "AP"},
	Terminator:                {Name: "Terminator", Role: RoleAbstract, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	CompareAndBranch:          {Name: "CompareAndBranch", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "r:lhs, i:rhs or r:rhs", Outs: "", New: func() Attrs { return new(BranchAttrs) }},
	UnconditionalBranch:       {Name: "UnconditionalBranch", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(BranchAttrs) }},
	BranchHint:                {Name: "BranchHint", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Return:                    {Name: "Return", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Exit:                      {Name: "Exit", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Break:                     {Name: "Break", Role: RoleLowered, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	Call:                      {Name: "Call", Role: RoleMachine, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: ""},
	SwitchQueueInstance:       {Name: "SwitchQueueInstance", Role: RoleMachine, Engines: []machine.Engine{machine.SP, machine.ACT, machine.Pool, machine.PE, machine.DVE}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(QueueInstanceAttrs) }},
	ResetQueueInstance:        {Name: "ResetQueueInstance", Role: RoleMachine, Engines: []machine.Engine{machine.SP, machine.ACT, machine.Pool, machine.PE, machine.DVE}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(QueueInstanceAttrs) }},
	CoreBarrier:               {Name: "CoreBarrier", Role: RoleMachine, Engines: []machine.Engine{machine.Pool, machine.DVE, machine.ACT, machine.PE}, MinGen: machine.Gen3, Ins: "semaphore", Outs: "same semaphore"},
	Max:                       {Name: "Max", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "data", Outs: "dst 8/partition"},
	MaxIndex:                  {Name: "MaxIndex", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "vals8, data", Outs: "idx 8×uint32 or uint16"},
	MatchReplace:              {Name: "MatchReplace", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "vals8, data", Outs: "dst", New: func() Attrs { return new(MatchReplaceAttrs) }},
	MaxIndexAndMatchReplace:   {Name: "MaxIndexAndMatchReplace", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen3, Ins: "vals8, data", Outs: "dst, idx8", New: func() Attrs { return new(MatchReplaceAttrs) }},
	Gather:                    {Name: "Gather", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "data, index(uint32)", Outs: "dst"},
	InlineASMBytes:            {Name: "InlineASMBytes", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen2, Ins: "inputs…", Outs: "outputs…"},
	TensorCompletion:          {Name: "TensorCompletion", Role: RoleMachine, Engines: anyEngine, MinGen: machine.Gen2, Ins: "tensor", Outs: ""},
	MatmultMx:                 {Name: "MatmultMx", Role: RoleMachine, Engines: []machine.Engine{machine.PE}, MinGen: machine.Gen4, Ins: "ifmap x4, weights x4, ifmap scale, weights scale", Outs: "dst (PSUM)", New: func() Attrs { return new(MatmultAttrs) }},
	QuantizeMx:                {Name: "QuantizeMx", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen4, Ins: "src", Outs: "data x4, scale"},
	Rand2:                     {Name: "Rand2", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen4, Ins: "min, max (i or AP)", Outs: "dst"},
	RandSetState:              {Name: "RandSetState", Role: RoleMachine, Engines: []machine.Engine{machine.Pool, machine.DVE}, MinGen: machine.Gen3, Ins: "state", Outs: ""},
	RandGetState:              {Name: "RandGetState", Role: RoleMachine, Engines: []machine.Engine{machine.Pool, machine.DVE}, MinGen: machine.Gen3, Ins: "", Outs: "state"},
	Rng:                       {Name: "Rng", Role: RoleMachine, Engines: []machine.Engine{machine.DVE, machine.Pool}, MinGen: machine.Gen2, Ins: "", Outs: "dst"},
	ActivationReadAccumulator: {Name: "ActivationReadAccumulator", Role: RoleMachine, Engines: []machine.Engine{machine.ACT}, MinGen: machine.Gen2, Ins: "", Outs: "dst"},
	DveReadAccumulator:        {Name: "DveReadAccumulator", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "", Outs: "dst", New: func() Attrs { return new(DveReadAccumulatorAttrs) }},
	Exponential:               {Name: "Exponential", Role: RoleMachine, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen4, Ins: "src, max_value (i or AP), [reduce_init]", Outs: "dst", New: func() Attrs { return new(ExponentialAttrs) }},
	NonzeroWithCount:          {Name: "NonzeroWithCount", Role: RoleMachine, Engines: []machine.Engine{machine.Pool}, MinGen: machine.Gen3, Ins: "data, i32:index_offset, i32:padding", Outs: "dst"},
	Loop:                      {Name: "Loop", Role: RoleRegion, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(LoopAttrs) }},
	DynamicForLoop:            {Name: "DynamicForLoop", Role: RoleRegion, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(DynamicLoopAttrs) }},
	DMABlock:                  {Name: "DMABlock", Role: RoleRegion, Engines: []machine.Engine{machine.DMA}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(DMABlockAttrs) }},
	DoWhile:                   {Name: "DoWhile", Role: RoleRegion, Engines: []machine.Engine{machine.AllEngines}, MinGen: machine.Gen2, Ins: "", Outs: "", New: func() Attrs { return new(DoWhileAttrs) }},
	TongaReduceMacroSymbolic:  {Name: "TongaReduceMacroSymbolic", Role: RoleLowered, Engines: []machine.Engine{machine.DVE}, MinGen: machine.Gen2, Ins: "srcs", Outs: "dst"},
}
