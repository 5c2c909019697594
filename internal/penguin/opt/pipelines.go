// Package opt holds the rewrites over op-level penguin, one file each.
//
// A pass sees straight-line lists of comprehensions. Most of them look at one tensor's only writer:
//
//	add(x[i, j], b[j]) -> t[i, j]        t is written once, every element by its own point
//	tanh(t[i, j]) -> y[i, j]             so t's readers may read the writer's operands instead
package opt

import (
	"github.com/alcadev/alca/internal/pass"
	"github.com/alcadev/alca/internal/penguin"
)

var registry pass.Registry[*penguin.Module]

// Registry returns the passes of this level.
func Registry() *pass.Registry[*penguin.Module] { return &registry }

// pipeline is the order of the passes and the lowest level that runs each.
var pipeline = []struct {
	name  string
	level int
}{
	{"fold-identities", 1},
	{"penguin-cse", 1},
	{"match-gelu", 1},
	{"penguin-dce", 0},
	{"slice", 1},
}

// Pipeline returns the names of the passes of an optimisation level, in order.
func Pipeline(level int) []string {
	var out []string
	for _, p := range pipeline {
		if level >= p.level {
			out = append(out, p.name)
		}
	}
	return out
}
