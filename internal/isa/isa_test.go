package isa

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/machine"
)

// workedExamples are the byte dumps of isa.md 15 with the text a disassembler shows.
var workedExamples = []struct {
	name string
	eng  machine.Engine
	gen  machine.Gen
	hex  string
	text string
}{
	{"15.1/0 Ldweights", machine.PE, machine.Gen3,
		`01 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 20 00 00 01 00 01 00 01 00 40 00 01 00 01 00
		06 00 00 00 00 00 80 40 00 00 00 00 0F 03 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`,
		`LDWEIGHTS weights=bfloat16@0x2000[1,1,1][64,1,1] in_dtype=bfloat16 num_active_rows=128 num_active_cols=64 row_group=15 col_group=3`},
	{"15.2/0 Matmul", machine.PE, machine.Gen3,
		`02 10 00 00 05 07 13 05 24 00 00 00 00 00 00 00
		00 40 00 00 01 00 01 00 01 00 00 02 01 00 01 00
		06 00 00 00 00 00 80 40 00 00 00 03 0F 03 00 00
		00 10 00 02 01 00 01 00 01 00 00 02 01 00 01 00`,
		`MATMUL $S[7]>=36 $S[5]++@complete moving=bfloat16@0x4000[1,1,1][512,1,1] in_dtype=bfloat16 num_active_rows=128 num_active_cols=64 acc_flags=3 row_group=15 col_group=3 dst=fp32@0x2001000[1,1,1][512,1,1]`},
	{"15.3/0 Activate", machine.ACT, machine.Gen3,
		`21 10 00 00 05 05 13 08 01 00 00 00 01 01 00 00
		00 10 00 02 01 00 01 00 01 00 00 02 01 00 01 00
		AA 06 40 07 00 00 00 3E 00 80 00 00 00 00 00 00
		00 C0 00 00 01 00 01 00 01 00 00 02 01 00 01 00`,
		`ACTIVATE $S[5]>=1 $S[8]++@complete src=fp32@0x2001000[1,1,1][512,1,1] in_dtype=fp32 bias_dtype=fp32 out_dtype=bfloat16 num_active_channels=64 func=Exp scale=0.125 bias=*0x8000 alpha=0 dst=bfloat16@0xc000[1,1,1][512,1,1]`},
	{"15.4/0 TensorTensorArithOp", machine.DVE, machine.Gen3,
		`41 10 00 00 00 00 00 00 00 00 00 00 A6 0A 04 80
		00 10 00 00 01 00 01 00 01 00 40 00 01 00 01 00
		00 01 00 00 01 00 01 00 01 00 40 00 01 00 01 00
		00 02 00 00 00 00 01 00 01 00 08 00 08 00 01 00`,
		`TENSOR_TENSOR in0_dtype=bfloat16 in1_dtype=fp32 out_dtype=fp32 op=add num_active_channels=128 dst=fp32@0x1000[1,1,1][64,1,1] src0=bfloat16@0x100[1,1,1][64,1,1] src1=fp32@0x200[0,1,1][8,8,1]`},
	{"15.5/0 TensorScalarArithOp", machine.DVE, machine.Gen3,
		`43 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		40 00 80 00 02 00 40 00 01 00 10 00 04 00 01 00
		06 06 20 01 06 05 02 01 00 00 00 40 00 00 40 40
		00 08 80 00 01 00 01 00 01 00 40 00 01 00 01 00`,
		`TENSOR_SCALAR_ARITH_OP src=bfloat16@0x800040[2,64,1][16,4,1] in_dtype=bfloat16 out_dtype=bfloat16 num_active_channels=32 op0=mult op1=subtract reverse=2 imm0=2 imm1=3 dst=bfloat16@0x800800[1,1,1][64,1,1]`},
	{"15.6/0 Cast", machine.DVE, machine.Gen3,
		`47 10 00 00 00 00 00 00 00 00 00 00 10 00 00 01
		FF FF 08 00 10 00 30 00 08 00 02 00 03 00 02 00
		06 0A 40 00 00 00 00 00 00 00 00 00 00 20 00 01
		01 00 01 00 01 00 01 00 60 00 01 00 01 00 01 00`,
		`CAST src=bfloat16@0x1000010[-1,8,16,48][8,2,3,2] in_dtype=bfloat16 out_dtype=fp32 num_active_channels=64 dst=fp32@0x1002000[1,1,1,1][96,1,1,1]`},
	{"15.7/0 TensorReduceArithOp", machine.DVE, machine.Gen3,
		`42 10 00 00 00 00 00 00 00 00 00 00 00 04 00 00
		01 00 20 00 80 00 01 00 20 00 04 00 10 00 01 00
		0A 0A 80 01 08 03 00 00 00 00 00 00 00 30 00 00
		01 00 01 00 01 00 01 00 10 00 01 00 01 00 01 00`,
		`TENSOR_REDUCE_ARITH_OP src=fp32@0x400[1,32,128,1][32,4,16,1] in_dtype=fp32 out_dtype=fp32 num_active_channels=128 negated=1 op=max axis=3 dst=fp32@0x3000[1,1,1,1][16,1,1,1]`},
	{"15.8/0 Memset", machine.DVE, machine.Gen3,
		`49 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00
		06 00 80 00 00 00 00 00 80 3F 00 00 00 50 00 00
		01 00 01 00 01 00 01 00 00 01 01 00 01 00 01 00`,
		`MEMSET dst_element_count=256 dtype=bfloat16 num_active_channels=128 fill=16256 dst=bfloat16@0x5000[1,1,1,1][256,1,1,1]`},
	{"15.9/0 EventSemaphore", machine.SP, machine.Gen3,
		`A0 10 00 00 05 04 00 00 24 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		85 16 15 09 03 00 00 00 10 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`,
		`EVENT_SEMAPHORE $S[4]>=36 $S[22]>=$r3 $S[9]+=16@complete`},
	{"15.10/0 Counter", machine.SP, machine.Gen3,
		`A7 10 00 00 00 00 00 00 00 00 00 00 01 08 01 00
		00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`,
		`MOVE num_regs=1 dtype=int32 src_mode=1 src_reg=$r0 dst_reg=$r5`},
	{"15.10/1 Counter", machine.SP, machine.Gen3,
		`A8 10 00 00 00 00 00 00 00 00 00 00 04 08 01 08
		05 05 00 00 00 00 00 00 01 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`,
		`ALU_OP op=add src_dtype=int32 operand_mode=1 dst_dtype=int32 dst_reg=$r5 src1_reg=$r5 imm=1`},
	{"15.10/2 Counter", machine.SP, machine.Gen3,
		`A9 10 00 00 00 00 00 00 00 00 00 00 01 08 03 00
		0A 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00`,
		`COMPARE_BRANCH comp_op=lt dtype=int32 operand_kind=3 imm=10 lhs_reg=$r5 rhs_reg=$r0 target_pc=3`},
	{"15.11/0 PseudoDmaDirect2d", machine.SP, machine.Gen3,
		`D4 10 00 00 00 00 00 00 00 00 00 00 00 0C 10 03
		00 00 00 00 07 00 00 10 00 04 00 00 00 00 02 00
		80 00 01 00 00 04 00 00 00 20 00 00 00 00 00 10
		00 00 04 00 00 00 00 00 80 00 01 00 00 04 06 06`,
		`PSEUDO_DMA_DIRECT2D semaphore=12 sem_increment=16 sync_command=3 src=v7+0x0 src_step0=1024 src_step1=131072 src_num0=128 src_num1=1 src_elem_size=1024 dst=0x2000 dst_step0=262144 dst_num0=128 dst_num1=1 dst_elem_size=1024 src_dtype=bfloat16 dst_dtype=bfloat16`},
	{"15.12/0 MatmulMX", machine.PE, machine.Gen4,
		`0A 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 10 00 00 00 90 00 00 00 08 01 04 00 00 00 00
		0E 00 00 00 00 00 80 80 0A 00 00 01 0F 0F 00 00
		00 00 00 02 01 00 01 00 01 00 00 02 01 00 01 00`,
		`MATMUL_MX moving=$MX[0x1000,0x9000,4]@[1][2048] in_dtype=fp8e4 num_active_rows=128 num_active_cols=128 dst_dtype=fp32 acc_flags=1 row_group=15 col_group=15 dst=fp32@0x2000000[1,1,1][512,1,1]`},
	{"15.13/0 QuantizeMX", machine.DVE, machine.Gen4,
		`E3 11 00 00 00 00 00 00 00 00 00 00 00 00 00 00
		00 60 00 00 01 00 01 00 01 00 00 02 01 00 01 00
		00 80 06 0F 00 00 00 00 00 00 00 00 00 00 00 00
		00 70 00 00 00 90 00 00 00 02 01 08 00 00 00 00`,
		`QUANTIZE_MX saturate src=bfloat16@0x6000[1,1,1][512,1,1] num_active_channels=128 src_dtype=bfloat16 dst_dtype=fp8e5 dst=$MX[0x7000,0x9000,8]@[1][512]`},
	{"15.14/0 Copy", machine.DVE, machine.Gen4,
		`46 10 00 00 00 00 00 00 00 00 00 00 00 01 00 20
		00 40 00 00 30 00 00 00 00 00 00 00 00 00 00 00
		06 06 80 00 00 00 00 00 00 00 00 00 00 80 00 00
		01 00 01 00 01 00 01 00 30 00 01 00 01 00 01 00`,
		`COPY src=bfloat16@0x4000.indirect(0x100)[48] in_dtype=bfloat16 out_dtype=bfloat16 num_active_channels=128 dst=bfloat16@0x8000[1,1,1,1][48,1,1,1]`},
	{"15.15/0 Copy", machine.DVE, machine.Gen4,
		`46 10 00 00 00 00 00 00 00 00 00 00 00 40 00 00
		01 00 01 00 01 00 01 00 10 00 01 00 01 00 01 00
		06 06 80 00 00 00 00 00 00 00 00 00 11 00 00 80
		01 00 01 00 01 00 01 00 10 00 01 00 01 00 01 00`,
		`COPY src=bfloat16@0x4000[1,1,1,1][16,1,1,1] in_dtype=bfloat16 out_dtype=bfloat16 num_active_channels=128 dst=bfloat16@$r17[1,1,1,1][16,1,1,1]`},
	{"15.16/0 Iota", machine.Pool, machine.Gen3,
		`7E 10 00 00 00 00 00 00 00 00 00 00 FC FF FF FF
		01 00 0A 00 01 00 01 00 0A 00 03 00 01 00 01 00
		00 08 80 00 64 00 00 00 00 00 00 00 00 07 00 00
		01 00 01 00 01 00 01 00 1E 00 01 00 01 00 01 00`,
		`IOTA offset=-4 step0=1 step1=10 step2=1 step3=1 num0=10 num1=3 num2=1 num3=1 out_dtype=int32 num_active_channels=128 channel_multiplier=100 dst=int32@0x700[1,1,1,1][30,1,1,1]`},
	{"15.17/0 Activate2", machine.ACT, machine.Gen4,
		`25 10 00 00 00 00 00 00 00 00 00 00 00 04 00 00
		01 00 00 01 80 00 02 00 01 01 03 00 0A 06 04 04
		06 06 80 17 00 00 00 40 00 40 00 00 00 00 00 00
		00 14 00 00 01 00 01 00 00 01 01 00 00 00 00 00`,
		`ACTIVATE2 src=bfloat16@0x400[1,256][128,2] acc_cmd=reset_reduce imm_dtype=fp32 op0=mult op1=add reduce_op=add in_dtype=bfloat16 out_dtype=bfloat16 num_active_channels=128 func=Gelu imm0=2 imm1=*0x4000 relu_param=0 dst=bfloat16@0x1400[1,1][256,1]`},
}

