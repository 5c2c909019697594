package hlopb

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
)

type num = protowire.Number

// extField holds what the public messages have no field for; other readers skip it.
const extField = num(1000)

// kind is how an attribute is stored.
type kind uint8

const (
	kInt kind = iota
	kBool
	kFloat
	kStr
	kInts
	kEnum    // a number that stands for a word of the row's list
	kEnumStr // the word itself
	kBytes   // a string of bytes, StringAttr
)

// row ties an attribute of the HLO form to a field of HloInstructionProto.
type row struct {
	name string
	path []num
	kind kind
	enum []string
	ops  string // opcodes it is limited to, "" for all; "!x" for all but x
}

// rows is the table of plain fields; fieldsOf has those with messages of their own.
var rows = []row{
	{name: "index", path: []num{13}, ops: "get-tuple-element"},
	{name: "iota_dimension", path: []num{14}, ops: "iota"},
	{name: "dimensions", path: []num{14}, kind: kInts, ops: "!iota"},
	{name: "feature_group_count", path: []num{50}}, {name: "batch_group_count", path: []num{58}},
	{name: "padding_type", path: []num{75}, kind: kEnum, enum: []string{"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"}},
	{name: "exponent_bits", path: []num{18}}, {name: "mantissa_bits", path: []num{19}},
	{name: "dynamic_slice_sizes", path: []num{20}, kind: kInts},
	{name: "outfeed_config", path: []num{22}, kind: kBytes}, {name: "infeed_config", path: []num{27}, kind: kBytes},
	{name: "distribution", path: []num{23}, kind: kEnum, enum: []string{"RNG_INVALID", "rng_uniform", "rng_normal"}},
	{name: "epsilon", path: []num{24}, kind: kFloat}, {name: "feature_index", path: []num{25}},
	{name: "channel_id", path: []num{26}}, {name: "custom_call_target", path: []num{28}, kind: kStr},
	{name: "lhs_contracting_dims", path: []num{30, 1}, kind: kInts, ops: "!ragged-dot"}, {name: "rhs_contracting_dims", path: []num{30, 2}, kind: kInts, ops: "!ragged-dot"},
	{name: "lhs_batch_dims", path: []num{30, 3}, kind: kInts, ops: "!ragged-dot"}, {name: "rhs_batch_dims", path: []num{30, 4}, kind: kInts, ops: "!ragged-dot"},
	{name: "lhs_contracting_dims", path: []num{90, 1, 1}, kind: kInts, ops: "ragged-dot"}, {name: "rhs_contracting_dims", path: []num{90, 1, 2}, kind: kInts, ops: "ragged-dot"},
	{name: "lhs_batch_dims", path: []num{90, 1, 3}, kind: kInts, ops: "ragged-dot"}, {name: "rhs_batch_dims", path: []num{90, 1, 4}, kind: kInts, ops: "ragged-dot"},
	{name: "lhs_ragged_dims", path: []num{90, 2}, kind: kInts}, {name: "rhs_group_dims", path: []num{90, 3}, kind: kInts},
	{name: "fft_type", path: []num{31}, kind: kEnum, enum: []string{"FFT", "IFFT", "RFFT", "IRFFT"}, ops: "fft"}, {name: "fft_length", path: []num{32}, kind: kInts},
	{name: "offset_dims", path: []num{33, 1}, kind: kInts}, {name: "collapsed_slice_dims", path: []num{33, 2}, kind: kInts},
	{name: "start_index_map", path: []num{33, 3}, kind: kInts}, {name: "index_vector_dim", path: []num{33, 4}, ops: "gather"},
	{name: "operand_batching_dims", path: []num{33, 5}, kind: kInts}, {name: "start_indices_batching_dims", path: []num{33, 6}, kind: kInts},
	{name: "slice_sizes", path: []num{34}, kind: kInts},
	{name: "update_window_dims", path: []num{48, 1}, kind: kInts}, {name: "inserted_window_dims", path: []num{48, 2}, kind: kInts},
	{name: "scatter_dims_to_operand_dims", path: []num{48, 3}, kind: kInts}, {name: "index_vector_dim", path: []num{48, 4}, ops: "scatter"},
	{name: "input_batching_dims", path: []num{48, 5}, kind: kInts}, {name: "scatter_indices_batching_dims", path: []num{48, 6}, kind: kInts},
	{name: "is_host_transfer", path: []num{47}, kind: kBool}, {name: "constrain_layout", path: []num{56}, kind: kBool, ops: "!custom-call"},
	{name: "left_side", path: []num{59, 1}, kind: kBool}, {name: "lower", path: []num{59, 2}, kind: kBool, ops: "triangular-solve"},
	{name: "unit_diagonal", path: []num{59, 3}, kind: kBool},
	{name: "transpose_a", path: []num{59, 4}, kind: kEnum, enum: []string{"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
	{name: "lower", path: []num{62, 1}, kind: kBool, ops: "cholesky"},
	{name: "is_stable", path: []num{60}, kind: kBool}, {name: "direction", path: []num{63}, kind: kEnumStr}, {name: "type", path: []num{72}, kind: kEnumStr},
	{name: "custom_call_has_side_effect", path: []num{65}, kind: kBool}, {name: "delta", path: []num{66}},
	{name: "indices_are_sorted", path: []num{67}, kind: kBool}, {name: "unique_indices", path: []num{69}, kind: kBool},
	{name: "algorithm", path: []num{70}, kind: kEnum, enum: []string{"rng_default", "rng_three_fry", "rng_philox"}, ops: "rng-bit-generator"},
	{name: "algorithm", path: []num{51, 2}, kind: kEnum, ops: "dot", enum: []string{"", "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
		"dot_f16_f16_f16", "dot_f16_f16_f32", "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32",
		"dot_tf32_tf32_f32_x3", "dot_f32_f32_f32", "dot_f64_f64_f64", "dot_bf16_bf16_f32_x9"}},
	{name: "use_global_device_ids", path: []num{71}, kind: kBool},
	{name: "schedule", path: []num{76}, kind: kEnum, enum: []string{"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}},
	{name: "api_version", path: []num{77}, kind: kEnum, enum: []string{"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
		"API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}},
	{name: "async_execution_thread", path: []num{79}, kind: kStr}, {name: "k", path: []num{81}}, {name: "largest", path: []num{85}, kind: kBool},
	{name: "is_composite", path: []num{89}, kind: kBool}, {name: "kind", path: []num{11}, kind: kEnumStr}, {name: "backend_config", path: []num{43}, kind: kBytes},
}

var precisions = []string{"default", "high", "highest", "packed_nibble"}

// fits reports whether the row applies to an opcode.
func (r *row) fits(opcode string) bool {
	if not, ok := strings.CutPrefix(r.ops, "!"); ok {
		return opcode != not
	}
	return r.ops == "" || r.ops == opcode
}

// read returns the attribute of a row, nil when the message does not hold it.
func (r *row) read(m msg) hlo.Attr {
	for _, n := range r.path[:len(r.path)-1] {
		var ok bool
		if m, ok = m.sub(n); !ok {
			return nil
		}
	}
	n := r.path[len(r.path)-1]
	if !m.has(n) {
		return nil
	}
	switch r.kind {
	case kBool:
		return hlo.BoolAttr{Value: m.bool(n)}
	case kFloat:
		f := m.last(n, protowire.Fixed32Type)
		if f == nil {
			return nil
		}
		return hlo.FloatAttr{Value: shortest(math.Float32frombits(uint32(f.v))), Type: dtype.F32}
	case kStr, kBytes:
		return hlo.StringAttr{Value: m.str(n)}
	case kInts:
		return hlo.DenseArrayAttr{Elem: dtype.I64, Values: m.ints(n)}
	case kEnum:
		v := m.int(n)
		if v < 0 || v >= int64(len(r.enum)) {
			fail(CodeModule, "%s is %d, must be less than %d", r.name, v, len(r.enum))
		}
		return hlo.EnumAttr{Kind: r.name, Value: r.enum[v]}
	case kEnumStr:
		return hlo.EnumAttr{Kind: r.name, Value: m.str(n)}
	}
	if r.name == "iota_dimension" {
		if v := m.ints(n); len(v) > 0 {
			return hlo.IntOf(v[0])
		}
		return nil
	}
	return hlo.IntOf(m.int(n))
}

// payload is the field of a row, "" when the attribute has another form or is a default; false: the row cannot say it.
func (r *row) payload(a hlo.Attr) (buf, bool) {
	var w buf
	n := r.path[len(r.path)-1]
	switch a := a.(type) {
	case hlo.IntAttr:
		if r.name == "iota_dimension" {
			w.ints(n, []int64{a.Value})
		} else {
			w.int(n, a.Value)
		}
	case hlo.BoolAttr:
		w.bool(n, a.Value)
	case hlo.FloatAttr:
		w.float(n, float32(a.Value))
	case hlo.StringAttr:
		w.str(n, a.Value)
	case hlo.DenseArrayAttr:
		w.ints(n, a.Values)
	case hlo.EnumAttr:
		if r.kind == kEnumStr {
			w.str(n, a.Value)
			break
		}
		for i, e := range r.enum {
			if e == a.Value {
				w.int(n, int64(i))
				return w, true
			}
		}
		return nil, false
	default:
		return nil, false
	}
	return w, true
}

// shortest is the double whose decimal digits are the float's shortest ones, so that 1e-05 prints as such.
func shortest(f float32) float64 { return parseFloat(formatFloat32(f)) }

// tree collects fields of nested messages and writes each message once.
type tree struct {
	order []num
	subs  map[num]*tree
	leaf  map[num]buf
}

func (t *tree) add(path []num, b buf) {
	n := path[0]
	if t.subs == nil {
		t.subs, t.leaf = map[num]*tree{}, map[num]buf{}
	}
	_, isSub := t.subs[n]
	_, isLeaf := t.leaf[n]
	if !isSub && !isLeaf {
		t.order = append(t.order, n)
	}
	if len(path) == 1 {
		t.leaf[n] = append(t.leaf[n], b...)
		return
	}
	if t.subs[n] == nil {
		t.subs[n] = &tree{}
	}
	t.subs[n].add(path[1:], b)
}

func (t *tree) write(w *buf) {
	for _, n := range t.order {
		*w = append(*w, t.leaf[n]...)
		if s := t.subs[n]; s != nil {
			var x buf
			s.write(&x)
			w.bytes(n, x)
		}
	}
}
