package hlopb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
)

func files(t *testing.T, sub string) []string {
	root := os.Getenv("ALCA_CONFORMANCE")
	if root == "" {
		root = "../../../../shared/conformance"
	}
	out, _ := filepath.Glob(filepath.Join(root, "xla-hlo", sub, "*.hlo"))
	if len(out) == 0 {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	return out
}

func text(t *testing.T, m *hlo.Module) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := hlotext.Print(&b, m, hlotext.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// roundTrip writes a module as protobuf, reads it and compares canonical text.
func roundTrip(t *testing.T, name string, m *hlo.Module) bool {
	t.Helper()
	want := text(t, m)
	pb, err := Write(m, Options{})
	if err != nil {
		t.Errorf("%s: write: %v", name, err)
		return false
	}
	if !Detect(pb) {
		t.Errorf("%s: not recognised", name)
	}
	back, err := Read(pb, name)
	if err != nil {
		t.Errorf("%s: read: %v", name, err)
		return false
	}
	got := text(t, back)
	if bytes.Equal(got, want) {
		return true
	}
	a, b := bytes.Split(want, []byte{'\n'}), bytes.Split(got, []byte{'\n'})
	for i := range a {
		if i >= len(b) || !bytes.Equal(a[i], b[i]) {
			t.Errorf("%s: line %d was\n%.400s\nand is\n%.400s", name, i+1, a[i], b[min(i, len(b)-1)])
			return false
		}
	}
	return false
}

func TestFiles(t *testing.T) {
	for _, sub := range []string{"benchmarks", "tests"} {
		ok, all := 0, 0
		for _, f := range files(t, sub) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && len(src) > 1<<19 {
				continue
			}
			ms, err := hlotext.ParseAll(src, filepath.Base(f))
			if err != nil {
				continue
			}
			for _, m := range ms {
				all++
				if roundTrip(t, filepath.Base(f), m) {
					ok++
				}
			}
		}
		t.Logf("%s: %d of %d modules have equal text after protobuf", sub, ok, all)
	}
}
