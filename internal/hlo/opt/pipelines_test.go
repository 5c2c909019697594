package opt

import (
	"slices"
	"testing"
)

func TestPipelines(t *testing.T) {
	for level := 0; level <= 3; level++ {
		p := Pipeline(level)
		if err := checkOrder(p); err != nil {
			t.Errorf("-O%d: %v", level, err)
		}
		for _, n := range required {
			if q, _ := registry.Lookup(n); !slices.Contains(p, n) || !q.Required {
				t.Errorf("-O%d: %s must be part and required", level, n)
			}
		}
	}
	if checkOrder([]string{"decompose", "inline"}) == nil || checkOrder([]string{"nope"}) == nil {
		t.Error("a pipeline out of order, or with an unknown pass, is accepted")
	}
}
