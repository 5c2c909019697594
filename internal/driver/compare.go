package driver

import (
	"fmt"
	"math"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// Comparison is the distance of a tensor from the golden one, measured against the scale of the golden one.
type Comparison struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	MaxAbs    float64 `json:"max_abs_error"`
	Scale     float64 `json:"scale"` // max |golden|
	Error     float64 `json:"error"` // MaxAbs / Scale
	Tolerance float64 `json:"tolerance"`
	OK        bool    `json:"ok"`
	Reason    string  `json:"reason,omitempty"` // why not
	Constant  bool    `json:"constant"`         // all golden elements are equal
	NonFinite int     `json:"non_finite"`       // golden elements that are infinite or NaN
}

// Tolerance is how far a device result of type t may lie from the golden one, relative to its scale. Device and
// evaluator sum in different orders, so equality is asked of integers only. With --auto-cast=matmult the operands
// of contractions are rounded to bf16, with all every intermediate value is, which adds up along the program.
func Tolerance(t dtype.Type, autoCast string) float64 {
	const bf16Ulp = 0x1p-8
	least := 0.0
	switch autoCast {
	case "matmult":
		least = 2 * bf16Ulp
	case "all":
		least = 4 * bf16Ulp
	}
	switch {
	case t == dtype.BF16:
		return max(2*bf16Ulp, least)
	case t == dtype.F16:
		return max(2*0x1p-11, least)
	case t.IsFloat() && t.Size() == 1:
		return 0x1p-3
	case t.IsFloat() || t.IsComplex():
		return max(2e-5, least)
	}
	return 0
}

// Compare measures got against want.
func Compare(name string, got, want *tensor.Tensor, tol float64) Comparison {
	c := Comparison{Name: name, Tolerance: tol, Constant: true}
	if want == nil {
		c.Reason = "there is no golden value"
		return c
	}
	c.Type = Port{Type: want.Type, Shape: want.Shape}.String()[2:]
	if got == nil {
		c.Reason = "the output is missing"
		return c
	}
	if got.Type != want.Type || fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		c.Reason = fmt.Sprintf("type is %s", Port{Type: got.Type, Shape: got.Shape}.String()[2:])
		return c
	}
	a, b := values(got), values(want)
	c.OK = true
	for i := range b {
		if b[i] != b[0] {
			c.Constant = false
		}
		fa, fb := finite(a[i]), finite(b[i])
		if !fb {
			c.NonFinite++
		}
		if !fa || !fb {
			if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) && c.OK {
				c.OK, c.Reason = false, fmt.Sprintf("element %v is %v, golden %v", index(i, want), a[i], b[i])
			}
			continue
		}
		c.Scale = max(c.Scale, math.Abs(b[i]))
		c.MaxAbs = max(c.MaxAbs, math.Abs(a[i]-b[i]))
	}
	if want.Type == dtype.I64 || want.Type == dtype.U64 { // exact beyond 2^53
		for i := range want.Data {
			if want.Data[i] != got.Data[i] && c.MaxAbs == 0 {
				c.MaxAbs = 1
			}
		}
	}
	switch {
	case c.MaxAbs == 0:
	case c.Scale == 0:
		c.Error = math.Inf(1)
	default:
		c.Error = c.MaxAbs / c.Scale
	}
	if c.OK && c.Error > tol {
		c.OK, c.Reason = false, worst(a, b, want)
	}
	if math.IsInf(c.Error, 0) {
		c.Error = math.MaxFloat64 // JSON has no infinity
	}
	return c
}

func worst(a, b []float64, t *tensor.Tensor) string {
	at, most := 0, -1.0
	for i := range b {
		if d := math.Abs(a[i] - b[i]); finite(d) && d > most {
			at, most = i, d
		}
	}
	return fmt.Sprintf("worst element %v is %v, golden %v", index(at, t), a[at], b[at])
}

// nonFinite counts the infinite and NaN values of a tensor.
func nonFinite(t *tensor.Tensor) int {
	n := 0
	if t.Type.IsFloat() || t.Type.IsComplex() {
		for _, v := range values(t) {
			if !finite(v) {
				n++
			}
		}
	}
	return n
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// values widens a tensor to float64; complex numbers count as two.
func values(t *tensor.Tensor) []float64 {
	e := t.Type
	switch e {
	case dtype.C64:
		e = dtype.F32
	case dtype.C128:
		e = dtype.F64
	}
	size := e.Size()
	out := make([]float64, len(t.Data)/max(size, 1))
	for i := range out {
		var bits uint64
		for j, x := range t.Data[i*size : (i+1)*size] {
			bits |= uint64(x) << (8 * j)
		}
		switch {
		case e.IsFloat():
			out[i] = e.FloatOf(bits)
		case e.IsSigned():
			s := 64 - 8*size
			out[i] = float64(int64(bits<<s) >> s)
		default:
			out[i] = float64(bits)
		}
	}
	return out
}

// index turns a flat position into indices.
func index(flat int, t *tensor.Tensor) []int {
	if t.Type.IsComplex() {
		flat /= 2
	}
	idx := make([]int, len(t.Shape))
	for i := len(idx) - 1; i >= 0; i-- {
		if t.Shape[i] > 0 {
			idx[i] = flat % t.Shape[i]
			flat /= t.Shape[i]
		}
	}
	return idx
}
