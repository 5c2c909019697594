package hlo

// Attributes of the HLO form only. Text and protobuf readers of HLO keep them on ops, values and modules, so that
// what was read can be written again; conversion to StableHLO uses those that have a meaning there.
type (
	// Layout is the memory order of an array shape, {1,0:T(8,128)S(5)}; it is the Encoding of its TensorType.
	Layout struct {
		MinorToMajor []int64
		Tiles        [][]int64 // a dimension of TileCombine is printed "*"
		ElemBits     int64     // E(n)
		Space        int64     // S(n)
		Tail         int64     // L(n)
		Rest         string    // clauses alca does not interpret
	}
	// HLOWindow is window={size=3x3 stride=2x2 ...}.
	HLOWindow struct{ Dims []WindowDim }
	// WindowDim is one dimension of an HLOWindow.
	WindowDim struct {
		Size, Stride, Low, High, RhsDilate, LhsDilate int64
		Reversal                                      bool
	}
	// Groups is replica_groups: a list of lists, or, when Iota is not nil, the form [2,4]<=[4,2]T(1,0).
	Groups struct {
		List [][]int64
		Iota *Iota
	}
	// Iota is arange(product of Reshape).reshape(Reshape).transpose(Perm).reshape(Dims).
	Iota struct{ Dims, Reshape, Perm []int64 }
	// Sharding is sharding={...}.
	Sharding struct {
		Kind          string // replicated, maximal, manual, unknown, tuple, devices, unreduced
		Dims          []int64
		Devices       []int64 // list of devices, or the one device of maximal
		Iota          *Iota   // Reshape and Perm; Dims stand above
		ReplicateLast bool
		LastDims      []string // kinds of the last tile dimensions: replicated, manual, unreduced
		Tuple         []Sharding
		Rest          string // words alca does not interpret, such as shard_as 1
	}
	// Raw is the text of an attribute alca keeps without interpreting it.
	Raw struct{ Text string }
	// Aliases is input_output_alias or, with Donor, buffer_donor of a module; donors have neither Output nor Kind.
	Aliases struct {
		Donor   bool
		Entries []Alias
	}
	// Alias says that output Output shares memory with index Index of parameter Param.
	Alias struct {
		Output, Index []int64
		Param         int64
		Kind          string // may-alias, must-alias
	}
	// Frames is the table of source positions a module's metadata refers to.
	Frames struct {
		Files, Funcs []string
		Locs         []FrameLoc
		Frames       [][2]int64 // file location and parent as stored, 1-based, 0 for none
	}
	// FrameLoc is a source position; file and function are 1-based.
	FrameLoc struct{ File, Func, Line, EndLine, Col, EndCol int64 }
)

// TileCombine marks a tile dimension that is merged with the next more minor one.
const TileCombine = int64(-1 << 63)

func (*Layout) isAttr()    {}
func (*HLOWindow) isAttr() {}
func (*Groups) isAttr()    {}
func (*Sharding) isAttr()  {}
func (Raw) isAttr()        {}
func (*Aliases) isAttr()   {}
func (*Frames) isAttr()    {}

// maxGroupIDs bounds the device numbers an iota form may expand to.
const maxGroupIDs = 1 << 20

// Expand lists the numbers of an iota in order, or nil when its figures do not fit together.
func (a *Iota) Expand() []int64 {
	n, m := int64(1), int64(1)
	for _, d := range a.Reshape {
		if d <= 0 || n > maxGroupIDs/d {
			return nil
		}
		n *= d
	}
	for _, d := range a.Dims {
		if d <= 0 || m > maxGroupIDs/d {
			return nil
		}
		m *= d
	}
	if n != m {
		return nil
	}
	rank := len(a.Reshape)
	perm := a.Perm
	if len(perm) == 0 {
		perm = make([]int64, rank)
		for i := range perm {
			perm[i] = int64(i)
		}
	}
	if len(perm) != rank {
		return nil
	}
	strides := make([]int64, rank)
	s := int64(1)
	for i := rank - 1; i >= 0; i-- {
		strides[i] = s
		s *= a.Reshape[i]
	}
	seen := make([]bool, rank)
	for _, p := range perm {
		if p < 0 || p >= int64(rank) || seen[p] {
			return nil
		}
		seen[p] = true
	}
	out := make([]int64, 0, n)
	idx := make([]int64, rank)
	for range n {
		v := int64(0)
		for i, p := range perm {
			v += idx[i] * strides[p]
		}
		out = append(out, v)
		for i := rank - 1; i >= 0; i-- {
			idx[i]++
			if idx[i] < a.Reshape[perm[i]] {
				break
			}
			idx[i] = 0
		}
	}
	return out
}

// Rows lists the groups, the iota form expanded; false when its figures do not fit together.
func (g *Groups) Rows() ([][]int64, bool) {
	if g.Iota == nil {
		return g.List, true
	}
	ids := g.Iota.Expand()
	if ids == nil || len(g.Iota.Dims) == 0 {
		return nil, false
	}
	w := int64(len(ids)) / g.Iota.Dims[0]
	var out [][]int64
	for i := int64(0); i < int64(len(ids)); i += w {
		out = append(out, ids[i:i+w])
	}
	return out, true
}
