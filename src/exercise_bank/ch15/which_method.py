"""Essay 15.which_method: a longer context for a given model and task, and its price.

The notebook shows this rubric as it is here, so it names the criteria and gives no answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="15.which_method",
    title="Which of them, and at what price",
    level="medium",
    minutes=10,
    concepts=("extensions-measured", "ntk-aware-scaling", "yarn-by-parts", "needle-tests"),
    rubric=(
        (1.0, "The planes that meet new angles at the required length are named, with numbers."),
        (
            1.0,
            "Each of the proposals is judged by its effect: on fast planes and on slow ones, or on "
            "the words that stay visible.",
        ),
        (1.0, "One is chosen for this task, and its disadvantages are named."),
        (1.0, "Tests are named that could show the choice to be wrong, at short lengths too."),
    ),
)
