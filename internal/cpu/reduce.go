package cpu

// sumLanes is the number of partial sums of Sum.
const sumLanes = 16

// Sum adds up values with sixteen interleaved accumulators, combined pairwise at the end: element i goes to
// accumulator i mod 16. The result depends on the values alone, never on the machine.
func Sum(x []float32) float32 {
	if len(x) < sumLanes {
		var s float32
		for _, v := range x {
			s += v
		}
		return s
	}
	var acc [sumLanes]float32
	i := 0
	for ; i+sumLanes <= len(x); i += sumLanes {
		v := x[i : i+sumLanes : i+sumLanes]
		for l := range acc {
			acc[l] += v[l]
		}
	}
	for l, v := range x[i:] {
		acc[l] += v
	}
	for h := sumLanes / 2; h > 0; h /= 2 {
		for l := range h {
			acc[l] += acc[l+h]
		}
	}
	return acc[0]
}
