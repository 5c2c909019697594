package opt

import (
	"testing"

	"github.com/alcadev/alca/internal/hlo"
)

func TestViaStableHLO(t *testing.T) {
	for op := range hloRules {
		if _, ok := hloVia[op]; !ok {
			t.Errorf("hloVia lacks %s", op)
		}
	}
	for op, via := range hloVia {
		if hloRules[op] == nil {
			t.Errorf("hloVia has %s, which has no rule", op)
		}
		if via != "" && hlo.Lookup(via) == nil {
			t.Errorf("%s becomes %s, which is no op", op, via)
		}
	}
	for name, want := range map[string]bool{"hlo.add": true, "hlo.fusion": true, "hlo.ragged-all-to-all": false, "stablehlo.add": false} {
		if _, ok := ViaStableHLO(hlo.Lookup(name)); ok != want {
			t.Errorf("%s has a StableHLO form: %v", name, ok)
		}
	}
}
