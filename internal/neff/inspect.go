package neff

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// Summary is what `neff inspect --json` prints.
type Summary struct {
	Name            string        `json:"name"`
	Target          string        `json:"target"`
	CompilerVersion string        `json:"compiler_version"`
	FormatVersion   string        `json:"format_version"`
	LNC             int           `json:"lnc_size"`
	Features        []string      `json:"features"`
	Hash            string        `json:"hash"`
	UUID            string        `json:"uuid"`
	DataSize        uint64        `json:"data_size"`
	Stripped        bool          `json:"stripped"`
	Inputs          []TensorInfo  `json:"inputs"`
	Outputs         []TensorInfo  `json:"outputs"`
	Subgraphs       []SubgraphSum `json:"subgraphs"`
	OtherMembers    []string      `json:"other_members,omitempty"`
}

// TensorInfo is an argument or result in a Summary.
type TensorInfo struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Bytes int64   `json:"bytes"`
	Alias string  `json:"alias,omitempty"`
}

// SubgraphSum is a subgraph in a Summary.
type SubgraphSum struct {
	Engines   []EngineSum      `json:"engines"`
	Queues    []QueueSum       `json:"queues"`
	Variables map[string]int   `json:"variables"`      // count by kind
	Bytes     map[string]int64 `json:"variable_bytes"` // size by kind
}

// EngineSum counts an engine's program.
type EngineSum struct {
	Engine      string `json:"engine"`
	Bundles     int    `json:"bundles"`
	DMABlocks   int    `json:"dma_blocks"`
	Descriptors int    `json:"descriptors"`
	DMABytes    int64  `json:"dma_bytes"`
}

// QueueSum is a queue set in a Summary.
type QueueSum struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Rings      int    `json:"rings"`
	Owner      string `json:"owner"`
	Semaphores []int  `json:"semaphores"`
}

// Summarize describes a container.
func (f *File) Summarize() *Summary {
	s := &Summary{
		Name: f.packageName(), CompilerVersion: f.CompilerVersion, LNC: f.LNC, Features: f.features().Names(), Stripped: f.Debug == nil,
		FormatVersion: fmt.Sprintf("%d.%d", f.Header.VersionMajor, f.Header.VersionMinor), DataSize: f.Header.DataSize,
		Hash: hex.EncodeToString(f.Header.Hash[:]), UUID: uuidText(f.Header.UUID),
	}
	if spec := machine.ByGen(f.Gen); spec != nil {
		s.Target = spec.Name
	}
	info := func(list []IO) []TensorInfo {
		out := []TensorInfo{}
		for i := range list {
			n, _ := list[i].Size()
			out = append(out, TensorInfo{list[i].Name, dtypeName(list[i].DType), shapeOf(list[i].Shape), n, list[i].Alias})
		}
		return out
	}
	s.Inputs, s.Outputs = info(f.Inputs), info(f.Outputs)
	for _, g := range f.Subgraphs {
		sum := SubgraphSum{Queues: []QueueSum{}, Variables: map[string]int{}, Bytes: map[string]int64{}}
		for _, v := range g.Vars {
			sum.Variables[v.Kind.String()]++
			sum.Bytes[v.Kind.String()] += v.Size
		}
		for _, q := range g.Queues {
			sum.Queues = append(sum.Queues, QueueSum{q.Name, q.Type.String(), q.NumQueues, engineToken(q.Owner), q.Semaphores})
		}
		for _, e := range g.Engines {
			es := EngineSum{Engine: e.Engine.String(), Bundles: len(e.Code), Descriptors: len(e.DMA)}
			blocks := map[int]bool{}
			for i := range e.DMA {
				blocks[e.DMA[i].ID] = true
				es.DMABytes += e.DMA[i].Desc.To.Bytes()
			}
			es.DMABlocks = len(blocks)
			sum.Engines = append(sum.Engines, es)
		}
		s.Subgraphs = append(s.Subgraphs, sum)
	}
	for _, x := range f.Extra {
		s.OtherMembers = append(s.OtherMembers, x.Path)
	}
	return s
}

