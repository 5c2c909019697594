package opt

import "testing"

func TestContractions(t *testing.T) {
	for _, c := range []struct{ name, sig, before, after string }{
		{"dot", "(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32>",
			`%0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>`,
			`%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>`},
		{"einsum with batch, transposed", "(%x: tensor<5x2x3xf32>, %y: tensor<3x5x4xf32>) -> tensor<4x5x2xf32>",
			`%0 = "stablehlo.einsum"(%x, %y) {einsum_config = "bik,kbj->jbi"} : (tensor<5x2x3xf32>, tensor<3x5x4xf32>) -> tensor<4x5x2xf32>
			return %0 : tensor<4x5x2xf32>`,
			`%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<5x2x3xf32>, tensor<3x5x4xf32>) -> tensor<5x2x4xf32>
			%1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<5x2x4xf32>) -> tensor<4x5x2xf32>
			return %1 : tensor<4x5x2xf32>`},
		{"a letter twice stays", "(%x: tensor<3x3xf32>) -> tensor<3xf32>",
			`%0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
			return %0 : tensor<3xf32>`, ""},
		{"torch_index_select", "(%x: tensor<5x1x5xf32>, %i: tensor<2xi32>) -> tensor<5x1x2xf32>",
			`%0 = "stablehlo.torch_index_select"(%x, %i) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<5x1x5xf32>, tensor<2xi32>) -> tensor<5x1x2xf32>
			return %0 : tensor<5x1x2xf32>`,
			`%0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 5, 1, 1>} : (tensor<5x1x5xf32>, tensor<2xi32>) -> tensor<5x1x2xf32>
			return %0 : tensor<5x1x2xf32>`},
		{"torch_index_select in batches", "(%x: tensor<4x5x6xf32>, %i: tensor<4x2xi32>) -> tensor<4x2x6xf32>",
			`%0 = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<4x5x6xf32>, tensor<4x2xi32>) -> tensor<4x2x6xf32>
			return %0 : tensor<4x2x6xf32>`,
			`%0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>} : (tensor<4x5x6xf32>, tensor<4x2xi32>) -> tensor<4x2x6xf32>
			return %0 : tensor<4x2x6xf32>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, wrap(c.sig, c.before))
			if err := runPasses(m, "decompose"); err != nil {
				t.Fatal(err)
			}
			if c.after == "" {
				c.after = c.before
			}
			if got, want := text(t, m), text(t, parse(t, wrap(c.sig, c.after))); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
