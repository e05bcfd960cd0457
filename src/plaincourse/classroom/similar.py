"""Find submissions whose code is more alike than a common teacher explains.

Each answer becomes the set of its *passages*: all runs of ``PASSAGE`` symbols of its syntax tree.
The tree is taken without comments, annotations and the student's own names. So a copy with other
names has the same passages, and a copy in another order has most of them. Schleimer, Wilkerson and
Aiken (2003) select some passages to compare millions of files; a class needs no selection.

A passage that many students share says little. If ``count`` of ``many`` answers have it, it weighs
``log(many / count)`` nats. If the release or the book has it, it weighs nothing. Two students are
compared over all their answers: the weight of the shared passages is divided by the smaller weight
of the two.
"""

import ast
import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from plaincourse.classroom.markup import Html, count, join, percent, prose, tag
from plaincourse.classroom.model import Classroom, Key
from plaincourse.classroom.reading import answered
from plaincourse.classroom.sections import title_of
from plaincourse.grading.own_work import parsed
from plaincourse.notebooks.page import PageError, load

#: The number of symbols in a passage.
PASSAGE = 5
#: The least share at which two students are alike. Of 3,916 honest pairs, none reached 0.7.
ALIKE = 0.75
#: The least weight of their shared passages, in nats. In a few short answers everybody is alike.
LEAST = 100.0
#: A smaller class does not show which passages are common.
FEWEST = 6
_LONGEST = 20_000
_SHOWN = 40
_OWN = "own name"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two submissions that are alike.

    Attributes:
        one, other: the names of the students' folders.
        share: how alike they are, from 0 to 1.
        answers: the answers that are alike, the most alike first: graded cell, share, both codes.
    """

    one: str
    other: str
    share: float
    answers: tuple[tuple[Key, float, str, str], ...]


@lru_cache(maxsize=8_192)
def passages(code: str) -> frozenset[int]:
    """Return the passages of code; none if it cannot be parsed, or has over 20,000 characters."""
    tree = parsed(code) if len(code) <= _LONGEST else None
    if tree is None:
        return frozenset()
    found: set[int] = set()
    shared = {node.name for node in tree.body if isinstance(node, _DEFINITIONS)}
    loose = [node for node in tree.body if not isinstance(node, _DEFINITIONS)]
    units: list[list[ast.stmt]] = [[node] for node in tree.body if isinstance(node, _DEFINITIONS)]
    for unit in [*units, loose]:
        symbols = list(_symbols(unit, shared | _own_names(unit)))
        for start in range(len(symbols) - PASSAGE + 1):
            found.add(hash(tuple(symbols[start : start + PASSAGE])))
    return frozenset(found)


def pairs(answers: Mapping[str, Mapping[Key, str]], given: Iterable[str] = ()) -> tuple[Pair, ...]:
    """Return the pairs of students whose code is alike, the most alike first.

    Args:
        answers: each student's code, by the graded cell that tests it.
        given: code that everybody has, such as that of the release and of the book.
    """
    if len(answers) < FEWEST:
        return ()
    common = frozenset().union(*map(passages, given))
    weighed = {
        key: _Weighed({who: own[key] for who, own in answers.items() if key in own}, common)
        for key in dict.fromkeys(key for own in answers.values() for key in own)
    }
    found = []
    for one, other in itertools.combinations(sorted(answers), 2):
        parts = {key: each.of(one, other) for key, each in weighed.items()}
        both = sum(part[0] for part in parts.values())
        lighter = min(sum(part[1] for part in parts.values()), sum(p[2] for p in parts.values()))
        if both >= LEAST and both >= ALIKE * lighter:
            alike = [
                (key, same / min(first, second), answers[one][key], answers[other][key])
                for key, (same, first, second) in parts.items()
                if same and same >= ALIKE * min(first, second)
            ]
            alike.sort(key=lambda each: -each[1])
            share = both / lighter
            found.append(Pair(one=one, other=other, share=share, answers=tuple(alike)))
    return tuple(sorted(found, key=lambda pair: -pair.share))


def answers(folder: Path) -> dict[Key, str]:
    """Return the code of each tested answer in a folder's notebooks."""
    return {
        key: "\n\n".join(cell.source for cell in cells if cell.get("cell_type") == "code")
        for key, cells in answered(folder)
    }


