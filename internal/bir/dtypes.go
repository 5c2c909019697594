package bir

import "github.com/alcadev/alca/internal/dtype"

// dtypeNames is BIR's element types in ordinal order (bir.md 10). The packed x4 types have no entry in package dtype
// yet and are not readable.
var dtypeNames = [...]struct {
	name string
	t    dtype.Type
}{
	{"uint8", dtype.U8}, {"int8", dtype.I8}, {"float4_e2m1fn_x4", dtype.Invalid}, {"float8e3", dtype.F8E3M4},
	{"float8e4", dtype.F8E4M3}, {"float8_e4m3fn", dtype.F8E4M3FN}, {"float8_e8m0fnu", dtype.F8E8M0FNU}, {"float8e5", dtype.F8E5M2},
	{"float8_e4m3fn_x4", dtype.Invalid}, {"float8_e5m2_x4", dtype.Invalid}, {"uint16", dtype.U16}, {"int16", dtype.I16},
	{"bfloat16", dtype.BF16}, {"float16", dtype.F16}, {"uint32", dtype.U32}, {"int32", dtype.I32},
	{"float32", dtype.F32}, {"float32r", dtype.TF32}, {"uint64", dtype.U64}, {"int64", dtype.I64},
}

// DTypeName returns BIR's name of t, or "" if BIR has no such type. Booleans are uint8.
func DTypeName(t dtype.Type) string {
	if t == dtype.I1 {
		t = dtype.U8
	}
	for _, d := range dtypeNames {
		if d.t == t && t != dtype.Invalid {
			return d.name
		}
	}
	return ""
}

// ParseDType returns the type BIR calls name.
func ParseDType(name string) (dtype.Type, bool) {
	for _, d := range dtypeNames {
		if d.name == name && d.t != dtype.Invalid {
			return d.t, true
		}
	}
	return dtype.Invalid, false
}
