package penguin

import (
	"github.com/alcadev/alca/internal/pelican"
)

// Fill is the payload of fill: the bit pattern stored in every element, in the output's element type.
type Fill struct{ Bits uint64 }

// Iota is the payload of iota: the stored integer as an expression of the instruction's axes, converted to the
// output's element type.
type Iota struct{ Value pelican.Expr }

// Compare is the payload of compare.
type Compare struct {
	Dir   string // EQ NE GE GT LE LT
	Total bool   // floats by IEEE total order: -NaN < -Inf < ... < -0 < +0 < ... < +NaN
}

// Combine is the payload of reduce and scatter: the elementwise row that joins two values ("add", "multiply",
// "maximum", "minimum", "and", "or", "xor"). In scatter "" overwrites.
type Combine struct{ Op string }

// ReducePrecision is the payload of reduce_precision.
type ReducePrecision struct{ Exp, Mantissa int }

func (*Fill) penguinAttrs()            {}
func (*Iota) penguinAttrs()            {}
func (*Compare) penguinAttrs()         {}
func (*Combine) penguinAttrs()         {}
func (*ReducePrecision) penguinAttrs() {}
