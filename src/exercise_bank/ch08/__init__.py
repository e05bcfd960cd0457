"""The graded tasks of chapter 08, training."""

ORDER = (
    "perplexity",
    "packed_loss",
    "adamw_step",
    "find_fault",
    "walk_home",
    "two_perplexities",
    "restore",
    "loss_gradient",
)
