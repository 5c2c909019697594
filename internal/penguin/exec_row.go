package penguin

import (
	"encoding/binary"
	"math"

	"github.com/alcadev/alca/internal/dtype"
)

// readInt is the integer at the start of b.
func readInt(b []byte, t dtype.Type) int64 {
	switch t.Size() {
	case 1:
		if t.IsSigned() && t != dtype.I1 {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		u := binary.LittleEndian.Uint16(b)
		if t.IsSigned() {
			return int64(int16(u))
		}
		return int64(u)
	case 4:
		u := binary.LittleEndian.Uint32(b)
		if t.IsSigned() {
			return int64(int32(u))
		}
		return int64(u)
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func writeInt(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

func readBits(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func readFloat(b []byte, t dtype.Type) float64 {
	switch t {
	case dtype.F32, dtype.TF32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case dtype.F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case dtype.BF16:
		return float64(dtype.BF16ToF32(binary.LittleEndian.Uint16(b)))
	case dtype.F16:
		return float64(dtype.F16ToF32(binary.LittleEndian.Uint16(b)))
	}
	return t.FloatOf(readBits(b, t.Size()))
}

func writeFloat(b []byte, t dtype.Type, v float64) {
	switch t {
	case dtype.F32, dtype.TF32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case dtype.F64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	case dtype.BF16:
		binary.LittleEndian.PutUint16(b, dtype.F32ToBF16(float32(v)))
	case dtype.F16:
		binary.LittleEndian.PutUint16(b, dtype.F32ToF16(float32(v)))
	default:
		writeInt(b, t.Size(), t.FloatBits(v))
	}
}

func growF(b []float64, n int) []float64 {
	if cap(b) < n {
		return make([]float64, n)
	}
	return b[:n]
}

func growI(b []int64, n int) []int64 {
	if cap(b) < n {
		return make([]int64, n)
	}
	return b[:n]
}

// loadF reads the row of access k as floats; integers are converted.
func (p *plan) loadF(k int, idx []int, vals []int64, n int) ([]float64, error) {
	base, step, offs, err := p.row(k, idx, vals, n)
	if err != nil {
		return nil, err
	}
	a := &p.acc[k]
	dst := growF(p.rowF[k], n)
	p.rowF[k] = dst
	t, sz, m := a.t.DType, a.size, a.mem
	if offs == nil && t == dtype.F32 {
		for j := range dst {
			dst[j] = float64(math.Float32frombits(binary.LittleEndian.Uint32(m[(base+j*step)*4:])))
		}
		return dst, nil
	}
	ints := isIntHub(t)
	for j := range dst {
		o := base + j*step
		if offs != nil {
			o = offs[j]
		}
		if ints {
			i := readInt(m[o*sz:], t)
			dst[j] = float64(i)
			if t == dtype.U64 {
				dst[j] = float64(uint64(i))
			}
		} else {
			dst[j] = readFloat(m[o*sz:], t)
		}
	}
	return dst, nil
}

// loadI reads the row of access k as integers; floats give their bits.
func (p *plan) loadI(k int, idx []int, vals []int64, n int) ([]int64, error) {
	base, step, offs, err := p.row(k, idx, vals, n)
	if err != nil {
		return nil, err
	}
	a := &p.acc[k]
	dst := growI(p.rowI[k], n)
	p.rowI[k] = dst
	t, sz, m := a.t.DType, a.size, a.mem
	ints := isIntHub(t)
	for j := range dst {
		o := base + j*step
		if offs != nil {
			o = offs[j]
		}
		if ints {
			dst[j] = readInt(m[o*sz:], t)
		} else {
			dst[j] = int64(readBits(m[o*sz:], sz))
		}
	}
	return dst, nil
}

func (p *plan) storeF(k int, idx []int, vals []int64, src []float64) error {
	base, step, offs, err := p.row(k, idx, vals, len(src))
	if err != nil {
		return err
	}
	a := &p.acc[k]
	for j, v := range src {
		o := base + j*step
		if offs != nil {
			o = offs[j]
		}
		writeFloat(a.mem[o*a.size:], a.t.DType, v)
	}
	return nil
}

func (p *plan) storeI(k int, idx []int, vals []int64, src []int64) error {
	base, step, offs, err := p.row(k, idx, vals, len(src))
	if err != nil {
		return err
	}
	a := &p.acc[k]
	for j, v := range src {
		o := base + j*step
		if offs != nil {
			o = offs[j]
		}
		writeInt(a.mem[o*a.size:], a.size, uint64(v))
	}
	return nil
}
