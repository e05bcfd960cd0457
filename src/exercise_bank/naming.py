"""Mistakes of an exercise that names the fault of a closed box: a fault that is not recognised."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from exercise_bank.skills import said
from plaincourse.exercise import Kind, Misconception

#: What is answered in place of a fault's name: pairs of the two names.
Instead = tuple[tuple[str, str], ...]

#: What is said besides where the same answer may miss other faults, too.
_MORE = " Other lines of the list that are not met may each stand for a further fault you miss."


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault, and how an answer misses it.

    Attributes:
        name: the name that the answer should give.
        box: the box that has it: "the decoder that moves its pointer by 1".
        shows: when it shows and when it does not, as whole sentences.
        hints: what to ask the box instead.
        instead: the names that answers give in its place, the likeliest first.
        kind: what is wrong in an answer that misses this fault alone.
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
) -> tuple[Misconception, ...]:
    """Return a mistake for each fault: it is not recognised, alone or with one or two later ones.

    Args:
        make: from what is answered in place of a name to the wrong answer.
        faults: in the order in which an answer looks for them.
        known: the answers that another mistake explains.
        both: how many names are tried in place of each of two faults that are missed together.
    """
    found = []
    for i, fault in enumerate(faults):
        ways = [each for each in _ways(fault, faults[i + 1 :], both) if each not in known]
        if ways:
            answer, *variants = map(make, ways)
            more = _MORE if any(len(each) > 1 for each in ways) else ""
            found.append(
                said(
                    f"misses-{fault.name.replace(' ', '-')}",
                    answer,
                    "What shows other faults shows this one.",
                    f"You do not recognise {fault.box}. {fault.shows}{more}",
                    *fault.hints,
                    variants=tuple(variants),
                    kind=fault.kind,
                )
            )
    return tuple(found)


def _ways(fault: Fault, later: Sequence[Fault], both: int) -> Iterator[Instead]:
    for name in fault.instead:
        yield ((fault.name, name),)
    for other in later:
        for name, its in product(fault.instead[:both], other.instead[:both]):
            yield ((fault.name, name), (other.name, its))
    for pair in combinations(later, 2):
        yield tuple((each.name, each.instead[0]) for each in (fault, *pair))
