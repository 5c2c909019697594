package walrus

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
)

// runTo builds the unit of a program and runs the pipeline up to and including the named pass.
func runTo(t *testing.T, p *prog, opt Options, last string) *unit {
	t.Helper()
	u := newUnit(p.m, machine.ByGen(p.m.Gen), opt)
	for _, name := range Pipeline(opt.OptLevel) {
		ps, _ := registry.Lookup(name)
		if err := ps.Run(u); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == last {
			return u
		}
	}
	t.Fatalf("no pass %s", last)
	return nil
}

func edges(in *bir.Instr, instrs []*bir.Instr) string {
	s := ""
	for i, p := range instrs {
		for _, d := range in.Deps {
			if d.On == p {
				s += fmt.Sprintf("%s %d; ", kindName(d.Kind), i)
			}
		}
	}
	return s
}

func TestDeps(t *testing.T) {
	p := newProg()
	a, b := p.sb("a", 128, 64), p.sb("b", 128, 64)
	p.addImm(tile(a, 0, 32), tile(b, 0, 32), 1)  // 0: writes a[0:32]
	p.addImm(tile(a, 32, 32), tile(b, 0, 32), 1) // 1: writes a[32:64]
	p.addImm(tile(b, 0, 32), tile(a, 0, 32), 1)  // 2: reads 0, overwrites what 0 and 1 read
	p.addImm(tile(a, 0, 64), tile(b, 32, 32), 1) // 3: covers 0 and 1, overwrites what 2 reads
	p.addImm(tile(b, 0, 64), tile(a, 16, 64), 1) // 4: reads 3 only
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	if err := buildDeps(u); err != nil {
		t.Fatal(err)
	}
	want := []string{"", "", "Flow 0; Anti 1; ", "Output 0; Output 1; Anti 2; ", "Output 2; Flow 3; "}
	for i, in := range u.blocks[0].instrs {
		if got := edges(in, u.blocks[0].instrs); got != want[i] {
			t.Errorf("instruction %d: edges %q, want %q", i, got, want[i])
		}
	}
}

// TestDepsComplete: on random programs whose locations overlap in addresses, every pair of accesses to a common byte
// of which one writes is ordered by the transitive closure of the edges.
func TestDepsComplete(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for n := range 60 {
		p := newProg()
		type use struct {
			loc    *bir.MemLoc
			lo, hi int64
			write  bool
		}
		var all [][]use
		addr := int64(0)
		for range 6 { // six generations of two tiles over the same bytes
			x, y := p.sb("x", 64, 32), p.sb("y", 64, 32)
			x.Addr, x.Allocated = addr%128, true
			y.Addr, y.Allocated = 256+addr%64, true
			addr += int64(rng.Intn(3)) * 32
			for range 5 {
				src, dst := x, y
				if rng.Intn(2) == 0 {
					src, dst = y, x
				}
				o, w := int64(rng.Intn(16)), int64(1+rng.Intn(16))
				q := int64(rng.Intn(16))
				p.addImm(tile(dst, o, w), tile(src, q, w), 1)
				all = append(all, []use{{src, src.Addr + 4*q, src.Addr + 4*(q+w), false}, {dst, dst.Addr + 4*o, dst.Addr + 4*(o+w), true}})
			}
		}
		u := newUnit(p.m, machine.Trn2, Options{})
		if err := unroll(u); err != nil {
			t.Fatal(err)
		}
		if err := buildDeps(u); err != nil {
			t.Fatal(err)
		}
		ins := u.blocks[0].instrs
		idx := map[*bir.Instr]int{}
		before := make([]map[int]bool, len(ins))
		for i, in := range ins {
			idx[in] = i
			before[i] = map[int]bool{}
			for _, d := range in.Deps {
				k := idx[d.On]
				before[i][k] = true
				for j := range before[k] {
					before[i][j] = true
				}
			}
		}
		for i := range ins {
			for j := range i {
				conflict := false
				for _, a := range all[i] {
					for _, b := range all[j] {
						conflict = conflict || (a.write || b.write && a.loc == b.loc) && a.lo < b.hi && b.lo < a.hi
					}
				}
				// Reading what another location left in the same bytes is no dependence: those bytes count as
				// unwritten. So reads meet only the writes of their own location.
				if conflict && !before[i][j] {
					t.Fatalf("program %d: instructions %d and %d touch a common byte and are not ordered", n, j, i)
				}
			}
		}
	}
}

// TestDepsRegisterReuse: two registers with one number are one register.
func TestDepsRegisterReuse(t *testing.T) {
	p := newProg()
	x := p.dram("x", bir.ExternalInput, 128, 64)
	r1, r2 := p.f.NewReg("r1", machine.Pool, dtype.I32), p.f.NewReg("r2", machine.Pool, dtype.I32)
	move := func(r *bir.Register, v int64) {
		p.add(bir.RegisterMove, machine.Pool, nil, []bir.Arg{bir.RegArg(r)}, []bir.Arg{bir.ImmI(v)})
	}
	use := func(r *bir.Register) {
		a := rows(x, 0, 64, 0, 64)
		a.AP.Reg = r
		p.load(tile(p.sb("s", 64, 64), 0, 64), a).Engine = machine.Pool
	}
	move(r1, 1)
	use(r1)
	move(r2, 2)
	use(r2)
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		num  int
		want string
	}{{3, ""}, {2, "Output 0; Anti 1; "}} {
		r1.Num, r2.Num = 2, c.num
		if err := buildDeps(u); err != nil {
			t.Fatal(err)
		}
		ins := u.blocks[0].instrs
		if got := edges(ins[2], ins); got != c.want {
			t.Errorf("register %d after 2: edges %q, want %q", c.num, got, c.want)
		}
	}
}

// TestDepsGrid: the grid of long lists changes no edge.
func TestDepsGrid(t *testing.T) {
	rng := rand.New(rand.NewSource(9))
	p := newProg()
	y := p.dram("y", bir.ExternalOutput, 640, 96)
	s := p.sb("s", 128, 96)
	for range 900 {
		r, c := int64(rng.Intn(512)), int64(rng.Intn(64))
		n, w := int64(1+rng.Intn(128)), int64(1+rng.Intn(32))
		if rng.Intn(3) == 0 {
			n, w = 1+n/32, 96-c
		}
		chip := tile(s, 0, w)
		chip.AP.NPart = int(n)
		if rng.Intn(4) == 0 {
			p.load(chip, rows(y, r, n, c, w))
		} else {
			p.save(rows(y, r, n, c, w), chip)
		}
	}
	u := newUnit(p.m, machine.Trn2, Options{})
	if err := unroll(u); err != nil {
		t.Fatal(err)
	}
	ins := u.blocks[0].instrs
	all := func() (out []string) {
		if err := buildDeps(u); err != nil {
			t.Fatal(err)
		}
		for _, in := range ins {
			out = append(out, edges(in, ins))
		}
		return out
	}
	defer func(n int) { gridFrom = n }(gridFrom)
	gridFrom = 8
	with := all()
	gridFrom = 1 << 30
	for i, want := range all() {
		if with[i] != want {
			t.Fatalf("instruction %d: edges %q with the grid, %q without", i, with[i], want)
		}
	}
}
