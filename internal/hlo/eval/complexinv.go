package eval

import "math"

// Inverse trigonometric and hyperbolic functions of complex numbers, after Hull, Fairgrieve and Tang, "Implementing
// the complex arcsine and arccosine functions using exception handling" (1997): accurate to a few units in the last
// place everywhere, with regions of their own for arguments whose squares leave the range.

const (
	safeMax = 1e153
	safeMin = 1e-153
	epsilon = 0x1p-52
)

// asinAcos returns the parts of asin and acos of x + iy for x, y >= 0; both have the same imaginary part.
func asinAcos(x, y float64) (reAsin, reAcos, im float64) {
	xp, xm := x+1, x-1
	if x > safeMin && x < safeMax && y > safeMin && y < safeMax {
		yy := y * y
		r, s := math.Hypot(xp, y), math.Hypot(xm, y)
		a := 0.5 * (r + s)
		b := x / a
		if b <= 0.6417 {
			reAsin, reAcos = math.Asin(b), math.Acos(b)
		} else {
			ax := a + x
			var d float64
			if x <= 1 {
				d = math.Sqrt(0.5 * ax * (yy/(r+xp) + (s - xm)))
			} else {
				d = y * math.Sqrt(0.5*(ax/(r+xp)+ax/(s+xm)))
			}
			reAsin, reAcos = math.Atan2(x, d), math.Atan2(d, x)
		}
		if a <= 1.5 {
			var am float64
			if x < 1 {
				am = 0.5 * (yy/(r+xp) + yy/(s-xm))
			} else {
				am = 0.5 * (yy/(r+xp) + (s + xm))
			}
			return reAsin, reAcos, math.Log1p(am + math.Sqrt(am*(a+1)))
		}
		return reAsin, reAcos, math.Log(a + math.Sqrt(a*a-1))
	}
	switch {
	case y <= epsilon*math.Abs(xm):
		if x < 1 {
			return math.Asin(x), math.Acos(x), y / math.Sqrt(xp*(1-x))
		}
		if math.MaxFloat64/xp > xm {
			q := math.Sqrt(xp * xm)
			if y == 0 {
				return math.Pi / 2, 0, math.Log1p(xm + q)
			}
			return math.Pi / 2, y / q, math.Log1p(xm + q)
		}
		return math.Pi / 2, y / x, math.Ln2 + math.Log(x)
	case y <= safeMin:
		q := math.Sqrt(y)
		return math.Pi/2 - q, q, q
	case epsilon*y-1 >= x:
		return x / y, math.Pi / 2, math.Ln2 + math.Log(y)
	case x > 1:
		q := x / y
		return math.Atan2(x, y), math.Atan2(y, x), math.Ln2 + math.Log(y) + 0.5*math.Log1p(q*q)
	}
	a := math.Sqrt(1 + y*y)
	return x / a, math.Pi / 2, 0.5 * math.Log1p(2*y*(y+a))
}

func cAsin(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case x != x:
		if math.IsInf(y, 0) {
			return complex(x, y)
		}
		return complex(math.NaN(), math.NaN())
	case y != y:
		if math.IsInf(x, 0) {
			return complex(y, x)
		}
		if x == 0 {
			return z
		}
		return complex(y, y)
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return complex(angle(x, y), math.Copysign(math.Inf(1), y))
	}
	re, _, im := asinAcos(math.Abs(x), math.Abs(y))
	return complex(math.Copysign(re, x), math.Copysign(im, y))
}

// angle is the limit of asin's real part at infinity.
func angle(x, y float64) float64 {
	switch {
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		return math.Copysign(math.Pi/4, x)
	case math.IsInf(x, 0):
		return math.Copysign(math.Pi/2, x)
	}
	return math.Copysign(0, x)
}

func cAcos(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case x != x:
		if math.IsInf(y, 0) {
			return complex(x, -y)
		}
		return complex(math.NaN(), math.NaN())
	case y != y:
		if math.IsInf(x, 0) {
			return complex(y, math.Copysign(math.Inf(1), x))
		}
		if x == 0 {
			return complex(math.Pi/2, y)
		}
		return complex(y, y)
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		re := math.Pi/2 - angle(x, y)
		if x > 0 && math.IsInf(x, 0) && !math.IsInf(y, 0) {
			re = 0
		}
		return complex(re, -math.Copysign(math.Inf(1), y))
	}
	_, re, im := asinAcos(math.Abs(x), math.Abs(y))
	if math.Signbit(x) {
		re = math.Pi - re
	}
	return complex(re, -math.Copysign(im, y))
}

func cAsinh(z complex128) complex128 {
	w := cAsin(complex(-imag(z), real(z)))
	return complex(imag(w), -real(w))
}

func cAcosh(z complex128) complex128 {
	w := cAcos(z)
	return complex(math.Abs(imag(w)), math.Copysign(real(w), imag(z)))
}

