"""Events for 16.shared_prefixes."""

from typing import Any

from torch import Generator

from exercise_bank.draws import some
from exercise_bank.skills import Draw
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Inputs

Event = tuple[Any, ...]


def begin(name: str, *tokens: int) -> list[Event]:
    return [("begin", name, list(tokens))]


def add(name: str, *tokens: int) -> list[Event]:
    return [("append", name, token) for token in tokens]


def end(*names: str) -> list[Event]:
    return [("end", name) for name in names]


def drawn(size: int, *parts: list[Event]) -> Inputs:
    return {"size": size, "events": [each for part in parts for each in part]}


def begun(draw: Draw) -> Draw:
    """Let a draw give hidden inputs one more request, which occupies the first pages."""

    def drawing(g: Generator) -> list[Inputs]:
        if not isinstance(g, Fresh):
            return list(draw(g))
        return [
            {**each, "events": begin("first", *range(100, 101 + some(g, 0, 9))) + each["events"]}
            for each in draw(g)
        ]

    return drawing


def alone(g: Generator) -> list[Inputs]:
    n = some(g, 4, 7)
    return [
        drawn(2, begin("a", 5, 6, 7)),
        drawn(3, begin("a", 1, 2, 3), begin("b", 4, 5), add("b", 6), add("a", 9)),
        drawn(3, begin("a", 1, 2, 3), add("a", *range(n)), begin("b", 8, 8, 8, 8)),
        drawn(4, begin("a", 7), add("a", 1, 2, 3), begin("b", 6)),
    ]


def shared(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 9)),
        drawn(2, begin("a", 1, x, 3), begin("b", 1, x, 3), begin("c", 1, x, 3, 4)),
        drawn(
            2, begin("a", 1, 2, 3, 4, 5), begin("b", 1, 2, 3, 4, 9, 9, 9), begin("c", 1, 2, 3, 9)
        ),
        drawn(3, begin("a", 1, 2, x, 4, y), begin("b", 1, 2, x, 4, y), begin("c", 1, 2, y, 4)),
        drawn(
            2, begin("a", x, y, 3), begin("b", y, x, 3), begin("c", x, y, 9), begin("d", y, x, 1)
        ),
        drawn(2, begin("a", x, y, x, y, 1), begin("b", x, y, 3, 4, 5), begin("c", x, y, 3, 4, 6)),
    ]


def other_beginnings(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3, 4, 5), begin("b", 9, 9, 3, 4, 5)),
        drawn(2, begin("a", 1, 2, 3, 4, 5), begin("b", 3, 4, 5)),
        drawn(2, begin("a", x, y, x, y, 5)),
        drawn(2, begin("a", 1, 12, 5), begin("b", 11, 2, 5)),
        drawn(2, begin("a", x, y, 5), begin("b", x + 1, y - 1, 5)),
        drawn(1, begin("a", 1, x, y, 7), begin("b", 2, x, y, 7), begin("c", 2, x, y, 5)),
        drawn(2, begin("a", 1, 2, x, y, 5, 6, 1), begin("b", 3, 4, x, y, 5, 6, 1)),
    ]


def whole_prompts(g: Generator) -> list[Inputs]:
    x, size = some(g, 10, 19), some(g, 3, 5)
    text = list(range(x, x + 2 * size))
    return [
        drawn(2, begin("a", 1, 2), begin("b", 1, 2)),
        drawn(2, begin("a", 1, 2, 3, 4), begin("b", 1, 2, 3, 4), begin("c", 1, 2, 3)),
        drawn(size, begin("a", *text, 1), begin("b", *text)),
        drawn(size, begin("a", *text), begin("b", *text, 1)),
        drawn(size, begin("a", *text), begin("b", *text[:-1])),
        drawn(1, begin("a", x), begin("b", x, 3), begin("c", x, 3)),
    ]


def counted(g: Generator) -> list[Inputs]:
    x, y = some(g, 10, 19), some(g, 20, 29)
    return [
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 4), end("a"), begin("c", 5, 6, 7)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 4), end("b"), begin("c", 5, 6, 7)),
        drawn(2, begin("a", 1, 2, 3), end("a"), begin("b", x, y, 3), begin("c", 1, 2, 3)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 4), begin("c", 5), end("a", "b"), begin("d", 6)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 4), begin("c", 5), end("b", "a"), begin("d", 6)),
        drawn(
            2, begin("a", x, y, 3), begin("b", x, y, 4), begin("c", x, y, 5), end("b", "a"),
            begin("d", x, y, 1), begin("e", 1, 2),
        ),
        drawn(2, begin("a", 1, 2, 3), end("a"), begin("b", x), begin("c", 1, 2, 3)),
        drawn(2, begin("z", 5), begin("a", 1, x, 3), end("z", "a"), begin("b", 1, x, 4)),
        drawn(2, begin("a", x, y, 1), begin("b", 7, 7, 7), begin("c", 8), end("b"), begin("a2", 5)),
    ]  # fmt: skip


