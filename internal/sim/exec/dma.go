package exec

import (
	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

// Xfer is one DMA descriptor: a source and a destination walk over the same number of elements. On chip the
// partition is a dimension like any other, so both sides are flat byte walks over a memory.
type Xfer struct {
	Src, Dst Flat
	Op       XferOp
}

// XferOp is what a descriptor does at its destination.
type XferOp uint8

const (
	XferCopy XferOp = iota // copy, with a cast when the types differ
	XferAdd                // float32 add at the destination
	XferMin
	XferMax
)

// Flat is one side of a transfer: a byte address in SBUF (partition*PartStride+byte) or in a DRAM variable and
// a walk, outermost first, of runs of DT elements.
type Flat struct {
	Space Space
	Var   int
	Off   int64
	DT    dtype.Type
	Dims  []Walk
}

// PartStride is the address distance between SBUF partitions (machine.md 4.4).
const PartStride = 0x40000

func (f *Flat) elems() int {
	n := 1
	for _, d := range f.Dims {
		n *= d.Count
	}
	return n
}

// Bytes is the number of bytes the side moves.
func (f *Flat) Bytes() int64 { return int64(f.elems()) * int64(f.DT.Size()) }

// locate turns a flat address of width n into memory bytes; the run must stay in one partition.
func (s *State) locate(f *Flat, off int64, n int) (data []byte, written *bitset, at int, err error) {
	if f.Space == DRAM {
		v := s.Vars[f.Var-1]
		if off < 0 || off+int64(n) > int64(len(v.Data)) {
			return nil, nil, 0, diag.Errorf(CodeBounds, diag.Loc{}, "DMA: bytes %d..%d of variable %q, which holds %d", off, off+int64(n), v.Name, len(v.Data))
		}
		return v.Data, &v.written, int(off), nil
	}
	p, b := off/s.PartStride, off%s.PartStride
	if off < 0 || p >= partitions || b+int64(n) > int64(s.sbuf.rowBytes) {
		return nil, nil, 0, diag.Errorf(CodeBounds, diag.Loc{}, "DMA: SBUF address 0x%x (partition %d byte %d, %d bytes) is outside the memory", off, p, b, n)
	}
	return s.sbuf.data, &s.sbuf.written, int(p)*s.sbuf.rowBytes + int(b), nil
}

// Transfer executes one descriptor.
func (s *State) Transfer(x *Xfer) error {
	if n, m := x.Src.elems(), x.Dst.elems(); n != m {
		return diag.Errorf(CodeShape, diag.Loc{}, "DMA: source has %d elements, destination %d", n, m)
	}
	for _, f := range []*Flat{&x.Src, &x.Dst} {
		if f.Space == DRAM && (f.Var < 1 || f.Var > len(s.Vars)) {
			return diag.Errorf(CodeBounds, diag.Loc{}, "DMA: no variable %d", f.Var)
		}
		if f.Space == PSUM {
			return diag.Errorf(CodeEngineMemory, diag.Loc{}, "DMA cannot access PSUM")
		}
	}
	buf, err := s.readFlat(&x.Src)
	if err != nil {
		return err
	}
	switch {
	case x.Op != XferCopy:
		if buf, err = s.combine(x, buf); err != nil {
			return err
		}
	case x.Src.DT != x.Dst.DT && !(x.Src.DT.Size() == x.Dst.DT.Size() && x.Src.DT.IsInt() && x.Dst.DT.IsInt()):
		n := x.Src.elems()
		f := make([]float32, n)
		if err := toF32(f, buf, x.Src.DT); err != nil {
			return err
		}
		buf = make([]byte, n*x.Dst.DT.Size())
		if err := fromF32(buf, f, x.Dst.DT); err != nil {
			return err
		}
	}
	return s.writeFlat(&x.Dst, buf)
}

// combine folds the destination's old elements into the moved ones, in float32.
func (s *State) combine(x *Xfer, buf []byte) ([]byte, error) {
	n := x.Src.elems()
	in, old := make([]float32, n), make([]float32, n)
	if err := toF32(in, buf, x.Src.DT); err != nil {
		return nil, err
	}
	prev, err := s.readFlat(&x.Dst)
	if err != nil {
		return nil, err
	}
	if err := toF32(old, prev, x.Dst.DT); err != nil {
		return nil, err
	}
	op := [...]bir.AluOp{XferAdd: bir.AluAdd, XferMin: bir.AluMin, XferMax: bir.AluMax}[x.Op]
	if err := applyTT(op, old, old, in); err != nil {
		return nil, err
	}
	out := make([]byte, n*x.Dst.DT.Size())
	return out, fromF32(out, old, x.Dst.DT)
}

// eachFlat calls f for every contiguous run of a side: its memory, its byte offset there and its length.
func (s *State) eachFlat(fl *Flat, f func(data []byte, written *bitset, at, n int) error) error {
	size := fl.DT.Size()
	r := Ref{Off: fl.Off, Size: size, Dims: fl.Dims}
	return r.eachRun(func(off, step int64, n int) error {
		if step == int64(size) || n == 1 {
			d, w, at, err := s.locate(fl, off, n*size)
			if err != nil {
				return err
			}
			return f(d, w, at, n*size)
		}
		for k := range n {
			d, w, at, err := s.locate(fl, off+int64(k)*step, size)
			if err != nil {
				return err
			}
			if err := f(d, w, at, size); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *State) readFlat(fl *Flat) ([]byte, error) {
	buf := make([]byte, 0, fl.Bytes())
	err := s.eachFlat(fl, func(d []byte, w *bitset, at, n int) error {
		if j := w.firstClear(at, at+n); j >= 0 {
			if fl.Space == DRAM {
				return diag.Errorf(CodeUninit, diag.Loc{}, "DMA reads never-written memory: variable %q byte %d", s.Vars[fl.Var-1].Name, j)
			}
			return diag.Errorf(CodeUninit, diag.Loc{}, "DMA reads never-written memory: SBUF partition %d byte %d", j/s.sbuf.rowBytes, j%s.sbuf.rowBytes)
		}
		buf = append(buf, d[at:at+n]...)
		return nil
	})
	if fl.Space == DRAM {
		s.Vars[fl.Var-1].Reads += int64(len(buf))
	}
	return buf, err
}

func (s *State) writeFlat(fl *Flat, buf []byte) error {
	if fl.Space == DRAM {
		s.Vars[fl.Var-1].Writes += int64(len(buf))
	}
	return s.eachFlat(fl, func(d []byte, w *bitset, at, n int) error {
		copy(d[at:at+n], buf[:n])
		buf = buf[n:]
		w.set(at, at+n)
		if fl.Space == SBUF {
			s.sbuf.high = max(s.sbuf.high, at%s.sbuf.rowBytes+n)
		}
		return nil
	})
}

// Peek1 returns the bytes of a one-element operand.
func (s *State) Peek1(r *Ref) ([]byte, error) {
	if err := s.check(r, "register load"); err != nil {
		return nil, err
	}
	b := make([]byte, r.DT.Size())
	one := *r
	one.Dims, one.N, one.Size = nil, 1, len(b)
	return b, s.gather(b, &one, 0)
}

// Poke1 writes a one-element operand.
func (s *State) Poke1(r *Ref, b []byte) error {
	if err := s.check(r, "register store"); err != nil {
		return err
	}
	one := *r
	one.Dims, one.N, one.Size = nil, 1, len(b)
	s.scatter(b, &one, 0)
	return nil
}

// Read collects the bytes a side names, in walk order.
func (s *State) Read(f *Flat) ([]byte, error) { return s.readFlat(f) }

// Indices reads an index tile: one integer a partition.
func (s *State) Indices(r *Ref) ([]int64, error) {
	if err := s.check(r, "index tile"); err != nil {
		return nil, err
	}
	one := *r
	one.Dims, one.N, one.Size = nil, 1, r.DT.Size()
	out := make([]int64, r.NPart)
	var w [1]uint32
	for p := range out {
		if err := s.loadBits(w[:], &one, p, true); err != nil {
			return nil, err
		}
		out[p] = int64(w[0])
		if r.DT == dtype.I32 {
			out[p] = int64(int32(w[0]))
		}
	}
	return out, nil
}
