package hlo

import "fmt"

// InputNames returns the names by which a caller passes the arguments of f: the name of the parameter's
// location where it has one of its own, else input<i>.
func (f *Func) InputNames() []string {
	count := map[string]int{}
	for _, p := range f.Params {
		count[p.Name]++
	}
	out := make([]string, len(f.Params))
	for i, p := range f.Params {
		if p.Name != "" && count[p.Name] == 1 {
			out[i] = p.Name
		} else {
			out[i] = fmt.Sprintf("input%d", i)
		}
	}
	return out
}

// OutputNames returns the names of the results of f: output<i>.
func (f *Func) OutputNames() []string {
	out := make([]string, len(f.Results))
	for i := range out {
		out[i] = fmt.Sprintf("output%d", i)
	}
	return out
}