def example() -> list[Event]:
    return begin("a", 1, 2, 3, 4) + begin("b", 1, 2, 3, 4) + begin("c", 9, 9, 3, 4, 5)


def generated(g: Generator) -> list[Inputs]:
    x = some(g, 10, 19)
    return [
        drawn(2, begin("a", 1), add("a", 2), begin("b", 1, 2, 3)),
        drawn(3, begin("a", 1, 2, x, 4), add("a", 5), begin("b", 1, 2, x, 4, 5, 6)),
        drawn(2, begin("a", 1, x, 3), begin("b", 1, x, 3), add("a", 4), begin("c", 1, x, 3, 4, 5)),
        drawn(2, begin("a", 1, 2, 3), begin("b", 1, 2, 3), add("a", x), add("b", x), add("b", 1)),
        drawn(2, begin("a", 1, x), begin("b", 1, x), add("b", 3, 4), begin("c", 1, x, 3, 4, 5)),
        drawn(2, example(), add("b", 5), end("a")),
    ]


def of_several(g: Generator) -> list[Inputs]:
    """Draw several free pages, and several with equal content; the lower may be the younger."""
    x = some(g, 10, 19)
    a_and_b = [begin("a", 1, x), begin("b", 1, x)]
    return [
        drawn(2, *a_and_b, begin("c", 1, x, 3)),
        drawn(2, begin("z", 5), begin("a", 1, x), end("z"), begin("b", 1, x), begin("c", 1, x, 3)),
        drawn(2, *a_and_b, end("a"), begin("c", 1, x, 3)),
        drawn(2, *a_and_b, end("b"), begin("c", 1, x, 3)),
        drawn(
            2,
            begin("z", 5),
            begin("a", 1, x, 3, 4, 5),
            end("z"),
            begin("b", 1, x),
            begin("c", 1, x, 3, 4, 6),
        ),
        *(
            drawn(2, begin("a", 1), begin("b", x), begin("c", 5), end(*names), begin("d", 6))
            for names in ("ab", "ba")
        ),
    ]


def coming_and_going(g: Generator) -> list[Inputs]:
    """Draw requests with a common beginning that come and go."""
    x = some(g, 10, 19)
    other = [begin("a", 1, 2, x, 4, 5), begin("b", 9, 9, x, 4, 5), begin("c", 9, 9, x, 4, 6)]
    twins = [begin("a", 1, 2, 3, x), begin("b", 1, 2, 3, x)]
    longer = [begin("z", 9), begin("a", 1, x, 3, 4, 5), end("z"), begin("b", 1, x)]
    return [
        drawn(2, begin("a", 1, 2, x), begin("b", 1, 2, x), begin("c", 1, 3, 4),
              begin("d", 2, 1, 3)),
        drawn(2, example()),
        drawn(2, *other, begin("d", x, 4, 5)),
        drawn(2, begin("a", 1, 2, x, 4, 5, 6, 1), begin("b", 3, 4, x, 4, 5, 6, 1),
              begin("c", 3, 4, x, 4, 5, 6, 2)),
        drawn(2, *twins, begin("c", 1, 2, 3, x, 7)),
        drawn(2, *twins, end("a"), begin("c", 1, 2, 3, x, 7), begin("d", 8, 8, 8)),
        drawn(2, *longer, begin("c", 1, x, 3, 4, 6)),
        drawn(2, begin("a", 1, x, 3), begin("b", 4), begin("c", 5), end("b", "a"), begin("d", 6),
              begin("e", 1, x, 4)),
        drawn(2, begin("a", 1, x, 3), begin("b", 4), begin("c", 5), end("a", "b"), begin("d", 6)),
    ]  # fmt: skip


def told(g: Generator) -> list[Inputs]:
    return [*shared(g), *whole_prompts(g), *generated(g)]


def shared_and_counted(g: Generator) -> list[Inputs]:
    return [*shared(g), *counted(g)]
