package exec

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// toF32 widens raw elements to float32.
func toF32(dst []float32, raw []byte, t dtype.Type) error {
	if !dtype.RowToF32(dst, raw, t) {
		return diag.Errorf(CodeDType, diag.Loc{}, "no engine computes on %s", t)
	}
	return nil
}

// fromF32 rounds float32 values to raw elements.
func fromF32(dst []byte, src []float32, t dtype.Type) error {
	if !dtype.RowFromF32(dst, src, t) {
		return diag.Errorf(CodeDType, diag.Loc{}, "no engine stores %s", t)
	}
	return nil
}
