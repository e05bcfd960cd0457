"""The graded tasks of chapter 16, serving."""

ORDER = ("capacity", "percentiles")
