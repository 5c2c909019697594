package isel

import (
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// scalarConst adds a scalar constant.
func (p *prog) scalarConst(v float32) penguin.Access {
	t := p.tensor("c", dtype.F32, penguin.Const)
	t.Name = "c" + string(rune('a'+len(p.f.Tensors)))
	t.Init = tensor.New(dtype.F32)
	dtype.RowFromF32(t.Init.Data, []float32{v}, dtype.F32)
	return penguin.Access{T: t}
}

// TestPeephole selects small chains over x[128, 200] and compares the compute instructions before and after.
func TestPeephole(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		build               func(p *prog, x, y *penguin.Tensor)
	}{
		{"two scalar steps", "ts ts", "ts", func(p *prog, x, y *penguin.Tensor) {
			ax, v := axes(128, 200)
			m := p.tensor("m", dtype.F32, 0, 128, 200)
			p.inst("multiply", ax, 0, acc(m, v...), acc(x, v...), p.scalarConst(3))
			p.inst("add", ax, 0, acc(y, v...), acc(m, v...), p.scalarConst(1))
		}},
		{"a value with two readers stays", "ts ts tt", "ts stt", func(p *prog, x, y *penguin.Tensor) {
			ax, v := axes(128, 200)
			m := p.tensor("m", dtype.F32, 0, 128, 200)
			k := p.tensor("k", dtype.F32, 0, 128, 200)
			p.inst("multiply", ax, 0, acc(m, v...), acc(x, v...), p.scalarConst(3))
			p.inst("maximum", ax, 0, acc(k, v...), acc(m, v...), p.scalarConst(1))
			p.inst("add", ax, 0, acc(y, v...), acc(m, v...), acc(k, v...))
		}},
		{"scale and bias of an activation", "ts ts act", "act", func(p *prog, x, y *penguin.Tensor) {
			ax, v := axes(128, 200)
			m := p.tensor("m", dtype.F32, 0, 128, 200)
			k := p.tensor("k", dtype.F32, 0, 128, 200)
			p.inst("multiply", ax, 0, acc(m, v...), acc(x, v...), p.scalarConst(3))
			p.inst("add", ax, 0, acc(k, v...), acc(m, v...), p.scalarConst(1))
			p.inst("tanh", ax, 0, acc(y, v...), acc(k, v...))
		}},
		{"row softmax numerator", "red ts act red ts", "red act ts", func(p *prog, x, y *penguin.Tensor) {
			ax, v := axes(128, 200)
			mx := p.tensor("mx", dtype.F32, 0, 128)
			s := p.tensor("s", dtype.F32, 0, 128, 200)
			e := p.tensor("e", dtype.F32, 0, 128, 200)
			sum := p.tensor("sum", dtype.F32, 0, 128)
			p.inst("reduce", ax, 1, acc(mx, v[0]), acc(x, v...)).Attrs = &penguin.Combine{Op: "maximum"}
			p.inst("subtract", ax, 0, acc(s, v...), acc(x, v...), acc(mx, v[0]))
			p.inst("exponential", ax, 0, acc(e, v...), acc(s, v...))
			p.inst("reduce", ax, 1, acc(sum, v[0]), acc(e, v...)).Attrs = &penguin.Combine{Op: "add"}
			p.inst("multiply", ax, 0, acc(y, v...), acc(e, v...), acc(sum, v[0]))
		}},
		{"sum of squares", "tt red ts", "act ts", func(p *prog, x, y *penguin.Tensor) {
			ax, v := axes(128, 200)
			sq := p.tensor("sq", dtype.F32, 0, 128, 200)
			sum := p.tensor("sum", dtype.F32, 0, 128)
			p.inst("multiply", ax, 0, acc(sq, v...), acc(x, v...), acc(x, v...))
			p.inst("reduce", ax, 1, acc(sum, v[0]), acc(sq, v...)).Attrs = &penguin.Combine{Op: "add"}
			p.inst("multiply", ax, 0, acc(y, v...), acc(x, v...), acc(sum, v[0]))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProg()
			x := p.tensor("x", dtype.F32, penguin.Input, 128, 200)
			y := p.tensor("y", dtype.F32, penguin.Output, 128, 200)
			tc.build(p, x, y)
			m := &penguin.Module{Name: "p", Gen: machine.Gen3, Funcs: []*penguin.Func{p.f}}
			if err := selectAll(m, machine.Trn2, Options{OptLevel: 2}); err != nil {
				t.Fatal(err)
			}
			in := map[string]*tensor.Tensor{"x": randF32(1, 128, 200)}
			if got := computeOps(p.f); got != tc.before {
				t.Errorf("selected %q, want %q", got, tc.before)
			}
			want, err := penguin.ExecISA(m, in)
			if err != nil {
				t.Fatal(err)
			}
			if err := peephole(m); err != nil {
				t.Fatal(err)
			}
			if got := computeOps(p.f); tc.after != "" && got != tc.after {
				t.Errorf("after peephole %q, want %q", got, tc.after)
			}
			got, err := penguin.ExecISA(m, in)
			if err != nil {
				t.Fatal(err)
			}
			w := make([]float64, 128*200)
			for i, f := range f32s(want["y"]) {
				w[i] = float64(f)
			}
			wantClose(t, tc.name, f32s(got["y"]), w)
			if err := balance(m, machine.Trn2); err != nil {
				t.Fatal(err)
			}
			if got, err = penguin.ExecISA(m, in); err != nil {
				t.Fatal(err)
			}
			wantClose(t, tc.name+" balanced", f32s(got["y"]), w)
		})
	}
}

