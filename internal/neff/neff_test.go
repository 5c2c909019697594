package neff

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

func encode(t testing.TB, in isa.Inst, e machine.Engine) isa.Bundle {
	t.Helper()
	b, err := isa.Encode(&in, e, machine.Gen3)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// smallest is the worked example of neff.md 13: y = x + 1 on float32[128,512], with a constant and an alias added so
// that every table has an entry.
func smallest(t testing.TB) *File {
	f := &File{
		Gen: machine.Gen3, LNC: 1, CompilerVersion: "alca test",
		Inputs:  []IO{{Name: "x", DType: dtype.F32, Shape: []int64{128, 512}}},
		Outputs: []IO{{Name: "y", DType: dtype.F32, Shape: []int64{128, 512}, Alias: "x"}},
	}
	s := NewSubgraph()
	f.Subgraphs = []*Subgraph{s}
	const bytesXY = 128 * 512 * 4
	x := s.AddVar(Var{Name: "x", Kind: VarInput, Size: bytesXY, DType: dtype.F32, Shape: []int64{128, 512}})
	y := s.AddVar(Var{Name: "y", Kind: VarOutput, Size: bytesXY, DType: dtype.F32, Shape: []int64{128, 512}})
	sb := s.AddVar(Var{Name: "sb", Kind: VarStateBuffer, Size: isa.PSUMBase})
	c := s.AddVar(Var{Name: "c", Kind: VarFile, Size: 4, DType: dtype.F32, Shape: []int64{1}, Data: []byte{0, 0, 0x80, 0x3F}})
	s.AddVar(Var{Name: "scratch", Kind: VarVirtual, Size: 64, Align: 64, Offset: 128})
	s.AddVar(Var{Name: "where", Kind: VarPointer, Size: 8, Ref: c.ID})
	s.Queues = []*Queue{
		{Name: "qInputSP0_16", Type: QueueIn, NumQueues: 16, Owner: machine.SP, Semaphores: []int{10}},
		{Name: "qOutputSP0_16", Type: QueueOut, NumQueues: 16, Owner: machine.SP, Semaphores: []int{11}},
	}
	sp, dve := s.Engine(machine.SP), s.Engine(machine.DVE)
	for k := int64(0); k < 16; k++ {
		dram := Side{Var: x.ID, Off: 16384 * k, Steps: []int64{1, 2048}, Sizes: []int64{2048, 8}}
		chip := Side{Var: sb.ID, Off: 8 * k * isa.SBUFPartitionStep, Steps: []int64{1, isa.SBUFPartitionStep}, Sizes: []int64{2048, 8}}
		sp.DMA = append(sp.DMA, DMA{ID: 1, Queue: "qInputSP0_16", Semaphore: -1, Event: -1, Desc: Desc{From: []Side{dram}, To: chip}})
	}
	for k := range 16 {
		d := sp.DMA[k]
		to := d.Desc.From[0]
		to.Var = y.ID
		sp.DMA = append(sp.DMA, DMA{ID: 2, Queue: "qOutputSP0_16", Semaphore: -1, Event: -1, Desc: Desc{From: []Side{d.Desc.To}, To: to}})
	}
	sp.DMA[15].Semaphore, sp.DMA[31].Semaphore = 10, 11
	trigger := func(queue string, id int64) isa.Bundle {
		in := isa.New(isa.OpPseudoDMATrigger)
		in.Name = queue
		in.Set(isa.FBlockID, id)
		return encode(t, in, machine.SP)
	}
	wait := func(e machine.Engine, sem uint8, v int32) isa.Bundle {
		return encode(t, isa.NewEvent([]isa.Wait{{Mode: isa.WaitSemGE, ID: sem, Value: v}}, nil), e)
	}
	exit := isa.New(isa.OpPseudoInst)
	exit.Set(isa.FSubop, 1)
	sp.Code = []isa.Bundle{trigger("qInputSP0_16", 1), wait(machine.SP, 3, 1), trigger("qOutputSP0_16", 2), wait(machine.SP, 11, 16), encode(t, exit, machine.SP)}
	add := isa.New(isa.OpTensorScalarArithOp)
	for _, op := range []isa.FieldID{isa.FSrc, isa.FDst} {
		if err := add.SetPattern(op, isa.SBUFAddr(0, 0), []isa.Dim{{Step: 1, Count: 512}}); err != nil {
			t.Fatal(err)
		}
	}
	add.SetDType(isa.FInDtype, isa.DTF32)
	add.SetDType(isa.FOutDtype, isa.DTF32)
	add.Set(isa.FNumActiveChannels, 128)
	add.SetALU(isa.FOp0, isa.AluAdd)
	add.SetImmF32(isa.FImm0, 1)
	add.SetImmF32(isa.FImm1, 0)
	add.Update = isa.Update{Mode: isa.UpdateInc, ID: 3}
	dve.Code = []isa.Bundle{wait(machine.DVE, 10, 16), encode(t, add, machine.DVE), encode(t, exit, machine.DVE)}
	f.Debug = &Debug{
		Sources: []Source{{Op: "stablehlo.add", Name: "add", Loc: diag.Loc{File: "model.py", Line: 3, Col: 7}}},
		Instrs:  []InstrDebug{{"I0", "Load", -1}, {"I1", "TensorScalarPtr", 0}, {"I2", "Save", 0}},
		PCs:     [][]int32{{}, {}, {}, {-1, 1, -1}, {0, -1, 2, -1, -1}},
	}
	return f
}

func written(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBytes(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func TestRoundTrip(t *testing.T) {
	f := smallest(t)
	data := written(t, f)
	if !bytes.Equal(data, written(t, smallest(t))) {
		t.Error("two writes of equal files differ")
	}
	got, err := readBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Header.Hash == ([32]byte{}) || got.Header.UUID[6]>>4 != 8 {
		t.Errorf("identity not set: %x %x", got.Header.Hash, got.Header.UUID)
	}
	if !bytes.Equal(data, written(t, got)) {
		t.Error("writing what was read gives other bytes")
	}
	want := smallest(t)
	want.Name, want.Header = "file.neff", got.Header
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read file differs (-want +got):\n%s", d)
	}
}

func TestStrip(t *testing.T) {
	f := smallest(t)
	f.Extra = []Extra{{"metrics.json", []byte("{}")}}
	full := written(t, f)
	f.Strip()
	data := written(t, f)
	got, err := readBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Debug != nil || got.Extra != nil || len(data) >= len(full) {
		t.Errorf("stripped file keeps debug members: %d of %d bytes", len(data), len(full))
	}
	if bytes.Contains(data, []byte("model.py")) {
		t.Error("stripped file names a source")
	}
	if d := cmp.Diff(smallest(t).Subgraphs, got.Subgraphs); d != "" {
		t.Errorf("strip changed the program:\n%s", d)
	}
}

func TestOrigin(t *testing.T) {
	f, err := readBytes(written(t, smallest(t)))
	if err != nil {
		t.Fatal(err)
	}
	in, src := f.Origin(machine.DVE, 1)
	if in == nil || in.Name != "I1" || src == nil || src.Loc.String() != "model.py:3:7" {
		t.Errorf("origin of DVE 1 is %v, %v", in, src)
	}
	if in, src := f.Origin(machine.SP, 0); in == nil || src != nil {
		t.Errorf("origin of SP 0 is %v, %v", in, src)
	}
	if in, _ := f.Origin(machine.SP, 99); in != nil {
		t.Errorf("origin beyond the program is %v", in)
	}
}

// TestCheck breaks one thing of the smallest file and names the code of the complaint.
func TestCheck(t *testing.T) {
	cases := []struct {
		name string
		edit func(f *File, s *Subgraph)
		code string
		want string
	}{
		{"target", func(f *File, s *Subgraph) { f.Gen = 9 }, CodeTarget, "generation 9"},
		{"lnc", func(f *File, s *Subgraph) { f.LNC = 2 }, CodeLNC, "1 subgraphs"},
		{"no variable", func(f *File, s *Subgraph) { f.Inputs[0].Name = "z" }, CodeIO, `"z"`},
		{"size", func(f *File, s *Subgraph) { f.Inputs[0].Shape[0] = 64 }, CodeIO, "want 131072"},
		{"shape overflow", func(f *File, s *Subgraph) { f.Inputs[0].Shape = []int64{1 << 40, 1 << 40} }, CodeIO, "has no size"},
		{"alias", func(f *File, s *Subgraph) { f.Outputs[0].Alias = "q" }, CodeIO, "unknown input"},
		{"duplicate id", func(f *File, s *Subgraph) { s.Vars[1].ID = 1 }, CodeVar, "id 1"},
		{"duplicate name", func(f *File, s *Subgraph) { s.Vars[4].Name = "c" }, CodeVar, "used twice"},
		{"constant size", func(f *File, s *Subgraph) { s.Vars[3].Size = 8 }, CodeVar, "its file 4"},
		{"pointer", func(f *File, s *Subgraph) { s.Vars[5].Ref = 77 }, CodeVar, "unknown variable 77"},
		{"rings", func(f *File, s *Subgraph) { s.Queues[0].NumQueues = 17 }, CodeQueue, "17 rings"},
		{"unknown queue", func(f *File, s *Subgraph) { s.Engines[4].DMA[3].Queue = "q" }, CodeQueue, "SP.json[3]"},
		{"unknown variable", func(f *File, s *Subgraph) { s.Engines[4].DMA[3].Desc.To.Var = 50 }, CodeDesc, "unknown variable 50"},
		{"outside", func(f *File, s *Subgraph) { s.Engines[4].DMA[15].Desc.From[0].Off += 4 }, CodeDesc, `outside variable "x"`},
		{"outside below", func(f *File, s *Subgraph) { s.Engines[4].DMA[0].Desc.From[0].Steps[1] = -4 }, CodeDesc, `outside variable "x"`},
		{"mismatch", func(f *File, s *Subgraph) { s.Engines[4].DMA[0].Desc.To.Sizes = []int64{2048, 7} }, CodeDesc, "size mismatch"},
		{"dims", func(f *File, s *Subgraph) { s.Engines[4].DMA[0].Desc.To.Sizes = []int64{1, 1, 1, 1, 1} }, CodeDesc, "5 sizes"},
		{"negative size", func(f *File, s *Subgraph) { s.Engines[4].DMA[0].Desc.To.Sizes = []int64{-1, -16384} }, CodeDesc, "sizes"},
		{"no descriptors", func(f *File, s *Subgraph) { s.Engines[4].DMA = s.Engines[4].DMA[:16] }, CodeTrigger, "trigger 2 without"},
		{"no trigger", func(f *File, s *Subgraph) { s.Engines[4].Code = s.Engines[4].Code[2:] }, CodeTrigger, "block 1 has no trigger"},
		{"member path", func(f *File, s *Subgraph) { f.Extra = []Extra{{"../x", nil}} }, CodeArchive, "../x"},
		{"member twice", func(f *File, s *Subgraph) { f.Extra = []Extra{{"info.json", nil}} }, CodeArchive, "info.json"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := smallest(t)
			c.edit(f, f.Subgraphs[0])
			var b bytes.Buffer
			err := Write(&b, f)
			if diag.Code(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.want)
			}
			if b.Len() != 0 {
				t.Error("a refused file was written")
			}
		})
	}
}

