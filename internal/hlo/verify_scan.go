package hlo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
)

// ScanShape describes a chlo.scan: its operands are Inputs and then carries, its results outputs and then carries.
type ScanShape struct {
	Inputs, Outputs int
	Dim             int
	Size            int64 // extent of the dimension, Dynamic when unknown
	Reverse         bool
}

// ScanOf reads a scan's segments and the extent it runs over.
func ScanOf(o *Op) (ScanShape, error) {
	s := ScanShape{Inputs: len(o.Operands), Dim: int(o.IntOr("dimension", -1)), Size: Dynamic, Reverse: o.Bool("is_reverse")}
	if seg, ok := o.Ints("operandSegmentSizes"); ok {
		if len(seg) != 2 || seg[0] < 0 || seg[1] < 0 || seg[0]+seg[1] != int64(len(o.Operands)) {
			return s, errf(o, CodeAttr, "operandSegmentSizes is %v for %d operands", seg, len(o.Operands))
		}
		s.Inputs = int(seg[0])
	}
	carries := len(o.Operands) - s.Inputs
	s.Outputs = len(o.Results) - carries
	if s.Outputs < 0 {
		return s, errf(o, CodeArity, "%d results, must have at least the %d carries", len(o.Results), carries)
	}
	if n, ok := o.Int("scan_dim_size"); ok {
		s.Size = n
	}
	for i, v := range slices.Concat(o.Operands[:s.Inputs], o.Results[:s.Outputs]) {
		t := TensorOf(v)
		if t == nil {
			return s, errf(o, CodeElem, "value %d is %s, must be a tensor", i, TypeString(v.Type))
		}
		if t.Unranked {
			continue
		}
		if s.Dim < 0 || s.Dim >= len(t.Dims) {
			return s, errf(o, CodeAttr, "dimension is %d, value %d is %s", s.Dim, i, t)
		}
		if !compatDim(s.Size, t.Dims[s.Dim]) {
			return s, errf(o, CodeShape, "value %d is %s: dim %d must be %d", i, t, s.Dim, s.Size)
		}
		s.Size = meet(s.Size, t.Dims[s.Dim])
	}
	return s, nil
}

// without is t without dimension d.
func without(t *TensorType, d int) *TensorType {
	if t.Unranked || d >= len(t.Dims) {
		return t
	}
	return like(t, slices.Delete(slices.Clone(t.Dims), d, d+1))
}

func verifyScan(o *Op) error {
	s, err := ScanOf(o)
	if err != nil {
		return err
	}
	if len(o.Regions[0].Blocks) != 1 {
		return errf(o, CodeRegion, "the region must have one block")
	}
	b := o.Body(0)
	if len(b.Args) != len(o.Operands) {
		return errf(o, CodeRegion, "the region takes %d values, must take %d", len(b.Args), len(o.Operands))
	}
	for i, v := range o.Operands {
		t := TensorOf(v)
		if t == nil {
			return errf(o, CodeElem, "operand %d is %s, must be a tensor", i, TypeString(v.Type))
		}
		if i < s.Inputs {
			t = without(t, s.Dim)
		}
		if !Compatible(t, b.Args[i].Type) {
			return errf(o, CodeRegion, "region argument %d is %s, must be %s", i, TypeString(b.Args[i].Type), t)
		}
	}
	term := b.Terminator()
	if term == nil || len(term.Operands) != len(o.Results) {
		return errf(o, CodeRegion, "the region must return %d values", len(o.Results))
	}
	for i, v := range term.Operands {
		t := TensorOf(o.Results[i])
		if t == nil {
			return errf(o, CodeElem, "result %d is %s, must be a tensor", i, TypeString(o.Results[i].Type))
		}
		if i < s.Outputs {
			t = without(t, s.Dim)
		}
		if !Compatible(v.Type, t) {
			return errf(o, CodeRegion, "the region returns %s as value %d, must return %s", TypeString(v.Type), i, t)
		}
	}
	return nil
}

func verifyConstantLike(o *Op) error {
	if err := verifySameShape(o); err != nil {
		return err
	}
	t := dtype.Invalid
	if TensorOf(o.Results[0]).Unranked {
		return errf(o, CodeResult, "result is %s, must be ranked", o.Out(0))
	}
	switch a := o.Attrs.Get("value").(type) {
	case FloatAttr:
		t = a.Type
	case IntAttr:
		t = a.Type
	case BoolAttr:
		t = dtype.I1
	}
	if r := o.Out(0); t != dtype.Invalid && r.Quant == nil && t != r.Elem {
		return errf(o, CodeElem, "value is a %s, the result holds %s", t, r.ElemString())
	}
	return nil
}

var raggedLists = regexp.MustCompile(`(\w+)_dimensions = \[([^\]]*)\]`)

// RaggedDims reads the dimension lists of a ragged_dot by name: lhs_batching, lhs_contracting, lhs_ragged, rhs_group, ...
func RaggedDims(o *Op) map[string][]int64 {
	out := map[string][]int64{}
	text, _ := o.Attrs.Get("ragged_dot_dimension_numbers").(OpaqueAttr)
	for _, m := range raggedLists.FindAllStringSubmatch(text.Text, -1) {
		for _, f := range strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if n, err := strconv.ParseInt(f, 10, 64); err == nil {
				out[m[1]] = append(out[m[1]], n)
			}
		}
	}
	return out
}

