package bytecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

func conformanceDir(t *testing.T) string {
	dir := os.Getenv("ALCA_CONFORMANCE")
	if dir == "" {
		dir = "../../../../../shared/conformance"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	return dir
}

// TestArtefacts reads the portable artefacts of the released versions and compares them with their textual twins.
func TestArtefacts(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(conformanceDir(t), "stablehlo/tests/vhlo/*.mlir.bc"))
	if len(files) == 0 {
		t.Skip("skipped: there are no portable artefacts (stablehlo/tests/vhlo/*.mlir.bc) in the conformance folder")
	}
	twins := 0
	for _, f := range files {
		base := filepath.Base(f)
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read(data, base)
		if strings.HasPrefix(base, "invalid_vhlo_future") {
			if err == nil {
				t.Errorf("%s: an artefact of the future is accepted", base)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if err := hlo.Verify(m); err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		src, err := os.ReadFile(strings.TrimSuffix(f, ".bc"))
		if err != nil {
			continue
		}
		twin, err := mlir.Parse(src, base)
		if err != nil {
			t.Errorf("%s: twin: %v", base, err)
			continue
		}
		twins++
		hlo.DropDefaults(twin)
		if d := firstDiff(mlir.Text(m), mlir.Text(twin)); d != "" {
			t.Errorf("%s: %s", base, d)
		}
	}
	t.Logf("%d artefacts, %d with a textual twin", len(files), twins)
}

func firstDiff(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			w := ""
			if i < len(y) {
				w = y[i]
			}
			return "line " + x[i] + "\n      twin " + w
		}
	}
	if len(y) > len(x) {
		return "the twin has more lines"
	}
	return ""
}

// tiny is a bytecode file cut from nothing: truncations and garbage must be refused, never panic.
func TestGarbageIsRefused(t *testing.T) {
	for _, s := range []string{"", "ML", Magic, Magic + "\x0d", Magic + "\x0dStableHLO_v9.0.0\x00", Magic + "\x0dx\x00\x00\xff", Magic + "\x0dx\x00" + strings.Repeat("\x01", 64)} {
		if _, err := Read([]byte(s), "x"); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(Magic + "\x0dStableHLO_v1.0.0\x00"))
	if dir := os.Getenv("ALCA_CONFORMANCE"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "stablehlo/tests/vhlo/*.mlir.bc"))
		for _, x := range files {
			if b, err := os.ReadFile(x); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(b, "fuzz")
		if err == nil {
			_ = hlo.Verify(m)
		}
	})
}
