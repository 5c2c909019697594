// Package tensor holds host arrays: a dense row-major buffer, its element type and shape.
package tensor

import "github.com/alcadev/alca/internal/dtype"

// Tensor is a dense row-major host array. Data holds the elements little-endian, dtype.Type.Size bytes each
// (types narrower than a byte take one byte an element). Data is always allocated 8-byte aligned, so the
// typed views (F32, I64, ...) share its memory. The zero Tensor is invalid; use New.
type Tensor struct {
	Type  dtype.Type
	Shape []int // empty for a scalar
	Data  []byte
}

// New returns a zeroed tensor.
func New(t dtype.Type, shape ...int) *Tensor {
	n := t.Size()
	for _, d := range shape {
		n *= d
	}
	// A capacity that is a multiple of eight makes the allocator align the buffer to eight bytes.
	return &Tensor{Type: t, Shape: shape, Data: make([]byte, n, (n+7)&^7)}
}
