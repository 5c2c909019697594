package penguin

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// TestEveryRowRuns interprets each op-level row on every element type that it takes, so that no row is without a
// meaning.
func TestEveryRowRuns(t *testing.T) {
	floatOnly := "floor ceil round_nearest_even round_nearest_afz exponential exponential_minus_one log log_plus_one logistic tanh sqrt rsqrt cbrt sine cosine tan erf is_finite atan2 reduce_precision gelu_tanh"
	intOnly := "not popcnt count_leading_zeros and or xor shift_left shift_right_logical shift_right_arithmetic"
	in := func(list, name string) bool {
		for _, w := range strings.Fields(list) {
			if w == name {
				return true
			}
		}
		return false
	}
	attrs := map[string]string{"reduce": `{Op="maximum"}`, "scatter": `{Op="add"}`, "compare": `{Dir="LE"}`, "iota": "{Value=(i)}", "fill": "{Bits=1}", "reduce_precision": "{Exp=5, Mantissa=10}"}
	for _, d := range Ops() {
		for _, ty := range []string{"f32", "bf16", "f16", "i32", "ui8", "i64", "i1"} {
			dt, _ := dtype.Parse(ty)
			if dt.IsFloat() && in(intOnly, d.Name) || !dt.IsFloat() && in(floatOnly, d.Name) {
				continue
			}
			if d.Group != Elementwise && d.Name != "reduce" && d.Name != "contract" && d.Name != "copy" && d.Name != "scatter" && d.Name != "fill" && d.Name != "iota" {
				if d.Name != "bitcast" {
					continue // rows of templates are tested with them
				}
			}
			out := ty
			if d.Name == "compare" || d.Name == "is_finite" {
				out = "i1"
			}
			var args []string
			for i := range d.Ins {
				if d.Name == "select" && i == 0 {
					args = append(args, "p[i]")
				} else {
					args = append(args, fmt.Sprintf("x[%d, i]", i))
				}
			}
			axes := "for (i: range(0,4,1) Parallel)"
			if d.Group == Reduction || d.Group == Contraction {
				axes = "for (i: range(0,4,1) Parallel | r: range(0,3,1) Parallel)"
				for i := range args {
					args[i] = "x[r, i]"
				}
			}
			a := attrs[d.Name]
			if a == "" && d.New != nil {
				a = "{}"
			}
			src := fmt.Sprintf("module m gen=3 {\n func main {\n  tensor x : %s [3,4] kind=Input in dram io \"x\"\n  tensor p : i1 [4] kind=Input in dram io \"p\"\n  tensor y : %s [4] kind=Output in dram io \"y\"\n  %%0 = %s(%s) -> y[i] %s %s\n }\n}\n",
				ty, out, d.Name, strings.Join(args, ", "), axes, a)
			m, err := Parse([]byte(src), d.Name)
			if err != nil {
				t.Errorf("%s on %s: %v\n%s", d.Name, ty, err, src)
				continue
			}
			if err := Verify(m); err != nil {
				t.Errorf("%s on %s: %v", d.Name, ty, err)
			}
			x := tensor.New(dt, 3, 4)
			if _, err := Exec(context.Background(), m, map[string]*tensor.Tensor{"x": x, "p": tensor.New(dtype.I1, 4)}); err != nil {
				t.Errorf("%s on %s: %v", d.Name, ty, err)
			}
		}
	}
}

// TestIntegerCorners pins what the tables say about division, shifts, powers and conversions at their edges.
func TestIntegerCorners(t *testing.T) {
	const least = math.MinInt32
	for _, c := range []struct {
		op         string
		a, b, want int64
	}{
		{"divide", 7, 0, -1}, {"divide", least, -1, least}, {"divide", -7, 2, -3},
		{"remainder", 7, 0, 7}, {"remainder", least, -1, 0}, {"remainder", -7, 2, -1},
		{"power", 2, -1, 0}, {"power", -1, -3, -1}, {"power", -1, -2, 1}, {"power", 3, 4, 81}, {"power", 2, 32, 0},
		{"shift_left", 1, 32, 0}, {"shift_left", 1, -1, 0}, {"shift_right_logical", -1, 31, 1}, {"shift_right_logical", -1, 32, 0},
		{"shift_right_arithmetic", -8, 40, -1}, {"shift_right_arithmetic", -8, 1, -4},
		{"add", math.MaxInt32, 1, least}, {"multiply", 1 << 20, 1 << 20, 0}, {"maximum", -1, 1, 1},
	} {
		got := int64(int32(binaryInt[c.op](c.a, c.b, 32, true)))
		if got != c.want {
			t.Errorf("%s(%d, %d) = %d, want %d", c.op, c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		v    float64
		t    dtype.Type
		want int64
	}{{math.NaN(), dtype.I32, 0}, {1e20, dtype.I32, math.MaxInt32}, {-1e20, dtype.I8, -128}, {-1.9, dtype.I32, -1}, {-5, dtype.U8, 0}, {300, dtype.U8, 255}} {
		if got := floatToInt(c.v, c.t); got != c.want {
			t.Errorf("%g as %v = %d, want %d", c.v, c.t, got, c.want)
		}
	}
	if v := maxNaN(math.Inf(1), math.NaN()); !math.IsNaN(v) {
		t.Errorf("maximum of infinity and NaN is %g, want NaN", v)
	}
}
