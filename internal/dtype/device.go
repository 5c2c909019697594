package dtype

import (
	"encoding/binary"
	"math"
)

// RowToF32 converts the little-endian elements of src to float32, as a device does when it loads an operand
// (semantics.md 3.2). It reports false for a type no engine loads.
func RowToF32(dst []float32, src []byte, t Type) bool {
	switch t {
	case F32, TF32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case BF16:
		for i := range dst {
			dst[i] = BF16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case F16:
		for i := range dst {
			dst[i] = F16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case I1, U8, U4, U2, F8E8M0FNU: // a generic load of a scale byte is its integer value
		for i := range dst {
			dst[i] = float32(src[i])
		}
	case I8, I4, I2:
		for i := range dst {
			dst[i] = float32(int8(src[i]))
		}
	case U16:
		for i := range dst {
			dst[i] = float32(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case I16:
		for i := range dst {
			dst[i] = float32(int16(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case U32:
		for i := range dst {
			dst[i] = float32(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case I32:
		for i := range dst {
			dst[i] = float32(int32(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case U64:
		for i := range dst {
			dst[i] = float32(binary.LittleEndian.Uint64(src[8*i:]))
		}
	case I64:
		for i := range dst {
			dst[i] = float32(int64(binary.LittleEndian.Uint64(src[8*i:])))
		}
	default:
		tab := decodeTables[t]
		if tab == nil {
			return false
		}
		for i := range dst {
			dst[i] = tab[src[i]]
		}
	}
	return true
}

// RowFromF32 rounds float32 values to t and stores them little-endian, as a device does when it writes a result:
// nearest even; integers saturate and NaN becomes the end of the range its sign points to; eight-bit floats
// saturate. It reports false for a type no engine stores.
func RowFromF32(dst []byte, src []float32, t Type) bool {
	switch t {
	case F32:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
	case TF32:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(RoundTF32(v)))
		}
	case BF16:
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], F32ToBF16(v))
		}
	case F16:
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], F32ToF16(v))
		}
	case I1, U8, I8, F8E8M0FNU:
		ty := t
		if t == F8E8M0FNU || t == I1 {
			ty = U8
		}
		for i, v := range src {
			dst[i] = byte(SatInt(v, ty))
		}
	case U16, I16:
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(SatInt(v, t)))
		}
	case U32, I32:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(SatInt(v, t)))
		}
	case I64:
		for i, v := range src {
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(SatInt(v, t)))
		}
	default:
		f, ok := formats[t]
		if !ok || info[t].size != 1 {
			return false
		}
		for i, v := range src {
			dst[i] = byte(f.encode(float64(v), true))
		}
	}
	return true
}

// RoundTF32 rounds to ten mantissa bits, nearest even.
func RoundTF32(v float32) float32 {
	u := math.Float32bits(v)
	if u&0x7F800000 == 0x7F800000 {
		return v
	}
	u += 0xFFF + u>>13&1
	return math.Float32frombits(u &^ 0x1FFF)
}

// SatInt converts to an integer of type t: nearest even, saturating; NaN takes the end of the range its sign bit
// points to.
func SatInt(v float32, t Type) int64 {
	lo, hi := info[t].lo, info[t].hi
	if v != v {
		if math.Signbit(float64(v)) {
			return lo
		}
		return hi
	}
	r := math.RoundToEven(float64(v))
	if r <= float64(lo) {
		return lo
	}
	if r >= float64(hi) {
		return hi
	}
	return int64(r)
}
