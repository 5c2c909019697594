package neff

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// Write encodes a container. Equal files give equal bytes.
func Write(w io.Writer, f *File) error {
	if err := Check(f); err != nil {
		return err
	}
	members, err := f.members()
	if err != nil {
		return err
	}
	var data bytes.Buffer
	sum := sha256.New()
	if err := writeArchive(&data, sum, members); err != nil {
		return err
	}
	h := f.header()
	h.DataSize = uint64(data.Len())
	copy(h.Hash[:], sum.Sum(nil))
	copy(h.UUID[:], h.Hash[:])
	// RFC 9562: version 8 (vendor specific) and the variant bits.
	h.UUID[6] = h.UUID[6]&0x0F | 0x80
	h.UUID[8] = h.UUID[8]&0x3F | 0x80
	if _, err := w.Write(h.marshal()); err != nil {
		return errf(CodeIOError, "writing the container: %w", err)
	}
	if _, err := w.Write(data.Bytes()); err != nil {
		return errf(CodeIOError, "writing the container: %w", err)
	}
	return nil
}

// WriteFile writes a container to a temporary name and renames it, so that a failure leaves no file behind.
func WriteFile(path string, f *File) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".neff-*")
	if err != nil {
		return errf(CodeIOError, "cannot create %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	if err := Write(tmp, f); err != nil {
		tmp.Close()
		return err
	}
	err = tmp.Chmod(0o644)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errf(CodeIOError, "cannot write %s: %w", path, err)
	}
	return nil
}

// features returns the declared features and those that the contents imply.
func (f *File) features() Feature {
	feat := f.Features
	if f.LNC > 1 {
		feat |= FeatVNC
	}
	for _, s := range f.Subgraphs {
		for _, v := range s.Vars {
			if v.Size > largeTensorMin && !v.Kind.OnChip() {
				feat |= FeatLargeTensor
			}
		}
		for _, q := range s.Queues {
			if len(q.Instances) > 0 {
				feat |= FeatQueueInstances
			}
		}
	}
	return feat
}

func (f *File) header() Header {
	h := Header{
		PkgVersion: pkgVersion, VersionMajor: 1, BuildVersion: f.CompilerVersion, NumTPB: uint32(f.LNC),
		Name: f.packageName(), RequestedTPB: 1, Features: f.features(), LNC: uint32(f.LNC),
	}
	if h.Features&FeatLargeTensor != 0 {
		h.VersionMajor = 2
	}
	h.TPBPerNode[0] = byte(f.LNC)
	return h
}

func (f *File) packageName() string {
	if f.Name == "" {
		return "file.neff"
	}
	return f.Name
}

// members returns the archive members in path order.
func (f *File) members() ([]Extra, error) {
	var m []Extra
	var failed error
	add := func(path string, v any) {
		b, err := json.Marshal(v)
		if err != nil && failed == nil {
			failed = errf(CodeJSON, "%s: %w", path, err)
		}
		m = append(m, Extra{path, append(b, '\n')})
	}
	target := machine.ByGen(f.Gen).Arch
	add("info.json", jsonInfo{Name: f.packageName(), NumTPB: f.LNC, RequestedTPB: 1, TPBPerNode: []int{f.LNC}, Version: f.CompilerVersion})
	add("neff.json", jsonGraphFile{Graphs: []jsonGraph{f.graph("__kelf", "sg_coreV10", map[string]any{"kelf": "kelf-0.json"})}, Revision: "0.5", TargetArch: target})
	dirs := make([]string, len(f.Subgraphs))
	for i := range f.Subgraphs {
		dirs[i] = fmt.Sprintf("sg%02d", i)
	}
	add("kelf-0.json", jsonGraphFile{Graphs: []jsonGraph{f.graph("__subgraph", "sg00", map[string]any{"dirs": dirs})}, Revision: "0.5", Target: target})
	tm := jsonTensorMap{AliasMap: []jsonAlias{}, Inputs: ioTable(f.Inputs), Outputs: ioTable(f.Outputs)}
	for _, o := range f.Outputs {
		if o.Alias != "" {
			tm.AliasMap = append(tm.AliasMap, jsonAlias{InputName: o.Alias, MustAlias: true, OutputName: o.Name})
		}
	}
	for i, s := range f.Subgraphs {
		dir := dirs[i] + "/"
		add(dir+"tensor_map.json", tm)
		add(dir+"def.json", s.def(f))
		for k, e := range s.Engines {
			stem := dir + engineRows[k].stem
			code := make([]byte, 0, len(e.Code)*isa.BundleSize)
			for pc := range e.Code {
				code = append(code, e.Code[pc][:]...)
			}
			m = append(m, Extra{stem + ".bin", code})
			add(stem+".json", s.engineJSON(e))
		}
		for _, v := range s.Vars {
			if v.Kind == VarFile {
				m = append(m, Extra{dir + v.fileName(), v.Data})
			}
		}
	}
	if f.Debug != nil {
		m = append(m, f.Debug.members()...)
	}
	m = append(m, f.Extra...)
	if failed != nil {
		return nil, failed
	}
	sort.SliceStable(m, func(i, j int) bool { return m[i].Path < m[j].Path })
	for i := range m {
		if i > 0 && m[i].Path == m[i-1].Path || !safePath(m[i].Path) {
			return nil, errf(CodeArchive, "member %q is not a relative path or exists twice", m[i].Path)
		}
	}
	return m, nil
}