def code(paths: Iterable[Path]) -> list[str]:
    """Return the code of notebooks, cell by cell; nothing for one that cannot be read."""
    found: list[str] = []
    for path in paths:
        with contextlib.suppress(PageError):
            found += [cell.source for cell in load(path).cells if cell.cell_type == "code"]
    return found


def section(room: Classroom, found: Sequence[Pair]) -> Html:
    """Return the report's section on similar work."""
    told = [tag("p", prose(_MEANING))]
    if len(room.works) < FEWEST:
        few = f"{count(len(room.works), 'submission')} do not show which passages are common."
        return join([*told, tag("p", few, class_="warn")])
    if not found:
        return join([*told, tag("p", "No two submissions are alike.")])
    names = {work.student.id: work.student.name for work in room.works}
    return join([*told, tag("ol", *(_pair(each, names) for each in found))])


def _pair(pair: Pair, names: Mapping[str, str]) -> Html:
    one, other = (tag("bdi", names.get(id, id)) for id in (pair.one, pair.other))
    parts = []
    for key, share, *codes in pair.answers:
        both = (tag("pre", tag("code", _short(each)), tabindex="0") for each in codes)
        summary = tag("summary", title_of(key), f": {percent(share)}")
        parts.append(tag("details", summary, tag("div", *both, class_="grid")))
    return tag("li", tag("p", one, " and ", other, f": {percent(pair.share)}"), *parts)


def _short(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:_SHOWN], *(["…"] if len(lines) > _SHOWN else [])])


class _Weighed:
    """The answers to one task, with the weight of each passage."""

    def __init__(self, codes: Mapping[str, str], common: frozenset[int]) -> None:
        self._passages = {who: passages(code) - common for who, code in codes.items()}
        counts = Counter(itertools.chain.from_iterable(self._passages.values()))
        written = sum(bool(own) for own in self._passages.values())
        self._weights = {each: math.log(written / count) for each, count in counts.items()}
        self._whole = {who: self._weight(own) for who, own in self._passages.items()}

    def of(self, one: str, other: str) -> tuple[float, float, float]:
        """Return the weight of what two students share, and of the answer of each."""
        nothing: frozenset[int] = frozenset()
        shared = self._passages.get(one, nothing) & self._passages.get(other, nothing)
        return self._weight(shared), self._whole.get(one, 0.0), self._whole.get(other, 0.0)

    def _weight(self, some: frozenset[int]) -> float:
        return sum(self._weights[each] for each in some)


def _own_names(unit: Sequence[ast.stmt]) -> set[str]:
    found = set()
    for node in itertools.chain.from_iterable(map(ast.walk, unit)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, _DEFINITIONS):
            found.add(node.name)
    return found


def _symbols(unit: Sequence[ast.stmt], own: set[str]) -> Iterator[str]:
    """Yield the symbols of statements, from the first to the last, without recursion."""
    rest: list[ast.AST] = list(reversed(unit))
    while rest:
        node = rest.pop()
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.expr_context)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring, or a remark written as a string
        if isinstance(node, ast.Name):
            yield _OWN if node.id in own else node.id
            continue
        if isinstance(node, ast.arg):
            yield _OWN
            continue
        if isinstance(node, ast.Constant):
            yield repr(node.value)[:40]
            continue
        if isinstance(node, ast.AnnAssign):
            yield ast.Assign.__name__
            children = [each for each in (node.target, node.value) if each is not None]
        else:
            yield type(node).__name__
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            children = [node.args, *node.body]
        if isinstance(node, ast.Attribute):
            yield node.attr
        if isinstance(node, ast.keyword):
            yield node.arg or "**"
        rest.extend(reversed(children))


_MEANING = (
    "Pairs of submissions with similar code, whatever its names, comments and order. Each "
    "percentage is the share of the unusual passages that both have. Unusual: in few answers of "
    "this class, and neither in the release nor in the book. This takes no points off. Students "
    "who worked together, or who asked the same assistant, write alike too. Read both answers, and "
    "ask."
)