func uuidText(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// Inspect prints a summary, as JSON or for people.
func Inspect(w io.Writer, f *File, asJSON bool) error {
	s := f.Summarize()
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: NEFF %s for %s, logical core of %d, %d bytes of data\n", s.Name, s.FormatVersion, s.Target, s.LNC, s.DataSize)
	compiler := s.CompilerVersion
	if compiler == "" {
		compiler = "not recorded"
	}
	fmt.Fprintf(&b, "compiler %s, hash %.16s…, uuid %s\n", compiler, s.Hash, s.UUID)
	if len(s.Features) > 0 {
		fmt.Fprintf(&b, "features: %s\n", strings.Join(s.Features, " "))
	}
	if s.Stripped {
		b.WriteString("no debug members\n")
	}
	for _, part := range []struct {
		title string
		list  []TensorInfo
	}{{"inputs", s.Inputs}, {"outputs", s.Outputs}} {
		fmt.Fprintf(&b, "%s:\n", part.title)
		for _, t := range part.list {
			fmt.Fprintf(&b, "  %-24s %s%v %d bytes", t.Name, t.DType, t.Shape, t.Bytes)
			if t.Alias != "" {
				fmt.Fprintf(&b, ", in the buffer of %s", t.Alias)
			}
			b.WriteByte('\n')
		}
	}
	for i, g := range s.Subgraphs {
		fmt.Fprintf(&b, "core %d:\n", i)
		for _, e := range g.Engines {
			fmt.Fprintf(&b, "  %-10s %7d bundles %6d DMA blocks %7d descriptors %12d bytes moved\n", e.Engine, e.Bundles, e.DMABlocks, e.Descriptors, e.DMABytes)
		}
		for _, q := range g.Queues {
			fmt.Fprintf(&b, "  queue %-28s %-5s %2d rings, owner %s, semaphores %v\n", q.Name, q.Type, q.Rings, q.Owner, q.Semaphores)
		}
		for _, kind := range varKindNames {
			if n := g.Variables[kind]; n > 0 {
				fmt.Fprintf(&b, "  %4d %s variables, %d bytes\n", n, kind, g.Bytes[kind])
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Disasm prints the programs of all engines, or of one, with the origin of each bundle and the descriptors of each
// trigger. Bundles that do not decode are printed as such; only writing can fail.
func Disasm(w io.Writer, f *File, only machine.Engine) error {
	var b strings.Builder
	for i, s := range f.Subgraphs {
		for _, e := range s.Engines {
			if only != machine.Unassigned && only != e.Engine {
				continue
			}
			if len(e.Code) == 0 {
				continue
			}
			fmt.Fprintf(&b, "core %d engine %s: %d bundles\n", i, e.Engine, len(e.Code))
			s.disasm(&b, f, e)
			if _, err := io.WriteString(w, b.String()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return nil
}

func (s *Subgraph) disasm(b *strings.Builder, f *File, e *Engine) {
	blocks := map[int][]int{}
	for i := range e.DMA {
		blocks[e.DMA[i].ID] = append(blocks[e.DMA[i].ID], i)
	}
	var prev *isa.OpInfo
	last := ""
	for pc := range e.Code {
		if in, src := f.Origin(e.Engine, pc); in != nil {
			at := in.Name
			if src != nil {
				at = fmt.Sprintf("%s %s %s", in.Name, src.Op, src.Loc)
			}
			if at != last {
				fmt.Fprintf(b, "       ; %s\n", at)
				last = at
			}
		}
		in, err := isa.Decode(&e.Code[pc], prev, e.Engine, f.Gen)
		if err != nil {
			fmt.Fprintf(b, "%6d %x ; %v\n", pc, e.Code[pc][:], err)
			prev = nil
			continue
		}
		prev = in.Info
		fmt.Fprintf(b, "%6d %s\n", pc, isa.Disasm(&in))
		if in.Op() == isa.OpPseudoDMATrigger {
			for _, k := range blocks[in.Int(isa.FBlockID)] {
				fmt.Fprintf(b, "         %s\n", s.descText(&e.DMA[k]))
			}
		}
	}
}

func (s *Subgraph) descText(d *DMA) string {
	side := func(x *Side) string {
		name := fmt.Sprintf("v%d", x.Var)
		if v := s.Var(x.Var); v != nil {
			name = v.Name
		}
		t := fmt.Sprintf("%s+%#x%v%v", name, x.Off, x.Steps, x.Sizes)
		if x.ElemType() != 0 && dtypeName(x.ElemType()) != "uint8" {
			t += ":" + dtypeName(x.ElemType())
		}
		return t
	}
	var from []string
	for i := range d.Desc.From {
		from = append(from, side(&d.Desc.From[i]))
	}
	t := fmt.Sprintf("%s %s -> %s", d.Desc.Op, strings.Join(from, " "), side(&d.Desc.To))
	if d.Semaphore >= 0 {
		n := 1
		if q := s.Queue(d.Queue); q != nil {
			n = q.NumQueues
		}
		t += fmt.Sprintf(" $S[%d]+=%d", d.Semaphore, n)
	}
	return t
}
