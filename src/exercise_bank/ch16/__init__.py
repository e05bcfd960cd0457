"""The graded tasks of chapter 16, serving."""

ORDER = (
    "capacity",
    "littles_law",
    "percentiles",
    "shared_prefixes",
    "scheduler",
    "find_fault",
    "design",
)
