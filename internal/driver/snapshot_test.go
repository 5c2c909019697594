package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/alcadev/alca/internal/hlo/hlopb"
	"github.com/alcadev/alca/internal/hlo/hlotext"
	"github.com/alcadev/alca/internal/tensor"
)

func TestSnapshotUnpack(t *testing.T) {
	m, err := hlotext.Parse([]byte("ENTRY e { a = f32[2] parameter(0)\n ROOT n = f32[2] negate(a) }"), "t")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := hlopb.Write(m, hlopb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sub := func(b []byte, n protowire.Number, v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	shape := sub(protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 11), 3, []byte{2})
	lit := func(v string) []byte { return sub(sub(nil, 1, shape), 8, []byte(v)) }
	in, out := "\x00\x00\x80\x3f\x00\x00\x00\x40", "\x00\x00\x80\xbf\x00\x00\x00\xc0"
	snap := sub(sub(sub(nil, 1, sub(nil, 1, mod)), 2, lit(in)), 3, lit(out))
	dir := t.TempDir()
	file := filepath.Join(dir, "s.pb")
	if err := os.WriteFile(file, snap, 0o644); err != nil {
		t.Fatal(err)
	}
	o := SnapshotOptions{Module: filepath.Join(dir, "model.hlo"), Prefix: dir + "/", Type: "snapshot", Outputs: true}
	if err := SnapshotUnpack(&Env{}, file, o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.Module)
	if err != nil || !hlotext.Detect(text) {
		t.Errorf("module: %v %q", err, text)
	}
	for name, want := range map[string]string{"value_input0.npy": in, "snapshot_output0.npy": out} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		a, err := tensor.ReadNPY(bytes.NewReader(b), int64(len(b)))
		if err != nil || string(a.Tensor.Data) != want {
			t.Errorf("%s: %v %v", name, err, a)
		}
	}
	o.Type = "tape"
	if err := SnapshotUnpack(&Env{}, file, o); err == nil {
		t.Error("an unknown format is accepted")
	}
}
