package lower

import (
	"fmt"
	"strings"

	"github.com/alcadev/alca/internal/hlo"
)

func init() {
	for _, d := range hlo.Ops() {
		if strings.HasPrefix(d.Name, "check.") {
			register(check, d.Name)
		}
	}
	register(customCall, "stablehlo.custom_call")
}

// Check is a verdict that a module asks for. The device cannot give it: the operands become extra outputs, and the
// caller compares them.
type Check struct {
	Op      *hlo.Op
	Name    string   // "check.expect_eq"
	Outputs []string // names of the operands
}

// check records a check op, when Options.Checks asks for that.
func check(l *lowerer, o *hlo.Op) error { return l.check(o, o.Name()) }

func (l *lowerer) check(o *hlo.Op, name string) error {
	if l.opts.Checks == nil {
		return l.unsupported("a check cannot be carried out on the device").
			WithHint("`alca conform` and `alca eval` carry out checks")
	}
	if l.region != 1 {
		return l.unsupported("a check inside a loop or branch")
	}
	c := Check{Op: o, Name: name}
	for i := range o.Operands {
		v, err := l.copyOf(l.in(o, i))
		if err != nil {
			return err
		}
		c.Outputs = append(c.Outputs, fmt.Sprintf("check%d.%d", len(*l.opts.Checks), i))
		v.t.IOName = c.Outputs[i]
		l.extra = append(l.extra, v.t)
	}
	*l.opts.Checks = append(*l.opts.Checks, c)
	return nil
}

func customCall(l *lowerer, o *hlo.Op) error {
	name, _ := o.Str("call_target_name")
	switch {
	case strings.HasPrefix(name, "check."):
		return l.check(o, name)
	case name == "Sharding", name == "annotate_device_placement":
		return identity(l, o)
	}
	return l.unsupported("target %q is not supported on the device", name)
}
