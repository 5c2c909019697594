package dtype

import "math"

// format describes a float type narrower than 32 bits.
type format struct {
	exp, man int
	bias     int
	kind     nanKind
}

// nanKind says how a narrow format spells non-finite values.
type nanKind uint8

const (
	ieee    nanKind = iota // all-ones exponent: infinity and NaN
	fn                     // no infinity; NaN is all ones
	fnuz                   // no infinity, no negative zero; NaN is the sign bit alone
	finite                 // no infinity, no NaN
	expOnly                // an unsigned power of two; NaN is all ones
)

var formats = map[Type]format{
	F4E2M1FN:      {2, 1, 1, finite},
	F6E2M3FN:      {2, 3, 1, finite},
	F6E3M2FN:      {3, 2, 3, finite},
	F8E3M4:        {3, 4, 3, ieee},
	F8E4M3:        {4, 3, 7, ieee},
	F8E4M3FN:      {4, 3, 7, fn},
	F8E4M3FNUZ:    {4, 3, 8, fnuz},
	F8E4M3B11FNUZ: {4, 3, 11, fnuz},
	F8E5M2:        {5, 2, 15, ieee},
	F8E5M2FNUZ:    {5, 2, 16, fnuz},
	F8E8M0FNU:     {8, 0, 127, expOnly},
	BF16:          {8, 7, 127, ieee},
	F16:           {5, 10, 15, ieee},
}

