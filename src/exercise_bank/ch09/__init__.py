"""The graded tasks of chapter 09, looking inside."""

ORDER = (
    "rollout",
    "induction_score",
    "silences",
    "last_row",
    "report",
    "same_word_score",
    "hidden_change",
)
