package hlo

import (
	"regexp"

	"github.com/alcadev/alca/internal/dtype"
)

var _ = define(
	OpDef{Name: "stablehlo.while", Doc: "a loop: the body as long as the condition holds", In: atLeast(0), Out: atLeast(0), Traits: PerAxis, Regions: exactly(2),
		Infer: inferOperandTypes, Verify: verifyWhile},
	OpDef{Name: "stablehlo.if", Doc: "one of two regions, by a predicate", In: exactly(1), Out: atLeast(0), Traits: PerAxis, Regions: exactly(2), Verify: verifyBranches},
	OpDef{Name: "stablehlo.case", Doc: "one of several regions, by an index; the last when out of range", In: exactly(1), Out: atLeast(0), Traits: PerAxis, Regions: atLeast(1), Verify: verifyBranches},
	OpDef{Name: "stablehlo.optimization_barrier", Doc: "operands unchanged; nothing moves across", In: atLeast(0), Out: atLeast(0), Infer: inferOperandTypes},
	OpDef{Name: "stablehlo.return", Doc: "results of a region", In: atLeast(0), Traits: PerAxis | Terminator},
	OpDef{Name: "stablehlo.tuple", Doc: "a tuple of the operands", In: atLeast(0), Out: exactly(1), Traits: PerAxis | Pure, Infer: inferTuple},
	OpDef{Name: "stablehlo.get_tuple_element", Doc: "one element of a tuple", In: exactly(1), Out: exactly(1), Traits: PerAxis | Pure,
		Attrs: []AttrDef{req("index", AttrInt)}, Infer: inferTupleElement},
	OpDef{Name: "stablehlo.custom_call", Doc: "a call of something outside the language", In: atLeast(0), Out: atLeast(0), Traits: PerAxis, Attrs: []AttrDef{req("call_target_name", AttrString),
		opt("has_side_effect", AttrBool), opt("backend_config", AttrAny), opt("api_version", AttrInt), opt("called_computations", AttrAny),
		opt("operand_layouts", AttrAny), opt("result_layouts", AttrAny), opt("output_operand_aliases", AttrAny), opt("result_tilings", AttrAny)}, Verify: verifyCustomCall},
	OpDef{Name: "stablehlo.composite", Doc: "a named op with a decomposition", In: atLeast(0), Out: atLeast(0), Traits: PerAxis, Regions: atLeast(0), Attrs: []AttrDef{req("name", AttrString),
		opt("composite_attributes", AttrDict), req("decomposition", AttrSymbol), opt("version", AttrInt)}, Verify: verifyComposite},
	OpDef{Name: "stablehlo.after_all", Doc: "a token after all operand tokens", In: atLeast(0), Out: exactly(1), Infer: inferToken},
	OpDef{Name: "stablehlo.create_token", Doc: "a new token", Out: exactly(1), Infer: inferToken},
	OpDef{Name: "stablehlo.infeed", Doc: "values fed to the program while it runs", In: exactly(1), Out: atLeast(1), Traits: PerAxis | Effect,
		Attrs: []AttrDef{opt("infeed_config", AttrString), opt("layout", AttrAny)}, Verify: verifyReceived},
	OpDef{Name: "stablehlo.outfeed", Doc: "values handed out while the program runs", In: atLeast(1), Out: exactly(1), Traits: PerAxis | Effect,
		Attrs: []AttrDef{opt("outfeed_config", AttrString)}, Infer: inferToken},
	OpDef{Name: "stablehlo.trace", Doc: "a debug mark", In: exactly(1), Out: exactly(0), Traits: Effect, Attrs: []AttrDef{opt("tag", AttrString)}},
	OpDef{Name: "func.return", Doc: "results of a function", In: atLeast(0), Traits: PerAxis | Terminator},
	OpDef{Name: "func.call", Doc: "a call of a function of the module", In: atLeast(0), Out: atLeast(0), Traits: PerAxis, Attrs: []AttrDef{req("callee", AttrSymbol)}},
)

func inferToken(*Op) ([]Type, error) { return []Type{TokenType{}}, nil }

func inferTuple(o *Op) ([]Type, error) {
	t := &TupleType{}
	for _, v := range o.Operands {
		t.Elems = append(t.Elems, v.Type)
	}
	return []Type{t}, nil
}

