package sim_test

import (
	"context"
	"math"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/sim"
	"github.com/alcadev/alca/internal/sim/timeline"
	"github.com/alcadev/alca/internal/walrus"
)

// timed compiles g's program in program order and returns the slices of its run on spec.
func timed(t *testing.T, g *gen, spec *machine.Spec) []timeline.Slice {
	t.Helper()
	if err := bir.Verify(g.m); err != nil {
		t.Fatal(err)
	}
	in := inputsOf(1, g.m)
	file, _, err := walrus.Compile(g.m, spec, walrus.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := sim.Load(file, spec)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Run(context.Background(), in, sim.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	return res.Slices
}

// of returns the slices on tracks whose source op is op.
func of(slices []timeline.Slice, op string) (out []timeline.Slice) {
	for _, s := range slices {
		if s.Src.Op == op {
			out = append(out, s)
		}
	}
	return out
}

// loaded adds an input of type t and width w and returns the tile it is loaded to.
func (g *gen) loaded(t dtype.Type, w int64) *bir.MemLoc {
	x := g.f.NewSet(g.name("x"), bir.DRAM, bir.ExternalInput, t, 128, w)
	x.Set.IOName = x.Name
	l := g.newTile(t, w)
	g.add(bir.Load, machine.DMA, &bir.DMAAttrs{}, whole(l), bir.AP(&bir.AccessPattern{Loc: x, DType: t, Free: []bir.Dim{{Step: w, Count: 128}, {Step: 1, Count: w}}}))
	return l
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol*want {
		t.Errorf("%s: %.1f ns, want %.1f", what, got, want)
	}
}

// TestCalibration runs compiled programs and checks the timeline against the published figures the machine model is
// calibrated with.
func TestCalibration(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  *machine.Spec
		dtype dtype.Type
		n     int64
		each  float64 // start to start
		after float64 // start of the last one until a reader starts
	}{
		{"bf16 gen2", machine.Trn1, dtype.BF16, 512, 182.9, 325.7 + 30},
		{"bf16 gen2 N=128", machine.Trn1, dtype.BF16, 128, 128 / 2.8, 188.6 + 30},
		{"fp32 gen2", machine.Trn1, dtype.F32, 512, 874.2, 874.2 + 142.9 + 30},
		{"bf16 gen3", machine.Trn2, dtype.BF16, 512, 213.3, 380 + 30},
		{"fp32 gen3", machine.Trn2, dtype.F32, 512, 853.3, 1020 + 30},
		{"bf16 gen4", machine.Trn3, dtype.BF16, 512, 213.3, 380 + 30},
	} {
		t.Run("matmul "+c.name, func(t *testing.T) {
			g := newGen(1, c.spec)
			x, w := g.loaded(c.dtype, c.n), g.loaded(c.dtype, 128)
			acc := g.f.NewSet("acc", bir.PSUM, bir.Internal, dtype.F32, 128, c.n)
			const k = 8
			for i := range k {
				flags := uint8(bir.AccFlagAccumulate)
				if i == 0 {
					flags = bir.AccFlagStart
				}
				if i == k-1 {
					flags |= bir.AccFlagStop
				}
				g.add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: flags, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}}, whole(acc), bir.AP(whole(x)), bir.AP(whole(w)))
			}
			out := g.newTile(dtype.F32, c.n)
			g.add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, whole(out), bir.AP(whole(acc)))
			g.output(out)
			slices := timed(t, g, c.spec)
			var mm []timeline.Slice
			for _, s := range of(slices, "random.Matmult") {
				if s.Track == "PE" {
					mm = append(mm, s)
				}
			}
			if len(mm) < k {
				t.Fatalf("%d multiplications", len(mm))
			}
			mm = mm[len(mm)-k:] // semaphore instructions may precede the first
			near(t, "start to start", (mm[k-1].Start-mm[1].Start).Ns()/(k-2), c.each, 0.01)
			near(t, "last start to reader", (of(slices, "random.TensorCopy")[0].Start - mm[k-1].Start).Ns(), c.after, 0.01)
		})
	}

	// A chain of dependent one-element activations synchronises through the engine's own semaphore.
	g := newGen(1, machine.Trn1)
	x := g.loaded(dtype.F32, 1)
	for range 6 {
		y := g.newTile(dtype.F32, 1)
		g.add(bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: bir.ActRelu, Scale: 1}, whole(y), bir.AP(whole(x)), bir.ImmF(0))
		x = y
	}
	g.output(x)
	chain := of(timed(t, g, machine.Trn1), "random.Activation")
	near(t, "activation chain", (chain[5].Start-chain[1].Start).Ns()/4, 189.3, 0.01)

	// Transfers: data time on each engine, and from the trigger to the waiting instruction.
	for _, c := range []struct {
		name string
		spec *machine.Spec
		t    dtype.Type
		w    int64
		data float64
	}{
		{"4 MiB gen2", machine.Trn1, dtype.F32, 8192, 15428.2},
		{"4 MiB gen3", machine.Trn2, dtype.F32, 8192, 11405.6},
		{"4 MiB gen4", machine.Trn3, dtype.F32, 8192, 7951.8},
		{"short rows gen3", machine.Trn2, dtype.BF16, 128, 97.0},
	} {
		g := newGen(1, c.spec)
		x := g.loaded(c.t, c.w)
		y := g.newTile(dtype.F32, 1)
		g.add(bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: bir.AluMax}, whole(y), bir.AP(whole(x)))
		g.output(y)
		slices := timed(t, g, c.spec)
		var trigger, data, reader timeline.Slice
		for _, s := range slices {
			switch {
			case s.Src.Op == "random.Load" && s.Track == "DMA 00":
				data = s
			case s.Src.Op == "random.Load" && len(s.Track) < 4:
				trigger = s
			case s.Src.Op == "random.TensorReduce":
				reader = s
			}
		}
		near(t, c.name+": data time", (data.End - data.Start).Ns(), c.data, 0.01)
		near(t, c.name+": trigger to reader", (reader.Start - trigger.Start).Ns(), c.data+1300, 0.01)
	}
}
