package penguin

import (
	"math"
	"math/bits"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/pelican"
)

// rowKernel computes one row.
type rowKernel func(idx []int, vals []int64, n int) error

var unaryFloat = map[string]func(float64) float64{
	"negate": func(x float64) float64 { return -x },
	"abs":    math.Abs,
	"sign": func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	},
	"floor": math.Floor, "ceil": math.Ceil, "round_nearest_even": math.RoundToEven, "round_nearest_afz": math.Round,
	"exponential": math.Exp, "exponential_minus_one": math.Expm1, "log": math.Log, "log_plus_one": math.Log1p,
	"logistic": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"tanh":     math.Tanh, "sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"cbrt": math.Cbrt, "sine": math.Sin, "cosine": math.Cos, "tan": math.Tan, "erf": math.Erf,
	"gelu_tanh": func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(0.7978845608028654*(x+0.044715*x*x*x)))
	},
}

var binaryFloat = map[string]func(a, b float64) float64{
	"add":       func(a, b float64) float64 { return a + b },
	"subtract":  func(a, b float64) float64 { return a - b },
	"multiply":  func(a, b float64) float64 { return a * b },
	"divide":    func(a, b float64) float64 { return a / b },
	"remainder": math.Mod,
	"maximum":   maxNaN,
	"minimum":   minNaN,
	"power":     math.Pow,
	"atan2":     math.Atan2,
}

// maxNaN and minNaN give NaN when either side is; math.Max and Min let an infinity win.
func maxNaN(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return math.Max(a, b)
}

func minNaN(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return math.Min(a, b)
}

// unaryInt and binaryInt compute modulo 2^64 on values that are sign- or zero-extended; storing truncates. w is the
// width in bits, 1 for i1.
var unaryInt = map[string]func(x int64, w int, signed bool) int64{
	"negate": func(x int64, w int, _ bool) int64 { return -x },
	"abs": func(x int64, w int, signed bool) int64 {
		if signed && x < 0 {
			return -x
		}
		return x
	},
	"sign": func(x int64, w int, signed bool) int64 {
		switch {
		case x == 0:
			return 0
		case signed && x < 0:
			return -1
		}
		return 1
	},
	"not": func(x int64, w int, _ bool) int64 {
		if w == 1 {
			return x ^ 1
		}
		return ^x
	},
	"popcnt":              func(x int64, w int, _ bool) int64 { return int64(bits.OnesCount64(low(x, w))) },
	"count_leading_zeros": func(x int64, w int, _ bool) int64 { return int64(bits.LeadingZeros64(low(x, w)) - 64 + w) },
}

func low(x int64, w int) uint64 {
	if w >= 64 {
		return uint64(x)
	}
	return uint64(x) & (1<<w - 1)
}

var binaryInt = map[string]func(a, b int64, w int, signed bool) int64{
	"add": func(a, b int64, w int, _ bool) int64 {
		if w == 1 {
			return a | b
		}
		return a + b
	},
	"subtract": func(a, b int64, w int, _ bool) int64 {
		if w == 1 {
			return a ^ b
		}
		return a - b
	},
	"multiply": func(a, b int64, w int, _ bool) int64 { return a * b },
	"divide": func(a, b int64, w int, signed bool) int64 {
		switch {
		case b == 0:
			return -1
		case !signed:
			return int64(uint64(a) / uint64(b))
		case b == -1:
			return -a
		}
		return a / b
	},
	"remainder": func(a, b int64, w int, signed bool) int64 {
		switch {
		case b == 0:
			return a
		case !signed:
			return int64(uint64(a) % uint64(b))
		case b == -1:
			return 0
		}
		return a % b
	},
	"maximum": func(a, b int64, w int, signed bool) int64 {
		if less(a, b, signed) {
			return b
		}
		return a
	},
	"minimum": func(a, b int64, w int, signed bool) int64 {
		if less(b, a, signed) {
			return b
		}
		return a
	},
	"power": func(a, b int64, w int, signed bool) int64 {
		if signed && b < 0 {
			switch a {
			case 1:
				return 1
			case -1:
				return 1 - 2*(b&1)
			}
			return 0
		}
		r := int64(1)
		for e := uint64(b); e > 0; e >>= 1 {
			if e&1 == 1 {
				r *= a
			}
			a *= a
		}
		return r
	},
	"and": func(a, b int64, w int, _ bool) int64 { return a & b },
	"or":  func(a, b int64, w int, _ bool) int64 { return a | b },
	"xor": func(a, b int64, w int, _ bool) int64 { return a ^ b },
	"shift_left": func(a, b int64, w int, _ bool) int64 {
		if low(b, w) >= uint64(w) {
			return 0
		}
		return a << low(b, w)
	},
	"shift_right_logical": func(a, b int64, w int, _ bool) int64 {
		if low(b, w) >= uint64(w) {
			return 0
		}
		return int64(low(a, w) >> low(b, w))
	},
	"shift_right_arithmetic": func(a, b int64, w int, _ bool) int64 {
		s := int64(low(a, w)<<(64-w)) >> (64 - w)
		return s >> min(low(b, w), 63)
	},
}

