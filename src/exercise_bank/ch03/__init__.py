"""The graded tasks of chapter 03, masks."""

ORDER = (
    "causal_mask",
    "masked_softmax",
    "masked_row",
    "generation_mask",
    "find_leak",
    "cheating",
    "padding_mask",
    "prefix_window_mask",
)
