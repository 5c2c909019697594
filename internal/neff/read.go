package neff

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/alcadev/alca/internal/diag"
	"github.com/alcadev/alca/internal/dtype"
	"github.com/alcadev/alca/internal/isa"
	"github.com/alcadev/alca/internal/machine"
)

// maxUnpacked bounds what an archive may expand to, as a guard against hostile files.
const maxUnpacked = 32 << 30

// maxMembers bounds the number of archive members.
const maxMembers = 1 << 20

// ReadFile reads a container from disk; its diagnostics carry the path.
func ReadFile(name string) (*File, error) {
	fail := func(err error) error {
		return diag.Errorf(CodeIOError, diag.Loc{File: name}, "cannot read NEFF: %w", err)
	}
	r, err := os.Open(name)
	if err != nil {
		return nil, fail(err)
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return nil, fail(err)
	}
	if !st.Mode().IsRegular() {
		return nil, diag.Errorf(CodeIOError, diag.Loc{File: name}, "not a regular file")
	}
	f, err := Read(bufio.NewReader(r), st.Size())
	var d *diag.Diagnostic
	if errors.As(err, &d) && !d.Loc.Known() {
		at := *d
		at.Loc.File = name
		return nil, &at
	}
	return f, err
}

// Read decodes a container of the given size.
func Read(r io.Reader, size int64) (*File, error) { return read(r, size, maxUnpacked) }

func read(r io.Reader, size, limit int64) (*File, error) {
	if size < headerSize {
		return nil, errf(CodeTruncated, "NEFF has %d bytes, its header alone takes %d", size, headerSize)
	}
	var raw [headerSize]byte
	if _, err := io.ReadFull(r, raw[:]); err != nil {
		return nil, errf(CodeTruncated, "NEFF ends inside its header: %w", err)
	}
	f := &File{}
	if err := f.Header.unmarshal(raw[:]); err != nil {
		return nil, err
	}
	if f.Header.DataSize != uint64(size-headerSize) {
		return nil, errf(CodeTruncated, "bad header: data_size is %d, the file holds %d bytes after the header", f.Header.DataSize, size-headerSize)
	}
	f.Name, f.CompilerVersion = f.Header.Name, f.Header.BuildVersion
	f.Features, f.LNC = f.Header.Features, int(f.Header.LNC)
	members, err := readArchive(io.LimitReader(r, size-headerSize), f.Header.Hash, limit)
	if err != nil {
		return nil, err
	}
	if err := f.build(members); err != nil {
		return nil, err
	}
	if err := Check(f); err != nil {
		return nil, err
	}
	return f, nil
}

// archive is the unpacked members by path; used marks those that build has understood.
type archive struct {
	data map[string][]byte
	used map[string]bool
}

// readArchive unpacks a tar, compressed or not, below a total size and compares its hash. Memory grows with the
// data that arrives, never with a size that a header claims.
func readArchive(r io.Reader, want [32]byte, limit int64) (*archive, error) {
	br := bufio.NewReader(r)
	var src io.Reader = br
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1F, 0x8B}) {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return nil, errf(CodeArchive, "archive: %w", err)
		}
		src = gz
	}
	sum := sha256.New()
	bounded := &io.LimitedReader{R: io.TeeReader(src, sum), N: limit}
	tooBig := func(err error) error {
		if bounded.N <= 0 {
			return errf(CodeLimit, "archive unpacks to more than %d bytes", limit)
		}
		return errf(CodeArchive, "archive: %w", err)
	}
	tr := tar.NewReader(bounded)
	a := &archive{data: map[string][]byte{}, used: map[string]bool{}}
	for {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, tooBig(err)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if h.Typeflag != tar.TypeReg || !safePath(h.Name) || sparse(h) {
			return nil, errf(CodeArchive, "archive: member %q is not a plain file below the archive", h.Name)
		}
		if _, twice := a.data[h.Name]; twice || len(a.data) >= maxMembers {
			return nil, errf(CodeArchive, "archive: member %q exists twice, or there are more than %d", h.Name, maxMembers)
		}
		var buf bytes.Buffer
		if _, err := io.Copy(&buf, tr); err != nil {
			return nil, tooBig(err)
		}
		a.data[h.Name] = buf.Bytes()
	}
	if _, err := io.Copy(io.Discard, bounded); err != nil {
		return nil, tooBig(err)
	}
	if bounded.N <= 0 {
		return nil, tooBig(nil)
	}
	if [32]byte(sum.Sum(nil)) != want {
		return nil, errf(CodeHash, "bad header: the contents do not match the hash").WithHint("the file was changed or damaged after it was written")
	}
	return a, nil
}

// sparse files expand to sizes that are not in the data.
func sparse(h *tar.Header) bool {
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse") {
			return true
		}
	}
	return false
}

func safePath(p string) bool {
	return p != "" && p != "." && !path.IsAbs(p) && path.Clean(p) == p && p != ".." && !strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\\\x00")
}

func (a *archive) get(name string) ([]byte, error) {
	b, ok := a.data[name]
	if !ok {
		return nil, errf(CodeMember, "NEFF has no member %s", name)
	}
	a.used[name] = true
	return b, nil
}

