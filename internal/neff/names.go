package neff

import (
	"fmt"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// The spellings of enumerations in the JSON members.
var (
	varKindNames   = [...]string{"input", "output", "file", "tmp-buf", "virtual", "state-buffer", "pointer", "dge-table"}
	queueTypeNames = [...]string{"in", "out", "data", "embedding_update", "dynamic"}
	descOpNames    = [...]string{"copy", "cast", "add", "fma", "min", "max", "transpose"}
)

func (k VarKind) String() string   { return nameOf(varKindNames[:], uint8(k)) }
func (t QueueType) String() string { return nameOf(queueTypeNames[:], uint8(t)) }
func (o DescOp) String() string    { return nameOf(descOpNames[:], uint8(o)) }

// OnChip reports whether offsets of the variable are on-chip addresses.
func (k VarKind) OnChip() bool { return k == VarStateBuffer }

func nameOf(names []string, v uint8) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("value(%d)", v)
}

func valueOf(names []string, s string) (uint8, bool) {
	for i, n := range names {
		if n == s {
			return uint8(i), true
		}
	}
	return 0, false
}

// engineRow is how an engine is called in file names and in def.json; the two differ on purpose (neff.md 4).
type engineRow struct {
	engine      machine.Engine
	stem, token string
}

// engineRows is in EngineOrder.
var engineRows = [...]engineRow{
	{machine.PE, "PE", "pe"},
	{machine.ACT, "Activation", "act"},
	{machine.Pool, "Pool", "pool"},
	{machine.DVE, "DVE", "dve"},
	{machine.SP, "SP", "sp"},
}

func engineToken(e machine.Engine) string {
	for _, r := range engineRows {
		if r.engine == e {
			return r.token
		}
	}
	return ""
}

func engineOfToken(s string) (machine.Engine, bool) {
	for _, r := range engineRows {
		if r.token == s {
			return r.engine, true
		}
	}
	return machine.Unassigned, s == ""
}

// dtypeNames are the container's spellings; types it has no word for go by dtype's own.
var dtypeNames = []struct {
	t    dtype.Type
	name string
}{
	{dtype.I1, "bool"}, {dtype.I8, "int8"}, {dtype.I16, "int16"}, {dtype.I32, "int32"}, {dtype.I64, "int64"},
	{dtype.U8, "uint8"}, {dtype.U16, "uint16"}, {dtype.U32, "uint32"}, {dtype.U64, "uint64"},
	{dtype.F8E3M4, "float8e3"}, {dtype.F8E4M3, "float8e4"}, {dtype.F8E4M3FN, "float8_e4m3fn"}, {dtype.F8E5M2, "float8e5"},
	{dtype.F8E8M0FNU, "float8_e8m0fnu"}, {dtype.BF16, "bfloat16"}, {dtype.F16, "float16"}, {dtype.TF32, "float32r"},
	{dtype.F32, "float32"}, {dtype.F64, "float64"},
}

func dtypeName(t dtype.Type) string {
	for _, r := range dtypeNames {
		if r.t == t {
			return r.name
		}
	}
	return t.String()
}

func dtypeOf(name string) (dtype.Type, bool) {
	for _, r := range dtypeNames {
		if r.name == name {
			return r.t, true
		}
	}
	return dtype.Parse(name)
}

// featureNames are the features that def.json repeats as words, neff.md 1.4.
var featureNames = []struct {
	bit  Feature
	name string
	word bool // repeated in neff_features
}{
	{FeatCollectiveOffset, "neff_collective_has_offset", true},
	{FeatCustomOps, "neff_feature_custom_ops", true},
	{FeatCoalescedCC, "neff_coalesced_ccops", true},
	{FeatQueueInstances, "neff_queue_set_instances", true},
	{FeatFunctions, "neff_has_functions", true},
	{FeatDynamicPWP, "neff_feature_dynamic_pwp", true},
	{FeatIndirect32bWait, "neff_feature_indirect_memcpy_32b_sem_wait", true},
	{FeatIndirectBound, "neff_feature_indirect_memcpy_bound_check", true},
	{FeatDMAHigherDim, "neff_feature_DMA_desc_higher_dim", true},
	{FeatVNC, "neff_feature_vnc", true},
	{FeatDVEPerf, "dve_performance_mode", false},
	{FeatDGE, "DGE", false},
	{FeatPoolRsqrt, "POOL_RSQRT", false},
	{FeatRemoteSem, "neff_feature_remote_sem", true},
	{FeatDGECast, "DGE_cast", false},
	{FeatVectorDGE, "vector_DGE", false},
	{FeatEmbeddingStride32, "embedding_stride32", false},
	{FeatSQINoRearm, "SQI_no_rearm", false},
	{FeatHardwareDGE, "hardware_DGE", false},
	{FeatPartialSB2SB, "partial_sb2sb_ccop", false},
	{FeatLevel40, "level40", false},
	{FeatLargeTensor, "large_tensor_support", false},
}

// knownFeatures is the set of all bits the format defines.
func knownFeatures() Feature {
	var all Feature
	for _, r := range featureNames {
		all |= r.bit
	}
	return all
}

// Names returns the names of the features in the set, in bit order.
func (f Feature) Names() []string {
	var out []string
	for _, r := range featureNames {
		if f&r.bit != 0 {
			out = append(out, r.name)
		}
	}
	return out
}
