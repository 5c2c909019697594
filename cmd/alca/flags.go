package main

import (
	"github.com/spf13/pflag"

	"github.com/alcadev/alca/internal/driver"
)

// compileFlags are the flags of every command that compiles.
func compileFlags(f *pflag.FlagSet, o *driver.CompileOptions) {
	f.StringVar(&o.Target, "target", "trn2", "trn1, trn2 or trn3")
	f.IntVarP(&o.OptLevel, "opt-level", "O", 2, "optimisation level 0, 1 or 2")
	f.StringVar(&o.AutoCast, "auto-cast", "none", "compute f32 in bf16: none, matmult or all")
	f.Int64Var(&o.SBUFBudget, "sbuf-budget", 0, "bytes of a partition the allocator may use (0: all)")
	f.StringSliceVar(&o.Passes, "passes", nil, "hlo passes to run instead of the usual ones, in order")
	f.StringSliceVar(&o.Disable, "disable-pass", nil, "passes to leave out")
	f.StringVar(&o.StopAfter, "stop-after", "", "end the compilation after this pass")
	f.StringSliceVar(&o.PrintAfter, "print-after", nil, "print the IR to standard error after these passes")
	f.StringVar(&o.DumpIR, "dump-ir", "", "write the IR after every pass into this folder")
	f.BoolVar(&o.VerifyEach, "verify-each", false, "run the program after every pass and name the first that changes the result (from DMA lowering on: one check, of the NEFF)")
	f.Int64Var(&o.Seed, "seed", 0, "seed of random inputs; given, NAME.inputs.npz is not used")
}

// compileOnly lists the flags that were given and say nothing of a program that is compiled already.
func compileOnly(f *pflag.FlagSet) []string {
	var given []string
	f.Visit(func(x *pflag.Flag) {
		switch x.Name {
		case "opt-level", "auto-cast", "sbuf-budget", "passes", "disable-pass", "stop-after", "print-after", "dump-ir", "verify-each", "save":
			given = append(given, x.Name)
		}
	})
	return given
}
