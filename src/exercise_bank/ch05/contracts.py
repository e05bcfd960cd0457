"""Essay 05.contracts: choose positions for a model that reads contracts.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="05.contracts",
    title="Clause 7.3",
    level="hard",
    minutes=15,
    concepts=("positions-compared", "migrating-to-rotary", "embedding-scale"),
    rubric=(
        (
            1.5,
            "Each of the four proposals is judged by its effect beyond row 511, with the reason.",
        ),
        (
            1.0,
            "For each proposal, the answer states the consequences for the trained weights, and "
            "which parts have to be trained again.",
        ),
        (1.0, "The answer uses the nature of the task: whether and how it depends on positions."),
        (
            1.5,
            "One proposal is chosen, with an experiment that could show the choice to be wrong, "
            "and the number that the experiment is expected to give.",
        ),
    ),
)
