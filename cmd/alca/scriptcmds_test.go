package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/tensor"
)

// cmdExit runs a command and checks its exit code: exit 1 alca opt bad.mlir. Output is left for stdout and
// stderr in files of that name.
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	if err != nil {
		path = args[1]
	}
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("WORK"))
	var out, errb bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errb
	err = cmd.Run()
	got := 0
	if ee, ok := err.(*exec.ExitError); ok {
		got = ee.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("stdout"), out.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("stderr"), errb.Bytes(), 0o666))
	ts.Logf("[stdout]\n%s[stderr]\n%s", out.String(), errb.String())
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdNPZ writes an archive of constant tensors: npz FILE NAME=TYPE[:DIM,DIM...]=VALUE...
func cmdNPZ(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: npz FILE NAME=TYPE:DIMS=VALUE...")
	}
	var ts2 []tensor.Named
	for _, a := range args[1:] {
		part := strings.SplitN(a, "=", 3)
		typ, dims, _ := strings.Cut(part[1], ":")
		dt, ok := dtype.Parse(typ)
		if !ok || len(part) != 3 {
			ts.Fatalf("bad tensor %q", a)
		}
		var shape []int
		for _, d := range strings.FieldsFunc(dims, func(r rune) bool { return r == ',' }) {
			n, err := strconv.Atoi(d)
			ts.Check(err)
			shape = append(shape, n)
		}
		v, err := strconv.ParseFloat(part[2], 64)
		ts.Check(err)
		t := tensor.New(dt, shape...)
		bits := uint64(int64(v))
		if dt.IsFloat() {
			bits = dt.FloatBits(v)
		}
		for i := range t.Data {
			t.Data[i] = byte(bits >> (8 * (i % dt.Size())))
		}
		ts2 = append(ts2, tensor.Named{Name: part[0], Tensor: t})
	}
	var b bytes.Buffer
	ts.Check(tensor.WriteNPZ(&b, ts2))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// cmdDamage copies a file changed: damage IN OUT cut=N (keep N bytes) or flip=N (invert byte N).
func cmdDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: damage IN OUT cut=N|flip=N")
	}
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	how, n, _ := strings.Cut(args[2], "=")
	k, err := strconv.Atoi(n)
	ts.Check(err)
	switch how {
	case "cut":
		b = b[:min(k, len(b))]
	case "flip":
		b[k%len(b)] ^= 0xff
	default:
		ts.Fatalf("cannot %s", how)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}
