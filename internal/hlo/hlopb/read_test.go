package hlopb

import (
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/hlo/hlotext"
)

const sample = `HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias) }, num_partitions=4, allow_spmd_sharding_propagation_to_output={true}
%add (x: f32[], y: f32[]) -> f32[] { %x = f32[] parameter(0) %y = f32[] parameter(1) ROOT %s = f32[] add(x, y) }
%cond (t: (s32[], f32[4])) -> pred[] { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
%body (t: (s32[], f32[4])) -> (s32[], f32[4]) { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 o = s32[] constant(1) j = s32[] add(i, o), control-predecessors={i}
 f = f32[4] get-tuple-element(t), index=1 ROOT r = (s32[], f32[4]) tuple(j, f) }
ENTRY %e (p: f32[4,2]) -> (f32[4], s4[3]) {
 p = f32[4,2]{0,1:T(8,128)S(1)} parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}, frontend_attributes={b="x",a="y"}
 z = f32[] constant(-nan(0x7))
 r = f32[4] reduce(p, z), dimensions={1}, to_apply=add, metadata={op_name="a/b" source_file="f.py" source_line=3 source_column=9}, backend_config={"k":1}
 k = s4[3] constant({-8, 7, 1})
 q = bf16[2,2] constant({{1, 2}, {3, inf}})
 i0 = s32[] constant(0)
 w = (s32[], f32[4]) tuple(i0, r)
 l = (s32[], f32[4]) while(w), condition=cond, body=body
 g = f32[4] get-tuple-element(l), index=1
 a = f32[4] all-reduce(g), channel_id=1, replica_groups=[2,2]<=[4], use_global_device_ids=true, to_apply=add
 ROOT t = (f32[4], s4[3]) tuple(a, k)
}`

func sampleBytes(t testing.TB) []byte {
	m, err := hlotext.Parse([]byte(sample), "sample")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := Write(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSample(t *testing.T) {
	m, err := hlotext.Parse([]byte(sample), "sample")
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, "sample", m)
	// Inside HloProto, and in a snapshot with an argument stored column-major.
	body := sampleBytes(t)
	var proto, snap, lit, shape, layout buf
	proto.bytes(1, body)
	layout.ints(1, []int64{0, 1})
	shape.int(2, 4)
	shape.ints(3, []int64{2, 3})
	shape.bytes(5, layout)
	lit.bytes(1, shape)
	lit.ints(4, []int64{1, 4, 2, 5, 3, -6})
	snap.bytes(1, proto)
	snap.bytes(2, lit)
	snap.str(4, "Host")
	for _, b := range [][]byte{proto, snap} {
		if !Detect(b) {
			t.Error("not recognised")
		}
		got, err := Read(b, "x")
		if err != nil {
			t.Fatal(err)
		}
		if string(text(t, got)) != string(text(t, m)) {
			t.Error("the wrapped module differs")
		}
	}
	s, err := ReadSnapshot(snap, "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Args) != 1 || len(s.Args[0]) != 1 || s.Platform != "Host" {
		t.Fatalf("snapshot: %+v", s)
	}
	if a := s.Args[0][0]; a.Type != dtype.I32 || a.Data[4] != 2 || a.Data[12] != 4 || a.Data[20] != 0xfa {
		t.Errorf("argument is %v", a.Data)
	}
}

func TestReadRejects(t *testing.T) {
	for _, c := range []struct{ name, code string }{{"", CodeModule}, {"garbage", CodeWire}, {strings.Repeat("\n\x02\n\x00", 3), CodeModule}} {
		if _, err := Read([]byte(c.name), "f"); diag.Code(err) != c.code {
			t.Errorf("%q: got %v, want %s", c.name, err, c.code)
		}
	}
	b := sampleBytes(t)
	for i := 0; i < len(b); i += 7 { // cut off anywhere: a diagnostic or a module, never a panic
		if m, err := Read(b[:i], "f"); err == nil {
			_ = hlo.Verify(m)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sampleBytes(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		Detect(b)
		m, err := Read(b, "fuzz")
		if err != nil || hlo.Verify(m) != nil {
			return
		}
		if pb, err := Write(m, Options{}); err == nil {
			if _, err := Read(pb, "again"); err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
		}
	})
}

func TestDecomposed(t *testing.T) {
	var proto, snap, lit, shape buf
	proto.bytes(1, sampleBytes(t))
	snap.bytes(1, proto)
	shape.int(2, 11)
	shape.ints(3, []int64{2})
	lit.bytes(1, shape)
	lit.bytes(8, []byte{0, 0, 128, 63, 0, 0, 0, 64})
	box := func(v int) []byte {
		var b buf
		b.ints(7, []int64{int64(v)})
		return append([]byte{byte(len(b))}, b...)
	}
	one := append(append(box(1), box(len(lit))...), lit...)
	src := append(append(append(box(len(snap)), snap...), one...), one...)
	s, err := ReadDecomposed(src, "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Args) != 1 || len(s.Args[0]) != 1 || len(s.Results) != 1 || string(s.Results[0].Data) != string(lit[len(lit)-8:]) {
		t.Errorf("read %+v", s)
	}
	for i := range src {
		if _, err := ReadDecomposed(src[:i], "x"); err == nil && i != len(src)-len(one) {
			t.Errorf("%d of %d bytes are taken for a snapshot", i, len(src))
		}
	}
}
