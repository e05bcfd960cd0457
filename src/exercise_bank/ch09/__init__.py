"""The graded tasks of chapter 09, interpretability."""

ORDER = (
    "rollout",
    "induction_score",
    "copying",
    "backup",
    "last_row",
    "report",
    "silences",
    "same_word_score",
    "hidden_change",
)
