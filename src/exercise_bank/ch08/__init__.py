"""The graded tasks of chapter 08, training."""

ORDER = (
    "perplexity",
    "packed_loss",
    "adamw_step",
    "restore",
    "loss_gradient",
    "find_fault",
    "walk_home",
    "two_perplexities",
)
