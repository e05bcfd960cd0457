"""Rules of weighted grammars: conditions for finite entropies, and the rules of the tales."""

from collections.abc import Mapping, Sequence

import numpy as np

Given = Mapping[str, Sequence[tuple[float | int, Sequence[str]]]]
Rules = dict[str, tuple[tuple[float, tuple[str, ...]], ...]]

# Foxes, owls, and verbs that agree over a distance.
NOUNS = (
    "fox/foxes owl/owls hen/hens king/kings child/children giant/giants mouse/mice witch/witches"
)
SEEING = "sees/see hears/hear fears/fear loves/love follows/follow"
SLEEPING = "sleeps/sleep sings/sing waits/wait runs/run"
ADJECTIVES = "old young small brave quiet"


def normalised(given: Given) -> Rules:
    """Convert weights to probabilities, and right-hand sides to tuples.

    Args:
        given: for each name its list of (weight, symbols); a string is split at its spaces.

    Raises:
        ValueError: a name has no rule, a right-hand side no symbol, or a weight is not a finite
            number above 0.
    """
    rules: Rules = {}
    for name, sides in given.items():
        if not sides:
            raise ValueError(f"{name!r} has no right-hand side: expected at least one")
        weights = [float(weight) for weight, _ in sides]
        for weight, side in sides:
            if not 0 < weight < float("inf"):
                raise ValueError(f"{name!r}: weight {weight} of {side}: expected a number above 0")
            if not side:
                raise ValueError(f"{name!r} has an empty right-hand side: expected a symbol")
        symbols = [tuple(s.split() if isinstance(s, str) else s) for _, s in sides]
        if len(set(symbols)) < len(symbols):
            raise ValueError(f"{name!r} has the same right-hand side twice: add up their weights")
        rules[name] = tuple(zip([w / sum(weights) for w in weights], symbols, strict=True))
    return rules


def check_rules(rules: Rules, start: str) -> None:
    """Refuse names that are missing, unreachable or endless.

    Args:
        rules: the output of :func:`normalised`.
        start: the name that a sentence begins with.

    Raises:
        ValueError: ``start`` has no rules; a name cannot be reached from it, never ends in words,
            or begins with itself.
    """
    if start not in rules:
        raise ValueError(f"start={start!r} has no rules: expected one of {list(rules)}")
    used = {n: {s for _, side in sides for s in side if s in rules} for n, sides in rules.items()}
    if lost := set(rules) - _reached(used, start) - {start}:
        raise ValueError(f"{sorted(lost)} cannot be reached from {start!r}: a misspelt name?")
    ends: set[str] = set()
    while new := {
        name
        for name, sides in rules.items()
        if name not in ends and any(all(s not in rules or s in ends for s in x) for _, x in sides)
    }:
        ends |= new
    if endless := set(rules) - ends:
        raise ValueError(f"{sorted(endless)} never come to words: add a rule without them")
    first = {n: {side[0] for _, side in sides if side[0] in rules} for n, sides in rules.items()}
    if left := sorted(name for name in rules if name in _reached(first, name)):
        raise ValueError(f"{left} can begin with themselves: turn the rule round, to the right")


def check_length(children: np.ndarray, names: Sequence[str]) -> None:
    """Refuse a grammar whose sentences have no mean length.

    Args:
        children: mean number of each name (columns) in the right-hand side for a name (row).
        names: names of the rows.

    Raises:
        ValueError: the largest eigenvalue is 1 or more.

    Ref: Harris 1963, chapter II (branching processes of several types).
    """
    largest = float(np.abs(np.linalg.eigvals(children)).max())
    if largest >= 1:
        raise ValueError(
            f"a name among {list(names)} is replaced by {largest:.3g} of its kind on average: the "
            "expected length is infinite; lower the weights of the rules that use names again"
        )


def _reached(edges: Mapping[str, set[str]], start: str) -> set[str]:
    """Return the names that can be reached from ``start`` in one or more steps."""
    found: set[str] = set()
    new = set(edges[start])
    while new:
        found |= new
        new = set().union(*(edges[name] for name in new)) - found
    return found


def _pick(pairs: str, number: int) -> list[tuple[float | int, str]]:
    return [(1, pair.split("/")[number]) for pair in pairs.split()]


def _rules() -> Given:
    rules: dict[str, list[tuple[float | int, str]]] = {
        "S": [(1, "Tale0 ."), (1, "Tale1 .")],
        "Anyone": [(1, "Some0"), (1, "Some1")],
        "Known": [(1, "the Noun0"), (1, "the Noun1")],
        "Adjective": [(1, word) for word in ADJECTIVES.split()],
        "How": [(1, word) for word in "today often alone".split()],
    }
    for n in (0, 1):  # 0 = one, 1 = many
        rules |= {
            f"Tale{n}": [(1, f"Some{n} Does{n}")],
            f"Some{n}": [
                (5, f"the Noun{n}"),
                (2, f"the Adjective Noun{n}"),
                (2, f"the Noun{n} near Known"),
                (1.5, f"the Noun{n} that Sees{n} Anyone"),
                (0.75, f"the Noun{n} that the Noun0 Sees0"),
                (0.75, f"the Noun{n} that the Noun1 Sees1"),
            ],
            f"Does{n}": [(3, f"Sees{n} Anyone"), (2, f"Sleeps{n}"), (1, f"Sleeps{n} How")],
            f"Noun{n}": _pick(NOUNS, n),
            f"Sees{n}": _pick(SEEING, n),
            f"Sleeps{n}": _pick(SLEEPING, n),
        }
    return rules


TALE_RULES = _rules()
