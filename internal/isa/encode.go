package isa

import (
	"encoding/binary"

	"github.com/alcadev/alca/internal/machine"
)

var le = binary.LittleEndian

// Encode checks an instruction against the rules of isa.md 13 for an engine of a generation and returns its bundle.
func Encode(in *Inst, eng machine.Engine, gen machine.Gen) (Bundle, error) {
	var b Bundle
	if in.Info == nil {
		return b, errf(CodeOpcode, "instruction without opcode")
	}
	if in.Info.Layout == nil {
		return b, errf(CodeNoLayout, "%s has no layout and cannot be encoded", in.Info.Name)
	}
	if err := Check(in, eng, gen); err != nil {
		return b, err
	}
	return pack(in)
}

// pack writes the bundle without checking the rules of the instruction.
func pack(in *Inst) (Bundle, error) {
	var b Bundle
	b[0] = byte(in.Info.Code)
	b[1] = 0x10
	if in.Satur {
		b[1] |= 1
	}
	l := in.Info.Layout
	if !l.Ext {
		if err := putSync(&b, in); err != nil {
			return b, err
		}
	}
	for i := range l.Fields {
		if err := l.Fields[i].put(&b, in); err != nil {
			return b, err
		}
	}
	return b, nil
}

func putSync(b *Bundle, in *Inst) error {
	b[4], b[5] = byte(in.Wait.Mode), in.Wait.ID
	b[6], b[7] = byte(in.Update.Mode), in.Update.ID
	v := int32(0)
	if waitUsesValue(in.Wait.Mode) {
		v = in.Wait.Value
	}
	if in.Update.Mode.UsesValue() {
		if waitUsesValue(in.Wait.Mode) && v != in.Update.Value {
			return errf(CodeSyncValueConflict, "%s: wait value %d and update value %d share one field", in.Info.Name, v, in.Update.Value).
				WithHint("move the wait or the update to an EventSemaphore")
		}
		v = in.Update.Value
	}
	le.PutUint32(b[8:], uint32(v))
	return nil
}

func waitUsesValue(m WaitMode) bool {
	switch m {
	case WaitSemEQ, WaitSemGE, WaitSemGEReg, WaitSemDec:
		return true
	}
	return false
}

// put writes one field.
func (f *Field) put(b *Bundle, in *Inst) error {
	p := b[f.Off : f.Off+f.Width]
	switch f.Kind {
	case KTensor, KMX:
		putTensor(p, in.Tensor(f.ID))
		return nil
	case KName:
		if len(in.Name) > int(f.Width) {
			return errf(CodeName, "%s: name %q is longer than %d bytes", in.Info.Name, in.Name, f.Width)
		}
		copy(p, in.Name)
		return nil
	case KMask:
		if in.Mask != nil {
			copy(p, in.Mask[:])
		}
		return nil
	}
	v := in.Get(f.ID)
	lo, hi := f.bounds()
	if f.Width < 8 && (v < lo || v > hi) {
		return errf(CodeFieldRange, "%s: field %s is %d, must be in %d..%d", in.Info.Name, f.ID, v, lo, hi)
	}
	switch {
	case f.Nibble == 1:
		p[0] |= byte(v)
	case f.Nibble == 2:
		p[0] |= byte(v) << 4
	case f.Width == 1:
		p[0] = byte(v)
	case f.Width == 2:
		le.PutUint16(p, uint16(v))
	case f.Width == 4:
		le.PutUint32(p, uint32(v))
	default:
		le.PutUint64(p, uint64(v))
	}
	return nil
}

// bounds returns the values a scalar field of less than eight bytes can hold.
func (f *Field) bounds() (lo, hi int64) {
	bits := uint(f.Width) * 8
	if f.Nibble != 0 {
		bits = 4
	}
	if f.Kind == KInt {
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return 0, 1<<bits - 1
}

func putTensor(p []byte, t *Tensor) {
	switch t.Kind {
	case DescStatic:
		le.PutUint32(p, uint32(t.Addr))
		n := int(t.N)
		for i := 0; i < n; i++ {
			le.PutUint16(p[4+2*i:], uint16(t.Step[i]))
			le.PutUint16(p[4+2*n+2*i:], t.Num[i])
		}
	case DescIndirect:
		le.PutUint32(p, uint32(t.Index|addrIndirect))
		le.PutUint32(p[4:], uint32(t.Addr))
		le.PutUint16(p[8:], t.Num[0])
	case DescMX:
		le.PutUint32(p, uint32(t.Addr))
		le.PutUint32(p[4:], uint32(t.Scale))
		le.PutUint16(p[8:], t.Num[0])
		p[0xA], p[0xB] = byte(t.Dir), t.ScalePart
	case DescMXIndirect:
		le.PutUint32(p, uint32(t.Index|addrIndirect))
		le.PutUint32(p[4:], uint32(t.Addr))
		le.PutUint32(p[8:], uint32(t.Scale))
		le.PutUint16(p[0xC:], t.Num[0])
		p[0xF] = t.ScalePart
	}
}
