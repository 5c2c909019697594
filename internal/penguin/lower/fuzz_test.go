package lower

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/penguin"
)

// FuzzLower: a module that the hlo verifier accepts is lowered to one that the penguin verifier accepts, or refused.
func FuzzLower(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.mlir")
	for _, n := range files {
		if src, err := os.ReadFile(n); err == nil {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := mlir.Parse(src, "fuzz.mlir")
		if err != nil || hlo.Verify(m) != nil {
			return
		}
		pm, err := Module(m, Options{Gen: 3})
		if err != nil {
			return
		}
		if err := penguin.Verify(pm); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
	})
}
