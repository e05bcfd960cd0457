"""Mistakes in an exercise on naming the fault of a closed box: an unrecognised fault."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from exercise_bank.skills import said
from plaincourse.exercise import Kind, Misconception

#: Answers in place of a fault's name: pairs of the two names.
Instead = tuple[tuple[str, str], ...]

#: The message around one of the faults if an answer misses others, too.
_ONE = "There are at least two faults that you do not recognise. One is that of {box}. {shows} "
_NEXT = "Mend this first, and check again for the others."


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault, and how an answer misses it.

    Attributes:
        name: the right name of the fault.
        box: the box with the fault: "the decoder that moves its pointer by 1".
        shows: when it has an effect and when not, in whole sentences.
        hints: better tests of the box.
        instead: the names that answers give in its place, the likeliest first.
        kind: the kind of mistake of an answer that misses this fault alone.
    """

    name: str
    box: str
    shows: str
    hints: tuple[str, ...]
    instead: tuple[str, ...] = ("none",)
    kind: Kind = "form"


def unrecognised(
    make: Callable[[Instead], Any],
    faults: Sequence[Fault],
    known: Collection[Instead] = (),
    both: int = 2,
    many: int = 3,
) -> tuple[Misconception, ...]:
    """Return two mistakes for each fault: it is missed alone, or with one or two later ones.

    Args:
        make: from the names given in place of others to the wrong answer.
        faults: in the order in which an answer tests for them.
        known: the answers that another mistake explains.
        both: number of names tried in place of each of two faults that are missed together.
        many: number of missed faults that cost enough points for a wrong idea.
    """
    found = []
    for i, fault in enumerate(faults):
        slug = f"misses-{fault.name.replace(' ', '-')}"
        alone = [each for each in _alone(fault) if each not in known]
        if alone:
            answer, *variants = map(make, alone)
            found.append(
                said(
                    slug,
                    answer,
                    "What shows other faults shows this one.",
                    f"You do not recognise {fault.box}. {fault.shows}",
                    *fault.hints,
                    variants=tuple(variants),
                    kind=fault.kind,
                )
            )
        later = [each for each in _with_later(fault, faults[i + 1 :], both) if each not in known]
        if later:
            chosen = next((each for each in later if len(each) == many), _next(faults, i, many))
            found.append(
                said(
                    f"{slug}-and-others",
                    make(chosen),
                    "What shows some faults shows all.",
                    _ONE.format(box=fault.box, shows=fault.shows) + _NEXT,
                    *fault.hints,
                    variants=tuple(make(each) for each in later if each != chosen),
                )
            )
    return tuple(found)


def _alone(fault: Fault) -> Iterator[Instead]:
    for name in fault.instead:
        yield ((fault.name, name),)


def _with_later(fault: Fault, later: Sequence[Fault], both: int) -> Iterator[Instead]:
    for other in later:
        for name, its in product(fault.instead[:both], other.instead[:both]):
            yield ((fault.name, name), (other.name, its))
    for pair in combinations(later, 2):
        yield tuple((each.name, each.instead[0]) for each in (fault, *pair))


def _next(faults: Sequence[Fault], i: int, many: int) -> Instead:
    """Miss the fault and those after it; the list continues with the first after the last."""
    missed = [*faults[i:], *faults[:i]][: max(many, 4)]
    return tuple((each.name, each.instead[0]) for each in missed)
