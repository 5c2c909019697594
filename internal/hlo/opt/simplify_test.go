package opt

import "testing"

func TestSimplify(t *testing.T) {
	checkRewrites(t, []string{"simplify", "hlo-dce"}, []rewriteCase{
		{name: "transposes cancel", sig: "(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32>",
			before: `%0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
				%1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
				return %1 : tensor<2x3x4xf32>`,
			after: `return %a : tensor<2x3x4xf32>`},
		{name: "transposes join", sig: "(%a: tensor<2x3x4xf32>) -> tensor<3x4x2xf32>",
			before: `%0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
				%1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
				return %1 : tensor<3x4x2xf32>`,
			after: `%1 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
				return %1 : tensor<3x4x2xf32>`},
		{name: "broadcasts join", sig: "(%a: tensor<3xf32>) -> tensor<5x3xf32>",
			before: `%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
				%1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
				return %1 : tensor<5x3xf32>`,
			after: `%1 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
				return %1 : tensor<5x3xf32>`},
		{name: "integer identity", sig: "(%a: tensor<4xi32>) -> tensor<4xi32>",
			before: `%c = stablehlo.constant dense<0> : tensor<4xi32>
				%0 = stablehlo.add %a, %c : tensor<4xi32>
				return %0 : tensor<4xi32>`,
			after: `return %a : tensor<4xi32>`},
		{name: "value of a loop body", sig: "(%a: tensor<4xi32>, %p: tensor<i1>) -> tensor<4xi32>",
			before: `%0 = stablehlo.convert %a : tensor<4xi32>
				%1 = "stablehlo.if"(%p) ({
				  %2 = stablehlo.negate %0 : tensor<4xi32>
				  stablehlo.return %2 : tensor<4xi32>
				}, {
				  stablehlo.return %0 : tensor<4xi32>
				}) : (tensor<i1>) -> tensor<4xi32>
				return %1 : tensor<4xi32>`,
			after: `%1 = "stablehlo.if"(%p) ({
				  %2 = stablehlo.negate %a : tensor<4xi32>
				  stablehlo.return %2 : tensor<4xi32>
				}, {
				  stablehlo.return %a : tensor<4xi32>
				}) : (tensor<i1>) -> tensor<4xi32>
				return %1 : tensor<4xi32>`},
		{name: "float identity stays", sig: "(%a: tensor<4xf32>) -> tensor<4xf32>",
			before: `%c = stablehlo.constant dense<0.0> : tensor<4xf32>
				%0 = stablehlo.add %a, %c : tensor<4xf32>
				return %0 : tensor<4xf32>`},
	})
}

func TestFoldConstants(t *testing.T) {
	checkRewrites(t, []string{"fold-constants", "hlo-dce"}, []rewriteCase{
		{name: "broadcast of a splat", sig: "() -> tensor<64x99xf32>",
			before: `%0 = stablehlo.constant dense<2.0> : tensor<f32>
				%1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x99xf32>
				return %1 : tensor<64x99xf32>`,
			after: `%1 = stablehlo.constant dense<2.0> : tensor<64x99xf32>
				return %1 : tensor<64x99xf32>`},
		{name: "splats of many elements", sig: "() -> tensor<999x999xi32>",
			before: `%0 = stablehlo.constant dense<3> : tensor<999x999xi32>
				%1 = stablehlo.multiply %0, %0 : tensor<999x999xi32>
				return %1 : tensor<999x999xi32>`,
			after: `%1 = stablehlo.constant dense<9> : tensor<999x999xi32>
				return %1 : tensor<999x999xi32>`},
		{name: "arithmetic", sig: "() -> tensor<2xi32>",
			before: `%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
				%1 = stablehlo.constant dense<10> : tensor<2xi32>
				%2 = stablehlo.multiply %0, %1 : tensor<2xi32>
				return %2 : tensor<2xi32>`,
			after: `%2 = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
				return %2 : tensor<2xi32>`},
		{name: "large results stay", sig: "() -> tensor<2x4097xi32>",
			before: `%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
				%1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xi32>) -> tensor<2x4097xi32>
				return %1 : tensor<2x4097xi32>`},
		{name: "arguments stay", sig: "(%a: tensor<2xi32>) -> tensor<2xi32>",
			before: `%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
				%1 = stablehlo.add %a, %0 : tensor<2xi32>
				return %1 : tensor<2xi32>`},
	})
}
