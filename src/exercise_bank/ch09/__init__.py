"""The graded tasks of chapter 09, looking inside."""

ORDER = (
    "rollout",
    "induction_score",
    "same_word_score",
    "hidden_change",
    "silences",
    "last_row",
    "report",
)
