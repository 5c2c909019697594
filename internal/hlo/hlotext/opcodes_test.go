package hlotext

import (
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/hlo"
)

// opcodePair is an instruction that is accepted and one that is not, with the code of the diagnostic.
type opcodePair struct{ op, good, bad, code string }

const (
	addF32   = "{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }"
	lessF32  = "{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), direction=LT }"
	negF32   = "{ x = f32[] parameter(0) ROOT s = f32[] negate(x) }"
	negVec   = "{ x = f32[4] parameter(0) ROOT s = f32[4] negate(x) }"
	predVec  = "{ x = f32[4] parameter(0) ROOT s = pred[] constant(true) }"
	twoBranc = "branch_computations={" + negVec + ", " + negVec + "}"
)

// opcodePairs has the opcodes whose pairs are not made by a rule.
var opcodePairs = []opcodePair{
	{"add-dependency", "f32[2] add-dependency(f32[2] %a, token[] %t)", "f32[3] add-dependency(f32[2] %a, token[] %t)", hlo.CodeResult},
	{"after-all", "token[] after-all(token[] %a)", "f32[] after-all(token[] %a)", hlo.CodeResult},
	{"all-gather", "f32[8] all-gather(f32[4] %a), replica_groups={{0,1}}, dimensions={0}", "f32[9] all-gather(f32[4] %a), replica_groups={{0,1}}, dimensions={0}", hlo.CodeShape},
	{"all-gather-done", "f32[8] all-gather-done((f32[4], f32[8]) %a)", "f32[8] all-gather-done()", hlo.CodeArity},
	{"all-gather-start", "(f32[4], f32[8]) all-gather-start(f32[4] %a), dimensions={0}", "(f32[4], f32[8]) all-gather-start(), dimensions={0}", hlo.CodeArity},
	{"all-reduce", "f32[4] all-reduce(f32[4] %a), replica_groups={}, to_apply=" + addF32, "f32[5] all-reduce(f32[4] %a), to_apply=" + addF32, hlo.CodeResult},
	{"all-reduce-done", "f32[4] all-reduce-done(f32[4] %a)", "f32[4] all-reduce-done()", hlo.CodeArity},
	{"all-reduce-start", "f32[4] all-reduce-start(f32[4] %a), to_apply=" + addF32, "f32[4] all-reduce-start(), to_apply=" + addF32, hlo.CodeArity},
	{"all-to-all", "f32[4] all-to-all(f32[4] %a), replica_groups={{0,1}}, dimensions={0}", "f32[4] all-to-all()", hlo.CodeArity},
	{"and", "s32[2] and(s32[2] %a, s32[2] %b)", "f32[2] and(f32[2] %a, f32[2] %b)", hlo.CodeElem},
	{"async-done", "f32[4] async-done(((f32[4]), f32[4]) %a)", "f32[4] async-done()", hlo.CodeArity},
	{"async-start", "((f32[4]), f32[4]) async-start(f32[4] %a), calls=" + negVec, "((f32[4]), f32[4]) async-start(f32[4] %a), calls=nothing", CodeUndefined},
	{"async-update", "((f32[4]), f32[4]) async-update(((f32[4]), f32[4]) %a)", "((f32[4]), f32[4]) async-update()", hlo.CodeArity},
	{"batch-norm-grad", "(f32[2,3], f32[3], f32[3]) batch-norm-grad(f32[2,3] %a, f32[3] %b, f32[3] %c, f32[3] %d, f32[2,3] %e), epsilon=1e-5, feature_index=1",
		"(f32[2,3], f32[3], f32[3]) batch-norm-grad(f32[2,3] %a, f32[3] %b), epsilon=1e-5, feature_index=1", hlo.CodeArity},
	{"batch-norm-inference", "f32[2,3] batch-norm-inference(f32[2,3] %a, f32[3] %b, f32[3] %c, f32[3] %d, f32[3] %e), epsilon=1e-5, feature_index=1",
		"f32[2,4] batch-norm-inference(f32[2,3] %a, f32[3] %b, f32[3] %c, f32[3] %d, f32[3] %e), epsilon=1e-5, feature_index=1", hlo.CodeResult},
	{"batch-norm-training", "(f32[2,3], f32[3], f32[3]) batch-norm-training(f32[2,3] %a, f32[3] %b, f32[3] %c), epsilon=1e-5, feature_index=1",
		"(f32[2,3], f32[2], f32[3]) batch-norm-training(f32[2,3] %a, f32[3] %b, f32[3] %c), epsilon=1e-5, feature_index=1", hlo.CodeResult},
	{"bitcast", "f32[2,3]{0,1} bitcast(f32[3,2]{1,0} %a)", "f32[2,4] bitcast(f32[3,2] %a)", hlo.CodeResult},
	{"bitcast-convert", "s32[2] bitcast-convert(f32[2] %a)", "s16[2] bitcast-convert(f32[2] %a)", hlo.CodeShape},
	{"broadcast", "f32[2,3] broadcast(f32[3] %a), dimensions={1}", "f32[2,3] broadcast(f32[3] %a), dimensions={2}", hlo.CodeAttr},
	{"call", "f32[4] call(f32[4] %a), to_apply=" + negVec, "f32[5] call(f32[4] %a), to_apply=" + negVec, hlo.CodeSignature},
	{"cholesky", "f32[3,3] cholesky(f32[3,3] %a), lower=true", "f32[3,2] cholesky(f32[3,2] %a)", hlo.CodeShape},
	{"clamp", "f32[2] clamp(f32[] %a, f32[2] %b, f32[2] %c)", "f32[2] clamp(f32[3] %a, f32[2] %b, f32[2] %c)", hlo.CodeShape},
	{"collective-broadcast", "f32[2] collective-broadcast(f32[2] %a), replica_groups={{0,1}}", "f32[3] collective-broadcast(f32[2] %a), replica_groups={{0,1}}", hlo.CodeResult},
	{"collective-permute", "f32[2] collective-permute(f32[2] %a), source_target_pairs={{0,1}}", "f32[2] collective-permute(f32[2] %a)", hlo.CodeAttr},
	{"collective-permute-done", "f32[2] collective-permute-done((f32[2], f32[2]) %a)", "f32[2] collective-permute-done()", hlo.CodeArity},
	{"collective-permute-start", "(f32[2], f32[2]) collective-permute-start(f32[2] %a), source_target_pairs={{0,1}}", "(f32[2], f32[2]) collective-permute-start()", hlo.CodeArity},
	{"compare", "pred[2] compare(f32[2] %a, f32[2] %b), direction=LT", "pred[2] compare(f32[2] %a, f32[2] %b), direction=XX", hlo.CodeAttr},
	{"complex", "c64[2] complex(f32[2] %a, f32[2] %b)", "c128[2] complex(f32[2] %a, f32[2] %b)", hlo.CodeResult},
	{"concatenate", "f32[5] concatenate(f32[2] %a, f32[3] %b), dimensions={0}", "f32[6] concatenate(f32[2] %a, f32[3] %b), dimensions={0}", hlo.CodeResult},
	{"conditional", "f32[4] conditional(s32[] %i, f32[4] %a, f32[4] %b), " + twoBranc, "f32[4] conditional(s32[] %i, f32[4] %a), " + twoBranc, hlo.CodeArity},
	{"constant", "f32[2] constant({1, 2})", "f32[2] constant({1})", CodeLiteral},
	{"convert", "s32[2] convert(f32[2] %a)", "s32[3] convert(f32[2] %a)", hlo.CodeShape},
	{"convolution", "f32[1,4,4,2] convolution(f32[1,4,4,3] %a, f32[3,3,3,2] %b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
		"f32[1,4,5,2] convolution(f32[1,4,4,3] %a, f32[3,3,3,2] %b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", hlo.CodeResult},
	{"copy", "f32[2,3]{0,1} copy(f32[2,3]{1,0} %a)", "f32[3,2] copy(f32[2,3] %a)", hlo.CodeResult},
	{"copy-done", "f32[2] copy-done((f32[2], f32[2], u32[]) %a)", "f32[2] copy-done()", hlo.CodeArity},
	{"copy-start", "(f32[2], f32[2], u32[]) copy-start(f32[2] %a)", "(f32[2], f32[2], u32[]) copy-start()", hlo.CodeArity},
	{"count-leading-zeros", "s32[2] count-leading-zeros(s32[2] %a)", "f32[2] count-leading-zeros(f32[2] %a)", hlo.CodeElem},
	{"custom-call", "f32[2] custom-call(f32[3] %a), custom_call_target=\"x\"", "f32[2] custom-call(f32[3] %a), custom_call_target=x", CodeSyntax},
	{"domain", "f32[2] domain(f32[2] %a), domain={kind=\"sharding\", entry={maximal device=1}, exit={}}", "f32[3] domain(f32[2] %a)", hlo.CodeResult},
	{"dot", "f32[2,4] dot(f32[2,3] %a, f32[3,4] %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
		"f32[2,4] dot(f32[2,3] %a, f32[5,4] %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", hlo.CodeShape},
	{"dynamic-reshape", "f32[<=6] dynamic-reshape(f32[2,3] %a, s32[] %n)", "f32[<=6] dynamic-reshape()", hlo.CodeArity},
	{"dynamic-slice", "f32[2] dynamic-slice(f32[4] %a, s32[] %i), dynamic_slice_sizes={2}", "f32[3] dynamic-slice(f32[4] %a, s32[] %i), dynamic_slice_sizes={2}", hlo.CodeResult},
	{"dynamic-update-slice", "f32[4] dynamic-update-slice(f32[4] %a, f32[2] %u, s32[] %i)", "f32[5] dynamic-update-slice(f32[4] %a, f32[2] %u, s32[] %i)", hlo.CodeResult},
	{"fft", "c64[3] fft(f32[4] %a), fft_type=RFFT, fft_length={4}", "c64[4] fft(f32[4] %a), fft_type=RFFT, fft_length={4}", hlo.CodeResult},
	{"fusion", "f32[4] fusion(f32[4] %a), kind=kLoop, calls=" + negVec, "f32[4] fusion(f32[3] %a), kind=kLoop, calls=" + negVec, hlo.CodeSignature},
	{"gather", "f32[2,1] gather(f32[4] %a, s32[2,1] %i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
		"f32[2,2] gather(f32[4] %a, s32[2,1] %i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", hlo.CodeResult},
	{"get-dimension-size", "s32[] get-dimension-size(f32[4] %a), dimensions={0}", "s32[] get-dimension-size(f32[4] %a), dimensions={0,1}", hlo.CodeAttr},
	{"get-tuple-element", "f32[2] get-tuple-element((s32[], f32[2]) %a), index=1", "f32[2] get-tuple-element((s32[], f32[2]) %a), index=2", hlo.CodeAttr},
	{"imag", "f32[2] imag(c64[2] %a)", "c64[2] imag(c64[2] %a)", hlo.CodeResult},
	{"infeed", "(f32[2], token[]) infeed(token[] %t), infeed_config=\"x\"", "(f32[2], token[]) infeed(token[] %t, token[] %u)", hlo.CodeArity},
	{"iota", "s32[2,3] iota(), iota_dimension=1", "s32[2,3] iota(), iota_dimension=2", hlo.CodeAttr},
	{"is-finite", "pred[2] is-finite(f32[2] %a)", "f32[2] is-finite(f32[2] %a)", hlo.CodeResult},
	{"map", "f32[4] map(f32[4] %a), dimensions={0}, to_apply=" + negF32, "f32[4] map(f32[4] %a, f32[4] %b), dimensions={0}, to_apply=" + negF32, hlo.CodeRegion},
	{"not", "pred[2] not(pred[2] %a)", "f32[2] not(f32[2] %a)", hlo.CodeElem},
	{"opt-barrier", "(f32[2], s32[]) opt-barrier((f32[2], s32[]) %a)", "(f32[3], s32[]) opt-barrier((f32[2], s32[]) %a)", hlo.CodeResult},
	{"or", "s32[2] or(s32[2] %a, s32[2] %b)", "f32[2] or(f32[2] %a, f32[2] %b)", hlo.CodeElem},
	{"outfeed", "token[] outfeed(f32[2] %a, token[] %t), outfeed_config=\"x\"", "token[] outfeed()", hlo.CodeArity},
	{"pad", "f32[7] pad(f32[2] %a, f32[] %z), padding=1_3_1", "f32[8] pad(f32[2] %a, f32[] %z), padding=1_3_1", hlo.CodeResult},
	{"partition-id", "u32[] partition-id()", "s32[] partition-id()", hlo.CodeResult},
	{"popcnt", "s32[2] popcnt(s32[2] %a)", "f32[2] popcnt(f32[2] %a)", hlo.CodeElem},
	{"ragged-all-to-all", "f32[2] ragged-all-to-all(f32[2] %a, f32[2] %b)", "f32[2] ragged-all-to-all()", hlo.CodeArity},
	{"ragged-dot", "f32[2,4] ragged-dot(f32[2,3] %a, f32[1,3,4] %b, s32[1] %c), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
		"f32[2,4] ragged-dot(f32[2,3] %a)", hlo.CodeArity},
	{"real", "f32[2] real(c64[2] %a)", "c64[2] real(c64[2] %a)", hlo.CodeResult},
	{"recv", "(f32[2], u32[], token[]) recv(token[] %t), channel_id=1", "(f32[2], u32[], token[]) recv()", hlo.CodeArity},
	{"recv-done", "(f32[2], token[]) recv-done((f32[2], u32[], token[]) %a), channel_id=1", "(f32[2], token[]) recv-done()", hlo.CodeArity},
	{"reduce", "f32[] reduce(f32[4] %a, f32[] %z), dimensions={0}, to_apply=" + addF32, "f32[] reduce(f32[4] %a, f32[] %z), dimensions={1}, to_apply=" + addF32, hlo.CodeAttr},
	{"reduce-precision", "f32[2] reduce-precision(f32[2] %a), exponent_bits=5, mantissa_bits=10", "f32[2] reduce-precision(f32[2] %a), exponent_bits=0, mantissa_bits=10", hlo.CodeAttr},
	{"reduce-scatter", "f32[2] reduce-scatter(f32[4] %a), replica_groups={{0,1}}, dimensions={0}, to_apply=" + addF32,
		"f32[3] reduce-scatter(f32[4] %a), replica_groups={{0,1}}, dimensions={0}, to_apply=" + addF32, hlo.CodeShape},
	{"reduce-window", "f32[3] reduce-window(f32[4] %a, f32[] %z), window={size=2}, to_apply=" + addF32, "f32[4] reduce-window(f32[4] %a, f32[] %z), window={size=2}, to_apply=" + addF32, hlo.CodeResult},
	{"replica-id", "u32[] replica-id()", "s32[] replica-id()", hlo.CodeResult},
	{"reshape", "f32[6] reshape(f32[2,3] %a)", "f32[5] reshape(f32[2,3] %a)", hlo.CodeShape},
	{"reverse", "f32[4] reverse(f32[4] %a), dimensions={0}", "f32[4] reverse(f32[4] %a), dimensions={1}", hlo.CodeAttr},
	{"rng", "f32[4] rng(f32[] %a, f32[] %b), distribution=rng_uniform", "f32[4] rng(f32[] %a), distribution=rng_uniform", hlo.CodeArity},
	{"rng-bit-generator", "(u64[2], u32[4]) rng-bit-generator(u64[2] %a), algorithm=rng_three_fry", "(u64[2], u32[4]) rng-bit-generator(u64[2] %a), algorithm=rng_dice", hlo.CodeAttr},
	{"rng-get-and-update-state", "u64[1] rng-get-and-update-state(), delta=1", "u64[1] rng-get-and-update-state(u64[1] %a), delta=1", hlo.CodeArity},
	{"scaled-dot", "f32[2,4] scaled-dot(f32[2,3] %a, f32[3,4] %b)", "f32[2,4] scaled-dot(f32[2,3] %a)", hlo.CodeArity},
	{"scan", "f32[4] scan(f32[4] %a), dimensions={0}, to_apply=" + negVec, "f32[4] scan(), to_apply=" + negVec, hlo.CodeArity},
	{"scatter", "f32[4] scatter(f32[4] %a, s32[2,1] %i, f32[2,1] %u), update_window_dims={1}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" + addF32,
		"f32[5] scatter(f32[4] %a, s32[2,1] %i, f32[2,1] %u), update_window_dims={1}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" + addF32, hlo.CodeResult},
	{"select", "f32[2] select(pred[2] %p, f32[2] %a, f32[2] %b)", "f32[2] select(s32[2] %p, f32[2] %a, f32[2] %b)", hlo.CodeElem},
	{"select-and-scatter", "f32[4] select-and-scatter(f32[4] %a, f32[2] %s, f32[] %z), window={size=2 stride=2}, select=" + lessF32 + ", scatter=" + addF32,
		"f32[4] select-and-scatter(f32[4] %a, f32[3] %s, f32[] %z), window={size=2 stride=2}, select=" + lessF32 + ", scatter=" + addF32, hlo.CodeShape},
	{"send", "(f32[2], u32[], token[]) send(f32[2] %a, token[] %t), channel_id=1", "(f32[2], u32[], token[]) send(f32[2] %a)", hlo.CodeArity},
	{"send-done", "token[] send-done((f32[2], u32[], token[]) %a), channel_id=1", "token[] send-done()", hlo.CodeArity},
	{"set-dimension-size", "f32[<=4] set-dimension-size(f32[4] %a, s32[] %n), dimensions={0}", "f32[<=4] set-dimension-size(f32[4] %a, s32[] %n)", hlo.CodeAttr},
	{"sort", "f32[4] sort(f32[4] %a), dimensions={0}, to_apply=" + lessF32, "f32[4] sort(f32[4] %a), dimensions={0}, to_apply=" + addF32, hlo.CodeRegion},
	{"slice", "f32[2] slice(f32[4] %a), slice={[0:4:2]}", "f32[3] slice(f32[4] %a), slice={[0:4:2]}", hlo.CodeResult},
	{"stochastic-convert", "s8[2] stochastic-convert(f32[2] %a, u32[2] %b)", "s8[2] stochastic-convert(f32[2] %a)", hlo.CodeArity},
	{"topk", "(f32[2], s32[2]) topk(f32[4] %a), k=2, largest=true", "(f32[2], s32[2]) topk(), k=2", hlo.CodeArity},
	{"transpose", "f32[3,2] transpose(f32[2,3] %a), dimensions={1,0}", "f32[2,3] transpose(f32[2,3] %a), dimensions={1,0}", hlo.CodeResult},
	{"triangular-solve", "f32[3,2] triangular-solve(f32[3,3] %a, f32[3,2] %b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
		"f32[3,2] triangular-solve(f32[3,2] %a, f32[3,2] %b), left_side=true", hlo.CodeShape},
	{"tuple", "(f32[2], s32[]) tuple(f32[2] %a, s32[] %b)", "(f32[2], s64[]) tuple(f32[2] %a, s32[] %b)", hlo.CodeResult},
	{"while", "f32[4] while(f32[4] %a), condition=" + predVec + ", body=" + negVec, "f32[4] while(f32[4] %a), condition=" + negVec + ", body=" + negVec, hlo.CodeRegion},
	{"xor", "s32[2] xor(s32[2] %a, s32[2] %b)", "f32[2] xor(f32[2] %a, f32[2] %b)", hlo.CodeElem},
}

