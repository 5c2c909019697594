// Package penguin is the tile-and-loop IR between hlo and bir, in two levels that share one structure.
//
// A Module holds Funcs; a Func holds Tensors and a body of statements: instructions (Inst), loops (Loop, While), named
// regions (Scope) and groups that one template emits together (Cluster).
//
// At op level an instruction is a comprehension: for every point of its axes it combines the elements that its accesses
// name, by a row of the op table. Index expressions are pelican's; broadcast, transpose, slice, reverse, reshape and
// convolution windows are index expressions, not ops:
//
//	module m gen=3 {
//	 func main {
//	  tensor a : f32 [4,8] kind=Input in dram io "a"
//	  tensor b : f32 [8,2] kind=Input in dram io "b"
//	  tensor c : f32 [4,2] kind=Output in dram io "output0"
//	  %0 = contract(a[m, k], b[k, n]) -> c[m, n] for (m: range(0,4,1) Parallel, n: range(0,2,1) Parallel | k: range(0,8,1) Parallel)
//	 }
//	}
//
// At ISA level an instruction is one hardware instruction on tiles [partition, free...] in SBUF, PSUM or DRAM, with no
// axes of its own.
//
// Package lower makes op level from hlo, opt rewrites it, isel turns it into ISA level and that into bir. Verify checks
// either level, Print and Parse are the text form (.pir), and Exec runs either level on host tensors: the middle of
// every comparison that finds which stage broke a program.
package penguin
