package isel

import "github.com/alcadev/alca/internal/penguin"

// eachRun visits every maximal straight-line run of instructions of body, replaces it by what f returns, and drops
// nil entries.
func eachRun(body *[]penguin.Stmt, f func(run []*penguin.Inst) []*penguin.Inst) {
	var out []penguin.Stmt
	var run []*penguin.Inst
	flush := func() {
		if len(run) == 0 {
			return
		}
		for _, in := range f(run) {
			if in != nil {
				out = append(out, in)
			}
		}
		run = nil
	}
	for _, st := range *body {
		switch st := st.(type) {
		case *penguin.Inst:
			run = append(run, st)
			continue
		case *penguin.Scope:
			eachRun(&st.Body, f)
		case *penguin.While:
			eachRun(&st.Cond, f)
			eachRun(&st.Body, f)
		}
		flush()
		out = append(out, st)
	}
	flush()
	*body = out
}

// sharedTiles are the on-chip tensors that more than one straight-line run names.
func sharedTiles(f *penguin.Func) map[*penguin.Tensor]bool {
	first := map[*penguin.Tensor]int{}
	shared := map[*penguin.Tensor]bool{}
	n := 0
	eachRun(&f.Body, func(run []*penguin.Inst) []*penguin.Inst {
		n++
		for _, in := range run {
			for _, side := range [][]penguin.Access{in.In, in.Out} {
				for i := range side {
					t := side[i].T
					if r, ok := first[t]; ok && r != n {
						shared[t] = true
					}
					first[t] = n
				}
			}
		}
		return run
	})
	return shared
}
