package driver

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/hlo"
	"github.com/alcadev/alca/internal/neff"
	"github.com/alcadev/alca/internal/tensor"
)

// Port is an argument or result of a program.
type Port struct {
	Name  string
	Type  dtype.Type
	Shape []int
}

// String is "x: tensor<2x3xf32>".
func (p Port) String() string {
	dims := ""
	for _, d := range p.Shape {
		dims += fmt.Sprintf("%dx", d)
	}
	return fmt.Sprintf("%s: tensor<%s%s>", p.Name, dims, p.Type)
}

func (p Port) elements() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// FuncPorts returns the signature of f. Arguments without a value (tokens) and dynamic shapes have none.
func FuncPorts(f *hlo.Func) (ins, outs []Port, err error) {
	port := func(name string, t hlo.Type, loc diag.Loc) (Port, error) {
		tt, ok := t.(*hlo.TensorType)
		if !ok {
			return Port{}, diag.Errorf("DRV010", loc, "%s has type %s; a program that is run takes and returns tensors", name, hlo.TypeString(t))
		}
		if !tt.Static() {
			return Port{}, diag.Errorf("DRV010", loc, "%s has dynamic type %s; shapes must be static to run the program", name, hlo.TypeString(t))
		}
		p := Port{Name: name, Type: tt.Elem, Shape: make([]int, len(tt.Dims))}
		n := int64(max(tt.Elem.Size(), 1))
		for i, d := range tt.Dims {
			if d != 0 && n > math.MaxInt64/4/d {
				return Port{}, diag.Errorf("DRV011", loc, "%s of type %s is too large for any machine", name, hlo.TypeString(t))
			}
			n *= d
			p.Shape[i] = int(d)
		}
		return p, nil
	}
	names := f.InputNames()
	for i, v := range f.Params {
		p, err := port(names[i], v.Type, v.Loc)
		if err != nil {
			return nil, nil, err
		}
		ins = append(ins, p)
	}
	names = f.OutputNames()
	for i, t := range f.Results {
		p, err := port(names[i], t, f.Loc)
		if err != nil {
			return nil, nil, err
		}
		outs = append(outs, p)
	}
	return ins, outs, nil
}

// FilePorts returns the signature stored in a NEFF.
func FilePorts(f *neff.File) (ins, outs []Port) {
	conv := func(ios []neff.IO) []Port {
		ps := make([]Port, len(ios))
		for i, x := range ios {
			ps[i] = Port{Name: x.Name, Type: x.DType, Shape: make([]int, len(x.Shape))}
			for j, d := range x.Shape {
				ps[i].Shape[j] = int(d)
			}
		}
		return ps
	}
	return conv(f.Inputs), conv(f.Outputs)
}

func signature(ports []Port) string {
	lines := make([]string, len(ports))
	for i, p := range ports {
		lines[i] = "    " + p.String()
	}
	return strings.Join(lines, "\n")
}

// LoadTensors reads the tensors of an .npz archive for the given ports; the names must be the same set. kind
// is "inputs" or "expected outputs", for messages.
func LoadTensors(path string, ports []Port, kind string) (map[string]*tensor.Tensor, error) {
	loc := diag.Loc{File: path}
	if err := regularFile(path); err != nil {
		return nil, err
	}
	arrays, err := tensor.ReadNPZFile(path)
	if err != nil {
		d := diag.Errorf("DRV012", loc, "cannot read %s: %w", kind, err)
		if filepath.Ext(path) == ".npy" && len(ports) > 0 {
			d = d.WithHint("%s are an .npz archive: numpy.savez(\"in.npz\", **{%q: array})", kind, ports[0].Name)
		}
		return nil, d
	}
	have := map[string]tensor.NamedArray{}
	for _, a := range arrays {
		if _, dup := have[a.Name]; dup {
			return nil, diag.Errorf("DRV012", loc, "member %s is there twice", a.Name)
		}
		have[a.Name] = a
	}
	var missing, extra []string
	for _, p := range ports {
		if _, ok := have[p.Name]; !ok {
			missing = append(missing, p.Name)
		}
	}
	want := map[string]bool{}
	for _, p := range ports {
		want[p.Name] = true
	}
	for _, a := range arrays {
		if !want[a.Name] {
			extra = append(extra, a.Name)
		}
	}
	if len(missing)+len(extra) > 0 {
		sort.Strings(extra)
		msg := fmt.Sprintf("%s do not match the program (%d in the archive, %d expected)", kind, len(arrays), len(ports))
		if len(missing) > 0 {
			msg += "; missing: " + strings.Join(missing, ", ")
		}
		if len(extra) > 0 {
			msg += "; unknown: " + strings.Join(extra, ", ")
		}
		return nil, diag.Errorf("DRV013", loc, "%s", msg).WithNote(diag.Loc{}, "the program's signature is\n%s", signature(ports))
	}
	out := map[string]*tensor.Tensor{}
	for _, p := range ports {
		a := have[p.Name]
		if err := checkPort(p, a.Array, loc, ports); err != nil {
			return nil, err
		}
		out[p.Name] = a.Tensor
	}
	return out, nil
}

