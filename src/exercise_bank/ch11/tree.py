"""Essay 11.tree: merges in the order in which they arrive.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="11.tree",
    title="Eight workers, another answer each time",
    level="medium",
    minutes=13,
    concepts=("merging-blocks", "online-exactness"),
    rubric=(
        (1.0, "It is shown, not only said, what the order of merges changes in exact arithmetic."),
        (
            1.0,
            "It is said where numbers are rounded, and how large a difference may be, in numbers.",
        ),
        (1.0, "Each of the two proposals is judged with a reason."),
        (1.0, "A test and a remedy are given, and what each of them costs."),
    ),
)
