"""The graded tasks of chapter 01, attention as soft retrieval."""

ORDER = (
    "blend",
    "additive_scores",
    "best_few",
    "temperature_slope",
    "name_the_score",
    "behind_the_weights",
    "how_many_keys",
    "help_desk",
)
