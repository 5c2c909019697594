// Package lower turns hlo into op-level penguin.
//
// Every hlo value becomes a view: a tensor and, for each of its dimensions, an index expression over the value's own
// dimensions d0, d1, ... Broadcast, transpose, slice, reverse and reshape only make new views; ops that compute
// read their operands through them:
//
//	%1 = stablehlo.transpose %x, dims = [1, 0]        view x[d1, d0]
//	%2 = stablehlo.broadcast_in_dim %b, dims = [1]    view b[d1]
//	%3 = stablehlo.add %1, %2                         add(x[d1, d0], b[d1]) -> t[d0, d1]
//
// Values are in DRAM, row-major, as far as this package knows; where they really live is decided later.
package lower