func computeOps(f *penguin.Func) string {
	short := map[string]string{"tensor_scalar": "ts", "tensor_tensor": "tt", "activation": "act", "tensor_reduce": "red",
		"scalar_tensor_tensor": "stt", "memset": "ms", "copy_predicated": "cp", "tensor_copy": "copy", "matmul": "mm"}
	var s []string
	for _, in := range penguin.Insts(f.Body) {
		if in.Op.Name != "dma" {
			s = append(s, short[in.Op.Name])
		}
	}
	return strings.Join(s, " ")
}

// TestBalanceUsesBothEngines gives a run of equal scalar steps to both engines.
func TestBalanceUsesBothEngines(t *testing.T) {
	p := newProg()
	x := p.tensor("x", dtype.F32, penguin.Input, 128, 512)
	ax, v := axes(128, 512)
	for i := 0; i < 6; i++ {
		y := p.tensor("y"+string(rune('0'+i)), dtype.F32, penguin.Output, 128, 512)
		p.inst("multiply", ax, 0, acc(y, v...), acc(x, v...), p.scalarConst(float32(i+2)))
	}
	m := &penguin.Module{Name: "p", Gen: machine.Gen3, Funcs: []*penguin.Func{p.f}}
	if err := Select(m, machine.Trn2, Options{OptLevel: 2}); err != nil {
		t.Fatal(err)
	}
	n := map[machine.Engine]int{}
	for _, in := range penguin.Insts(p.f.Body) {
		n[in.Engine]++
	}
	if n[machine.ACT] == 0 || n[machine.DVE] == 0 {
		t.Errorf("work per engine: %v", n)
	}
}

// TestMinregOrder interleaves producers and consumers that the source keeps apart.
func TestMinregOrder(t *testing.T) {
	p := newProg()
	const k = 6
	ax, v := axes(128, 64)
	var mids []*penguin.Tensor
	for i := 0; i < k; i++ {
		x := p.tensor("x"+string(rune('0'+i)), dtype.F32, penguin.Input, 128, 64)
		m := p.tensor("m"+string(rune('0'+i)), dtype.F32, 0, 128, 64)
		p.inst("tanh", ax, 0, acc(m, v...), acc(x, v...))
		mids = append(mids, m)
	}
	for i, m := range mids {
		y := p.tensor("y"+string(rune('0'+i)), dtype.F32, penguin.Output, 128, 64)
		p.inst("exponential", ax, 0, acc(y, v...), acc(m, v...))
	}
	m := &penguin.Module{Name: "p", Gen: machine.Gen3, Funcs: []*penguin.Func{p.f}}
	if err := selectAll(m, machine.Trn2, Options{OptLevel: 2}); err != nil {
		t.Fatal(err)
	}
	run := penguin.Insts(p.f.Body)
	in := map[string]*tensor.Tensor{}
	for i := 0; i < k; i++ {
		in["x"+string(rune('0'+i))] = randF32(int64(i), 128, 64)
	}
	want, err := penguin.ExecISA(m, in)
	if err != nil {
		t.Fatal(err)
	}
	before := peakBytes(run, nil)
	next := minregOrder(run, nil)
	if after := peakBytes(next, nil); after >= before || len(next) != len(run) {
		t.Errorf("peak %d bytes in %d instructions, before %d in %d", after, len(next), before, len(run))
	}
	p.f.Body = nil
	for _, i := range next {
		p.f.Body = append(p.f.Body, i)
	}
	got, err := penguin.ExecISA(m, in)
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if string(got[name].Data) != string(want[name].Data) {
			t.Errorf("%s changes", name)
		}
	}
}
