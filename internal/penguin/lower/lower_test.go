package lower

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/penguin"
	"github.com/alcadev/alca/internal/tensor"
)

// floats reads a tensor of floats or integers as float64.
func floats(t *tensor.Tensor) []float64 {
	n := t.Type.Size()
	out := make([]float64, len(t.Data)/n)
	for i := range out {
		if t.Type.IsFloat() {
			out[i] = t.Type.FloatOf(bitsOf(t.Data[i*n : (i+1)*n]))
		} else {
			out[i] = float64(intAt(t, i))
		}
	}
	return out
}

// distance is max|a-b| / max|b|; NaN matches NaN, and infinities themselves.
func distance(a, b *tensor.Tensor) float64 {
	x, y := floats(a), floats(b)
	if len(x) != len(y) {
		return math.Inf(1)
	}
	var d, m float64
	for i := range x {
		if x[i] == y[i] || x[i] != x[i] && y[i] != y[i] {
			continue
		}
		e := math.Abs(x[i] - y[i])
		if e != e || math.IsInf(e, 0) {
			return math.Inf(1)
		}
		d = max(d, e)
	}
	for _, v := range y {
		if !math.IsInf(v, 0) && v == v {
			m = max(m, math.Abs(v))
		}
	}
	if d == 0 {
		return 0
	}
	return d / max(m, 1e-30)
}

func tolerance(t dtype.Type) float64 {
	switch t {
	case dtype.BF16:
		return 2e-2
	case dtype.F16:
		return 3e-3
	}
	if t.IsFloat() && t.Size() == 4 {
		return 2e-5
	}
	if t.IsFloat() {
		return 0.2
	}
	return 0
}

// again verifies m, writes its text form and returns what reading that gives, which must print the same.
func again(m *penguin.Module) (*penguin.Module, error) {
	if err := penguin.Verify(m); err != nil {
		return nil, err
	}
	var a, b bytes.Buffer
	if err := penguin.Print(&a, m); err != nil {
		return nil, err
	}
	n, err := penguin.Parse(a.Bytes(), "again.pir")
	if err != nil {
		return nil, err
	}
	if err := penguin.Print(&b, n); err != nil {
		return nil, err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return nil, fmt.Errorf("text form is not a fixed point")
	}
	return n, penguin.Verify(n)
}

func run(m *hlo.Module, inputs map[string]*tensor.Tensor) error {
	var checks []Check
	pm, err := Module(m, Options{Gen: 3, Checks: &checks})
	if err != nil {
		return err
	}
	if len(checks) == 0 {
		return fmt.Errorf("nothing to check")
	}
	if pm, err = again(pm); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	out, err := penguin.Exec(ctx, pm, inputs)
	if err != nil {
		return err
	}
	for _, c := range checks {
		if len(c.Outputs) != 2 {
			return fmt.Errorf("%s is not handled here", c.Name)
		}
		got, want := out[c.Outputs[0]], out[c.Outputs[1]]
		if d := distance(got, want); d > tolerance(got.Type) {
			return fmt.Errorf("WRONG %s: off by %g", c.Name, d)
		}
	}
	return nil
}

// TestConformance lowers and interprets the public programs and counts what agrees with their expected values.
func TestConformance(t *testing.T) {
	root := os.Getenv("ALCA_CONFORMANCE")
	if root == "" {
		root = "../../../../shared/conformance"
	}
	dir := filepath.Join(root, "stablehlo", "testdata")
	files, _ := filepath.Glob(filepath.Join(dir, "*.mlir"))
	if len(files) == 0 {
		t.Skipf("no conformance data in %s", dir)
	}
	if testing.Short() {
		t.Skip("skipped with -short: lowers and runs the public programs")
	}
	pass, wrong, total := 0, 0, 0
	reasons := map[string][]string{}
	step := 1
	if os.Getenv("ALCA_LOWER_ALL") == "" {
		step = 7
	}
	for i := 0; i < len(files); i += step {
		f := files[i]
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mlir.Parse(src, filepath.Base(f))
		if err != nil {
			continue
		}
		total++
		err = func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("PANIC %v", r)
				}
			}()
			return run(m, nil)
		}()
		if err == nil {
			pass++
			continue
		}
		msg := err.Error()
		if diag.Code(err) == codeUnsupported {
			msg = msg[strings.Index(msg, "[PEN"):]
			if k := strings.Index(msg, "\n"); k > 0 {
				msg = msg[:k]
			}
		} else {
			wrong++
			if k := strings.Index(msg, "off by"); k > 0 {
				msg = msg[:k]
			}
			t.Logf("%s: %v", filepath.Base(f), err)
		}
		reasons[msg] = append(reasons[msg], filepath.Base(f))
	}
	var keys []string
	for k := range reasons {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(a, b int) bool { return len(reasons[keys[a]]) > len(reasons[keys[b]]) })
	for _, k := range keys {
		t.Logf("%4d %s (%s)", len(reasons[k]), k, reasons[k][0])
	}
	t.Logf("%d of %d agree, %d wrong", pass, total, wrong)
	if wrong > 0 {
		t.Errorf("%d programs give a wrong result", wrong)
	}
}