func bundleOf(t *testing.T, text string) Bundle {
	t.Helper()
	raw, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil || len(raw) != BundleSize {
		t.Fatalf("bad test data: %v, %d bytes", err, len(raw))
	}
	return Bundle(raw)
}

func TestWorkedExamples(t *testing.T) {
	for _, ex := range workedExamples {
		t.Run(ex.name, func(t *testing.T) {
			want := bundleOf(t, ex.hex)
			in, err := Decode(&want, nil, ex.eng, ex.gen)
			if err != nil {
				t.Fatal(err)
			}
			if got := Disasm(&in); got != ex.text {
				t.Errorf("disassembly\n got %s\nwant %s", got, ex.text)
			}
			got, err := Encode(&in, ex.eng, ex.gen)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("encoded\n got %x\nwant %x", got, want)
			}
		})
	}
}

func TestLayoutsAreDisjoint(t *testing.T) {
	seen := map[*Layout]bool{}
	rows := append([]OpInfo{*ExtDirect2d, *ExtCollective}, Ops()...)
	for _, op := range rows {
		l := op.Layout
		if l == nil || seen[l] {
			continue
		}
		seen[l] = true
		var used [BundleSize]byte
		for _, f := range l.Fields {
			first := uint8(0x0C)
			if l.Ext {
				first = 2
			}
			if f.Off < first || int(f.Off)+int(f.Width) > BundleSize {
				t.Errorf("%s: field %s at +%#x leaves the body", l.Name, f.ID, f.Off)
				continue
			}
			bits := [3]byte{0xFF, 0x0F, 0xF0}[f.Nibble]
			for o := f.Off; o < f.Off+f.Width; o++ {
				if used[o]&bits != 0 {
					t.Errorf("%s: field %s overlaps another at +%#x", l.Name, f.ID, o)
				}
				used[o] |= bits
			}
		}
	}
	if len(Ops()) != 161 {
		t.Errorf("opcode table has %d rows, want 161", len(Ops()))
	}
}

