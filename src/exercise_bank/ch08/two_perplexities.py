"""Essay 08.two_perplexities: two models, two tokenisers, one text."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="08.two_perplexities",
    title="Two perplexities",
    level="medium",
    minutes=10,
    concepts=(
        "tokenising",
        "cross-entropy",
        "masked-language-objective",
        "failure-no-mask",
        "failure-no-scale",
        "failure-deep-post-norm",
        "failure-no-position",
    ),
    rubric=(
        (2.0, "The answer brings the first two results to one unit, and shows the computation."),
        (
            1.0,
            "It explains why the third number does not belong in the same list, whatever its unit.",
        ),
        (2.0, "It weighs the suspicion about the fourth, with a test and its expected outcome."),
    ),
)
