package walrus

import (
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
)

// TestCheckAllocation: moving one live tile onto another is noticed.
func TestCheckAllocation(t *testing.T) {
	u := runTo(t, tiledProg(6), Options{OptLevel: 1}, "alloc_sbuf")
	if err := checkAllocation(u); err != nil {
		t.Fatal(err)
	}
	lts := u.lifetimes(bir.SB, nil)
	moved := false
	for _, a := range lts {
		for _, b := range lts {
			if a != b && a.start < b.end && b.start < a.end && !moved {
				a.loc.Addr, moved = b.loc.Addr, true
			}
		}
	}
	if err := checkAllocation(u); !moved || !diag.IsInternal(err) {
		t.Errorf("moved %v, error %v, want an internal error", moved, err)
	}
}
