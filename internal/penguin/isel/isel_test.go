package isel

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// prog builds one-function modules for the tests.
type prog struct {
	f *penguin.Func
}

func newProg() *prog { return &prog{&penguin.Func{Name: "main"}} }

func (p *prog) tensor(name string, t dtype.Type, kind penguin.KindFlags, shape ...int64) *penguin.Tensor {
	x := &penguin.Tensor{Name: name, DType: t, Shape: shape, Kind: kind, IOName: name}
	p.f.Tensors = append(p.f.Tensors, x)
	return x
}

func axes(ext ...int64) (ax []*penguin.Axis, v []pelican.Expr) {
	for i, n := range ext {
		e := pelican.NewVar(fmt.Sprintf("a%d", i), 0, n, 1)
		ax = append(ax, &penguin.Axis{Name: e.Name(), Hi: n, Step: 1, Var: e})
		v = append(v, e)
	}
	return ax, v
}

func acc(t *penguin.Tensor, d ...pelican.Expr) penguin.Access { return penguin.Access{T: t, Dims: d} }

func (p *prog) inst(op string, ax []*penguin.Axis, reduce int, out penguin.Access, in ...penguin.Access) *penguin.Inst {
	i := &penguin.Inst{Op: penguin.Op(op), Axes: ax, Reduce: reduce, In: in, Out: []penguin.Access{out}}
	p.f.Body = append(p.f.Body, i)
	return i
}

// run selects the program for gen and runs the result on the ISA-level interpreter.
func (p *prog) run(t *testing.T, gen machine.Gen, opt int, in map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	m := &penguin.Module{Name: "t", Gen: gen, Funcs: []*penguin.Func{p.f}}
	if err := Select(m, machine.ByGen(gen), Options{OptLevel: opt}); err != nil {
		t.Fatal(err)
	}
	out, err := penguin.ExecISA(m, in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ToBIR(m, machine.ByGen(gen))
	if err != nil {
		t.Fatal(err)
	}
	if err := bir.Verify(b); err != nil {
		t.Fatal(err)
	}
	return out
}

func randF32(seed int64, shape ...int) *tensor.Tensor {
	r := rand.New(rand.NewSource(seed))
	x := tensor.New(dtype.F32, shape...)
	for i := range f32s(x) {
		f32s(x)[i] = float32(r.NormFloat64())
	}
	return x
}

func f32s(t *tensor.Tensor) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&t.Data[0])), len(t.Data)/4)
}

func i32s(t *tensor.Tensor) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(&t.Data[0])), len(t.Data)/4)
}

