package exec

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

func init() {
	register(bir.Matmult, runMatmult)
	register(bir.StreamTranspose, runStreamTranspose)
	register(bir.StreamShuffle, runStreamShuffle)
}

// PSUM accumulate flags (isa.md 7.7).
const (
	AccStart      = 1
	AccStop       = 2
	AccAccumulate = 4
)

// LoadStationary loads the stationary tile: [K partitions, M columns].
func (s *State) LoadStationary(in *Instr, r *Ref) error {
	if err := s.checkOperand(in, r, "stationary"); err != nil {
		return err
	}
	if r.Space != SBUF {
		return diag.Errorf(CodeEngineMemory, diag.Loc{}, "stationary operand must be in SBUF, not %s", r.Space)
	}
	if r.N > partitions {
		return diag.Errorf(CodeShape, diag.Loc{}, "stationary tile has %d columns, at most %d", r.N, partitions)
	}
	raw := s.scratch.bytes(2, r.N*r.Size)
	for k := range r.NPart {
		if err := s.loadF32(s.stationary[k][:r.N], r, k); err != nil {
			return err
		}
		if err := s.gather(raw, r, k); err != nil {
			return err
		}
		for m := range r.N {
			s.statBits[k][m] = elemBits(raw, m, r.Size)
		}
	}
	s.statK, s.statM, s.statRow, s.statDT, s.statLoaded = r.NPart, r.N, r.Part, r.DT, true
	return nil
}

