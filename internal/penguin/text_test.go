package penguin

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

const sample = `module m gen=3 {
 func main {
  tensor x : f32 [2,6] kind=Input in dram io "x"
  tensor n : i32 [] kind=Input in dram io "n"
  tensor c : f32 [] kind=Const in dram = hex "0000003f" @"a b.mlir":3:4
  tensor t : f32 [6,2] in dram
  tensor s : f32 [6] in dram
  tensor p : i1 [] in dram
  tensor i : i32 [] in dram
  tensor one : i32 [] kind=Const in dram = hex "01000000"
  tensor y : f32 [3] kind=Output in dram io "output0"
  %0 = multiply(x[j, i], c[]) -> t[i, j] for (i: range(0,6,1) Parallel, j: range(0,2,1) Parallel) src "stablehlo.multiply" name "scale" @"m.mlir":5:2
  %1 = reduce(t[i, r], c[]) -> s[i] for (i: range(0,6,1) Parallel | r: range(0,2,1) Default) {Op="add"}
  %2 = copy(n[]) -> i[]
  while pred p {
   cond {
    %3 = compare(i[], one[]) -> p[] {Dir="GT"}
   }
   scope half no_reorder {
    %4 = add(s[k], s[k]) -> s[k] for (k: range(0,6,1) Parallel)
    %5 = subtract(i[], one[]) -> i[]
   }
  } @"m.mlir":9:3
  cluster 2 {
   %6 = copy(s[k] gather(i[] dim=0 lo=0 hi=3)) -> y[k] for (k: range(0,3,1) Parallel)
  }
  for (a: range(0,3,2) Sequential) {
   %7 = iota() -> y[a] {Value=(7*a + 1)} if (a - 2 >= 0)
  }
  dep %0 -> %1 4
 }
}
`

func text(t *testing.T, m *Module) string {
	var b bytes.Buffer
	if err := Print(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextRoundTrip(t *testing.T) {
	m, err := Parse([]byte(sample), "sample.pir")
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, m); got != sample {
		t.Errorf("got\n%s\nwant\n%s", got, sample)
	}
	if err := Verify(m); err != nil {
		t.Error(err)
	}
}

func TestExecStatements(t *testing.T) {
	m, err := Parse([]byte(sample), "sample.pir")
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(dtype.F32, 2, 6)
	for i := 0; i < 12; i++ {
		writeFloat(x.Data[4*i:], dtype.F32, float64(i))
	}
	n := tensor.New(dtype.I32)
	writeInt(n.Data, 4, 3)
	out, err := Exec(context.Background(), m, map[string]*tensor.Tensor{"x": x, "n": n})
	if err != nil {
		t.Fatal(err)
	}
	// s[i] = 0.5*x[0,i] + 0.5*x[1,i] + 0.5 = i + 3.5, doubled twice; the loop leaves i at 1; y[2] is overwritten by 15.
	for k, want := range []float64{4 * 4.5, 4 * 5.5, 15} {
		if got := readFloat(out["output0"].Data[4*k:], dtype.F32); got != want {
			t.Errorf("output0[%d] = %g, want %g", k, got, want)
		}
	}
	if _, err := Exec(context.Background(), m, map[string]*tensor.Tensor{"x": x}); diag.Code(err) != codeInput {
		t.Errorf("missing input: got %v, want %s", err, codeInput)
	}
}

func TestISARoundTrip(t *testing.T) {
	const src = `module m gen=3 {
 func main {
  tensor x : f32 [128,64] kind=Input in dram io "x"
  tensor s : f32 [128,64] in sbuf copies 2
  tensor q : f32 [128,64] in psum
  %0 = dma(x tile P(0,0) F(64,128) F(1,64) +(0)) -> s tile P(0,128) F(1,64) +(0) on DMA
  %1 = tensor_scalar(s tile P(0,128) F(2,32) +(1)) -> s tile P(0,128) F(1,32) +(0) {Op0="add", Op1="mult", Imms=[(1, f32, -Inf, 0), (2, i32, 0, -5)]} on DVE
  %2 = memset() -> q tile P(64,64) F(1,64) +(0) as ui32 {Bits=1065353216} on DVE
 }
}
`
	m, err := Parse([]byte(src), "isa.pir")
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, m); got != src {
		t.Errorf("got\n%s\nwant\n%s", got, src)
	}
	if err := Verify(m); err != nil {
		t.Error(err)
	}
}