func TestDamage(t *testing.T) {
	good := written(t, smallest(t))
	for n := 0; n < len(good); n += 1 + n/16 {
		if _, err := readBytes(good[:n]); diag.Code(err) == "" {
			t.Fatalf("truncation to %d bytes: %v", n, err)
		}
	}
	for n := range good {
		// The version, counts and names of the header are for people; all else must be noticed.
		if n >= 40 && n < 172 || n >= 204 && n < 544 || n >= 32 && n < 40 {
			continue
		}
		bad := bytes.Clone(good)
		bad[n] ^= 0x40
		// A flip in the compressed data may unpack to the same bytes, which is no damage.
		got, err := readBytes(bad)
		featureBit := n >= 544 && n < 552
		if err == nil && !featureBit && !bytes.Equal(good, written(t, got)) {
			t.Fatalf("flipped byte %d went unnoticed", n)
		}
		if err != nil && diag.Code(err) == "" {
			t.Fatalf("flipped byte %d: error without code: %v", n, err)
		}
	}
	cases := []struct {
		name string
		off  int
		val  byte
		code string
	}{
		{"major version", 24, 3, CodeVersion},
		{"package version", 0, 9, CodeVersion},
		{"header size", 8, 1, CodeHeader},
		{"unknown feature", 551, 0x80, CodeFeature},
		{"logical core", 552, 3, CodeHeader},
		{"data size", 16, good[16] + 1, CodeTruncated},
		{"hash", 180, good[180] ^ 1, CodeHash},
		{"padding", 1000, 1, CodeHeader},
	}
	for _, c := range cases {
		bad := bytes.Clone(good)
		bad[c.off] = c.val
		if _, err := readBytes(bad); diag.Code(err) != c.code {
			t.Errorf("%s: got %v, want %s", c.name, err, c.code)
		}
	}
	if _, err := read(bytes.NewReader(good), int64(len(good)), 4096); diag.Code(err) != CodeLimit {
		t.Errorf("unpacking beyond the limit: got %v, want %s", err, CodeLimit)
	}
}

