package driver

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/alcadev/alca/internal/bir"
	"github.com/alcadev/alca/internal/bir/birjson"
	"github.com/alcadev/alca/internal/tensor"
)

// TestBIRJSONOfExamples writes the BIR of compiled examples after every backend pass, reads it back and compares
// listings: the text names every operand, attribute, address, dependency and semaphore.
func TestBIRJSONOfExamples(t *testing.T) {
	for _, name := range []string{"mlp", "decode_step", "transformer_block_bf16"} {
		e := &Env{Out: io.Discard, Err: io.Discard}
		src, err := e.ReadSource("../../examples/" + name + ".mlir")
		if err != nil {
			t.Fatal(err)
		}
		m, err := src.Parse()
		if err != nil {
			t.Fatal(err)
		}
		passes := 0
		check := func(pass string, m *bir.Module) error {
			passes++
			consts := map[string]*tensor.Tensor{}
			var a, b bytes.Buffer
			if err := birjson.Write(&a, m, birjson.WriteOptions{Constant: func(file string, c *tensor.Tensor) error {
				consts[file] = c
				return nil
			}}); err != nil {
				t.Errorf("%s after %s: %v", name, pass, err)
				return nil
			}
			n, err := birjson.Read(bytes.NewReader(a.Bytes()), birjson.ReadOptions{Constant: func(file string) (*tensor.Tensor, error) { return consts[file], nil }})
			if err != nil {
				t.Errorf("%s after %s: %v", name, pass, err)
				return nil
			}
			if err := birjson.Write(&b, n, birjson.WriteOptions{}); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s after %s: the second write differs (%v)", name, pass, err)
			}
			var x, y bytes.Buffer
			bir.Print(&x, m)
			bir.Print(&y, n)
			lx, ly := bytes.Split(x.Bytes(), []byte("\n")), bytes.Split(y.Bytes(), []byte("\n"))
			for i := range lx {
				if i >= len(ly) || !bytes.Equal(lx[i], ly[i]) {
					t.Errorf("%s after %s: listing line %d\n%s\n%s", name, pass, i+1, lx[i], ly[min(i, len(ly)-1)])
					break
				}
			}
			return nil
		}
		if _, err := compileModule(context.Background(), e, m, CompileOptions{Target: "trn2", OptLevel: 2, AutoCast: "none", SBUFBudget: 65536}, &hooks{bir: check}); err != nil {
			t.Fatal(err)
		}
		if passes < 10 {
			t.Errorf("%s: %d passes seen", name, passes)
		}
	}
}
