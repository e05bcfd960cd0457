"""Exercise 13.window_with_sinks: the tokens in a ring with sinks, and their positions."""

from typing import Any

from torch import Generator

from exercise_bank.ch13.mistakes.window_with_sinks import MISCONCEPTIONS
from exercise_bank.draws import more, some
from exercise_bank.skills import rung
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Law

Two = tuple[list[int], list[int]]
NAMES = ("first", "second")


def drawn(n: int, window: int, sinks: int) -> Inputs:
    return {"n": n, "window": window, "sinks": sinks}


def not_yet_full(g: Generator) -> list[Inputs]:
    window = some(g, 4, 7)
    a, b, c = more(g, 4), more(g, 4), more(g, 4)
    return [
        drawn(3 + a, 3 + a, 1),
        drawn(3 + b, 4 + b, 1),
        drawn(window + 2 + c, window + c, 2),
        drawn(4 + c, window + c, 3),
    ]


def once_round(g: Generator) -> list[Inputs]:
    window, sinks = some(g, 4, 6) + more(g, 4), some(g, 1, 3)
    a, b, c = more(g, 4), more(g, 4), more(g, 4)
    return [
        drawn(5 + a, 3 + a, 1),
        drawn(6 + b, 3 + b, 1),
        drawn(7 + c, 3 + c, 2),
        drawn(sinks + window + some(g, 1, window - 1), window, sinks),
    ]


def many_times_round(g: Generator) -> list[Inputs]:
    window, sinks = some(g, 3, 6) + more(g, 4), some(g, 1, 4)
    return [
        drawn(12 + more(g, 6), 3, 1),
        drawn(sinks + window * some(g, 3, 5) + some(g, 1, window - 1), window, sinks),
        drawn(1030 + more(g, 40), 5, 4),
    ]


def edges(g: Generator) -> list[Inputs]:
    window, a = some(g, 3, 6) + more(g, 4), more(g, 4)
    return [
        drawn(5 + a, 3 + a, 0),
        drawn(window * 2 + 1, window, 0),
        drawn(2 + a, 3, 4 + a),
        drawn(7 + more(g, 4), 1, 2),
        drawn(0, 3, 2),
    ]


def window_with_sinks(n: int, window: int, sinks: int) -> Two:
    """Return the token in each place, and its position in the cache."""
    held = list(range(min(n, sinks)))
    for t in range(sinks, n):
        place = sinks + (t - sinks) % window
        held[place : place + 1] = [t]
    rotary = [sorted(held).index(t) for t in held]
    return held, rotary


def by_numbers_dropped(n: int, window: int, sinks: int) -> Two:
    dropped = max(0, n - sinks - window)
    held = []
    for place in range(min(n, sinks + window)):
        t = place
        while place >= sinks and t + window < n:
            t += window
        held.append(t)
    return held, [t if t < sinks else t - dropped for t in held]


def by_turning(n: int, window: int, sinks: int) -> Two:
    first = list(range(min(sinks, n)))
    last = list(range(max(sinks, n - window), n))
    turn = (n - sinks) % window if n > sinks + window else 0
    cut = len(last) - turn
    held = first + last[cut:] + last[:cut]
    order = first + last
    return held, [order.index(t) for t in held]


def by_a_table(n: int, window: int, sinks: int) -> Two:
    table: dict[int, int] = {}
    for t in range(n):
        table[t if t < sinks else sinks + (t - sinks) % window] = t
    held = [table[place] for place in sorted(table)]
    return held, [sum(other < t for other in held) for t in held]


def listed(number: int) -> Law:
    """Make a law about one of the two lists, place by place."""

    def law(inputs: Inputs, answer: Any) -> str | None:
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            return "return a tuple of two lists: the tokens in the places, and their positions"
        right, name = window_with_sinks(**inputs), NAMES[number]
        wanted, yours, tokens = right[number], answer[number], right[0]
        if number == 1 and whole_numbers(answer[0]) and skipping(answer[0], inputs["n"]):
            tokens = answer[0]  # may differ in tokens or order: ranks must fit the answer's list
            wanted = [sorted(tokens).index(t) for t in tokens]
        if not isinstance(yours, (list, tuple)):
            return f"your {name} list should hold whole numbers; it is a {type(yours).__name__}"
        if len(yours) != len(wanted):
            return f"{len(wanted)} places are in use; your {name} list has {len(yours)} entries"
        for place, (x, y) in enumerate(zip(wanted, yours, strict=True)):
            if x != y and number == 0:
                return f"place {place} holds token {x} now; your first list has {y} there"
            if x != y:
                return (
                    f"{x} of the tokens in the cache come before token {tokens[place]} in the "
                    f"text, so its position is {x}; your positions are {show(list(yours))}"
                )
        return None

    return law


