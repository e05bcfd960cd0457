"""Essay 05.contracts: choose positions for a model that reads contracts.

The rubric stands in the notebook as it stands here, so it says what is looked for and not what
the answer is. A model answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="05.contracts",
    title="Clause 7.3",
    level="hard",
    minutes=15,
    concepts=("positions-compared", "migrating-to-rotary", "embedding-scale"),
    rubric=(
        (1.5, "Each of the four proposals is judged by what it does beyond row 511, and why."),
        (
            1.0,
            "It is said what becomes of the trained weights under each proposal, and what has to "
            "be trained again.",
        ),
        (1.0, "The nature of the task is used: what it asks of positions, and of which kind."),
        (
            1.5,
            "One proposal is chosen, with an experiment that could show the choice to be wrong, "
            "and the number that it is expected to give.",
        ),
    ),
)
