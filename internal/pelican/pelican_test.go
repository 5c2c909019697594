package pelican

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

func TestSimplify(t *testing.T) {
	i := NewVar("i", 0, 12, 1)
	j := NewVar("j", 0, 3, 1)
	k := NewVar("k", 0, 512, 1)
	u := NewRuntime("u", NegInf, PosInf)
	scope := map[string]Expr{"i": i, "j": j, "k": k, "u": u}
	for _, c := range []struct{ in, want string }{
		{"(6*u + 7)//3", "2*u + 2"},
		{"(4*i + j + 5)//4", "i + 1"},
		{"(4*i + j + 5)%4", "j + 1"},
		{"(3*u + 7)%3", "1"},
		{"(u%12)%4", "u%4"},
		{"(u%4)%12", "u%4"},
		{"(u%4)//4", "0"},
		{"(u//2)//3", "u//6"},
		{"4*(u//4) + u%4", "u"},
		{"u - 4*(u//4)", "u - 4*(u//4)"},
		{"-1%3", "2"}, // unary minus binds tighter than %
		{"(0-1)%3", "2"},
		{"(0-1)//3", "-1"},
		{"(512*i + k)//1024", "i//2"},
		{"(512*i + k)%1024", "k + 512*(i%2)"},
		{"(512*i + k)//512", "i"},
		{"8*(u//8) + 4*((u//4)%2) + u%4", "u"},
		{"4*((u//4)%2) + u%4", "u%8"},
		{"(8*u + 4)//16", "u//2"},
		{"(8*u + 12)//16", "(u + 1)//2"},
		{"(u%8)//2", "u//2%4"},
		{"2*i + 3*j - 2*i - 3*j", "0"},
		{"k%512", "k"},
		{"i//12", "0"},
		{"(4*(u%2) + j)%8", "j + 4*(u%2)"},
		{"2*(3*u + 1) - 2", "6*u"},
	} {
		e, err := Parse(c.in, func(n string) Expr { return scope[n] })
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		back, err := Parse(e.String(), func(n string) Expr { return scope[n] })
		if err != nil || back != e {
			t.Errorf("%s: printing and parsing gives %v (%v)", e, back, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	i := NewVar("i", 0, 4, 1)
	for _, s := range []string{"", "i +", "i*i", "i//0", "i%(0-2)", "x", "(i", "i)", "i//i", "99999999999999999999", "9223372036854775807 + 1", "3 4"} {
		if e, err := Parse(s, func(n string) Expr {
			if n == "i" {
				return i
			}
			return nil
		}); err == nil {
			t.Errorf("%q parsed as %s", s, e)
		}
	}
}

// random returns a random expression and a function that computes it without simplification.
func random(r *rand.Rand, vars []Expr, depth int) (Expr, func([]int64) int64) {
	switch n := r.IntN(6); {
	case depth == 0 && n < 2, depth > 0 && n == 0:
		c := r.Int64N(17) - 8
		return Const(c), func([]int64) int64 { return c }
	case depth == 0:
		k := r.IntN(len(vars))
		return vars[k], func(v []int64) int64 { return v[k] }
	case n <= 2:
		a, fa := random(r, vars, depth-1)
		b, fb := random(r, vars, depth-1)
		return Add(a, b), func(v []int64) int64 { return fa(v) + fb(v) }
	case n == 3:
		a, fa := random(r, vars, depth-1)
		k := r.Int64N(13) - 4
		return Mul(a, k), func(v []int64) int64 { return k * fa(v) }
	}
	a, fa := random(r, vars, depth-1)
	d := int64(1 + r.IntN(8))
	if r.IntN(2) == 0 {
		return FloorDiv(a, d), func(v []int64) int64 { return int64(math.Floor(float64(fa(v)) / float64(d))) }
	}
	return Mod(a, d), func(v []int64) int64 {
		x := fa(v)
		return x - d*int64(math.Floor(float64(x)/float64(d)))
	}
}

// TestRandom compares simplified expressions with plain evaluation on every point of their domain, and checks
// bounds, substitution, compilation and text on the way.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < 4000; n++ {
		nv := 1 + r.IntN(3)
		vars := make([]Expr, nv)
		for i := range vars {
			lo := r.Int64N(5) - 2
			step := []int64{1, 1, 2, 3, -1}[r.IntN(5)]
			trip := 1 + r.Int64N(6)
			vars[i] = NewVar(string(rune('a'+i)), lo, lo+step*trip, step)
		}
		e, f := random(r, vars, 4)
		cf, err := Compile(e, vars)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(e.String(), func(name string) Expr { return vars[name[0]-'a'] })
		if err != nil || back != e {
			t.Fatalf("%s parses as %v (%v)", e, back, err)
		}
		// Normalise the first axis: a value of it is start + step*s.
		start, end, step := vars[0].Range()
		sv := NewVar("s", 0, Trip(start, end, step), 1)
		se := Subst(e, map[Expr]Expr{vars[0]: Add(Mul(sv, step), Const(start))})
		lo, hi := e.Bounds()
		div := Divisor(e)
		vals := make([]int64, nv)
		var rec func(i int)
		rec = func(i int) {
			if i < nv {
				s, end, step := vars[i].Range()
				for x := s; step > 0 && x < end || step < 0 && x > end; x += step {
					vals[i] = x
					rec(i + 1)
				}
				return
			}
			want := f(vals)
			env := MapEnv{}
			for i := range vars {
				env[vars[i]] = vals[i]
			}
			if got, err := Eval(e, env); err != nil || got != want {
				t.Fatalf("%s at %v: got %d (%v), want %d", e, vals, got, err, want)
			}
			if got := cf.Eval(vals); got != want {
				t.Fatalf("%s at %v: compiled gives %d, want %d", e, vals, got, want)
			}
			if want < lo || want > hi {
				t.Fatalf("%s at %v: %d is outside the bounds %d..%d", e, vals, want, lo, hi)
			}
			if div != 0 && want%div != 0 || div == 0 && want != 0 {
				t.Fatalf("%s at %v: %d is not a multiple of %d", e, vals, want, div)
			}
			env[sv] = (vals[0] - start) / step
			if got, err := Eval(se, env); err != nil || got != want {
				t.Fatalf("substituted %s at %v: got %d (%v), want %d", se, vals, got, err, want)
			}
		}
		rec(0)
	}
}

func TestFlattenRoundTrip(t *testing.T) {
	i, j, k := NewVar("i", 0, 4, 1), NewVar("j", 0, 5, 1), NewVar("k", 0, 7, 1)
	ext := []int64{4, 5, 7}
	flat := Flatten([]Expr{i, j, k}, ext)
	if got := flat.String(); got != "35*i + 7*j + k" {
		t.Errorf("flat = %s", got)
	}
	for n, e := range Delinearise(flat, ext) {
		if want := []Expr{i, j, k}[n]; e != want {
			t.Errorf("index %d = %s, want %s", n, e, want)
		}
	}
	// A reshape of [4,5,7] to [20,7] and back is the identity.
	two := Delinearise(flat, []int64{20, 7})
	if two[0].String() != "5*i + j" || two[1] != k {
		t.Errorf("as [20,7]: %v", two)
	}
}

func TestInvalid(t *testing.T) {
	big := Const(PosInf)
	i := NewVar("i", 0, 4, 1)
	for name, e := range map[string]Expr{"add": AddConst(big, 1), "mul": Mul(Add(i, big), 3), "div": FloorDiv(i, 0), "mod": Mod(i, -1), "carried": Add(FloorDiv(i, 0), i)} {
		if !e.IsInvalid() {
			t.Errorf("%s: got %s", name, e)
		}
		if _, err := Eval(e, MapEnv{i: 0}); err == nil {
			t.Errorf("%s: evaluated", name)
		}
	}
}

func TestTrip(t *testing.T) {
	for _, c := range [][4]int64{{0, 10, 4, 3}, {9, -1, -3, 4}, {5, 5, 1, 0}, {0, 4, 0, 0}} {
		if got := Trip(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("Trip(%d,%d,%d) = %d, want %d", c[0], c[1], c[2], got, c[3])
		}
	}
}

// TestConcurrent checks that expressions built by many goroutines are the same nodes, across collections.
func TestConcurrent(t *testing.T) {
	v := NewVar("v", 0, 1000, 1)
	build := func(n int64) Expr { return Mod(Add(FloorDiv(Mul(v, n), 7), Const(n)), 5+n%11) }
	var wg sync.WaitGroup
	var got [8][500]Expr
	for g := range got {
		wg.Go(func() {
			for n := range got[g] {
				got[g][n] = build(int64(n))
				if n%100 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	for n := range got[0] {
		for g := range got {
			if got[g][n] != got[0][n] {
				t.Fatalf("expression %d differs between goroutines: %p %p", n, got[g][n], got[0][n])
			}
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	i, j := NewVar("i", 0, 64, 1), NewVar("j", 0, 128, 1)
	for n := 0; b.Loop(); n++ {
		Add(Mul(i, int64(n%4096)+2), j, Const(int64(n%100)))
	}
}