// randomInst fills every field of a row with values its kind allows.
func randomInst(r *rand.Rand, info *OpInfo) Inst {
	in := NewInfo(info)
	if !info.Layout.Ext {
		in.Wait = Wait{WaitSemGE, uint8(r.Uint32()), int32(r.Uint32())}
		in.Update = Update{Mode: UpdateInc, ID: uint8(r.Uint32())}
	}
	for i := range info.Layout.Fields {
		f := &info.Layout.Fields[i]
		switch f.Kind {
		case KTensor:
			tn := in.Tensor(f.ID)
			tn.Addr = SBUFAddr(r.IntN(128), int64(r.IntN(1<<17)))
			for k := range tn.Num[:tn.N] {
				tn.Step[k], tn.Num[k] = int16(r.Uint32()), uint16(1+r.IntN(65535))
			}
		case KMX:
			tn := in.Tensor(f.ID)
			tn.Addr, tn.Scale = SBUFAddr(r.IntN(128), 64), SBUFAddr(r.IntN(4)*32, 128)
			tn.ScalePart, tn.Dir, tn.Num[0] = uint8(4*r.IntN(4)), 1, uint16(1+r.IntN(65535))
		case KName:
			in.Name = "q" + strings.Repeat("x", r.IntN(int(f.Width)))
		case KMask:
			in.Mask = new([32]byte)
			for k := range in.Mask {
				in.Mask[k] = byte(r.Uint32())
			}
		default:
			lo, hi := f.bounds()
			if f.Width == 8 {
				in.Set(f.ID, int64(r.Uint64()))
			} else {
				in.Set(f.ID, lo+r.Int64N(hi-lo+1))
			}
		}
	}
	return in
}

func TestEncodeDecodeRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type form struct{ info, prev *OpInfo }
	forms := []form{{ExtDirect2d, Lookup(OpPseudoDmaDirect2d)}, {ExtCollective, Lookup(OpPseudoTriggerCollective2)}}
	for i := range Ops() {
		if op := &Ops()[i]; op.Layout != nil {
			forms = append(forms, form{op, nil})
		}
	}
	for _, fm := range forms {
		for range 20 {
			in := randomInst(r, fm.info)
			b, err := pack(&in)
			if err != nil {
				t.Fatalf("%s: %v", fm.info.Name, err)
			}
			var back Inst
			if err := parse(&back, &b, fm.prev); err != nil {
				t.Fatalf("%s: %v\n%x", fm.info.Name, err, b)
			}
			again, err := pack(&back)
			if err != nil || again != b {
				t.Fatalf("%s: re-encoding differs (%v)\n got %x\nwant %x", fm.info.Name, err, again, b)
			}
			for _, f := range fm.info.Layout.Fields {
				if got, want := back.Get(f.ID), in.Get(f.ID); got != want {
					t.Fatalf("%s.%s = %d, want %d", fm.info.Name, f.ID, got, want)
				}
				if p := in.Tensor(f.ID); p != nil && *p != *back.Tensor(f.ID) {
					t.Fatalf("%s.%s = %+v, want %+v", fm.info.Name, f.ID, *back.Tensor(f.ID), *p)
				}
			}
		}
		in := randomInst(r, fm.info)
		b, _ := pack(&in)
		mask := fm.info.Layout.DefinedMask()
		for off, m := range mask {
			for bit := byte(1); bit != 0; bit <<= 1 {
				if m&bit != 0 {
					continue
				}
				bad := b
				bad[off] |= bit
				var back Inst
				if err := parse(&back, &bad, fm.prev); diag.Code(err) != CodeReserved {
					t.Fatalf("%s: reserved bit %#x of byte %#x accepted: %v", fm.info.Name, bit, off, err)
				}
			}
		}
	}
}

