"""The graded tasks of chapter 04, many heads."""

ORDER = (
    "split_heads",
    "multi_head",
    "cut_head",
    "who_shares",
    "target_axis",
    "is_it_used",
    "to_groups",
    "layer_cost",
)
