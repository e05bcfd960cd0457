"""Exercise 09.backup: two heads that can replace each other."""

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from torch import Generator, Tensor

from exercise_bank.ch09 import circuits
from exercise_bank.ch09.circuits import Loss, Pair, drawn
from exercise_bank.ch09.mistakes.backup import MISCONCEPTIONS
from exercise_bank.draws import more
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

BEYOND = "more together than each alone"
NO_CHAIN = "backups and chains differ"


def nothing_else(g: Generator) -> list[Inputs]:
    """Draw models in which no other head matters. The first head and the last are never a pair."""
    return [drawn(g, 6 + more(g), pair) for pair in ((1, 3), (2, 4), (1, 4))]


def others_needed(g: Generator) -> list[Inputs]:
    """Draw models with two further necessary heads, or with three that are of some use."""
    return [
        drawn(g, 6 + more(g), (2, 4), needed=2),
        drawn(g, 6 + more(g), (1, 3), useful=3),
        drawn(g, 6 + more(g), (1, 4), needed=2),
    ]


def work_of_their_own(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 6 + more(g), (1, 4), needed=2, own="much"),
        drawn(g, 6 + more(g), (1, 3), useful=3, own="some"),
        drawn(g, 6 + more(g), (2, 4), needed=2, own="one"),
    ]


def a_chain(g: Generator) -> list[Inputs]:
    pairs = ((1, 3), (2, 4), (1, 4))
    return [drawn(g, 6 + more(g), p, chain=c) for p, c in zip(pairs, (2, 3, 2), strict=True)]


def whole(g: Generator) -> list[Inputs]:
    return [
        drawn(g, 7 + more(g), (2, 5), needed=1, chain=2, reader=True, own="much"),
        drawn(g, 9 + more(g), (1, 4), useful=3, chain=2, reader=True, own="some"),
        drawn(g, 8 + more(g), (3, 6), needed=2, chain=3, reader=True, own="one"),
    ]


def first_and_last(g: Generator) -> list[Inputs]:
    ways = (3, (0, 2)), (6 + more(g), (0, 3)), (6, (2, 5))
    ends = [drawn(g, heads, pair, needed=2 if heads > 3 else 0) for heads, pair in ways]
    return [*ends, drawn(g, 6, (2, 5), needed=2, stir=(0, 1))]


def paired(answer: Callable[..., Any], inputs: Inputs) -> Any:
    """Call an answer; accept a pair in any order and in any collection."""
    return as_pair(answer(**inputs))


def as_pair(given: Any) -> Any:
    """Return two head numbers in ascending order; return anything else unchanged."""
    if isinstance(given, Tensor) and given.ndim == 1:
        given = given.tolist()
    if not isinstance(given, (tuple, list, set, frozenset)) or len(given) != 2:
        return given
    heads = [x.item() if isinstance(x, Tensor) and x.ndim == 0 else x for x in given]
    if any(isinstance(x, bool) or not isinstance(x, int) for x in heads):
        return given
    return tuple(sorted(heads))


def two_heads(inputs: Inputs, answer: object) -> str | None:
    """Return the reason why a pair is wrong, with its losses and those of the right pair."""
    loss, heads = inputs["loss"], inputs["heads"]
    right = backup(loss, heads)
    if answer == right:
        return None
    if as_pair(answer) != answer or not isinstance(answer, tuple) or len(answer) != 2:
        return f"return a tuple of two head numbers; yours is {answer!r}"
    if answer[0] == answer[1] or min(answer) < 0 or max(answer) >= heads:
        return f"return two different numbers from 0 to {heads - 1}; yours are {answer}"
    return (
        f"without your heads {costs(loss, answer)}; without heads {costs(loss, right)}. "
        "That is more than the two rises together, because each of them does part of the other's "
        "work when the other is gone"
    )