// decode returns the value of a bit pattern.
func (f format) decode(b uint32) float64 {
	if f.kind == expOnly {
		if b == 0xFF {
			return math.NaN()
		}
		return math.Ldexp(1, int(b)-127)
	}
	width := 1 + f.exp + f.man
	sign := b >> (width - 1) & 1
	e := int(b >> f.man & (1<<f.exp - 1))
	m := b & (1<<f.man - 1)
	top := 1<<f.exp - 1
	switch f.kind {
	case ieee:
		if e == top {
			if m != 0 {
				return math.NaN()
			}
			return math.Inf(1 - 2*int(sign))
		}
	case fn:
		if e == top && m == 1<<f.man-1 {
			return math.NaN()
		}
	case fnuz:
		if sign == 1 && e == 0 && m == 0 {
			return math.NaN()
		}
	}
	var v float64
	if e == 0 {
		v = math.Ldexp(float64(m), 1-f.bias-f.man)
	} else {
		v = math.Ldexp(float64(uint32(1)<<f.man|m), e-f.bias-f.man)
	}
	if sign == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

// maxBits returns the pattern of the largest finite magnitude, without sign.
func (f format) maxBits() uint32 {
	switch f.kind {
	case ieee:
		return uint32(1<<f.exp-1)<<f.man - 1
	case fn:
		return 1<<(f.exp+f.man) - 2
	}
	return 1<<(f.exp+f.man) - 1
}

// infBits returns the pattern an overflow takes when the format does not saturate: infinity where there is one,
// else NaN, else the largest finite value.
func (f format) infBits() uint32 {
	switch f.kind {
	case ieee:
		return uint32(1<<f.exp-1) << f.man
	case fn:
		return 1<<(f.exp+f.man) - 1
	case fnuz:
		return 1 << (f.exp + f.man)
	}
	return f.maxBits()
}

// encode rounds v to nearest even. With sat, overflow and infinity become the largest finite value.
func (f format) encode(v float64, sat bool) uint32 {
	if f.kind == expOnly {
		return encodeExp(v)
	}
	width := 1 + f.exp + f.man
	var sign uint32
	if math.Signbit(v) {
		sign = 1 << (width - 1)
	}
	if v != v {
		switch f.kind {
		case ieee:
			return sign | uint32(1<<f.exp-1)<<f.man | 1<<(f.man-1)
		case fn:
			return sign | (1<<(f.exp+f.man) - 1)
		case fnuz:
			return 1 << (width - 1)
		}
		return sign
	}
	a := math.Abs(v)
	if a == 0 {
		if f.kind == fnuz {
			return 0
		}
		return sign
	}
	over := func() uint32 {
		if sat {
			return sign | f.maxBits()
		}
		if f.kind == fnuz {
			return f.infBits()
		}
		return sign | f.infBits()
	}
	if math.IsInf(a, 0) {
		return over()
	}
	_, e := math.Frexp(a) // a = m * 2^e, m in [0.5, 1)
	e--
	if e < 1-f.bias {
		e = 1 - f.bias
	}
	// Count of units in the last place, exact in float64 for every format here.
	q := math.RoundToEven(math.Ldexp(a, f.man-e))
	if q == 0 {
		if f.kind == fnuz {
			return 0
		}
		return sign
	}
	if q >= math.Ldexp(1, f.man+1) {
		q /= 2
		e++
	}
	var bits uint32
	if q < math.Ldexp(1, f.man) {
		bits = uint32(q) // subnormal: exponent field 0
	} else {
		be := e + f.bias
		if be > 1<<f.exp-1 {
			return over()
		}
		bits = uint32(be)<<f.man | uint32(q)&(1<<f.man-1)
	}
	if bits > f.maxBits() {
		return over()
	}
	return sign | bits
}

// encodeExp rounds a positive value to a power of two (ties to the even exponent).
func encodeExp(v float64) uint32 {
	if v != v || v < 0 || math.IsInf(v, 0) {
		return 0xFF
	}
	if v == 0 {
		return 0
	}
	m, e := math.Frexp(v)
	e += 126
	if m > 0.75 || m == 0.75 && e&1 == 1 {
		e++
	}
	return uint32(min(max(e, 0), 254))
}

// tables of the one-byte formats, filled once.
var decodeTables = func() map[Type]*[256]float32 {
	t := map[Type]*[256]float32{}
	for ty, f := range formats {
		if info[ty].size != 1 {
			continue
		}
		tab := new([256]float32)
		for i := range tab {
			tab[i] = float32(f.decode(uint32(i) & (1<<info[ty].bits - 1)))
		}
		t[ty] = tab
	}
	return t
}()

// BF16ToF32 widens a bfloat16 pattern.
func BF16ToF32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// F32ToBF16 rounds to nearest even; every NaN becomes 0x7FC0.
func F32ToBF16(v float32) uint16 {
	u := math.Float32bits(v)
	if u&0x7FFFFFFF > 0x7F800000 {
		return 0x7FC0
	}
	return uint16((u + 0x7FFF + u>>16&1) >> 16)
}

// F16ToF32 widens a binary16 pattern; NaN payloads are kept shifted.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	e := uint32(h >> 10 & 0x1F)
	m := uint32(h & 0x3FF)
	switch {
	case e == 0x1F:
		return math.Float32frombits(sign | 0x7F800000 | m<<13)
	case e == 0 && m == 0:
		return math.Float32frombits(sign)
	case e == 0:
		for m&0x400 == 0 {
			m <<= 1
			e--
		}
		e++
		m &= 0x3FF
	}
	return math.Float32frombits(sign | (e+112)<<23 | m<<13)
}

// F32ToF16 rounds to nearest even; overflow becomes infinity, NaN sign | 0x7E00.
func F32ToF16(v float32) uint16 {
	u := math.Float32bits(v)
	sign := uint16(u >> 16 & 0x8000)
	a := u & 0x7FFFFFFF
	switch {
	case a > 0x7F800000:
		return sign | 0x7E00
	case a > 0x477FFFFF:
		return sign | 0x7C00
	case a <= 0x387FFFFF: // subnormal result
		if a < 0x33000000 {
			return sign
		}
		shift := 126 - a>>23
		m := a&0x7FFFFF | 0x800000
		r := m >> shift
		rest := m & (1<<shift - 1)
		half := uint32(1) << (shift - 1)
		if rest > half || rest == half && r&1 == 1 {
			r++
		}
		return sign | uint16(r)
	}
	a += 0xFFF + a>>13&1
	if a >= 0x47800000 {
		return sign | 0x7C00
	}
	return sign | uint16((a-0x38000000)>>13)
}
