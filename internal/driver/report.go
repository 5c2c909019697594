package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/tensor"
	"github.com/alcadev/alca/internal/walrus"
)

// RunReport is what `alca run` prints.
type RunReport struct {
	Target    string         `json:"target"`
	OptLevel  int            `json:"opt_level"`
	Inputs    string         `json:"inputs"`
	Seed      *int64         `json:"seed,omitempty"`      // of random inputs
	Outputs   []Comparison   `json:"outputs,omitempty"`   // device against evaluator
	Reference []Comparison   `json:"reference,omitempty"` // evaluator against the expected file
	Sim       sim.Stats      `json:"simulation"`
	NonFinite map[string]int `json:"non_finite,omitempty"` // elements of the device's outputs that are infinite or NaN
	Roofline  *Roofline      `json:"roofline,omitempty"`
	NEFFBytes int            `json:"neff_bytes,omitempty"`
	Compiler  *walrus.Stats  `json:"compiler,omitempty"`
	Stages    []StageTime    `json:"stages"`
	Seconds   float64        `json:"seconds"`

	work Work
	roof func() float64
}

// Roofline is the least time the program can take on the machine, and what it took.
type Roofline struct {
	Work
	Type    string  `json:"type"` // of the contractions' operands
	BoundNs float64 `json:"bound_ns"`
	Ratio   float64 `json:"ratio"` // simulated time over bound
}

func (r *RunReport) compiled(c *Compiled) {
	r.NEFFBytes, r.Compiler, r.work = len(c.NEFF), c.Stats, c.Work
	r.roof = func() float64 { return c.Spec.Roofline(c.Work.FLOPs, c.Work.Type, c.Work.IOBytes) }
}

// Passed reports whether every comparison held.
func (r *RunReport) Passed() bool {
	return differing(r.Outputs)+differing(r.Reference) == 0
}

func differing(cs []Comparison) int {
	n := 0
	for _, c := range cs {
		if !c.OK {
			n++
		}
	}
	return n
}

// countNonFinite notes which outputs hold infinities or NaN.
func (r *RunReport) countNonFinite(got map[string]*tensor.Tensor, outs []Port) {
	for _, p := range outs {
		if t := got[p.Name]; t != nil {
			if n := nonFinite(t); n > 0 {
				if r.NonFinite == nil {
					r.NonFinite = map[string]int{}
				}
				r.NonFinite[p.Name] = n
			}
		}
	}
}

// Print writes the report as text or JSON.
func (r *RunReport) Print(w io.Writer, asJSON, stats bool) error {
	if r.roof != nil {
		b := r.roof()
		r.Roofline = &Roofline{Work: r.work, Type: r.work.Type.String(), BoundNs: b}
		if b > 0 {
			r.Roofline.Ratio = r.Sim.TimeNs / b
		}
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	inputs := r.Inputs
	if r.Seed != nil {
		inputs = fmt.Sprintf("%s (seed %d)", inputs, *r.Seed)
	}
	fmt.Fprintf(w, "target %s  -O%d  inputs %s\n\n", r.Target, r.OptLevel, inputs)
	if len(r.Outputs) > 0 {
		printComparisons(w, "device against evaluator", r.Outputs)
	}
	if len(r.Reference) > 0 {
		printComparisons(w, "evaluator against expected file", r.Reference)
	}
	if len(r.Outputs) == 0 && len(r.NonFinite) > 0 {
		for _, n := range slices.Sorted(maps.Keys(r.NonFinite)) {
			fmt.Fprintf(w, "%s: %d non-finite\n", n, r.NonFinite[n])
		}
		fmt.Fprintln(w)
	}
	s := &r.Sim
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "simulated time\t%s\t(%d cycles, %d instructions)\n", duration(s.TimeNs), s.Cycles, s.Instructions)
	for _, e := range s.Engines {
		fmt.Fprintf(t, "  %s busy\t%s\t%5.1f %%\t%d cycles\n", e.Engine, duration(e.BusyNs), 100*e.Util, r.cycles(e.BusyNs))
	}
	fmt.Fprintf(t, "  DMA busy\t%s\t(sum over engines)\n", duration(s.DMABusyNs))
	fmt.Fprintf(t, "HBM traffic\t%s\t(read %s, written %s)\n", size(s.HBMRead+s.HBMWritten), size(s.HBMRead), size(s.HBMWritten))
	fmt.Fprintf(t, "PE utilisation\t%.1f %%\n", 100*s.PEUtil)
	sbuf, psum := "", ""
	if spec, err := machine.Lookup(r.Target); err == nil {
		sbuf, psum = " of "+size(int64(spec.SBUF.BytesPerPartition)), " of "+size(int64(spec.PSUM.BytesPerPartition()))
	}
	fmt.Fprintf(t, "SBUF peak\t%s%s\ta partition\n", size(int64(s.SBUFPeak)), sbuf)
	fmt.Fprintf(t, "PSUM peak\t%s%s\ta partition\n", size(int64(s.PSUMPeak)), psum)
	if err := t.Flush(); err != nil {
		return err
	}
	if stats {
		r.printStats(w)
	}
	if len(r.Outputs) > 0 {
		switch n, ref := differing(r.Outputs), differing(r.Reference); {
		case n > 0:
			fmt.Fprintf(w, "\nFAIL: %d of %d outputs differ\n", n, len(r.Outputs))
		case ref > 0:
			fmt.Fprintf(w, "\nFAIL: %d of %d outputs of the evaluator differ from the expected file\n", ref, len(r.Reference))
		default:
			fmt.Fprintf(w, "\nPASS: %d outputs verified in %.1f s\n", len(r.Outputs), r.Seconds)
		}
	}
	return nil
}