func (a *archive) json(name string, v any) error {
	b, err := a.get(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return errf(CodeJSON, "%s: %w", name, err)
	}
	return nil
}

func (f *File) build(a *archive) error {
	var info jsonInfo
	var top, kelf jsonGraphFile
	if err := a.json("info.json", &info); err != nil {
		return err
	}
	if _, ok := a.data["neff.json"]; !ok {
		return errf(CodeMember, "NEFF does not exist.")
	}
	if err := a.json("neff.json", &top); err != nil {
		return err
	}
	if err := a.json("kelf-0.json", &kelf); err != nil {
		return err
	}
	spec := targetNamed(kelf.Target)
	if spec == nil {
		return errf(CodeTarget, "NEFF is for the unknown target %q", kelf.Target)
	}
	if top.TargetArch != kelf.Target {
		return errf(CodeTarget, "neff.json is for target %q, kelf-0.json for %q", top.TargetArch, kelf.Target)
	}
	f.Gen = spec.Gen
	if err := f.readIO(a); err != nil {
		return err
	}
	for i := range f.LNC {
		s, err := readSubgraph(a, fmt.Sprintf("sg%02d/", i))
		if err != nil {
			return err
		}
		f.Subgraphs = append(f.Subgraphs, s)
	}
	if err := f.readDebug(a); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.data)) {
		if !a.used[name] {
			f.Extra = append(f.Extra, Extra{name, a.data[name]})
		}
	}
	return nil
}

func targetNamed(arch string) *machine.Spec {
	for _, s := range machine.All() {
		if s.Arch == arch {
			return s
		}
	}
	return nil
}

func (f *File) readIO(a *archive) error {
	var tm jsonTensorMap
	if err := a.json("sg00/tensor_map.json", &tm); err != nil {
		return err
	}
	for i := 1; i < f.LNC; i++ {
		a.used[fmt.Sprintf("sg%02d/tensor_map.json", i)] = true
	}
	table := func(list []jsonIO) ([]IO, error) {
		var out []IO
		for _, j := range list {
			t, ok := dtypeOf(j.Dtype)
			if !ok {
				return nil, errf(CodeIO, "tensor %q has unknown dtype %q", j.Name, j.Dtype)
			}
			out = append(out, IO{Name: j.Name, DType: t, Shape: j.Shape})
		}
		return out, nil
	}
	var err error
	if f.Inputs, err = table(tm.Inputs); err != nil {
		return err
	}
	if f.Outputs, err = table(tm.Outputs); err != nil {
		return err
	}
	for _, al := range tm.AliasMap {
		o := f.output(al.OutputName)
		if o == nil {
			return errf(CodeIO, "alias of unknown output %q", al.OutputName)
		}
		o.Alias = al.InputName
	}
	return nil
}