// graph is the one-node graph of neff.json and kelf-0.json.
func (f *File) graph(op, name string, attrs map[string]any) jsonGraph {
	g := jsonGraph{ArgNodes: []int{}, Heads: [][3]int{}, Name: "main", NodeRowPtr: []int{0}}
	call := jsonNode{Attrs: attrs, Inputs: [][3]int{}, Name: name, Op: op, OutputNames: []string{}}
	for i, in := range f.Inputs {
		n := jsonNode{Attrs: map[string]any{"dtype": dtypeName(in.DType), "id": i, "is_param": "0", "shape": shapeOf(in.Shape)},
			Inputs: [][3]int{}, Name: in.Name, Op: "null", OutputNames: []string{in.Name}}
		for _, o := range f.Outputs {
			if o.Alias == in.Name {
				n.Attrs["must_alias"] = o.Name
			}
		}
		g.Nodes = append(g.Nodes, n)
		g.ArgNodes = append(g.ArgNodes, i)
		g.NodeRowPtr = append(g.NodeRowPtr, i+1)
		call.Inputs = append(call.Inputs, [3]int{i, 0, 0})
	}
	for i, o := range f.Outputs {
		call.OutputNames = append(call.OutputNames, o.Name)
		g.Heads = append(g.Heads, [3]int{len(f.Inputs), i, 0})
	}
	call.Attrs["num_inputs"] = fmt.Sprint(len(f.Inputs))
	call.Attrs["num_outputs"] = fmt.Sprint(len(f.Outputs))
	g.Nodes = append(g.Nodes, call)
	g.NodeRowPtr = append(g.NodeRowPtr, len(f.Inputs)+len(f.Outputs))
	return g
}

func ioTable(list []IO) []jsonIO {
	out := make([]jsonIO, 0, len(list))
	for _, io := range list {
		out = append(out, jsonIO{Dtype: dtypeName(io.DType), Name: io.Name, Shape: shapeOf(io.Shape)})
	}
	return out
}

// shapeOf keeps a scalar's shape an empty list, not null.
func shapeOf(s []int64) []int64 {
	if s == nil {
		return []int64{}
	}
	return s
}

func (v *Var) fileName() string { return fmt.Sprintf("const_%06d.bin", v.ID) }