func less(a, b int64, signed bool) bool {
	if signed {
		return a < b
	}
	return uint64(a) < uint64(b)
}

func width(t dtype.Type) int {
	if t == dtype.I1 {
		return 1
	}
	return t.Bits()
}

func signedInt(t dtype.Type) bool { return t != dtype.I1 && t.IsSigned() }

// kernelFor prepares the row kernel of an instruction without reduction. Output positions follow inputs in acc.
func (x *interp) kernelFor(p *plan) (rowKernel, error) {
	in := p.in
	name := in.Op.Name
	out := len(in.In)
	var t dtype.Type
	if len(in.In) > 0 {
		t = in.In[0].T.DType
	}
	w, sg := width(t), signedInt(t)
	bad := func() (rowKernel, error) {
		return nil, diag.Errorf(codeExec, in.Loc, "%s: no interpretation for element type %v", name, t)
	}
	switch name {
	case "copy", "bitcast":
		return func(idx []int, vals []int64, n int) error {
			r, err := p.loadI(0, idx, vals, n)
			if err != nil {
				return err
			}
			return p.storeI(out, idx, vals, r)
		}, nil
	case "fill":
		f, ok := in.Attrs.(*Fill)
		if !ok {
			return bad()
		}
		return func(idx []int, vals []int64, n int) error {
			r := growI(p.rowI[out], n)
			p.rowI[out] = r
			for j := range r {
				r[j] = int64(f.Bits)
			}
			return p.storeI(out, idx, vals, r)
		}, nil
	case "iota":
		v, ok := in.Attrs.(*Iota)
		if !ok {
			return bad()
		}
		vars := make([]pelican.Expr, len(p.axes))
		for i, a := range p.axes {
			vars[i] = a.Var
		}
		f, err := pelican.Compile(x.close(v.Value), vars)
		if err != nil {
			return nil, diag.Errorf(codeExec, in.Loc, "iota: %v", err)
		}
		return func(idx []int, vals []int64, n int) error {
			r := growI(p.rowI[out], n)
			p.rowI[out] = r
			last := len(vals) - 1
			for j := range r {
				if last >= 0 {
					vals[last] = p.axes[last].Lo + int64(j)*p.axes[last].Step
				}
				r[j] = f.Eval(vals)
			}
			return p.storeConverted(out, idx, vals, r, nil, dtype.I64)
		}, nil
	case "scatter":
		c, _ := in.Attrs.(*Combine)
		if c == nil {
			return bad()
		}
		return p.scatterKernel(c.Op)
	case "convert":
		return func(idx []int, vals []int64, n int) error {
			if isIntHub(t) {
				r, err := p.loadI(0, idx, vals, n)
				if err != nil {
					return err
				}
				return p.storeConverted(out, idx, vals, r, nil, t)
			}
			r, err := p.loadF(0, idx, vals, n)
			if err != nil {
				return err
			}
			return p.storeConverted(out, idx, vals, nil, r, t)
		}, nil
	case "select":
		return func(idx []int, vals []int64, n int) error {
			var r [3][]int64
			for k := range r {
				var err error
				if r[k], err = p.loadI(k, idx, vals, n); err != nil {
					return err
				}
			}
			for j := range r[1] {
				if r[0][j] == 0 {
					r[1][j] = r[2][j]
				}
			}
			return p.storeI(out, idx, vals, r[1])
		}, nil
	case "compare":
		return p.compareKernel()
	case "is_finite":
		return func(idx []int, vals []int64, n int) error {
			x, err := p.loadF(0, idx, vals, n)
			if err != nil {
				return err
			}
			r := growI(p.rowI[out], n)
			p.rowI[out] = r
			for j, v := range x {
				r[j] = 0
				if !math.IsInf(v, 0) && !math.IsNaN(v) {
					r[j] = 1
				}
			}
			return p.storeI(out, idx, vals, r)
		}, nil
	case "reduce_precision":
		a, _ := in.Attrs.(*ReducePrecision)
		if a == nil || isIntHub(t) {
			return bad()
		}
		return p.floatRows(1, func(x [3]float64) float64 { return reducePrecision(x[0], a.Exp, a.Mantissa) }), nil
	case "clamp":
		if isIntHub(t) {
			mx, mn := binaryInt["maximum"], binaryInt["minimum"]
			return p.intRows(3, func(x [3]int64) int64 { return mn(mx(x[1], x[0], w, sg), x[2], w, sg) }), nil
		}
		return p.floatRows(3, func(x [3]float64) float64 { return minNaN(maxNaN(x[1], x[0]), x[2]) }), nil
	}
	if isIntHub(t) {
		if f := unaryInt[name]; f != nil && len(in.In) == 1 {
			return p.intRows(1, func(x [3]int64) int64 { return f(x[0], w, sg) }), nil
		}
		if f := binaryInt[name]; f != nil && len(in.In) == 2 {
			return p.intRows(2, func(x [3]int64) int64 { return f(x[0], x[1], w, sg) }), nil
		}
		return bad()
	}
	if f := unaryFloat[name]; f != nil && len(in.In) == 1 {
		return p.floatRows(1, func(x [3]float64) float64 { return f(x[0]) }), nil
	}
	if f := binaryFloat[name]; f != nil && len(in.In) == 2 {
		return p.floatRows(2, func(x [3]float64) float64 { return f(x[0], x[1]) }), nil
	}
	return bad()
}

