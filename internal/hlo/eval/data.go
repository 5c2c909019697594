package eval

import (
	"encoding/binary"
	"unsafe"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// view reinterprets a tensor's bytes as elements of type T without copying.
func view[T any](t *tensor.Tensor) []T {
	if len(t.Data) == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(&t.Data[0])), len(t.Data)/int(unsafe.Sizeof(z)))
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func numElems(t *tensor.Tensor) int { return len(t.Data) / t.Type.Size() }

// floats returns the elements of a real tensor as float64.
func floats(t *tensor.Tensor) []float64 {
	switch {
	case t.Type == dtype.F64:
		return view[float64](t)
	case t.Type.IsFloat():
		out := make([]float64, numElems(t))
		switch t.Type {
		case dtype.F32:
			for i, v := range view[float32](t) {
				out[i] = float64(v)
			}
		case dtype.BF16:
			for i, v := range view[uint16](t) {
				out[i] = float64(dtype.BF16ToF32(v))
			}
		case dtype.F16:
			for i, v := range view[uint16](t) {
				out[i] = float64(dtype.F16ToF32(v))
			}
		default:
			for i, v := range t.Data {
				out[i] = t.Type.FloatOf(uint64(v))
			}
		}
		return out
	case t.Type.IsComplex():
		c := complexes(t)
		out := make([]float64, len(c))
		for i := range c {
			out[i] = real(c[i])
		}
		return out
	}
	v := ints(t)
	out := make([]float64, len(v))
	for i := range v {
		if t.Type == dtype.U64 {
			out[i] = float64(uint64(v[i]))
		} else {
			out[i] = float64(v[i])
		}
	}
	return out
}

// floats32 returns the elements of a float tensor of at most 32 bits as float32, exactly.
func floats32(t *tensor.Tensor) []float32 {
	if t.Type == dtype.F32 {
		return view[float32](t)
	}
	out := make([]float32, numElems(t))
	switch t.Type {
	case dtype.BF16:
		for i, v := range view[uint16](t) {
			out[i] = dtype.BF16ToF32(v)
		}
	case dtype.F16:
		for i, v := range view[uint16](t) {
			out[i] = dtype.F16ToF32(v)
		}
	default:
		for i, v := range floats(t) {
			out[i] = float32(v)
		}
	}
	return out
}

// ints returns the elements of an integer or boolean tensor, sign- or zero-extended; 64-bit unsigned values keep
// their bits.
func ints(t *tensor.Tensor) []int64 {
	if t.Type == dtype.I64 || t.Type == dtype.U64 {
		return view[int64](t)
	}
	out := make([]int64, numElems(t))
	switch t.Type {
	case dtype.I32:
		for i, v := range view[int32](t) {
			out[i] = int64(v)
		}
	case dtype.U32:
		for i, v := range view[uint32](t) {
			out[i] = int64(v)
		}
	case dtype.I16:
		for i, v := range view[int16](t) {
			out[i] = int64(v)
		}
	case dtype.U16:
		for i, v := range view[uint16](t) {
			out[i] = int64(v)
		}
	case dtype.I8, dtype.I4, dtype.I2:
		s := 64 - t.Type.Bits()
		for i, v := range t.Data {
			out[i] = int64(v) << s >> s
		}
	default:
		for i, v := range t.Data {
			out[i] = int64(v)
		}
	}
	return out
}

// complexes returns the elements of a complex (or real) tensor as complex128.
func complexes(t *tensor.Tensor) []complex128 {
	switch t.Type {
	case dtype.C128:
		return view[complex128](t)
	case dtype.C64:
		out := make([]complex128, numElems(t))
		for i, v := range view[complex64](t) {
			out[i] = complex128(v)
		}
		return out
	}
	f := floats(t)
	out := make([]complex128, len(f))
	for i := range f {
		out[i] = complex(f[i], 0)
	}
	return out
}

// fromFloats rounds values to float type ty.
func fromFloats(ty dtype.Type, shape []int, v []float64) *tensor.Tensor {
	t := tensor.New(ty, shape...)
	switch ty {
	case dtype.F64:
		copy(view[float64](t), v)
	case dtype.F32:
		d := view[float32](t)
		for i := range v {
			d[i] = float32(v[i])
		}
	case dtype.BF16, dtype.F16:
		d := view[uint16](t)
		for i := range v {
			d[i] = uint16(ty.FloatBits(v[i]))
		}
	default:
		for i := range v {
			t.Data[i] = byte(ty.FloatBits(v[i]))
		}
	}
	return t
}

