package isa

// FieldID names a field of a layout. The same field keeps its id in every layout it appears in, so code that
// builds or executes instructions says in.Get(FOutDtype) whatever the opcode.
type FieldID uint16

// The fields of isa.md 10. Operand slots (tensors) are fields too.
const (
	FBgTranspose FieldID = iota
	FWeights
	FInDtype
	FPeMode
	FPerfMode
	FReplicationLo
	FReplicationHi
	FNumActiveRows
	FNumActiveCols
	FRowGroup
	FColGroup
	FXbus
	FMoving
	FDstDtype
	FAccFlags
	FPsumZero
	FDst
	FTags
	FColGrp
	FTileSize
	FPassFlags
	FSrc
	FNumActiveChannels
	FSrcDtype
	FAlphaSrc
	FScaleSrc
	FAccCmd
	FBiasSrc
	FBiasDtype
	FOutDtype
	FFunc
	FScale
	FBias
	FAlpha
	FReluParamSrc
	FImm0Src
	FImm1Src
	FImmDtype
	FOp0
	FOp1
	FReduceOp
	FImm0
	FImm1
	FReluParam
	FReverse
	FActTblSel
	FDstElementCount
	FDtype
	FNegated
	FImm0Dtype
	FImm1Dtype
	FSrc0
	FSrc1
	FSrc0Dtype
	FSrc1Dtype
	FScalar0
	FScalar0Src
	FScalar1
	FScalar1Src
	FScalar0Dtype
	FScalar1Dtype
	FIn0Dtype
	FIn1Dtype
	FOp
	FXDtype
	FDyDtype
	FX
	FDy
	FMaskDtype
	FMask
	FName
	FFalseSrc
	FFalseDtype
	FFalseValue
	FSubdim
	FFill
	FConst
	FValid
	FShapeReg
	FStep0
	FStep1
	FStep2
	FStep3
	FNum0
	FNum1
	FNum2
	FNum3
	FPoolScale
	FAxis
	FReduceCmd
	FChannelOnly
	FMeanScale
	FOffset
	FChannelMultiplier
	FCmpOp
	FOnFalse
	FSrcAddr
	FDstAddr
	FSrcStep0
	FSrcStep1
	FSrcStep2
	FDstStep0
	FDstStep1
	FDstStep2
	FElementCount
	FDepthMask
	FIndex
	FIndexDtype
	FContinuation
	FChunkBase
	FEvenCount
	FOddCount
	FMean
	FVarfactor
	FMeanMode
	FVarfactorMode
	FCoeff
	FTotalElements
	FCoeffDtype
	FRandAlgorithm
	FPostProcess
	FMinSrc
	FMaxSrc
	FMin
	FMax
	FRandGenerator
	FNumSteps
	FUpdateState
	FSeedMode
	FThresholdSrc
	FThresholdDtype
	FThresholdType
	FThreshold
	FTransposeCh
	FVals
	FReplaceValue
	FIndexOffset
	FPaddingValue
	FRangeStart
	FCompOp0
	FCompOp1
	FBound0Src
	FBound1Src
	FBound0
	FBound1
	FIndexAddr
	FDataAddr
	FNumIndices
	FNumElemPerIdx
	FSrcBufferSize
	FCrossCore
	FNumRegs
	FSrcMode
	FSrcReg
	FDstReg
	FDstRegHi
	FImm
	FOperandMode
	FSrc1Reg
	FSrc2Reg
	FSrc2RegHi
	FSrc1RegHi
	FNumElem0
	FNumElem1
	FAddr
	FStepElem0
	FStepElem1
	FReg
	FRegHi
	FVarID
	FVarOffset
	FDrainCount
	FWait1Mode
	FWait1Idx
	FUpdateMode
	FUpdateIdx
	FWait1Value
	FUpdateValue
	FClearMode
	FRangeFirst
	FRangeLast
	FCompOp
	FOperandKind
	FLhsReg
	FRhsReg
	FTargetPC
	FHint
	FBranchPC
	FArgsTableVarID
	FSubop
	FSemaphore
	FID
	FQosFlags
	FSemIncrement
	FSyncCommand
	FSrcNum0
	FSrcNum1
	FSrcElemSize
	FSrcOffsetReg
	FDstOffsetReg
	FDstNum0
	FDstNum1
	FDstElemSize
	FFlags
	FComputeOp
	FSrcIdxStartAddr
	FDstIdxStartAddr
	FSrcBoundLo
	FDstBoundLo
	FOobMode
	FSrcBoundHi
	FDstBoundHi
	FBlockID
	FInstance
	FMarker
	FIndirectStartOffset
	FIndirectStep
	FIndirectNum0
	FIndirectNum1
	FDirectStartOffset
	FDirectStep0
	FDirectPitch
	FDirectNum0
	FDirectNum1
	FDirectElemSize
	FSemWaitValue
	FDirection
	FSemWaitValueHi
	FResultReg
	FBound
	FCheckDtype
	FConst1
	FLabel
	FOut
	FData
	FTable
	FTableBase
	FEntryNumElements
	FEntryBytesLo
	FSequenceLength
	FTableNumEntries
	FEntryBytesHi
	FCtype
	FCcDim
	FChannelID
	FGroupID
	FStreamID
	FTrio
	FChannel
	FTensorID
	FPeer
	FBase
	FNumElements
	FIterationID
	FCompletionID
	FNumPayloads
	FFunctionID
	FNumArguments
	FScratchBytes
	FSpace
	FPresent
	FOperand

	numFields
)

