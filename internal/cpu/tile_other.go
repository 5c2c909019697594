//go:build !amd64

package cpu

import "unsafe"

const haveTiles = false

func tileF32(k int, a, b, c unsafe.Pointer, ldc int) { panic("no tiles on this machine") }

func tileF64(k int, a, b, c unsafe.Pointer, ldc int) { panic("no tiles on this machine") }
