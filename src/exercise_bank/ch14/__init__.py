"""The graded tasks of chapter 14, generation."""

ORDER = (
    "log_probability",
    "left_padding",
    "speedup",
    "top_p",
    "speculative",
    "stop_inside",
    "find_fault",
    "why_greedy",
)
