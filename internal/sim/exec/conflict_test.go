package exec

import (
	"testing"

	"github.com/alcadev/alca/internal/dtype"
)

func TestRegionsOverlap(t *testing.T) {
	flat := func(off int64, dims ...Walk) Region {
		f := Flat{Space: SBUF, Off: off, DT: dtype.F32, Dims: dims}
		return f.Region()
	}
	const P = PartStride
	for _, c := range []struct {
		name string
		a, b Region
		want bool
	}{
		{"same", flat(0, Walk{P, 4}, Walk{4, 8}), flat(0, Walk{P, 4}, Walk{4, 8}), true},
		{"columns apart", flat(0, Walk{P, 4}, Walk{4, 8}), flat(32, Walk{P, 4}, Walk{4, 8}), false},
		{"partitions apart", flat(0, Walk{P, 4}, Walk{4, 8}), flat(4*P, Walk{P, 4}, Walk{4, 8}), false},
		{"interleaved columns", flat(0, Walk{P, 60}, Walk{8, 3}), flat(4, Walk{P, 60}, Walk{8, 3}), false},
		{"interleaved columns, partitions in three dimensions", flat(0, Walk{20 * P, 3}, Walk{5 * P, 4}, Walk{P, 5}, Walk{8, 3}), flat(4, Walk{20 * P, 3}, Walk{5 * P, 4}, Walk{P, 5}, Walk{8, 3}), false},
		{"shared column, partitions in two dimensions", flat(0, Walk{20 * P, 3}, Walk{P, 5}, Walk{8, 3}), flat(8, Walk{P, 60}, Walk{12, 2}), true},
		{"backwards", flat(7*P, Walk{-P, 4}, Walk{4, 8}), flat(4*P, Walk{P, 1}, Walk{4, 8}), true},
		{"backwards, below", flat(7*P, Walk{-P, 4}, Walk{4, 8}), flat(0, Walk{P, 4}, Walk{4, 8}), false},
	} {
		if got := c.a.Overlaps(&c.b); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := c.b.Overlaps(&c.a); got != c.want {
			t.Errorf("%s, swapped: %v", c.name, got)
		}
	}
}
