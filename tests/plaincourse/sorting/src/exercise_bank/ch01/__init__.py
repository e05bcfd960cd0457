"""The graded tasks of chapter 01, sorting by comparing."""

ORDER = ("insertion_sort", "comparisons", "fewest")
