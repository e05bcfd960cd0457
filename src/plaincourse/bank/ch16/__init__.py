"""The graded tasks of chapter 16, serving."""

ORDER = ("capacity", "littles_law", "percentiles", "scheduler", "design")
