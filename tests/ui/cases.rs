//! The table of cases, in the order of the gallery: which error each is, and which sizes it must name.

/// One file below `ui-tests/fail`.
pub struct Row {
    /// The path without `.rs`.
    pub name: &'static str,
    /// The error code, empty where rustc gives none.
    pub code: &'static str,
    /// The numbers that the error must state in decimals, in its own words.
    pub sizes: &'static str,
}

/// The code of constants whose evaluation panics: rustc finds them when it builds.
pub const EVALUATED: &str = "E0080";

const fn row(name: &'static str, code: &'static str, sizes: &'static str) -> Row {
    Row { name, code, sizes }
}

#[rustfmt::skip]
pub const CASES: &[Row] = &[
    row("shape/rank_is_wrong", "E0271", "3 2"),
    row("shape/function_takes_another_shape", "E0308", "32 10"),
    row("shape/function_returns_another_shape", "E0308", "3 4"),
    row("shape/equality_of_other_shapes", "E0308", "3 4"),
    row("shape/array_of_another_length", "E0308", "3 2"),
    row("shape/array_of_another_depth", "E0308", "3"),
    row("shape/rows_differ_in_length", "E0308", "3 2"),
    row("shape/array_is_not_what_the_type_says", "E0308", "3 2"),
    row("shape/identity_is_square", "E0277", "2 3"),
    row("shape/range_is_a_vector", "E0277", "2 3"),
    row("shape/axis_is_no_shape", "E0277", "3"),
    row("shape/number_type_is_no_axis", "E0277", ""),
    row("shape/seven_axes", "E0277", "2"),
    row("shape/size_is_known_only_when_the_program_runs", "E0435", ""),
    row("shape/size_is_computed_from_a_parameter", "", ""),

    row("broadcast/last_axes_differ", "E0277", "10 12"),
    row("broadcast/first_axes_differ", "E0277", "32 16"),
    row("broadcast/middle_axes_differ", "E0277", "3 5"),
    row("broadcast/missing_axes_are_added_in_front", "E0277", "10 32"),
    row("broadcast/shorter_left_side_differs", "E0277", "12 10"),
    row("broadcast/dim_of_size_one_does_not_stretch", "E0277", "1 4"),
    row("broadcast/column_minus_vector_is_no_table", "E0277", "1 8"),
    row("broadcast/parameter_of_another_size", "E0277", "10 12"),
    row("broadcast/maximum_of_axes_that_differ", "E0277", "3 4"),
    row("broadcast/comparison_of_axes_that_differ", "E0277", "3 4"),
    row("broadcast/assignment_does_not_stretch_its_left_side", "E0277", "3"),
    row("broadcast/assignment_of_more_axes", "E0277", "3 4"),
    row("broadcast/generic_sizes_may_differ", "E0277", ""),

    row("broadcast_to/axis_is_neither_equal_nor_one", "E0277", "3 4"),
    row("broadcast_to/target_has_fewer_axes", "E0277", "2 3"),
    row("broadcast_to/mask_axis_differs", "E0277", "3 4"),

    row("stretch/size_is_not_one", "E0277", "1 4"),
    row("stretch/one_stretches_already", "E0277", "1"),
    row("stretch/fixed_of_an_axis_that_does_not_stretch", "E0277", "1 4"),

    row("reduce/mean_without_keepdim_does_not_line_up", "E0277", "10 32"),
    row("reduce/result_has_one_axis_less", "E0308", "2 1 32"),
    row("reduce/sum_over_a_missing_axis", "E0277", "2 3 4"),
    row("reduce/mean_over_an_axis_of_a_number", "E0599", "0"),
    row("reduce/softmax_over_a_missing_axis", "E0277", "2 32 10"),
    row("reduce/argmax_over_a_missing_axis", "E0277", "10 1"),
    row("reduce/max_over_an_empty_axis", "E0080", "1 3 0"),
    row("reduce/max_of_no_elements", "E0080", "3 0"),
    row("reduce/argmin_over_an_empty_axis", "E0080", "0 3"),
    row("reduce/variance_without_correction", "E0061", ""),
    row("reduce/norm_without_its_power", "E0061", ""),
    row("reduce/cumsum_over_a_missing_axis", "E0277", "2 32 10"),

    row("matmul/inner_axes_differ", "E0277", "4 5"),
    row("matmul/matrix_and_vector_differ", "E0277", "4 5"),
    row("matmul/vector_and_matrix_differ", "E0277", "4 5"),
    row("matmul/vectors_differ_in_length", "E0277", "4 5"),
    row("matmul/batched_inner_axes_differ", "E0277", "64 16"),
    row("matmul/batch_axes_differ", "E0277", "8 6"),
    row("matmul/inner_one_does_not_stretch", "E0277", "4"),
    row("matmul/number_is_no_matrix", "E0277", "2 4"),
    row("matmul/product_has_another_shape", "E0308", "4 3"),
    row("matmul/transposed_inner_axes_differ", "E0277", "4 3"),
    row("matmul/transposed_right_side_is_a_batch", "E0308", "2 3"),

    row("permute/axis_is_out_of_range", "E0277", "3 28 14"),
    row("permute/axis_is_named_twice", "E0080", "1 0"),
    row("permute/too_few_axes", "E0107", "3 2"),
    row("permute/transpose_of_a_missing_axis", "E0277", "1 2 3 4"),
    row("permute/vector_has_no_transpose", "E0277", "4"),

    row("squeeze/axis_is_not_one", "E0277", "1 4"),
    row("squeeze/axis_is_missing", "E0277", "3 2"),
    row("squeeze/generic_size_is_not_one", "E0277", "1"),

    row("unsqueeze/position_is_too_far", "E0277", "2 4"),
    row("unsqueeze/seventh_axis", "E0599", "6 2"),

    row("reshape/element_counts_differ", "E0080", "3 4 12 2 5 10"),
    row("reshape/generic_element_counts_differ", "E0080", "10 3 4 12"),
    row("reshape/target_is_not_named", "E0284", ""),
    row("reshape/target_is_no_shape", "E0277", "12"),

    row("flatten/another_element_count", "E0080", "3 4 12 10"),

    row("join/other_axes_differ", "E0277", "16 32"),
    row("join/third_tensor_differs", "E0277", "12 10"),
    row("join/ranks_differ", "E0277", "10 32"),
    row("join/axis_is_missing", "E0277", "10 1"),
    row("join/sum_is_too_large", "E0277", "800 1024 2047"),
    row("join/array_is_too_large", "E0277", "3 800 1024 2047"),
    row("join/sizes_are_generic", "E0277", ""),
    row("join/named_size_is_not_the_sum", "E0080", "0 4000 4001"),
    row("join/elements_differ", "E0599", ""),
    row("join/numbers_are_no_tensors", "E0599", ""),
    row("join/stacked_shapes_differ", "E0277", "4 3"),
    row("join/position_of_the_new_axis", "E0277", "2 3"),
    row("join/seventh_axis", "E0277", "0 2 6"),

    row("cut/entries_are_beyond_the_end", "E0277", "28 9 20"),
    row("cut/axis_is_missing", "E0277", "3 4 2"),
    row("cut/axis_is_too_large_for_types", "E0277", "60000 100 1024"),
    row("cut/axis_is_generic", "E0277", ""),
    row("cut/named_entries_are_beyond_the_end", "E0080", "60000 59000 2000"),
    row("cut/more_entries_than_there_are", "E0080", "5 6"),
    row("cut/part_has_another_size", "E0308", "4 5"),
    row("cut/entry_is_beyond_the_end", "E0277", "10"),
    row("cut/named_entry_is_beyond_the_end", "E0080", "60000"),
    row("cut/parts_leave_a_rest", "E0277", "4 5 10"),
    row("cut/named_parts_leave_a_rest", "E0080", "55000 60000"),
    row("cut/chunks_leave_a_rest", "E0277", "10 3"),
    row("cut/named_chunks_leave_a_rest", "E0080", "59997 60000"),

    row("index/embedding_of_another_vocabulary", "E0308", "100 200"),
    row("index/plain_numbers_are_no_indices", "E0308", "100"),
    row("index/embedding_table_has_two_axes", "E0599", "1 2 100"),
    row("index/one_hot_is_as_wide_as_the_bound", "E0308", "5 10"),
    row("index/positions_of_another_axis", "E0308", "16 10"),
    row("index/gather_with_another_bound", "E0308", "10 12"),
    row("index/gather_with_other_axes", "E0277", "16 32"),
    row("index/gather_with_fewer_axes", "E0308", "2 1"),
    row("index/rank_of_the_indices_is_wrong", "E0271", "2 1 32"),
    row("index/element_needs_one_number_an_axis", "E0308", "2 3"),
    row("index/element_is_named_by_an_array", "E0308", "1"),

    row("conv/window_does_not_fit", "E0277", "7 1 4"),
    row("conv/channels_differ", "E0277", "4 3"),
    row("conv/groups_take_other_channels", "E0080", "4 2 8 6"),
    row("conv/named_size_is_another", "E0080", "9 1 39992 40000"),
    row("conv/size_is_too_large_to_compute", "E0277", "40000 9 1024"),
    row("conv/generic_size_is_not_computed", "E0277", "9 1024"),
    row("conv/number_is_no_way_to_slide", "E0277", ""),

    row("select/branch_does_not_stretch", "E0277", "4 3"),
    row("select/branch_has_more_axes_than_the_mask", "E0277", "2 3"),
    row("select/branch_is_a_number", "E0308", ""),
    row("select/masks_of_different_shapes", "E0277", "2 3"),

    row("loss/column_of_predictions_against_a_vector", "E0308", "8 1"),
    row("loss/predictions_and_targets_differ", "E0308", "8 9"),
    row("loss/cross_entropy_of_other_classes", "E0308", "10 12"),
    row("loss/cross_entropy_of_another_batch", "E0277", "16 32"),
    row("loss/cross_entropy_of_a_column_of_targets", "E0277", "32"),
    row("loss/cross_entropy_of_a_number", "E0277", ""),

    row("backward/loss_is_a_single_number", "E0277", "3 4"),
    row("backward/seed_has_another_shape", "E0308", "4 5"),
    row("backward/gradient_has_the_shape_of_its_parameter", "E0308", "32 10"),
    row("backward/item_of_a_matrix", "E0277", "3 4"),

    row("nn/input_has_another_width", "E0277", "784 748"),
    row("nn/tuple_layers_in_the_wrong_order", "E0277", "32 784"),
    row("nn/tuple_widths_do_not_meet", "E0277", "64 128"),
    row("nn/struct_layers_in_the_wrong_order", "E0277", "32 784"),
    row("nn/image_is_not_flattened", "E0277", "784 32 3 28"),
    row("nn/generic_widths_may_differ", "E0277", ""),
    row("nn/element_types_differ", "E0277", "4 2 8"),
    row("nn/initial_value_has_another_shape", "E0308", "10 784"),
    row("nn/model_lists_no_parameters", "E0277", ""),
    row("nn/field_is_no_module", "E0277", ""),
    row("nn/field_does_not_exist", "E0026", ""),
    row("nn/tuple_holds_a_number", "E0277", ""),

    row("optim/model_is_borrowed_for_reading", "E0308", ""),
    row("optim/settings_of_another_optimizer", "E0308", ""),
    row("optim/step_with_another_model", "E0308", "1 8"),
    row("optim/tensor_is_no_parameter", "E0277", "3"),

    row("element/array_of_whole_numbers", "E0277", ""),
    row("element/f32_plus_f64", "E0277", ""),
    row("element/matmul_of_f32_and_f64", "E0308", ""),
    row("element/number_of_another_type", "E0277", ""),
    row("element/tensor_of_whole_numbers", "E0277", ""),
    row("element/whole_number_in_an_expression", "E0277", ""),

    row("generic/axis_has_no_bound", "E0277", ""),
    row("generic/element_has_no_bound", "E0277", ""),
    row("generic/number_on_the_left_of_a_generic_element", "E0308", ""),
    row("generic/shape_has_no_bound", "E0277", ""),
    row("generic/shape_may_have_no_axes", "E0599", ""),
    row("generic/shapes_may_not_fit", "E0277", ""),
];
