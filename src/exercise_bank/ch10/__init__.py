"""The graded tasks of chapter 10, what attention costs."""

ORDER = (
    "attention_bytes",
    "causal_pairs",
    "bound_by",
    "decode_floor",
    "critical_batch",
    "where_time_goes",
)
