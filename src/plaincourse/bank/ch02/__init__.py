"""The graded tasks of chapter 02, scaled dot-product attention."""

ORDER = (
    "scores",
    "softmax_rows",
    "attention_weights",
    "attention",
    "attention_numpy",
    "SelfAttention",
    "output_shape",
    "why_root_d",
)
