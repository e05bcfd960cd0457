"""The graded tasks of chapter 02, scaled dot-product attention."""

ORDER = (
    "output_shape",
    "softmax_rows",
    "attention",
    "softmax_backward",
    "name_the_mistake",
    "why_root_d",
    "scores",
    "SelfAttention",
)
