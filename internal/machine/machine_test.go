package machine

import (
	"math"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol*math.Abs(want) {
		t.Errorf("%s: got %.2f, want %.2f", what, got, want)
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]*Spec{"trn1": Trn1, "INF2": Trn1, "sunda": Trn1, "v2": Trn1, "trn2": Trn2, "Cayman": Trn2, "trn3pre": Trn2, "trn3": Trn3, "mariana": Trn3, "core_v4": Trn3} {
		if got, err := Lookup(name); err != nil || got != want {
			t.Errorf("Lookup(%s) = %v, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"inf1":  "error: [DRV020] architecture inf1 is not a code-generation target\n  hint: targets are trn1, trn2 and trn3",
		"trn99": "error: [DRV020] unknown architecture \"trn99\"\n  hint: targets are trn1, trn2 and trn3",
	} {
		if _, err := Lookup(name); err == nil || err.Error() != want {
			t.Errorf("Lookup(%s): %v", name, err)
		}
	}
}

func TestPartitions(t *testing.T) {
	for _, c := range []struct {
		start, n int
		ok       bool
	}{{0, 128, true}, {32, 96, false}, {32, 40, false}, {64, 40, true}, {0, 65, true}, {64, 65, false}, {96, 32, true}, {16, 8, false}, {0, 129, false}, {0, 0, false}, {128, 1, false}, {-32, 32, false}} {
		if err := CheckPartitions(c.start, c.n); (err == nil) != c.ok {
			t.Errorf("CheckPartitions(%d, %d): %v", c.start, c.n, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	if a, err := Trn2.SBUFAddr(3, 64); err != nil || a != 0xC0040 {
		t.Errorf("SBUFAddr = %#x, %v", a, err)
	}
	a, err := Trn2.PSUMAddr(5, 2, 16)
	if err != nil || a != 0x02029010 {
		t.Errorf("PSUMAddr = %#x, %v", a, err)
	}
	if m, p, off, err := Trn2.Decode(a); err != nil || m != PSUMMem || p != 5 || off != 4112 {
		t.Errorf("Decode(%#x) = %v %d %d %v", a, m, p, off, err)
	}
	for _, bad := range []uint32{0x02004000, 0x00038000, 0x03000000} {
		if _, _, _, err := Trn2.Decode(bad); err == nil {
			t.Errorf("Decode(%#x) succeeded", bad)
		}
	}
	if got := Trn2.SBUF.Usable(); got != 212984 {
		t.Errorf("usable SBUF bytes %d", got)
	}
}

// The worked examples and calibration points of the timing model, with the documented constants.
func TestCost(t *testing.T) {
	F, B := dtype.F32, dtype.BF16
	g2, g3, g4 := Trn1.DocBasis(), Trn2.DocBasis(), Trn3.DocBasis()
	dve := func(c Class, n int64, in, in2, out dtype.Type) Work {
		return Work{Engine: DVE, Class: c, N: n, In: in, In2: in2, Out: out, InMem: SBUFMem, In2Mem: SBUFMem, OutMem: SBUFMem}
	}
	psumIn := func(w Work) Work { w.InMem = PSUMMem; return w }
	fast := func(w Work) Work { w.Fast = true; return w }
	strided := func(w Work) Work { w.Strided, w.StepByte = true, 4; return w }
	mm := func(n int64, in dtype.Type) Work {
		return Work{Engine: PE, Class: MultiplyMoving, N: n, M: 128, In: in, In2: in, Out: F}
	}
	ls := func(m int64) Work { return Work{Engine: PE, Class: LoadStationary, M: m, In: B, In2: B} }
	act := func(n int64) Work { return Work{Engine: ACT, Class: Activation, N: n, In: B, Out: B} }
	for _, c := range []struct {
		name    string
		spec    *Spec
		w       Work
		ii, lat float64 // 0: not stated
	}{
		{"mm gen2 bf16", g2, mm(512, B), 182.9, 325.7},
		{"mm gen3 bf16", g3, mm(512, B), 213.3, 380.0},
		{"mm gen2 fp32", g2, mm(512, F), 731.4, 874.3},
		{"mm gen3 fp32", g3, mm(512, F), 853.3, 1020.0},
		{"mm gen2 fp32 fitted", Trn1, mm(512, F), 874.2, 0},
		{"mm gen2 N=128", g2, mm(128, B), 0, 188.6},
		{"ls gen2 M=1", g2, ls(1), 22.9, 66.4},
		{"ls gen3", g3, ls(128), 26.7, 0},
		{"tt fp32 gen2", g2, dve(TensorTensor, 2048, F, F, F), 3657.1, 3785.7},
		{"tt fp32 gen3", g3, dve(TensorTensor, 2048, F, F, F), 4266.7, 4416.7},
		{"tt fp32 gen4", g4, dve(TensorTensor, 2048, F, F, F), 3413.3, 3533.3},
		{"tt psum gen3", g3, psumIn(dve(TensorTensor, 2048, F, F, F)), 2133.3, 2283.3},
		{"tt bf16 gen2", g2, fast(dve(TensorTensor, 2048, B, B, B)), 1828.6, 1957.1},
		{"tt bf16 gen3", g3, dve(TensorTensor, 2048, B, B, B), 2133.3, 2283.3},
		{"ts fp32 gen2", g2, dve(TensorScalar, 2048, F, 0, F), 1828.6, 1957.1},
		{"ts fp32 gen3", g3, dve(TensorScalar, 2048, F, 0, F), 1066.7, 1216.7},
		{"ts bf16 gen3", g3, dve(TensorScalar, 2048, B, 0, B), 533.3, 683.3},
		{"ts bf16 gen4", g4, dve(TensorScalar, 2048, B, 0, B), 426.7, 546.7},
		{"ts bf16 step 2 gen3", g3, strided(dve(TensorScalar, 2048, B, 0, B)), 1066.7, 1216.7},
		{"reduce gen2", g2, fast(dve(Reduce, 2048, B, 0, B)), 914.3, 1042.9},
		{"reduce gen3", g3, fast(dve(Reduce, 2048, B, 0, B)), 2133.3, 2283.3},
		{"recip gen2", g2, dve(Reciprocal, 2048, F, 0, F), 14628.6, 14757.1},
		{"short", g3, dve(TensorScalar, 16, F, 0, F), 64 / 0.96, 0},
		{"act gen2 N=1", g2, act(1), 0, 159.3},
		{"act gen3 N=4096", g3, act(4096), 0, 3705},
		{"act gen3 N=128", g3, act(128), 0, 398.3},
		{"tt fp32 gen2 N=8192", g2, dve(TensorTensor, 8192, F, F, F), 0, 14757},
		{"tt gen3 psum N=512", g3, psumIn(dve(TensorTensor, 512, F, F, F)), 0, 683.3},
		{"copy gen3 fp32 N=512", g3, dve(Copy, 512, F, 0, F), 0, 416.7},
		{"table gen2", g2, Work{Engine: ACT, Class: ActTableLoad}, 368, 368},
		{"iota", g3, Work{Engine: Pool, Class: Iota, N: 90, Out: dtype.I32}, 200, 200},
	} {
		got := c.spec.Cost(c.w)
		if c.ii != 0 {
			near(t, c.name+" II", got.II, c.ii, 2e-3)
		}
		if c.lat != 0 {
			near(t, c.name+" latency", got.Latency, c.lat, 1e-3)
		}
	}
	for _, s := range All() {
		want := map[Gen]float64{Gen2: 91750, Gen3: 78640, Gen4: 78640}[s.Gen]
		near(t, s.Name+" bf16 peak", s.PeakFLOPs(B), want, 1e-3)
		c := s.Cost(mm(512, B))
		near(t, s.Name+" bf16 rate", 2*128*128*512/c.II, want, 1e-3)
	}
	if n := testing.AllocsPerRun(100, func() { g3.Cost(mm(512, B)); g3.DMAShares(DMAShape{}) }); n != 0 {
		t.Errorf("cost functions allocate %g times", n)
	}
}

func maxShare(s [16]float64) (m float64) {
	for _, x := range s {
		m = max(m, x)
	}
	return
}

func TestDMACost(t *testing.T) {
	load := func(parts int, row int64) DMAShape {
		return DMAShape{Src: DMASide{RunBytes: row, Runs: int64(parts)}, Dst: DMASide{OnChip: true, RunBytes: row, Runs: int64(parts), Partitions: parts}}
	}
	for _, c := range []struct {
		name string
		spec *Spec
		d    DMAShape
		busy float64
	}{
		{"4 MiB gen2", Trn1, load(128, 32768), 15428.2},
		{"4 MiB gen3", Trn2, load(128, 32768), 11405.6},
		{"4 MiB gen4", Trn3, load(128, 32768), 7951.8},
		{"one engine", Trn2, load(4, 8192), 1428.7},
		{"short rows", Trn2, load(128, 256), 97.0},
		{"dram to dram", Trn2, DMAShape{Src: DMASide{RunBytes: 1 << 20, Runs: 1}, Dst: DMASide{RunBytes: 1 << 20, Runs: 1}}, 65536/23. + 1},
		{"transposing", Trn2, DMAShape{Src: DMASide{RunBytes: 4, Runs: 128 * 8}, Dst: DMASide{OnChip: true, RunBytes: 32, Runs: 128, Partitions: 128}}, 64 * (64/23. + 1)},
	} {
		near(t, c.name, maxShare(c.spec.DMAShares(c.d)), c.busy, 1e-3)
	}
	c := Trn2.DMACost(load(128, 256), StaticDGE)
	near(t, "short rows, static", c.Latency, 1397, 1e-3)
	if got := Trn2.Descriptors(DMAShape{Src: DMASide{RunBytes: 200000, Runs: 1}, Dst: DMASide{RunBytes: 200000, Runs: 1}}); got != 4 {
		t.Errorf("200000 bytes make %d descriptors, want 4", got)
	}
	// A transfer into partitions 64..95 uses engines 8..11.
	d := load(32, 512)
	d.Dst.FirstPartition = 64
	for e, ns := range Trn2.DMAShares(d) {
		if (ns > 0) != (e >= 8 && e < 12) {
			t.Errorf("engine %d is busy for %g ns", e, ns)
		}
	}
}

func TestMemoryAccess(t *testing.T) {
	for _, c := range []struct {
		e           Engine
		m           Mem
		read, write bool
	}{
		{PE, SBUFMem, true, false}, {PE, PSUMMem, false, true}, {Pool, PSUMMem, false, false}, {Pool, SBUFMem, true, true},
		{ACT, PSUMMem, true, true}, {DVE, DRAMMem, false, false}, {DMA, DRAMMem, true, true}, {DMA, PSUMMem, false, false},
	} {
		if r, w := CanRead(c.e, c.m), CanWrite(c.e, c.m); r != c.read || w != c.write {
			t.Errorf("%v %v: read %v write %v", c.e, c.m, r, w)
		}
	}
	if Trn2.Supports(PE, dtype.I32) || !Trn2.Supports(DVE, dtype.I32) || Trn2.Supports(DVE, dtype.F8E4M3FN) || !Trn3.Supports(DVE, dtype.F8E4M3FN) || Trn2.OnDevice(dtype.F64) || !Trn2.Supports(DMA, dtype.I64) {
		t.Error("dtype table is wrong")
	}
}
