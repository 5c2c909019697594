package dtype

// info is the one table of what differs between element types.
var info = [numTypes]struct {
	name   string
	bits   int // logical width
	size   int // bytes an element takes in memory
	class  class
	lo, hi int64 // integer range (U64 is capped at the signed maximum)
}{
	Invalid:       {name: "invalid"},
	I1:            {"i1", 1, 1, boolean, 0, 1},
	I2:            {"i2", 2, 1, sint, -2, 1},
	I4:            {"i4", 4, 1, sint, -8, 7},
	I8:            {"i8", 8, 1, sint, -1 << 7, 1<<7 - 1},
	I16:           {"i16", 16, 2, sint, -1 << 15, 1<<15 - 1},
	I32:           {"i32", 32, 4, sint, -1 << 31, 1<<31 - 1},
	I64:           {"i64", 64, 8, sint, -1 << 63, 1<<63 - 1},
	U2:            {"ui2", 2, 1, uint_, 0, 3},
	U4:            {"ui4", 4, 1, uint_, 0, 15},
	U8:            {"ui8", 8, 1, uint_, 0, 1<<8 - 1},
	U16:           {"ui16", 16, 2, uint_, 0, 1<<16 - 1},
	U32:           {"ui32", 32, 4, uint_, 0, 1<<32 - 1},
	U64:           {"ui64", 64, 8, uint_, 0, 1<<63 - 1},
	F4E2M1FN:      {"f4E2M1FN", 4, 1, float, 0, 0},
	F6E2M3FN:      {"f6E2M3FN", 6, 1, float, 0, 0},
	F6E3M2FN:      {"f6E3M2FN", 6, 1, float, 0, 0},
	F8E3M4:        {"f8E3M4", 8, 1, float, 0, 0},
	F8E4M3:        {"f8E4M3", 8, 1, float, 0, 0},
	F8E4M3FN:      {"f8E4M3FN", 8, 1, float, 0, 0},
	F8E4M3FNUZ:    {"f8E4M3FNUZ", 8, 1, float, 0, 0},
	F8E4M3B11FNUZ: {"f8E4M3B11FNUZ", 8, 1, float, 0, 0},
	F8E5M2:        {"f8E5M2", 8, 1, float, 0, 0},
	F8E5M2FNUZ:    {"f8E5M2FNUZ", 8, 1, float, 0, 0},
	F8E8M0FNU:     {"f8E8M0FNU", 8, 1, float, 0, 0},
	BF16:          {"bf16", 16, 2, float, 0, 0},
	F16:           {"f16", 16, 2, float, 0, 0},
	TF32:          {"tf32", 19, 4, float, 0, 0},
	F32:           {"f32", 32, 4, float, 0, 0},
	F64:           {"f64", 64, 8, float, 0, 0},
	C64:           {"complex<f32>", 64, 8, complex_, 0, 0},
	C128:          {"complex<f64>", 128, 16, complex_, 0, 0},
}

type class uint8

const (
	none class = iota
	boolean
	sint
	uint_
	float
	complex_
)

// String returns MLIR's spelling of the type.
func (t Type) String() string {
	if t >= numTypes {
		return "invalid"
	}
	return info[t].name
}

// Parse returns the type with MLIR's spelling name. Signless and explicitly signed integers are the same type.
func Parse(name string) (Type, bool) {
	if len(name) > 2 && name[:2] == "si" {
		name = name[1:]
	}
	for t := Invalid + 1; t < numTypes; t++ {
		if info[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// Size returns the bytes an element takes in memory; types narrower than a byte take one.
func (t Type) Size() int { return info[t].size }

// Bits returns the logical width in bits.
func (t Type) Bits() int { return info[t].bits }

// IsFloat reports real floating-point types.
func (t Type) IsFloat() bool { return info[t].class == float }

// IsInt reports integers, without I1.
func (t Type) IsInt() bool { return info[t].class == sint || info[t].class == uint_ }

// IsSigned reports signed integers and floats.
func (t Type) IsSigned() bool { return info[t].class == sint || info[t].class == float }

// IsComplex reports complex types.
func (t Type) IsComplex() bool { return info[t].class == complex_ }

// IntRange returns the least and greatest value of an integer type; the greatest of U64 is given as 2^63-1.
func (t Type) IntRange() (lo, hi int64) { return info[t].lo, info[t].hi }
