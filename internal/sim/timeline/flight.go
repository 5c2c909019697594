package timeline

import (
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim/exec"
)

// flight is an instruction or transfer between its start and its completion. Its data effect is applied at the
// start, so anything that touches its output before it is done, or overwrites its input, would see another
// order on hardware: that is a race.
type flight struct {
	who    string
	eng    machine.Engine
	src    Source
	reads  []exec.Region
	writes []exec.Region
	until  Ps
}

// regions lists what an instruction reads and writes.
func regions(in *exec.Instr) (reads, writes []exec.Region) {
	for i := range in.In {
		reads = append(reads, in.In[i].Region())
	}
	for i := range in.S {
		if in.S[i].Kind == exec.Pointer {
			reads = append(reads, in.S[i].Ptr.Region())
		}
	}
	for i := range in.Out {
		writes = append(writes, in.Out[i].Region())
	}
	return reads, writes
}

// runData executes a data-path instruction and keeps it in the air until it is done.
func (r *runner) runData(e *engine, en *Entry, start, latency Ps) error {
	in := en.Data
	if r.opt.Races {
		reads, writes := regions(in)
		if en.Kind == LoadWeights {
			writes = nil
		}
		f := &flight{who: e.id.String(), eng: e.id, src: en.Src, reads: reads, writes: writes, until: max(e.done, start+latency)}
		if err := r.launch(f); err != nil {
			return err
		}
	}
	if en.Kind == LoadWeights {
		return r.st.LoadStationary(in, &in.In[0])
	}
	if en.Kind == Multiply {
		r.res.FLOPs += 2 * float64(in.K) * float64(in.M) * float64(in.In[0].N)
	}
	in = r.bind(e, in)
	return r.st.Run(in)
}

// bind replaces register operands by their values.
func (r *runner) bind(e *engine, in *exec.Instr) *exec.Instr {
	dyn := false
	for i := range in.S {
		dyn = dyn || in.S[i].Kind == exec.Register
	}
	if !dyn {
		return in
	}
	c := *in
	for i := range c.S {
		if c.S[i].Kind == exec.Register {
			c.S[i].Value = uint32(e.regs[c.S[i].Value&63])
		}
	}
	return &c
}

// launch checks f against everything in the air, then adds it.
func (r *runner) launch(f *flight) error {
	for _, g := range r.inAir {
		if g.eng == f.eng && g.eng != machine.DMA {
			continue // one engine's data path keeps its order
		}
		if k := conflict(f, g); k != "" {
			return diag.Errorf(CodeRace, f.src.Loc, "race: %s %s starts at %.1f ns and %s %s, which is in flight until %.1f ns", f.who, f.src.Op, r.now.Ns(), k, describe(g), g.until.Ns()).
				WithNote(g.src.Loc, "the other instruction: %s", describe(g)).
				WithHint("a semaphore wait between the two is missing")
		}
	}
	r.inAir = append(r.inAir, f)
	r.post(&event{at: f.until, kind: evRetire, fl: f})
	return nil
}

func describe(f *flight) string {
	if f.src.Op == "" {
		return f.who
	}
	return f.who + " (" + f.src.Op + ")"
}

// conflict names how f collides with g, or returns "".
func conflict(f, g *flight) string {
	for i := range f.reads {
		for j := range g.writes {
			if f.reads[i].Overlaps(&g.writes[j]) {
				return "reads what is written by"
			}
		}
	}
	for i := range f.writes {
		for j := range g.writes {
			if f.writes[i].Overlaps(&g.writes[j]) {
				return "writes what is written by"
			}
		}
		for j := range g.reads {
			if f.writes[i].Overlaps(&g.reads[j]) {
				return "overwrites what is read by"
			}
		}
	}
	return ""
}

func (r *runner) retire(f *flight) {
	for i, g := range r.inAir {
		if g == f {
			r.inAir = append(r.inAir[:i], r.inAir[i+1:]...)
			return
		}
	}
}
