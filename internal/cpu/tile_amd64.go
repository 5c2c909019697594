package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func tileF32(k int, a, b, c unsafe.Pointer, ldc int)

//go:noescape
func tileF64(k int, a, b, c unsafe.Pointer, ldc int)

// haveTiles reports whether the register tiles can be used.
var haveTiles = cpu.X86.HasAVX2
