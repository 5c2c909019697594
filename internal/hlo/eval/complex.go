package eval

import (
	"math"
	"math/cmplx"
)

// Complex arithmetic. The standard library covers most functions; these give the limits StableHLO's reference
// expects where it differs.

func cMul(a, b complex128) complex128 {
	return complex(real(a)*real(b)-imag(a)*imag(b), real(a)*imag(b)+imag(a)*real(b))
}

func cDiv(a, b complex128) complex128 { return a / b }

func cExp(z complex128) complex128 {
	re, im := real(z), imag(z)
	if im == 0 {
		return complex(math.Exp(re), im)
	}
	e := math.Exp(re)
	s, c := sincos(im)
	if math.IsInf(e, 1) && !math.IsInf(re, 1) {
		// exp overflows but the product with a small sine or cosine may not.
		h := math.Exp(re / 2)
		return complex(h*c*h, h*s*h)
	}
	return complex(e*c, e*s)
}

func cExpm1(z complex128) complex128 {
	re, im := real(z), imag(z)
	s := math.Sin(im / 2)
	e := math.Expm1(re)
	return complex(e*math.Cos(im)-2*s*s, (e+1)*math.Sin(im))
}

func cSqrt(z complex128) complex128 {
	if math.IsInf(real(z), -1) && !math.IsInf(imag(z), 0) && imag(z) == imag(z) {
		return complex(0, math.Copysign(math.Inf(1), imag(z)))
	}
	scale := 1.0
	if math.Max(math.Abs(real(z)), math.Abs(imag(z))) < 1e-290 {
		z *= 0x1p120 // squares of parts must not vanish
		scale = 0x1p-60
	}
	r := cmplx.Sqrt(z)
	return complex(scale*real(r), math.Copysign(scale*imag(r), imag(z)))
}

func cRsqrt(z complex128) complex128 { return 1 / cmplx.Sqrt(z) }

func cSin(z complex128) complex128 { return cmplx.Sin(z) }

func cCos(z complex128) complex128 { return cmplx.Cos(z) }

func cTan(z complex128) complex128 {
	t := cTanh(complex(-imag(z), real(z)))
	return complex(imag(t), -real(t))
}

// cTanh avoids the overflow of sinh/cosh for large real parts.
func cTanh(z complex128) complex128 {
	x, y := real(z), imag(z)
	if math.Abs(x) > 20 {
		if math.IsInf(x, 0) || math.Abs(x) > 350 {
			return complex(math.Copysign(1, x), math.Copysign(0, math.Sin(2*y)))
		}
		return complex(math.Copysign(1, x), 4*math.Sin(y)*math.Cos(y)*math.Exp(-2*math.Abs(x)))
	}
	return cmplx.Tanh(z)
}

func cPow(a, b complex128) complex128 {
	if a == 0 {
		if b == 0 {
			return 1
		}
		if real(b) > 0 {
			return 0
		}
	}
	return cmplx.Pow(a, b)
}

// cAtan2 is -i * log((x + iy) / sqrt(x^2 + y^2)).
func cAtan2(y, x complex128) complex128 {
	n := cmplx.Sqrt(x*x + y*y)
	l := cmplx.Log((x + y*1i) / n)
	return complex(imag(l), -real(l))
}
