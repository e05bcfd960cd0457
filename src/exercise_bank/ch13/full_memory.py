"""Essay 13.full_memory: a server that is full although its users have written little.

The notebook shows the same rubric, so it names the criteria and does not give the answer. A model
answer is in the solution.
"""

from plaincourse.exercise import Essay

TASK = Essay(
    id="13.full_memory",
    title="Full, with little in it",
    level="medium",
    minutes=12,
    concepts=("cache-size", "paged-cache", "window-with-sinks", "quantised-cache"),
    rubric=(
        (1.0, "The 22 is derived from the sizes given, and the use of the memory is explained."),
        (1.0, "A remedy is proposed, and how many conversations fit with it is computed."),
        (1.0, "Each of the three proposals is judged with its gain in numbers and a reason."),
        (1.0, "Tests are named that would show harm from your remedy, and from the proposals."),
    ),
)
