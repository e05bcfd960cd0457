"""Essay 14.why_greedy: summaries that run in circles, and three proposals.

The notebook shows this rubric as it is here, so it names the criteria and gives no answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="14.why_greedy",
    title="The likeliest text runs in circles",
    level="medium",
    minutes=10,
    concepts=("greedy-decoding", "temperature-sampling", "top-p-sampling"),
    rubric=(
        (1.0, "The mechanism of the loop is explained from the numbers of the log."),
        (
            1.0,
            "The answer explains which conclusions the two means per token allow and which they "
            "do not, and whether the likeliest text was found.",
        ),
        (1.0, "Each of the three proposals is judged, with a case in which it does harm."),
        (
            1.0,
            "A remedy is proposed, with a measurement of its gain, one of its harm, and the "
            "results that would count as success.",
        ),
    ),
)
