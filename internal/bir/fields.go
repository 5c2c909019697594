package bir

import (
	"reflect"
	"strings"
	"sync"
)

// Field is a field of an attribute struct as its tag describes it.
type Field struct {
	Key     string
	Index   int
	Always  bool   // written even when it has the default
	Invert  bool   // a bool whose wire value is the opposite
	Default string // wire form of the default, when it is not the zero value
}

var fieldCache sync.Map // reflect.Type of the struct -> []Field

// FieldsOf returns the fields of an attribute struct type.
func FieldsOf(t reflect.Type) []Field {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]Field)
	}
	var out []Field
	for i := 0; i < t.NumField(); i++ {
		tag := t.Field(i).Tag.Get("bir")
		if tag == "" {
			continue
		}
		parts := strings.Split(tag, ",")
		f := Field{Key: parts[0], Index: i}
		for _, p := range parts[1:] {
			switch {
			case p == "always":
				f.Always = true
			case p == "invert":
				f.Invert = true
			case strings.HasPrefix(p, "default="):
				f.Default = p[len("default="):]
			}
		}
		out = append(out, f)
	}
	fieldCache.Store(t, out)
	return out
}

// enums holds the wire names of every enum type.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[AluOp]():      aluOpNames[:],
	reflect.TypeFor[ActFunc]():    actFuncNames[:],
	reflect.TypeFor[AccType]():    accTypeNames[:],
	reflect.TypeFor[AxisList]():   axisListNames[:],
	reflect.TypeFor[PoolFunc]():   poolFuncNames[:],
	reflect.TypeFor[PerfMode]():   perfModeNames[:],
	reflect.TypeFor[CompareOp]():  compareOpNames[:],
	reflect.TypeFor[DGEType]():    dGETypeNames[:],
	reflect.TypeFor[CopyMode]():   copyModeNames[:],
	reflect.TypeFor[MemsetMode](): memsetModeNames[:],
	reflect.TypeFor[TSCMode]():    tSCModeNames[:],
	reflect.TypeFor[ClearMode]():  clearModeNames[:],
	reflect.TypeFor[EdgeKind]():   edgeKindNames[:],
	reflect.TypeFor[TensorKind](): tensorKindNames[:],
	reflect.TypeFor[QueueType]():  queueTypeNames[:],
	reflect.TypeFor[WaitMode]():   waitModeNames[:],
	reflect.TypeFor[UpdateMode](): updateModeNames[:],
}

// EnumNames returns the wire names of an enum type by ordinal, nil if t is none.
func EnumNames(t reflect.Type) []string { return enums[t] }

var (
	edgeKindNames   = [...]string{"Invalid", "Ordered", "Anti", "Output", "Flow"}
	tensorKindNames = [...]string{"ExternalInput", "ExternalInputParameter", "ExternalInputState", "ExternalOutput", "ExternalOutputParameter",
		"ExternalOutputState", "Const", "Internal", "Pointer", "InternalInterface"}
	queueTypeNames = [...]string{"input", "output", "data", "pinned_weight", "indirect_loadsave", "embedding_update", "collective_compute",
		"dynamic_act_table", "dynamic"}
	waitModeNames   = [...]string{"evt-set-then-clear", "sem-ge-imm", "sem-ge-reg"}
	updateModeNames = [...]string{"evt-set", "sem-add-imm", "sem-sub-imm", "sem-inc", "sem-dec", "sem-wr-imm"}
)

// String returns the wire name.
func (v EdgeKind) String() string { return enumName("EdgeKind", edgeKindNames[:], int(v)) }

// String returns the wire name.
func (v TensorKind) String() string { return enumName("TensorKind", tensorKindNames[:], int(v)) }

// IsInput reports kinds the caller fills.
func (v TensorKind) IsInput() bool { return v <= ExternalInputState }

// IsOutput reports kinds the caller reads.
func (v TensorKind) IsOutput() bool { return v >= ExternalOutput && v <= ExternalOutputState }

// String returns the wire name.
func (v QueueType) String() string { return enumName("QueueType", queueTypeNames[:], int(v)) }

// String returns the wire name.
func (v WaitMode) String() string { return enumName("WaitMode", waitModeNames[:], int(v)) }

// String returns the wire name.
func (v UpdateMode) String() string { return enumName("UpdateMode", updateModeNames[:], int(v)) }

// String returns the name of the memory.
func (t MemType) String() string {
	switch t {
	case MemUnallocated:
		return "unallocated"
	case DRAM, SB, PSUM:
		return t.Mem().String()
	}
	return enumName("MemType", nil, int(t))
}