// TestOpcodes holds every opcode to an instruction it accepts and one it rejects, with the reason.
func TestOpcodes(t *testing.T) {
	pairs := map[string]opcodePair{}
	for _, p := range opcodePairs {
		if hlo.Lookup("hlo."+p.op) == nil {
			t.Errorf("there is no opcode %s", p.op)
		}
		pairs[p.op] = p
	}
	check := func(src string) error {
		m, err := Parse([]byte(src), "t")
		if err == nil {
			err = hlo.Verify(m)
		}
		return err
	}
	for _, d := range hlo.Ops() {
		if d.HLO == nil {
			continue
		}
		op := d.HLO.Opcode
		p, ok := pairs[op]
		if !ok { // elementwise on floats or, for shifts, on integers
			e := "f32"
			if strings.HasPrefix(op, "shift") {
				e = "s32"
			}
			in := strings.TrimSuffix(strings.Repeat(e+"[2] %a, ", d.In.Min), ", ")
			p = opcodePair{op, e + "[2] " + op + "(" + in + ")", e + "[3] " + op + "(" + in + ")", hlo.CodeResult}
		}
		if err := check(p.good); err != nil {
			t.Errorf("%s must be accepted: %v\n%s", op, err, p.good)
		}
		if err := check(p.bad); diag.Code(err) != p.code {
			t.Errorf("%s must be rejected with %s, got %v\n%s", op, p.code, err, p.bad)
		}
	}
}
