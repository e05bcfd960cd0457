"""The graded work of chapter 17: the capstone and its report."""

ORDER = (
    "capstone",
    "what_it_gave_up",
)
