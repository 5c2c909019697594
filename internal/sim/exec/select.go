package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
)

func init() {
	register(bir.CopyPredicated, runCopyPredicated)
	register(bir.Select, runSelect)
	register(bir.Iota, runIota)
	register(bir.TensorScalarAffineSelect, runAffineSelect)
	register(bir.RangeSelect, runRangeSelect)
}

// predicate reads row p of a mask: true where an element is not zero, inverted when the instruction says so.
func (s *State) predicate(m *Ref, p int, reverse bool, out []bool) error {
	raw := make([]byte, m.N*m.Size)
	if err := s.gather(raw, m, p); err != nil {
		return err
	}
	for i := range out {
		t := false
		for _, b := range raw[i*m.Size : (i+1)*m.Size] {
			t = t || b != 0
		}
		out[i] = t != reverse
	}
	return nil
}

// runCopyPredicated: dst keeps its old value where the predicate is false. With a fill operand (select_reduce)
// the fill stands there instead, everything passes float32, and the maximum may be accumulated.
func runCopyPredicated(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	dst := &in.Out[0]
	var src *Ref
	mask := &in.In[0]
	if len(in.In) > 1 {
		src, mask = &in.In[0], &in.In[1]
		if err := sameShape(in, dst, src, mask); err != nil {
			return err
		}
		if src.Space == PSUM && mask.Space == PSUM {
			return diag.Errorf(CodeEngineMemory, diag.Loc{}, "CopyPredicated: at most one PSUM input")
		}
	} else if err := sameShape(in, dst, mask); err != nil {
		return err
	}
	if !mask.DT.IsInt() && mask.DT != dtype.I1 {
		return diag.Errorf(CodeDType, diag.Loc{}, "predicate must be an unsigned integer, not %s", mask.DT)
	}
	sel := make([]bool, dst.N)
	if in.S[1].Kind != NoScalar { // select_reduce: S[1] is the value where the predicate is false
		return s.selectReduce(in, src, mask, dst, sel)
	}
	val := make([]byte, dst.N*dst.Size)
	old := make([]byte, dst.N*dst.Size)
	f := make([]float32, dst.N)
	for p := range dst.Rows() {
		if err := s.predicate(mask, p, in.Reverse, sel); err != nil {
			return err
		}
		switch {
		case src == nil:
			v, err := s.scalar(&in.S[0], p)
			if err != nil {
				return err
			}
			for i := range f {
				f[i] = v
			}
			if err := fromF32(val, f, dst.DT); err != nil {
				return err
			}
		case src.DT == dst.DT:
			if err := s.gather(val, src, p); err != nil {
				return err
			}
		default:
			if err := s.loadF32(f, src, p); err != nil {
				return err
			}
			if err := fromF32(val, f, dst.DT); err != nil {
				return err
			}
		}
		s.peek(old, dst, p)
		for i, t := range sel {
			if t {
				copy(old[i*dst.Size:(i+1)*dst.Size], val[i*dst.Size:])
			} else if !s.isWritten(dst, p, i) {
				return diag.Errorf(CodeUninit, diag.Loc{}, "CopyPredicated keeps a never-written element of %s (partition %d, element %d)", dst, dst.Part+p, i)
			}
		}
		s.scatter(old, dst, p)
	}
	return nil
}

// peek is gather without the written check.
func (s *State) peek(dst []byte, r *Ref, i int) {
	row, _, _ := s.row(r, i)
	pos := 0
	_ = r.eachRun(func(off, step int64, n int) error {
		for k := 0; k < n; k++ {
			lo := int(off + int64(k)*step)
			copy(dst[pos:pos+r.Size], row[lo:lo+r.Size])
			pos += r.Size
		}
		return nil
	})
}

// isWritten reports whether element k of row i was ever written.
func (s *State) isWritten(r *Ref, i, k int) bool {
	_, written, base := s.row(r, i)
	lo := base + int(r.elem(k))
	return written.firstClear(lo, lo+r.Size) < 0
}

// elem returns the byte offset of the k-th element of the walk.
func (r *Ref) elem(k int) int64 {
	off := r.Off
	for d := len(r.Dims) - 1; d >= 0; d-- {
		off += r.Dims[d].Step * int64(k%r.Dims[d].Count)
		k /= r.Dims[d].Count
	}
	return off
}

func (s *State) selectReduce(in *Instr, src, mask, dst *Ref, sel []bool) error {
	return s.withAccumulator(in, nil, func() error {
		return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
			if err := s.predicate(mask, p, in.Reverse, sel); err != nil {
				return err
			}
			fill, err := s.scalar(&in.S[1], p)
			if err != nil {
				return err
			}
			if src != nil {
				if err := s.loadF32(d, src, p); err != nil {
					return err
				}
			} else {
				v, err := s.scalar(&in.S[0], p)
				if err != nil {
					return err
				}
				for i := range d {
					d[i] = v
				}
			}
			for i, t := range sel {
				if !t {
					d[i] = fill
				}
			}
			lane := dst.Part + p
			acc := startAccumulator(in.Acc, bir.AluMax, s.dveAcc[lane], 0)
			if accumulates(in.Acc) {
				if acc, err = accumulate(bir.AluMax, acc, d); err != nil {
					return err
				}
			}
			s.dveAcc[lane] = acc
			return nil
		})
	})
}

