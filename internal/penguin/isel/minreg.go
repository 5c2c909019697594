package isel

import (
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
)

// minreg reorders straight-line code so that fewer bytes per partition are alive at once (penguin.md 14.3). Units are
// instructions, the matmuls of one accumulation group being one; edges keep every read after the write it sees and
// every write after the reads and writes before it. A list scheduler picks the ready unit that adds least
//
//	(bytes it defines - bytes it is the last to use, then producers whose consumer waits for them, then source order)
//
// The order is used only where the code as written would not fit and the new one is better: engines like loads early,
// and the back end allocates in this order.
func minreg(m *penguin.Module, spec *machine.Spec, o Options) error {
	budget := int64(spec.SBUF.Usable())
	if o.SBUFBudget > 0 {
		budget = min(budget, o.SBUFBudget)
	}
	for _, f := range m.Funcs {
		shared := sharedTiles(f)
		eachRun(&f.Body, func(run []*penguin.Inst) []*penguin.Inst {
			before := peakBytes(run, shared)
			if before <= budget*3/4 || len(run) > maxMinreg {
				return run
			}
			if next := minregOrder(run, shared); peakBytes(next, shared) < before {
				return next
			}
			return run
		})
	}
	return nil
}

// maxMinreg bounds the code a run may have: the ready list is scanned for every unit.
const maxMinreg = 20000

// liveSize is what a tensor takes of a partition while it is alive, 0 for DRAM and for helper tiles.
func liveSize(t *penguin.Tensor, shared map[*penguin.Tensor]bool) int64 {
	if t.Space == penguin.DRAM || shared[t] {
		return 0
	}
	n := int64(t.DType.Size())
	for _, d := range t.Shape[1:] {
		n *= d
	}
	return n
}

// peakBytes is the most SBUF and PSUM bytes per partition alive between two instructions of run.
func peakBytes(run []*penguin.Inst, shared map[*penguin.Tensor]bool) int64 {
	last := map[*penguin.Tensor]int{}
	for i, in := range run {
		eachTensor(in, func(t *penguin.Tensor) { last[t] = i })
	}
	live, peak := int64(0), int64(0)
	seen := map[*penguin.Tensor]bool{}
	for i, in := range run {
		var dead int64
		eachTensor(in, func(t *penguin.Tensor) {
			if !seen[t] {
				seen[t] = true
				live += liveSize(t, shared)
			}
			if last[t] == i {
				dead += liveSize(t, shared)
				last[t] = -1
			}
		})
		peak = max(peak, live)
		live -= dead
	}
	return peak
}

func eachTensor(in *penguin.Inst, f func(t *penguin.Tensor)) {
	for _, side := range [][]penguin.Access{in.Out, in.In} {
		for i := range side {
			f(side[i].T)
			for _, x := range side[i].Ind {
				f(x.Index)
			}
		}
	}
}

// unit is what minregOrder moves as one.
type unit struct {
	ins   []*penguin.Inst
	succ  []int
	preds int
	prio  int
	users []*penguin.Tensor // tensors it touches, each once
}

func minregOrder(run []*penguin.Inst, shared map[*penguin.Tensor]bool) []*penguin.Inst {
	units := units(run)
	link(units)
	left := map[*penguin.Tensor]int{} // units still to come that touch it
	for _, u := range units {
		for _, t := range u.users {
			left[t]++
		}
	}
	live := map[*penguin.Tensor]bool{}
	pressure := func(u *unit) int64 {
		d := int64(0)
		for _, t := range u.users {
			if !live[t] {
				d += liveSize(t, shared)
			}
			if left[t] == 1 {
				d -= liveSize(t, shared)
			}
		}
		return d
	}
	pred := make([][]int, len(units))
	for i, u := range units {
		for _, s := range u.succ {
			pred[s] = append(pred[s], i)
		}
	}
	var ready []int
	for i, u := range units {
		if u.preds == 0 {
			ready = append(ready, i)
		}
	}
	var out []*penguin.Inst
	for len(ready) > 0 {
		best, bestD := 0, pressure(units[ready[0]])
		for k := 1; k < len(ready); k++ {
			d := pressure(units[ready[k]])
			a, b := units[ready[k]], units[ready[best]]
			if d < bestD || d == bestD && (a.prio > b.prio || a.prio == b.prio && ready[k] < ready[best]) {
				best, bestD = k, d
			}
		}
		i := ready[best]
		ready = append(ready[:best], ready[best+1:]...)
		u := units[i]
		out = append(out, u.ins...)
		for _, t := range u.users {
			live[t] = true
			left[t]--
		}
		for _, s := range u.succ {
			v := units[s]
			if v.preds--; v.preds == 0 {
				ready = append(ready, s)
			}
			for _, q := range pred[s] {
				units[q].prio++
			}
		}
	}
	return out
}

// units groups the matmuls of an accumulation group; everything else stands alone.
func units(run []*penguin.Inst) []*unit {
	var out []*unit
	open := map[*penguin.Tensor]*unit{}
	for _, in := range run {
		if in.Op.Name == "matmul" {
			t := in.Out[0].T
			if u := open[t]; u != nil && isa(in).Flags&1 == 0 {
				u.ins = append(u.ins, in)
			} else {
				u := &unit{ins: []*penguin.Inst{in}}
				open[t] = u
				out = append(out, u)
			}
			if isa(in).Flags&2 != 0 {
				delete(open, t)
			}
			continue
		}
		out = append(out, &unit{ins: []*penguin.Inst{in}})
	}
	for _, u := range out {
		seen := map[*penguin.Tensor]bool{}
		for _, in := range u.ins {
			eachTensor(in, func(t *penguin.Tensor) {
				if !seen[t] {
					seen[t] = true
					u.users = append(u.users, t)
				}
			})
		}
	}
	return out
}

// link adds the edges between units.
func link(units []*unit) {
	type use struct {
		u     int
		a     *penguin.Access
		write bool
	}
	seen := map[*penguin.Tensor][]use{}
	edges := map[[2]int]bool{}
	for i, u := range units {
		var mine []use
		visit := func(a *penguin.Access, write bool) {
			for _, w := range seen[a.T] {
				if (write || w.write) && w.u != i && (len(a.Ind) > 0 || len(w.a.Ind) > 0 || a.Tile == nil || w.a.Tile == nil || overlap(a, w.a)) && !edges[[2]int{w.u, i}] {
					edges[[2]int{w.u, i}] = true
					units[w.u].succ = append(units[w.u].succ, i)
					u.preds++
				}
			}
			mine = append(mine, use{i, a, write})
		}
		for _, in := range u.ins {
			for k := range in.In {
				visit(&in.In[k], false)
				for _, x := range in.In[k].Ind {
					visit(&penguin.Access{T: x.Index}, false)
				}
			}
			for k := range in.Out {
				visit(&in.Out[k], true)
				for _, x := range in.Out[k].Ind {
					visit(&penguin.Access{T: x.Index}, false)
				}
			}
		}
		for _, m := range mine {
			seen[m.a.T] = append(seen[m.a.T], m)
		}
	}
}