def costs(loss: Loss, pair: Pair) -> str:
    """Describe the rise of the loss without each head of a pair, and without both."""
    whole_loss = loss([])
    one, other, both = (loss(gone) - whole_loss for gone in ([pair[0]], [pair[1]], [*pair]))
    i, j = pair
    return f"{i} and {j} the loss rises by {one:.2f} and {other:.2f}, without both by {both:.2f}"


def with_its_heads(inputs: Inputs) -> Inputs:
    """Show the work of the heads in a box."""
    what = circuits.told(inputs["loss"])
    return {"loss": inputs["loss"], "work of the heads": what, "heads": inputs["heads"]}


def backup(loss: Loss, heads: int) -> tuple[int, int]:
    """Compare the loss without two heads with the losses without one of them."""

    def excess(pair: Pair) -> float:
        i, j = pair
        return loss([i, j]) - loss([i]) - loss([j])

    return max(combinations(range(heads), 2), key=excess)


def by_rises(loss: Loss, heads: int) -> tuple[int, int]:
    whole_loss = loss([])
    alone = [loss([head]) - whole_loss for head in range(heads)]
    best, found = -1.0, (0, 0)
    for i in range(heads):
        for j in range(i + 1, heads):
            beyond = loss([i, j]) - whole_loss - alone[i] - alone[j]
            if beyond > best:
                best, found = beyond, (i, j)
    return found


def by_one_that_is_gone(loss: Loss, heads: int) -> set[int]:
    """Compare each head's effect with and without another one."""

    def worth(head: int, gone: Iterable[int]) -> float:
        return loss([*gone, head]) - loss([*gone])

    gains: dict[Pair, float] = {
        (i, j): worth(i, [j]) - worth(i, []) for i in range(heads) for j in range(heads) if i != j
    }
    return set(max(gains.items(), key=lambda found: found[1])[0])


def by_ratio(loss: Loss, heads: int) -> list[int]:
    whole_loss = loss([])
    ratios: dict[Pair, float] = {}
    for i, j in combinations(range(heads), 2):
        each = loss([i]) + loss([j]) - 2 * whole_loss
        ratios[i, j] = (loss([i, j]) - whole_loss) / each
    return list(max(ratios.items(), key=lambda found: found[1])[0])


TASK = Exercise(
    id="09.backup",
    title="Two heads that replace each other",
    level="hard",
    minutes=10,
    concepts=("ablation", "weights-are-not-explanations"),
    reference=backup,
    call=paired,
    shown=with_its_heads,
    rungs=(
        Rung(
            name="all other heads do nothing",
            points=0.25,
            idea=BEYOND,
            draw=nothing_else,
            law=two_heads,
        ),
        Rung(
            name="two other heads are needed alone",
            points=0.75,
            idea=BEYOND,
            draw=others_needed,
            law=two_heads,
        ),
        Rung(
            name="the two also have work of their own",
            points=1.5,
            idea=BEYOND,
            draw=work_of_their_own,
            law=two_heads,
        ),
        Rung(
            name="other heads are links of a chain",
            points=1.25,
            idea=NO_CHAIN,
            draw=a_chain,
            law=two_heads,
        ),
        Rung(
            name="all of it, and a head that reads from both",
            points=1.0,
            idea=NO_CHAIN,
            draw=whole,
            law=two_heads,
        ),
        Rung(
            name="the first head and the last, and small effects that add up",
            points=0.25,
            draw=first_and_last,
            law=two_heads,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="rises above the whole model", answer=by_rises),
        Alternative(name="what a head is worth if another is gone", answer=by_one_that_is_gone),
        Alternative(name="the ratio of the rises", answer=by_ratio),
    ),
    hints=(
        "If two heads do the same work, how large is the loss without one of them, and how large "
        "without both?",
        "Two heads that are both needed cost much together as well. How much would you expect "
        "there, from the losses without one head?",
        "Expected without both: the two rises added up. Look for the pair whose loss lies furthest "
        "above that. In a chain it lies below.",
    ),
)
