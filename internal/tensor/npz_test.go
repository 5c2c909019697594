package tensor

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
)

func TestNPZRoundTrip(t *testing.T) {
	var in []Named
	for ty := dtype.I1; ty <= dtype.C128; ty++ {
		if ty == dtype.TF32 {
			continue
		}
		x := New(ty, 2, 3)
		for i := range x.Data {
			x.Data[i] = byte(i % 2)
		}
		in = append(in, Named{ty.String(), x})
	}
	in = append(in, Named{"scalar", New(dtype.F32)})
	var a, b bytes.Buffer
	if err := WriteNPZ(&a, in); err != nil {
		t.Fatal(err)
	}
	WriteNPZ(&b, in)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two writes differ")
	}
	out, err := ReadNPZ(bytes.NewReader(a.Bytes()), int64(a.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range in {
		got := out[i]
		if got.Name != n.Name || got.Tensor.Type != n.Tensor.Type || !bytes.Equal(got.Tensor.Data, n.Tensor.Data) || len(got.Tensor.Shape) != len(n.Tensor.Shape) {
			t.Errorf("%s: got %s of %v", n.Name, got.Tensor.Type, got.Tensor.Shape)
		}
	}
}

func TestNPYRejects(t *testing.T) {
	head := func(dict string, data int) []byte {
		b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
		return append(append(b, dict...), make([]byte, data)...)
	}
	for _, c := range []struct {
		name, want string
		src        []byte
	}{
		{"empty", "too short", nil},
		{"magic", "not an npy file", []byte("hello world, this is text")},
		{"size lie", "states 400000000000 bytes", head("{'descr': '<f4', 'fortran_order': False, 'shape': (100000000000,), }\n", 8)},
		{"overflow", "impossible shape", head("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }\n", 8)},
		{"short", "the file has 4", head("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 4)},
		{"object", "not supported", head("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", 4)},
		{"struct", "structured", head("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", 8)},
		{"negative", "impossible dimension", head("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }\n", 8)},
		{"header length", "exceeds the file", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f")},
	} {
		_, err := ReadNPY(bytes.NewReader(c.src), int64(len(c.src)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want it to say %q", c.name, err, c.want)
		}
	}
}

func TestNPYFortranAndBigEndian(t *testing.T) {
	dict := "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n"
	src := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0)
	src = append(src, dict...)
	for _, v := range []byte{0, 3, 1, 4, 2, 5} { // columns of [[0 1 2] [3 4 5]]
		src = append(src, 0, v)
	}
	a, err := ReadNPY(bytes.NewReader(src), int64(len(src)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 6; i++ {
		if got := a.Tensor.Data[2*i]; got != byte(i) {
			t.Errorf("element %d is %d", i, got)
		}
	}
}

func TestNPZRawMemberTakesType(t *testing.T) {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	m, _ := z.Create("w.npy")
	WriteNPY(m, New(dtype.BF16, 4))
	z.Close()
	out, err := ReadNPZ(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Void != 2 || out[0].As(dtype.F32) || !out[0].As(dtype.BF16) {
		t.Errorf("raw member: void %d, type %s", out[0].Void, out[0].Tensor.Type)
	}
}