func checkPort(p Port, a *tensor.Array, loc diag.Loc, ports []Port) error {
	got := Port{Name: p.Name, Type: a.Tensor.Type, Shape: a.Tensor.Shape}
	same := len(got.Shape) == len(p.Shape)
	for i := 0; same && i < len(p.Shape); i++ {
		same = got.Shape[i] == p.Shape[i]
	}
	if !same {
		return diag.Errorf("DRV014", loc, "%s has shape %v, the program takes %v", p.Name, got.Shape, p.Shape).
			WithNote(diag.Loc{}, "the program's signature is\n%s", signature(ports))
	}
	if !a.As(p.Type) {
		what := a.Tensor.Type.String()
		if a.Void > 0 {
			what = fmt.Sprintf("raw items of %d bytes", a.Void)
		}
		d := diag.Errorf("DRV015", loc, "%s has elements of type %s, the program takes %s", p.Name, what, p.Type).
			WithNote(diag.Loc{}, "the program's signature is\n%s", signature(ports))
		if p.Type == dtype.BF16 {
			d.WithHint("numpy has no bf16: store the 16-bit patterns as items of two bytes, a.view('V2'); `alca run --help` says more")
		}
		return d
	}
	return nil
}

// RandomInputs makes values for ports that keep deep programs finite: they depend on names, shapes and seed
// only. fanIn, which may be nil, gives for weights of contractions the number of terms of a sum.
func RandomInputs(ports []Port, fanIn map[string]int, seed int64) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, p := range ports {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %v %d", p.Name, p.Shape, seed)
		r := rand.New(rand.NewPCG(h.Sum64(), uint64(seed)))
		t := tensor.New(p.Type, p.Shape...)
		gen := generator(p, fanIn[p.Name], r)
		size := p.Type.Size()
		for i := 0; i < p.elements(); i++ {
			gen(t.Data[i*size : (i+1)*size])
		}
		out[p.Name] = t
	}
	return out
}

func generator(p Port, fanIn int, r *rand.Rand) func(dst []byte) {
	name := strings.ToLower(p.Name)
	put := func(dst []byte, bits uint64) {
		for i := range dst {
			dst[i] = byte(bits >> (8 * i))
		}
	}
	float := func() float64 { return r.Float64() }
	switch {
	case fanIn > 0:
		float = func() float64 { return r.NormFloat64() / math.Sqrt(float64(fanIn)) }
	case strings.Contains(name, "bias") || strings.Contains(name, "weight"):
		float = func() float64 { return 0.1 * r.NormFloat64() }
	case strings.Contains(name, "mask"):
		float = func() float64 { return float64(r.IntN(2)) }
	case len(p.Shape) == 1 && (strings.Contains(name, "scale") || strings.Contains(name, "var")):
		float = func() float64 { return 0.5 + r.Float64() }
	}
	t := p.Type
	switch {
	case t == dtype.I1:
		return func(dst []byte) { dst[0] = byte(r.IntN(2)) }
	case t == dtype.F8E8M0FNU:
		return func(dst []byte) { put(dst, t.FloatBits(math.Exp2(float64(r.IntN(5)-2)))) }
	case t.IsFloat():
		return func(dst []byte) { put(dst, t.FloatBits(float())) }
	case t.IsComplex():
		part := dtype.F32
		if t == dtype.C128 {
			part = dtype.F64
		}
		return func(dst []byte) {
			put(dst[:len(dst)/2], part.FloatBits(float()))
			put(dst[len(dst)/2:], part.FloatBits(float()))
		}
	}
	lo, hi := t.IntRange()
	lo, hi = max(lo, -10), min(hi, 10)
	if strings.Contains(name, "mask") {
		lo, hi = 0, 1
	}
	return func(dst []byte) { put(dst, uint64(lo+r.Int64N(hi-lo+1))) }
}

// FanIn finds the parameters that are weights of contractions: the number of terms one result element sums.
func FanIn(f *hlo.Func) map[string]int {
	names := f.InputNames()
	param := map[*hlo.Value]string{}
	for i, p := range f.Params {
		param[p] = names[i]
	}
	out := map[string]int{}
	if f.Body == nil {
		return out
	}
	root := func(v *hlo.Value) string {
		for v.Def != nil && len(v.Def.Operands) == 1 {
			switch v.Def.Name() {
			case "stablehlo.convert", "stablehlo.reshape", "stablehlo.transpose":
				v = v.Def.Operands[0]
				continue
			}
			break
		}
		return param[v]
	}
	for _, b := range f.Body.Blocks {
		for _, op := range b.Ops {
			if len(op.Operands) != 2 {
				continue
			}
			rhs := hlo.TensorOf(op.Operands[1])
			name := root(op.Operands[1])
			if rhs == nil || name == "" || len(rhs.Dims) < 2 || !rhs.Static() {
				continue
			}
			n := int64(1)
			switch a := op.Attrs.Get("dot_dimension_numbers").(type) {
			case *hlo.DotDims:
				for _, d := range a.RhsContract {
					n *= rhs.Dims[d]
				}
			default:
				c, ok := op.Attrs.Get("dimension_numbers").(*hlo.ConvDims)
				if !ok || op.Name() != "stablehlo.convolution" {
					continue
				}
				n = rhs.Dims[c.KernelInFeature]
				for _, d := range c.KernelSpatial {
					n *= rhs.Dims[d]
				}
			}
			out[name] = int(n)
		}
	}
	return out
}