func readSubgraph(a *archive, dir string) (*Subgraph, error) {
	var def jsonDef
	if err := a.json(dir+"def.json", &def); err != nil {
		return nil, err
	}
	s := NewSubgraph()
	s.ReplicaGroups, s.FP8OCP = def.ReplicaGroups, def.FP8 == "ocp"
	ids := make(map[string]int, len(def.Vars))
	for _, name := range slices.Sorted(maps.Keys(def.Vars)) {
		j := def.Vars[name]
		v, err := readVar(a, dir, name, j)
		if err != nil {
			return nil, err
		}
		s.Vars = append(s.Vars, v)
		ids[name] = v.ID
	}
	sort.SliceStable(s.Vars, func(i, k int) bool { return s.Vars[i].ID < s.Vars[k].ID })
	for _, name := range slices.Sorted(maps.Keys(def.Queues)) {
		j := def.Queues[name]
		q := &Queue{Name: name, NumQueues: j.NumQueues, Pinned: j.Pinned, Instances: j.Instances, Semaphores: j.Semaphores}
		if q.NumQueues == 0 {
			q.NumQueues = 1
		}
		if j.Semaphore != nil {
			q.Semaphores = append(q.Semaphores, *j.Semaphore)
		}
		t, ok := valueOf(queueTypeNames[:], j.Type)
		owner, ok2 := engineOfToken(j.Owner)
		if !ok || !ok2 {
			return nil, errf(CodeQueue, "queue %q: type %q, owner %q", name, j.Type, j.Owner)
		}
		q.Type, q.Owner = QueueType(t), owner
		s.Queues = append(s.Queues, q)
	}
	for i, r := range engineRows {
		if err := readEngine(a, dir+r.stem, s.Engines[i], s.Queues, ids); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func readVar(a *archive, dir, name string, j jsonVar) (*Var, error) {
	kind, ok := valueOf(varKindNames[:], j.Type)
	if !ok {
		return nil, errf(CodeVar, "variable %q has unknown type %q", name, j.Type)
	}
	v := &Var{ID: j.VarID, Name: name, Kind: VarKind(kind), Size: j.Size, Align: j.Alignment, Shape: j.Shape, Offset: j.BackingOff, Ref: j.Ref, List: j.List}
	if j.Dtype != "" {
		if v.DType, ok = dtypeOf(j.Dtype); !ok {
			return nil, errf(CodeVar, "variable %q has unknown dtype %q", name, j.Dtype)
		}
	}
	if v.Kind == VarFile {
		if !safePath(j.FileName) {
			return nil, errf(CodeVar, "variable %q has no file", name)
		}
		data, err := a.get(dir + j.FileName)
		if err != nil {
			return nil, err
		}
		v.Data = data
		if v.Data == nil {
			v.Data = []byte{}
		}
	}
	return v, nil
}

func readEngine(a *archive, stem string, e *Engine, queues []*Queue, ids map[string]int) error {
	code, err := a.get(stem + ".bin")
	if err != nil {
		return err
	}
	if len(code)%isa.BundleSize != 0 {
		return errf(CodeMember, "%s.bin has %d bytes, not a multiple of %d", stem, len(code), isa.BundleSize)
	}
	if len(code) > 0 {
		e.Code = make([]isa.Bundle, len(code)/isa.BundleSize)
	}
	for i := range e.Code {
		copy(e.Code[i][:], code[i*isa.BundleSize:])
	}
	var j jsonEngine
	if err := a.json(stem+".json", &j); err != nil {
		return err
	}
	e.ActSets = j.ActSets
	instances := map[string]string{}
	for _, q := range queues {
		for _, n := range q.Instances {
			instances[n] = q.Name
		}
	}
	for i := range j.DMA {
		d, err := readDMA(&j.DMA[i], instances, ids)
		if err != nil {
			return errf(diag.Code(err), "%s.json[%d]: %w", stem, i, err)
		}
		e.DMA = append(e.DMA, d)
	}
	return nil
}

func readDMA(j *jsonDMA, instances map[string]string, ids map[string]int) (DMA, error) {
	opt := func(p *int) int {
		if p == nil {
			return -1
		}
		return *p
	}
	d := DMA{ID: j.ID, Queue: j.Queue, Instance: j.Instance, Remote: j.Remote, SectionStart: j.SectionStart, Semaphore: opt(j.Semaphore), Event: opt(j.Event)}
	if j.Instance != "" {
		q, ok := instances[j.Instance]
		if !ok {
			return d, errf(CodeQueue, "unknown queue instance %q", j.Instance)
		}
		d.Queue = q
	}
	if j.FuncStart != nil {
		d.FuncStart, d.HasFuncStart = *j.FuncStart, true
	}
	x := &j.Desc
	op := uint8(0)
	if x.Op != "" {
		var ok bool
		if op, ok = valueOf(descOpNames[:], x.Op); !ok {
			return d, errf(CodeDesc, "unknown operation %q", x.Op)
		}
	}
	d.Desc = Desc{Op: DescOp(op), TilingDims: x.TilingDims, TransposeShape: x.TransposeDims, TransposeElem: x.TransposeElem}
	if d.Desc.Op == DescFMA {
		d.Desc.Scale = 1
		if x.Scale != nil {
			d.Desc.Scale = *x.Scale
		}
	}
	if x.Constant != nil && x.ConstantDtype != "" {
		t, ok := dtypeOf(x.ConstantDtype)
		if !ok {
			return d, errf(CodeDesc, "unknown dtype %q", x.ConstantDtype)
		}
		d.Desc.Const = &Const{t, *x.Constant}
	}
	from := x.FromArr
	if len(from) == 0 {
		from = []jsonFrom{{From: x.From, Dtype: x.FromDtype, Off: x.FromOff, Sizes: x.FromSizes, Steps: x.FromSteps}}
	}
	for k := range from {
		s, err := readSide(&from[k], ids)
		if err != nil {
			return d, err
		}
		d.Desc.From = append(d.Desc.From, s)
	}
	to, err := readSide(&jsonFrom{From: x.To, Dtype: x.ToDtype, Off: x.ToOff, Sizes: x.ToSizes, Steps: x.ToSteps}, ids)
	d.Desc.To = to
	return d, err
}

func readSide(j *jsonFrom, ids map[string]int) (Side, error) {
	s := Side{Var: ids[j.From], Off: j.Off, Steps: j.Steps, Sizes: j.Sizes}
	if s.Var == 0 {
		return s, errf(CodeDesc, "unknown variable %q", j.From)
	}
	if j.Dtype != "" && j.Dtype != "uint8" {
		t, ok := dtypeOf(j.Dtype)
		if !ok {
			return s, errf(CodeDesc, "unknown dtype %q", j.Dtype)
		}
		s.DType = t
	}
	if s.DType == dtype.U8 {
		s.DType = dtype.Invalid
	}
	return s, nil
}

// CheckTarget returns a diagnostic unless the container is for a generation.
func (f *File) CheckTarget(gen machine.Gen) error {
	if f.Gen == gen {
		return nil
	}
	name := func(g machine.Gen) string {
		if s := machine.ByGen(g); s != nil {
			return s.Name
		}
		return fmt.Sprintf("generation %d", g)
	}
	return errf(CodeTarget, "NEFF is compiled for %s and cannot run on %s", name(f.Gen), name(gen)).WithHint("compile with --target %s", name(gen))
}
