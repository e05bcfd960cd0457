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
#: Functions that make one short word of any value: a table that is looked up by such words is
#: short itself. To calculate, nobody needs one.
_DIGESTS = frozenset(
    "hash __hash__ hash_tensor md5 sha1 sha224 sha256 sha384 sha512 sha3_256 blake2b blake2s crc32 "
    "adler32 tobytes digest hexdigest".split()
)


def table(code: Sequence[str], name: str) -> str:
    """Return what an answer may look its results up in, in words; "" if there is nothing.

    Args:
        code: the cells of a submission.
        name: what the answer is called.
    """
    nodes = reached(code, name)
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    numbers = sum(isinstance(each, float) for each in values)
    if numbers >= MOST_NUMBERS:
        return f"{numbers} numbers"
    signs = max((len(each) for each in values if isinstance(each, (str, bytes))), default=0)
    if signs >= MOST_SIGNS:
        return f"a text of {signs} signs"
    called = (_name(node.func) for node in nodes if isinstance(node, ast.Call))
    digest = next((each for each in called if each in _DIGESTS), "")
    return f"a call of `{digest}`" if digest else ""


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
