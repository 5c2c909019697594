package penguin

import "sort"

// Group sorts the op-level rows by what their comprehension does.
type Group uint8

const (
	Move        Group = iota + 1 // bytes from an access to an access
	Source                       // no tensor operand
	Elementwise                  // a function of one element of each operand
	Reduction                    // folds the reduced axes
	Contraction                  // multiplies and sums over the reduced axes
	Update                       // reads and writes its output
)

// opRows are the op-level rows. Elementwise rows are called as their StableHLO op. Every row's meaning is given for
// one point of the parallel axes; in0, in1 are the elements that the accesses name there.
var opRows = []OpDef{
	{Name: "copy", Group: Move, Ins: 1, Doc: "out = in0, element types equal"},
	{Name: "bitcast", Group: Move, Ins: 1, Doc: "out has the bits of in0, element types of equal size"},
	{Name: "fill", Group: Source, New: func() Attrs { return new(Fill) }, Doc: "out = Fill.Bits"},
	{Name: "iota", Group: Source, New: func() Attrs { return new(Iota) }, Doc: "out = Iota.Value, converted"},

	{Name: "convert", Group: Elementwise, Ins: 1, Doc: "value conversion: float to int truncates and saturates (NaN 0), int to int wraps, to i1 is x != 0"},
	{Name: "reduce_precision", Group: Elementwise, Ins: 1, New: func() Attrs { return new(ReducePrecision) }, Doc: "round to fewer exponent and mantissa bits"},
	{Name: "negate", Group: Elementwise, Ins: 1, Doc: "-x, ints wrap"},
	{Name: "abs", Group: Elementwise, Ins: 1, Doc: "|x|, the least int keeps its value"},
	{Name: "sign", Group: Elementwise, Ins: 1, Doc: "-1, 0 or 1; float zeros and NaN stay"},
	{Name: "floor", Group: Elementwise, Ins: 1, Doc: "greatest integer not above x"},
	{Name: "ceil", Group: Elementwise, Ins: 1, Doc: "least integer not below x"},
	{Name: "round_nearest_even", Group: Elementwise, Ins: 1, Doc: "nearest integer, ties to even"},
	{Name: "round_nearest_afz", Group: Elementwise, Ins: 1, Doc: "nearest integer, ties away from zero"},
	{Name: "exponential", Group: Elementwise, Ins: 1, Doc: "e^x"},
	{Name: "exponential_minus_one", Group: Elementwise, Ins: 1, Doc: "e^x - 1, accurate near 0"},
	{Name: "log", Group: Elementwise, Ins: 1, Doc: "natural logarithm"},
	{Name: "log_plus_one", Group: Elementwise, Ins: 1, Doc: "log(1 + x), accurate near 0"},
	{Name: "logistic", Group: Elementwise, Ins: 1, Doc: "1 / (1 + e^-x)"},
	{Name: "tanh", Group: Elementwise, Ins: 1, Doc: "hyperbolic tangent"},
	{Name: "sqrt", Group: Elementwise, Ins: 1, Doc: "square root"},
	{Name: "rsqrt", Group: Elementwise, Ins: 1, Doc: "1 / sqrt(x)"},
	{Name: "cbrt", Group: Elementwise, Ins: 1, Doc: "cube root, sign kept"},
	{Name: "sine", Group: Elementwise, Ins: 1, Doc: "sine"},
	{Name: "cosine", Group: Elementwise, Ins: 1, Doc: "cosine"},
	{Name: "tan", Group: Elementwise, Ins: 1, Doc: "tangent"},
	{Name: "gelu_tanh", Group: Elementwise, Ins: 1, Doc: "x/2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 x^3)))"},
	{Name: "erf", Group: Elementwise, Ins: 1, Doc: "error function"},
	{Name: "is_finite", Group: Elementwise, Ins: 1, Doc: "i1: neither infinite nor NaN"},
	{Name: "not", Group: Elementwise, Ins: 1, Doc: "logical on i1, bitwise on ints"},
	{Name: "popcnt", Group: Elementwise, Ins: 1, Doc: "number of set bits"},
	{Name: "count_leading_zeros", Group: Elementwise, Ins: 1, Doc: "number of clear bits above the highest set one"},

	{Name: "add", Group: Elementwise, Ins: 2, Doc: "sum; ints wrap, i1 or"},
	{Name: "subtract", Group: Elementwise, Ins: 2, Doc: "difference; ints wrap"},
	{Name: "multiply", Group: Elementwise, Ins: 2, Doc: "product; ints wrap, i1 and"},
	{Name: "divide", Group: Elementwise, Ins: 2, Doc: "quotient; ints truncate, x/0 = -1 (all ones), least/-1 = least"},
	{Name: "remainder", Group: Elementwise, Ins: 2, Doc: "sign of in0; ints: x%0 = x, least%-1 = 0"},
	{Name: "maximum", Group: Elementwise, Ins: 2, Doc: "greater one, NaN if either is; i1 or"},
	{Name: "minimum", Group: Elementwise, Ins: 2, Doc: "smaller one, NaN if either is; i1 and"},
	{Name: "power", Group: Elementwise, Ins: 2, Doc: "in0^in1; ints wrap, a negative exponent gives 0 except for bases 1 and -1"},
	{Name: "atan2", Group: Elementwise, Ins: 2, Doc: "angle of (x = in1, y = in0)"},
	{Name: "and", Group: Elementwise, Ins: 2, Doc: "bitwise and"},
	{Name: "or", Group: Elementwise, Ins: 2, Doc: "bitwise or"},
	{Name: "xor", Group: Elementwise, Ins: 2, Doc: "bitwise exclusive or"},
	{Name: "shift_left", Group: Elementwise, Ins: 2, Doc: "amounts of the width and above (unsigned) give 0"},
	{Name: "shift_right_logical", Group: Elementwise, Ins: 2, Doc: "amounts of the width and above (unsigned) give 0"},
	{Name: "shift_right_arithmetic", Group: Elementwise, Ins: 2, Doc: "amounts of the width and above (unsigned) give the sign"},
	{Name: "compare", Group: Elementwise, Ins: 2, New: func() Attrs { return new(Compare) }, Doc: "i1: in0 Dir in1"},
	{Name: "select", Group: Elementwise, Ins: 3, Doc: "in0 != 0 ? in1 : in2"},
	{Name: "clamp", Group: Elementwise, Ins: 3, Doc: "minimum(maximum(in1, in0), in2)"},

	{Name: "reduce", Group: Reduction, Ins: 1, MaxIns: 2, New: func() Attrs { return new(Combine) }, Doc: "out = in0 combined over the reduced axes, then with in1 (a parallel access) if there is one"},
	{Name: "contract", Group: Contraction, Ins: 2, Doc: "out = sum of in0 * in1 over the reduced axes; floats accumulate in fp32, ints wrap"},
	{Name: "scatter", Group: Update, Ins: 1, New: func() Attrs { return new(Combine) }, Doc: "out = out combined with in0, points in lexicographic order of the axes"},
}

var opTable = map[string]*OpDef{}

func init() {
	for i := range opRows {
		opTable[opRows[i].Name] = &opRows[i]
	}
}

// Op returns the op-level row of a name, or nil.
func Op(name string) *OpDef { return opTable[name] }

// Ops returns the op-level rows sorted by name.
func Ops() []*OpDef {
	out := make([]*OpDef, len(opRows))
	for i := range opRows {
		out[i] = &opRows[i]
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// IsCombine reports whether name can join the values of a reduction.
func IsCombine(name string) bool {
	switch name {
	case "add", "multiply", "maximum", "minimum", "and", "or", "xor":
		return true
	}
	return false
}