func verifyRaggedDot(o *Op) error {
	ts, err := tensors(o)
	if err != nil {
		return err
	}
	a, b, g := ts[0], ts[1], ts[2]
	d := RaggedDims(o)
	if len(d["lhs_batching"]) != len(d["rhs_batching"]) || len(d["lhs_contracting"]) != len(d["rhs_contracting"]) {
		return errf(o, CodeAttr, "batching or contracting dimensions differ in number")
	}
	if len(d["lhs_ragged"]) != 1 {
		return errf(o, CodeAttr, "there are %d ragged dimensions, must be one", len(d["lhs_ragged"]))
	}
	if err := first(checkDims(o, "lhs dimensions", slices.Concat(d["lhs_batching"], d["lhs_contracting"]), len(a.Dims)),
		checkDims(o, "lhs_ragged_dimensions", d["lhs_ragged"], len(a.Dims)),
		checkDims(o, "rhs dimensions", slices.Concat(d["rhs_batching"], d["rhs_contracting"], d["rhs_group"]), len(b.Dims))); err != nil {
		return err
	}
	for _, kind := range []string{"batching", "contracting"} {
		for i, x := range d["lhs_"+kind] {
			if y := d["rhs_"+kind][i]; !compatDim(a.Dims[x], b.Dims[y]) {
				return errf(o, CodeShape, "%s dimensions differ: lhs dim %d is %d, rhs dim %d is %d", kind, x, a.Dims[x], y, b.Dims[y])
			}
		}
	}
	r := d["lhs_ragged"][0]
	free := !contains(d["lhs_batching"], r) && !contains(d["lhs_contracting"], r)
	if n := len(d["rhs_group"]); free && n != 1 || !free && n != 0 {
		return errf(o, CodeAttr, "there are %d group dimensions: one when the ragged dimension is free, else none", n)
	}
	if len(g.Dims) == 0 || !g.Elem.IsInt() {
		return errf(o, CodeElem, "group sizes are %s, must be integers, one a group", g)
	}
	groups := g.Dims[len(g.Dims)-1]
	if free && !compatDim(groups, b.Dims[d["rhs_group"][0]]) {
		return errf(o, CodeShape, "rhs group dimension is %d, there are %d groups", b.Dims[d["rhs_group"][0]], groups)
	}
	var shape []int64
	if contains(d["lhs_contracting"], r) {
		shape = append(shape, groups)
	}
	for _, x := range d["lhs_batching"] {
		shape = append(shape, a.Dims[x])
	}
	for i, n := range a.Dims {
		if x := int64(i); !contains(d["lhs_batching"], x) && !contains(d["lhs_contracting"], x) {
			shape = append(shape, n)
		}
	}
	for i, n := range b.Dims {
		if x := int64(i); !contains(d["rhs_batching"], x) && !contains(d["rhs_contracting"], x) && !contains(d["rhs_group"], x) {
			shape = append(shape, n)
		}
	}
	if res := o.Out(0); res == nil || res.Unranked || !CompatibleShapes(res, &TensorType{Dims: shape}) {
		return errf(o, CodeResult, "result is %s, its shape must be %v", TypeString(o.Results[0].Type), shape)
	}
	// Sizes are given once, or for every line of the dimensions around the ragged one.
	if len(g.Dims) == 1 {
		return nil
	}
	var prefix []int64
	for _, x := range d["lhs_batching"] {
		if x == r {
			break
		}
		prefix = append(prefix, a.Dims[x])
	}
	switch {
	case contains(d["lhs_batching"], r):
	case contains(d["lhs_contracting"], r):
		for _, x := range d["lhs_contracting"] {
			if x == r {
				break
			}
			prefix = append(prefix, a.Dims[x])
		}
	default:
		for i := range a.Dims[:r] {
			if x := int64(i); !contains(d["lhs_batching"], x) && !contains(d["lhs_contracting"], x) {
				prefix = append(prefix, a.Dims[i])
			}
		}
	}
	want := append(prefix, groups)
	if !CompatibleShapes(g, &TensorType{Dims: want}) {
		return errf(o, CodeShape, "group sizes are %s, must have shape %v", g, want)
	}
	return nil
}

// futureOf is the spelling of the type of a value that will be there later.
func futureOf(vs []Type) string { return "!stablehlo.future<" + typeList(vs) + ">" }

// verifyAsyncStart: the region holds one collective or slice, whose results the future stands for.
func verifyAsyncStart(o *Op) error {
	if err := regionArgs(o, 0, o.Operands); err != nil {
		return err
	}
	ops := o.Body(0).Ops
	if len(ops) != 2 || !ops[1].Def.Has(Terminator) {
		return errf(o, CodeRegion, "the region must hold one op and a return")
	}
	if x := ops[0]; !x.Def.Has(Collective) && !strings.HasSuffix(x.Name(), "slice") {
		return errf(o, CodeRegion, "the region holds %s, must hold a collective or a slice", x.Name())
	}
	var types []Type
	for _, v := range ops[1].Operands {
		types = append(types, v.Type)
	}
	if got := TypeString(o.Results[0].Type); got != futureOf(types) {
		return errf(o, CodeResult, "result is %s, must be %s", got, futureOf(types))
	}
	return nil
}

func verifyAsyncDone(o *Op) error {
	var types []Type
	for _, v := range o.Results {
		types = append(types, v.Type)
	}
	if got := TypeString(o.Operands[0].Type); got != futureOf(types) {
		return errf(o, CodeResult, "operand is %s, the results make it %s", got, futureOf(types))
	}
	return nil
}
