// Package opt holds the rewrites over hlo, one file each.
//
// A pass's comment is its specification, before => after. Most are sets of rules, each for one op:
//
//	rule(b, o) appends to b what computes o's results and returns them, or nil to keep o
//
// Rules see operands already rewritten. After a pass the module verifies, and means what it did before: bit for
// bit, except where a comment says that floats are rounded at other places.
package opt
