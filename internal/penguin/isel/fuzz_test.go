package isel

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// randomProgram makes a chain of ops over fp32 tensors whose dimensions come from a small set, so that layouts meet
// in many ways: broadcasts, transposes, slices, reshapes, reductions, contractions.
func randomProgram(r *rand.Rand) *prog {
	p := newProg()
	dims := []int64{1, 2, 3, 4, 8, 12, 16, 32, 48, 64, 96, 128, 130, 256}
	d := func() int64 { return dims[r.Intn(len(dims))] }
	shape := func() []int64 {
		for {
			s := make([]int64, 1+r.Intn(3))
			n := int64(1)
			for i := range s {
				s[i] = d()
				n *= s[i]
			}
			if n <= 1<<14 {
				return s
			}
		}
	}
	var live []*penguin.Tensor
	for i := 0; i < 3; i++ {
		live = append(live, p.tensor(fmt.Sprintf("x%d", i), dtype.F32, penguin.Input, shape()...))
	}
	pick := func() *penguin.Tensor {
		if r.Intn(2) == 0 {
			return live[len(live)-1]
		}
		return live[r.Intn(len(live))]
	}
	// view of t over fresh axes: a permutation, possibly of a slice or reversed.
	k := 0
	fresh := func(s ...int64) *penguin.Tensor {
		k++
		t := p.tensor(fmt.Sprintf("t%d", k), dtype.F32, 0, s...)
		live = append(live, t)
		return t
	}
	unary := []string{"negate", "abs", "tanh", "logistic", "sine"}
	binary := []string{"add", "subtract", "multiply", "maximum", "minimum"}
	for i := 0; i < 8; i++ {
		t := pick()
		if len(t.Shape) == 0 {
			continue
		}
		switch r.Intn(7) {
		case 0, 1: // elementwise over a permutation, slice or reversal of t
			perm := r.Perm(len(t.Shape))
			ext := make([]int64, len(perm))
			lo := make([]int64, len(perm))
			rev := make([]bool, len(perm))
			for j, q := range perm {
				ext[j] = t.Shape[q]
				if r.Intn(6) == 0 && ext[j] > 2 {
					lo[q] = 1 + r.Int63n(ext[j]-1)
					ext[j] -= lo[q]
				}
				rev[q] = r.Intn(12) == 0
			}
			ax, v := axes(ext...)
			ix := make([]pelican.Expr, len(perm))
			for j, q := range perm {
				ix[q] = pelican.AddConst(v[j], lo[q])
				if rev[q] {
					ix[q] = pelican.Sub(pelican.Const(lo[q]+ext[j]-1), v[j])
				}
			}
			o := fresh(ext...)
			p.inst(unary[r.Intn(len(unary))], ax, 0, acc(o, v...), acc(t, ix...))
		case 2: // two operands, the second broadcast along some dimensions
			ax, v := axes(t.Shape...)
			var bs []int64
			var bx []pelican.Expr
			for j := range t.Shape {
				if r.Intn(2) == 0 {
					bs = append(bs, t.Shape[j])
					bx = append(bx, v[j])
				}
			}
			b := p.tensor(fmt.Sprintf("b%d", i), dtype.F32, penguin.Input, bs...)
			for _, x := range live {
				if r.Intn(2) == 0 && fmt.Sprint(x.Shape) == fmt.Sprint(bs) {
					b = x
				}
			}
			o := fresh(t.Shape...)
			ins := []penguin.Access{acc(t, v...), acc(b, bx...)}
			if r.Intn(2) == 0 {
				ins[0], ins[1] = ins[1], ins[0]
			}
			p.inst(binary[r.Intn(len(binary))], ax, 0, acc(o, v...), ins...)
		case 3: // reduction of one dimension
			q := r.Intn(len(t.Shape))
			var par []int64
			for j, n := range t.Shape {
				if j != q {
					par = append(par, n)
				}
			}
			ax, v := axes(append(append([]int64{}, par...), t.Shape[q])...)
			ix := append(append([]pelican.Expr{}, v[:q]...), v[len(v)-1])
			ix = append(ix, v[q:len(v)-1]...)
			o := fresh(par...)
			p.inst("reduce", ax, 1, acc(o, v[:len(v)-1]...), acc(t, ix...)).Attrs = &penguin.Combine{Op: []string{"add", "maximum", "minimum"}[r.Intn(3)]}
		case 4: // contraction of t's dimension q with a new input
			q := r.Intn(len(t.Shape))
			n := d()
			w := p.tensor(fmt.Sprintf("w%d", i), dtype.F32, penguin.Input, t.Shape[q], n)
			var par []int64
			for j, m := range t.Shape {
				if j != q {
					par = append(par, m)
				}
			}
			total := n
			for _, m := range par {
				total *= m
			}
			if total > 1<<14 {
				continue
			}
			ax, v := axes(append(append(append([]int64{}, par...), n), t.Shape[q])...)
			red := v[len(v)-1]
			ix := append(append([]pelican.Expr{}, v[:q]...), red)
			ix = append(ix, v[q:len(v)-2]...)
			o := fresh(append(append([]int64{}, par...), n)...)
			p.inst("contract", ax, 1, acc(o, v[:len(v)-1]...), acc(t, ix...), acc(w, red, v[len(v)-2]))
		case 5: // reshape to one dimension, or a split of the first
			n := numel(t)
			s := []int64{n}
			for _, f := range []int64{2, 4, 3, 16} {
				if n%f == 0 && r.Intn(2) == 0 {
					s = []int64{n / f, f}
				}
			}
			ax, v := axes(s...)
			flat := pelican.Flatten(v, s)
			o := fresh(s...)
			op := []string{"copy", "negate"}[r.Intn(2)]
			p.inst(op, ax, 0, acc(o, v...), acc(t, pelican.Delinearise(flat, t.Shape)...))
		case 6: // batched contraction of t with itself over the last dimension
			if len(t.Shape) < 2 {
				continue
			}
			m := len(t.Shape)
			rows := t.Shape[m-2]
			b := t.Shape[:m-2]
			nb := int64(1)
			for _, x := range b {
				nb *= x
			}
			if nb*rows*rows > 1<<14 {
				continue
			}
			ax, v := axes(append(append(append([]int64{}, b...), rows, rows), t.Shape[m-1])...)
			nbx := len(b)
			bi, mi, ni, ki := v[:nbx], v[nbx], v[nbx+1], v[nbx+2]
			o := fresh(append(append([]int64{}, b...), rows, rows)...)
			cat := func(xs ...pelican.Expr) []pelican.Expr { return append(append([]pelican.Expr{}, bi...), xs...) }
			p.inst("contract", ax, 1, acc(o, cat(mi, ni)...), acc(t, cat(mi, ki)...), acc(t, cat(ni, ki)...))
		}
		// Keep magnitudes tame.
		last := live[len(live)-1]
		if last.Kind == 0 && len(last.Shape) > 0 {
			ax, v := axes(last.Shape...)
			o := fresh(last.Shape...)
			p.inst("tanh", ax, 0, acc(o, v...), acc(last, v...))
		}
	}
	out := 0
	for i := len(live) - 1; i >= 0 && out < 3; i-- {
		if live[i].Kind == 0 {
			live[i].Kind = penguin.Output
			out++
		}
	}
	return p
}

