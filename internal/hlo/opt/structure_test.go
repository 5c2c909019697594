package opt

import "testing"

func TestCSE(t *testing.T) {
	checkRewrites(t, []string{"hlo-cse"}, []rewriteCase{
		{name: "chain of equal values", sig: "(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32>",
			before: `%0 = stablehlo.add %x, %y : tensor<4xf32>
				%1 = stablehlo.add %x, %y : tensor<4xf32>
				%2 = stablehlo.negate %0 : tensor<4xf32>
				%3 = stablehlo.negate %1 : tensor<4xf32>
				%4 = stablehlo.multiply %2, %3 : tensor<4xf32>
				return %4 : tensor<4xf32>`,
			after: `%0 = stablehlo.add %x, %y : tensor<4xf32>
				%1 = stablehlo.negate %0 : tensor<4xf32>
				%2 = stablehlo.multiply %1, %1 : tensor<4xf32>
				return %2 : tensor<4xf32>`},
		{name: "attributes and result types differ", sig: "(%x: tensor<4xi8>) -> (tensor<4xi16>, tensor<4xi32>, tensor<2xi8>, tensor<2xi8>)",
			before: `%0 = stablehlo.convert %x : (tensor<4xi8>) -> tensor<4xi16>
				%1 = stablehlo.convert %x : (tensor<4xi8>) -> tensor<4xi32>
				%2 = stablehlo.slice %x [0:2] : (tensor<4xi8>) -> tensor<2xi8>
				%3 = stablehlo.slice %x [1:3] : (tensor<4xi8>) -> tensor<2xi8>
				return %0, %1, %2, %3 : tensor<4xi16>, tensor<4xi32>, tensor<2xi8>, tensor<2xi8>`},
		{name: "constants by value", sig: "() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)",
			before: `%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
				%1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
				%2 = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
				return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>`,
			after: `%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
				%1 = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
				return %0, %0, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>`},
		{name: "a region uses what stands outside, not the reverse", sig: "(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>)",
			before: `%0 = stablehlo.negate %x : tensor<f32>
				%1 = "stablehlo.if"(%p) ({
					%2 = stablehlo.negate %x : tensor<f32>
					%3 = stablehlo.sine %2 : tensor<f32>
					stablehlo.return %3 : tensor<f32>
				}, {
					stablehlo.return %x : tensor<f32>
				}) : (tensor<i1>) -> tensor<f32>
				%4 = stablehlo.sine %0 : tensor<f32>
				return %1, %4 : tensor<f32>, tensor<f32>`,
			after: `%0 = stablehlo.negate %x : tensor<f32>
				%1 = "stablehlo.if"(%p) ({
					%3 = stablehlo.sine %0 : tensor<f32>
					stablehlo.return %3 : tensor<f32>
				}, {
					stablehlo.return %x : tensor<f32>
				}) : (tensor<i1>) -> tensor<f32>
				%4 = stablehlo.sine %0 : tensor<f32>
				return %1, %4 : tensor<f32>, tensor<f32>`},
		{name: "random numbers stay apart", sig: "(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)",
			before: `%s = stablehlo.constant dense<2> : tensor<1xi64>
				%0 = "stablehlo.rng"(%x, %y, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
				%1 = "stablehlo.rng"(%x, %y, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
				return %0, %1 : tensor<2xf32>, tensor<2xf32>`},
	})
}

func TestDCE(t *testing.T) {
	checkRewrites(t, []string{"hlo-dce"}, []rewriteCase{
		{name: "chain, also into regions", sig: "(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32>",
			before: `%0 = stablehlo.negate %x : tensor<f32>
				%1 = stablehlo.sine %0 : tensor<f32>
				%2 = stablehlo.cosine %x : tensor<f32>
				%3 = "stablehlo.if"(%p) ({
					%4 = stablehlo.add %1, %2 : tensor<f32>
					stablehlo.return %2 : tensor<f32>
				}, {
					stablehlo.return %x : tensor<f32>
				}) : (tensor<i1>) -> tensor<f32>
				return %3 : tensor<f32>`,
			after: `%2 = stablehlo.cosine %x : tensor<f32>
				%3 = "stablehlo.if"(%p) ({
					stablehlo.return %2 : tensor<f32>
				}, {
					stablehlo.return %x : tensor<f32>
				}) : (tensor<i1>) -> tensor<f32>
				return %3 : tensor<f32>`},
		{name: "unused loop", sig: "(%x: tensor<i32>) -> tensor<i32>",
			before: `%0 = stablehlo.while(%i = %x) : tensor<i32> cond {
					%c = stablehlo.constant dense<3> : tensor<i32>
					%p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
				} do {
					%c = stablehlo.constant dense<1> : tensor<i32>
					%n = stablehlo.add %i, %c : tensor<i32>
					stablehlo.return %n : tensor<i32>
				}
				return %x : tensor<i32>`,
			after: `return %x : tensor<i32>`},
		{name: "checks and custom calls stay", sig: "(%x: tensor<f32>) -> tensor<f32>",
			before: `%0 = stablehlo.negate %x : tensor<f32>
				check.expect_eq %0, %0 : tensor<f32>
				return %x : tensor<f32>`},
	})
}
