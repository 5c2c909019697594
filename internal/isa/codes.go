package isa

import "github.com/alcadev/alca/internal/diag"

// Diagnostic codes of isa.md 13. Rules with a vendor number keep it, our own count from 3000 (machine.md 0).
const (
	CodeEngine            = "ISA1083" // ISA_ENGINE
	CodeFormat            = "ISA999"  // ISA_FORMAT
	CodeReserved          = "ISA3000" // ISA_RESERVED
	CodeOpcode            = "ISA3001" // ISA_OPCODE
	CodeWordLen           = "ISA3002" // ISA_WORD_LEN
	CodeArch              = "ISA3003" // ISA_ARCH
	CodeStartPartition    = "ISA3004" // ISA_START_PARTITION
	CodeAddrReg           = "ISA3005" // ISA_ADDR_REG
	CodeAddrAlign         = "ISA3006" // ISA_ADDR_ALIGN
	CodeAddrSpace         = "ISA3007" // ISA_ADDR_SPACE
	CodeAddrRegion        = "ISA3008" // ISA_ADDR_REGION
	CodeCountZero         = "ISA3009" // ISA_COUNT_ZERO
	CodeCountRange        = "ISA3010" // ISA_COUNT_RANGE
	CodeStrideRange       = "ISA3011" // ISA_STRIDE_RANGE
	CodeRank              = "ISA3012" // ISA_RANK
	CodeSemID             = "ISA3013" // ISA_SEM_ID
	CodeRegID             = "ISA3014" // ISA_REG_ID
	CodeChannels          = "ISA3015" // ISA_CHANNELS
	CodeElementCount      = "ISA3016" // ISA_ELEMENT_COUNT
	CodeGpsimdPSUM        = "ISA3017" // ISA_GPSIMD_PSUM
	CodeBitvecDtype       = "ISA3018" // ISA_BITVEC_DTYPE
	CodeSyncValueConflict = "ISA3019" // ISA_SYNC_VALUE_CONFLICT
	CodeImmSpace          = "ISA3020" // ISA_IMM_SPACE
	CodeImmSrc            = "ISA3021" // ISA_IMM_SRC
	CodePSUMDtype         = "ISA3022" // ISA_PSUM_DTYPE
	CodeDtype             = "ISA3023" // ISA_DTYPE
	CodeDtypeNibble       = "ISA3024" // ISA_DTYPE_NIBBLE
	CodeAluOp             = "ISA3025" // ISA_ALU_OP
	CodeActFunc           = "ISA3026" // ISA_ACT_FUNC
	CodeAccCmd            = "ISA3027" // ISA_ACC_CMD
	CodeAccImm1           = "ISA3028" // ISA_ACC_IMM1
	CodeAccFlags          = "ISA3029" // ISA_ACC_FLAGS
	CodePerfMode          = "ISA3030" // ISA_PERF_MODE
	CodeWaitMode          = "ISA3031" // ISA_WAIT_MODE
	CodeUpdateMode        = "ISA3032" // ISA_UPDATE_MODE
	CodeBranchOp          = "ISA3033" // ISA_BRANCH_OP
	CodeEventEmpty        = "ISA3034" // ISA_ES_EMPTY
	CodeTTPSUM            = "ISA3035" // ISA_TT_PSUM
	CodeActBiasImm        = "ISA3036" // ISA_ACT_BIAS_IMM
	CodeAC2Ops            = "ISA3037" // ISA_AC2_OPS
	CodeAC2Quadrant       = "ISA3038" // ISA_AC2_QUADRANT
	CodeTSImmDtype        = "ISA3039" // ISA_TS_IMM_DTYPE
	CodeExpOps            = "ISA3040" // ISA_EXP_OPS
	CodeMax8Count         = "ISA3041" // ISA_MAX8_COUNT
	CodeMove64Reg         = "ISA3042" // ISA_MOVE64_REG
	CodeMoveDtype         = "ISA3043" // ISA_MOVE_DTYPE
	CodeStoreSpace        = "ISA3044" // ISA_STORE_SPACE
	CodeName              = "ISA3045" // ISA_NAME
	CodeQueueName         = "ISA3046" // ISA_QUEUE_NAME
	CodeNoLayout          = "ISA3047" // ISA_NO_LAYOUT
	CodeFileSize          = "ISA3048" // ISA_FILE_SIZE
	CodeFieldRange        = "ISA3049" // ISA_FIELD_RANGE: a value does not fit its field
	CodeIndirect          = "ISA3050" // ISA_INDIRECT_UNSUPPORTED
	CodeIndirectDynamic   = "ISA3051" // ISA_INDIRECT_DYNAMIC
	CodeIndirectQuadrant  = "ISA3052" // ISA_INDIRECT_QUADRANT
	CodeMXScale           = "ISA3053" // ISA_MX_SCALE_SPACE
	CodeDgeOp             = "ISA3054" // ISA_DGE_OP
	CodeEngineAll         = "ISA3055" // ISA_ENGINE_ALL
	CodeExtension         = "ISA3056" // ISA_EXTENSION: 0xDA without the bundle it extends
	CodeEmbAlign          = "ISA3057" // ISA_EMB_ALIGN
	CodeMXNotX4           = "ISA3058" // ISA_MX_NOT_X4
	CodeAccUnused         = "ISA3059" // ISA_ACC_UNUSED
)

func errf(code, format string, args ...any) *diag.Diagnostic {
	return diag.Errorf(code, diag.Loc{}, format, args...)
}
