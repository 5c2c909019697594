package mlir

import "github.com/alcadev/alca/internal/diag"

var _ = diag.Explain(
	diag.Info{Code: "HLO000", Title: "the reader failed", Text: "A bug in alca: the text led the parser into a state it does not expect."},
	diag.Info{Code: "HLO001", Title: "syntax error", Text: "The text does not follow the grammar of MLIR at this place. A frequent cause is a file that was cut off."},
	diag.Info{Code: "HLO002", Title: "malformed token", Text: "A character begins no token, or a string is not closed."},
	diag.Info{Code: "HLO003", Title: "no module", Text: "The input is empty, binary, or holds neither a module nor a function. alca reads StableHLO as MLIR text or portable bytecode, and HLO as text or protobuf."},
	diag.Info{Code: "HLO004", Title: "input exceeds a limit", Text: "Nesting, rank, constant or file size is beyond what alca accepts from a file."},
	diag.Info{Code: "HLO005", Title: "unknown op", Text: "The op is in none of the dialects alca reads: builtin, func, stablehlo, chlo, check, interpreter; nor is it an opcode of HLO text. `alca ops` lists what it knows."},
	diag.Info{Code: "HLO006", Title: "undefined value", Text: "A value is used before, or outside of the region of, its definition."},
	diag.Info{Code: "HLO007", Title: "defined twice", Text: "A value, function or attribute name is given more than once."},
	diag.Info{Code: "HLO008", Title: "malformed type"},
	diag.Info{Code: "HLO009", Title: "malformed attribute or literal"},
	diag.Info{Code: "HLO010", Title: "constant does not fit its type", Text: "The number of elements or bytes of dense<...> differs from its tensor type."},
	diag.Info{Code: "HLO011", Title: "stated operand type differs", Text: "The type written at the use of a value is not the one it was defined with."},
	diag.Info{Code: "HLO012", Title: "number of operand types differs", Text: "The type list of an op does not match its operands."},
	diag.Info{Code: "HLO013", Title: "number of results differs", Text: "The names on the left of '=' do not match the results of the op."},
	diag.Info{Code: "HLO014", Title: "undefined alias", Text: "An attribute or type alias (#name, !name) is used but not defined above."},
	diag.Info{Code: "HLO015", Title: "bytecode where text is expected"},
	diag.Info{Code: "HLO017", Title: "number out of range"},
	diag.Info{Code: "HLO018", Title: "missing resource", Text: "dense_resource<key> names a blob that the dialect_resources section of the file does not hold."},
	diag.Info{Code: "HLO019", Title: "control flow between blocks", Text: "StableHLO regions have one block; branches are not part of it."},
)
