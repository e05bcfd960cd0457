"""Essay 10.where_time_goes: a profile, and a plan that does not fit it.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="10.where_time_goes",
    title="A plan and a profile",
    level="medium",
    minutes=15,
    concepts=("measured-cost",),
    rubric=(
        (1.0, "It is said what limits the step now, with the share of each part in numbers."),
        (
            1.0,
            "The most that the plan can gain is given in numbers, and compared with its promise.",
        ),
        (
            1.0,
            "Two other measures are named, with what each gains at most, and how far from its "
            "floor the step would still be.",
        ),
        (
            1.0,
            "A load is named under which the plan would pay, with an estimate, and a measurement "
            "that could prove the answer wrong.",
        ),
    ),
)
