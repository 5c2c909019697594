package isa

import (
	"bytes"

	"github.com/alcadev/alca/internal/machine"
)

// DecodeStream decodes the program file of one engine. Its errors name the bundle index.
func DecodeStream(code []byte, eng machine.Engine, gen machine.Gen) ([]Inst, error) {
	if len(code)%BundleSize != 0 {
		return nil, errf(CodeFileSize, "instruction stream of %s has %d bytes, not a multiple of %d", eng, len(code), BundleSize)
	}
	insts := make([]Inst, len(code)/BundleSize)
	var prev *OpInfo
	for i := range insts {
		b := (*Bundle)(code[i*BundleSize:])
		if err := decodeInto(&insts[i], b, prev, eng, gen); err != nil {
			return nil, errf(codeOf(err), "%s bundle %d: %w", eng, i, err)
		}
		prev = insts[i].Info
	}
	return insts, nil
}

// Decode decodes and checks one bundle. prev is the row of the bundle before it in the stream, nil at the start.
func Decode(b *Bundle, prev *OpInfo, eng machine.Engine, gen machine.Gen) (Inst, error) {
	var in Inst
	err := decodeInto(&in, b, prev, eng, gen)
	return in, err
}

func decodeInto(in *Inst, b *Bundle, prev *OpInfo, eng machine.Engine, gen machine.Gen) error {
	if err := parse(in, b, prev); err != nil {
		return err
	}
	return Check(in, eng, gen)
}

// parse reads the fields of a bundle and rejects nonzero reserved bits; the rules of the instruction are Check's.
func parse(in *Inst, b *Bundle, prev *OpInfo) error {
	if b[1]&0xFE != 0x10 {
		return errf(CodeWordLen, "length byte is %#02x, want 0x10", b[1])
	}
	info := opByCode[b[0]]
	if info == nil || info.Code == OpInvalid {
		return errf(CodeOpcode, "opcode %#02x is reserved", b[0])
	}
	if info.Code == OpPseudoExtension {
		switch {
		case prev != nil && prev.Code == OpPseudoDmaDirect2d:
			info = ExtDirect2d
		case prev != nil && prev.Code == OpPseudoTriggerCollective2:
			info = ExtCollective
		default:
			return errf(CodeExtension, "PseudoExtension does not follow PseudoDmaDirect2d or PseudoTriggerCollective2")
		}
	}
	in.Info = info
	in.Satur = b[1]&1 != 0
	l := info.Layout
	if l == nil {
		raw := *b
		in.Raw = &raw
		return nil
	}
	for i, v := range b {
		if v&^l.defined[i] != 0 {
			return errf(CodeReserved, "%s: reserved byte +%#02x is %#02x", info.Name, i, v)
		}
	}
	if !l.Ext {
		v := int32(le.Uint32(b[8:]))
		in.Wait = Wait{Mode: WaitMode(b[4]), ID: b[5]}
		in.Update = Update{Mode: UpdateMode(b[6]), ID: b[7]}
		used := false
		if waitUsesValue(in.Wait.Mode) {
			in.Wait.Value, used = v, true
		}
		if in.Update.Mode.UsesValue() {
			in.Update.Value, used = v, true
		}
		if !used && v != 0 {
			return errf(CodeReserved, "%s: sync value %d without a wait or update that uses it", info.Name, v)
		}
		if in.Wait.Mode == WaitNone && in.Wait.ID != 0 || in.Update.Mode == UpdateNone && in.Update.ID != 0 {
			return errf(CodeReserved, "%s: sync index without a mode", info.Name)
		}
	}
	for i := range l.Fields {
		if err := l.Fields[i].get(b, in); err != nil {
			return err
		}
	}
	return nil
}

// get reads one field.
func (f *Field) get(b *Bundle, in *Inst) error {
	p := b[f.Off : f.Off+f.Width]
	switch f.Kind {
	case KTensor, KMX:
		return getTensor(p, f, in.Tensor(f.ID), in.Info)
	case KName:
		n := bytes.IndexByte(p, 0)
		if n < 0 {
			n = len(p)
		}
		for _, c := range p[n:] {
			if c != 0 {
				return errf(CodeReserved, "%s: bytes after the end of the name", in.Info.Name)
			}
		}
		in.Name = string(p[:n])
		return nil
	case KMask:
		in.Mask = (*[32]byte)(bytes.Clone(p))
		return nil
	}
	var v uint64
	switch f.Width {
	case 1:
		v = uint64(p[0])
	case 2:
		v = uint64(le.Uint16(p))
	case 4:
		v = uint64(le.Uint32(p))
	default:
		v = le.Uint64(p)
	}
	switch f.Nibble {
	case 1:
		v &= 0xF
	case 2:
		v >>= 4
	}
	x := int64(v)
	if f.Kind == KInt {
		shift := 64 - 8*uint(f.Width)
		x = x << shift >> shift
	}
	in.vals[in.Info.Layout.index[f.ID]] = x
	return nil
}

func getTensor(p []byte, f *Field, t *Tensor, info *OpInfo) error {
	first := Addr(le.Uint32(p))
	indirect := first&(addrIndirect|addrActive) == addrIndirect && first&addrReg == 0
	t.N = f.Rank
	switch {
	case f.Kind == KMX && indirect:
		*t = Tensor{Kind: DescMXIndirect, N: 1, Index: first &^ addrIndirect, Addr: Addr(le.Uint32(p[4:])),
			Scale: Addr(le.Uint32(p[8:])), ScalePart: p[0xF]}
		t.Num[0] = le.Uint16(p[0xC:])
		return zeroTail(p[0xE:0xF], info, f)
	case f.Kind == KMX:
		*t = Tensor{Kind: DescMX, N: 1, Addr: first, Scale: Addr(le.Uint32(p[4:])), Dir: int8(p[0xA]), ScalePart: p[0xB]}
		t.Num[0] = le.Uint16(p[8:])
		return zeroTail(p[0xC:], info, f)
	case indirect:
		if len(p) < 12 {
			return errf(CodeIndirect, "%s: operand %s cannot be indirect", info.Name, f.ID)
		}
		t.Kind, t.Index, t.Addr = DescIndirect, first&^addrIndirect, Addr(le.Uint32(p[4:]))
		t.Num[0] = le.Uint16(p[8:])
		return zeroTail(p[0xA:], info, f)
	}
	t.Addr = first
	n := int(f.Rank)
	for i := 0; i < n; i++ {
		t.Step[i] = int16(le.Uint16(p[4+2*i:]))
		t.Num[i] = le.Uint16(p[4+2*n+2*i:])
	}
	return nil
}

func zeroTail(p []byte, info *OpInfo, f *Field) error {
	for _, c := range p {
		if c != 0 {
			return errf(CodeReserved, "%s: reserved bytes of operand %s are not zero", info.Name, f.ID)
		}
	}
	return nil
}
