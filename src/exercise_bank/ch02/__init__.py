"""The graded tasks of chapter 02, scaled dot-product attention."""

ORDER = (
    "scores",
    "softmax_rows",
    "attention",
    "output_shape",
    "softmax_backward",
    "name_the_mistake",
    "why_root_d",
    "SelfAttention",
)
