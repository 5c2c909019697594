package opt

import (
	"strings"
	"testing"
)

func replace(s, old, by string) string { return strings.Replace(s, old, by, 1) }

const loopTo9 = `stablehlo.while(%i = %x) : tensor<i32> cond {
					%c = stablehlo.constant dense<9> : tensor<i32>
					%q = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
					GUARD
				} do {
					%n = stablehlo.add %i, %one : tensor<i32>
					stablehlo.return %n : tensor<i32>
				}`

func TestFlattenBranches(t *testing.T) {
	loop := func(guard string) string {
		if guard == "" {
			return replace(loopTo9, "GUARD", "stablehlo.return %q : tensor<i1>")
		}
		return replace(loopTo9, "GUARD", "%g = stablehlo.and %q, "+guard+" : tensor<i1>\nstablehlo.return %g : tensor<i1>")
	}
	checkRewrites(t, []string{"flatten-branches"}, []rewriteCase{
		{name: "loop in one branch", sig: "(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32>",
			before: `%one = stablehlo.constant dense<1> : tensor<i32>
				%0 = "stablehlo.if"(%p) ({
					%a = ` + loop("") + `
					stablehlo.return %a : tensor<i32>
				}, {
					stablehlo.return %x : tensor<i32>
				}) : (tensor<i1>) -> tensor<i32>
				return %0 : tensor<i32>`,
			after: `%one = stablehlo.constant dense<1> : tensor<i32>
				%not = stablehlo.not %p : tensor<i1>
				%a = ` + loop("%p") + `
				%0 = stablehlo.select %p, %a, %x : tensor<i1>, tensor<i32>
				return %0 : tensor<i32>`},
		{name: "case, nested", sig: "(%i0: tensor<i32>, %p: tensor<i1>, %x: tensor<i32>) -> tensor<i32>",
			before: `%one = stablehlo.constant dense<1> : tensor<i32>
				%0 = "stablehlo.case"(%i0) ({
					stablehlo.return %one : tensor<i32>
				}, {
					%1 = "stablehlo.if"(%p) ({
						stablehlo.return %x : tensor<i32>
					}, {
						%a = ` + loop("") + `
						stablehlo.return %a : tensor<i32>
					}) : (tensor<i1>) -> tensor<i32>
					stablehlo.return %1 : tensor<i32>
				}) : (tensor<i32>) -> tensor<i32>
				return %0 : tensor<i32>`,
			after: `%one = stablehlo.constant dense<1> : tensor<i32>
				%k0 = stablehlo.constant dense<0> : tensor<i32>
				%c0 = stablehlo.compare EQ, %i0, %k0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
				%k1 = stablehlo.constant dense<0> : tensor<i32>
				%lo = stablehlo.compare LT, %i0, %k1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
				%k2 = stablehlo.constant dense<1> : tensor<i32>
				%hi = stablehlo.compare GE, %i0, %k2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
				%c1 = stablehlo.or %lo, %hi : tensor<i1>
				%not = stablehlo.not %p : tensor<i1>
				%a = ` + replace(loopTo9, "GUARD", "%g = stablehlo.and %q, %not : tensor<i1>\n%h = stablehlo.and %g, %c1 : tensor<i1>\nstablehlo.return %h : tensor<i1>") + `
				%1 = stablehlo.select %p, %x, %a : tensor<i1>, tensor<i32>
				%0 = stablehlo.select %c0, %one, %1 : tensor<i1>, tensor<i32>
				return %0 : tensor<i32>`},
		{name: "no loop", sig: "(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32>",
			before: `%0 = "stablehlo.if"(%p) ({
					%a = stablehlo.negate %x : tensor<i32>
					stablehlo.return %a : tensor<i32>
				}, {
					stablehlo.return %x : tensor<i32>
				}) : (tensor<i1>) -> tensor<i32>
				return %0 : tensor<i32>`},
	})
}
