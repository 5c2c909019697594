package driver

import (
	"errors"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// checkTarget validates the flags that every compiling command has.
func checkTarget(target string, opt int) error {
	if _, err := machine.Lookup(target); err != nil {
		return Usagef("--target: there is no target %q; targets are %s", target, strings.Join(machine.Names(), ", "))
	}
	if opt < 0 || opt > 2 {
		return Usagef("-O%d: levels are -O0, -O1 and -O2", opt)
	}
	return nil
}

// isUnsupported reports whether err says that alca does not do something, rather than that the input is wrong
// or a result is.
func isUnsupported(err error) bool {
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		return false
	}
	if i, ok := diag.LookupCode(d.Code); ok && i.Unsupported {
		return true
	}
	return strings.Contains(d.Msg, "not support")
}