// fromFloats32 rounds values to a float type of at most 32 bits.
func fromFloats32(ty dtype.Type, shape []int, v []float32) *tensor.Tensor {
	t := tensor.New(ty, shape...)
	switch ty {
	case dtype.F32:
		copy(view[float32](t), v)
	case dtype.BF16:
		d := view[uint16](t)
		for i := range v {
			d[i] = dtype.F32ToBF16(v[i])
		}
	case dtype.F16:
		d := view[uint16](t)
		for i := range v {
			d[i] = dtype.F32ToF16(v[i])
		}
	default:
		for i := range v {
			t.Data[i] = byte(ty.FloatBits(float64(v[i])))
		}
	}
	return t
}

// fromInts stores the low bits of values as integer type ty; for i1 any non-zero value is true.
func fromInts(ty dtype.Type, shape []int, v []int64) *tensor.Tensor {
	t := tensor.New(ty, shape...)
	switch ty.Size() {
	case 8:
		copy(view[int64](t), v)
	case 4:
		d := view[uint32](t)
		for i := range v {
			d[i] = uint32(v[i])
		}
	case 2:
		d := view[uint16](t)
		for i := range v {
			d[i] = uint16(v[i])
		}
	default:
		mask := byte(0xFF)
		if b := ty.Bits(); b < 8 && ty != dtype.I1 {
			mask = 1<<b - 1
		}
		for i := range v {
			if ty == dtype.I1 {
				t.Data[i] = b2b(v[i] != 0)
			} else {
				t.Data[i] = byte(v[i]) & mask
			}
		}
	}
	return t
}

func b2b(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func fromComplexes(ty dtype.Type, shape []int, v []complex128) *tensor.Tensor {
	t := tensor.New(ty, shape...)
	if ty == dtype.C128 {
		copy(view[complex128](t), v)
		return t
	}
	d := view[complex64](t)
	for i := range v {
		d[i] = complex64(v[i])
	}
	return t
}

// intAt returns element i of an integer tensor.
func intAt(t *tensor.Tensor, i int) int64 {
	size := t.Type.Size()
	var b [8]byte
	copy(b[:], t.Data[i*size:(i+1)*size])
	v := binary.LittleEndian.Uint64(b[:])
	if t.Type.IsSigned() && t.Type.Bits() < 64 {
		s := 64 - t.Type.Bits()
		return int64(v<<s) >> s
	}
	return int64(v)
}

// strides returns the row-major strides of a shape, in elements.
func strides(shape []int) []int {
	s := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// copyND copies a rectangle of elements of size bytes between two buffers with their own strides (in elements).
func copyND(dst []byte, dOff int, dStr []int, src []byte, sOff int, sStr []int, shape []int, size int) {
	for _, d := range shape {
		if d == 0 {
			return
		}
	}
	n := len(shape)
	if n == 0 {
		copy(dst[dOff*size:(dOff+1)*size], src[sOff*size:])
		return
	}
	last := shape[n-1]
	ds, ss := dStr[n-1], sStr[n-1]
	idx := make([]int, n-1)
	for {
		copyRun(dst, dOff, ds, src, sOff, ss, last, size)
		d := n - 2
		for ; d >= 0; d-- {
			idx[d]++
			dOff += dStr[d]
			sOff += sStr[d]
			if idx[d] < shape[d] {
				break
			}
			dOff -= dStr[d] * shape[d]
			sOff -= sStr[d] * shape[d]
			idx[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

func copyRun(dst []byte, d, ds int, src []byte, s, ss, n, size int) {
	if ds == 1 && ss == 1 {
		copy(dst[d*size:(d+n)*size], src[s*size:(s+n)*size])
		return
	}
	switch size {
	case 4:
		for range n {
			*(*uint32)(unsafe.Pointer(&dst[d*4])) = *(*uint32)(unsafe.Pointer(&src[s*4]))
			d += ds
			s += ss
		}
	case 8:
		for range n {
			*(*uint64)(unsafe.Pointer(&dst[d*8])) = *(*uint64)(unsafe.Pointer(&src[s*8]))
			d += ds
			s += ss
		}
	default:
		for range n {
			copy(dst[d*size:(d+1)*size], src[s*size:(s+1)*size])
			d += ds
			s += ss
		}
	}
}

// reshaped returns the same data with another shape.
func reshaped(t *tensor.Tensor, shape []int) *tensor.Tensor {
	return &tensor.Tensor{Type: t.Type, Shape: shape, Data: t.Data}
}

// fill writes one element everywhere.
func fill(t *tensor.Tensor, elem []byte) {
	n := len(elem)
	if len(t.Data) == 0 {
		return
	}
	copy(t.Data, elem[:n])
	for k := n; k < len(t.Data); k *= 2 {
		copy(t.Data[k:], t.Data[:k])
	}
}
