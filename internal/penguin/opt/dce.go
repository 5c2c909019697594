package opt

import (
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

// dce removes instructions whose result nobody reads, and tensors that nothing names. Outputs, and what a loop
// condition or a run-time index reads, stay.
func init() {
	registry.Add(pass.Pass[*penguin.Module]{Name: "penguin-dce", Doc: "remove instructions whose result nobody reads", Run: eachFunc(dce)})
}

func dce(f *penguin.Func) error {
	for {
		d := collect(f)
		gone := map[*penguin.Inst]bool{}
		for _, in := range penguin.Insts(f.Body) {
			live := false
			for _, o := range in.Out {
				if o.T.Kind&penguin.Output != 0 || d.pinned[o.T] || d.alias[o.T] {
					live = true
				}
				for _, r := range d.readers[o.T] {
					live = live || r != in
				}
			}
			if !live {
				gone[in] = true
			}
		}
		if len(gone) == 0 {
			break
		}
		remove(f, gone)
	}
	d := collect(f)
	keep := f.Tensors[:0]
	for _, t := range f.Tensors {
		if t.Kind&(penguin.Input|penguin.Output) != 0 || d.alias[t] || d.pinned[t] || len(d.readers[t])+len(d.writers[t]) > 0 {
			keep = append(keep, t)
		}
	}
	f.Tensors = keep
	return nil
}