// TestRandomPrograms runs random programs at op level and after selection at every level.
func TestRandomPrograms(t *testing.T) {
	n := 120
	if testing.Short() {
		n = 15
	}
	for seed := int64(0); seed < int64(n); seed++ {
		runRandom(t, seed)
	}
}

func runRandom(t *testing.T, seed int64) {
	r := rand.New(rand.NewSource(seed))
	p := randomProgram(r)
	in := map[string]*tensor.Tensor{}
	for i, x := range p.f.Tensors {
		if x.Kind == penguin.Input {
			s := make([]int, len(x.Shape))
			for k, d := range x.Shape {
				s[k] = int(d)
			}
			in[x.IOName] = randF32(seed*100+int64(i), s...)
		}
	}
	gen := gens[seed%3]
	m := &penguin.Module{Name: "f", Gen: gen, Funcs: []*penguin.Func{p.f}}
	want, err := penguin.Exec(context.Background(), m, in)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, o := range []Options{{}, {OptLevel: 2}, {OptLevel: 2, SBUFBudget: 16384}} {
		if o.SBUFBudget > 0 && seed%4 != 0 {
			continue
		}
		f := &penguin.Func{Name: "main", Tensors: append([]*penguin.Tensor{}, p.f.Tensors...), Body: p.f.Body}
		m := &penguin.Module{Name: "f", Gen: gen, Funcs: []*penguin.Func{f}}
		if err := Select(m, machine.ByGen(gen), o); err != nil {
			t.Fatalf("seed %d %+v: %v", seed, o, err)
		}
		bm, err := ToBIR(m, machine.ByGen(gen))
		if err != nil {
			t.Fatalf("seed %d %+v: %v", seed, o, err)
		}
		if err := bir.Verify(bm); err != nil {
			t.Fatalf("seed %d %+v: %v", seed, o, err)
		}
		got, err := penguin.Exec(context.Background(), m, in)
		if err != nil {
			t.Fatalf("seed %d %+v: %v", seed, o, err)
		}
		for name, w := range want {
			a, b := f32s(got[name]), f32s(w)
			scale := 0.0
			for _, x := range b {
				scale = max(scale, math.Abs(float64(x)))
			}
			for i := range b {
				if d := math.Abs(float64(a[i]) - float64(b[i])); !(d <= 1e-4*scale+1e-30) {
					t.Fatalf("seed %d gen %d %+v: %s element %d is %g, want %g", seed, gen, o, name, i, a[i], b[i])
				}
			}
		}
	}
}
