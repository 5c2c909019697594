package eval

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

// The check dialect and the custom calls of test programs (frontend.md 11.6).

func init() {
	for _, c := range []struct {
		name string
		cst  bool
		f    func(o *hlo.Op, a, b *tensor.Tensor) string
	}{
		{"expect_eq", false, func(_ *hlo.Op, a, b *tensor.Tensor) string { return diffEq(a, b) }},
		{"expect_eq_const", true, func(_ *hlo.Op, a, b *tensor.Tensor) string { return diffEq(a, b) }},
		{"expect_almost_eq", false, func(o *hlo.Op, a, b *tensor.Tensor) string { return diffAbs(a, b, tolerance(o, 1e-4)) }},
		{"expect_almost_eq_const", true, func(o *hlo.Op, a, b *tensor.Tensor) string { return diffAbs(a, b, tolerance(o, 1e-4)) }},
		{"expect_close", false, func(o *hlo.Op, a, b *tensor.Tensor) string {
			return diffULP(a, b, uint64(o.IntOr("min_ulp_difference", 0)), uint64(o.IntOr("max_ulp_difference", 1)))
		}},
	} {
		register("check."+c.name, func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
			b := (*tensor.Tensor)(nil)
			if c.cst {
				b = dense(o.Attrs.Get("value").(*hlo.DenseAttr))
			} else {
				b = in[1].T
			}
			return nil, m.verdict(o, "check."+c.name, c.f(o, in[0].T, b))
		})
	}
	register("interpreter.print", func(*machine, *hlo.Op, []Val) ([]Val, error) { return nil, nil })
	register("interpreter.probe", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		id, _ := o.Str("probe_id")
		m.probes[id] = append(m.probes[id], in[0].T)
		return in, nil
	})
	register("check.expect_serialized_eq", func(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
		id, _ := o.Str("probe_id")
		k := int(o.IntOr("iteration", o.IntOr("iter", 0)))
		if k < 0 || k >= len(m.probes[id]) {
			return nil, m.verdict(o, o.Name(), fmt.Sprintf("probe %q has %d recordings, none numbered %d", id, len(m.probes[id]), k))
		}
		return nil, m.verdict(o, o.Name(), diffEq(m.probes[id][k], in[0].T))
	})
}

func tolerance(o *hlo.Op, def float64) float64 {
	if a, ok := o.Attrs.Get("tolerance").(hlo.FloatAttr); ok {
		return a.Value
	}
	return def
}

// verdict records the outcome of a check; msg is empty when it holds.
func (m *machine) verdict(o *hlo.Op, name, msg string) error {
	if m.opt.Checks != nil {
		*m.opt.Checks = append(*m.opt.Checks, Check{Op: name, Loc: o.Loc, OK: msg == "", Msg: msg})
		return nil
	}
	if msg != "" {
		return errf(o, CodeCheck, "%s", msg)
	}
	return nil
}

func mismatchShape(a, b *tensor.Tensor) string {
	if a.Type != b.Type || len(a.Data) != len(b.Data) || !sameInts(a.Shape, b.Shape) {
		return fmt.Sprintf("%s%v is compared with %s%v", a.Type, a.Shape, b.Type, b.Shape)
	}
	return ""
}

func sameInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func diffAt(a, b *tensor.Tensor, i int, what string) string {
	x, y := show(a, i), show(b, i)
	if x == y { // bits tell NaN from NaN
		x, y = x+bitsOf(a, i), y+bitsOf(b, i)
	}
	return fmt.Sprintf("element %d: got %s, want %s%s", i, x, y, what)
}

// bitsOf is " (0x7fc00000)", the bytes of element i as one number.
func bitsOf(t *tensor.Tensor, i int) string {
	e := slices.Clone(t.Data[i*t.Type.Size() : (i+1)*t.Type.Size()])
	slices.Reverse(e)
	return fmt.Sprintf(" (0x%x)", e)
}

func show(t *tensor.Tensor, i int) string {
	e := elem(t, i)
	switch {
	case t.Type.IsFloat():
		return fmt.Sprint(floats(e)[0])
	case t.Type.IsComplex():
		return fmt.Sprint(complexes(e)[0])
	case t.Type == dtype.U64:
		return fmt.Sprint(uint64(ints(e)[0]))
	}
	return fmt.Sprint(ints(e)[0])
}

// diffEq: every element equal by value, so -0 equals +0 and NaN fails.
func diffEq(a, b *tensor.Tensor) string {
	if s := mismatchShape(a, b); s != "" {
		return s
	}
	eq := compare("EQ", false, a, b)
	for i, v := range eq.Data {
		if v == 0 {
			return diffAt(a, b, i, "")
		}
	}
	return ""
}