func wantClose(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i := range want {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= 1e-5*scale) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

var gens = []machine.Gen{machine.Gen2, machine.Gen3, machine.Gen4}

func TestElementwiseBroadcastTranspose(t *testing.T) {
	for _, g := range gens {
		for _, sz := range [][2]int64{{1, 1}, {3, 5}, {130, 70}, {128, 1030}, {4, 300}} {
			p := newProg()
			m, n := sz[0], sz[1]
			x := p.tensor("x", dtype.F32, penguin.Input, n, m)
			b := p.tensor("b", dtype.F32, penguin.Input, n)
			y := p.tensor("y", dtype.F32, penguin.Output, m, n)
			ax, v := axes(m, n)
			p.inst("add", ax, 0, acc(y, v[0], v[1]), acc(x, v[1], v[0]), acc(b, v[1]))
			xi, bi := randF32(1, int(n), int(m)), randF32(2, int(n))
			out := p.run(t, g, 0, map[string]*tensor.Tensor{"x": xi, "b": bi})
			want := make([]float64, m*n)
			for i := int64(0); i < m; i++ {
				for j := int64(0); j < n; j++ {
					want[i*n+j] = float64(f32s(xi)[j*m+i] + f32s(bi)[j])
				}
			}
			wantClose(t, fmt.Sprint(g, sz), f32s(out["y"]), want)
		}
	}
}

func TestReshapeThroughTranspose(t *testing.T) {
	// y[k] = x[k%6, k//6]: a transpose flattened.
	p := newProg()
	x := p.tensor("x", dtype.F32, penguin.Input, 6, 35)
	y := p.tensor("y", dtype.F32, penguin.Output, 210)
	ax, v := axes(210)
	p.inst("negate", ax, 0, acc(y, v[0]), acc(x, pelican.Mod(v[0], 6), pelican.FloorDiv(v[0], 6)))
	xi := randF32(1, 6, 35)
	out := p.run(t, machine.Gen3, 0, map[string]*tensor.Tensor{"x": xi})
	want := make([]float64, 210)
	for k := range want {
		want[k] = -float64(f32s(xi)[k%6*35+k/6])
	}
	wantClose(t, "y", f32s(out["y"]), want)
}

func TestReduceAdd(t *testing.T) {
	for _, sz := range [][3]int64{{3, 5, 7}, {1, 4000, 1}, {2, 700, 3}, {200, 3, 130}, {1, 1, 1}} {
		p := newProg()
		a, b, c := sz[0], sz[1], sz[2]
		x := p.tensor("x", dtype.F32, penguin.Input, a, b, c)
		y := p.tensor("y", dtype.F32, penguin.Output, a, c)
		ax, v := axes(a, c, b)
		p.inst("reduce", ax, 1, acc(y, v[0], v[1]), acc(x, v[0], v[2], v[1])).Attrs = &penguin.Combine{Op: "add"}
		xi := randF32(1, int(a), int(b), int(c))
		out := p.run(t, machine.Gen3, 0, map[string]*tensor.Tensor{"x": xi})
		want := make([]float64, a*c)
		for i := int64(0); i < a; i++ {
			for j := int64(0); j < b; j++ {
				for k := int64(0); k < c; k++ {
					want[i*c+k] += float64(f32s(xi)[(i*b+j)*c+k])
				}
			}
		}
		wantClose(t, fmt.Sprint(sz), f32s(out["y"]), want)
	}
}

func TestContractBatched(t *testing.T) {
	for _, sz := range [][4]int64{{1, 1, 1, 1}, {2, 5, 7, 3}, {1, 130, 200, 600}, {2, 700, 9, 129}} {
		p := newProg()
		b, m, k, n := sz[0], sz[1], sz[2], sz[3]
		x := p.tensor("x", dtype.F32, penguin.Input, b, m, k)
		w := p.tensor("w", dtype.F32, penguin.Input, b, n, k)
		y := p.tensor("y", dtype.F32, penguin.Output, b, m, n)
		ax, v := axes(b, m, n, k)
		p.inst("contract", ax, 1, acc(y, v[0], v[1], v[2]), acc(x, v[0], v[1], v[3]), acc(w, v[0], v[2], v[3]))
		xi, wi := randF32(1, int(b), int(m), int(k)), randF32(2, int(b), int(n), int(k))
		out := p.run(t, machine.Gen3, 0, map[string]*tensor.Tensor{"x": xi, "w": wi})
		want := make([]float64, b*m*n)
		for q := int64(0); q < b; q++ {
			for i := int64(0); i < m; i++ {
				for j := int64(0); j < n; j++ {
					for l := int64(0); l < k; l++ {
						want[(q*m+i)*n+j] += float64(f32s(xi)[(q*m+i)*k+l]) * float64(f32s(wi)[(q*n+j)*k+l])
					}
				}
			}
		}
		wantClose(t, fmt.Sprint(sz), f32s(out["y"]), want)
	}
}

// intCase is an integer op with its Go meaning.
func TestIntegerDivision(t *testing.T) {
	vals := []int32{0, 1, -1, 2, -2, 3, 7, -7, 10, 1000, -1000, 16777217, -16777217, 2147483647, -2147483648, 2147483646, 65537, 715827883, 123456789}
	var a, b []int32
	for _, x := range vals {
		for _, y := range vals {
			a, b = append(a, x), append(b, y)
		}
	}
	p := newProg()
	n := int64(len(a))
	x := p.tensor("x", dtype.I32, penguin.Input, n)
	y := p.tensor("y", dtype.I32, penguin.Input, n)
	q := p.tensor("q", dtype.I32, penguin.Output, n)
	r := p.tensor("r", dtype.I32, penguin.Output, n)
	ax, v := axes(n)
	p.inst("divide", ax, 0, acc(q, v[0]), acc(x, v[0]), acc(y, v[0]))
	p.inst("remainder", ax, 0, acc(r, v[0]), acc(x, v[0]), acc(y, v[0]))
	xi := tensor.New(dtype.I32, int(n))
	yi := tensor.New(dtype.I32, int(n))
	copy(i32s(xi), a)
	copy(i32s(yi), b)
	out := p.run(t, machine.Gen3, 0, map[string]*tensor.Tensor{"x": xi, "y": yi})
	for i := range a {
		wq, wr := int32(-1), a[i]
		if b[i] != 0 {
			wq, wr = int32(int64(a[i])/int64(b[i])), int32(int64(a[i])%int64(b[i]))
		}
		if gq, gr := i32s(out["q"])[i], i32s(out["r"])[i]; gq != wq || gr != wr {
			t.Errorf("%d / %d = %d rem %d, want %d rem %d", a[i], b[i], gq, gr, wq, wr)
		}
	}
}
