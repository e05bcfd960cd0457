"""The graded tasks of chapter 05, position."""

ORDER = (
    "padded_positions",
    "shift_matrix",
    "rotate_part",
    "alibi_bias",
    "to_halves",
    "name_the_bug",
    "turned_score",
    "contracts",
)