// cycles converts ns to cycles of the core clock the simulator counts in.
func (r *RunReport) cycles(ns float64) int64 {
	if r.Sim.TimeNs == 0 {
		return 0
	}
	return int64(ns*float64(r.Sim.Cycles)/r.Sim.TimeNs + 0.5)
}

func printComparisons(w io.Writer, title string, cs []Comparison) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\ttype\tmax error\t/ scale\ttolerance\tresult\n", title)
	for _, c := range cs {
		verdict := "ok"
		if !c.OK {
			verdict = "FAIL: " + c.Reason
		}
		if c.NonFinite > 0 {
			verdict += fmt.Sprintf(" (%d non-finite)", c.NonFinite)
		}
		fmt.Fprintf(t, "  %s\t%s\t%.3g\t%.3g\t%.3g\t%s\n", c.Name, c.Type, c.MaxAbs, c.Error, c.Tolerance, verdict)
	}
	t.Flush()
	fmt.Fprintln(w)
}

func (r *RunReport) printStats(w io.Writer) {
	fmt.Fprintln(w)
	if f := r.Roofline; f != nil {
		fmt.Fprintf(w, "roofline       %s = max(%.4g FLOP at the %s peak, %s of arguments and results at HBM bandwidth)\n",
			duration(f.BoundNs), f.FLOPs, f.Type, size(int64(f.IOBytes)))
		fmt.Fprintf(w, "ratio          %.2f\n", f.Ratio)
	}
	if r.NEFFBytes > 0 {
		fmt.Fprintf(w, "NEFF           %s\n", size(int64(r.NEFFBytes)))
	}
	printCompilerStats(w, r.Compiler)
	for _, s := range r.Stages {
		fmt.Fprintf(w, "%-14s %.3f s\n", s.Name, s.Duration.Seconds())
	}
}

// printCompilerStats lists what the backend did, plan by plan with its bound.
func printCompilerStats(w io.Writer, s *walrus.Stats) {
	if s == nil {
		return
	}
	var parts []string
	for _, x := range []struct {
		name string
		n    int
	}{{"dependence edges", s.Edges}, {"waits", s.Waits}, {"semaphores", s.Semaphores}, {"DMA transfers", s.Triggers},
		{"descriptors", s.Descs}, {"spilled", s.Spilled}, {"spill stores", s.Saves}, {"reloads", s.Reloads}} {
		parts = append(parts, fmt.Sprintf("%d %s", x.n, x.name))
	}
	fmt.Fprintf(w, "backend        %s\n", strings.Join(parts, ", "))
	for _, p := range s.Plans {
		fmt.Fprintf(w, "  %-24s %d %s, bound %d, gap %.1f %%\n", p.Name, p.Value, p.Unit, p.Bound, 100*p.Gap())
	}
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.2f us", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
	return fmt.Sprintf("%.3f s", ns/1e9)
}

func size(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d B", n)
	case n < 10<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 10<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func asDiag(err error, d **diag.Diagnostic) bool { return errors.As(err, d) }
