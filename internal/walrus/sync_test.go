package walrus

import (
	"math/rand"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/machine"
)

// TestSyncMutation deletes each wait in turn: the replay must notice every one.
func TestSyncMutation(t *testing.T) {
	for _, level := range []int{0, 2} {
		u := runTo(t, tiledProg(12), Options{OptLevel: level}, "synchronizer")
		if err := checkSync(u); err != nil {
			t.Fatal(err)
		}
		waits := 0
		for _, in := range u.blocks[0].instrs {
			if in.Sync == nil {
				continue
			}
			for k := range in.Sync.Waits {
				old := in.Sync.Waits
				in.Sync.Waits = append(append([]bir.Wait(nil), old[:k]...), old[k+1:]...)
				if err := checkSync(u); err == nil {
					t.Errorf("-O%d: without the wait %+v of %s (%s) the replay finds nothing", level, old[k], in.NameOf(), in.Op)
				}
				in.Sync.Waits = old
				waits++
			}
		}
		if waits < 40 {
			t.Errorf("-O%d: only %d waits", level, waits)
		}
	}
}

// TestSyncLowerValue lowers the value of each wait on an engine by one: it then names an earlier instruction, and the
// replay must notice.
func TestSyncLowerValue(t *testing.T) {
	u := runTo(t, tiledProg(12), Options{OptLevel: 2}, "synchronizer")
	for _, in := range u.blocks[0].instrs {
		if in.Sync == nil {
			continue
		}
		for k := range in.Sync.Waits {
			w := &in.Sync.Waits[k]
			if w.ID >= semSlots {
				continue
			}
			w.Value--
			if err := checkSync(u); err == nil {
				t.Errorf("with a lower value of %+v of %s the replay finds nothing", *w, in.NameOf())
			}
			w.Value++
		}
	}
}

// TestSyncRandom: random programs over all engines, random legal orders.
func TestSyncRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for n := range 40 {
		p := newProg()
		x := p.dram("x", bir.ExternalInput, 128, 1024)
		y := p.dram("y", bir.ExternalOutput, 128, 1024)
		var ts []*bir.MemLoc
		for range 6 {
			s := p.sb("t", 128, 64)
			ts = append(ts, s)
			p.load(tile(s, 0, 64), rows(x, 0, 128, int64(rng.Intn(15))*64, 64))
		}
		for range 120 {
			a, b := ts[rng.Intn(6)], ts[rng.Intn(6)]
			switch rng.Intn(5) {
			case 0:
				p.load(tile(a, 0, 64), rows(x, 0, 128, int64(rng.Intn(15))*64, 64))
			case 1:
				p.save(rows(y, 0, 128, int64(rng.Intn(15))*64, 64), tile(a, 0, 64))
			case 2:
				p.act(bir.ActExp, tile(a, 0, 64), tile(b, 0, 64))
			case 3:
				p.add(bir.TensorCopy, machine.Pool, &bir.CopyAttrs{}, []bir.Arg{tile(a, 0, 32)}, []bir.Arg{tile(b, 32, 32)})
			default:
				p.addImm(tile(a, 0, 64), tile(b, 0, 64), 1)
			}
		}
		u := runTo(t, p, Options{OptLevel: 2 * (n % 2)}, "synchronizer")
		if err := checkSync(u); err != nil {
			t.Fatalf("program %d: %v", n, err)
		}
	}
}

// TestDeterministic: two compilations give the same bundles and descriptors.
func TestDeterministic(t *testing.T) {
	var first [][]byte
	for range 2 {
		f, _, err := Compile(tiledProg(9).m, machine.Trn2, Options{OptLevel: 2, SBUFBudget: 16384})
		if err != nil {
			t.Fatal(err)
		}
		var code [][]byte
		for _, e := range f.Subgraphs[0].Engines {
			for i := range e.Code {
				code = append(code, append([]byte(nil), e.Code[i][:]...))
			}
		}
		if first == nil {
			first = code
			continue
		}
		if len(code) != len(first) {
			t.Fatalf("%d bundles, then %d", len(first), len(code))
		}
		for i := range code {
			if string(code[i]) != string(first[i]) {
				t.Fatalf("bundle %d differs", i)
			}
		}
	}
}