// almost compares two floats absolutely; NaN equals NaN, infinities by sign.
func almost(x, y, tol float64) bool {
	switch {
	case x != x && y != y:
		return true
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return x == y
	}
	return math.Abs(x-y) <= tol
}

func diffAbs(a, b *tensor.Tensor, tol float64) string {
	if s := mismatchShape(a, b); s != "" {
		return s
	}
	if a.Type.IsComplex() {
		x, y := complexes(a), complexes(b)
		for i := range x {
			if !almost(real(x[i]), real(y[i]), tol) || !almost(imag(x[i]), imag(y[i]), tol) {
				return diffAt(a, b, i, fmt.Sprintf(" within %g", tol))
			}
		}
		return ""
	}
	if !a.Type.IsFloat() {
		return diffEq(a, b)
	}
	x, y := floats(a), floats(b)
	for i := range x {
		if !almost(x[i], y[i], tol) {
			return diffAt(a, b, i, fmt.Sprintf(" within %g", tol))
		}
	}
	return ""
}

// ulps is the distance of two patterns of width w: the difference of magnitudes, the sum when the signs differ.
func ulps(x, y uint64, w int, fx, fy float64) uint64 {
	switch {
	case fx != fx && fy != fy:
		return 0
	case fx != fx || fy != fy || math.IsInf(fx, 0) || math.IsInf(fy, 0):
		if fx == fy {
			return 0
		}
		return math.MaxUint64
	}
	sign := uint64(1) << (w - 1)
	mx, my := x&^sign, y&^sign
	if x&sign != y&sign {
		s, c := bits.Add64(mx, my, 0)
		if c != 0 {
			return math.MaxUint64
		}
		return s
	}
	if mx < my {
		mx, my = my, mx
	}
	return mx - my
}

func diffULP(a, b *tensor.Tensor, lo, hi uint64) string {
	if s := mismatchShape(a, b); s != "" {
		return s
	}
	ty, n := a.Type, 1
	switch a.Type {
	case dtype.C64:
		ty, n = dtype.F32, 2
	case dtype.C128:
		ty, n = dtype.F64, 2
	}
	if !ty.IsFloat() {
		return diffEq(a, b)
	}
	x := &tensor.Tensor{Type: ty, Shape: []int{numElems(a) * n}, Data: a.Data}
	y := &tensor.Tensor{Type: ty, Shape: x.Shape, Data: b.Data}
	fx, fy := floats(x), floats(y)
	for i := range fx {
		px, py := uint64(0), uint64(0)
		for k := range ty.Size() {
			px |= uint64(x.Data[i*ty.Size()+k]) << (8 * k)
			py |= uint64(y.Data[i*ty.Size()+k]) << (8 * k)
		}
		if d := ulps(px, py, ty.Bits(), fx[i], fy[i]); d < lo || d > hi {
			return diffAt(a, b, i/n, fmt.Sprintf(" (%d ulp, allowed %d to %d)", d, lo, hi))
		}
	}
	return ""
}

// runCustomCall: checks and calls whose meaning is the identity; anything else is refused.
func runCustomCall(m *machine, o *hlo.Op, in []Val, e env) ([]Val, error) {
	name, _ := o.Str("call_target_name")
	switch name {
	case "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement", "xla.sdy.FuncResultSharding", "AwsNeuronTransferWithStaticRing",
		"MoveToHost", "MoveToDevice", "LayoutConstraint":
		return in, nil
	case "shape_assertion":
		if in[0].T.Data[0] != 0 {
			return nil, nil
		}
		msg, _ := o.Str("error_message")
		for i, v := range in[1:] {
			msg = strings.ReplaceAll(msg, fmt.Sprintf("{%d}", i), show(v.T, 0))
		}
		return nil, errf(o, CodeAssertion, "%s", msg)
	case "check.expect_eq":
		return nil, m.verdict(o, name, diffEq(in[0].T, in[1].T))
	case "check.expect_almost_eq":
		return nil, m.verdict(o, name, diffAbs(in[0].T, in[1].T, tolerance(o, 1e-3)))
	case "check.expect_close":
		return nil, m.verdict(o, name, diffULP(in[0].T, in[1].T, uint64(o.IntOr("min_ulp_difference", 0)), uint64(o.IntOr("max_ulp_difference", 3))))
	case "check.eq":
		msg := diffAbs(in[0].T, in[1].T, 1e-4)
		r := tensor.New(dtype.I1)
		r.Data[0] = b2b(msg == "")
		return one(r), m.verdict(o, name, msg)
	}
	if f := customCalls[name]; f != nil {
		return f(m, o, in)
	}
	return nil, errf(o, CodeUnsupported, "custom call @%s is not supported", name)
}

// customCalls are the targets with a meaning of their own; files of this package add theirs.
var customCalls = map[string]kernel{}
