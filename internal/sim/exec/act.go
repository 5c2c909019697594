package exec

import (
	"math"

	"github.com/alcadev/alca/internal/bir"
)

const (
	sqrtTwo       = 1.414213562373095
	invSqrtTwoPi  = 0.3989422804014327
	twoOverSqrtPi = 1.1283791670955126
	geluTanhScale = 0.7978845608028654
)

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + math.Max(x, 0) }

// actFuncs are the exact activation functions (semantics.md 6.3), evaluated in float64; limits at infinity that
// the formula would turn into NaN are spelled out. alpha is the slope of Lrelu and Prelu.
var actFuncs = map[bir.ActFunc]func(x, alpha float64) float64{
	bir.ActIdentity: func(x, _ float64) float64 { return x },
	bir.ActCopy:     func(x, _ float64) float64 { return x },
	bir.ActSquare:   func(x, _ float64) float64 { return x * x },
	bir.ActRelu: func(x, _ float64) float64 {
		if x > 0 {
			return x
		}
		return 0
	},
	bir.ActLrelu:    leaky,
	bir.ActPrelu:    leaky,
	bir.ActSigmoid:  func(x, _ float64) float64 { return sigmoid(x) },
	bir.ActTanh:     func(x, _ float64) float64 { return math.Tanh(x) },
	bir.ActExp:      func(x, _ float64) float64 { return math.Exp(x) },
	bir.ActSoftplus: func(x, _ float64) float64 { return softplus(x) },
	bir.ActSqrt:     func(x, _ float64) float64 { return math.Sqrt(x) },
	bir.ActRsqrt:    func(x, _ float64) float64 { return 1 / math.Sqrt(x) },
	bir.ActLn:       func(x, _ float64) float64 { return math.Log(x) },
	bir.ActErf:      func(x, _ float64) float64 { return math.Erf(x) },
	bir.ActSin:      func(x, _ float64) float64 { return math.Sin(x) },
	bir.ActArctan:   func(x, _ float64) float64 { return math.Atan(x) },
	bir.ActSign: func(x, _ float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x // NaN stays NaN, zero keeps its sign
	},
	bir.ActGelu: func(x, _ float64) float64 {
		if math.IsInf(x, -1) {
			return 0
		}
		return x / 2 * (1 + math.Erf(x/sqrtTwo))
	},
	bir.ActMish: func(x, _ float64) float64 {
		if math.IsInf(x, -1) {
			return 0
		}
		return x * math.Tanh(softplus(x))
	},
	bir.ActGeluApprxTanh: func(x, _ float64) float64 {
		if math.IsInf(x, -1) {
			return 0
		}
		return x / 2 * (1 + math.Tanh(geluTanhScale*(x+0.044715*x*x*x)))
	},
	bir.ActGeluApprxSigmoid: func(x, _ float64) float64 {
		if math.IsInf(x, -1) {
			return 0
		}
		return x * sigmoid(1.702*x)
	},
	bir.ActDerivativeGeluApprxSigmoid: func(x, _ float64) float64 {
		if math.IsInf(x, 0) {
			return float64(b2f(x > 0))
		}
		u := 1.702 * x
		s := sigmoid(u)
		return s * (1 + u*(1-s))
	},
	bir.ActDerivativeGelu: func(x, _ float64) float64 {
		if math.IsInf(x, 0) {
			return float64(b2f(x > 0))
		}
		return (1+math.Erf(x/sqrtTwo))/2 + x*invSqrtTwoPi*math.Exp(-x*x/2)
	},
	bir.ActDerivativeErf: func(x, _ float64) float64 { return twoOverSqrtPi * math.Exp(-x*x) },
	bir.ActAbs:           func(x, _ float64) float64 { return math.Abs(x) },
	bir.ActReciprocal:    func(x, _ float64) float64 { return 1 / x },
	bir.ActAbsReciprocalSqrt: func(x, _ float64) float64 {
		return 1 / math.Sqrt(math.Abs(x))
	},
	bir.ActSilu: func(x, _ float64) float64 {
		if math.IsInf(x, -1) {
			return 0
		}
		return x * sigmoid(x)
	},
	bir.ActDerivativeSilu: func(x, _ float64) float64 {
		if math.IsInf(x, 0) {
			return float64(b2f(x > 0))
		}
		s := sigmoid(x)
		return s * (1 + x*(1-s))
	},
	bir.ActIsFinite: func(x, _ float64) float64 { return float64(b2f(!math.IsInf(x, 0) && !math.IsNaN(x))) },
}

func leaky(x, alpha float64) float64 {
	if x >= 0 {
		return x
	}
	return alpha * x
}