func (p *plan) intRows(ins int, f func(x [3]int64) int64) rowKernel {
	return func(idx []int, vals []int64, n int) error {
		var r [3][]int64
		for k := 0; k < ins; k++ {
			var err error
			if r[k], err = p.loadI(k, idx, vals, n); err != nil {
				return err
			}
		}
		for j := range r[0] {
			var x [3]int64
			for k := 0; k < ins; k++ {
				x[k] = r[k][j]
			}
			r[0][j] = f(x)
		}
		return p.storeI(len(p.in.In), idx, vals, r[0])
	}
}

func (p *plan) floatRows(ins int, f func(x [3]float64) float64) rowKernel {
	return func(idx []int, vals []int64, n int) error {
		var r [3][]float64
		for k := 0; k < ins; k++ {
			var err error
			if r[k], err = p.loadF(k, idx, vals, n); err != nil {
				return err
			}
		}
		for j := range r[0] {
			var x [3]float64
			for k := 0; k < ins; k++ {
				x[k] = r[k][j]
			}
			r[0][j] = f(x)
		}
		return p.storeF(len(p.in.In), idx, vals, r[0])
	}
}

// storeConverted stores integers or floats of type from in the type of access k.
func (p *plan) storeConverted(k int, idx []int, vals []int64, ints []int64, floats []float64, from dtype.Type) error {
	t := p.acc[k].t.DType
	n := len(ints) + len(floats)
	if !isIntHub(t) {
		if floats == nil {
			floats = growF(p.rowF[k], n)
			p.rowF[k] = floats
			for j, v := range ints {
				floats[j] = float64(v)
				if from == dtype.U64 {
					floats[j] = float64(uint64(v))
				}
			}
		}
		return p.storeF(k, idx, vals, floats)
	}
	r := growI(p.rowI[k], n)
	p.rowI[k] = r
	for j := range r {
		switch {
		case t == dtype.I1 && ints != nil:
			r[j] = truth(ints[j] != 0)
		case t == dtype.I1:
			r[j] = truth(floats[j] != 0)
		case ints != nil:
			r[j] = ints[j]
		default:
			r[j] = floatToInt(floats[j], t)
		}
	}
	return p.storeI(k, idx, vals, r)
}

func truth(c bool) int64 {
	if c {
		return 1
	}
	return 0
}

// floatToInt truncates and saturates; NaN gives 0.
func floatToInt(v float64, t dtype.Type) int64 {
	if math.IsNaN(v) {
		return 0
	}
	if t == dtype.U64 {
		switch {
		case v <= 0:
			return 0
		case v >= math.MaxUint64:
			return -1
		}
		return int64(uint64(v))
	}
	lo, hi := t.IntRange()
	switch {
	case v <= float64(lo):
		return lo
	case v >= float64(hi):
		return hi
	}
	return int64(v)
}