func inferTupleElement(o *Op) ([]Type, error) {
	t, ok := o.Operands[0].Type.(*TupleType)
	if !ok {
		return nil, errf(o, CodeElem, "operand must be a tuple, not %s", TypeString(o.Operands[0].Type))
	}
	i := o.IntOr("index", -1)
	if i < 0 || i >= int64(len(t.Elems)) {
		return nil, errf(o, CodeAttr, "index is %d, the tuple has %d elements", i, len(t.Elems))
	}
	return []Type{t.Elems[i]}, nil
}

// regionArgs checks that the arguments of a region have the given types.
func regionArgs(o *Op, region int, want []*Value) error {
	if len(o.Regions[region].Blocks) != 1 {
		return errf(o, CodeRegion, "region %d must have one block", region)
	}
	args := o.Body(region).Args
	if len(args) != len(want) {
		return errf(o, CodeRegion, "region %d has %d arguments, must have %d", region, len(args), len(want))
	}
	for i, a := range args {
		if !Compatible(a.Type, want[i].Type) {
			return errf(o, CodeRegion, "region %d argument %d is %s, must be %s", region, i, TypeString(a.Type), TypeString(want[i].Type))
		}
	}
	return nil
}

// regionResults checks that a region returns the given types.
func regionResults(o *Op, region int, want []*Value) error {
	if len(o.Regions[region].Blocks) != 1 {
		return errf(o, CodeRegion, "region %d must have one block", region)
	}
	t := o.Body(region).Terminator()
	if t == nil || !t.Def.Has(Terminator) {
		return errf(o, CodeRegion, "region %d must end with a return", region)
	}
	if len(t.Operands) != len(want) {
		return errf(o, CodeRegion, "region %d returns %d values, must return %d", region, len(t.Operands), len(want))
	}
	for i, v := range t.Operands {
		if !Compatible(v.Type, want[i].Type) {
			return errf(o, CodeRegion, "region %d returns %s as value %d, must be %s", region, TypeString(v.Type), i, TypeString(want[i].Type))
		}
	}
	return nil
}

func verifyWhile(o *Op) error {
	for r := range 2 {
		if err := regionArgs(o, r, o.Operands); err != nil {
			return err
		}
	}
	t := o.Body(0).Terminator()
	if t == nil || len(t.Operands) != 1 || TensorOf(t.Operands[0]) == nil || TensorOf(t.Operands[0]).Elem != dtype.I1 || len(TensorOf(t.Operands[0]).Dims) != 0 {
		return errf(o, CodeRegion, "the condition must return one scalar i1")
	}
	return regionResults(o, 1, o.Operands)
}

func verifyBranches(o *Op) error {
	want := dtype.I1
	if o.Name() == "stablehlo.case" {
		want = dtype.I32
	}
	if t := o.In(0); t == nil || len(t.Dims) != 0 || t.Elem != want {
		return errf(o, CodeElem, "operand is %s, must be a scalar %s", TypeString(o.Operands[0].Type), want)
	}
	for r := range o.Regions {
		if err := regionArgs(o, r, nil); err != nil {
			return err
		}
		if err := regionResults(o, r, o.Results); err != nil {
			return err
		}
	}
	return nil
}

func verifyCustomCall(o *Op) error {
	if s, ok := o.Str("call_target_name"); !ok || s == "" {
		return errf(o, CodeAttr, "call_target_name is missing")
	}
	return rules(verifyCallLayouts, verifyAliases, verifyBackendConfig)(o)
}

var compositeName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z0-9_$]+)+$`)

func verifyComposite(o *Op) error {
	if s, _ := o.Str("name"); !compositeName.MatchString(s) {
		return errf(o, CodeAttr, "name is %q, must be a namespace and a name joined by a dot", s)
	}
	if _, ok := o.Attrs.Get("decomposition").(SymbolAttr); !ok {
		return errf(o, CodeAttr, "decomposition must name a function")
	}
	return nil
}

func verifyTokenLast(o *Op) error {
	if _, ok := o.Results[len(o.Results)-1].Type.(TokenType); !ok {
		return errf(o, CodeResult, "the last result must be a token")
	}
	return nil
}
