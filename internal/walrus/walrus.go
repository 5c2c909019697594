package walrus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/pass"
)

// Diagnostic codes of the backend (bir.md 20 reserves the numbers from 3000 for rules without a vendor number).
const (
	CodeUnsupported = "BIR3101" // instruction or form this backend does not lower
	CodeSBUF        = "BIR3102" // does not fit the state buffer even when everything else is spilled
	CodePSUM        = "BIR3103" // does not fit the PSUM banks
	CodeHBM         = "BIR3104" // does not fit the device memory
	CodeRegisters   = "BIR3105" // more live registers than an engine has
	CodeSemaphores  = "BIR3106" // more semaphores than the core has
	CodePattern     = "BIR3107" // access pattern that no bundle or descriptor can express
	CodeShape       = "BIR3108" // operands disagree
	CodeInternal    = "BIR3190" // a broken invariant of the backend
)

var _ = diag.Explain(
	diag.Info{Code: CodeUnsupported, Title: "the backend does not lower this instruction or form"},
	diag.Info{Code: CodeSBUF, Title: "the program does not fit the state buffer", Text: "Even with everything else spilled to DRAM, one instruction's operands exceed the bytes per partition the allocator may use."},
	diag.Info{Code: CodePSUM, Title: "the accumulators do not fit the PSUM banks"},
	diag.Info{Code: CodeHBM, Title: "the tensors do not fit the device memory", Alias: "NCC_EOOM001"},
	diag.Info{Code: CodeRegisters, Title: "more live registers than an engine has"},
	diag.Info{Code: CodeSemaphores, Title: "the core has too few semaphores"},
	diag.Info{Code: CodePattern, Title: "an access pattern that no bundle or descriptor can express"},
	diag.Info{Code: CodeShape, Title: "operands of different element counts"},
	diag.Info{Code: CodeInternal, Title: "a broken invariant of the backend"},
)

// Options configure a compilation.
type Options struct {
	OptLevel int
	// SBUFBudget is the bytes per partition the allocator may use; 0: all that is usable. Instruction selection
	// need not know it: what does not fit is cut and spilled here.
	SBUFBudget int64
	// Verify checks the result of every pass that has a checker, the semaphore assignment included.
	Verify bool
	// Disable names passes to leave out. Only optional ones may be named.
	Disable []string
	// StopAfter ends the pipeline after the named pass; Compile then returns no file.
	StopAfter string
	// Observe, when not nil, is called after every pass with the module in its current state; an error ends the
	// compilation.
	Observe func(pass string, m *bir.Module) error
}

// PassStat is what one pass cost.
type PassStat struct {
	Name     string
	Duration time.Duration
	Instrs   int // in the function after the pass
}

// MarshalJSON names the unit of the duration.
func (p PassStat) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string  `json:"name"`
		Duration float64 `json:"duration_ms"`
		Instrs   int     `json:"instructions"`
	}{p.Name, pass.Millis(p.Duration), p.Instrs})
}

// EngineCounts is a number for each engine, in JSON by the engine's name.
type EngineCounts [machine.AllEngines]int

// MarshalJSON leaves out engines without any.
func (c EngineCounts) MarshalJSON() ([]byte, error) {
	m := map[string]int{}
	for e, n := range c {
		if n > 0 {
			m[machine.Engine(e).String()] = n
		}
	}
	return json.Marshal(m)
}

// PlanStat is the quality of one plan: a value, the bound no plan can beat, and the unit.
type PlanStat struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Bound int64  `json:"bound"`
	Unit  string `json:"unit"`
}

// Gap is (Value-Bound)/Bound.
func (p PlanStat) Gap() float64 {
	if p.Bound == 0 {
		return 0
	}
	return float64(p.Value-p.Bound) / float64(p.Bound)
}

// Stats reports what Compile did.
type Stats struct {
	Passes     []PassStat   `json:"passes"`
	Plans      []PlanStat   `json:"plans"`
	Spilled    int          `json:"spilled"`     // locations with at least one gap spilled
	Saves      int          `json:"spill_saves"` // spill stores inserted
	Reloads    int          `json:"reloads"`     // reloads inserted
	Semaphores int          `json:"semaphores"`
	Edges      int          `json:"dependence_edges"` // before reduction
	Waits      int          `json:"waits"`            // that remained
	EventSems  int          `json:"event_semaphores"` // stand-alone bundles
	Triggers   int          `json:"dma_transfers"`
	Descs      int          `json:"dma_descriptors"`
	Bundles    EngineCounts `json:"bundles"`
}