func cAtanh(z complex128) complex128 {
	x, y := math.Abs(real(z)), math.Abs(imag(z))
	var re, im float64
	switch {
	case x != x || y != y:
		switch {
		case math.IsInf(y, 0):
			re, im = 0, math.Pi/2
		case math.IsInf(x, 0) || x == 0:
			re, im = 0, math.NaN()
		default:
			re, im = math.NaN(), math.NaN()
		}
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		re, im = 0, math.Pi/2
	case x > safeMax || y > safeMax:
		im = math.Pi / 2
		if x >= y {
			re = 0.5 / (0.5*x + 0.5*y*(y/x))
		} else {
			q := x / y
			re = 0.5 * q / (0.5*x*q + 0.5*y)
		}
	case x == 1 && y < safeMin:
		if y == 0 {
			re, im = math.Inf(1), 0
		} else {
			re, im = 0.5*(math.Ln2-math.Log(y)), math.Pi/4
		}
	default:
		d := 1 - x
		re = 0.25 * math.Log1p(4*x/(d*d+y*y))
		im = 0.5 * math.Atan2(2*y, d*(1+x)-y*y)
	}
	return complex(math.Copysign(re, real(z)), math.Copysign(im, imag(z)))
}

func cAtan(z complex128) complex128 {
	w := cAtanh(complex(-imag(z), real(z)))
	return complex(imag(w), -real(w))
}

// atan2F has the sign of y always; math.Atan2 loses it when y/x underflows.
func atan2F(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }

// logF is the natural logarithm. The assembly behind math.Log is wrong for subnormal arguments on some machines.
func logF(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// sincos reduces its argument with pi/2 in two pieces, so that results near zero keep their relative precision.
func sincos(x float64) (sin, cos float64) {
	if !(math.Abs(x) < 1<<25) {
		return math.Sincos(x)
	}
	const (
		p1 = 1.5707963267948966
		p2 = 6.123233995736766e-17
	)
	k := math.RoundToEven(x * (2 / math.Pi))
	if k == 0 {
		return math.Sincos(x)
	}
	r := math.FMA(-k, p1, x)
	w := k * p2
	hi := r - w
	lo := (r - hi) - w
	s, c := math.Sincos(hi)
	s, c = s+lo*c, c-lo*s
	switch int64(k) & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

func sinF(x float64) float64 {
	s, _ := sincos(x)
	return s
}

func cosF(x float64) float64 {
	_, c := sincos(x)
	return c
}

// square returns x*x as an unevaluated sum.
func square(x float64) (hi, lo float64) {
	hi = x * x
	return hi, math.FMA(x, x, -hi)
}

// twoSum returns a+b as an unevaluated sum.
func twoSum(a, b float64) (hi, lo float64) {
	hi = a + b
	t := hi - a
	return hi, (a - (hi - t)) + (b - t)
}

func cLog(z complex128) complex128 {
	x, y := math.Abs(real(z)), math.Abs(imag(z))
	im := atan2F(imag(z), real(z))
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return complex(math.Inf(1), im)
	}
	if x < y {
		x, y = y, x
	}
	switch {
	case x != x || y != y:
		return complex(math.NaN(), im)
	case x > 0.5 && x < 2 && y < 2:
		// |z|^2 - 1 without cancellation.
		h1, l1 := square(x)
		h2, l2 := square(y)
		s, e1 := twoSum(h1-1, h2)
		if h1 >= 0.5 && h1 <= 2 { // then h1 - 1 is exact
			return complex(0.5*math.Log1p(s+(e1+l1+l2)), im)
		}
	case x == 0:
		return complex(math.Inf(-1), im)
	}
	q := y / x
	return complex(logF(x)+0.5*math.Log1p(q*q), im)
}

// cLog1p: |1+z|^2 - 1 = 2x + x^2 + y^2, summed without loss.
func cLog1p(z complex128) complex128 {
	x, y := real(z), imag(z)
	if math.Abs(x) > 1e6 || math.Abs(y) > 1e6 || x != x || y != y {
		return cLog(complex(1+x, y))
	}
	im := atan2F(y, 1+x)
	switch {
	case y == 0 && x > -1:
		return complex(math.Log1p(x), im)
	case x == 0 && math.Abs(y) < 1e-100:
		return complex(0.5*y*y, im)
	}
	h1, l1 := square(x)
	h2, l2 := square(y)
	s1, e1 := twoSum(2*x, h1)
	s2, e2 := twoSum(s1, h2)
	t := s2 + (e1 + e2 + l1 + l2)
	if t < -0.75 {
		// Close to -1 the sum is small against its terms: take the modulus itself.
		return complex(logF(math.Hypot(1+x, y)), im)
	}
	return complex(0.5*math.Log1p(t), im)
}
