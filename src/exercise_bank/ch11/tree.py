"""Essay 11.tree: merges in the order in which they arrive.

The notebook shows the same rubric, so it names the criteria and does not give the answer.
A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="11.tree",
    title="Eight workers, another answer each time",
    level="medium",
    minutes=13,
    concepts=("merging-blocks", "online-exactness"),
    rubric=(
        (
            1.0,
            "The effect of the order of merges in exact arithmetic is derived, not only asserted.",
        ),
        (
            1.0,
            "The places where numbers are rounded are named, and the size of the difference is "
            "estimated in numbers.",
        ),
        (1.0, "Each of the two proposals is judged with a reason."),
        (1.0, "A test and a remedy are given, with the cost of each."),
    ),
)
