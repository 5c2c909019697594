package bir

import (
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/machine"
)

func TestPrint(t *testing.T) {
	s := newSample()
	s.xs.Allocated, s.xs.Addr = true, 64
	s.mm.Sync = &SyncInfo{Waits: []Wait{{WaitSemGE, 3, 16, nil}}, Updates: []Update{{UpdSemInc, 5, 1}}}
	var b strings.Builder
	if err := Print(&b, s.m); err != nil {
		t.Fatal(err)
	}
	const want = `module m gen3
function main
  ExternalInput x bf16[128 512] in DRAM[128 512]
  ExternalInputParameter w bf16[128 128] in DRAM[128 128]
  ExternalOutput y f32[128 512] in DRAM[128 512]
  Internal x_sb bf16[128 512] in SBUF[128 512] at partition 0 byte 64
  Internal w_sb bf16[128 128] in SBUF[128 128]
  Internal h_sb f32[128 512] in SBUF[128 512]
  Internal acc f32[128 512] in PSUM[128 512]
  Block1:
    I0: DMA Load x_sb[P0+128 1*512] <- x[1*65536]
    I1: DMA Load w_sb[P0+128 1*128] <- w[1*16384]
    I2: PE Matmult acc[P0+128 1*512] <- x_sb[P0+128 1*512], w_sb[P0+128 1*128] accumulation_flag=3 after I0 Flow, I1 Flow wait sem-ge-imm 3 16 update sem-inc 5 1
    I3: Activation Activation h_sb[P0+128 1*512] <- acc[P0+128 1*512], 0:f32 func=Gelu scale=1 after I2 Flow
    I4: ALL Loop i = 0..4 step 1
      block0:
        I5: DVE TensorScalar h_sb[P0+128 1*128 @(128*i)] <- h_sb[P0+128 1*128 @(128*i)] op0=mult const0=2
        I6: DMA Save y[512*128 1*128 @(128*i)] <- h_sb[P0+128 1*128 @(128*i)] after I5 Flow
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestTable checks that the instruction table is complete and that names are unique.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Opcodes() {
		i := o.Info()
		if i.Name == "" || i.Role == 0 || seen[i.Name] || i.MinGen < machine.Gen2 {
			t.Errorf("row %d: %+v", o, *i)
		}
		seen[i.Name] = true
		if p, ok := ParseOpcode(i.Name); !ok || p != o {
			t.Errorf("ParseOpcode(%s) = %d", i.Name, p)
		}
		if a := o.NewAttrs(); (a == nil) != (i.New == nil) {
			t.Errorf("%s: attributes", i.Name)
		}
	}
	if len(seen) != 110 || DoWhile != 108 || CompareAndBranch != 78 {
		t.Errorf("%d opcodes, DoWhile is %d", len(seen), DoWhile)
	}
}
