// Package pelican holds symbolic integer expressions over loop axes and run-time values: the index algebra of
// Penguin and BIR.
//
// An Expr is immutable and interned: two expressions that the constructors bring to the same canonical form are
// the same pointer, so == is equality. Expressions are built only by the constructors, which simplify:
//
//	i := pelican.NewVar("i", 0, 12, 1)
//	j := pelican.NewVar("j", 0, 3, 1)
//	e := pelican.Add(pelican.Mul(i, 4), j, pelican.Const(5))  // 4*i + j + 5
//	pelican.FloorDiv(e, 4)                                    // i + 1, because 0 <= j + 1 <= 3
//	pelican.Mod(e, 4)                                         // j + 1
//
// There are six kinds of node: Const, Var (a loop axis), Runtime (a value known only when the program runs), Sum
// (constant + coefficient*term, the terms being of the other non-constant kinds), FloorDiv and Mod. Division
// rounds toward minus infinity and the modulus lies in [0, d). A constructor that would overflow 64 bits, or
// divide by a number below one, returns the Invalid expression, which absorbs everything built on it.
package pelican