def whole_numbers(found: Any) -> bool:
    return isinstance(found, (list, tuple)) and all(isinstance(x, int) for x in found)


def skipping(held: list[int], n: int) -> bool:
    """Return whether tokens are some of the first n, all different, including the newest."""
    return 0 < len(held) == len(set(held)) < n == max(held) + 1


def kept(inputs: Inputs, answer: Any) -> str | None:
    """Report a token that is wrongly kept or missing, in any place."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2 or not whole_numbers(answer[0]):
        return "return a tuple of two lists: the tokens in the places, and their positions"
    wanted, yours = window_with_sinks(**inputs)[0], answer[0]
    for t in sorted({*wanted, *yours}):
        if yours.count(t) != wanted.count(t):
            should = "in one place" if t in wanted else "in no place"
            return f"token {t} is {should} now; your first list has it {yours.count(t)} times"
    return None


def looking_through(law: Law) -> Law:
    """Make a law ignore the order of the lists, the first rank, and a token too many."""

    def look(inputs: Inputs, answer: Any) -> str | None:
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            return law(inputs, answer)
        if not all(whole_numbers(each) and each for each in answer):
            return law(inputs, answer)
        held, rotary = answer
        if sorted(held) == list(range(len(held))):
            held, rotary = rotary, held
        if sorted(rotary) == list(range(1, len(rotary) + 1)):
            rotary = [x - 1 for x in rotary]
        newest = max(held)
        near = abs(newest + 1 - inputs["n"]) <= 1
        return law({**inputs, "n": newest + 1} if near else inputs, (held, rotary))

    return look


def both(inputs: Inputs, answer: Any) -> str | None:
    return listed(0)(inputs, answer) or listed(1)(inputs, answer)


def wrapped(g: Generator) -> list[Inputs]:
    return once_round(g) + many_times_round(g)


TASK = Exercise(
    id="13.window_with_sinks",
    title="A ring with sinks",
    level="medium",
    minutes=10,
    concepts=("window-with-sinks", "cached-equals-uncached"),
    reference=window_with_sinks,
    rungs=(
        rung("while nothing is dropped", 0.5, not_yet_full, both),
        rung(
            "the sinks and the last tokens are kept, in any place",
            0.75,
            wrapped,
            looking_through(kept),
            "sinks stay, the oldest goes",
        ),
        rung(
            "places that are written over once",
            0.75,
            once_round,
            looking_through(listed(0)),
            "tokens do not move",
        ),
        rung(
            "places that are written over many times",
            0.75,
            many_times_round,
            looking_through(listed(0)),
            "tokens do not move",
        ),
        rung(
            "the rotary position of the token in each place",
            1.75,
            wrapped,
            looking_through(listed(1)),
            "positions are ranks in the cache",
        ),
        rung("no sinks, fewer tokens than sinks, a window of 1, nothing read", 0.5, edges, both),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by the number dropped", answer=by_numbers_dropped),
        Alternative(name="by turning the last tokens", answer=by_turning),
        Alternative(name="by a table of places", answer=by_a_table),
    ),
    hints=(
        "Draw the places for one sink and a window of 3, and write the tokens 0 to 6 into them in "
        "turn. Which place does token 4 take?",
        "The ring begins after the sinks, with the first token that is not a sink.",
        "Count token t from the first that is not a sink. Its place in the ring is that number "
        "modulo the window. A rotary position is a rank: how many tokens in the cache are older?",
    ),
    equivalents={
        "window_with_sinks: line 2: n and sinks swapped in min(n, sinks)": "a minimum has no order",
    },
)
