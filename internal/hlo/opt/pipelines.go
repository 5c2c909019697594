package opt

import (
	"fmt"
	"slices"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/pass"
)

var registry pass.Registry[*hlo.Module]

// Registry returns the passes of this level by name.
func Registry() *pass.Registry[*hlo.Module] { return &registry }

// required are the passes without which lowering meets ops it does not know.
var required = []string{"inline", "static-forms", "decompose"}

// Pipeline lists the passes of an optimisation level in order.
func Pipeline(level int) []string {
	if level <= 0 {
		return append([]string(nil), required...)
	}
	if level == 1 {
		return []string{"inline", "static-forms", "decompose", "narrow64", "hlo-cse", "hlo-dce"}
	}
	return []string{"inline", "static-forms", "decompose", "simplify", "canonicalize", "fold-constants", "narrow64", "hlo-cse", "hlo-dce"}
}

// after lists, for a pass, those that must have run before it.
var after = map[string][]string{
	"static-forms": {"inline"},
	"decompose":    {"inline", "static-forms"},
	"canonicalize": {"simplify"},
	"narrow64":     {"decompose"},
	"hlo-cse":      {"inline", "decompose"},
	"hlo-dce":      {"hlo-cse"},
}

// checkOrder reports a pipeline that breaks the constraints of after or names an unknown pass.
func checkOrder(names []string) error {
	for i, n := range names {
		if _, ok := registry.Lookup(n); !ok {
			return fmt.Errorf("there is no pass %q", n)
		}
		for _, before := range after[n] {
			if !slices.Contains(names[:i], before) {
				return fmt.Errorf("%s must run after %s", n, before)
			}
		}
	}
	return nil
}
