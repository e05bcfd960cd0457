"""Find answers that look up results: in a table of numbers, or in a long text that may hold one.

A student who runs a check often enough learns the right word for each box that it shows, and can
list the output of each box. Such an answer distinguishes boxes without an idea of their contents. A
list is not proof, because honest code contains numbers, too; so it is flagged, and costs nothing.
"""

import ast
import math
import re
from collections.abc import Iterator, Sequence

from plaincourse.judge.source_names import reached

#: Counts of floating-point numbers, or of characters of one text, from which an answer is flagged.
MOST_NUMBERS, MOST_SIGNS = 40, 400
#: Functions that make one short word of any value. A table that is looked up by such words is short
#: itself, and calculations do not need these functions.
_DIGESTS = frozenset(
    "hash __hash__ hash_tensor md5 sha1 sha224 sha256 sha384 sha512 sha3_256 blake2b blake2s crc32 "
    "adler32 tobytes digest hexdigest".split()
)
#: An answer with words for several odd numbers is flagged: three of three digits, or five of two.
#: They are lengths of texts, or checksums. Small numbers are counts, which are measured.
_LARGE, _MIDDLE = (3, 100), (5, 21)
_NUMBER, _HEXADECIMAL = re.compile(r"\d{1,15}"), re.compile(r"(?=.*\d)(?=.*[a-f])[\da-f]{8,}")


def table(code: Sequence[str], name: str, *, words: bool = False) -> str:
    """Return a description of a table of results that an answer may use; "" if it has none.

    Args:
        code: the cells of a submission.
        name: the name of the answer.
        words: whether it returns a word, so that words for a few odd numbers are a table.
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
    if digest:
        return f"a call of `{digest}`"
    keys = {key for node in nodes for key in _keys(node)} if words else set()
    if any(sum(key >= least for key in keys) >= most for most, least in (_LARGE, _MIDDLE)):
        return f"words for {len(keys)} numbers such as lengths or checksums are"
    return ""


def _keys(node: ast.AST) -> Iterator[int]:
    """Yield the odd numbers for which a part of a program has words."""
    for key, value in _pairs(node):
        if _is_text(value):
            flat = key.elts if isinstance(key, (ast.Tuple, ast.List, ast.Set)) else [key]
            for each in flat:
                yield from _odd(each)
        elif _is_text(key):
            yield from _odd(value)


def _pairs(node: ast.AST) -> Iterator[tuple[ast.AST | None, ast.AST]]:
    """Yield the pairs of a dict, a list or a comparison: a key, and its value."""
    if isinstance(node, ast.Dict):
        yield from zip(node.keys, node.values, strict=True)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        inner = [each.elts for each in node.elts if isinstance(each, (ast.List, ast.Tuple))]
        yield from ((each[0], each[1]) for each in inner if len(each) == 2)
    elif isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, ast.Compare):
        then = _result(node.body if isinstance(node, ast.IfExp) else node.body[0])
        if isinstance(node.test.ops[0], (ast.Eq, ast.In)):
            yield from ((each, then) for each in (node.test.left, *node.test.comparators))
    elif isinstance(node, ast.match_case) and isinstance(node.pattern, ast.MatchValue):
        yield node.pattern.value, _result(node.body[0])


def _result(node: ast.AST) -> ast.AST:
    """Return the value of a branch: of its ``return`` or ``=``, or the expression itself."""
    return getattr(node, "value", None) or node if isinstance(node, ast.stmt) else node


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _odd(node: ast.AST | None) -> Iterator[int]:
    """Yield the numbers in a key that are not small, not round and not near a power of 2.

    Sizes next to a power of 2 are common in tests of a program.
    """
    value = node.value if isinstance(node, ast.Constant) else None
    found: list[int] = []
    if isinstance(value, str):
        digits = [value[:15]] if _HEXADECIMAL.fullmatch(value) else []
        found = [int(each, 16) for each in digits] or [*map(int, _NUMBER.findall(value))]
    elif isinstance(value, (int, float)) and math.isfinite(value) and value == int(value):
        found = [int(value)]
    for number in found:
        beside = (number - 1, number, number + 1)
        if number >= _MIDDLE[1] and number % 10 and all(each & (each - 1) for each in beside):
            yield number


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
