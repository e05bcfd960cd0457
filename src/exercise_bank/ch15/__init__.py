"""The graded tasks of chapter 15, long context."""

ORDER = (
    "unseen_phases",
    "ntk_base",
    "yarn_ramp",
    "dilution",
    "needle",
    "find_fault",
    "which_method",
)
