package birjson

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/machine"
	"github.com/alcadev/alca/internal/pelican"
	"github.com/alcadev/alca/internal/tensor"
)

// sample uses every instruction payload in use, registers, loops, a do-while, branches, queues and constants.
func sample() *bir.Module {
	f := &bir.Func{Name: "main"}
	m := &bir.Module{Name: "toy", Gen: machine.Gen3, Funcs: []*bir.Func{f}, Attrs: []bir.ModuleAttr{{Name: "neff_has_functions", Value: true}, {Name: "neuron_core_id", Value: int64(1 << 60)}}}
	x := f.NewSet("x", bir.DRAM, bir.ExternalInput, dtype.BF16, 128, 512)
	x.Set.IOName = "arg0"
	w := f.NewSet("w", bir.DRAM, bir.Const, dtype.F32, 4)
	w.Set.Init = tensor.New(dtype.F32, 4)
	y := f.NewSet("y", bir.DRAM, bir.ExternalOutput, dtype.BF16, 128, 512)
	y.Alias = x
	s := f.NewSet("s", bir.SB, bir.Internal, dtype.F32, 128, 512)
	s.Allocated, s.Addr = true, 4096
	t := f.NewSet("t", bir.SB, bir.Internal, dtype.F32, 128, 4, 128)
	p := f.NewSet("p", bir.PSUM, bir.Internal, dtype.F32, 128, 512)
	p.Allocated, p.Bank, p.Addr, p.Pinned = true, 2, 1024, true
	r0, r1 := f.NewReg("r0", machine.AllEngines, dtype.I32), f.NewReg("r1", machine.Pool, dtype.I32)
	r1.Num = 7

	pat := func(l *bir.MemLoc, part, np int, off int64, free ...bir.Dim) bir.Arg {
		return bir.AP(&bir.AccessPattern{Loc: l, DType: l.Set.DType, Part: part, NPart: np, Offset: off, Free: free})
	}
	b1, b2, b3 := &bir.Block{Name: "Block1"}, &bir.Block{Name: "loop"}, &bir.Block{Name: "exit", NoReorder: true}
	f.Blocks = []*bir.Block{b1, b2, b3}
	cur := b1
	add := func(op bir.Opcode, e machine.Engine, a bir.Attrs, outs []bir.Arg, ins ...bir.Arg) *bir.Instr {
		in := f.NewInstr(op, e)
		in.Attrs, in.Outs, in.Ins = a, outs, ins
		cur.Instrs = append(cur.Instrs, in)
		return in
	}
	row := bir.Dim{Step: 1, Count: 512}
	q := &bir.Queue{Name: "qDataSP0_16", Type: bir.QueueData, Engine: machine.SP, Rings: 16, Sems: []int{20, 21}}
	m.Queues = []*bir.Queue{q}
	load := add(bir.Load, machine.DMA, &bir.DMAAttrs{Queue: q, DGE: bir.DGEUnassigned}, []bir.Arg{pat(s, 0, 128, 0, row)}, bir.AP(bir.Whole(x)))
	load.Name = "load_x"
	load.Debug = &bir.DebugInfo{Op: "stablehlo.add", Name: "layer/add", Loc: diag.Loc{File: "m.mlir", Line: 3, Col: 7}}
	mm := add(bir.Matmult, machine.PE, &bir.MatmultAttrs{AccFlags: 3, TileSize: [2]int{-1, -1}, TilePosition: [2]int{-1, -1}, IsTranspose: true}, []bir.Arg{pat(p, 0, 128, 0, row)}, pat(s, 0, 128, 0, row), pat(s, 64, 64, 3, bir.Dim{Step: -2, Count: 2}, bir.Dim{Step: 1, Count: 1}))
	mm.Deps = []bir.Dep{{On: load, Kind: bir.Flow}}
	mm.Sync = &bir.SyncInfo{Waits: []bir.Wait{{Mode: bir.WaitSemGE, ID: 20, Value: 16}, {Mode: bir.WaitSemGEReg, ID: 3, Reg: r0}, {Mode: bir.WaitEvent, ID: 9}}, Updates: []bir.Update{{Mode: bir.UpdSemInc, ID: 5, Value: 1}, {Mode: bir.UpdEventSet, ID: 8, Value: 1}}}
	mm.Start, mm.End = 10, 99
	all := []bir.Arg{pat(s, 0, 128, 0, row)}
	in := pat(p, 0, 128, 0, row)
	for _, a := range []struct {
		op bir.Opcode
		e  machine.Engine
		a  bir.Attrs
	}{
		{bir.Activation, machine.ACT, &bir.ActivationAttrs{Func: bir.ActGelu, Scale: 0.1, Alpha: float32(math.Copysign(0, -1)), Acc: bir.AccZeroAccumulate, ReduceOp: bir.AluAdd}},
		{bir.TensorReduce, machine.DVE, &bir.TensorReduceAttrs{Op: bir.AluMax, Axis: bir.AxisXY, Negate: true}},
		{bir.Pool, machine.DVE, &bir.PoolAttrs{Func: bir.PoolAvg}},
		{bir.TensorScalar, machine.DVE, &bir.TensorScalarAttrs{Op0: bir.AluAdd, Const0: float32(math.Inf(1)), Const1: float32(math.NaN()), Reverse1: true}},
		{bir.TensorScalarPtr, machine.DVE, &bir.TensorScalarPtrAttrs{Op0: bir.AluMult, Op1: bir.AluAdd, ScalarTensorTensor: true, Acc: bir.AccLoadAccumulate}},
		{bir.TensorScalarCache, machine.DVE, &bir.TensorScalarCacheAttrs{Op0: bir.AluMult, Mode: bir.TSCTensorScan}},
		{bir.TensorTensor, machine.Pool, &bir.TensorTensorAttrs{Op: bir.AluPow}},
		{bir.TensorCopy, machine.DVE, &bir.CopyAttrs{ReadUninit: true}},
		{bir.CopyPredicated, machine.DVE, &bir.CopyPredicatedAttrs{ReversePred: true}},
		{bir.Memset, machine.DVE, &bir.MemsetAttrs{Constant: 0xFFFFFFFF}},
		{bir.Iota, machine.Pool, &bir.IotaAttrs{Base: -3, Pattern: []bir.Dim{{Step: 2, Count: 512}}, ChannelMultiplier: 5}},
		{bir.TensorScalarAffineSelect, machine.Pool, &bir.AffineSelectAttrs{Pattern: []bir.Dim{{Step: 1, Count: 512}}, Compare: bir.AluIsGE, Fill: -1e30}},
		{bir.RangeSelect, machine.DVE, &bir.RangeSelectAttrs{Base: 4, Compare0: bir.AluIsGE, Compare1: bir.AluIsLT, ReduceOp: bir.AluMax}},
		{bir.StreamShuffle, machine.DVE, &bir.StreamShuffleAttrs{Mask: [32]uint8{1, 0, 255}}},
		{bir.LoadActFuncSet, machine.ACT, &bir.LoadActFuncSetAttrs{Set: 2}},
		{bir.GroupResetSemaphores, machine.SP, &bir.ResetSemaphoresAttrs{IDs: []int{4, 5}}},
		{bir.Drain, machine.SP, &bir.DrainAttrs{ResetSemaphores: true}},
		{bir.SwitchQueueInstance, machine.SP, &bir.QueueInstanceAttrs{Queue: q, NoRearm: true}},
		{bir.DMACopy, machine.DMA, &bir.DMAAttrs{Mode: bir.CopyTranspose, DGE: bir.DGEHWDGE, Op: bir.AluAdd, OOBSkip: true}},
	} {
		add(a.op, a.e, a.a, all, in, bir.ImmF(1.5), bir.ImmI(-7))
	}
	list := add(bir.Reciprocal, machine.DVE, nil, all, in)
	list.Ins = append(list.Ins, bir.Arg{Kind: bir.ArgImmList, List: []bir.Imm{{Type: dtype.F32, F: 0.5}, {Type: dtype.F32, F: 2}}})
	dyn := add(bir.DMACopy, machine.DMA, &bir.DMAAttrs{DGE: bir.DGESWDGE}, all, bir.AP(&bir.AccessPattern{Loc: x, DType: dtype.BF16, Offset: 5, Reg: r1, Free: []bir.Dim{{Step: 512, Count: 128}, {Step: 1, Count: 512}}}))
	dyn.Indirect = []bir.Arg{pat(s, 0, 128, 0, bir.Dim{Step: 1, Count: 1})}
	add(bir.RegisterMove, machine.AllEngines, nil, []bir.Arg{bir.RegArg(r0)}, bir.ImmI(4))
	add(bir.RegisterAlu, machine.AllEngines, &bir.RegisterAluAttrs{Op: bir.AluSubtract, Wide: true}, []bir.Arg{bir.RegArg(r0)}, bir.RegArg(r0), bir.ImmI(1))
	add(bir.CompareAndBranch, machine.AllEngines, &bir.BranchAttrs{Compare: bir.CmpISEQIMM, True: b3, False: b2}, nil, bir.RegArg(r0), bir.ImmI(0))

	cur = b2
	i := pelican.NewVar("i", 0, 4, 1)
	loop := add(bir.Loop, machine.AllEngines, &bir.LoopAttrs{Axis: "i", Var: i, Upper: 4, Stride: 1, Parallel: true}, nil)
	body := &bir.Block{Name: "block0"}
	loop.Body = []*bir.Block{body}
	cur = body
	cp := add(bir.TensorCopy, machine.DVE, &bir.CopyAttrs{}, []bir.Arg{bir.AP(&bir.AccessPattern{Loc: t, DType: dtype.F32, Part: 64, NPart: 64, Expr: pelican.Mul(pelican.Mod(pelican.AddConst(i, 1), 3), 128), Offset: 2, Free: []bir.Dim{{Step: 1, Count: 8}}})},
		bir.AP(&bir.AccessPattern{Loc: s, DType: dtype.F32, Part: 0, NPart: 64, Expr: pelican.Add(pelican.FloorDiv(i, 2), pelican.Mul(i, 128)), Free: []bir.Dim{{Step: 1, Count: 8}}}))
	cp.Preds = []bir.Pred{{E: pelican.AddConst(pelican.Mul(i, -1), 2), Ge: true}}
	save := add(bir.Save, machine.DMA, &bir.DMAAttrs{Queue: q}, []bir.Arg{bir.AP(&bir.AccessPattern{Loc: y, DType: dtype.BF16, Expr: pelican.Mul(i, 128), Free: []bir.Dim{{Step: 512, Count: 64}, {Step: 1, Count: 8}}})}, pat(t, 0, 64, 0, bir.Dim{Step: 1, Count: 8}))
	cp.Carried = []bir.Dep{{On: save, Kind: bir.Anti}}
	cur = b3
	j := pelican.NewVar("j", 0, math.MaxInt32, 1)
	dl := add(bir.DynamicForLoop, machine.AllEngines, &bir.DynamicLoopAttrs{Axis: "j", Var: j, Stride: 1, UpperConst: 1, UpperCoef: 2, UpperReg: r0}, nil)
	dl.Body = []*bir.Block{{Name: "block0", Instrs: []*bir.Instr{f.NewInstr(bir.NoOp, machine.DVE)}}}
	dw := add(bir.DoWhile, machine.AllEngines, &bir.DoWhileAttrs{Cond: r0}, nil)
	dw.Body = []*bir.Block{{Name: "block0", Instrs: []*bir.Instr{f.NewInstr(bir.NoOp, machine.DVE)}}}
	blk := f.NewInstr(bir.DMABlock, machine.DMA)
	blk.Name = "dma0"
	blk.Attrs = &bir.DMABlockAttrs{ID: 3, SectionStart: true}
	desc := f.NewInstr(bir.DMADescriptorCopy, machine.DMA)
	desc.Attrs, desc.Ins, desc.Outs = &bir.DMADescriptorAttrs{TilingDims: 2}, []bir.Arg{bir.AP(bir.Whole(x))}, all
	blk.Body = []*bir.Block{{Name: "block0", Instrs: []*bir.Instr{desc}}}
	q.Blocks = []*bir.Block{{Name: "inst0", Instrs: []*bir.Instr{blk}}}
	add(bir.DMATrigger, machine.SP, &bir.DMATriggerAttrs{Queue: q, Blocks: []*bir.Instr{blk}}, nil)
	add(bir.UnconditionalBranch, machine.AllEngines, &bir.BranchAttrs{True: b3}, nil)
	return m
}

