package bytecode

import "sort"

// accuracyOps are the ops that carry result_accuracy from their second version on.
var accuracyOps = []string{"cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"}

// properties lists the attributes of every VHLO op by name and version, in any order; on the wire they stand in
// alphabetical order. A version not listed has the properties of the nearest earlier one.
var properties = map[string]map[int][]string{
	"all_gather":           {1: {"all_gather_dim", "channel_id", "replica_groups", "use_global_device_ids"}},
	"all_reduce":           {1: {"channel_id", "replica_groups", "use_global_device_ids"}},
	"all_to_all":           {1: {"channel_id", "concat_dimension", "replica_groups", "split_count", "split_dimension"}},
	"batch_norm_grad":      {1: {"epsilon", "feature_index"}},
	"batch_norm_inference": {1: {"epsilon", "feature_index"}},
	"batch_norm_training":  {1: {"epsilon", "feature_index"}},
	"broadcast":            {1: {"broadcast_sizes"}},
	"broadcast_in_dim":     {1: {"broadcast_dimensions"}},
	"call":                 {1: {"callee"}},
	"cholesky":             {1: {"lower"}},
	"collective_broadcast": {1: {"channel_id", "replica_groups"}, 2: {"channel_id", "has_dynamic_root", "replica_groups"}},
	"collective_permute":   {1: {"channel_id", "source_target_pairs"}},
	"collective_reduce":    {1: {"channel_id", "has_dynamic_root", "replica_groups", "use_global_device_ids"}},
	"compare":              {1: {"compare_type", "comparison_direction"}},
	"composite":            {1: {"composite_attributes", "decomposition", "name", "version"}},
	"concatenate":          {1: {"dimension"}},
	"constant":             {1: {"value"}},
	"convolution": {1: {"batch_group_count", "feature_group_count", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
		"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "lhs_dilation", "output_batch_dimension",
		"output_feature_dimension", "output_spatial_dimensions", "padding", "precision_config", "rhs_dilation", "window_reversal", "window_strides"}},
	"cross-replica-sum": {1: {"replica_groups"}},
	"custom_call": {1: {"api_version", "backend_config", "call_target_name", "called_computations", "has_side_effect", "operand_layouts",
		"output_operand_aliases", "result_layouts"}, 2: {"api_version", "backend_config", "call_target_name", "called_computations", "has_side_effect",
		"operand_layouts", "output_operand_aliases", "result_layouts", "result_tilings"}},
	"dot": {1: {"precision_config"}},
	"dot_general": {1: {"lhs_batching_dimensions", "lhs_contracting_dimensions", "precision_config", "rhs_batching_dimensions", "rhs_contracting_dimensions"},
		2: {"accumulation_type", "allow_imprecise_accumulation", "lhs_batching_dimensions", "lhs_component_count", "lhs_contracting_dimensions",
			"lhs_precision_type", "num_primitive_operations", "precision_config", "rhs_batching_dimensions", "rhs_component_count",
			"rhs_contracting_dimensions", "rhs_precision_type"}},
	"dynamic_broadcast_in_dim": {1: {"broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"}},
	"dynamic_conv": {1: {"batch_group_count", "feature_group_count", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
		"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "lhs_dilation", "output_batch_dimension",
		"output_feature_dimension", "output_spatial_dimensions", "padding", "precision_config", "rhs_dilation", "window_reversal", "window_strides"},
		2: {"batch_group_count", "feature_group_count", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
			"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "lhs_dilation", "output_batch_dimension",
			"output_feature_dimension", "output_spatial_dimensions", "precision_config", "rhs_dilation", "window_reversal", "window_strides"}},
	"dynamic_gather": {1: {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "start_index_map"},
		2: {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "operand_batching_dims", "start_index_map", "start_indices_batching_dims"}},
	"dynamic_iota":  {1: {"iota_dimension"}},
	"dynamic_slice": {1: {"slice_sizes"}},
	"einsum":        {1: {"einsum_config"}},
	"fft":           {1: {"fft_length", "fft_type"}},
	"func":          {1: {"arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility"}},
	"gather": {1: {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "slice_sizes", "start_index_map"},
		2: {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "operand_batching_dims", "slice_sizes", "start_index_map",
			"start_indices_batching_dims"}},
	"get_dimension_size": {1: {"dimension"}},
	"get_tuple_element":  {1: {"index"}},
	"infeed":             {1: {"infeed_config", "layout"}},
	"iota":               {1: {"iota_dimension"}},
	"map":                {1: {"dimensions"}},
	"outfeed":            {1: {"outfeed_config"}},
	"pad":                {1: {"edge_padding_high", "edge_padding_low", "interior_padding"}},
	"recv":               {1: {"channel_id", "channel_type", "is_host_transfer"}, 2: {"channel_id", "channel_type", "is_host_transfer", "source_target_pairs"}},
	"reduce":             {1: {"dimensions"}},
	"reduce_precision":   {1: {"exponent_bits", "mantissa_bits"}},
	"reduce_scatter":     {1: {"channel_id", "replica_groups", "scatter_dimension", "use_global_device_ids"}},
	"reduce_window":      {1: {"base_dilations", "padding", "window_dilations", "window_dimensions", "window_strides"}},
	"reverse":            {1: {"dimensions"}},
	"rng":                {1: {"rng_distribution"}},
	"rng_bit_generator":  {1: {"rng_algorithm"}},
	"scatter": {1: {"index_vector_dim", "indices_are_sorted", "inserted_window_dims", "scatter_dims_to_operand_dims", "unique_indices", "update_window_dims"},
		2: {"index_vector_dim", "indices_are_sorted", "input_batching_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
			"scatter_indices_batching_dims", "unique_indices", "update_window_dims"}},
	"select_and_scatter": {1: {"padding", "window_dimensions", "window_strides"}},
	"send":               {1: {"channel_id", "channel_type", "is_host_transfer"}, 2: {"channel_id", "channel_type", "is_host_transfer", "source_target_pairs"}},
	"set_dimension_size": {1: {"dimension"}},
	"slice":              {1: {"limit_indices", "start_indices", "strides"}},
	"sort":               {1: {"dimension", "is_stable"}},
	"torch_index_select": {1: {"batch_dims", "dim"}},
	"trace":              {1: {"tag"}},
	"transpose":          {1: {"permutation"}},
	"triangular_solve":   {1: {"left_side", "lower", "transpose_a", "unit_diagonal"}},
	"unary_einsum":       {1: {"einsum_config"}},
}

func init() {
	for _, o := range accuracyOps {
		properties[o] = map[int][]string{1: nil, 2: {"result_accuracy"}}
	}
}

// newest are op versions above 1 that change the form of the op but not its properties.
var newest = map[string]int{"all_gather": 2, "all_reduce": 2, "all_to_all": 2, "composite": 2}

// propertyNames returns the attributes of an op version in wire order, and whether the version is known.
func propertyNames(op string, version int) ([]string, bool) {
	vs := properties[op]
	if vs == nil {
		return nil, version == 1
	}
	top := newest[op]
	best := 0
	for v := range vs {
		top = max(top, v)
		if v <= version {
			best = max(best, v)
		}
	}
	if version < 1 || version > top {
		return nil, false
	}
	out := append([]string(nil), vs[best]...)
	sort.Strings(out)
	return out, true
}
