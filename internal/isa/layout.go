package isa

// Kind says how the bytes of a field are read and which checks apply.
type Kind uint8

const (
	KUint   Kind = iota // unsigned integer
	KInt                // two's complement integer
	KF32                // bits of a binary32
	KDtype              // wire dtype
	KDtype0             // wire dtype, or 0 for the field's default
	KAlu                // ALU operation
	KAct                // activation function
	KAcc                // accumulate command
	KImmSrc             // source of a scalar operand
	KImm                // value of a scalar operand; its source stands in field Aux
	KReg                // register id
	KChan               // partition count 1..128
	KAddr4              // on-chip address; its dtype stands in field Aux
	KAddr8              // DMA address
	KTensor             // static descriptor of Rank dimensions (indirect on gen4)
	KMX                 // MX descriptor
	KName               // zero-padded text
	KMask               // 32 bytes
)

// Field is a row of a layout: bytes Off..Off+Width-1 of the bundle, or one nibble of a byte.
type Field struct {
	Off, Width uint8
	Nibble     uint8 // 0: whole bytes, 1: low nibble, 2: high nibble
	Rank       uint8 // KTensor
	ID         FieldID
	Aux        FieldID // see Kind
	Kind       Kind
}

// Layout is the field table of one or more opcodes.
type Layout struct {
	Name     string
	Fields   []Field
	Ext      bool            // an extension bundle: no sync band, bytes +0x02 and on belong to the layout
	index    [numFields]int8 // FieldID -> slot in Inst.vals or Inst.tensors, -1 if absent
	fieldOf  [numFields]int8 // FieldID -> index in Fields, -1 if absent
	nvals    int
	ntensors int
	defined  [BundleSize]byte // bits that some field covers, header and sync band included
}

// maxVals and maxTensors bound what a layout holds; lay panics at start-up when a table row breaks them.
const (
	maxVals    = 26
	maxTensors = 3
)

// Has reports whether the layout has the field.
func (l *Layout) Has(f FieldID) bool { return l.fieldOf[f] >= 0 }

// Field returns the row of a field, or nil.
func (l *Layout) Field(f FieldID) *Field {
	if i := l.fieldOf[f]; i >= 0 {
		return &l.Fields[i]
	}
	return nil
}

// DefinedMask returns the bits of a bundle that the layout, header and sync band define. All others are reserved.
func (l *Layout) DefinedMask() [BundleSize]byte { return l.defined }

func lay(name string, fields ...Field) *Layout    { return newLayout(name, false, fields) }
func layExt(name string, fields ...Field) *Layout { return newLayout(name, true, fields) }

func newLayout(name string, ext bool, fields []Field) *Layout {
	l := &Layout{Name: name, Fields: fields, Ext: ext}
	for i := range l.index {
		l.index[i], l.fieldOf[i] = -1, -1
	}
	l.defined[0], l.defined[1] = 0xFF, 0xFF
	if !ext {
		for i := 4; i < 12; i++ {
			l.defined[i] = 0xFF
		}
	}
	for i := range fields {
		f := &l.Fields[i]
		l.fieldOf[f.ID] = int8(i)
		switch f.Kind {
		case KTensor, KMX:
			l.index[f.ID] = int8(l.ntensors)
			l.ntensors++
		case KName, KMask:
		default:
			l.index[f.ID] = int8(l.nvals)
			l.nvals++
		}
		bits := byte(0xFF)
		switch f.Nibble {
		case 1:
			bits = 0x0F
		case 2:
			bits = 0xF0
		}
		for o := f.Off; o < f.Off+f.Width; o++ {
			l.defined[o] |= bits
		}
	}
	if l.nvals > maxVals || l.ntensors > maxTensors {
		panic("isa: layout " + name + " exceeds the bounds of Inst")
	}
	return l
}

func u8(off uint8, id FieldID) Field  { return Field{Off: off, Width: 1, ID: id, Kind: KUint} }
func u16(off uint8, id FieldID) Field { return Field{Off: off, Width: 2, ID: id, Kind: KUint} }
func u32(off uint8, id FieldID) Field { return Field{Off: off, Width: 4, ID: id, Kind: KUint} }
func u64(off uint8, id FieldID) Field { return Field{Off: off, Width: 8, ID: id, Kind: KUint} }
func i16(off uint8, id FieldID) Field { return Field{Off: off, Width: 2, ID: id, Kind: KInt} }
func i32(off uint8, id FieldID) Field { return Field{Off: off, Width: 4, ID: id, Kind: KInt} }
func i64(off uint8, id FieldID) Field { return Field{Off: off, Width: 8, ID: id, Kind: KInt} }
func f32(off uint8, id FieldID) Field { return Field{Off: off, Width: 4, ID: id, Kind: KF32} }
func nibLo(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 1, ID: id, Kind: KUint}
}
func nibHi(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 2, ID: id, Kind: KUint}
}
func dt(off uint8, id FieldID) Field { return Field{Off: off, Width: 1, ID: id, Kind: KDtype} }
func dtLo(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 1, ID: id, Kind: KDtype}
}
func dtHi(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 2, ID: id, Kind: KDtype}
}
func dt0(off uint8, id FieldID) Field { return Field{Off: off, Width: 1, ID: id, Kind: KDtype0} }
func dt0Lo(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 1, ID: id, Kind: KDtype0}
}
func dt0Hi(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 1, Nibble: 2, ID: id, Kind: KDtype0}
}
func alu(off uint8, id FieldID) Field   { return Field{Off: off, Width: 1, ID: id, Kind: KAlu} }
func act(off uint8, id FieldID) Field   { return Field{Off: off, Width: 1, ID: id, Kind: KAct} }
func acc(off uint8, id FieldID) Field   { return Field{Off: off, Width: 1, ID: id, Kind: KAcc} }
func imsrc(off uint8, id FieldID) Field { return Field{Off: off, Width: 1, ID: id, Kind: KImmSrc} }
func reg(off uint8, id FieldID) Field   { return Field{Off: off, Width: 1, ID: id, Kind: KReg} }
func nch(off uint8, id FieldID) Field   { return Field{Off: off, Width: 1, ID: id, Kind: KChan} }
func a8(off uint8, id FieldID) Field    { return Field{Off: off, Width: 8, ID: id, Kind: KAddr8} }
func mx(off uint8, id FieldID) Field    { return Field{Off: off, Width: 16, ID: id, Kind: KMX} }
func t1(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 8, Rank: 1, ID: id, Kind: KTensor}
}
func t2(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 12, Rank: 2, ID: id, Kind: KTensor}
}
func t3(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 16, Rank: 3, ID: id, Kind: KTensor}
}
func t4(off uint8, id FieldID) Field {
	return Field{Off: off, Width: 20, Rank: 4, ID: id, Kind: KTensor}
}
func str(off, width uint8) Field { return Field{Off: off, Width: width, ID: FName, Kind: KName} }
func mask32(off uint8) Field     { return Field{Off: off, Width: 32, ID: FMask, Kind: KMask} }
func a4(off uint8, id, dt FieldID) Field {
	return Field{Off: off, Width: 4, ID: id, Aux: dt, Kind: KAddr4}
}
func imm(off uint8, id, src FieldID) Field {
	return Field{Off: off, Width: 4, ID: id, Aux: src, Kind: KImm}
}
