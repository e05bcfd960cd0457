"""Essay 14.why_greedy: summaries that run in circles, and three proposals.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
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
            "It is said what the two means per token prove and what they do not, and whether the "
            "likeliest text was found.",
        ),
        (1.0, "Each of the three proposals is judged, with a case in which it does harm."),
        (
            1.0,
            "A remedy is proposed, with a measurement of its gain and one of its harm, and what "
            "would have to come out.",
        ),
    ),
)
