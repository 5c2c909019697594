package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/sim"
)

// TestTraceOfExample holds the trace of a real program to what viewers demand: every slice says when it starts, and
// no two slices of a thread overlap, be it in part or by nesting.
func TestTraceOfExample(t *testing.T) {
	x := loadExample(t, filepath.Join("..", "..", "examples", "mlp.mlir"))
	ctx := context.Background()
	c, err := Compile(ctx, &Env{}, x.src, CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := execNEFF(ctx, c.NEFF, c.Spec, x.inputs, c.Outs, sim.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := sim.WriteTrace(&b, res.Slices); err != nil {
		t.Fatal(err)
	}
	type event struct {
		Name     string
		Ph       string
		Tid      int
		Ts       *float64
		Dur      float64
		Args     map[string]any
		from, to int64 // picoseconds
	}
	var trace struct{ TraceEvents []*event }
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	threads := map[int]string{}
	slices := map[int][]*event{}
	process, n := false, 0
	for _, e := range trace.TraceEvents {
		switch e.Name {
		case "process_name":
			process = true
		case "thread_name":
			threads[e.Tid] = e.Args["name"].(string)
		}
		if e.Ph != "X" {
			continue
		}
		if e.Ts == nil {
			t.Fatalf("slice %q of %s has no ts", e.Name, threads[e.Tid])
		}
		if e.Args["opcode"] == nil && e.Args["transfer_bytes"] == nil {
			t.Errorf("slice %q of %s names neither opcode nor bytes", e.Name, threads[e.Tid])
		}
		e.from = int64(*e.Ts*1e6 + 0.5)
		e.to = e.from + int64(e.Dur*1e6+0.5)
		slices[e.Tid] = append(slices[e.Tid], e)
		n++
	}
	if !process || n != len(res.Slices) || n < 100 {
		t.Errorf("process named: %v; %d of %d slices written", process, n, len(res.Slices))
	}
	second := false
	for tid, es := range slices {
		if threads[tid] == "" {
			t.Errorf("thread %d has no name", tid)
		}
		second = second || strings.HasSuffix(threads[tid], "(2)")
		sort.SliceStable(es, func(i, j int) bool { return es[i].from < es[j].from })
		for i := 1; i < len(es); i++ {
			if p, e := es[i-1], es[i]; e.from < p.to {
				t.Errorf("%s: %q from %d to %d ps overlaps %q from %d to %d ps", threads[tid], p.Name, p.from, p.to, e.Name, e.from, e.to)
			}
		}
	}
	if !second {
		t.Error("nothing overlaps: the program does not test the lanes")
	}
}
