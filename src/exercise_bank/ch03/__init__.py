"""The graded tasks of chapter 03, masks."""

ORDER = (
    "masked_row",
    "masked_softmax",
    "generation_mask",
    "find_leak",
    "cheating",
    "causal_mask",
    "padding_mask",
    "prefix_window_mask",
)
