package opt

import (
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

// far bounds the ends of intervals that are computed with, so that sums do not overflow.
const far = 1 << 61

// result is the interval of o's result, an integer tensor of 64 bits, if anything is known.
func (n *narrowing) result(o *hlo.Op) (interval, bool) {
	if o.Name() == "stablehlo.iota" {
		return interval{0, max(o.Out(0).Dims[o.IntOr("iota_dimension", 0)]-1, 0)}, true
	}
	in := make([]interval, len(o.Operands))
	for i, v := range o.Operands {
		var ok bool
		if in[i], ok = n.of(v); !ok || in[i].lo < -far || in[i].hi > far {
			// Some ops bound their result whatever they are given.
			if !(o.Name() == "stablehlo.remainder" && i == 0 || o.Name() == "stablehlo.clamp" && i == 1 || o.Name() == "stablehlo.sign") {
				return interval{}, false
			}
			in[i] = interval{math.MinInt64, math.MaxInt64}
			if hlo.TensorOf(v).Elem == dtype.U64 {
				if o.Name() == "stablehlo.clamp" {
					return interval{}, false // the upper half of its values is none of int64
				}
				in[i].lo = 0
			}
		}
	}
	r, ok := bound(o, in)
	if o.Out(0).Elem == dtype.U64 && r.lo < 0 {
		return interval{}, false // wraps
	}
	return r, ok
}

// bound is the interval of the result for those of the operands.
func bound(o *hlo.Op, in []interval) (interval, bool) {
	switch o.Name() {
	case "stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.reverse", "stablehlo.slice", "stablehlo.transpose":
		return in[0], true
	case "stablehlo.convert":
		// From floats nothing is known; of() has said so.
		return in[0], true
	case "stablehlo.concatenate", "stablehlo.pad":
		r := in[0]
		for _, x := range in[1:] {
			r = union(r, x)
		}
		return r, true
	case "stablehlo.select":
		return union(in[1], in[2]), true
	case "stablehlo.clamp":
		return lesser(greater(in[1], in[0]), in[2]), true
	case "stablehlo.maximum":
		return greater(in[0], in[1]), true
	case "stablehlo.minimum":
		return lesser(in[0], in[1]), true
	case "stablehlo.add":
		return interval{in[0].lo + in[1].lo, in[0].hi + in[1].hi}, true
	case "stablehlo.subtract":
		return interval{in[0].lo - in[1].hi, in[0].hi - in[1].lo}, true
	case "stablehlo.negate":
		return interval{-in[0].hi, -in[0].lo}, true
	case "stablehlo.abs":
		switch {
		case in[0].lo >= 0:
			return in[0], true
		case in[0].hi <= 0:
			return interval{-in[0].hi, -in[0].lo}, true
		}
		return interval{0, max(-in[0].lo, in[0].hi)}, true
	case "stablehlo.sign":
		return interval{-1, 1}, true
	case "stablehlo.multiply":
		if !in[0].fits() || !in[1].fits() {
			return interval{}, false
		}
		return ends(in[0], in[1], func(a, b int64) int64 { return a * b }), true
	case "stablehlo.divide":
		if in[1].lo <= 0 && in[1].hi >= 0 {
			return interval{}, false
		}
		r := ends(in[0], in[1], func(a, b int64) int64 { return a / b })
		if in[0].lo < 0 && in[0].hi > 0 {
			r = union(r, interval{0, 0})
		}
		return r, true
	case "stablehlo.remainder":
		if in[1].lo <= 0 && in[1].hi >= 0 {
			return interval{}, false
		}
		m := max(in[1].hi, -in[1].lo) - 1
		r := interval{-m, m}
		if in[0].lo >= 0 {
			r.lo = 0
		}
		return r, true
	case "stablehlo.and":
		// One operand that is not negative clears the sign and bounds the rest.
		switch {
		case in[0].lo >= 0 && in[1].lo >= 0:
			return interval{0, min(in[0].hi, in[1].hi)}, true
		case in[0].lo >= 0:
			return interval{0, in[0].hi}, true
		case in[1].lo >= 0:
			return interval{0, in[1].hi}, true
		}
	}
	return interval{}, false
}

func greater(a, b interval) interval { return interval{max(a.lo, b.lo), max(a.hi, b.hi)} }
func lesser(a, b interval) interval  { return interval{min(a.lo, b.lo), min(a.hi, b.hi)} }

// ends is the interval of a function that is monotonic in each argument.
func ends(a, b interval, f func(a, b int64) int64) interval {
	r := interval{math.MaxInt64, math.MinInt64}
	for _, x := range []int64{a.lo, a.hi} {
		for _, y := range []int64{b.lo, b.hi} {
			v := f(x, y)
			r = union(r, interval{v, v})
		}
	}
	return r
}