// TestVerifyRejects has one broken line for each rule, in place of a good one.
func TestVerifyRejects(t *testing.T) {
	const head = `module m gen=3 {
 func main {
  tensor x : f32 [2,6] kind=Input in dram io "x"
  tensor b : i1 [2,6] in dram
  tensor t : f32 [2,6] in dram
  tensor k : i32 [2] in dram
  tensor s : f32 [128,64] in sbuf
  tensor q : f32 [128,64] in psum
  `
	for _, c := range []struct{ name, code, line string }{
		{"bounds", codeMalformed, `%0 = copy(x[i, j + 1]) -> t[i, j] for (i: range(0,2,1) Parallel, j: range(0,6,1) Parallel)`},
		{"negative", codeMalformed, `%0 = copy(x[0, j - 1]) -> t[0, j] for (j: range(0,6,1) Parallel)`},
		{"run-time bounds", codeMalformed, `%0 = copy(x[0, j] gather(k[0] dim=1 lo=0 hi=2)) -> t[0, j] for (j: range(0,6,1) Parallel)`},
		{"rank", codeMalformed, `%0 = copy(x[0]) -> t[0, 0]`},
		{"arity", codeMalformed, `%0 = add(x[0, 0]) -> t[0, 0]`},
		{"type", codeMalformed, `%0 = copy(x[0, 0]) -> b[0, 0]`},
		{"compare type", codeMalformed, `%0 = compare(x[0, 0], x[0, 1]) -> t[0, 0] {Dir="EQ"}`},
		{"select predicate", codeMalformed, `%0 = select(x[0, 0], x[0, 0], x[0, 0]) -> t[0, 0]`},
		{"write input", codeMalformed, `%0 = copy(t[0, 0]) -> x[0, 0]`},
		{"reduced axis in result", codeMalformed, `%0 = reduce(x[0, r]) -> t[0, r] for (| r: range(0,6,1) Parallel) {Op="add"}`},
		{"reduction op", codeMalformed, `%0 = reduce(x[0, r]) -> t[0, 0] for (| r: range(0,6,1) Parallel) {Op="subtract"}`},
		{"predicate", codePred, `%0 = copy(x[0, i]) -> t[0, i] for (i: range(0,6,1) Parallel) if (i//2 >= 0)`},
		{"start partition", codeStart, `%0 = tensor_copy(s tile P(16,64) F(1,64) +(0)) -> s tile P(16,64) F(1,64) +(0) {} on DVE`},
		{"partitions", codePartitions, `%0 = tensor_copy(s tile P(96,64) F(1,64) +(0)) -> s tile P(0,64) F(1,64) +(0) {} on DVE`},
		{"counts", codeCounts, `%0 = tensor_copy(s tile P(0,64) F(1,64) +(0)) -> s tile P(0,32) F(1,64) +(0) {} on DVE`},
		{"memory", codeMemory, `%0 = tensor_copy(q tile P(0,64) F(1,64) +(0)) -> s tile P(0,64) F(1,64) +(0) {} on Pool`},
		{"row", codeMalformed, `%0 = tensor_copy(s tile P(0,64) F(2,64) +(0)) -> s tile P(0,64) F(1,64) +(0) {} on DVE`},
		{"free dims", codeFreeDims, `%0 = tensor_copy(s tile P(0,64) F(1,1) F(1,1) F(1,1) F(1,1) F(1,1) +(0)) -> s tile P(0,64) F(1,1) +(0) {} on DVE`},
	} {
		m, err := Parse([]byte(head+c.line+"\n }\n}\n"), "bad.pir")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := Verify(m); diag.Code(err) != c.code {
			t.Errorf("%s: got %v, want code %s", c.name, err, c.code)
		}
	}
}

func TestParseRejects(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", `"module" is expected`},
		{"truncated", sample[:len(sample)/2], ""},
		{"unknown op", strings.Replace(sample, "multiply(", "nonsense(", 1), `no op "nonsense"`},
		{"unknown tensor", strings.Replace(sample, "x[j, i]", "zz[j, i]", 1), `no tensor "zz"`},
		{"unknown axis", strings.Replace(sample, "x[j, i]", "x[j, qq]", 1), "qq"},
		{"short data", strings.Replace(sample, "0000003f", "003f", 1), "4 bytes"},
		{"attribute", strings.Replace(sample, "{Op=", "{Opp=", 1), `no attribute "Opp"`},
		{"trailing", sample + "x", "after the module"},
		{"extent", strings.Replace(sample, "[2,6]", "[2,-6]", 1), "extent -6"},
	} {
		_, err := Parse([]byte(c.src), "bad.pir")
		if err == nil || !strings.Contains(err.Error(), c.want) || diag.Code(err) != codeText {
			t.Errorf("%s: got %v, want %s with %q", c.name, err, codeText, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("module m gen=3 {\n func main {\n }\n}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse(src, "fuzz.pir")
		if err != nil {
			return
		}
		var a, b bytes.Buffer
		if err := Print(&a, m); err != nil {
			t.Fatal(err)
		}
		n, err := Parse(a.Bytes(), "again.pir")
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, a.Bytes())
		}
		if err := Print(&b, n); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatalf("not a fixed point:\n%s\n%s", a.Bytes(), b.Bytes())
		}
		_ = Verify(m)
	})
}