func write(t *testing.T, m *bir.Module) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m, WriteOptions{Constant: func(file string, _ *tensor.Tensor) error {
		if file != "w.npy" {
			return fmt.Errorf("unexpected constant %s", file)
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	m := sample()
	text := write(t, m)
	n, err := Read(strings.NewReader(text), ReadOptions{Constant: func(string) (*tensor.Tensor, error) { return tensor.New(dtype.F32, 4), nil }})
	if err != nil {
		t.Fatal(err)
	}
	if again := write(t, n); again != text {
		a, b := strings.Split(text, "\n"), strings.Split(again, "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf("second write differs at line %d: %q, then %q", i+1, strings.Join(a[max(0, i-3):i+2], "|"), b[min(i, len(b)-1)])
			}
		}
	}
	// The listings show what JSON might lose silently.
	var a, b strings.Builder
	bir.Print(&a, m)
	bir.Print(&b, n)
	// Queue instructions are numbered after those of main.
	if x, y := a.String(), b.String(); x != y {
		la, lb := strings.Split(x, "\n"), strings.Split(y, "\n")
		for i := range la {
			if i >= len(lb) || la[i] != lb[i] {
				t.Fatalf("listing line %d:\n%s\n%s", i+1, la[i], lb[min(i, len(lb)-1)])
			}
		}
	}
}

func TestFloats(t *testing.T) {
	for f, want := range map[float32]string{0.1: "0.1", float32(math.Copysign(0, -1)): "-0.0", float32(math.Inf(1)): `"Infinity"`, 3: "3.0", 1e30: "1e+30"} {
		if got := sfloat(f).text(); got != want {
			t.Errorf("%g is written %s, want %s", f, got, want)
		}
	}
	if got := sfloat(math.Float32frombits(0x7fc00001)).text(); got != `"0x7fc00001"` {
		t.Errorf("NaN payload is written %s", got)
	}
}

const minimal = `{"version":2,"arch":"gen3","name":"m","functions":[{"name":"main","allocations":[
 {"name":"x","storage":"memset","kind":"Internal","dtype":"float32","tensor_shape":[128,512],"memorylocations":[{"name":"x","type":16,"dims":[128,512],"bank":-1}]},
 {"name":"r","storage":"register"}],
 "blocks":[{"name":"b","instructions":[
  {"name":"a","opcode":"Reciprocal","engine":"DVE","ins":[{"kind":"physical_ap","dtype":"float32","ap":[[512,64],[1,128]],"offset":33024,"memref":"x","memsetref":"x"}],
   "outs":[{"kind":"physical_ap","dtype":"float32","ap":[[512,64],[1,128]],"offset":0,"memref":"x","memsetref":"x"},{"kind":"imm_value","dtype":"int32","value":3}]},
  {"name":"c","opcode":"NoOp","engine":"SP","dependencies":["a",["a",2]]}]}]}]}`

func TestMinimal(t *testing.T) {
	m, err := Read(strings.NewReader(minimal), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in := m.Funcs[0].Blocks[0].Instrs
	p := in[0].Ins[0].AP
	if p.Part != 64 || p.NPart != 64 || p.Offset != 256 || len(p.Free) != 1 {
		t.Errorf("pattern is %s", p)
	}
	if len(in[0].Ins) != 2 || in[0].Ins[1].Imm.I != 3 || len(in[0].Outs) != 1 {
		t.Errorf("the constant among the outputs was not moved: %s", in[0])
	}
	if d := in[1].Deps; len(d) != 2 || d[0].Kind != bir.Flow || d[1].Kind != bir.Anti || d[0].On != in[0] {
		t.Errorf("dependencies %v", d)
	}
	if m.Funcs[0].Sets[0].Locs[0].Bank != -1 {
		t.Error("bank -1 is not kept")
	}
	v1 := strings.Replace(minimal, `"version":2`, `"version":1`, 1)
	v1 = strings.Replace(v1, `{"name":"c","opcode":"NoOp","engine":"SP",`, `{"name":"c","opcode":"NoOp","engine":"SP","predicates":[{"expr":{"terms":[],"c":7,"op":"Mod","op_param":4},"ge":true}],`, 1)
	if m, err = Read(strings.NewReader(v1), ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if e := m.Funcs[0].Blocks[0].Instrs[1].Preds[0].E; e != pelican.Const(3) {
		t.Errorf("version 1 expression is %s", e)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ code, old, new, text string }{
		{CodeSyntax, minimal, `{`, "not BIR-JSON"},
		{CodeSyntax, minimal, "", "not BIR-JSON"},
		{CodeSyntax, `"name":"m"`, `"name":"m","name":"n"`, `duplicate key "name"`},
		{CodeSyntax, minimal, minimal + "{}", "data after the module"},
		{CodeSyntax, minimal, strings.Repeat("[", 5000), "nested too deeply"},
		{CodeMissing, `"version":2,`, ``, "missing key version"},
		{CodeVersion, `"version":2`, `"version":3`, "unsupported version 3"},
		{machine.CodeTarget, `"arch":"gen3"`, `"arch":"gen9"`, "unknown architecture"},
		{CodeType, `"type":16`, `"type":"SB"`, "want an integer"},
		{CodeType, `"type":16`, `"type":24`, "memory type 24"},
		{CodeType, `"dims":[128,512]`, `"dims":[1.5]`, "no integer"},
		{CodeDType, `"dtype":"float32","tensor_shape"`, `"dtype":"float65","tensor_shape"`, `unsupported dtype "float65"`},
		{CodeOpcode, `"opcode":"Reciprocal"`, `"opcode":"Nope"`, `functions[main]/b/a: unknown or abstract opcode "Nope"`},
		{CodeOpcode, `"opcode":"Reciprocal"`, `"opcode":"DMA"`, "abstract"},
		{CodeReference, `"memref":"x","memsetref":"x"}],`, `"memref":"zz","memsetref":"x"}],`, `functions[main]/b/a.ins[0].memref: location "zz"`},
		{CodeReference, `["a",2]`, `["q",2]`, `unknown dependency "q"`},
		{CodeType, `["a",2]`, `["a","Floe"]`, `unknown EdgeKind "Floe"`},
		{CodeReference, `"name":"c"`, `"name":"a"`, "used twice"},
		{CodeForm, `"kind":"imm_value"`, `"kind":"register_set"`, "unsupported argument kind"},
		{CodeType, `"engine":"SP"`, `"engine":"XX"`, `unknown EngineType "XX"`},
	} {
		text := strings.Replace(minimal, c.old, c.new, 1)
		_, err := Read(strings.NewReader(text), ReadOptions{})
		if diag.Code(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: want %s %q, got %v", c.new[:min(len(c.new), 60)], c.code, c.text, err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	m := sample()
	m.Funcs[0].Sets[0].DType = dtype.F64
	if err := Write(&bytes.Buffer{}, m, WriteOptions{}); diag.Code(err) != CodeDType {
		t.Errorf("f64: %v", err)
	}
	want := errors.New("disk full")
	if err := Write(&bytes.Buffer{}, sample(), WriteOptions{Constant: func(string, *tensor.Tensor) error { return want }}); err != want {
		t.Errorf("constant: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, sample(), WriteOptions{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(minimal))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(bytes.NewReader(data), ReadOptions{})
		if err != nil {
			return
		}
		bir.Verify(m)
		var a bytes.Buffer
		if Write(&a, m, WriteOptions{}) != nil {
			return
		}
		n, err := Read(bytes.NewReader(a.Bytes()), ReadOptions{})
		if err != nil {
			t.Fatalf("cannot read back: %v", err)
		}
		var c bytes.Buffer
		if err := Write(&c, n, WriteOptions{}); err != nil || !bytes.Equal(a.Bytes(), c.Bytes()) {
			t.Fatalf("second write differs (%v)", err)
		}
	})
}