func (s *Subgraph) def(f *File) jsonDef {
	d := jsonDef{Definition: map[string]jsonEngineDef{}, Queues: map[string]jsonQueue{}, Features: []string{}, ReplicaGroups: s.ReplicaGroups, Vars: map[string]jsonVar{}}
	for _, r := range engineRows {
		e := jsonEngineDef{Instr: r.stem + ".bin", DMA: r.stem + ".json"}
		if f.Debug != nil {
			e.Dbg, e.AsmDbg = debugPath("backend3", r.stem), debugPath("asm4", r.stem)
		}
		d.Definition[r.token] = e
	}
	feat := f.features()
	for _, r := range featureNames {
		if r.word && feat&r.bit != 0 {
			d.Features = append(d.Features, r.name)
		}
	}
	if s.FP8OCP {
		d.FP8 = "ocp"
	}
	for _, q := range s.Queues {
		d.Queues[q.Name] = jsonQueue{NumQueues: q.NumQueues, Owner: engineToken(q.Owner), Pinned: q.Pinned, Instances: q.Instances,
			Semaphores: q.Semaphores, Type: q.Type.String()}
	}
	for _, v := range s.Vars {
		j := jsonVar{Alignment: v.Align, BackingOff: v.Offset, List: v.List, Ref: v.Ref, Shape: v.Shape, Size: v.Size, Type: v.Kind.String(), VarID: v.ID}
		if v.DType != dtype.Invalid {
			j.Dtype = dtypeName(v.DType)
		}
		if v.Kind == VarFile {
			j.FileName = v.fileName()
		}
		d.Vars[v.Name] = j
	}
	return d
}

func (s *Subgraph) engineJSON(e *Engine) jsonEngine {
	out := jsonEngine{ActSets: e.ActSets, DMA: make([]jsonDMA, 0, len(e.DMA))}
	opt := func(v int) *int {
		if v < 0 {
			return nil
		}
		return &v
	}
	dt := func(t dtype.Type) string {
		if t == dtype.Invalid || t == dtype.U8 {
			return ""
		}
		return dtypeName(t)
	}
	for i := range e.DMA {
		d := &e.DMA[i]
		x := &d.Desc
		j := jsonDMA{ID: d.ID, Queue: d.Queue, Instance: d.Instance, Remote: d.Remote, SectionStart: d.SectionStart,
			Semaphore: opt(d.Semaphore), Event: opt(d.Event)}
		if d.HasFuncStart {
			j.FuncStart = &d.FuncStart
		}
		j.Desc = jsonDesc{To: s.Var(x.To.Var).Name, ToOff: x.To.Off, ToSteps: x.To.Steps, ToSizes: x.To.Sizes, ToDtype: dt(x.To.DType),
			TilingDims: x.TilingDims, TransposeDims: x.TransposeShape, TransposeElem: x.TransposeElem}
		if x.Op != DescCopy {
			j.Desc.Op = x.Op.String()
		}
		if x.Op == DescFMA {
			j.Desc.Scale, j.Desc.ScaleDtype = &x.Scale, "float32"
		}
		if x.Const != nil {
			j.Desc.Constant, j.Desc.ConstantDtype = &x.Const.Value, dtypeName(x.Const.DType)
		}
		if len(x.From) == 1 {
			f := &x.From[0]
			j.Desc.From, j.Desc.FromOff, j.Desc.FromSteps, j.Desc.FromSizes, j.Desc.FromDtype = s.Var(f.Var).Name, f.Off, f.Steps, f.Sizes, dt(f.DType)
		} else {
			for k := range x.From {
				f := &x.From[k]
				j.Desc.FromArr = append(j.Desc.FromArr, jsonFrom{From: s.Var(f.Var).Name, Off: f.Off, Steps: f.Steps, Sizes: f.Sizes, Dtype: dt(f.DType)})
			}
		}
		out.DMA = append(out.DMA, j)
	}
	return out
}

// writeArchive writes a gzip-compressed tar with fixed metadata, and the hash of the uncompressed tar.
func writeArchive(w io.Writer, sum hash.Hash, members []Extra) error {
	gz, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return errf(CodeIOError, "%w", err)
	}
	tw := tar.NewWriter(io.MultiWriter(gz, sum))
	epoch := time.Unix(0, 0)
	for i := range members {
		m := &members[i]
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.Path, Size: int64(len(m.Data)), Mode: 0o644, Uname: "nobody", Gname: "nobody",
			ModTime: epoch, AccessTime: epoch, ChangeTime: epoch, Format: tar.FormatPAX}
		if err := tw.WriteHeader(h); err != nil {
			return errf(CodeArchive, "member %s: %w", m.Path, err)
		}
		if _, err := tw.Write(m.Data); err != nil {
			return errf(CodeArchive, "member %s: %w", m.Path, err)
		}
	}
	if err := tw.Close(); err != nil {
		return errf(CodeArchive, "%w", err)
	}
	if err := gz.Close(); err != nil {
		return errf(CodeArchive, "%w", err)
	}
	return nil
}