// TestRules changes one thing in a worked example and names the rule that must object.
func TestRules(t *testing.T) {
	example := func(name string) (Inst, machine.Engine, machine.Gen) {
		for _, ex := range workedExamples {
			if strings.HasPrefix(ex.name, name+"/") {
				b := bundleOf(t, ex.hex)
				in, err := Decode(&b, nil, ex.eng, ex.gen)
				if err != nil {
					t.Fatal(err)
				}
				return in, ex.eng, ex.gen
			}
		}
		t.Fatalf("no example %s", name)
		return Inst{}, 0, 0
	}
	cases := []struct {
		name, base string
		edit       func(in *Inst)
		code       string
	}{
		{"start partition", "15.4", func(in *Inst) { in.Tensor(FDst).Addr = SBUFAddr(32, 0x1000) }, CodeChannels},
		{"start partition 16", "15.5", func(in *Inst) { in.Tensor(FDst).Addr = SBUFAddr(16, 0x1000) }, CodeStartPartition},
		{"channels", "15.4", func(in *Inst) { in.Set(FNumActiveChannels, 0) }, CodeChannels},
		{"alignment", "15.4", func(in *Inst) { in.Tensor(FDst).Addr = 0x1002 }, CodeAddrAlign},
		{"beyond the partition", "15.4", func(in *Inst) { in.Tensor(FDst).Addr = SBUFAddr(0, 224<<10-4) }, CodeAddrRegion},
		{"no memory", "15.4", func(in *Inst) { in.Tensor(FDst).Addr = 0x4000000 }, CodeAddrRegion},
		{"count zero", "15.4", func(in *Inst) { in.Tensor(FDst).Num[2] = 0 }, CodeCountZero},
		{"element count", "15.4", func(in *Inst) { in.Tensor(FDst).Num[0] = 63 }, CodeElementCount},
		{"both inputs in PSUM", "15.4", func(in *Inst) {
			in.Tensor(FSrc0).Addr, in.Tensor(FSrc1).Addr = PSUMAddr(0, 0, 0), PSUMAddr(0, 1, 0)
		}, CodeTTPSUM},
		{"bitvec operation", "15.4", func(in *Inst) { in.SetALU(FOp, AluBitwiseAnd) }, CodeAluOp},
		{"int band on DVE", "15.4", func(in *Inst) { in.SetALU(FOp, AluIntAdd) }, CodeAluOp},
		{"undefined operation", "15.4", func(in *Inst) { in.Set(FOp, 0x17) }, CodeAluOp},
		{"dtype", "15.4", func(in *Inst) { in.Set(FOutDtype, 0x10) }, CodeDtype},
		{"nibble", "15.4", func(in *Inst) { in.Set(FIn0Dtype, 0x10) }, CodeDtypeNibble},
		{"flags", "15.2", func(in *Inst) { in.Set(FAccFlags, 5) }, CodeAccFlags},
		{"result in SBUF", "15.2", func(in *Inst) { in.Tensor(FDst).Addr = 0x1000 }, CodeAddrSpace},
		{"value conflict", "15.2", func(in *Inst) { in.Update = Update{UpdateAdd, 5, 3} }, CodeSyncValueConflict},
		{"wait mode", "15.2", func(in *Inst) { in.Wait.Mode = 2 }, CodeWaitMode},
		{"function", "15.3", func(in *Inst) { in.Set(FFunc, 77) }, CodeActFunc},
		{"reduced count", "15.7", func(in *Inst) { in.Set(FAxis, AxisX) }, CodeElementCount},
		{"fill count", "15.8", func(in *Inst) { in.Set(FDstElementCount, 255) }, CodeElementCount},
		{"empty event", "15.9", func(in *Inst) { *in = New(OpEventSemaphore) }, CodeEventEmpty},
		{"register id", "15.10", func(in *Inst) { in.Set(FDstReg, 64) }, CodeRegID},
		{"register address", "15.15", func(in *Inst) { in.Tensor(FDst).Addr = RegAddr(64) }, CodeAddrReg},
		{"DMA counts", "15.11", func(in *Inst) { in.Set(FDstNum0, 64) }, CodeElementCount},
		{"DMA to PSUM", "15.11", func(in *Inst) { in.SetAddr8(FDst, OnChipAddr(PSUMAddr(0, 0, 0))) }, CodeAddrSpace},
		{"pattern", "15.16", func(in *Inst) { in.Set(FNum0, 11) }, CodeElementCount},
		{"field range", "15.16", func(in *Inst) { in.Set(FOffset, 1<<40) }, CodeFieldRange},
		{"pair", "15.17", func(in *Inst) { in.SetALU(FOp1, AluMax) }, CodeAC2Ops},
		{"quadrant", "15.17", func(in *Inst) { in.SetImmAddr(FImm1, SBUFAddr(32, 0)) }, CodeAC2Quadrant},
		{"scale partition", "15.12", func(in *Inst) { in.Tensor(FMoving).ScalePart = 5 }, CodeMXScale},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in, eng, gen := example(c.base)
			c.edit(&in)
			if _, err := Encode(&in, eng, gen); diag.Code(err) != c.code {
				t.Errorf("got %v, want %s", err, c.code)
			}
		})
	}
	in, _, _ := example("15.14")
	if _, err := Encode(&in, machine.DVE, machine.Gen3); diag.Code(err) != CodeIndirect {
		t.Errorf("indirect operand on generation 3: got %v, want %s", err, CodeIndirect)
	}
	if _, err := Encode(&in, machine.PE, machine.Gen4); diag.Code(err) != CodeEngine {
		t.Errorf("copy on PE: got %v, want %s", err, CodeEngine)
	}
}