var fieldNames = [numFields]string{
	FBgTranspose:         "bg_transpose",
	FWeights:             "weights",
	FInDtype:             "in_dtype",
	FPeMode:              "pe_mode",
	FPerfMode:            "perf_mode",
	FReplicationLo:       "replication_lo",
	FReplicationHi:       "replication_hi",
	FNumActiveRows:       "num_active_rows",
	FNumActiveCols:       "num_active_cols",
	FRowGroup:            "row_group",
	FColGroup:            "col_group",
	FXbus:                "xbus",
	FMoving:              "moving",
	FDstDtype:            "dst_dtype",
	FAccFlags:            "acc_flags",
	FPsumZero:            "psum_zero",
	FDst:                 "dst",
	FTags:                "tags",
	FColGrp:              "col_grp",
	FTileSize:            "tile_size",
	FPassFlags:           "pass_flags",
	FSrc:                 "src",
	FNumActiveChannels:   "num_active_channels",
	FSrcDtype:            "src_dtype",
	FAlphaSrc:            "alpha_src",
	FScaleSrc:            "scale_src",
	FAccCmd:              "acc_cmd",
	FBiasSrc:             "bias_src",
	FBiasDtype:           "bias_dtype",
	FOutDtype:            "out_dtype",
	FFunc:                "func",
	FScale:               "scale",
	FBias:                "bias",
	FAlpha:               "alpha",
	FReluParamSrc:        "relu_param_src",
	FImm0Src:             "imm0_src",
	FImm1Src:             "imm1_src",
	FImmDtype:            "imm_dtype",
	FOp0:                 "op0",
	FOp1:                 "op1",
	FReduceOp:            "reduce_op",
	FImm0:                "imm0",
	FImm1:                "imm1",
	FReluParam:           "relu_param",
	FReverse:             "reverse",
	FActTblSel:           "act_tbl_sel",
	FDstElementCount:     "dst_element_count",
	FDtype:               "dtype",
	FNegated:             "negated",
	FImm0Dtype:           "imm0_dtype",
	FImm1Dtype:           "imm1_dtype",
	FSrc0:                "src0",
	FSrc1:                "src1",
	FSrc0Dtype:           "src0_dtype",
	FSrc1Dtype:           "src1_dtype",
	FScalar0:             "scalar0",
	FScalar0Src:          "scalar0_src",
	FScalar1:             "scalar1",
	FScalar1Src:          "scalar1_src",
	FScalar0Dtype:        "scalar0_dtype",
	FScalar1Dtype:        "scalar1_dtype",
	FIn0Dtype:            "in0_dtype",
	FIn1Dtype:            "in1_dtype",
	FOp:                  "op",
	FXDtype:              "x_dtype",
	FDyDtype:             "dy_dtype",
	FX:                   "x",
	FDy:                  "dy",
	FMaskDtype:           "mask_dtype",
	FMask:                "mask",
	FName:                "name",
	FFalseSrc:            "false_src",
	FFalseDtype:          "false_dtype",
	FFalseValue:          "false_value",
	FSubdim:              "subdim",
	FFill:                "fill",
	FConst:               "const",
	FValid:               "valid",
	FShapeReg:            "shape_reg",
	FStep0:               "step0",
	FStep1:               "step1",
	FStep2:               "step2",
	FStep3:               "step3",
	FNum0:                "num0",
	FNum1:                "num1",
	FNum2:                "num2",
	FNum3:                "num3",
	FPoolScale:           "pool_scale",
	FAxis:                "axis",
	FReduceCmd:           "reduce_cmd",
	FChannelOnly:         "channel_only",
	FMeanScale:           "mean_scale",
	FOffset:              "offset",
	FChannelMultiplier:   "channel_multiplier",
	FCmpOp:               "cmp_op",
	FOnFalse:             "on_false",
	FSrcAddr:             "src_addr",
	FDstAddr:             "dst_addr",
	FSrcStep0:            "src_step0",
	FSrcStep1:            "src_step1",
	FSrcStep2:            "src_step2",
	FDstStep0:            "dst_step0",
	FDstStep1:            "dst_step1",
	FDstStep2:            "dst_step2",
	FElementCount:        "element_count",
	FDepthMask:           "depth_mask",
	FIndex:               "index",
	FIndexDtype:          "index_dtype",
	FContinuation:        "continuation",
	FChunkBase:           "chunk_base",
	FEvenCount:           "even_count",
	FOddCount:            "odd_count",
	FMean:                "mean",
	FVarfactor:           "varfactor",
	FMeanMode:            "mean_mode",
	FVarfactorMode:       "varfactor_mode",
	FCoeff:               "coeff",
	FTotalElements:       "total_elements",
	FCoeffDtype:          "coeff_dtype",
	FRandAlgorithm:       "rand_algorithm",
	FPostProcess:         "post_process",
	FMinSrc:              "min_src",
	FMaxSrc:              "max_src",
	FMin:                 "min",
	FMax:                 "max",
	FRandGenerator:       "rand_generator",
	FNumSteps:            "num_steps",
	FUpdateState:         "update_state",
	FSeedMode:            "seed_mode",
	FThresholdSrc:        "threshold_src",
	FThresholdDtype:      "threshold_dtype",
	FThresholdType:       "threshold_type",
	FThreshold:           "threshold",
	FTransposeCh:         "transpose_ch",
	FVals:                "vals",
	FReplaceValue:        "replace_value",
	FIndexOffset:         "index_offset",
	FPaddingValue:        "padding_value",
	FRangeStart:          "range_start",
	FCompOp0:             "comp_op0",
	FCompOp1:             "comp_op1",
	FBound0Src:           "bound0_src",
	FBound1Src:           "bound1_src",
	FBound0:              "bound0",
	FBound1:              "bound1",
	FIndexAddr:           "index_addr",
	FDataAddr:            "data_addr",
	FNumIndices:          "num_indices",
	FNumElemPerIdx:       "num_elem_per_idx",
	FSrcBufferSize:       "src_buffer_size",
	FCrossCore:           "cross_core",
	FNumRegs:             "num_regs",
	FSrcMode:             "src_mode",
	FSrcReg:              "src_reg",
	FDstReg:              "dst_reg",
	FDstRegHi:            "dst_reg_hi",
	FImm:                 "imm",
	FOperandMode:         "operand_mode",
	FSrc1Reg:             "src1_reg",
	FSrc2Reg:             "src2_reg",
	FSrc2RegHi:           "src2_reg_hi",
	FSrc1RegHi:           "src1_reg_hi",
	FNumElem0:            "num_elem0",
	FNumElem1:            "num_elem1",
	FAddr:                "addr",
	FStepElem0:           "step_elem0",
	FStepElem1:           "step_elem1",
	FReg:                 "reg",
	FRegHi:               "reg_hi",
	FVarID:               "var_id",
	FVarOffset:           "var_offset",
	FDrainCount:          "drain_count",
	FWait1Mode:           "wait1_mode",
	FWait1Idx:            "wait1_idx",
	FUpdateMode:          "update_mode",
	FUpdateIdx:           "update_idx",
	FWait1Value:          "wait1_value",
	FUpdateValue:         "update_value",
	FClearMode:           "clear_mode",
	FRangeFirst:          "range_first",
	FRangeLast:           "range_last",
	FCompOp:              "comp_op",
	FOperandKind:         "operand_kind",
	FLhsReg:              "lhs_reg",
	FRhsReg:              "rhs_reg",
	FTargetPC:            "target_pc",
	FHint:                "hint",
	FBranchPC:            "branch_pc",
	FArgsTableVarID:      "args_table_var_id",
	FSubop:               "subop",
	FSemaphore:           "semaphore",
	FID:                  "id",
	FQosFlags:            "qos_flags",
	FSemIncrement:        "sem_increment",
	FSyncCommand:         "sync_command",
	FSrcNum0:             "src_num0",
	FSrcNum1:             "src_num1",
	FSrcElemSize:         "src_elem_size",
	FSrcOffsetReg:        "src_offset_reg",
	FDstOffsetReg:        "dst_offset_reg",
	FDstNum0:             "dst_num0",
	FDstNum1:             "dst_num1",
	FDstElemSize:         "dst_elem_size",
	FFlags:               "flags",
	FComputeOp:           "compute_op",
	FSrcIdxStartAddr:     "src_idx_start_addr",
	FDstIdxStartAddr:     "dst_idx_start_addr",
	FSrcBoundLo:          "src_bound_lo",
	FDstBoundLo:          "dst_bound_lo",
	FOobMode:             "oob_mode",
	FSrcBoundHi:          "src_bound_hi",
	FDstBoundHi:          "dst_bound_hi",
	FBlockID:             "block_id",
	FInstance:            "instance",
	FMarker:              "marker",
	FIndirectStartOffset: "indirect_start_offset",
	FIndirectStep:        "indirect_step",
	FIndirectNum0:        "indirect_num0",
	FIndirectNum1:        "indirect_num1",
	FDirectStartOffset:   "direct_start_offset",
	FDirectStep0:         "direct_step0",
	FDirectPitch:         "direct_pitch",
	FDirectNum0:          "direct_num0",
	FDirectNum1:          "direct_num1",
	FDirectElemSize:      "direct_elem_size",
	FSemWaitValue:        "sem_wait_value",
	FDirection:           "direction",
	FSemWaitValueHi:      "sem_wait_value_hi",
	FResultReg:           "result_reg",
	FBound:               "bound",
	FCheckDtype:          "check_dtype",
	FConst1:              "const1",
	FLabel:               "label",
	FOut:                 "out",
	FData:                "data",
	FTable:               "table",
	FTableBase:           "table_base",
	FEntryNumElements:    "entry_num_elements",
	FEntryBytesLo:        "entry_bytes_lo",
	FSequenceLength:      "sequence_length",
	FTableNumEntries:     "table_num_entries",
	FEntryBytesHi:        "entry_bytes_hi",
	FCtype:               "ctype",
	FCcDim:               "cc_dim",
	FChannelID:           "channel_id",
	FGroupID:             "group_id",
	FStreamID:            "stream_id",
	FTrio:                "trio",
	FChannel:             "channel",
	FTensorID:            "tensor_id",
	FPeer:                "peer",
	FBase:                "base",
	FNumElements:         "num_elements",
	FIterationID:         "iteration_id",
	FCompletionID:        "completion_id",
	FNumPayloads:         "num_payloads",
	FFunctionID:          "function_id",
	FNumArguments:        "num_arguments",
	FScratchBytes:        "scratch_bytes",
	FSpace:               "space",
	FPresent:             "present",
	FOperand:             "operand",
}

// String returns the field's name in isa.md.
func (f FieldID) String() string {
	if f < numFields {
		return fieldNames[f]
	}
	return "field?"
}
