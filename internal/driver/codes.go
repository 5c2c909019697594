package driver

import "github.com/alcadev/alca/internal/diag"

//go:generate go run ../../tools/gencodes ../.. zz_codes.go

var _ = diag.Explain(
	diag.Info{Code: "DRV000", Title: "internal error", Text: "alca failed in a way it should not. The reproduction bundle named in the message holds the input, the command line and the version."},
	diag.Info{Code: "DRV001", Title: "file not found"},
	diag.Info{Code: "DRV002", Title: "file cannot be read or written"},
	diag.Info{Code: "DRV003", Title: "a folder stands where a file is expected"},
	diag.Info{Code: "DRV004", Title: "file too large"},
	diag.Info{Code: "DRV005", Title: "no entry function", Text: "The module has neither a function @main nor exactly one public function."},
	diag.Info{Code: "DRV010", Title: "argument or result without a static tensor type", Text: "A program that is compiled or run takes and returns tensors of static shape."},
	diag.Info{Code: "DRV011", Title: "argument or result too large"},
	diag.Info{Code: "DRV012", Title: "malformed .npz", Text: "The archive, one of its headers, or one of its type files is malformed. Sizes are checked before memory is allocated."},
	diag.Info{Code: "DRV013", Title: "tensors do not match the program", Text: "The members of an .npz archive must be named like the arguments (or results) of the program: the name of the argument's location, else input<i> and output<i>."},
	diag.Info{Code: "DRV014", Title: "shape of a tensor differs from the program's"},
	diag.Info{Code: "DRV015", Title: "element type of a tensor differs from the program's"},
	diag.Info{Code: "DRV016", Title: "outputs differ from the golden ones", Text: "The device's results are compared by scale: max|a-b| / max|golden| per output. The tolerance follows from the element type; --tol overrides it."},
	diag.Info{Code: "DRV017", Title: "a stage diverges", Text: "--verify-each runs the program at every level. The stage or pass that is named is the first whose results differ from those of the module as read."},
	diag.Info{Code: "DRV018", Title: "element type the device does not compute with", Text: "The machine has no f64 and no complex numbers. Convert the model to f32, bf16 or f16."},
	diag.Info{Code: "DRV019", Title: "tensor larger than the device memory"},
	diag.Info{Code: "DRV020", Title: "unknown target", Text: "Targets are trn1, trn2 and trn3."},
	diag.Info{Code: "DRV025", Title: "unknown pass"},
	diag.Info{Code: "DRV026", Title: "pass cannot be disabled"},
	diag.Info{Code: "DRV022", Title: "unknown diagnostic code"},
	diag.Info{Code: "DRV023", Title: "NEFF is for another target"},
	diag.Info{Code: "DRV027", Title: "nothing to run", Text: "--stop-after ends the compilation before there is a program to execute."},
	diag.Info{Code: "DRV028", Title: "program the conformance runner cannot judge", Text: "The program states no expectation, or in a place the runner does not look at.", Unsupported: true},
	diag.Info{Code: "DRV029", Title: "refined and original program differ", Text: "A program without expectations passes when shape refinement changes nothing about its results."},
	diag.Info{Code: "DRV030", Title: "several modules in one file", Text: "The parts of a file split at lines of \"// -----\" are modules of their own; `alca opt` takes them all, other commands one."},
	diag.Info{Code: "DRV031", Title: "unknown form of output"},
	diag.Info{Code: "DRV032", Title: "unsupported snapshot format"},
	diag.Info{Code: "DRV024", Title: "time limit exceeded"},
)
