package pack

import (
	"encoding/csv"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// check fails the test if two buffers alive together overlap.
func check(t *testing.T, bufs []Buffer, r Result) {
	t.Helper()
	for i := range bufs {
		for j := range bufs[:i] {
			a, b := bufs[i], bufs[j]
			if a.Start < b.End && b.Start < a.End && r.Offsets[i] < r.Offsets[j]+b.Size && r.Offsets[j] < r.Offsets[i]+a.Size {
				t.Fatalf("buffers %d %+v at %d and %d %+v at %d overlap", i, a, r.Offsets[i], j, b, r.Offsets[j])
			}
		}
		if a := bufs[i].Align; a > 1 && r.Offsets[i]%a != 0 {
			t.Fatalf("buffer %d: offset %d not aligned to %d", i, r.Offsets[i], a)
		}
	}
}

func TestPackExample(t *testing.T) {
	bufs := []Buffer{{Start: 0, End: 3, Size: 4}, {Start: 3, End: 9, Size: 4}, {Start: 0, End: 9, Size: 4}, {Start: 9, End: 21, Size: 4}, {Start: 0, End: 21, Size: 4}}
	r := Pack(bufs, 12, Options{Nodes: 1000})
	check(t, bufs, r)
	if r.Height != 12 || r.LowerBound != 12 || !r.Fits {
		t.Errorf("height %d bound %d fits %v, want 12 12 true", r.Height, r.LowerBound, r.Fits)
	}
}

func TestPackFixed(t *testing.T) {
	bufs := []Buffer{{Start: 0, End: 4, Size: 8, Fixed: true, Offset: 16}, {Start: 1, End: 3, Size: 16}, {Start: 1, End: 3, Size: 4, Align: 8}}
	r := Pack(bufs, 0, Options{})
	check(t, bufs, r)
	if r.Offsets[0] != 16 || r.Offsets[1] != 0 || r.Offsets[2] != 24 {
		t.Errorf("offsets %v, want [16 0 24]", r.Offsets)
	}
}

// TestPackSearch: instances on which exhaustive search decides; the search must agree with it on feasibility.
func TestPackSearch(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for n := range 200 {
		bufs := make([]Buffer, 2+rng.Intn(5))
		for i := range bufs {
			s := int64(rng.Intn(6))
			bufs[i] = Buffer{Start: s, End: s + 1 + int64(rng.Intn(4)), Size: int64(1 + rng.Intn(4))}
		}
		best := bruteForce(bufs)
		r := Pack(bufs, best, Options{Nodes: 100000})
		check(t, bufs, r)
		if !r.Fits || r.Height != best {
			t.Fatalf("case %d %v: height %d, optimum %d", n, bufs, r.Height, best)
		}
		if r = Pack(bufs, best-1, Options{Nodes: 100000}); r.Fits {
			t.Fatalf("case %d: fits below the optimum %d", n, best)
		}
	}
}

// bruteForce tries every order of first fit at minimum offsets, which contains an optimal packing.
func bruteForce(bufs []Buffer) int64 {
	best := int64(1) << 60
	off := make([]int64, len(bufs))
	used := make([]bool, len(bufs))
	var rec func(n int, h int64)
	rec = func(n int, h int64) {
		if h >= best {
			return
		}
		if n == len(bufs) {
			best = h
			return
		}
		for i := range bufs {
			if used[i] {
				continue
			}
			at := int64(0)
			for j := range bufs {
				if used[j] && bufs[i].Start < bufs[j].End && bufs[j].Start < bufs[i].End {
					at = max(at, off[j]+bufs[j].Size)
				}
			}
			used[i], off[i] = true, at
			rec(n+1, max(h, at+bufs[i].Size))
			used[i] = false
		}
	}
	rec(0, 0)
	return best
}

// TestPackPublic packs the public MiniMalloc instances. The count of solved ones may only rise.
func TestPackPublic(t *testing.T) {
	dir := os.Getenv("ALCA_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "conformance")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "allocation", "*.csv"))
	if len(files) == 0 {
		t.Skip("no conformance data: set ALCA_CONFORMANCE")
	}
	solved := 0
	for _, f := range files {
		bufs, capacity := readCSV(t, f)
		r := Pack(bufs, capacity, Options{Nodes: 500000})
		check(t, bufs, r)
		if r.Fits {
			solved++
		}
		t.Logf("%s: %d buffers, height %d, bound %d, gap %.2f%%, fits %v", filepath.Base(f), len(bufs), r.Height, r.LowerBound,
			100*float64(r.Height-r.LowerBound)/float64(r.LowerBound), r.Fits)
	}
	t.Logf("solved %d of %d", solved, len(files))
	if solved < minSolved {
		t.Errorf("solved %d instances, want at least %d", solved, minSolved)
	}
}

const minSolved = 8

func readCSV(t *testing.T, f string) ([]Buffer, int64) {
	t.Helper()
	parts := strings.Split(filepath.Base(f), ".")
	capacity, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var bufs []Buffer
	for _, row := range rows[1:] {
		var v [3]int64
		for k := range v {
			if v[k], err = strconv.ParseInt(row[k+1], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		bufs = append(bufs, Buffer{Start: v[0], End: v[1], Size: v[2]})
	}
	return bufs, capacity
}
