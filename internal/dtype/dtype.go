// Package dtype names the element types of every IR level and casts between them bit for bit.
package dtype

// Type is an element type. The zero Type is invalid.
type Type uint8

// The element types. Names follow StableHLO where it has one.
const (
	Invalid Type = iota
	I1           // boolean, one byte a value in memory (0 or 1)
	I2
	I4
	I8
	I16
	I32
	I64
	U2
	U4
	U8
	U16
	U32
	U64
	F4E2M1FN
	F6E2M3FN
	F6E3M2FN
	F8E3M4
	F8E4M3
	F8E4M3FN
	F8E4M3FNUZ
	F8E4M3B11FNUZ
	F8E5M2
	F8E5M2FNUZ
	F8E8M0FNU
	BF16
	F16
	TF32 // stored in four bytes
	F32
	F64
	C64
	C128
	numTypes
)
