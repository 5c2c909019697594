package opt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/gen"
	"github.com/alcadev/alca/internal/hlo/mlir"
)

// FuzzPipelines asks that whatever is a valid module stays one, or is refused with a diagnostic.
func FuzzPipelines(f *testing.F) {
	files, _ := filepath.Glob("../../../examples/*.mlir")
	for _, n := range files {
		if src, err := os.ReadFile(n); err == nil && len(src) < 1<<15 {
			f.Add(src)
		}
	}
	for seed := range uint64(40) {
		f.Add([]byte(mlir.Text(gen.Module(seed, gen.Options{Ops: 6, MaxDim: 5, Control: seed%2 == 0}))))
	}
	for _, body := range []string{
		`%0 = chlo.lgamma %x : tensor<4x4xf32> -> tensor<4x4xf32>`,
		`%0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>`,
		`%0:2 = chlo.top_k(%x, k = 3) : tensor<4x4xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)`,
		`%0 = "stablehlo.einsum"(%x, %x) {einsum_config = "ij,jk->ki"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>`,
		`%i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<4x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>`,
		`%s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
    %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)`,
		`%s = stablehlo.constant dense<[2, 8]> : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>`,
	} {
		f.Add([]byte(wrap("(%x: tensor<4x4xf32>)", body+"\n    return")))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := mlir.Parse(src, "fuzz.mlir")
		if err != nil || hlo.Verify(m) != nil {
			return
		}
		for _, level := range []int{0, 2} {
			c := m.Clone()
			if err := runPasses(c, Pipeline(level)...); err != nil && (diag.IsInternal(err) || diag.Code(err) != CodeRecursion && diag.Code(err) != CodeSize) {
				t.Fatalf("-O%d: %v", level, err)
			}
		}
	})
}
