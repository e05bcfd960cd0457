"""Exercise 08.restore: from source and target of span corruption back to the text."""

from itertools import pairwise

import torch
from torch import Generator

from plaincourse.bank.ch08.mistakes.restore import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

FIRST, END, FILLER = 90, 99, 0


def cut(g: Generator, kept: list[int], gone: list[int], filler: int = 0) -> Inputs:
    """Draw a text of alternating kept and cut pieces, and cut it."""
    source: list[int] = []
    target: list[int] = []
    for i, (stay, leave) in enumerate(zip(kept, gone, strict=False)):
        source += [*words(g, stay), FIRST + i]
        target += [FIRST + i, *words(g, leave)]
    source += [*words(g, kept[-1] if len(kept) > len(gone) else 0), END]
    target += [FIRST + len(gone), END]
    more = [FILLER] * filler
    sentinels = list(range(FIRST, FIRST + len(gone) + 2))
    return {
        "source": source + more,
        "target": target + more,
        "sentinels": sentinels,
        "end": END,
    }


def words(g: Generator, n: int) -> list[int]:
    drawn: list[int] = torch.randint(1, 60, (n,), generator=g).tolist()
    return drawn


def one_word(g: Generator) -> list[Inputs]:
    return [cut(g, [1, 1], [1]), cut(g, [2, 3], [1])]


def one_span(g: Generator) -> list[Inputs]:
    return [cut(g, [1, 2], [2]), cut(g, [3, 2], [4])]


def several_spans(g: Generator) -> list[Inputs]:
    return [cut(g, [2, 1, 3], [1, 2]), cut(g, [1, 2, 1, 2], [3, 1, 2])]


def at_the_ends(g: Generator) -> list[Inputs]:
    return [cut(g, [0, 2], [2]), cut(g, [2], [3]), cut(g, [0, 2], [1, 2])]


def filled_up(g: Generator) -> list[Inputs]:
    return [cut(g, [1, 1], [1], filler=2), cut(g, [2, 1, 2], [2, 1], filler=3)]


def restore(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    marks = [i for i, token in enumerate(target) if token in sentinels]
    text = source[: source.index(end)]
    for first, last in pairwise(marks):
        place = text.index(target[first])
        text[place : place + 1] = target[first + 1 : last]
    return text


def in_two_passes(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans: dict[int, list[int]] = {}
    for token in target[: target.index(end)]:
        if token in sentinels:
            spans[token] = current = []
        else:
            current.append(token)
    whole: list[int] = []
    for token in source[: source.index(end)]:
        whole += spans.get(token, [token])
    return whole


def reading_on(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    rest, whole = iter(target), []
    token = next(rest)
    for word in source:
        if word == end:
            break
        if word not in sentinels:
            whole.append(word)
            continue
        while token != word:
            token = next(rest)
        token = next(rest)
        while token not in sentinels:
            whole.append(token)
            token = next(rest)
    return whole


TASK = Exercise(
    id="08.restore",
    title="The missing spans, put back",
    level="medium",
    minutes=15,
    concepts=("span-corruption-objective",),
    reference=restore,
    rungs=(
        Rung(name="one missing word", points=1.0, draw=one_word),
        Rung(name="a span of several words", points=1.0, draw=one_span),
        Rung(name="several spans", points=1.0, draw=several_spans),
        Rung(name="spans at the ends", points=1.0, draw=at_the_ends),
        Rung(name="filler behind the end", points=1.0, draw=filled_up),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in two passes", answer=in_two_passes),
        Alternative(name="reading on in the target", answer=reading_on),
    ),
    hints=(
        "Where in the target does the text of the sentinel 91 begin, and where does it stop?",
        "Two passes are easiest: first read the target, then write the text. What would you keep "
        "from the first?",
        "Keep, for each sentinel, the list of words behind it. What then stands in the text for a "
        "token of the source that is a sentinel, and what for one that is none?",
    ),
)
