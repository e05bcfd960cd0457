"""Find answers that look results up: in a table of numbers, or in a long text that may hold one.

Who runs a check often enough learns the right word for each box that it shows, and can list what
each box returns. Such an answer tells boxes apart without an idea of what is in them. That is not
proof, for honest code holds numbers, too; so it is flagged, and costs nothing.
"""

import ast
from collections.abc import Sequence

from plaincourse.judge.source_names import reached

#: From how many numbers with a point, or signs of one text, on an answer is flagged.
MOST_NUMBERS, MOST_SIGNS = 40, 400


def table(code: Sequence[str], name: str) -> str:
    """Return what an answer may look its results up in, in words; "" if there is nothing.

    Args:
        code: the cells of a submission.
        name: what the answer is called.
    """
    values = [node.value for node in reached(code, name) if isinstance(node, ast.Constant)]
    numbers = sum(isinstance(each, float) for each in values)
    if numbers >= MOST_NUMBERS:
        return f"{numbers} numbers"
    signs = max((len(each) for each in values if isinstance(each, (str, bytes))), default=0)
    return f"a text of {signs} signs" if signs >= MOST_SIGNS else ""
