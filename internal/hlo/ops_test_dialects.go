package hlo

// The dialects of test programs (frontend.md 11.6): check states expectations, interpreter runs processes.

func check(name, doc string, in int, attrs ...AttrDef) OpDef {
	return OpDef{Name: "check." + name, Doc: doc, In: exactly(in), Traits: Effect | PerAxis, Attrs: attrs}
}

var _ = define(
	check("expect_eq", "every element equal", 2),
	check("expect_eq_const", "every element equal to a constant", 1, req("value", AttrDense)),
	check("expect_almost_eq", "every element within an absolute tolerance", 2, opt("tolerance", AttrFloat)),
	check("expect_almost_eq_const", "every element within an absolute tolerance of a constant", 1, req("value", AttrDense), opt("tolerance", AttrFloat)),
	check("expect_close", "every element within a distance in units of the last place", 2, opt("max_ulp_difference", AttrInt), opt("min_ulp_difference", AttrInt)),
	check("expect_serialized_eq", "the tensor recorded by a probe equals the operand", 1, req("probe_id", AttrString), opt("iteration", AttrInt)),
	OpDef{Name: "interpreter.run_parallel", Doc: "programs run as processes of a grid", In: atLeast(0), Out: atLeast(0), Traits: Effect,
		Attrs: []AttrDef{req("programs", AttrAny), opt("infeed", AttrAny)}},
	OpDef{Name: "interpreter.probe", Doc: "records its operand and returns it", In: exactly(1), Out: exactly(1), Traits: Effect | PerAxis,
		Attrs: []AttrDef{req("probe_id", AttrString)}, Infer: inferOperandTypes},
	OpDef{Name: "interpreter.print", Doc: "prints its operand", In: exactly(1), Traits: Effect | PerAxis},
)