// runSelect is the macro form: dst = pred ? on_true : on_false.
func runSelect(s *State, in *Instr) error {
	if err := operands(in, 3, 1); err != nil {
		return err
	}
	mask, a, b, dst := &in.In[0], &in.In[1], &in.In[2], &in.Out[0]
	if err := sameShape(in, dst, mask, a, b); err != nil {
		return err
	}
	sel := make([]bool, dst.N)
	y := make([]float32, dst.N)
	if a.DT == dst.DT && b.DT == dst.DT {
		other := make([]byte, dst.N*dst.Size)
		return s.eachRowBytes(in, dst, func(p int, d []byte) error {
			if err := s.predicate(mask, p, in.Reverse, sel); err != nil {
				return err
			}
			if err := s.gather(d, a, p); err != nil {
				return err
			}
			if err := s.gather(other, b, p); err != nil {
				return err
			}
			for i, t := range sel {
				if !t {
					copy(d[i*dst.Size:(i+1)*dst.Size], other[i*dst.Size:])
				}
			}
			return nil
		})
	}
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.predicate(mask, p, in.Reverse, sel); err != nil {
			return err
		}
		if err := s.loadF32(d, a, p); err != nil {
			return err
		}
		if err := s.loadF32(y, b, p); err != nil {
			return err
		}
		for i, t := range sel {
			if !t {
				d[i] = y[i]
			}
		}
		return nil
	})
}

// affine fills v with base + p*channel multiplier + the pattern's walk, in wrapping 32-bit arithmetic.
func affine(in *Instr, p int, v []int32) {
	w := Ref{Off: int64(in.Base) + int64(p)*int64(in.ChanMul), Size: 1, Dims: in.Pattern}
	k := 0
	if len(in.Pattern) == 0 {
		v[0] = int32(w.Off)
		return
	}
	_ = w.eachRun(func(off, step int64, n int) error {
		for j := 0; j < n && k < len(v); j++ {
			v[k] = int32(off + int64(j)*step)
			k++
		}
		return nil
	})
}

// patternSize is the number of values a pattern yields.
func patternSize(p []Walk) int {
	n := 1
	for _, d := range p {
		n *= d.Count
	}
	return n
}

func runIota(s *State, in *Instr) error {
	if err := operands(in, 0, 1); err != nil {
		return err
	}
	dst := &in.Out[0]
	if n := patternSize(in.Pattern); n != dst.N {
		return diag.Errorf(CodeShape, diag.Loc{}, "Iota: the pattern yields %d values, the output holds %d", n, dst.N)
	}
	v := make([]int32, dst.N)
	if dst.DT.IsInt() {
		lo, hi := dst.DT.IntRange()
		return s.eachRowBits(in, dst, func(p int, d []uint32) error {
			affine(in, p, v)
			for i, x := range v {
				d[i] = uint32(x)
				if dst.Size < 4 {
					d[i] = uint32(int32(min(max(int64(x), lo), int64(hi))))
				}
			}
			return nil
		})
	}
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		affine(in, p, v)
		for i, x := range v {
			d[i] = float32(x)
		}
		return nil
	})
}

func runAffineSelect(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	if n := patternSize(in.Pattern); n != dst.N {
		return diag.Errorf(CodeShape, diag.Loc{}, "affine select: the pattern yields %d values, the output holds %d", n, dst.N)
	}
	cmp := intOps[in.Alu[0]]
	if cmp == nil {
		return diag.Errorf(CodeUnsupported, diag.Loc{}, "affine select: %s is not a comparison", in.Alu[0])
	}
	v := make([]int32, dst.N)
	fill := math.Float32frombits(in.Fill)
	if src.DT == dst.DT {
		one := make([]byte, dst.Size)
		if err := fromF32(one, []float32{fill}, dst.DT); err != nil {
			return err
		}
		return s.eachRowBytes(in, dst, func(p int, d []byte) error {
			if err := s.gather(d, src, p); err != nil {
				return err
			}
			affine(in, p, v)
			for i, x := range v {
				if cmp(int64(x), 0) == 0 {
					copy(d[i*dst.Size:(i+1)*dst.Size], one)
				}
			}
			return nil
		})
	}
	return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
		if err := s.loadF32(d, src, p); err != nil {
			return err
		}
		affine(in, p, v)
		for i, x := range v {
			if cmp(int64(x), 0) == 0 {
				d[i] = fill
			}
		}
		return nil
	})
}

// runRangeSelect keeps elements whose index lies in a per-partition range, else writes the fill, and may
// accumulate the maximum.
func runRangeSelect(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	c0, err := aluFunc(in.Alu[0])
	if err != nil {
		return err
	}
	c1, err := aluFunc(in.Alu[1])
	if err != nil {
		return err
	}
	fill := math.Float32frombits(in.Fill)
	return s.withAccumulator(in, nil, func() error {
		return s.eachRow(in, dst, dst.N, func(p int, d []float32) error {
			if err := s.loadF32(d, src, p); err != nil {
				return err
			}
			b0, err := s.scalar(&in.S[0], p)
			if err != nil {
				return err
			}
			b1, err := s.scalar(&in.S[1], p)
			if err != nil {
				return err
			}
			for i := range d {
				k := float32(int(in.Base) + i)
				if c0(k, b0) == 0 || c1(k, b1) == 0 {
					d[i] = fill
				}
			}
			lane := dst.Part + p
			acc := startAccumulator(in.Acc, bir.AluMax, s.dveAcc[lane], 0)
			if accumulates(in.Acc) {
				if acc, err = accumulate(bir.AluMax, acc, d); err != nil {
					return err
				}
			}
			s.dveAcc[lane] = acc
			return nil
		})
	})
}
