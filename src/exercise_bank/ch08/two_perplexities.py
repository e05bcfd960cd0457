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
        (2.0, "The first two results are brought to one unit by a computation that is shown."),
        (1.0, "It is said why the third number cannot stand in the same list, whatever its unit."),
        (2.0, "The suspicion about the fourth is weighed, with a test and its expected outcome."),
    ),
)
