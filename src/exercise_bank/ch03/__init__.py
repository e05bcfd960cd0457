"""The graded tasks of chapter 03, masks."""

ORDER = (
    "causal_mask",
    "padding_mask",
    "masked_softmax",
    "masked_row",
    "generation_mask",
    "prefix_window_mask",
    "find_leak",
    "cheating",
)
