package eval

import (
	"math"
	"math/bits"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/tensor"
)

func init() {
	register("stablehlo.rng_bit_generator", func(_ *machine, o *hlo.Op, in []Val) ([]Val, error) {
		state, out := in[0].T, o.Out(1)
		s := stateWords(state)
		if len(s) < 2 {
			return nil, errf(o, CodeShape, "the state has %d 64-bit words, must have at least 2", len(s))
		}
		shape := toInts(out.Dims)
		var t *tensor.Tensor
		if o.Enum("rng_algorithm") == "THREE_FRY" {
			t = threefryBits(s, out.Elem, shape)
		} else {
			t = philoxBits(s, out.Elem, shape)
		}
		next := clone(state)
		copy(view[uint64](next), s)
		return []Val{{T: next}, {T: t}}, nil
	})
	register("stablehlo.rng", runRng)
}

func stateWords(t *tensor.Tensor) []uint64 {
	return append([]uint64(nil), view[uint64](t)[:len(t.Data)/8]...)
}

// threefry is Threefry-2x32 with 20 rounds (frontend.md 6.5).
func threefry(k0, k1, x0, x1 uint32) (uint32, uint32) {
	rot := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	ks := [3]uint32{k0, k1, k0 ^ k1 ^ 0x1BD11BDA}
	x0, x1 = x0+ks[0], x1+ks[1]
	for g := range 5 {
		for _, r := range rot[g%2] {
			x0 += x1
			x1 = bits.RotateLeft32(x1, r) ^ x0
		}
		x0 += ks[(g+1)%3]
		x1 += ks[(g+2)%3] + uint32(g+1)
	}
	return x0, x1
}

// philox is Philox-4x32 with 10 rounds.
func philox(key uint64, c [4]uint32) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0}
		k0, k1 = k0+0x9E3779B9, k1+0xBB67AE85
	}
	return c
}

// threefryBits: s[0] is the key, s[1] a counter that is advanced. 64-bit results take a block each; narrower ones
// share: the first words of all blocks fill the first half of a dimension, the second words the other half.
func threefryBits(s []uint64, ty dtype.Type, shape []int) *tensor.Tensor {
	n := count(shape)
	k0, k1 := uint32(s[0]), uint32(s[0]>>32)
	block := func(i int) (uint32, uint32) {
		c := s[1] + uint64(i)
		return threefry(k0, k1, uint32(c), uint32(c>>32))
	}
	out := make([]int64, n)
	if ty.Bits() == 64 {
		for i := range out {
			lo, hi := block(i)
			out[i] = int64(uint64(hi)<<32 | uint64(lo))
		}
		s[1] += uint64(n)
		return randomBits(ty, shape, out)
	}
	dim := -1 // the first even dimension is halved, else the last one, rounded up
	for i, d := range shape {
		if d%2 == 0 {
			dim = i
			break
		}
	}
	if dim < 0 {
		dim = len(shape) - 1
	}
	if dim < 0 {
		lo, _ := block(0)
		s[1]++
		return randomBits(ty, shape, []int64{int64(lo)})
	}
	half := (shape[dim] + 1) / 2
	inner := count(shape[dim+1:])
	for i := range out {
		q, rest := i/(shape[dim]*inner), i%(shape[dim]*inner)
		p := rest / inner
		b := (q*half+p%half)*inner + rest%inner
		lo, hi := block(b)
		out[i] = int64(lo)
		if p >= half {
			out[i] = int64(hi)
		}
	}
	if shape[dim] > 0 {
		s[1] += uint64(n / shape[dim] * half)
	}
	return randomBits(ty, shape, out)
}

// philoxBits: s[0] is the key, the rest a counter of 64 or 128 bits that is advanced. The four words of a block are
// used in order; 64-bit results take two.
func philoxBits(s []uint64, ty dtype.Type, shape []int) *tensor.Tensor {
	n := count(shape)
	out := make([]int64, n)
	per := 4
	if ty.Bits() == 64 {
		per = 2
	}
	hi0 := uint64(0)
	if len(s) > 2 {
		hi0 = s[2]
	}
	blocks := (n + per - 1) / per
	for b := range blocks {
		lo, carry := bits.Add64(s[1], uint64(b), 0)
		hi := hi0 + carry
		w := philox(s[0], [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)})
		for k := 0; k < per && b*per+k < n; k++ {
			if per == 2 {
				out[b*2+k] = int64(uint64(w[2*k+1])<<32 | uint64(w[2*k]))
			} else {
				out[b*4+k] = int64(w[k])
			}
		}
	}
	lo, carry := bits.Add64(s[1], uint64(blocks), 0)
	s[1] = lo
	if len(s) > 2 {
		s[2] += carry
	}
	return randomBits(ty, shape, out)
}

// randomBits stores the low bits of words; floats get them as their pattern.
func randomBits(ty dtype.Type, shape []int, v []int64) *tensor.Tensor {
	switch {
	case ty == dtype.I1:
		for i := range v {
			v[i] &= 1
		}
	case ty.IsFloat():
		as := map[int]dtype.Type{1: dtype.U8, 2: dtype.U16, 4: dtype.U32, 8: dtype.U64}[ty.Size()]
		t := fromInts(as, shape, v)
		t.Type = ty
		return t
	}
	return fromInts(ty, shape, v)
}

// lehmer is the generator behind rng: x = 16807 x mod 2^31-1, one seed of 1 a run (frontend.md 11.2).
func (m *machine) lehmer() float64 {
	const mod = 1<<31 - 1
	if m.seed == 0 {
		m.seed = 1
	}
	m.seed = m.seed * 16807 % mod
	return float64(m.seed) / mod
}

// runRng draws from [a, b) uniformly, or normally with mean a and deviation b by the Box-Muller transform.
func runRng(m *machine, o *hlo.Op, in []Val) ([]Val, error) {
	a, b, size := in[0].T, in[1].T, in[2].T
	shape := make([]int, numElems(size))
	n := int64(1)
	for i := range shape {
		d := intAt(size, i)
		if d < 0 || d > 0 && n > defaultMaxBytes/d {
			return nil, errf(o, CodeShape, "extent %d of dimension %d is impossible", d, i)
		}
		shape[i] = int(d)
		n *= d
	}
	ty := a.Type
	normal := o.Enum("rng_distribution") == "NORMAL"
	switch {
	case ty.IsFloat():
		lo, hi := floats(a)[0], floats(b)[0]
		out := make([]float64, n)
		for i := range out {
			u := m.lehmer()
			if normal {
				out[i] = lo + hi*math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*m.lehmer())
			} else {
				out[i] = lo + (hi-lo)*u
			}
		}
		return one(fromFloats(ty, shape, out)), nil
	case normal:
		return nil, errf(o, CodeElem, "a normal distribution of %s has no meaning", ty)
	}
	lo, hi := intAt(a, 0), intAt(b, 0)
	out := make([]int64, n)
	for i := range out {
		if span := uint64(hi - lo); hi > lo {
			out[i] = lo + int64(uint64(m.lehmer()*float64(span))%span)
		} else {
			out[i] = lo
		}
	}
	return one(fromInts(ty, shape, out)), nil
}
