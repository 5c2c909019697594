package bir

// ActSet is an activation function set: the functions whose tables one LoadActFuncSet makes resident together.
type ActSet struct {
	Name  string
	Funcs []ActFunc
}

// ActSets lists the sets in search order (semantics.md 7.4; sets without a function of table 7.5 are left out). A
// NEFF lists the sets it uses by name; LoadActFuncSet.Set is the index in that list.
var ActSets = []ActSet{
	{"exp_and_others", []ActFunc{ActExp, ActTanh}},
	{"softplus", []ActFunc{ActSoftplus}},
	{"sigmoid_and_others", []ActFunc{ActSigmoid, ActTanh, ActErf, ActArctan}},
	{"sqrt", []ActFunc{ActSqrt}},
	{"natural_log", []ActFunc{ActLn}},
	{"natural_log_exp", []ActFunc{ActLn, ActExp}},
	{"tanh_and_derivative", []ActFunc{ActTanh}},
	{"trig_and_small", []ActFunc{ActSin, ActArctan}},
	{"gelu_and_others", []ActFunc{ActDerivativeGelu, ActGelu, ActTanh}},
	{"gelu_apprx_tanh", []ActFunc{ActGeluApprxTanh, ActTanh}},
	{"gelu_apprx_sigmoid", []ActFunc{ActGeluApprxSigmoid, ActTanh}},
	{"reciprocal", []ActFunc{ActReciprocal}},
	{"reciprocal_sqrt", []ActFunc{ActRsqrt}},
	{"abs_reciprocal_sqrt", []ActFunc{ActAbsReciprocalSqrt}},
	{"mish", []ActFunc{ActMish}},
	{"erf_derivative", []ActFunc{ActDerivativeErf}},
	{"silu", []ActFunc{ActSilu, ActTanh, ActSin}},
	{"derivative_silu", []ActFunc{ActDerivativeSilu, ActTanh, ActSin}},
	{"derivative_gelu_apprx_sigmoid", []ActFunc{ActDerivativeGeluApprxSigmoid, ActTanh}},
}

// Hardwired reports whether f needs no table (isa.md 7.5).
func (v ActFunc) Hardwired() bool {
	switch v {
	case ActIdentity, ActSquare, ActRelu, ActLrelu, ActPrelu, ActSign, ActCopy, ActAbs, ActIsFinite:
		return true
	}
	return false
}

// Has reports whether f can run while the set is resident.
func (s *ActSet) Has(f ActFunc) bool {
	if f.Hardwired() {
		return true
	}
	for _, g := range s.Funcs {
		if g == f {
			return true
		}
	}
	return false
}

// FindActSet returns the set called name, or nil.
func FindActSet(name string) *ActSet {
	for i := range ActSets {
		if ActSets[i].Name == name {
			return &ActSets[i]
		}
	}
	return nil
}
