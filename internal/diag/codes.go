package diag

import "sort"

// Info is what `alca explain` says about a code.
type Info struct {
	Code  string // "HLO031"
	Title string // one line
	Text  string // what causes it and what to do; may be empty
	Alias string // the vendor's code for the same fault, "NCC_EVRF010"

	Unsupported bool // the input is fine, but alca does not do this yet
}

var infos = map[string]Info{}

// Explain registers codes. Packages call it from package variables, beside the place that uses the codes.
func Explain(rows ...Info) bool {
	for _, r := range rows {
		infos[r.Code] = r
	}
	return true
}

// LookupCode finds a code, or the code a vendor alias stands for.
func LookupCode(code string) (Info, bool) {
	if i, ok := infos[code]; ok {
		return i, true
	}
	for _, i := range Codes() {
		if i.Alias != "" && i.Alias == code {
			return i, true
		}
	}
	return Info{}, false
}

// Codes returns all registered codes in order.
func Codes() []Info {
	out := make([]Info, 0, len(infos))
	for _, i := range infos {
		out = append(out, i)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Code < out[j].Code })
	return out
}

// Families says which part of alca uses a prefix.
var Families = map[string]string{
	"DRV": "options, jobs and files",
	"HLO": "module readers, shapes, verifier, evaluator and hlo passes",
	"PEN": "penguin, the tile-and-loop level",
	"NKI": "kernels",
	"BIR": "instruction level and back end",
	"ISA": "instruction bundles",
	"NEF": "NEFF container",
	"SIM": "simulator and checkers",
	"INV": "inventory",
}
