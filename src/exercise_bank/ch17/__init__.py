"""The graded work of chapter 17: the capstone, and what its author says of it."""

ORDER = (
    "capstone",
    "what_it_gave_up",
)
