package walrus

import (
	"math/rand"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/neff"
)

// offsets lists the byte offsets of a side's elements in walk order.
func offsets(s *neff.Side, size int64) []int64 {
	out := []int64{s.Off}
	for i := len(s.Sizes) - 1; i >= 0; i-- {
		n, step := s.Sizes[i], s.Steps[i]
		if i == 0 {
			n, step = n/size, size
		}
		var next []int64
		for _, o := range out {
			for k := range n {
				next = append(next, o+k*step)
			}
		}
		out = next
	}
	return out
}

// walkOffsets lists the byte offsets of a pattern's elements.
func walkOffsets(p *bir.AccessPattern) []int64 {
	s := sideWalk(p)
	out := []int64{s.off}
	for _, d := range s.dims {
		var next []int64
		for _, o := range out {
			for k := range d.Count {
				next = append(next, o+k*d.Step)
			}
		}
		out = next
	}
	return out
}

// TestDescriptors: the descriptors of a transfer pair exactly the elements its patterns pair, with at most four
// dimensions a side.
func TestDescriptors(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	factors := []int64{1, 2, 3, 4, 5, 6, 8}
	for n := range 400 {
		dt := []dtype.Type{dtype.F32, dtype.BF16, dtype.U8}[rng.Intn(3)]
		// Factor one element count twice.
		var total int64 = 1
		var f []int64
		for range 1 + rng.Intn(5) {
			x := factors[rng.Intn(len(factors))]
			f = append(f, x)
			total *= x
		}
		split := func() []bir.Dim {
			g := append([]int64(nil), f...)
			rng.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
			for len(g) > 1 && rng.Intn(2) == 0 {
				g = append(g[:0], append([]int64{g[0] * g[1]}, g[2:]...)...)
			}
			dims := make([]bir.Dim, len(g))
			step := int64(1)
			for i := len(g) - 1; i >= 0; i-- {
				dims[i] = bir.Dim{Step: step, Count: g[i]}
				step *= g[i] + int64(rng.Intn(2))
			}
			return dims
		}
		p := newProg()
		x := p.f.NewSet("x", bir.DRAM, bir.ExternalInput, dt, 1<<20)
		y := p.f.NewSet("y", bir.DRAM, bir.ExternalOutput, dt, 1<<20)
		src := &bir.AccessPattern{Loc: x, DType: dt, Offset: int64(rng.Intn(100)), Free: split()}
		dst := &bir.AccessPattern{Loc: y, DType: dt, Offset: int64(rng.Intn(100)), Free: split()}
		if n%3 == 0 { // one side on chip: the first factor on partitions
			s := p.f.NewSet("s", bir.SB, bir.Internal, dt, 128, 1<<15)
			dst = &bir.AccessPattern{Loc: s, DType: dt, NPart: int(dst.Free[0].Count), Free: dst.Free[1:]}
			if dst.NPart > 128 {
				continue
			}
		}
		in := p.add(bir.DMACopy, machine.DMA, &bir.DMAAttrs{}, []bir.Arg{bir.AP(dst)}, []bir.Arg{bir.AP(src)})
		u := newUnit(p.m, machine.Trn2, Options{})
		ds, err := u.descriptors(in, neff.DescCopy)
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		want := map[int64]int64{}
		so, do := walkOffsets(src), walkOffsets(dst)
		for i := range so {
			want[do[i]] = so[i]
		}
		got := map[int64]int64{}
		for i := range ds {
			for _, s := range []*neff.Side{&ds[i].From[0], &ds[i].To} {
				if len(s.Sizes) > maxSideDims {
					t.Fatalf("case %d: descriptor with %d dimensions", n, len(s.Sizes))
				}
			}
			a, b := offsets(&ds[i].From[0], int64(dt.Size())), offsets(&ds[i].To, int64(dt.Size()))
			for k := range a {
				got[b[k]] = a[k]
			}
		}
		if len(got) != len(want) {
			t.Fatalf("case %d: %d elements moved, want %d\nsrc %v dst %v", n, len(got), len(want), src.Free, dst.Free)
		}
		for d, s := range want {
			if got[d] != s {
				t.Fatalf("case %d: byte %d comes from %d, want %d", n, d, got[d], s)
			}
		}
	}
}

// TestRingsShare: a full tile is dealt to all sixteen rings in equal parts.
func TestRingsShare(t *testing.T) {
	p := newProg()
	x, s := p.dram("x", bir.ExternalInput, 128, 512), p.sb("s", 128, 512)
	in := p.load(tile(s, 0, 512), rows(x, 0, 128, 0, 512))
	ds, err := newUnit(p.m, machine.Trn2, Options{}).descriptors(in, neff.DescCopy)
	if err != nil {
		t.Fatal(err)
	}
	if len(ds) != 16 {
		t.Fatalf("%d descriptors, want 16", len(ds))
	}
	for i := range ds {
		if n := ds[i].To.Bytes(); n != 128*512*4/16 {
			t.Errorf("descriptor %d moves %d bytes", i, n)
		}
	}
}
