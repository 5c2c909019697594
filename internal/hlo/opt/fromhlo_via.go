package opt

import "github.com/alcadev/alca/internal/hlo"

// hloVia are the ops that the rules in hloRules make. "" is an op that conversion takes apart or leaves out.
var hloVia = map[string]string{
	"tuple": "", "get-tuple-element": "", "copy": "", "add-dependency": "", "domain": "", "copy-start": "", "copy-done": "",
	"call": "func.call", "fusion": "func.call", "async-start": "func.call", "async-update": "func.call", "async-done": "func.call",
	"while": "stablehlo.while", "conditional": "stablehlo.case", "constant": "stablehlo.constant", "bitcast": "stablehlo.reshape",
	"scatter": "stablehlo.scatter", "rng": "stablehlo.rng", "topk": "chlo.top_k", "all-to-all": "stablehlo.all_to_all",
	"dynamic-reshape":  "stablehlo.dynamic_reshape",
	"all-reduce-start": "stablehlo.all_reduce", "all-reduce-done": "stablehlo.all_reduce",
	"all-gather-start": "stablehlo.all_gather", "all-gather-done": "stablehlo.all_gather",
	"collective-permute-start": "stablehlo.collective_permute", "collective-permute-done": "stablehlo.collective_permute",
	"send": "stablehlo.send", "send-done": "stablehlo.send", "recv": "stablehlo.recv", "recv-done": "stablehlo.recv",
	"infeed": "stablehlo.infeed", "outfeed": "stablehlo.outfeed",
}

// ViaStableHLO returns the op that an op of the HLO form becomes before anything else happens to it, "" if
// conversion takes it apart. ok is false if it has no StableHLO form, or d is not of the HLO form.
func ViaStableHLO(d *hlo.OpDef) (name string, ok bool) {
	if d.HLO == nil {
		return "", false
	}
	if hloRules[d.HLO.Opcode] != nil {
		name, ok = hloVia[d.HLO.Opcode]
		return name, ok
	}
	return d.HLO.Stable, d.HLO.Stable != ""
}
