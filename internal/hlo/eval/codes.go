package eval

// Diagnostic codes of the evaluator.
const (
	CodeNoFunc      = "HLO300" // no function to evaluate
	CodeArgs        = "HLO301" // arguments do not fit the parameters
	CodeUnsupported = "HLO302" // op without a kernel
	CodeMemory      = "HLO303" // result larger than the limit
	CodeDepth       = "HLO304" // calls nest too deeply
	CodeCheck       = "HLO305" // a check failed
	CodeElem        = "HLO306" // element type without a rule
	CodeShape       = "HLO307" // run-time shapes do not fit
	CodeAssertion   = "HLO308" // a shape assertion failed
	CodeRefine      = "HLO309" // a shape cannot be refined
	CodeParallel    = "HLO310" // processes of a grid do not fit together
	CodeInternal    = "HLO399"
)
