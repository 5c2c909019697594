package tensor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alcadev/alca/internal/dtype"
)

// npyNames maps numpy's kind and size to an element type, for the types numpy has itself.
var npyNames = map[string]dtype.Type{
	"b1": dtype.I1, "i1": dtype.I8, "i2": dtype.I16, "i4": dtype.I32, "i8": dtype.I64,
	"u1": dtype.U8, "u2": dtype.U16, "u4": dtype.U32, "u8": dtype.U64,
	"f2": dtype.F16, "f4": dtype.F32, "f8": dtype.F64, "c8": dtype.C64, "c16": dtype.C128,
}

// mlNames are the ml_dtypes names of the types numpy lacks.
var mlNames = map[string]dtype.Type{
	"bfloat16": dtype.BF16, "int2": dtype.I2, "int4": dtype.I4, "uint2": dtype.U2, "uint4": dtype.U4,
	"float4_e2m1fn": dtype.F4E2M1FN, "float6_e2m3fn": dtype.F6E2M3FN, "float6_e3m2fn": dtype.F6E3M2FN,
	"float8_e3m4": dtype.F8E3M4, "float8_e4m3": dtype.F8E4M3, "float8_e4m3fn": dtype.F8E4M3FN,
	"float8_e4m3fnuz": dtype.F8E4M3FNUZ, "float8_e4m3b11fnuz": dtype.F8E4M3B11FNUZ, "float8_e5m2": dtype.F8E5M2,
	"float8_e5m2fnuz": dtype.F8E5M2FNUZ, "float8_e8m0fnu": dtype.F8E8M0FNU,
}

var npyMagic = []byte("\x93NUMPY")

// Array is what an .npy file holds. Arrays of types numpy cannot name are stored as raw items: then Type of
// the tensor is Invalid and Void the item size, until As gives them a type.
type Array struct {
	Tensor *Tensor
	Void   int
}

// As gives a raw array the type t if the item sizes agree, and reports whether the array now has type t.
func (a *Array) As(t dtype.Type) bool {
	if a.Void > 0 && a.Void == t.Size() {
		a.Tensor.Type, a.Void = t, 0
	}
	return a.Tensor.Type == t
}

// ReadNPY reads an .npy file, version 1, 2 or 3, of at most size bytes. The header's claim about the amount of
// data is checked against size before anything is allocated.
func ReadNPY(r io.Reader, size int64) (*Array, error) {
	var pre [12]byte
	if _, err := io.ReadFull(r, pre[:10]); err != nil {
		return nil, fmt.Errorf("too short for an npy header")
	}
	if !bytes.Equal(pre[:6], npyMagic) {
		return nil, fmt.Errorf("not an npy file (magic %q)", pre[:6])
	}
	hlen, used := int64(binary.LittleEndian.Uint16(pre[8:10])), int64(10)
	switch pre[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, pre[10:12]); err != nil {
			return nil, fmt.Errorf("too short for an npy header")
		}
		hlen, used = int64(binary.LittleEndian.Uint32(pre[8:12])), 12
	default:
		return nil, fmt.Errorf("npy version %d is not known", pre[6])
	}
	if hlen > 1<<20 || used+hlen > size {
		return nil, fmt.Errorf("npy header of %d bytes exceeds the file", hlen)
	}
	head := make([]byte, hlen)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("npy header is truncated")
	}
	h, err := parseNPYHeader(string(head))
	if err != nil {
		return nil, err
	}
	n := int64(h.itemSize)
	for _, d := range h.shape {
		if d < 0 || d != 0 && n > math.MaxInt64/int64(d) {
			return nil, fmt.Errorf("npy header states an impossible shape %v", h.shape)
		}
		n *= int64(d)
	}
	if avail := size - used - hlen; n != avail {
		return nil, fmt.Errorf("npy header states %d bytes of data (shape %v, %d bytes an item), the file has %d", n, h.shape, h.itemSize, avail)
	}
	data := make([]byte, n, (n+7)&^7)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("npy data is truncated: %w", err)
	}
	part := h.itemSize
	if h.typ.IsComplex() {
		part /= 2
	}
	if h.bigEndian {
		for i := 0; i+part <= len(data); i += part {
			slices.Reverse(data[i : i+part])
		}
	}
	if h.typ == dtype.I1 {
		for i, b := range data {
			if b > 1 {
				data[i] = 1
			}
		}
	}
	t := &Tensor{Type: h.typ, Shape: h.shape, Data: data}
	if h.fortran && len(h.shape) > 1 {
		t = fromFortran(t, h.itemSize)
	}
	a := &Array{Tensor: t}
	if h.typ == dtype.Invalid {
		a.Void = h.itemSize
	}
	return a, nil
}

