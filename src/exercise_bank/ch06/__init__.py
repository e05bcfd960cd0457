"""The graded tasks of chapter 06, the block."""

ORDER = (
    "layer_norm_rows",
    "gated_feedforward",
    "memory_weights",
    "name_place",
    "block_cost",
    "stuck",
    "fold_gain",
    "layer_norm_backward",
)