func elemBits(raw []byte, i, size int) uint32 {
	switch size {
	case 1:
		return uint32(raw[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return binary.LittleEndian.Uint32(raw[4*i:])
}

// runMatmult is the BIR form: load the stationary operand, then multiply.
func runMatmult(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	if len(in.In) > 1 {
		if err := s.LoadStationary(in, &in.In[1]); err != nil {
			return err
		}
	}
	return s.multiply(in)
}

// multiply streams the moving operand against the stationary tile: R[m, n] = sum over k of S[k, m] * M[k, n], k
// ascending, each product and each sum rounded to float32.
func (s *State) multiply(in *Instr) error {
	mov, dst := &in.In[0], &in.Out[0]
	if !s.statLoaded {
		return diag.Errorf(CodeOperand, diag.Loc{}, "matmul before any stationary tile was loaded")
	}
	if mov.Space != SBUF || dst.Space != PSUM {
		return diag.Errorf(CodeEngineMemory, diag.Loc{}, "matmul reads SBUF and writes PSUM, not %s -> %s", mov.Space, dst.Space)
	}
	if mov.NPart != s.statK {
		return diag.Errorf(CodeShape, diag.Loc{}, "matmul: moving operand has %d partitions, stationary %d", mov.NPart, s.statK)
	}
	if (mov.DT == dtype.F32) != (s.statDT == dtype.F32) && mov.DT.Size() != s.statDT.Size() {
		return diag.Errorf(CodeDType, diag.Loc{}, "matmul of %s with %s: 32-bit operands pair only with 32-bit operands", mov.DT, s.statDT)
	}
	if in.PEMode == PETranspose && s.Gen >= machine.Gen3 {
		return s.peTranspose(in)
	}
	m, n, k := s.statM, mov.N, s.statK
	if dst.NPart != m || dst.N != n {
		return diag.Errorf(CodeShape, diag.Loc{}, "matmul result is [%d, %d], destination [%d, %d]", m, n, dst.NPart, dst.N)
	}
	if limit := 512; n > limit && s.Gen < machine.Gen4 || n > 4096 {
		return diag.Errorf(CodeShape, diag.Loc{}, "matmul moving free size %d exceeds %d", n, limit)
	}
	if cap(s.matIn) < k*n {
		s.matIn = make([]float32, k*n)
	}
	if cap(s.matOut) < m*n {
		s.matOut = make([]float32, m*n)
	}
	rhs, out := s.matIn[:k*n], s.matOut[:m*n]
	for i := range k {
		if err := s.loadF32(rhs[i*n:(i+1)*n], mov, i); err != nil {
			return err
		}
	}
	for i := range m {
		acc := out[i*n : (i+1)*n]
		clear(acc)
		for j := range k {
			axpy(acc, s.stationary[j][i], rhs[j*n:(j+1)*n])
		}
	}
	return s.psumWrite(in, dst, out)
}

// axpy adds a*x to acc with two roundings; the conversions keep the compiler from fusing them.
func axpy(acc []float32, a float32, x []float32) {
	x = x[:len(acc)]
	i := 0
	for ; i+4 <= len(acc); i += 4 {
		acc[i] += float32(a * x[i])
		acc[i+1] += float32(a * x[i+1])
		acc[i+2] += float32(a * x[i+2])
		acc[i+3] += float32(a * x[i+3])
	}
	for ; i < len(acc); i++ {
		acc[i] += float32(a * x[i])
	}
}

// psumWrite stores or accumulates a result per location: START overwrites, ACCUMULATE adds, neither adds where
// the location was written since the last START and overwrites elsewhere.
func (s *State) psumWrite(in *Instr, dst *Ref, out []float32) error {
	n := dst.N
	old := s.scratch.floats(1, n)
	raw := s.scratch.bytes(2, n*dst.Size)
	for p := range dst.NPart {
		row := out[p*n : (p+1)*n]
		base := (dst.Part + p) * s.psum.rowBytes
		if in.AccFlags&AccStart == 0 {
			s.peek(raw, dst, p)
			if err := toF32(old, raw, dst.DT); err != nil {
				return err
			}
			for i := range row {
				lo := base + int(dst.elem(i))
				written := s.psumAcc.has(lo)
				if in.AccFlags&AccAccumulate != 0 && !written {
					return diag.Errorf(CodePSUMGroup, diag.Loc{}, "matmul accumulates onto PSUM partition %d byte %d, which no matmul of the group wrote", dst.Part+p, lo-base)
				}
				if written {
					row[i] = old[i] + row[i]
				}
			}
		}
		if err := s.storeF32(row, dst, p); err != nil {
			return err
		}
		s.markAcc(dst, base)
	}
	return nil
}

// markAcc records that a matmul wrote the elements of a PSUM row.
func (s *State) markAcc(dst *Ref, base int) {
	_ = dst.eachRun(func(off, step int64, n int) error {
		if step == int64(dst.Size) {
			s.psumAcc.set(base+int(off), base+int(off)+n*dst.Size)
			return nil
		}
		for k := 0; k < n; k++ {
			lo := base + int(off+int64(k)*step)
			s.psumAcc.set(lo, lo+dst.Size)
		}
		return nil
	})
}

// psumForeign clears the matmul flags of elements another engine wrote.
func (s *State) psumForeign(r *Ref, i int) {
	base := (r.Part + i) * s.psum.rowBytes
	_ = r.eachRun(func(off, step int64, n int) error {
		if step == int64(r.Size) {
			s.psumAcc.clear(base+int(off), base+int(off)+n*r.Size)
			return nil
		}
		for k := 0; k < n; k++ {
			lo := base + int(off+int64(k)*step)
			s.psumAcc.clear(lo, lo+r.Size)
		}
		return nil
	})
}

// peTranspose moves bits: dst[m, k] = S[k, m]. The destination element is the stationary element, or twice as
// wide with a zero upper half for one-byte types.
func (s *State) peTranspose(in *Instr) error {
	dst := &in.Out[0]
	if dst.NPart != s.statM || dst.N != s.statK {
		return diag.Errorf(CodeShape, diag.Loc{}, "transpose of [%d, %d] cannot fill [%d, %d]", s.statK, s.statM, dst.NPart, dst.N)
	}
	if want := s.statDT.Size(); dst.Size != want && !(want == 1 && dst.Size == 2) {
		return diag.Errorf(CodeDType, diag.Loc{}, "transpose of %s into %d-byte elements", s.statDT, dst.Size)
	}
	row := make([]uint32, dst.N)
	for m := range dst.NPart {
		for k := range row {
			row[k] = s.statBits[k][m]
		}
		if err := s.storeBits(row, dst, m); err != nil {
			return err
		}
		s.markAcc(dst, (dst.Part+m)*s.psum.rowBytes)
	}
	return nil
}

// runStreamTranspose transposes each 32x32 block in place of itself.
func runStreamTranspose(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if src.Size != dst.Size {
		return diag.Errorf(CodeDType, diag.Loc{}, "StreamTranspose does not cast (%s -> %s)", src.DT, dst.DT)
	}
	if src.NPart == dst.N && src.N == dst.NPart && src.NPart <= 32 && src.N <= 32 {
		return s.smallTranspose(src, dst)
	}
	if err := sameShape(in, dst, src); err != nil {
		return err
	}
	if src.NPart%32 != 0 || src.N%32 != 0 {
		return diag.Errorf(CodeShape, diag.Loc{}, "StreamTranspose works on 32x32 blocks, not [%d, %d]", src.NPart, src.N)
	}
	rows := make([][]uint32, src.NPart)
	for p := range rows {
		rows[p] = make([]uint32, src.N)
		if err := s.loadBits(rows[p], src, p, false); err != nil {
			return err
		}
	}
	out := make([]uint32, dst.N)
	for p := range dst.NPart {
		pb, e := p&^31, p&31
		for j := range out {
			eb, q := j&^31, j&31
			out[j] = rows[pb+q][eb+e]
		}
		if err := s.storeBits(out, dst, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) smallTranspose(src, dst *Ref) error {
	rows := make([][]uint32, src.NPart)
	for p := range rows {
		rows[p] = make([]uint32, src.N)
		if err := s.loadBits(rows[p], src, p, false); err != nil {
			return err
		}
	}
	out := make([]uint32, dst.N)
	for p := range dst.NPart {
		for j := range out {
			out[j] = rows[j][p]
		}
		if err := s.storeBits(out, dst, p); err != nil {
			return err
		}
	}
	return nil
}

// runStreamShuffle permutes the partitions of each quadrant by the mask; 255 keeps the old content.
func runStreamShuffle(s *State, in *Instr) error {
	if err := operands(in, 1, 1); err != nil {
		return err
	}
	src, dst := &in.In[0], &in.Out[0]
	if src.DT != dst.DT || src.N != dst.N {
		return diag.Errorf(CodeDType, diag.Loc{}, "StreamShuffle does not cast or reshape")
	}
	n := dst.N * dst.Size
	all := make([][]byte, src.NPart)
	for p := range all {
		all[p] = make([]byte, n)
		s.peek(all[p], src, p)
	}
	for p := range dst.NPart {
		m := s.shuffleMask[p%32]
		if m == 255 {
			continue
		}
		q := p&^31 + int(m)
		if q >= len(all) {
			return diag.Errorf(CodeIndex, diag.Loc{}, "StreamShuffle: mask entry %d names partition %d of %d", p%32, q, len(all))
		}
		if err := s.gather(all[q], src, q); err != nil {
			return err
		}
		s.scatter(all[q], dst, p)
	}
	return nil
}
