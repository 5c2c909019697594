// Package pelican holds symbolic integer expressions over loop axes and run-time values: the index algebra of
// Penguin and BIR (spec: quasi-affine expressions with floor division and modulo).
package pelican

// Expr is an immutable, interned expression: equal expressions are the same pointer. The zero value nil is
// not an expression; use Const(0).
type Expr = *Node