func (p *plan) compareKernel() (rowKernel, error) {
	a, _ := p.in.Attrs.(*Compare)
	if a == nil {
		return nil, diag.Errorf(codeExec, p.in.Loc, "compare without a direction")
	}
	t := p.acc[0].t.DType
	out := len(p.in.In)
	var holds func(lt, eq, un bool) bool
	switch a.Dir {
	case "EQ":
		holds = func(lt, eq, un bool) bool { return eq && !un }
	case "NE":
		holds = func(lt, eq, un bool) bool { return !eq || un }
	case "LT":
		holds = func(lt, eq, un bool) bool { return lt && !un }
	case "LE":
		holds = func(lt, eq, un bool) bool { return (lt || eq) && !un }
	case "GT":
		holds = func(lt, eq, un bool) bool { return !lt && !eq && !un }
	case "GE":
		holds = func(lt, eq, un bool) bool { return !lt && !un }
	default:
		return nil, diag.Errorf(codeExec, p.in.Loc, "compare direction %q", a.Dir)
	}
	if isIntHub(t) || a.Total {
		sg := signedInt(t)
		return func(idx []int, vals []int64, n int) error {
			x, err := p.loadI(0, idx, vals, n)
			if err != nil {
				return err
			}
			y, err := p.loadI(1, idx, vals, n)
			if err != nil {
				return err
			}
			for j := range x {
				u, v := x[j], y[j]
				if !isIntHub(t) {
					u, v = totalKey(u, t), totalKey(v, t)
					x[j] = truth(holds(u < v, u == v, false))
					continue
				}
				x[j] = truth(holds(less(u, v, sg), u == v, false))
			}
			return p.storeI(out, idx, vals, x)
		}, nil
	}
	return func(idx []int, vals []int64, n int) error {
		x, err := p.loadF(0, idx, vals, n)
		if err != nil {
			return err
		}
		y, err := p.loadF(1, idx, vals, n)
		if err != nil {
			return err
		}
		r := growI(p.rowI[out], n)
		p.rowI[out] = r
		for j := range x {
			r[j] = truth(holds(x[j] < y[j], x[j] == y[j], math.IsNaN(x[j]) || math.IsNaN(y[j])))
		}
		return p.storeI(out, idx, vals, r)
	}, nil
}

// totalKey maps the bits of a float to an integer whose order is IEEE's total order.
func totalKey(b int64, t dtype.Type) int64 {
	sh := 64 - t.Bits()
	s := b << sh >> sh
	if s < 0 {
		return s ^ int64(uint64(math.MaxUint64)>>1)
	}
	return s
}

func reducePrecision(v float64, e, m int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		return v
	}
	fr, ex := math.Frexp(v)
	scale := math.Ldexp(1, m+1)
	r := math.Ldexp(math.RoundToEven(fr*scale)/scale, ex)
	bias := 1<<(e-1) - 1
	if _, ex = math.Frexp(r); ex-1 > bias {
		return math.Copysign(math.Inf(1), v)
	}
	if ex-1 < 1-bias {
		return math.Copysign(0, v)
	}
	return r
}

// scatterKernel combines one element after the other, because points may name the same element.
func (p *plan) scatterKernel(op string) (rowKernel, error) {
	t := p.acc[0].t.DType
	if op == "" {
		return func(idx []int, vals []int64, n int) error {
			r, err := p.loadI(0, idx, vals, n)
			if err != nil {
				return err
			}
			return p.storeI(1, idx, vals, r)
		}, nil
	}
	fi, ff := binaryInt[op], binaryFloat[op]
	if isIntHub(t) && fi == nil || !isIntHub(t) && ff == nil {
		return nil, diag.Errorf(codeExec, p.in.Loc, "scatter: no interpretation of %s for element type %v", op, t)
	}
	return func(idx []int, vals []int64, n int) error {
		base, step, offs, err := p.row(1, idx, vals, n)
		if err != nil {
			return err
		}
		a := &p.acc[1]
		at := func(j int) []byte {
			o := base + j*step
			if offs != nil {
				o = offs[j]
			}
			return a.mem[o*a.size:]
		}
		if isIntHub(t) {
			r, err := p.loadI(0, idx, vals, n)
			if err != nil {
				return err
			}
			for j, v := range r {
				b := at(j)
				writeInt(b, a.size, uint64(fi(readInt(b, t), v, width(t), signedInt(t))))
			}
			return nil
		}
		r, err := p.loadF(0, idx, vals, n)
		if err != nil {
			return err
		}
		for j, v := range r {
			b := at(j)
			writeFloat(b, t, ff(readFloat(b, t), v))
		}
		return nil
	}, nil
}