// unit is one function under compilation.
type unit struct {
	mod   *bir.Module
	fn    *bir.Func
	spec  *machine.Spec
	opt   Options
	stats *Stats

	// blocks are the straight-line blocks in layout order: no instruction in them has a body.
	blocks []*block

	// sbufCapacity is the bytes per partition the allocator may use.
	sbufCapacity int64
	// spillHomes are the DRAM locations made by spilling and other internal DRAM.
	tuning   tuning
	quick    bool  // a trial: less effort
	makespan int64 // estimated by the scheduler, ps
	actSets  []int // indexes into bir.ActSets, in the order of the NEFF's list
	xfers    []*xfer
	sync     *syncPlan
	code     *gen
	vars     *varTable
	out      *neff.File
}

// block is a straight-line block with its control flow made explicit.
type block struct {
	b *bir.Block
	// instrs is the program order; after scheduling, the global issue order.
	instrs []*bir.Instr
	// loops tells how many dynamic loops enclose the block: its locations live across their back edges.
	loop *loopInfo
	// term is the branch that ends the block, nil to fall through. It runs on every engine.
	term *bir.Instr
}

// loopInfo is a dynamic loop: the layout indexes of its first and last block.
type loopInfo struct {
	first, last int
	outer       *loopInfo
}

func newUnit(m *bir.Module, spec *machine.Spec, opt Options) *unit {
	return &unit{mod: m, fn: m.Funcs[0], spec: spec, opt: opt, stats: &Stats{}, sbufCapacity: capacityOf(spec, opt)}
}

// Compile lowers m for spec. It consumes m: the passes edit it in place.
func Compile(m *bir.Module, spec *machine.Spec, opt Options) (*neff.File, *Stats, error) {
	if len(m.Funcs) != 1 {
		return nil, nil, diag.Errorf(CodeUnsupported, diag.Loc{}, "module %q has %d functions; the backend compiles modules of one", m.Name, len(m.Funcs))
	}
	u := newUnit(m, spec, opt)
	passes, err := registry.Resolve(Pipeline(opt.OptLevel))
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	stopped, err := pass.Run(context.Background(), passes, u, pass.Options[*unit]{
		Level: "walrus", Disable: opt.Disable, StopAfter: opt.StopAfter,
		After: func(name string, u *unit) error {
			u.stats.Passes = append(u.stats.Passes, PassStat{name, time.Since(start), u.count()})
			if check := checks[name]; check != nil && opt.Verify {
				if err := check(u); err != nil {
					return err
				}
			}
			if opt.Observe != nil {
				u.publish()
				if err := opt.Observe(name, m); err != nil {
					return err
				}
			}
			start = time.Now()
			return nil
		},
	})
	if err != nil {
		return nil, u.stats, err
	}
	if stopped {
		u.publish()
		return nil, u.stats, nil
	}
	return u.out, u.stats, nil
}

func (u *unit) count() int {
	n := 0
	for _, b := range u.blocks {
		n += len(b.instrs)
	}
	return n
}

// publish writes the working blocks back into the function, for printers and the BIR simulator.
func (u *unit) publish() {
	if u.blocks == nil {
		return
	}
	u.fn.Blocks = u.fn.Blocks[:0]
	for _, b := range u.blocks {
		b.b.Instrs = append(b.b.Instrs[:0], b.instrs...)
		if b.term != nil {
			b.b.Instrs = append(b.b.Instrs, b.term)
		}
		u.fn.Blocks = append(u.fn.Blocks, b.b)
	}
}

func (u *unit) plan(name string, value, bound int64, unit string) {
	u.stats.Plans = append(u.stats.Plans, PlanStat{name, value, bound, unit})
}

func locOf(in *bir.Instr) diag.Loc {
	if in.Debug != nil {
		return in.Debug.Loc
	}
	return diag.Loc{}
}

func unsupported(in *bir.Instr, format string, args ...any) error {
	return diag.Errorf(CodeUnsupported, locOf(in), "%s: %s: %s", in.NameOf(), in.Op, fmt.Sprintf(format, args...))
}

func internalf(format string, args ...any) error {
	return diag.Internalf(CodeInternal, diag.Loc{}, format, args...)
}
