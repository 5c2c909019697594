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
	f := &penguin.Func{Name: "main", Tensors: append([]*penguin.Tensor{}, p.f.Tensors...), Body: p.f.Body}
	m := &penguin.Module{Name: "t", Gen: gen, Funcs: []*penguin.Func{f}}
	if err := Select(m, machine.ByGen(gen), Options{OptLevel: opt}); err != nil {
		t.Fatal(err)
	}
	out, err := penguin.ExecISA(m, in)
	if err != nil {
		t.Fatal(err)
	}
	bm, err := ToBIR(m, machine.ByGen(gen))
	if err != nil {
		t.Fatal(err)
	}
	if err := bir.Verify(bm); err != nil {
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
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= 2e-5*scale) {
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
			for _, opt := range []int{0, 2} {
				out := p.run(t, g, opt, map[string]*tensor.Tensor{"x": xi, "b": bi})
				want := make([]float64, m*n)
				for i := int64(0); i < m; i++ {
					for j := int64(0); j < n; j++ {
						want[i*n+j] = float64(f32s(xi)[j*m+i] + f32s(bi)[j])
					}
				}
				wantClose(t, fmt.Sprint(g, sz, opt), f32s(out["y"]), want)
			}
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
	for _, opt := range []int{0, 2} {
		out := p.run(t, machine.Gen3, opt, map[string]*tensor.Tensor{"x": xi})
		want := make([]float64, 210)
		for k := range want {
			want[k] = -float64(f32s(xi)[k%6*35+k/6])
		}
		wantClose(t, "y", f32s(out["y"]), want)
	}
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
		for _, opt := range []int{0, 2} {
			out := p.run(t, machine.Gen3, opt, map[string]*tensor.Tensor{"x": xi})
			want := make([]float64, a*c)
			for i := int64(0); i < a; i++ {
				for j := int64(0); j < b; j++ {
					for k := int64(0); k < c; k++ {
						want[i*c+k] += float64(f32s(xi)[(i*b+j)*c+k])
					}
				}
			}
			wantClose(t, fmt.Sprint(sz, opt), f32s(out["y"]), want)
		}
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
		for _, opt := range []int{0, 2} {
			out := p.run(t, machine.Gen3, opt, map[string]*tensor.Tensor{"x": xi, "w": wi})
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
			wantClose(t, fmt.Sprint(sz, opt), f32s(out["y"]), want)
		}
	}
}

