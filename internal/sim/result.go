package sim

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/sim/exec"
	"github.com/alcadev/alca/internal/sim/timeline"
	"github.com/alcadev/alca/internal/tensor"
)

// Options bound and observe a run.
type Options struct {
	MaxInstrs int64 // instructions issued before the run is stopped; 0 for the default
	Trace     bool  // record a slice for every instruction and transfer
	NoRaces   bool  // do not look for conflicting accesses in flight
}

// Result is what a run computed and measured.
type Result struct {
	Outputs map[string]*tensor.Tensor
	Stats   Stats
	Slices  []timeline.Slice // with Options.Trace
}

// Stats are the measurements of a run.
type Stats struct {
	TimeNs       float64       `json:"time_ns"`
	Cycles       int64         `json:"cycles"` // of the core base clock
	Instructions int64         `json:"instructions"`
	Engines      []EngineStats `json:"engines"`
	DMABusyNs    float64       `json:"dma_busy_ns"` // summed over the DMA engines
	DMABytes     int64         `json:"dma_bytes"`
	HBMRead      int64         `json:"hbm_read_bytes"`
	HBMWritten   int64         `json:"hbm_written_bytes"`
	FLOPs        float64       `json:"pe_flops"`
	PEUtil       float64       `json:"pe_utilisation"` // PE busy time over total time
	SBUFPeak     int           `json:"sbuf_peak_bytes_per_partition"`
	PSUMPeak     int           `json:"psum_peak_bytes_per_partition"`
}

// EngineStats is the load of one engine.
type EngineStats struct {
	Engine string  `json:"engine"`
	BusyNs float64 `json:"busy_ns"`
	Util   float64 `json:"utilisation"`
}

// Run executes the program. Inputs and outputs are keyed by their names at the boundary.
func (p *Program) Run(ctx context.Context, inputs map[string]*tensor.Tensor, opt Options) (*Result, error) {
	st := exec.NewState(p.spec.Gen, p.spec.SBUF.BytesPerPartition, p.spec.PSUM.BytesPerPartition())
	st.ActSets = p.actSets
	if err := p.bind(st, inputs); err != nil {
		return nil, err
	}
	tr, err := timeline.Run(ctx, p.tl, st, timeline.Options{MaxEntries: opt.MaxInstrs, Trace: opt.Trace, Races: !opt.NoRaces})
	if err != nil {
		return nil, err
	}
	res := &Result{Outputs: map[string]*tensor.Tensor{}, Slices: tr.Slices}
	for _, io := range p.file.Outputs {
		v := p.outputVar(io)
		if v == nil {
			return nil, diag.Errorf(CodeProgram, diag.Loc{}, "output %q has no variable", io.Name)
		}
		b, err := st.ReadVar(v.ID)
		if err != nil {
			return nil, err
		}
		t := &tensor.Tensor{Type: io.DType, Data: b}
		for _, d := range io.Shape {
			t.Shape = append(t.Shape, int(d))
		}
		res.Outputs[io.Name] = t
	}
	res.Stats = p.stats(tr, st)
	return res, nil
}

// outputVar finds the variable of an output; one that must share an input's buffer is that input's.
func (p *Program) outputVar(io neff.IO) *neff.Var {
	if v := p.sub.VarNamed(io.Name); v != nil && v.Kind == neff.VarOutput {
		return v
	}
	if io.Alias != "" {
		return p.sub.VarNamed(io.Alias)
	}
	return nil
}

// bind creates the DRAM variables and fills inputs and constants.
func (p *Program) bind(st *exec.State, inputs map[string]*tensor.Tensor) error {
	if err := p.CheckInputs(inputs); err != nil {
		return err
	}
	byName := map[string]neff.IO{}
	for _, io := range p.file.Inputs {
		byName[io.Name] = io
	}
	for i, v := range p.sub.Vars {
		if v.ID != i+1 {
			return diag.Errorf(CodeProgram, diag.Loc{}, "variable %q has id %d at position %d", v.Name, v.ID, i+1)
		}
		size := v.Size
		if v.Kind == neff.VarStateBuffer {
			size = 0
		}
		st.AddVar(v.Name, size)
		switch v.Kind {
		case neff.VarInput:
			t := inputs[v.Name]
			if t == nil {
				return diag.Errorf(CodeInputs, diag.Loc{}, "no value for input %q", v.Name)
			}
			if err := st.SetVar(v.ID, t.Data); err != nil {
				return err
			}
		case neff.VarFile:
			if err := st.SetVar(v.ID, v.Data); err != nil {
				return err
			}
		}
	}
	// A donated input and its output share one buffer.
	for _, io := range p.file.Outputs {
		if io.Alias == "" {
			continue
		}
		in, out := p.sub.VarNamed(io.Alias), p.sub.VarNamed(io.Name)
		if in != nil && out != nil && in != out && in.Size == out.Size {
			st.ShareVar(out.ID, in.ID)
		}
	}
	return nil
}

// CheckInputs compares inputs with the program's signature and describes all differences at once.
func (p *Program) CheckInputs(inputs map[string]*tensor.Tensor) error {
	var bad []string
	known := map[string]bool{}
	for _, io := range p.file.Inputs {
		known[io.Name] = true
		t := inputs[io.Name]
		switch {
		case t == nil:
			bad = append(bad, fmt.Sprintf("%q is missing", io.Name))
		case t.Type.Size() != io.DType.Size() || !sameDType(t.Type, io.DType) || !sameShape(t.Shape, io.Shape):
			bad = append(bad, fmt.Sprintf("%q is %s%v, must be %s%v", io.Name, t.Type, t.Shape, io.DType, io.Shape))
		}
	}
	for n := range inputs {
		if !known[n] {
			bad = append(bad, fmt.Sprintf("%q is not an input", n))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	var sig []string
	for _, io := range p.file.Inputs {
		sig = append(sig, fmt.Sprintf("%s: %s%v", io.Name, io.DType, io.Shape))
	}
	return diag.Errorf(CodeInputs, diag.Loc{}, "inputs do not match: %s", strings.Join(bad, "; ")).
		WithHint("the program takes %s", strings.Join(sig, ", "))
}

// sameDType lets predicates stand where the program stores bytes.
func sameDType(a, b dtype.Type) bool {
	norm := func(t dtype.Type) dtype.Type {
		if t == dtype.I1 {
			return dtype.U8
		}
		return t
	}
	return norm(a) == norm(b)
}

func sameShape(a []int, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if int64(a[i]) != b[i] {
			return false
		}
	}
	return true
}

func (p *Program) stats(r *timeline.Result, st *exec.State) Stats {
	end := r.End.Ns()
	s := Stats{TimeNs: end, Cycles: int64(end*p.spec.Timing.FCore + 0.5), Instructions: r.Issued, DMABusyNs: r.DMABusy.Ns(),
		DMABytes: r.DMABytes, HBMRead: r.HBMRead, HBMWritten: r.HBMWrite, FLOPs: r.FLOPs, SBUFPeak: st.Peak(exec.SBUF), PSUMPeak: st.Peak(exec.PSUM)}
	for _, e := range neff.EngineOrder {
		u := EngineStats{Engine: e.String(), BusyNs: r.Busy[e].Ns()}
		if end > 0 {
			u.Util = u.BusyNs / end
		}
		if e == machine.PE {
			s.PEUtil = u.Util
		}
		s.Engines = append(s.Engines, u)
	}
	return s
}
