package opt

import (
	"math"

	"github.com/alcadev/alca/internal/hlo"
)

// The gamma functions and their kin, in f32. Each branch is computed for all elements and the right one selected.
func init() {
	decomposing("chlo.lgamma", lgamma)
	decomposing("chlo.digamma", digamma)
	decomposing("chlo.bessel_i1e", besselI1e)
}

// Coefficients of lgamma, lowest power first: Sun's fdlibm, e_lgamma_r.
var (
	lgammaEven = []float64{7.72156649015328655494e-02, 6.73523010531292681824e-02, 7.38555086081402883957e-03, 1.19270763183362067845e-03,
		2.20862790713908385557e-04, 2.52144565451257326939e-05}
	lgammaOdd = []float64{3.22467033424113591611e-01, 2.05808084325167332806e-02, 2.89051383673415629091e-03, 5.10069792153511336608e-04,
		1.08011567247583939954e-04, 4.48640949618915160150e-05}
	lgammaMin = []float64{4.83836122723810047042e-01, -1.47587722994593911752e-01, 6.46249402391333854778e-02, -3.27885410759859649565e-02,
		1.79706750811820387126e-02, -1.03142241298341437450e-02, 6.10053870246291332635e-03, -3.68452016781138256760e-03,
		2.25964780900612472250e-03, -1.40346469989232843813e-03, 8.81081882437654011382e-04, -5.38595305356740546715e-04,
		3.15632070903625950361e-04, -3.12754168375120860518e-04, 3.35529192635519073543e-04}
	lgammaU = []float64{-7.72156649015328655494e-02, 6.32827064025093366517e-01, 1.45492250137234768737, 9.77717527963372745603e-01,
		2.28963728064692451092e-01, 1.33810918536787660377e-02}
	lgammaV = []float64{1, 2.45597793713041134822, 2.12848976379893395361, 7.69285150456672783825e-01, 1.04222645593369134254e-01,
		3.21709242282423911810e-03}
	lgammaS = []float64{-7.72156649015328655494e-02, 2.14982415960608852501e-01, 3.25778796408930981787e-01, 1.46350472652464452805e-01,
		2.66422703033638609560e-02, 1.84028451407337715652e-03, 3.19475326584100867617e-05}
	lgammaR = []float64{1, 1.39200533467621045958, 7.21935547567138069525e-01, 1.71933865632803078993e-01, 1.86459191715652901344e-02,
		7.77942496381893596434e-04, 7.32668430744625636189e-06}
	lgammaW = []float64{8.33333333333329678849e-02, -2.77777777728775536470e-03, 7.93650558643019558500e-04, -5.95187557450339963135e-04}
)

// lgamma, with a = |x| (Sun's fdlibm):
//
//	a < 2       lgamma(1+u) of u in (-0.1, 1), by three polynomials around 0, the minimum and 1; minus log(a) for a <= 0.9
//	2 <= a < 8  lgamma(2+y) of the fraction y, plus the log of (y+2)...(a-1)
//	8 <= a      (a - 1/2)(log(a) - 1) + series in 1/a
//	x < 0       log(pi / |a sin(pi a)|) minus the above
func lgamma(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	a := c.abs(x)
	logA := c.f("log", a)

	low := c.cmp(a, "LE", 0.9)
	u := c.sel(low, a, c.sub(a, 1))
	y := c.sub(1, u)
	z := c.mul(y, y)
	top := c.sub(c.add(c.mul(y, c.rising(z, lgammaEven)), c.mul(z, c.rising(z, lgammaOdd))), c.mul(0.5, y))
	const tc, tf = 1.46163214496836224576, -1.21486290535849611461e-01 // the minimum and its value
	y = c.sub(u, tc-1)
	mid := c.add(c.mul(c.mul(y, y), c.rising(y, lgammaMin)), tf)
	bottom := c.sub(c.div(c.mul(u, c.rising(u, lgammaU)), c.rising(u, lgammaV)), c.mul(0.5, u))
	small := c.sel(c.cmp(u, "GE", tc-1+0.27), top, c.sel(c.cmp(u, "GE", tc-1-0.27), mid, bottom))
	small = c.sel(low, c.sub(small, logA), small)

	whole := c.f("floor", a)
	y = c.sub(a, whole)
	medium := c.add(c.mul(0.5, y), c.div(c.mul(y, c.rising(y, lgammaS)), c.rising(y, lgammaR)))
	z = c.val(1)
	for k := 2; k <= 6; k++ {
		z = c.mul(z, c.sel(c.cmp(whole, "GT", k), c.add(y, k), 1))
	}
	medium = c.add(medium, c.f("log", z))

	inv := c.div(1, a)
	large := c.add(c.mul(c.sub(a, 0.5), c.sub(logA, 1)), c.add(c.mul(inv, c.rising(c.mul(inv, inv), lgammaW)), 4.18938533204672725052e-01))
	large = c.sel(c.cmp(a, "EQ", math.Inf(1)), a, large)

	r := c.sel(c.cmp(a, "LT", 2), small, c.sel(c.cmp(a, "LT", 8), medium, large))
	frac := c.sub(a, whole)
	s := c.f("sine", c.mul(math.Pi, c.f("minimum", frac, c.sub(1, frac))))
	neg := c.sub(c.f("log", c.div(math.Pi, c.mul(a, s))), r)
	neg = c.sel(c.f("or", c.cmp(frac, "EQ", 0.0), c.cmp(a, "EQ", math.Inf(1))), math.Inf(1), neg)
	return c.sel(c.cmp(x, "LT", 0), neg, r)
}