// intCase is an integer op with its Go meaning.
// TestMLPBlock runs a chain that touches every on-chip emitter: layer norm statistics, two contractions with a
// bias and an activation between them, a residual, and a softmax-like row normalisation.
func TestMLPBlock(t *testing.T) {
	for _, g := range gens {
		for _, sz := range [][3]int64{{256, 128, 256}, {64, 48, 80}, {130, 12, 257}} {
			n, d, h := sz[0], sz[1], sz[2]
			if n == 256 && g != machine.Gen3 {
				continue // the interpreter is slow
			}
			p := newProg()
			x := p.tensor("x", dtype.F32, penguin.Input, n, d)
			w1 := p.tensor("w1", dtype.F32, penguin.Input, d, h)
			b1 := p.tensor("b1", dtype.F32, penguin.Input, h)
			w2 := p.tensor("w2", dtype.F32, penguin.Input, h, d)
			y := p.tensor("y", dtype.F32, penguin.Output, n, d)
			tmp := func(name string, shape ...int64) *penguin.Tensor { return p.tensor(name, dtype.F32, 0, shape...) }
			axR, vR := axes(n, d)
			sum := tmp("sum", n)
			ax := axR
			p.inst("reduce", ax, 1, acc(sum, vR[0]), acc(x, vR[0], vR[1])).Attrs = &penguin.Combine{Op: "add"}
			cen := tmp("cen", n, d)
			p.inst("subtract", ax, 0, acc(cen, vR...), acc(x, vR...), acc(sum, vR[0]))
			hid := tmp("hid", n, h)
			axC, vC := axes(n, h, d)
			p.inst("contract", axC, 1, acc(hid, vC[0], vC[1]), acc(cen, vC[0], vC[2]), acc(w1, vC[2], vC[1]))
			hb := tmp("hb", n, h)
			axH, vH := axes(n, h)
			p.inst("add", axH, 0, acc(hb, vH...), acc(hid, vH...), acc(b1, vH[1]))
			ha := tmp("ha", n, h)
			p.inst("tanh", axH, 0, acc(ha, vH...), acc(hb, vH...))
			o := tmp("o", n, d)
			axO, vO := axes(n, d, h)
			p.inst("contract", axO, 1, acc(o, vO[0], vO[1]), acc(ha, vO[0], vO[2]), acc(w2, vO[2], vO[1]))
			r := tmp("r", n, d)
			p.inst("add", ax, 0, acc(r, vR...), acc(o, vR...), acc(x, vR...))
			mx := tmp("mx", n)
			p.inst("reduce", ax, 1, acc(mx, vR[0]), acc(r, vR...)).Attrs = &penguin.Combine{Op: "maximum"}
			sh := tmp("sh", n, d)
			p.inst("subtract", ax, 0, acc(sh, vR...), acc(r, vR...), acc(mx, vR[0]))
			ex := tmp("ex", n, d)
			p.inst("exponential", ax, 0, acc(ex, vR...), acc(sh, vR...))
			es := tmp("es", n)
			p.inst("reduce", ax, 1, acc(es, vR[0]), acc(ex, vR...)).Attrs = &penguin.Combine{Op: "add"}
			p.inst("divide", ax, 0, acc(y, vR...), acc(ex, vR...), acc(es, vR[0]))

			in := map[string]*tensor.Tensor{"x": randF32(1, int(n), int(d)), "w1": randF32(2, int(d), int(h)), "b1": randF32(3, int(h)), "w2": randF32(4, int(h), int(d))}
			X, W1, B1, W2 := f32s(in["x"]), f32s(in["w1"]), f32s(in["b1"]), f32s(in["w2"])
			for i := range W1 {
				W1[i] /= 16
			}
			for i := range W2 {
				W2[i] /= 16
			}
			want := make([]float64, n*d)
			for i := int64(0); i < n; i++ {
				row := make([]float64, d)
				s := 0.0
				for j := range row {
					s += float64(X[i*d+int64(j)])
				}
				hv := make([]float64, h)
				for k := range hv {
					a := float64(B1[k])
					for j := int64(0); j < d; j++ {
						a += (float64(X[i*d+j]) - s) * float64(W1[j*h+int64(k)])
					}
					hv[k] = math.Tanh(a)
				}
				m := math.Inf(-1)
				for j := range row {
					row[j] = float64(X[i*d+int64(j)])
					for k := range hv {
						row[j] += hv[k] * float64(W2[int64(k)*d+int64(j)])
					}
					m = max(m, row[j])
				}
				tot := 0.0
				for j := range row {
					row[j] = math.Exp(row[j] - m)
					tot += row[j]
				}
				for j := range row {
					want[i*d+int64(j)] = row[j] / tot
				}
			}
			for _, opt := range []int{0, 2} {
				out := p.run(t, g, opt, in)
				wantClose(t, fmt.Sprint("gen", g, sz, " O", opt), f32s(out["y"]), want)
			}
		}
	}
}

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
	for _, opt := range []int{0, 2} {
		out := p.run(t, machine.Gen3, opt, map[string]*tensor.Tensor{"x": xi, "y": yi})
		for i := range a {
			wq, wr := int32(-1), a[i]
			if b[i] != 0 {
				wq, wr = int32(int64(a[i])/int64(b[i])), int32(int64(a[i])%int64(b[i]))
			}
			if gq, gr := i32s(out["q"])[i], i32s(out["r"])[i]; gq != wq || gr != wr {
				t.Errorf("O%d: %d / %d = %d rem %d, want %d rem %d", opt, a[i], b[i], gq, gr, wq, wr)
			}
		}
	}
}

// TestBitcastOfComputedValue reinterprets a value that an engine has just written: it goes to memory under its own
// type, not converted to the new one.
func TestBitcastOfComputedValue(t *testing.T) {
	p := newProg()
	x := p.tensor("x", dtype.F32, penguin.Input, 20, 20)
	a := p.tensor("a", dtype.F32, penguin.NonLocal, 20, 20)
	y := p.tensor("y", dtype.I32, penguin.Output, 20, 20)
	ax, v := axes(20, 20)
	p.inst("negate", ax, 0, acc(a, v[0], v[1]), acc(x, v[0], v[1]))
	ax, v = axes(20, 20)
	p.inst("bitcast", ax, 0, acc(y, v[0], v[1]), acc(a, v[0], v[1]))
	xi := randF32(1, 20, 20)
	for _, opt := range []int{0, 2} {
		got := i32s(p.run(t, machine.Gen3, opt, map[string]*tensor.Tensor{"x": xi})["y"])
		for i, f := range f32s(xi) {
			if want := int32(math.Float32bits(-f)); got[i] != want {
				t.Fatalf("-O%d: element %d is %#x, want %#x", opt, i, uint32(got[i]), uint32(want))
			}
		}
	}
}
