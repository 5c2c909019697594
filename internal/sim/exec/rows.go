package exec

import (
	"encoding/binary"
	"unsafe"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// scratch holds the row buffers of the instruction in flight, reused between instructions.
type scratch struct {
	f [6][]float32
	b [3][]byte
}

func (s *scratch) floats(i, n int) []float32 {
	if cap(s.f[i]) < n {
		s.f[i] = make([]float32, n)
	}
	return s.f[i][:n]
}

func (s *scratch) bytes(i, n int) []byte {
	if cap(s.b[i]) < n {
		s.b[i] = make([]byte, n)
	}
	return s.b[i][:n]
}

// eachRun calls f for every run of the walk: a byte offset in the row, the step in bytes and the number of
// elements. The runs come in walk order.
func (r *Ref) eachRun(f func(off, step int64, n int) error) error {
	switch len(r.Dims) {
	case 0:
		return f(r.Off, int64(r.Size), 1)
	case 1:
		return f(r.Off, r.Dims[0].Step, r.Dims[0].Count)
	}
	last := r.Dims[len(r.Dims)-1]
	outer := r.Dims[:len(r.Dims)-1]
	var idx [8]int
	off := r.Off
	for {
		if err := f(off, last.Step, last.Count); err != nil {
			return err
		}
		d := len(outer) - 1
		for ; d >= 0; d-- {
			idx[d]++
			off += outer[d].Step
			if idx[d] < outer[d].Count {
				break
			}
			off -= outer[d].Step * int64(outer[d].Count)
			idx[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

// gather copies the elements of row i into dst, r.N*r.Size bytes, raw, and checks that they were written.
func (s *State) gather(dst []byte, r *Ref, i int) error {
	row, written, base := s.row(r, i)
	pos := 0
	sz := r.Size
	return r.eachRun(func(off, step int64, n int) error {
		if step == int64(sz) {
			lo := int(off)
			hi := lo + n*sz
			if j := written.firstClear(base+lo, base+hi); j >= 0 {
				return s.uninit(r, i, j-base)
			}
			copy(dst[pos:], row[lo:hi])
			pos += n * sz
			return nil
		}
		if step == 0 {
			lo := int(off)
			if j := written.firstClear(base+lo, base+lo+sz); j >= 0 {
				return s.uninit(r, i, j-base)
			}
		}
		for k := 0; k < n; k++ {
			lo := int(off + int64(k)*step)
			if step != 0 {
				if j := written.firstClear(base+lo, base+lo+sz); j >= 0 {
					return s.uninit(r, i, j-base)
				}
			}
			copy(dst[pos:pos+sz], row[lo:lo+sz])
			pos += sz
		}
		return nil
	})
}

func (s *State) uninit(r *Ref, i, at int) error {
	if r.Space == DRAM {
		return diag.Errorf(CodeUninit, diag.Loc{}, "read of never-written memory: DRAM variable %q byte %d", s.Vars[r.Var-1].Name, at)
	}
	return diag.Errorf(CodeUninit, diag.Loc{}, "read of never-written memory: %s partition %d byte %d", r.Space, r.Part+i, at)
}

// scatter writes src, r.N*r.Size raw bytes, to the elements of row i.
func (s *State) scatter(src []byte, r *Ref, i int) {
	row, written, base := s.row(r, i)
	pos := 0
	sz := r.Size
	_ = r.eachRun(func(off, step int64, n int) error {
		if step == int64(sz) {
			lo := int(off)
			copy(row[lo:lo+n*sz], src[pos:pos+n*sz])
			written.set(base+lo, base+lo+n*sz)
			pos += n * sz
			return nil
		}
		for k := 0; k < n; k++ {
			lo := int(off + int64(k)*step)
			copy(row[lo:lo+sz], src[pos:pos+sz])
			written.set(base+lo, base+lo+sz)
			pos += sz
		}
		return nil
	})
	_, hi := r.Extent()
	switch r.Space {
	case SBUF:
		s.sbuf.high = max(s.sbuf.high, int(hi))
	case PSUM:
		s.psum.high = max(s.psum.high, int(hi))
		s.psumForeign(r, i)
	}
}

// loadF32 reads row i converted to float32 into dst (r.N values).
func (s *State) loadF32(dst []float32, r *Ref, i int) error {
	if r.DT == dtype.F32 {
		return s.gather(f32Bytes(dst[:r.N]), r, i)
	}
	raw := s.scratch.bytes(0, r.N*r.Size)
	if err := s.gather(raw, r, i); err != nil {
		return err
	}
	return toF32(dst[:r.N], raw, r.DT)
}

// storeF32 rounds src (r.N values) to the operand's type and writes row i.
func (s *State) storeF32(src []float32, r *Ref, i int) error {
	if r.DT == dtype.F32 {
		s.scatter(f32Bytes(src[:r.N]), r, i)
		return nil
	}
	raw := s.scratch.bytes(0, r.N*r.Size)
	if err := fromF32(raw, src[:r.N], r.DT); err != nil {
		return err
	}
	s.scatter(raw, r, i)
	return nil
}

// f32Bytes views float32 values as their little-endian bytes.
func f32Bytes(f []float32) []byte {
	if len(f) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&f[0])), 4*len(f))
}

// loadBits reads row i as raw unsigned words, zero-extended, or sign-extended for signed types when signed.
func (s *State) loadBits(dst []uint32, r *Ref, i int, signed bool) error {
	raw := s.scratch.bytes(0, r.N*r.Size)
	if err := s.gather(raw, r, i); err != nil {
		return err
	}
	switch r.Size {
	case 1:
		for k := range dst[:r.N] {
			dst[k] = uint32(raw[k])
			if signed {
				dst[k] = uint32(int32(int8(raw[k])))
			}
		}
	case 2:
		for k := range dst[:r.N] {
			v := binary.LittleEndian.Uint16(raw[2*k:])
			dst[k] = uint32(v)
			if signed {
				dst[k] = uint32(int32(int16(v)))
			}
		}
	case 4:
		for k := range dst[:r.N] {
			dst[k] = binary.LittleEndian.Uint32(raw[4*k:])
		}
	default:
		return diag.Errorf(CodeDType, diag.Loc{}, "bit operation on %d-byte elements", r.Size)
	}
	return nil
}

// storeBits truncates words to the operand's width and writes row i.
func (s *State) storeBits(src []uint32, r *Ref, i int) error {
	raw := s.scratch.bytes(0, r.N*r.Size)
	switch r.Size {
	case 1:
		for k, v := range src[:r.N] {
			raw[k] = byte(v)
		}
	case 2:
		for k, v := range src[:r.N] {
			binary.LittleEndian.PutUint16(raw[2*k:], uint16(v))
		}
	case 4:
		for k, v := range src[:r.N] {
			binary.LittleEndian.PutUint32(raw[4*k:], v)
		}
	default:
		return diag.Errorf(CodeDType, diag.Loc{}, "bit operation on %d-byte elements", r.Size)
	}
	s.scatter(raw, r, i)
	return nil
}