// digamma: 1 - x for x <= 0 with -pi/tan(pi x) added; then
//
//	x > 10   log(x) - 1/(2x) - series in 1/(x x)
//	else     x moved into [1, 2] by digamma(x+1) = digamma(x) + 1/x, where it is (x - root) times a rational function,
//	         which keeps its precision at the root
//
// Coefficients: Boost.Math, digamma, 53 bits.
func digamma(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	reflect := c.cmp(x, "LE", 0.0)
	a := c.sel(reflect, c.sub(1, x), x)
	frac := c.sub(x, c.f("floor", x))
	extra := c.sel(reflect, c.neg(c.div(math.Pi, c.f("tan", c.mul(math.Pi, c.sel(c.cmp(frac, "GT", 0.5), c.sub(frac, 1), frac))))), 0.0)

	inv := c.div(1, a)
	z := c.mul(inv, inv)
	large := c.sub(c.sub(c.f("log", a), c.mul(0.5, inv)), c.mul(z, c.rising(z, []float64{1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240})))

	t, sum := a, c.val(0.0)
	for range 9 {
		over := c.cmp(t, "GT", 2)
		down := c.sub(t, 1)
		sum = c.sel(over, c.add(sum, c.div(1, down)), sum)
		t = c.sel(over, down, t)
	}
	under := c.cmp(t, "LT", 1)
	sum = c.sel(under, c.neg(c.div(1, t)), sum)
	t = c.sel(under, c.add(t, 1), t)
	const root1, root2 = 1569415565.0 / 1073741824, 381566830.0 / 1073741824 / 1073741824
	// f32 holds 24 bits: the root is spread over two numbers of that size.
	hi := float64(float32(root1))
	g := c.sub(c.sub(t, hi), root1-hi+root2)
	t1 := c.sub(t, 1)
	p := c.rising(t1, []float64{0.25479851061131551, -0.32555031186804491, -0.65031853770896507, -0.28919126444774784, -0.045251321448739056,
		-0.0020713321167745952})
	q := c.rising(t1, []float64{1, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969, 0.054151797245674225, 0.0021284987017821144,
		-0.55789841321675513e-6})
	small := c.add(sum, c.add(c.mul(g, 0.99558162689208984), c.mul(g, c.div(p, q))))
	r := c.add(c.sel(c.cmp(a, "GT", 10), large, small), extra)
	return c.sel(c.f("and", c.cmp(frac, "EQ", 0.0), reflect), math.NaN(), r)
}

// besselI1e is a Chebyshev series in |x| up to 8, one in 1/|x| above. Coefficients: Cephes, i1f.
func besselI1e(c calc, in ...*hlo.Value) *hlo.Value {
	x := in[0]
	a := c.abs(x)
	near := c.mul(a, c.chebyshev(c.sub(c.mul(a, 0.5), 2), 9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7,
		-8.56872026469545474066e-7, 3.47025130813767847674e-6, -1.32731636560394358279e-5, 4.78156510755005422638e-5,
		-1.61760815825896745588e-4, 5.12285956168575772895e-4, -1.51357245063125314899e-3, 4.15642294431288815669e-3,
		-1.05640848946261981558e-2, 2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1,
		-1.76416518357834055153e-1, 2.52587186443633654823e-1))
	far := c.mul(c.f("rsqrt", a), c.chebyshev(c.sub(c.div(32, a), 2), -3.83538038596423702205e-9, -2.63146884688951950684e-8,
		-2.51223623787020892529e-7, -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
		7.78576235018280120474e-1))
	return c.mul(c.f("sign", x), c.sel(c.cmp(a, "LE", 8), near, far))
}

// chebyshev is a Chebyshev series in x/2, the highest coefficient first, by Clenshaw's recurrence.
func (c calc) chebyshev(x *hlo.Value, coef ...float64) *hlo.Value {
	b0, b1, b2 := c.val(coef[0]), c.val(0.0), c.val(0.0)
	for _, k := range coef[1:] {
		b2, b1 = b1, b0
		b0 = c.add(c.sub(c.mul(x, b1), b2), k)
	}
	return c.mul(0.5, c.sub(b0, b2))
}
