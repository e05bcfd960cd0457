"""The graded tasks of chapter 11, online softmax."""

ORDER = (
    "merge",
    "lse_by_hand",
    "streaming_softmax",
    "sink",
    "lazy",
    "find_fault",
    "tree",
)
