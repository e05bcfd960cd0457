"""Essay 12.what_changed: three machines, three limits, and one proposal for all of them.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="12.what_changed",
    title="Three machines that wait for different things",
    level="medium",
    minutes=11,
    concepts=("memory-hierarchy", "fused-kernel", "triton-kernel"),
    rubric=(
        (
            1.0,
            "Machine A: the limit is named, with a count, and so is the change that lifts it.",
        ),
        (
            1.0,
            "Machine B: the units that wait for each other are named, and the change that helps.",
        ),
        (
            1.0,
            "Machine C: the time of the two kinds of work is computed for one tile and compared.",
        ),
        (1.0, "Each part of the proposal is judged for each machine, with a reason."),
    ),
)