type npyHeader struct {
	typ       dtype.Type
	itemSize  int
	bigEndian bool
	fortran   bool
	shape     []int
}

// parseNPYHeader reads the Python dictionary literal of an npy header.
func parseNPYHeader(s string) (h npyHeader, err error) {
	value := func(key string) (string, bool) {
		i := strings.Index(s, "'"+key+"'")
		if i < 0 {
			return "", false
		}
		rest := strings.TrimLeft(s[i+len(key)+2:], " ")
		if !strings.HasPrefix(rest, ":") {
			return "", false
		}
		return strings.TrimLeft(rest[1:], " "), true
	}
	d, ok := value("descr")
	if !ok || len(d) < 2 || d[0] != '\'' && d[0] != '"' {
		return h, fmt.Errorf("npy header states no simple element type (structured arrays are not supported)")
	}
	end := strings.IndexByte(d[1:], d[0])
	if end < 0 {
		return h, fmt.Errorf("npy header is malformed")
	}
	descr := d[1 : 1+end]
	if t, ok := mlNames[descr]; ok {
		h.typ, h.itemSize = t, t.Size()
	} else {
		if descr != "" && strings.IndexByte("<>|=", descr[0]) >= 0 {
			h.bigEndian = descr[0] == '>'
			descr = descr[1:]
		}
		if t, ok := npyNames[descr]; ok {
			h.typ, h.itemSize = t, t.Size()
		} else if n, err := strconv.Atoi(strings.TrimPrefix(descr, "V")); err == nil && strings.HasPrefix(descr, "V") && n > 0 && n <= 16 {
			h.itemSize = n
		} else {
			return h, fmt.Errorf("npy element type %q is not supported", descr)
		}
	}
	f, ok := value("fortran_order")
	if !ok {
		return h, fmt.Errorf("npy header lacks fortran_order")
	}
	h.fortran = strings.HasPrefix(f, "True")
	sh, ok := value("shape")
	if !ok || !strings.HasPrefix(sh, "(") || strings.IndexByte(sh, ')') < 0 {
		return h, fmt.Errorf("npy header lacks a shape")
	}
	for _, w := range strings.Split(sh[1:strings.IndexByte(sh, ')')], ",") {
		if w = strings.TrimSuffix(strings.TrimSpace(w), "L"); w == "" {
			continue
		}
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			return h, fmt.Errorf("npy header states an impossible dimension %q", w)
		}
		h.shape = append(h.shape, n)
	}
	if len(h.shape) > 64 {
		return h, fmt.Errorf("npy header states %d dimensions", len(h.shape))
	}
	return h, nil
}

// fromFortran turns column-major data into row-major.
func fromFortran(t *Tensor, item int) *Tensor {
	out := &Tensor{Type: t.Type, Shape: t.Shape, Data: make([]byte, len(t.Data), (len(t.Data)+7)&^7)}
	idx := make([]int, len(t.Shape))
	strides := make([]int, len(t.Shape))
	s := item
	for i, d := range t.Shape {
		strides[i] = s
		s *= d
	}
	src := 0
	for dst := 0; dst < len(out.Data); dst += item {
		copy(out.Data[dst:dst+item], t.Data[src:src+item])
		for i := len(idx) - 1; i >= 0; i-- {
			idx[i]++
			src += strides[i]
			if idx[i] < t.Shape[i] {
				break
			}
			src -= idx[i] * strides[i]
			idx[i] = 0
		}
	}
	return out
}

// WriteNPY writes t as .npy version 1. Types numpy cannot name are written as raw items.
func WriteNPY(w io.Writer, t *Tensor) error {
	descr := fmt.Sprintf("|V%d", t.Type.Size())
	for n, ty := range npyNames {
		if ty == t.Type {
			descr = "<" + n
			if t.Type.Size() == 1 {
				descr = "|" + n
			}
		}
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = strconv.Itoa(d)
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += ","
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	pad := 64 - (len(npyMagic)+4+len(head)+1)%64
	head += strings.Repeat(" ", pad%64) + "\n"
	pre := append(slices.Clone(npyMagic), 1, 0)
	pre = binary.LittleEndian.AppendUint16(pre, uint16(len(head)))
	if _, err := w.Write(append(pre, head...)); err != nil {
		return err
	}
	_, err := w.Write(t.Data)
	return err
}

// needsMeta reports whether numpy cannot name t, and gives its ml_dtypes name.
func needsMeta(t dtype.Type) (string, bool) {
	for n, ty := range mlNames {
		if ty == t {
			return n, true
		}
	}
	return "", false
}
