"""The graded tasks of chapter 01, attention as soft retrieval."""

ORDER = (
    "blend",
    "best_few",
    "name_the_score",
    "behind_the_weights",
    "how_many_keys",
    "help_desk",
    "additive_scores",
    "temperature_slope",
)
