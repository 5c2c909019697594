package hlotext

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

func conformance(t *testing.T, sub string) []string {
	root := os.Getenv("ALCA_CONFORMANCE")
	if root == "" {
		root = "../../../../shared/conformance"
	}
	files, _ := filepath.Glob(filepath.Join(root, "xla-hlo", sub, "*.hlo"))
	if len(files) == 0 {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	return files
}

func text(t *testing.T, m *hlo.Module, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Print(&b, m, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fixedPoint prints, reads and prints again.
func fixedPoint(t *testing.T, m *hlo.Module) {
	t.Helper()
	all := []Options{{}, {Long: true}}
	if len(m.Funcs) > 20 {
		all = all[:1] // both forms of small modules only, for time
	}
	for _, o := range all {
		one := text(t, m, o)
		again, err := Parse(one, "printed")
		if err != nil {
			t.Errorf("printed text: %v", err)
			return
		}
		if two := text(t, again, o); !bytes.Equal(one, two) {
			a, b := bytes.Split(one, []byte{'\n'}), bytes.Split(two, []byte{'\n'})
			for i := range a {
				if i >= len(b) || !bytes.Equal(a[i], b[i]) {
					t.Errorf("line %d printed as\n%.300s\nthen as\n%.300s", i+1, a[i], b[min(i, len(b)-1)])
					return
				}
			}
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"single instruction", "%y = f32[2] add(f32[2] %a, f32[2]{0} %b)", `HloModule module_entry, entry_computation_layout={(f32[2], f32[2]{0})->f32[2]}

ENTRY %entry (a: f32[2], b: f32[2]{0}) -> f32[2] {
  %a = f32[2] parameter(0)
  %b = f32[2]{0} parameter(1)
  ROOT %y = f32[2] add(%a, %b)
}

`},
		{"shape left out", "e { a = f32[2] parameter(0)\n b = add(a, a) }", `HloModule module_e, entry_computation_layout={(f32[2])->f32[2]}

ENTRY %e (a: f32[2]) -> f32[2] {
  %a = f32[2] parameter(0)
  ROOT %b = f32[2] add(%a, %a)
}

`},
		{"literals", `HloModule l, input_output_alias={ {1}: (0, {2}) }, unknown={a={b=")"}}
ENTRY e {
  a = f32[2,2] constant({ { 1, -inf }, /*x*/ { nan, 1e-3 } })
  b = c64[1] constant({(1, -2)})
  c = (s4[], pred[2]) constant((-3, {1, false}))
  d = u64[] constant(18446744073709551615)
  f = f32[3] constant({...})
  g = f32[] constant(-nan(0x12))
  ROOT t = (f32[2,2]{0,1:T(8,128)(*,4)S(5)}) custom-call(a), custom_call_target="x\"y", sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, backend_config={a: "}"}
}`, `HloModule l, input_output_alias={ {1}: (0, {2}, may-alias) }, entry_computation_layout={()->(f32[2,2]{0,1:T(8,128)(*,4)S(5)})}, unknown={a={b=")"}}

ENTRY %e () -> (f32[2,2]{0,1:T(8,128)(*,4)S(5)}) {
  %a = f32[2,2] constant({{1, -inf}, {nan, 0.001}})
  %b = c64[1] constant({(1, -2)})
  %c = (s4[], pred[2]) constant((-3, {true, false}))
  %d = u64[] constant(18446744073709551615)
  %f = f32[3] constant({...})
  %g = f32[] constant(-nan(0x12))
  ROOT %t = (f32[2,2]{0,1:T(8,128)(*,4)S(5)}) custom-call(%a), custom_call_target="x\"y", sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}, backend_config={a: "}"}
}

`},
		{"computation in place, async by name", `e {
  a = f32[4] parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(a, z), dimensions={0}, to_apply={ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
  s = ((f32[]), f32[], u32[]) negate-start(r)
  ROOT d = f32[] negate-done(s)
}`, `HloModule module_e, entry_computation_layout={(f32[4])->f32[]}

%computation.1 (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y)
}

%async_computation.2 (param.0: f32[]) -> f32[] {
  %param.0 = f32[] parameter(0)
  ROOT %negate = f32[] negate(%param.0)
}

ENTRY %e (a: f32[4]) -> f32[] {
  %a = f32[4] parameter(0)
  %z = f32[] constant(0)
  %r = f32[] reduce(%a, %z), dimensions={0}, to_apply=%computation.1
  %s = ((f32[]), f32[], u32[]) async-start(%r), calls=%async_computation.2
  ROOT %d = f32[] async-done(%s)
}

`},
	} {
		m, err := Parse([]byte(c.src), "t")
		if err == nil {
			err = hlo.Verify(m)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := string(text(t, m, Options{})); got != c.want {
			t.Errorf("%s: printed\n%s\nwant\n%s", c.name, got, c.want)
		}
		fixedPoint(t, m)
	}
}

func TestRejects(t *testing.T) {
	for _, c := range []struct{ src, code string }{
		{"", CodeSyntax}, {"HloModule", CodeSyntax}, {"HloModule a", CodeSyntax}, {"e {", CodeSyntax}, {"e { }", CodeSyntax},
		{"e { a = f32[2] parameter(0)", CodeSyntax},
		{"e { a = f32[2] parameter(1) }", CodeParam},
		{"e { a = f32[2] parameter(0)\n b = f32[2] parameter(0) }", CodeParam},
		{"e { a = f32[2] parameter(0)\n a = f32[2] parameter(1) }", CodeTwice},
		{"e { b = f32[2] add(a, a) }", CodeUndefined},
		{"e { a = f32[2] parameter(0)\n b = f32[2] frob(a) }", CodeOpcode},
		{"e { a = f32[2] constant({1}) }", CodeLiteral}, {"e { a = s8[] constant(1000) }", CodeLiteral},
		{"e { a = f32[2,2] constant({1, 2, 3, 4}) }", CodeSyntax},
		{"e { a = f32[9223372036854775807,9223372036854775807] parameter(0) }", CodeShape},
		{"e { a = f32[2]{1} parameter(0) }", CodeShape}, {"e { a = q7[] parameter(0) }", CodeShape},
		{"e { a = f32[2] call(), to_apply=e }", CodeCycle}, {"e { a = f32[2] call(), to_apply=f }", CodeUndefined},
		{"e { a = f32[1000000000000] constant({...}) ROOT b = f32[1000000000000] add(c, c) }", CodeUndefined},
		{"e { a = " + strings.Repeat("(", 100000) + " parameter(0) }", CodeLimit},
		{"e { a = f32[] negate(" + strings.Repeat("f32[] negate(", 100000), CodeLimit},
		{"e { a = f32[] parameter(0), sharding=" + strings.Repeat("{", 100000), CodeLimit},
	} {
		_, err := Parse([]byte(c.src), "t")
		if diag.Code(err) != c.code {
			t.Errorf("%.80s: got %v, want code %s", c.src, err, c.code)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("HloModule a, is_scheduled=true\nENTRY e {\n a = f32[2]{0} parameter(0), sharding={replicated}\n ROOT b = f32[2] add(a, a), metadata={op_name=\"x\"}\n}")
	f.Add("e { a = f32[1,2]{1,0:T(8)} constant({{nan(0x1), 2}})\n b = (f32[], s4[]) custom-call(a), backend_config={x}, window={size=3 pad=1_1} }")
	f.Fuzz(func(t *testing.T, src string) {
		ms, err := ParseAll([]byte(src), "fuzz")
		if err != nil {
			return
		}
		for _, m := range ms {
			if hlo.Verify(m) != nil {
				continue
			}
			one := text(t, m, Options{})
			again, err := Parse(one, "printed")
			if err != nil {
				t.Fatalf("%v\n%s", err, one)
			}
			if two := text(t, again, Options{}); !bytes.Equal(one, two) {
				t.Fatalf("printed as\n%s\nthen as\n%s", one, two)
			}
		}
	})
}

func TestBenchmarks(t *testing.T) {
	for _, f := range conformance(t, "benchmarks") {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		start := time.Now()
		m, err := Parse(src, name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := hlo.Verify(m); err != nil {
			t.Errorf("%v", err)
			continue
		}
		if d := time.Since(start); d > time.Second {
			t.Logf("%s: %d bytes read and verified in %v", name, len(src), d)
		}
		fixedPoint(t, m)
	}
}

func TestXLATests(t *testing.T) {
	files := conformance(t, "tests")
	ok, verified, parts := 0, 0, 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		for start := 0; start < len(src); {
			end := splitAt(src, start)
			part := src[start:end]
			if nl := bytes.IndexByte(src[end:], '\n'); nl >= 0 {
				end += nl + 1
			} else {
				end = len(src)
			}
			start = end
			m, err := parsePart(part, name, 1)
			if m == nil && err == nil {
				continue
			}
			parts++
			if err != nil {
				t.Logf("%v", err)
				continue
			}
			ok++
			if err := hlo.Verify(m); err != nil {
				t.Logf("verify: %v", err)
			} else {
				verified++
			}
			fixedPoint(t, m)
		}
	}
	t.Logf("%d of %d modules parse, %d verify", ok, parts, verified)
	if ok*100 < parts*97 {
		t.Errorf("fewer than 97 %% parse")
	}
}
