package walrus

import (
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pass"
)

var registry pass.Registry[*unit]

// passes is the table of all passes. Those that later ones rely on are required.
var passTable = []pass.Pass[*unit]{
	{Name: "full_unroll", Doc: "expand static loops, lay out branches, copy control to every sequencer", Required: true, Run: unroll},
	{Name: "legalize", Doc: "rewrite forms the generation lacks", Required: true, Run: legalize},
	{Name: "split_ap", Doc: "fit access patterns to the dimensions of their bundles", Required: true, Run: splitPatterns},
	{Name: "direct_dma", Doc: "prepare transfers with run-time addresses for a descriptor generator", Required: true, Run: directDMA},
	{Name: "tune", Doc: "try tile sizes on copies and keep the one with the fastest schedule", Run: tune},
	{Name: "apply_tuning", Doc: "cut instructions and move functions as the tuning says", Run: applyTuning},
	{Name: "alloc_psum", Doc: "give PSUM tiles their banks", Required: true, Run: allocPSUM},
	{Name: "alloc_sbuf", Doc: "place SBUF tiles, spilling to DRAM what does not fit", Required: true, Run: allocSBUF},
	{Name: "alloc_dram", Doc: "place internal DRAM tensors in one scratch area", Required: true, Run: allocDRAM},
	{Name: "alloc_reg", Doc: "number the sequencer registers", Required: true, Run: allocRegs},
	{Name: "build_deps", Doc: "compute dependences from access patterns and addresses", Required: true, Run: buildDeps},
	{Name: "post_sched", Doc: "list scheduling by critical path on the machine's cost functions", Run: schedule},
	{Name: "assign_trigger_engine", Doc: "choose the engine that starts each transfer", Required: true, Run: programOrder},
	{Name: "lower_act", Doc: "make activation tables resident before they are used", Required: true, Run: loadActTables},
	{Name: "synchronizer", Doc: "assign semaphore waits and updates", Required: true, Run: assignSync},
	{Name: "lower_dma", Doc: "turn transfers into triggers and descriptors", Required: true, Run: lowerDMA},
	{Name: "codegen", Doc: "encode instructions into bundles", Required: true, Run: codegen},
	{Name: "neff_packager", Doc: "assemble streams, descriptors, tables and debug members", Required: true, Run: packageNEFF},
}

// checks are the checkers that run behind a pass when Options.Verify is set.
var checks = map[string]func(*unit) error{
	"alloc_sbuf":   checkAllocation,
	"synchronizer": checkSync,
}

func init() {
	for _, p := range passTable {
		registry.Add(p)
	}
}

// minLevel is the optimisation level from which a pass is in the pipeline.
var minLevel = map[string]int{"post_sched": 1, "tune": 2, "apply_tuning": 2}

// Pipeline returns the names of the passes of an optimisation level in order. Level 0 keeps the program order.
func Pipeline(optLevel int) []string {
	var names []string
	for _, p := range passTable {
		if from, ok := minLevel[p.Name]; ok && optLevel < from {
			continue
		}
		names = append(names, p.Name)
	}
	return names
}

// Passes lists the backend's passes.
func Passes() []pass.Info {
	var out []pass.Info
	for _, p := range registry.List() {
		out = append(out, pass.Info{Level: "walrus", Name: p.Name, Doc: p.Doc, Required: p.Required})
	}
	return out
}

// capacityOf returns the bytes per partition the allocator may use.
func capacityOf(spec *machine.Spec, opt Options) int64 {
	c := int64(spec.SBUF.Usable())
	if opt.SBUFBudget > 0 {
		c = min(c, opt.SBUFBudget)
	}
	return c / sbufAlign * sbufAlign
}
