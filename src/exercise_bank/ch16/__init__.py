"""The graded tasks of chapter 16, serving."""

ORDER = (
    "capacity",
    "littles_law",
    "percentiles",
    "scheduler",
    "make_room",
    "find_fault",
    "design",
    "shared_prefixes",
)