func TestStreamContext(t *testing.T) {
	d2d := bundleOf(t, workedExamples[12].hex)
	ext := NewInfo(ExtDirect2d)
	ext.Set(FFlags, 0x81)
	b, err := Encode(&ext, machine.SP, machine.Gen3)
	if err != nil {
		t.Fatal(err)
	}
	insts, err := DecodeStream(append(d2d[:], b[:]...), machine.SP, machine.Gen3)
	if err != nil || insts[1].Info != ExtDirect2d || insts[1].Get(FFlags) != 0x81 {
		t.Fatalf("extension decoded as %v, %v", insts, err)
	}
	if _, err := DecodeStream(b[:], machine.SP, machine.Gen3); diag.Code(err) != CodeExtension {
		t.Errorf("lone extension: got %v, want %s", err, CodeExtension)
	}
	if _, err := DecodeStream(b[:63], machine.SP, machine.Gen3); diag.Code(err) != CodeFileSize {
		t.Errorf("short stream: got %v, want %s", err, CodeFileSize)
	}
}

func TestPack(t *testing.T) {
	cases := []struct {
		name string
		dims []Dim
		rank int
		want Tensor
		code string
	}{
		{"drop units", []Dim{{9, 1}, {64, 4}, {5, 1}, {2, 16}}, 3, Tensor{N: 3, Step: [4]int16{2, 64, 1}, Num: [4]uint16{16, 4, 1}}, ""},
		{"merge to fit", []Dim{{64, 2}, {32, 2}, {8, 4}, {1, 8}}, 3, Tensor{N: 3, Step: [4]int16{1, 32, 64}, Num: [4]uint16{32, 2, 2}}, ""},
		{"empty is one element", nil, 2, Tensor{N: 2, Step: [4]int16{1, 1}, Num: [4]uint16{1, 1}}, ""},
		{"too many", []Dim{{100, 2}, {30, 2}, {7, 2}}, 2, Tensor{}, CodeRank},
		{"stride", []Dim{{40000, 2}}, 2, Tensor{}, CodeStrideRange},
		{"count", []Dim{{1, 70000}}, 2, Tensor{}, CodeCountRange},
		{"zero", []Dim{{1, 0}}, 2, Tensor{}, CodeCountZero},
	}
	for _, c := range cases {
		got, err := Pack(0, c.dims, c.rank)
		if diag.Code(err) != c.code || err == nil && got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v, %q", c.name, got, err, c.want, c.code)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, ex := range workedExamples {
		raw, err := hex.DecodeString(strings.Join(strings.Fields(ex.hex), ""))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, byte(ex.eng), byte(ex.gen))
	}
	f.Fuzz(func(t *testing.T, code []byte, eng, gen byte) {
		insts, err := DecodeStream(code, machine.Engine(eng%8), machine.Gen(gen%6))
		if err != nil {
			if diag.Code(err) == "" {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		for i := range insts {
			Disasm(&insts[i])
			if insts[i].Raw != nil {
				continue
			}
			b, err := Encode(&insts[i], machine.Engine(eng%8), machine.Gen(gen%6))
			if err != nil || string(b[:]) != string(code[i*BundleSize:(i+1)*BundleSize]) {
				t.Fatalf("bundle %d re-encodes to %x, %v", i, b, err)
			}
		}
	})
}

func BenchmarkDecodeStream(b *testing.B) {
	var code []byte
	for range 1000 {
		for _, ex := range workedExamples[3:8] {
			raw, err := hex.DecodeString(strings.Join(strings.Fields(ex.hex), ""))
			if err != nil {
				b.Fatal(err)
			}
			code = append(code, raw...)
		}
	}
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		if _, err := DecodeStream(code, machine.DVE, machine.Gen3); err != nil {
			b.Fatal(err)
		}
	}
}