// repack builds a container whose members are the given ones, with a correct header.
func repack(t testing.TB, good []byte, members []Extra) []byte {
	t.Helper()
	var data bytes.Buffer
	sum := sha256.New()
	if err := writeArchive(&data, sum, members); err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(good[:headerSize])
	binary.LittleEndian.PutUint64(out[16:], uint64(data.Len()))
	copy(out[headerHashOff:], sum.Sum(nil))
	return append(out, data.Bytes()...)
}

func TestMissingMembers(t *testing.T) {
	f := smallest(t)
	good := written(t, f)
	members, err := f.members()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range members {
		rest := append(append([]Extra{}, members[:i]...), members[i+1:]...)
		_, err := readBytes(repack(t, good, rest))
		if m.Path == sourceLayer {
			if err != nil {
				t.Errorf("without debug sources: %v", err)
			}
			continue
		}
		if diag.Code(err) != CodeMember {
			t.Errorf("without %s: got %v, want %s", m.Path, err, CodeMember)
		}
	}
	if _, err := readBytes(repack(t, good, append(members, Extra{"/etc/x", nil}))); diag.Code(err) != CodeArchive {
		t.Errorf("absolute member path: %v", err)
	}
}

func TestTarget(t *testing.T) {
	f := smallest(t)
	if err := f.CheckTarget(machine.Gen3); err != nil {
		t.Error(err)
	}
	err := f.CheckTarget(machine.Gen2)
	if diag.Code(err) != CodeTarget || !strings.Contains(err.Error(), "compiled for trn2") || !strings.Contains(err.Error(), "--target trn1") {
		t.Errorf("wrong target: %v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.neff")
	if err := WriteFile(path, smallest(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Fatal(err)
	}
	bad := smallest(t)
	bad.LNC = 0
	if err := WriteFile(filepath.Join(dir, "b.neff"), bad); diag.Code(err) != CodeLNC {
		t.Errorf("bad file: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "c.neff"), bad); diag.Code(err) != CodeIOError {
		t.Errorf("missing folder: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("leftovers: %v", entries)
	}
	for _, p := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := ReadFile(p); diag.Code(err) != CodeIOError || !strings.Contains(err.Error(), p) {
			t.Errorf("reading %s: %v", p, err)
		}
	}
}

func TestInspect(t *testing.T) {
	f, err := readBytes(written(t, smallest(t)))
	if err != nil {
		t.Fatal(err)
	}
	var text, js, asm bytes.Buffer
	if err := Inspect(&text, f, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"for trn2", "x                        float32[128 512] 262144 bytes", "in the buffer of x", "qInputSP0_16", "5 bundles      2 DMA blocks      32 descriptors"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("inspect lacks %q:\n%s", want, text.String())
		}
	}
	if err := Inspect(&js, f, true); err != nil {
		t.Fatal(err)
	}
	var s Summary
	if err := json.Unmarshal(js.Bytes(), &s); err != nil || s.Target != "trn2" || s.Subgraphs[0].Engines[4].Descriptors != 32 {
		t.Errorf("JSON summary: %v\n%s", err, js.String())
	}
	if err := Disasm(&asm, f, machine.Unassigned); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"; I1 stablehlo.add model.py:3:7",
		"1 TENSOR_SCALAR_ARITH_OP $S[3]++@complete src=fp32@0x0[1,1,1][512,1,1]",
		`0 PSEUDO_DMA_TRIGGER name="qInputSP0_16" block_id=1`,
		"copy x+0x3c000[1 2048][2048 8] -> sb+0x1e00000[1 262144][2048 8] $S[10]+=16",
	} {
		if !strings.Contains(asm.String(), want) {
			t.Errorf("disassembly lacks %q:\n%s", want, asm.String())
		}
	}
}

func FuzzRead(f *testing.F) {
	good := written(f, smallest(f))
	f.Add(good)
	f.Add(good[:headerSize])
	f.Add(good[:headerSize+40])
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := read(bytes.NewReader(data), int64(len(data)), 1<<24)
		if err != nil {
			if diag.Code(err) == "" {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		if err := Write(&bytes.Buffer{}, g); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

// FuzzMember replaces one member of a valid archive and keeps the hash right, so that the parsers behind it are
// reached.
func FuzzMember(f *testing.F) {
	file := smallest(f)
	good := written(f, file)
	members, err := file.members()
	if err != nil {
		f.Fatal(err)
	}
	for i, m := range members {
		f.Add(byte(i), m.Data)
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		list := append([]Extra{}, members...)
		list[int(which)%len(list)].Data = data
		g, err := read(bytes.NewReader(repack(t, good, list)), int64(len(repack(t, good, list))), 1<<24)
		if err != nil {
			if diag.Code(err) == "" {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		if err := Write(&bytes.Buffer{}, g); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if err := Disasm(&bytes.Buffer{}, g, machine.Unassigned); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTwoCores(t *testing.T) {
	f := smallest(t)
	f.LNC = 2
	f.Subgraphs = append(f.Subgraphs, smallest(t).Subgraphs[0])
	f.Subgraphs[1].Vars[3].Data = []byte{1, 2, 3, 4}
	got, err := readBytes(written(t, f))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(f.Subgraphs, got.Subgraphs); d != "" {
		t.Errorf("subgraphs differ:\n%s", d)
	}
	if got.Features&FeatVNC == 0 {
		t.Error("feature bit of a split core is not set")
	}
}
