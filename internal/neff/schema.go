package neff

// The JSON members. Field order is alphabetical, so that encoded objects have sorted keys.

type jsonInfo struct {
	Name         string `json:"name"`
	NumTPB       int    `json:"num_tpb"`
	RequestedTPB int    `json:"requested_tpb_count"`
	TPBPerNode   []int  `json:"tpb_per_node"`
	Version      string `json:"version"`
}

type jsonGraphFile struct {
	Graphs     []jsonGraph `json:"graphs"`
	Revision   string      `json:"revision"`
	Target     string      `json:"target,omitempty"`      // kelf-N.json
	TargetArch string      `json:"target_arch,omitempty"` // neff.json
}

type jsonGraph struct {
	ArgNodes   []int      `json:"arg_nodes"`
	Heads      [][3]int   `json:"heads"`
	Name       string     `json:"name"`
	NodeRowPtr []int      `json:"node_row_ptr"`
	Nodes      []jsonNode `json:"nodes"`
}

type jsonNode struct {
	Attrs       map[string]any `json:"attrs"`
	Inputs      [][3]int       `json:"inputs"`
	Name        string         `json:"name"`
	Op          string         `json:"op"`
	OutputNames []string       `json:"output_names"`
}

type jsonTensorMap struct {
	AliasMap []jsonAlias `json:"alias_map"`
	Inputs   []jsonIO    `json:"inputs"`
	Outputs  []jsonIO    `json:"outputs"`
}

type jsonAlias struct {
	InputName  string `json:"input_name"`
	MustAlias  bool   `json:"must_alias"`
	OutputName string `json:"output_name"`
}

type jsonIO struct {
	Dtype string  `json:"dtype"`
	Name  string  `json:"name"`
	Shape []int64 `json:"shape"`
}

type jsonDef struct {
	Definition    map[string]jsonEngineDef `json:"definition"`
	Queues        map[string]jsonQueue     `json:"dma_queue"`
	FP8           string                   `json:"fp8,omitempty"`
	Features      []string                 `json:"neff_features"`
	ReplicaGroups [][]int                  `json:"replica_groups,omitempty"`
	Vars          map[string]jsonVar       `json:"var"`
}

type jsonEngineDef struct {
	AsmDbg string `json:"_asm_dbg,omitempty"`
	Dbg    string `json:"_dbg,omitempty"`
	Instr  string `json:"_instr"`
	DMA    string `json:"dma"`
}

type jsonQueue struct {
	NumQueues  int      `json:"num_queues"`
	Owner      string   `json:"owner,omitempty"`
	Pinned     bool     `json:"pinned,omitempty"`
	Instances  []string `json:"queue_instances,omitempty"`
	Semaphore  *int     `json:"semaphore,omitempty"`
	Semaphores []int    `json:"semaphore_set,omitempty"`
	Type       string   `json:"type"`
}

type jsonVar struct {
	Alignment  int64   `json:"alignment,omitempty"`
	BackingOff int64   `json:"backing_variable_off,omitempty"`
	Dtype      string  `json:"dtype,omitempty"`
	FileName   string  `json:"file_name,omitempty"`
	List       []int   `json:"list,omitempty"`
	Ref        int     `json:"referenced_var_id,omitempty"`
	Shape      []int64 `json:"shape,omitempty"`
	Size       int64   `json:"size"`
	Type       string  `json:"type"`
	VarID      int     `json:"var_id"`
}

type jsonEngine struct {
	ActSets []string  `json:"activation_function_sets,omitempty"`
	DMA     []jsonDMA `json:"dma"`
}

type jsonDMA struct {
	Desc         jsonDesc `json:"desc"`
	Event        *int     `json:"event,omitempty"`
	FuncStart    *string  `json:"function_start,omitempty"`
	ID           int      `json:"id"`
	Instance     string   `json:"instance_name,omitempty"`
	Queue        string   `json:"queue,omitempty"`
	Remote       []int    `json:"remote_semaphores,omitempty"`
	SectionStart bool     `json:"section_start_desc,omitempty"`
	Semaphore    *int     `json:"semaphore,omitempty"`
}

type jsonDesc struct {
	Constant      *float64   `json:"constant,omitempty"`
	ConstantDtype string     `json:"constant_dtype,omitempty"`
	From          string     `json:"from,omitempty"`
	FromArr       []jsonFrom `json:"from_arr,omitempty"`
	FromDtype     string     `json:"from_dtype,omitempty"`
	FromOff       int64      `json:"from_off,omitempty"`
	FromSizes     []int64    `json:"from_sizes,omitempty"`
	FromSteps     []int64    `json:"from_steps,omitempty"`
	TilingDims    int        `json:"num_tiling_dimensions,omitempty"`
	Op            string     `json:"op,omitempty"`
	Scale         *float64   `json:"scale,omitempty"`
	ScaleDtype    string     `json:"scale_dtype,omitempty"`
	To            string     `json:"to"`
	ToDtype       string     `json:"to_dtype,omitempty"`
	ToOff         int64      `json:"to_off,omitempty"`
	ToSizes       []int64    `json:"to_sizes"`
	ToSteps       []int64    `json:"to_steps"`
	TransposeElem int        `json:"transpose_element_size,omitempty"`
	TransposeDims []int64    `json:"transpose_shape,omitempty"`
}

type jsonFrom struct {
	From  string  `json:"from"`
	Dtype string  `json:"from_dtype,omitempty"`
	Off   int64   `json:"from_off,omitempty"`
	Sizes []int64 `json:"from_sizes"`
	Steps []int64 `json:"from_steps"`
}
