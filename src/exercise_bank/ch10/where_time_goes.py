"""Essay 10.where_time_goes: a profile, and a plan that does not fit it.

The notebook shows the same rubric, so it names the criteria and does not give the answer.
A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="10.where_time_goes",
    title="A plan and a profile",
    level="medium",
    minutes=15,
    concepts=("measured-cost",),
    rubric=(
        (1.0, "The limit of the step now is named, with the share of each part in numbers."),
        (
            1.0,
            "The most that the plan can gain is given in numbers, with or without the idle time "
            "between its kernels, and compared with its promise.",
        ),
        (
            1.0,
            "Two other measures are named, with the most that each can gain, and how far from its "
            "floor the step would still be.",
        ),
        (
            1.0,
            "A load is named under which the plan would pay, with an estimate, and a measurement "
            "that could prove the answer wrong.",
        ),
    ),
)
