package isa

// Opcode is the wire opcode, byte 0 of a bundle.
type Opcode uint8

// The named opcodes of isa.md 8.
const (
	OpLdweights                     Opcode = 0x01
	OpMatmul                        Opcode = 0x02
	OpPeRegWrite                    Opcode = 0x03
	OpWeightMask                    Opcode = 0x04
	OpWeightShift                   Opcode = 0x05
	OpLdtags                        Opcode = 0x06
	OpMatmulSparse                  Opcode = 0x07
	OpPeManageSeed                  Opcode = 0x08
	OpLdweightsMX                   Opcode = 0x09
	OpMatmulMX                      Opcode = 0x0A
	OpActivate                      Opcode = 0x21
	OpActivateQuantize              Opcode = 0x22
	OpActivationTableLoad           Opcode = 0x23
	OpActivationReadAccumulator     Opcode = 0x24
	OpActivate2                     Opcode = 0x25
	OpExponential                   Opcode = 0x30
	OpTensorTensorArithOp           Opcode = 0x41
	OpTensorReduceArithOp           Opcode = 0x42
	OpTensorScalarArithOp           Opcode = 0x43
	OpTensorScalarPtrArithOp        Opcode = 0x44
	OpPool                          Opcode = 0x45
	OpCopy                          Opcode = 0x46
	OpCast                          Opcode = 0x47
	OpReciprocal                    Opcode = 0x48
	OpMemset                        Opcode = 0x49
	OpRegLoad                       Opcode = 0x4A
	OpRegStore                      Opcode = 0x4B
	OpRegShuffle                    Opcode = 0x4C
	OpRng                           Opcode = 0x4D
	OpTensorCumulativeArithOp       Opcode = 0x4E
	OpTensorScalarPtrMultiArith     Opcode = 0x4F
	OpTensorTensorBitvecOp          Opcode = 0x51
	OpTensorReduceBitvecOp          Opcode = 0x52
	OpTensorScalarBitvecOp          Opcode = 0x53
	OpTensorScalarPtrBitvecOp       Opcode = 0x54
	OpMaxPoolSelect                 Opcode = 0x58
	OpTensorCumulativeBitvecOp      Opcode = 0x5E
	OpTensorScalarPtrMultiBitvec    Opcode = 0x5F
	OpBatchNormStats                Opcode = 0x60
	OpBatchNormStats2               Opcode = 0x61
	OpBatchNormAggregate            Opcode = 0x62
	OpBatchNormGradAccumulate       Opcode = 0x63
	OpBatchNormParamLoad            Opcode = 0x64
	OpBatchNormBackProp             Opcode = 0x65
	OpLoadParameterRam              Opcode = 0x66
	OpPoolBufferLoad                Opcode = 0x67
	OpGather                        Opcode = 0x68
	OpLoadMaskSelect                Opcode = 0x69
	OpStreamShuffle                 Opcode = 0x6A
	OpStreamTranspose               Opcode = 0x6B
	OpMax8                          Opcode = 0x6C
	OpMatchValueLoad                Opcode = 0x6D
	OpFindIndex8                    Opcode = 0x6E
	OpMatchReplace8                 Opcode = 0x6F
	OpTensorScalarImmLdArith        Opcode = 0x70
	OpTensorScalarImmLdBitvec       Opcode = 0x71
	OpCopyPredicated                Opcode = 0x72
	OpRoiAlign                      Opcode = 0x73
	OpTensorScalarAddr              Opcode = 0x74
	OpRand                          Opcode = 0x76
	OpRandGetState                  Opcode = 0x77
	OpRandSetState                  Opcode = 0x78
	OpEmbeddingUpdate               Opcode = 0x79
	OpLoadPoolArgument              Opcode = 0x7A
	OpTensorDequantize              Opcode = 0x7B
	OpCrossLaneReduceArith          Opcode = 0x7C
	OpCrossLaneReduceBitvec         Opcode = 0x7D
	OpIota                          Opcode = 0x7E
	OpDropout                       Opcode = 0x7F
	OpJpegDecode                    Opcode = 0x81
	OpTransposeBatchNormStats2      Opcode = 0x82
	OpTransposeTensorReduceArithOp  Opcode = 0x83
	OpTransposeTensorReduceBitvecOp Opcode = 0x84
	OpCustomOpHeader                Opcode = 0x85
	OpCustomOpPayload               Opcode = 0x86
	OpBatchNormParamLoad2           Opcode = 0x8E
	OpTensorScalarAffineSelect      Opcode = 0x92
	OpTransposeTensorScalarArithOp  Opcode = 0x93
	OpBatchNormGradAccumulate2      Opcode = 0x94
	OpModifyPoolConfig              Opcode = 0x95
	OpSort                          Opcode = 0x96
	OpTensorScalarSelect            Opcode = 0x98
	OpCastPredicated                Opcode = 0x99
	OpTensorScalarCacheReduce       Opcode = 0x9A
	OpDveReadAccumulator            Opcode = 0x9B
	OpTensorReduceRangeCheck        Opcode = 0x9C
	OpScalarTensorTensorArith       Opcode = 0x9D
	OpScalarTensorTensorBitvec      Opcode = 0x9E
	OpEngineNop                     Opcode = 0x9F
	OpEventSemaphore                Opcode = 0xA0
	OpHalt                          Opcode = 0xA1
	OpDrain                         Opcode = 0xA2
	OpInstructionFlush              Opcode = 0xA3
	OpNop                           Opcode = 0xA4
	OpWrite                         Opcode = 0xA5
	OpNotify                        Opcode = 0xA6
	OpMove                          Opcode = 0xA7
	OpAluOp                         Opcode = 0xA8
	OpCompareBranch                 Opcode = 0xA9
	OpTensorLoad                    Opcode = 0xAA
	OpTensorStore                   Opcode = 0xAB
	OpEventSemaphoreRangeClear      Opcode = 0xB0
	OpSetOrderingMode               Opcode = 0xB1
	OpMoveShape                     Opcode = 0xB2
	OpPollSem                       Opcode = 0xB3
	OpTestEventSem                  Opcode = 0xB4
	OpBranchPrefetchHint            Opcode = 0xB5
	OpUcodeConfig                   Opcode = 0xB7
	OpDMAMemcpy                     Opcode = 0xB8
	OpDmaIndirect                   Opcode = 0xBB
	OpRangeSelect                   Opcode = 0xBC
	OpDmaTranspose                  Opcode = 0xBD
	OpGetSequenceBounds             Opcode = 0xBE
	OpSb2sbCollective               Opcode = 0xBF
	OpPseudoDMATrigger              Opcode = 0xC1
	OpPseudoDMARearm                Opcode = 0xC2
	OpPseudoDMABarrier              Opcode = 0xC3
	OpPseudoDMAMemcpyFullInd        Opcode = 0xC4
	OpPseudoSemaphoreSet            Opcode = 0xC5
	OpPseudoLoadActFuncSet          Opcode = 0xC6
	OpPseudoTriggerAllReduce        Opcode = 0xC7
	OpPseudoTriggerCollective       Opcode = 0xC8
	OpPseudoReadVarAddr             Opcode = 0xC9
	OpPseudoEmbeddingUpdate         Opcode = 0xCA
	OpPseudoSendRecv                Opcode = 0xCB
	OpPseudoBranchLabel             Opcode = 0xCC
	OpPseudoTensorStore             Opcode = 0xCD
	OpPseudoTensorLoad              Opcode = 0xCE
	OpPseudoDMASwapQueueSet         Opcode = 0xCF
	OpPseudoSetRngSeed              Opcode = 0xD0
	OpPseudoFunctionBegin           Opcode = 0xD1
	OpPseudoFunctionReturn          Opcode = 0xD2
	OpPseudoFunctionCall            Opcode = 0xD3
	OpPseudoDmaDirect2d             Opcode = 0xD4
	OpPseudoSyncBarrier             Opcode = 0xD5
	OpPseudoRangeCheck              Opcode = 0xD6
	OpPseudoJpegDecode              Opcode = 0xD7
	OpPseudoCoreBarrier             Opcode = 0xD8
	OpPseudoTriggerCollective2      Opcode = 0xD9
	OpPseudoExtension               Opcode = 0xDA
	OpPseudoCurProcessingRankID     Opcode = 0xDB
	OpPseudoGidLoad                 Opcode = 0xDC
	OpPseudoBranchPrefetchHint      Opcode = 0xDD
	OpPseudoTensorCompletion        Opcode = 0xDE
	OpPseudoInst                    Opcode = 0xDF
	OpSparsityCompress              Opcode = 0xE0
	OpSparsityCompressTag           Opcode = 0xE1
	OpRand2                         Opcode = 0xE2
	OpQuantizeMX                    Opcode = 0xE3
	OpConvLutLoad                   Opcode = 0xE4
	OpTensorTensorScanArith         Opcode = 0xE5
	OpTensorScalarCacheCumulative   Opcode = 0xE6
	OpIndirectCopy                  Opcode = 0xE7
	OpCopyPredicatedScalar          Opcode = 0xE8
	OpDveReadIndices                Opcode = 0xE9
	OpSelectReduce                  Opcode = 0xEA
	OpHint                          Opcode = 0xEB
	OpExtendedInst                  Opcode = 0xF0
	OpDmaGatherTranspose            Opcode = 0xF1
	OpNonzeroWithCount              Opcode = 0xF2
	OpInvalid                       Opcode = 0xFF
)

