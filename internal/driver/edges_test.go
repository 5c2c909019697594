package driver

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo/mlir"
	"github.com/alcadev/alca/internal/tensor"
)

// edgeTensors holds every pair of the values where integer and float rules have their corners: the left operand
// varies by row, the right one by column.
func edgeTensors(t dtype.Type) map[string]*tensor.Tensor {
	var bits []uint64
	if t == dtype.F32 {
		for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, 1e-40, -1e-40, 3.4e38, -3.4e38, 127.5, -129, 65504, 16777217, math.Inf(1), math.Inf(-1), math.NaN()} {
			bits = append(bits, uint64(math.Float32bits(float32(f))))
		}
	} else {
		w := uint(t.Bits())
		for _, v := range []uint64{0, 1, 2, 3, 7, 10, 31, 32, 33, 100} {
			bits = append(bits, v, -v)
		}
		for _, v := range []uint64{1 << (w - 1), 1 << (w / 2), 1<<(w/2) + 1} {
			bits = append(bits, v, v-1, v+1, -v)
		}
	}
	n := len(bits)
	size := t.Size()
	out := map[string]*tensor.Tensor{"input0": tensor.New(t, n, n), "input1": tensor.New(t, n, n)}
	for i := range n * n {
		for k, v := range []uint64{bits[i/n], bits[i%n]} {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], v)
			copy(out[fmt.Sprintf("input%d", k)].Data[i*size:(i+1)*size], word[:size])
		}
	}
	return out
}

// TestEdges runs binary ops on pairs of extreme values. Left out are those of f32 that the device only approximates
// there (docs/status.md): quotients by subnormal numbers, powers, remainders of large quotients.
func TestEdges(t *testing.T) {
	ints := []string{"add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum", "and", "or", "xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"}
	floats := []string{"add", "subtract", "multiply", "maximum", "minimum", "atan2"}
	seed := uint64(1)
	for _, ty := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.F32} {
		ops := ints
		if ty == dtype.F32 {
			ops = floats
		}
		inputs := edgeTensors(ty)
		n := inputs["input0"].Shape[0]
		for _, op := range ops {
			kind := fmt.Sprintf("tensor<%dx%dx%s>", n, n, ty)
			text := fmt.Sprintf("func.func @main(%%a: %[1]s, %%b: %[1]s) -> %[1]s {\n  %%0 = stablehlo.%[2]s %%a, %%b : %[1]s\n  return %%0 : %[1]s\n}\n", kind, op)
			m, err := mlir.Parse([]byte(text), op)
			if err != nil {
				t.Fatal(err)
			}
			seed++
			if err := compareNEFFOn(inputs, seed, []byte(text), m); err != nil {
				t.Errorf("%s of %s: %v", op, ty, err)
			}
		}
	}
}
