package hlo

import (
	"slices"

	"github.com/alcadev/alca/internal/dtype"
)

// verifyCallLayouts checks custom_call's layouts: none, or one for every operand and result.
func verifyCallLayouts(o *Op) error {
	ins, ok := o.Attrs.Get("operand_layouts").(ArrayAttr)
	outs, ok2 := o.Attrs.Get("result_layouts").(ArrayAttr)
	if !ok && !ok2 {
		return nil
	}
	results := make([]Type, len(o.Results))
	for i, v := range o.Results {
		results[i] = v.Type
	}
	if len(results) == 1 {
		if t, ok := results[0].(*TupleType); ok {
			results = t.Elems
		}
	}
	operands := make([]Type, len(o.Operands))
	for i, v := range o.Operands {
		operands[i] = v.Type
	}
	// An empty list is the default, which writers leave out.
	if !ok && len(operands) > 0 || !ok2 && len(results) > 0 {
		return errf(o, CodeAttr, "operand_layouts and result_layouts must be given together")
	}
	if err := layouts(o, "operand", operands, ins.Elems); err != nil {
		return err
	}
	return layouts(o, "result", results, outs.Elems)
}

func layouts(o *Op, what string, types []Type, attrs []Attr) error {
	if len(types) != len(attrs) {
		return errf(o, CodeAttr, "%d %s layouts for %d %ss", len(attrs), what, len(types), what)
	}
	for i, a := range attrs {
		var l []int64
		switch d := a.(type) {
		case *DenseAttr:
			l = d.Ints()
		case DenseArrayAttr:
			l = d.Values
		default:
			continue
		}
		if _, ok := types[i].(*TupleType); ok {
			return errf(o, CodeAttr, "%s %d is a tuple, which cannot have a layout", what, i)
		}
		t, ok := types[i].(*TensorType)
		if !ok {
			if len(l) > 0 {
				return errf(o, CodeAttr, "%s %d of type %s cannot have a layout", what, i, TypeString(types[i]))
			}
			continue
		}
		if t.Unranked {
			continue
		}
		sorted := slices.Clone(l)
		slices.Sort(sorted)
		for k, d := range sorted {
			if int64(k) != d || len(l) != len(t.Dims) {
				return errf(o, CodeAttr, "layout %v of %s %d is not a permutation of the dimensions of %s", l, what, i, t)
			}
		}
		if len(l) != len(t.Dims) {
			return errf(o, CodeAttr, "layout %v of %s %d is not a permutation of the dimensions of %s", l, what, i, t)
		}
	}
	return nil
}

// verifyAliases checks that every result that shares an operand's memory has its type.
func verifyAliases(o *Op) error {
	list, ok := o.Attrs.Get("output_operand_aliases").(ArrayAttr)
	if !ok {
		return nil
	}
	for _, e := range list.Elems {
		a, ok := e.(*OutputOperandAlias)
		if !ok {
			return errf(o, CodeAttr, "output_operand_aliases must hold output_operand_alias attributes")
		}
		if a.Operand < 0 || a.Operand >= int64(len(o.Operands)) {
			return errf(o, CodeAttr, "output_operand_aliases names operand %d of %d", a.Operand, len(o.Operands))
		}
		in, ok := part(o.Operands[a.Operand].Type, a.OperandTuple)
		if !ok {
			return errf(o, CodeAttr, "operand_tuple_indices %v do not fit %s", a.OperandTuple, TypeString(o.Operands[a.Operand].Type))
		}
		var whole Type = &TupleType{}
		if len(o.Results) == 1 {
			whole = o.Results[0].Type
		} else {
			t := &TupleType{}
			for _, r := range o.Results {
				t.Elems = append(t.Elems, r.Type)
			}
			whole = t
		}
		out, ok := part(whole, a.OutputTuple)
		if !ok {
			return errf(o, CodeAttr, "output_tuple_indices %v do not fit %s", a.OutputTuple, TypeString(whole))
		}
		_, opaque1 := in.(OpaqueType) // such as HLO's buffers
		_, opaque2 := out.(OpaqueType)
		if !opaque1 && !opaque2 && !Compatible(in, out) {
			return errf(o, CodeAttr, "output_operand_aliases joins %s and %s", TypeString(in), TypeString(out))
		}
	}
	return nil
}

// part follows tuple indices.
func part(t Type, path []int64) (Type, bool) {
	for _, i := range path {
		u, ok := t.(*TupleType)
		if !ok || i < 0 || i >= int64(len(u.Elems)) {
			return nil, false
		}
		t = u.Elems[i]
	}
	return t, true
}

// typedFFI is the version of the calling convention whose configuration is a dictionary.
const typedFFI = 4

func verifyBackendConfig(o *Op) error {
	c := o.Attrs.Get("backend_config")
	if c == nil {
		return nil
	}
	_, dict := c.(DictAttr)
	_, text := c.(StringAttr)
	// HLO holds the dictionary of a typed call as text, and programs imported from it keep that.
	if v := o.IntOr("api_version", 1); !text && !(dict && v == typedFFI) {
		return errf(o, CodeAttr, "backend_config must be a string, or a dictionary with api_version %d, not with %d", typedFFI, v)
	}
	return nil
}

// constInts returns the elements of an operand that a constant op defines.
func constInts(v *Value) ([]int64, bool) {
	if v.Def == nil || v.Def.Name() != "stablehlo.constant" {
		return nil, false
	}
	d, ok := v.Def.Attrs.Get("value").(*DenseAttr)
	if !ok || d.Type.Quant != nil || !(d.Type.Elem.IsInt() || d.Type.Elem == dtype.I1) {
		return nil, false
	}
	if n, ok := d.Type.NumElements(); !ok || n > 1<<16 {
		return nil, false
	}
	return d.Ints(), true
}

// verifyConstShape compares a constant shape operand with the result's extents.
func verifyConstShape(o *Op, i int) error {
	r := o.Out(0)
	dims, ok := constInts(o.Operands[i])
	if !ok || r == nil || r.Unranked {
		return nil
	}
	for k, d := range dims {
		if d < 0 || k < len(r.Dims) && !compatDim(d, r.Dims[k]) {
			return errf(o, CodeShape, "operand %d holds the shape %v, the result is %s", i, dims, r)
		}
	}
	return nil
}