// opTable is the opcode table of isa.md 8. Engines and generations that are not known are written as all of them;
// a row without a layout is carried as opaque bytes and is never built by Encode.
var opTable = []OpInfo{
	{Code: OpLdweights, Name: "Ldweights", Mnemonic: "LDWEIGHTS", Engines: engPE, MinGen: 2, MaxGen: 4, Layout: layLdweights},
	{Code: OpMatmul, Name: "Matmul", Mnemonic: "MATMUL", Engines: engPE, MinGen: 2, MaxGen: 4, Layout: layMatmul},
	{Code: OpPeRegWrite, Name: "PeRegWrite", Mnemonic: "PE_REG_WRITE", Engines: engPE, MinGen: 2, MaxGen: 4},
	{Code: OpWeightMask, Name: "WeightMask", Mnemonic: "WEIGHT_MASK", Engines: engPE, MinGen: 2, MaxGen: 4},
	{Code: OpWeightShift, Name: "WeightShift", Mnemonic: "WEIGHT_SHIFT", Engines: engPE, MinGen: 2, MaxGen: 4},
	{Code: OpLdtags, Name: "Ldtags", Mnemonic: "LDTAGS", Engines: engPE, MinGen: 3, MaxGen: 4, Layout: layLdtags},
	{Code: OpMatmulSparse, Name: "MatmulSparse", Mnemonic: "MATMUL_SPARSE", Engines: engPE, MinGen: 3, MaxGen: 4, Layout: layMatmulSparse},
	{Code: OpPeManageSeed, Name: "PeManageSeed", Mnemonic: "PE_MANAGE_SEED", Engines: engPE, MinGen: 4, MaxGen: 4},
	{Code: OpLdweightsMX, Name: "LdweightsMX", Mnemonic: "LDWEIGHTS_MX", Engines: engPE, MinGen: 4, MaxGen: 4, Layout: layLdweightsMX},
	{Code: OpMatmulMX, Name: "MatmulMX", Mnemonic: "MATMUL_MX", Engines: engPE, MinGen: 4, MaxGen: 4, Layout: layMatmulMX},
	{Code: OpActivate, Name: "Activate", Mnemonic: "ACTIVATE", Engines: engACT, MinGen: 2, MaxGen: 4, Layout: layActivate},
	{Code: OpActivateQuantize, Name: "ActivateQuantize", Mnemonic: "ACTIVATE_QUANTIZE", Engines: engACT, MinGen: 2, MaxGen: 4},
	{Code: OpActivationTableLoad, Name: "ActivationTableLoad", Mnemonic: "ACTIVATION_TABLE_LOAD", Engines: engACT, MinGen: 2, MaxGen: 4, Layout: layActTableLoad},
	{Code: OpActivationReadAccumulator, Name: "ActivationReadAccumulator", Mnemonic: "ACTIVATION_READ_ACCUMULATOR", Engines: engACT, MinGen: 2, MaxGen: 4, Layout: layReadAcc},
	{Code: OpActivate2, Name: "Activate2", Mnemonic: "ACTIVATE2", Engines: engACT, MinGen: 4, MaxGen: 4, Layout: layActivate2},
	{Code: OpExponential, Name: "Exponential", Mnemonic: "EXPONENTIAL", Engines: engDVE, MinGen: 4, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpTensorTensorArithOp, Name: "TensorTensorArithOp", Mnemonic: "TENSOR_TENSOR", Engines: engDVE | engPool, MinGen: 2, MaxGen: 4, Layout: layTensorTensor},
	{Code: OpTensorReduceArithOp, Name: "TensorReduceArithOp", Mnemonic: "TENSOR_REDUCE_ARITH_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorReduce},
	{Code: OpTensorScalarArithOp, Name: "TensorScalarArithOp", Mnemonic: "TENSOR_SCALAR_ARITH_OP", Engines: engDVE | engPool, Engines3Up: engACT, MinGen: 2, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpTensorScalarPtrArithOp, Name: "TensorScalarPtrArithOp", Mnemonic: "TENSOR_SCALAR_PTR_ARITH_OP", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpPool, Name: "Pool", Mnemonic: "POOL", Engines: engDVE | engPool, MinGen: 2, MaxGen: 4, Layout: layPool},
	{Code: OpCopy, Name: "Copy", Mnemonic: "COPY", Engines: engDVE | engPool, Engines3Up: engACT, MinGen: 2, MaxGen: 4, Layout: layCopy},
	{Code: OpCast, Name: "Cast", Mnemonic: "CAST", Engines: engDVE | engPool, Engines3Up: engACT, MinGen: 2, MaxGen: 4, Layout: layCopy},
	{Code: OpReciprocal, Name: "Reciprocal", Mnemonic: "RECIPROCAL", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layCopy},
	{Code: OpMemset, Name: "Memset", Mnemonic: "MEMSET", Engines: engDVE | engPool, MinGen: 2, MaxGen: 4, Layout: layMemset},
	{Code: OpRegLoad, Name: "RegLoad", Mnemonic: "REG_LOAD", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpRegStore, Name: "RegStore", Mnemonic: "REG_STORE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpRegShuffle, Name: "RegShuffle", Mnemonic: "REG_SHUFFLE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpRng, Name: "Rng", Mnemonic: "RNG", Engines: engDVE, Engines3Up: engPool, MinGen: 2, MaxGen: 4, Layout: layMemset},
	{Code: OpTensorCumulativeArithOp, Name: "TensorCumulativeArithOp", Mnemonic: "TENSOR_CUMULATIVE_ARITH_OP", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpTensorScalarPtrMultiArith, Name: "TensorScalarPtrMultiArith", Mnemonic: "TENSOR_SCALAR_PTR_MULTI_ARITH", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpTensorTensorBitvecOp, Name: "TensorTensorBitvecOp", Mnemonic: "TENSOR_TENSOR_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorTensor},
	{Code: OpTensorReduceBitvecOp, Name: "TensorReduceBitvecOp", Mnemonic: "TENSOR_REDUCE_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorReduce},
	{Code: OpTensorScalarBitvecOp, Name: "TensorScalarBitvecOp", Mnemonic: "TENSOR_SCALAR_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpTensorScalarPtrBitvecOp, Name: "TensorScalarPtrBitvecOp", Mnemonic: "TENSOR_SCALAR_PTR_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpMaxPoolSelect, Name: "MaxPoolSelect", Mnemonic: "MAX_POOL_SELECT", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpTensorCumulativeBitvecOp, Name: "TensorCumulativeBitvecOp", Mnemonic: "TENSOR_CUMULATIVE_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpTensorScalarPtrMultiBitvec, Name: "TensorScalarPtrMultiBitvec", Mnemonic: "TENSOR_SCALAR_PTR_MULTI_BITVEC", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpBatchNormStats, Name: "BatchNormStats", Mnemonic: "BATCH_NORM_STATS", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpBatchNormStats2, Name: "BatchNormStats2", Mnemonic: "BATCH_NORM_STATS2", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnStats},
	{Code: OpBatchNormAggregate, Name: "BatchNormAggregate", Mnemonic: "BATCH_NORM_AGGREGATE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnStats},
	{Code: OpBatchNormGradAccumulate, Name: "BatchNormGradAccumulate", Mnemonic: "BATCH_NORM_GRAD_ACCUMULATE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnGrad},
	{Code: OpBatchNormParamLoad, Name: "BatchNormParamLoad", Mnemonic: "BATCH_NORM_PARAM_LOAD", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnParamLoad},
	{Code: OpBatchNormBackProp, Name: "BatchNormBackProp", Mnemonic: "BATCH_NORM_BACK_PROP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnBackProp},
	{Code: OpLoadParameterRam, Name: "LoadParameterRam", Mnemonic: "LOAD_PARAMETER_RAM", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpPoolBufferLoad, Name: "PoolBufferLoad", Mnemonic: "POOL_BUFFER_LOAD", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layPoolBufferLoad},
	{Code: OpGather, Name: "Gather", Mnemonic: "GATHER", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layGather},
	{Code: OpLoadMaskSelect, Name: "LoadMaskSelect", Mnemonic: "LOAD_MASK_SELECT", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layLoadMask},
	{Code: OpStreamShuffle, Name: "StreamShuffle", Mnemonic: "STREAM_SHUFFLE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layShuffle},
	{Code: OpStreamTranspose, Name: "StreamTranspose", Mnemonic: "STREAM_TRANSPOSE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layShuffle},
	{Code: OpMax8, Name: "Max8", Mnemonic: "MAX8", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnStats},
	{Code: OpMatchValueLoad, Name: "MatchValueLoad", Mnemonic: "MATCH_VALUE_LOAD", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layMatchValueLoad},
	{Code: OpFindIndex8, Name: "FindIndex8", Mnemonic: "FIND_INDEX8", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnStats},
	{Code: OpMatchReplace8, Name: "MatchReplace8", Mnemonic: "MATCH_REPLACE8", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layMatchReplace},
	{Code: OpTensorScalarImmLdArith, Name: "TensorScalarImmLdArith", Mnemonic: "TENSOR_SCALAR_IMM_LD_ARITH", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpTensorScalarImmLdBitvec, Name: "TensorScalarImmLdBitvec", Mnemonic: "TENSOR_SCALAR_IMM_LD_BITVEC", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpCopyPredicated, Name: "CopyPredicated", Mnemonic: "COPY_PREDICATED", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layCopyPredicated},
	{Code: OpRoiAlign, Name: "RoiAlign", Mnemonic: "ROI_ALIGN", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpTensorScalarAddr, Name: "TensorScalarAddr", Mnemonic: "TENSOR_SCALAR_ADDR", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layTensorScalarAddr},
	{Code: OpRand, Name: "Rand", Mnemonic: "RAND", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpRandGetState, Name: "RandGetState", Mnemonic: "RAND_GET_STATE", Engines: 0, Engines3Up: engPool, Engines4Up: engDVE, MinGen: 3, MaxGen: 4, Layout: layRandGetState},
	{Code: OpRandSetState, Name: "RandSetState", Mnemonic: "RAND_SET_STATE", Engines: 0, Engines3Up: engPool, Engines4Up: engDVE, MinGen: 3, MaxGen: 4, Layout: layRandSetState},
	{Code: OpEmbeddingUpdate, Name: "EmbeddingUpdate", Mnemonic: "EMBEDDING_UPDATE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpLoadPoolArgument, Name: "LoadPoolArgument", Mnemonic: "LOAD_POOL_ARGUMENT", Engines: engPool, MinGen: 2, MaxGen: 4},
	{Code: OpTensorDequantize, Name: "TensorDequantize", Mnemonic: "TENSOR_DEQUANTIZE", Engines: engAny, MinGen: 3, MaxGen: 4},
	{Code: OpCrossLaneReduceArith, Name: "CrossLaneReduceArith", Mnemonic: "CROSS_LANE_REDUCE_ARITH", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layCrossLaneReduce},
	{Code: OpCrossLaneReduceBitvec, Name: "CrossLaneReduceBitvec", Mnemonic: "CROSS_LANE_REDUCE_BITVEC", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layCrossLaneReduce},
	{Code: OpIota, Name: "Iota", Mnemonic: "IOTA", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layIota},
	{Code: OpDropout, Name: "Dropout", Mnemonic: "DROPOUT", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layDropout},
	{Code: OpJpegDecode, Name: "JpegDecode", Mnemonic: "JPEG_DECODE", Engines: engAny, MinGen: 3, MaxGen: 4},
	{Code: OpTransposeBatchNormStats2, Name: "TransposeBatchNormStats2", Mnemonic: "TRANSPOSE_BATCH_NORM_STATS2", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnStats},
	{Code: OpTransposeTensorReduceArithOp, Name: "TransposeTensorReduceArithOp", Mnemonic: "TRANSPOSE_TENSOR_REDUCE_ARITH_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorReduce},
	{Code: OpTransposeTensorReduceBitvecOp, Name: "TransposeTensorReduceBitvecOp", Mnemonic: "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorReduce},
	{Code: OpCustomOpHeader, Name: "CustomOpHeader", Mnemonic: "CUSTOM_OP_HEADER", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layCustomOp},
	{Code: OpCustomOpPayload, Name: "CustomOpPayload", Mnemonic: "CUSTOM_OP_PAYLOAD", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layPayload},
	{Code: OpBatchNormParamLoad2, Name: "BatchNormParamLoad2", Mnemonic: "BATCH_NORM_PARAM_LOAD2", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnParamLoad},
	{Code: OpTensorScalarAffineSelect, Name: "TensorScalarAffineSelect", Mnemonic: "TENSOR_SCALAR_AFFINE_SELECT", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layAffineSelect},
	{Code: OpTransposeTensorScalarArithOp, Name: "TransposeTensorScalarArithOp", Mnemonic: "TRANSPOSE_TENSOR_SCALAR_ARITH_OP", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpBatchNormGradAccumulate2, Name: "BatchNormGradAccumulate2", Mnemonic: "BATCH_NORM_GRAD_ACCUMULATE2", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layBnGrad2},
	{Code: OpModifyPoolConfig, Name: "ModifyPoolConfig", Mnemonic: "MODIFY_POOL_CONFIG", Engines: engPool, MinGen: 2, MaxGen: 4},
	{Code: OpSort, Name: "Sort", Mnemonic: "SORT", Engines: engPool, MinGen: 2, MaxGen: 4},
	{Code: OpTensorScalarSelect, Name: "TensorScalarSelect", Mnemonic: "TENSOR_SCALAR_SELECT", Engines: engDVE, MinGen: 2, MaxGen: 4},
	{Code: OpCastPredicated, Name: "CastPredicated", Mnemonic: "CAST_PREDICATED", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layCopyPredicated},
	{Code: OpTensorScalarCacheReduce, Name: "TensorScalarCacheReduce", Mnemonic: "TENSOR_SCALAR_CACHE_REDUCE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpDveReadAccumulator, Name: "DveReadAccumulator", Mnemonic: "DVE_READ_ACCUMULATOR", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layReadAcc},
	{Code: OpTensorReduceRangeCheck, Name: "TensorReduceRangeCheck", Mnemonic: "TENSOR_REDUCE_RANGE_CHECK", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpScalarTensorTensorArith, Name: "ScalarTensorTensorArith", Mnemonic: "SCALAR_TENSOR_TENSOR_ARITH", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layScalarTensorTensor},
	{Code: OpScalarTensorTensorBitvec, Name: "ScalarTensorTensorBitvec", Mnemonic: "SCALAR_TENSOR_TENSOR_BITVEC", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layScalarTensorTensor},
	{Code: OpEngineNop, Name: "EngineNop", Mnemonic: "ENGINE_NOP", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpEventSemaphore, Name: "EventSemaphore", Mnemonic: "EVENT_SEMAPHORE", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layEvent},
	{Code: OpHalt, Name: "Halt", Mnemonic: "HALT", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCtrl},
	{Code: OpDrain, Name: "Drain", Mnemonic: "DRAIN", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layDrain},
	{Code: OpInstructionFlush, Name: "InstructionFlush", Mnemonic: "INSTRUCTION_FLUSH", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpNop, Name: "Nop", Mnemonic: "NOP", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCtrl},
	{Code: OpWrite, Name: "Write", Mnemonic: "WRITE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpNotify, Name: "Notify", Mnemonic: "NOTIFY", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layEvent},
	{Code: OpMove, Name: "Move", Mnemonic: "MOVE", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layMove},
	{Code: OpAluOp, Name: "AluOp", Mnemonic: "ALU_OP", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layAluOp},
	{Code: OpCompareBranch, Name: "CompareBranch", Mnemonic: "COMPARE_BRANCH", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layBranch},
	{Code: OpTensorLoad, Name: "TensorLoad", Mnemonic: "TENSOR_LOAD", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layTensorLoad},
	{Code: OpTensorStore, Name: "TensorStore", Mnemonic: "TENSOR_STORE", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layTensorLoad},
	{Code: OpEventSemaphoreRangeClear, Name: "EventSemaphoreRangeClear", Mnemonic: "EVENT_SEMAPHORE_RANGE_CLEAR", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layRangeClear},
	{Code: OpSetOrderingMode, Name: "SetOrderingMode", Mnemonic: "SET_ORDERING_MODE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpMoveShape, Name: "MoveShape", Mnemonic: "MOVE_SHAPE", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layMoveShape},
	{Code: OpPollSem, Name: "PollSem", Mnemonic: "POLL_SEM", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layEvent},
	{Code: OpTestEventSem, Name: "TestEventSem", Mnemonic: "TEST_EVENT_SEM", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpBranchPrefetchHint, Name: "BranchPrefetchHint", Mnemonic: "BRANCH_PREFETCH_HINT", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpUcodeConfig, Name: "UcodeConfig", Mnemonic: "UCODE_CONFIG", Engines: engPool, MinGen: 2, MaxGen: 4},
	{Code: OpDMAMemcpy, Name: "DMAMemcpy", Mnemonic: "DMA_MEMCPY", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpDmaIndirect, Name: "DmaIndirect", Mnemonic: "DMA_INDIRECT", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpRangeSelect, Name: "RangeSelect", Mnemonic: "RANGE_SELECT", Engines: engDVE, MinGen: 3, MaxGen: 4, Layout: layRangeSelect},
	{Code: OpDmaTranspose, Name: "DmaTranspose", Mnemonic: "DMA_TRANSPOSE", Engines: engAny, MinGen: 3, MaxGen: 4},
	{Code: OpGetSequenceBounds, Name: "GetSequenceBounds", Mnemonic: "GET_SEQUENCE_BOUNDS", Engines: engPool, MinGen: 3, MaxGen: 4, Layout: laySeqBounds},
	{Code: OpSb2sbCollective, Name: "Sb2sbCollective", Mnemonic: "SB2SB_COLLECTIVE", Engines: engPool, MinGen: 3, MaxGen: 4, Layout: laySb2sb},
	{Code: OpPseudoDMATrigger, Name: "PseudoDMATrigger", Mnemonic: "PSEUDO_DMA_TRIGGER", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layDMATrigger},
	{Code: OpPseudoDMARearm, Name: "PseudoDMARearm", Mnemonic: "PSEUDO_DMA_REARM", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layDMARearm},
	{Code: OpPseudoDMABarrier, Name: "PseudoDMABarrier", Mnemonic: "PSEUDO_DMA_BARRIER", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCtrl},
	{Code: OpPseudoDMAMemcpyFullInd, Name: "PseudoDMAMemcpyFullInd", Mnemonic: "PSEUDO_DMA_MEMCPY_FULL_IND", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layMemcpyInd},
	{Code: OpPseudoSemaphoreSet, Name: "PseudoSemaphoreSet", Mnemonic: "PSEUDO_SEMAPHORE_SET", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoLoadActFuncSet, Name: "PseudoLoadActFuncSet", Mnemonic: "PSEUDO_LOAD_ACT_FUNC_SET", Engines: engACT, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoTriggerAllReduce, Name: "PseudoTriggerAllReduce", Mnemonic: "PSEUDO_TRIGGER_ALL_REDUCE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoTriggerCollective, Name: "PseudoTriggerCollective", Mnemonic: "PSEUDO_TRIGGER_COLLECTIVE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoReadVarAddr, Name: "PseudoReadVarAddr", Mnemonic: "PSEUDO_READ_VAR_ADDR", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoEmbeddingUpdate, Name: "PseudoEmbeddingUpdate", Mnemonic: "PSEUDO_EMBEDDING_UPDATE", Engines: engPool | engACT, MinGen: 2, MaxGen: 4, Layout: layEmbedding},
	{Code: OpPseudoSendRecv, Name: "PseudoSendRecv", Mnemonic: "PSEUDO_SEND_RECV", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: laySendRecv},
	{Code: OpPseudoBranchLabel, Name: "PseudoBranchLabel", Mnemonic: "PSEUDO_BRANCH_LABEL", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoTensorStore, Name: "PseudoTensorStore", Mnemonic: "PSEUDO_TENSOR_STORE", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layPseudoTensorLoad},
	{Code: OpPseudoTensorLoad, Name: "PseudoTensorLoad", Mnemonic: "PSEUDO_TENSOR_LOAD", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layPseudoTensorLoad},
	{Code: OpPseudoDMASwapQueueSet, Name: "PseudoDMASwapQueueSet", Mnemonic: "PSEUDO_DMA_SWAP_QUEUE_SET", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: laySwapQueue},
	{Code: OpPseudoSetRngSeed, Name: "PseudoSetRngSeed", Mnemonic: "PSEUDO_SET_RNG_SEED", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: laySetSeed},
	{Code: OpPseudoFunctionBegin, Name: "PseudoFunctionBegin", Mnemonic: "PSEUDO_FUNCTION_BEGIN", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layBegin},
	{Code: OpPseudoFunctionReturn, Name: "PseudoFunctionReturn", Mnemonic: "PSEUDO_FUNCTION_RETURN", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCtrl},
	{Code: OpPseudoFunctionCall, Name: "PseudoFunctionCall", Mnemonic: "PSEUDO_FUNCTION_CALL", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCall},
	{Code: OpPseudoDmaDirect2d, Name: "PseudoDmaDirect2d", Mnemonic: "PSEUDO_DMA_DIRECT2D", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layDirect2d},
	{Code: OpPseudoSyncBarrier, Name: "PseudoSyncBarrier", Mnemonic: "PSEUDO_SYNC_BARRIER", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCtrl},
	{Code: OpPseudoRangeCheck, Name: "PseudoRangeCheck", Mnemonic: "PSEUDO_RANGE_CHECK", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layRangeCheck},
	{Code: OpPseudoJpegDecode, Name: "PseudoJpegDecode", Mnemonic: "PSEUDO_JPEG_DECODE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoCoreBarrier, Name: "PseudoCoreBarrier", Mnemonic: "PSEUDO_CORE_BARRIER", Engines: engAny, MinGen: 3, MaxGen: 4, Layout: layCoreBarrier},
	{Code: OpPseudoTriggerCollective2, Name: "PseudoTriggerCollective2", Mnemonic: "PSEUDO_TRIGGER_COLLECTIVE_2", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layCollective},
	{Code: OpPseudoExtension, Name: "PseudoExtension", Mnemonic: "PSEUDO_EXTENSION", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpPseudoCurProcessingRankID, Name: "PseudoCurProcessingRankID", Mnemonic: "PSEUDO_CUR_PROCESSING_RANK_ID", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layRankID},
	{Code: OpPseudoGidLoad, Name: "PseudoGidLoad", Mnemonic: "PSEUDO_GID_LOAD", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layGidLoad},
	{Code: OpPseudoBranchPrefetchHint, Name: "PseudoBranchPrefetchHint", Mnemonic: "PSEUDO_BRANCH_PREFETCH_HINT", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layBranchHint},
	{Code: OpPseudoTensorCompletion, Name: "PseudoTensorCompletion", Mnemonic: "PSEUDO_TENSOR_COMPLETION", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layComplete},
	{Code: OpPseudoInst, Name: "PseudoInst", Mnemonic: "PSEUDO_INST", Engines: engAny, MinGen: 2, MaxGen: 4, Layout: layExit},
	{Code: OpSparsityCompress, Name: "SparsityCompress", Mnemonic: "SPARSITY_COMPRESS", Engines: engDVE, MinGen: 4, MaxGen: 4},
	{Code: OpSparsityCompressTag, Name: "SparsityCompressTag", Mnemonic: "SPARSITY_COMPRESS_TAG", Engines: engDVE, MinGen: 4, MaxGen: 4},
	{Code: OpRand2, Name: "Rand2", Mnemonic: "RAND2", Engines: engDVE, MinGen: 4, MaxGen: 4, Layout: layRand2},
	{Code: OpQuantizeMX, Name: "QuantizeMX", Mnemonic: "QUANTIZE_MX", Engines: engDVE, MinGen: 4, MaxGen: 4, Layout: layQuantizeMX},
	{Code: OpConvLutLoad, Name: "ConvLutLoad", Mnemonic: "CONV_LUT_LOAD", Engines: engAny, MinGen: 3, MaxGen: 4},
	{Code: OpTensorTensorScanArith, Name: "TensorTensorScanArith", Mnemonic: "TENSOR_TENSOR_SCAN_ARITH", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layScalarTensorTensor},
	{Code: OpTensorScalarCacheCumulative, Name: "TensorScalarCacheCumulative", Mnemonic: "TENSOR_SCALAR_CACHE_CUMULATIVE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layTensorScalar},
	{Code: OpIndirectCopy, Name: "IndirectCopy", Mnemonic: "INDIRECT_COPY", Engines: engPool, MinGen: 2, MaxGen: 4, Layout: layIndirectCopy},
	{Code: OpCopyPredicatedScalar, Name: "CopyPredicatedScalar", Mnemonic: "COPY_PREDICATED_SCALAR", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layCopyPredicatedScalar},
	{Code: OpDveReadIndices, Name: "DveReadIndices", Mnemonic: "DVE_READ_INDICES", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: layMemset},
	{Code: OpSelectReduce, Name: "SelectReduce", Mnemonic: "SELECT_REDUCE", Engines: engDVE, MinGen: 2, MaxGen: 4, Layout: laySelectReduce},
	{Code: OpHint, Name: "Hint", Mnemonic: "HINT", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpExtendedInst, Name: "ExtendedInst", Mnemonic: "EXTENDED_INST", Engines: engDVE | engPool, MinGen: 3, MaxGen: 4},
	{Code: OpDmaGatherTranspose, Name: "DmaGatherTranspose", Mnemonic: "DMA_GATHER_TRANSPOSE", Engines: engAny, MinGen: 2, MaxGen: 4},
	{Code: OpNonzeroWithCount, Name: "NonzeroWithCount", Mnemonic: "NONZERO_WITH_COUNT", Engines: engPool, MinGen: 3, MaxGen: 4, Layout: layNonzero},
	{Code: OpInvalid, Name: "Invalid", Mnemonic: "INVALID", Engines: engAny, MinGen: 2, MaxGen: 4},
}
