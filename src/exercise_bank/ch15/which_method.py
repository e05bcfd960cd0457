"""Essay 15.which_method: a longer context for a given model and task, and what it gives up.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="15.which_method",
    title="Which of them, and at what price",
    level="medium",
    minutes=10,
    concepts=("extensions-measured", "ntk-aware-scaling", "yarn-by-parts", "needle-tests"),
    rubric=(
        (1.0, "It is said, with numbers, which planes meet new angles at the length asked for."),
        (1.0, "Each of the proposals is judged by what it does to fast planes and to slow ones."),
        (1.0, "One is chosen for this task, and it is said what it gives up."),
        (1.0, "Tests are named that could show the choice to be wrong, at short lengths too."),
    ),
)
