"""The prerequisite graph of the course: ``book/concepts.yml``, read and checked."""

import graphlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

#: The parser in C, if PyYAML was built with it: it reads the graph ten times as fast.
LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SOURCES = ("T", "A", "N", "S", "Q", "+")
_NEEDED = ("id", "name", "chapter", "prerequisites", "sources")
_FINISHED = ("section", "code", "practice", "also")
_LISTS = ("prerequisites", "sources", "practice", "also")


class ConceptError(ValueError):
    """A concept graph that cannot be used; the message names the concept."""


@dataclass(frozen=True, kw_only=True)
class Concept:
    """One thing that the course teaches.

    Attributes:
        id: slug, unique in the course.
        name: a short phrase.
        chapter: two digits.
        prerequisites: ids that come before it, from this chapter or an earlier one.
        sources: the source documents that require it; ``+`` if the course adds it.
        section: label of the section that explains it; empty while its chapter is unwritten.
        code: the function or class that implements it; empty while its chapter is unwritten.
        practice: graded tasks and cards that practise it.
        also: other words that a reader may search for.
    """

    id: str
    name: str
    chapter: str
    prerequisites: tuple[str, ...]
    sources: tuple[str, ...]
    section: str = ""
    code: str = ""
    practice: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def load(path: Path | str = Path("book/concepts.yml")) -> dict[str, Concept]:
    """Read the graph, in the order of the file.

    Raises:
        ConceptError: a field is missing, unknown or of the wrong kind, an id is used twice, a
            prerequisite is unknown or belongs to a later chapter, or the graph has a cycle.
    """
    try:
        rows = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=LOADER)
    except yaml.YAMLError as error:
        raise ConceptError(f"{path}: not valid YAML: {error}") from None
    if not isinstance(rows, list):
        raise ConceptError(f"{path}: expected a list of concepts, got {type(rows).__name__}.")
    return check(_concept(row, number) for number, row in enumerate(rows, start=1))


def check(concepts: Iterable[Concept]) -> dict[str, Concept]:
    """Return the concepts by id, after checking that they form a graph without a cycle.

    Raises:
        ConceptError: see :func:`load`.
    """
    known: dict[str, Concept] = {}
    for concept in concepts:
        if concept.id in known:
            raise ConceptError(f"{concept.id}: the id is used twice. Ids are unique.")
        known[concept.id] = concept
    for concept in known.values():
        for needed in concept.prerequisites:
            if needed not in known:
                raise ConceptError(f"{concept.id}: its prerequisite {needed!r} does not exist.")
            if known[needed].chapter > concept.chapter:
                raise ConceptError(
                    f"{concept.id} (chapter {concept.chapter}): its prerequisite {needed} comes "
                    f"later, in chapter {known[needed].chapter}."
                )
    order(known)
    return known


def order(concepts: Mapping[str, Concept]) -> list[Concept]:
    """List concepts so that each comes after its prerequisites, otherwise in the given order.

    Raises:
        ConceptError: the prerequisites form a cycle.
    """
    needs = {c.id: [p for p in c.prerequisites if p in concepts] for c in concepts.values()}
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        raise ConceptError(f"the prerequisites run in a circle: {circle}") from None
    placed: dict[str, Concept] = {}

    def place(name: str) -> None:
        if name not in placed:
            for needed in needs[name]:
                place(needed)
            placed[name] = concepts[name]

    for name in concepts:
        place(name)
    return sorted(placed.values(), key=lambda concept: concept.chapter)


def _concept(row: Any, number: int) -> Concept:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise ConceptError(f"concept {number}: expected fields with an id, got {row!r}.")
    name = row["id"]
    if missing := [field for field in _NEEDED if field not in row]:
        raise ConceptError(f"{name}: {', '.join(missing)} missing.")
    if unknown := sorted(set(row) - {*_NEEDED, *_FINISHED}):
        raise ConceptError(f"{name}: unknown field {', '.join(unknown)}.")
    for field in ("name", "chapter", "section", "code"):
        if not isinstance(row.get(field, ""), str):
            raise ConceptError(f"{name}: {field} is {row[field]!r}, expected text in quotes.")
    lists = {field: _texts(name, field, row.get(field, [])) for field in _LISTS}
    if wrong := set(lists["sources"]) - set(SOURCES):
        raise ConceptError(f"{name}: unknown source {sorted(wrong)}, known are {SOURCES}.")
    return Concept(**(row | lists))


def _texts(name: str, field: str, value: Any) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConceptError(f"{name}: {field} is {value!r}, expected a list of texts.")
    return tuple(value)
