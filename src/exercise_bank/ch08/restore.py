"""Exercise 08.restore: restore the text from source and target of span corruption."""

from itertools import pairwise

import torch
from torch import Generator

from exercise_bank.ch08.mistakes.restore import MISCONCEPTIONS
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

RISING = tuple(range(90, 99))
WORDS = "words take the place of marks"
KEPT = "the words that stayed keep their order"
NAMES = "each span at its own sentinel"


def cut(
    g: Generator,
    kept: list[int],
    gone: list[int],
    *,
    marks: tuple[int, ...] = RISING,
    end: int = 99,
    filler: tuple[int, ...] = (),
    zero: bool = False,
    most: int = 60,
) -> Inputs:
    """Draw a text of alternating kept and cut pieces, without repeated words, and cut it.

    Args:
        g: draws the words.
        kept: the lengths of the kept pieces, the first one first.
        gone: the lengths of the cut pieces.
        marks: the sentinels in the order in which they are used.
        end: the end token.
        filler: the tokens after the end, in source and target.
        zero: whether one of the kept words is 0.
        most: the largest word that may be drawn.
    """
    words = (1 + torch.randperm(most, generator=g)).tolist()
    words = [w for w in words if w not in (*marks, end)]
    if zero:
        words[0] = 0
    source: list[int] = []
    target: list[int] = []
    for i, leave in enumerate(gone):
        source += [*(words.pop(0) for _ in range(kept[i])), marks[i]]
        target += [marks[i], *(words.pop(0) for _ in range(leave))]
    source += [*(words.pop(0) for _ in range(sum(kept[len(gone) :]))), end]
    target += [marks[len(gone)], end]
    used = marks[: len(gone) + 2]
    return {
        "source": [*source, *filler],
        "target": [*target, *filler],
        "sentinels": sorted(used),
        "end": end,
    }


FALLING, SKIPPING, MIXED = (98, 97, 96, 95, 94), (40, 43, 47, 90, 91), (7, 95, 3, 50, 11)


def one_span(g: Generator) -> list[Inputs]:
    return [cut(g, [1, 1], [1]), cut(g, [2, 3], [1]), cut(g, [3, 2], [4])]


def several_spans(g: Generator) -> list[Inputs]:
    return [cut(g, [2, 1, 3], [1, 2]), cut(g, [1, 2, 1, 2], [3, 1, 2])]


def other_sentinels(g: Generator) -> list[Inputs]:
    """Draw sentinels that fall, leave gaps, or are smaller than words, and an end below all."""
    return [
        cut(g, [2, 1, 1], [1, 2], marks=FALLING, most=88),
        cut(g, [1, 2, 1], [2, 1], marks=SKIPPING, most=88),
        cut(g, [1, 1, 2, 1], [1, 2, 1], marks=MIXED, end=1, most=88),
    ]


def at_the_ends(g: Generator) -> list[Inputs]:
    return [cut(g, [0, 2], [2]), cut(g, [2], [3]), cut(g, [0, 2], [1, 2]), cut(g, [3], [])]


def filled_up(g: Generator) -> list[Inputs]:
    """Draw several kinds of filler after the end, and texts that contain the word 0."""
    return [
        cut(g, [1, 1], [1], filler=(0, 0)),
        cut(g, [2, 1, 2], [2, 1], filler=(89, 89, 89)),
        cut(g, [2, 1], [1], filler=(0,), zero=True),
        cut(g, [2, 1], [2], filler=(99, 99)),
    ]


def whole(g: Generator) -> list[Inputs]:
    example = {
        "source": [5, 90, 6, 99], "target": [90, 7, 8, 91, 99, 0], "sentinels": [90, 91, 92],
        "end": 99,
    }  # fmt: skip
    several = cut(g, [0, 3, 1, 2], [2, 1, 4], marks=MIXED, filler=(0, 0), zero=True, most=88)
    return [example, several, cut(g, [2, 1, 0], [1, 3, 1], marks=FALLING, end=99, filler=(99,))]


def all_words(inputs: Inputs, answer: object) -> str | None:
    """Report lost words, or tokens that are not words of the text.

    An end token after them is ignored.
    """
    if not isinstance(answer, list):
        return f"return a list of token numbers; yours is of type {type(answer).__name__}"
    right = restore(**inputs)
    if answer[-1:] == [inputs["end"]]:
        answer = answer[:-1]
    if sorted(answer) == sorted(right):
        return None
    lost = [word for word in right if word not in answer]
    more = [word for word in answer if word not in right]
    if lost:
        return f"the words {lost} of the text are missing in yours"
    return f"yours holds {more or 'words twice'}, and the text does not"


def in_order(inputs: Inputs, answer: object) -> str | None:
    """Report kept words of the source that are in another order, or lost."""
    if not isinstance(answer, list):
        return f"return a list of token numbers; yours is of type {type(answer).__name__}"
    source = inputs["source"][: inputs["source"].index(inputs["end"])]
    stayed = [word for word in source if word not in inputs["sentinels"]]
    put_back = set(restore(**inputs)) - set(stayed)
    yours = [word for word in answer if word in stayed]
    if yours != stayed:
        return f"the source keeps {stayed}, in this order; of these yours holds {yours}"
    if put_back and not put_back & set(answer):
        return f"none of the words {sorted(put_back)}, which were cut, is in yours"
    return None


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


def by_joining(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    source, target = source[: source.index(end)], target[: target.index(end)]
    cuts = [*(i for i, token in enumerate(target) if token in sentinels), len(target)]
    spans = {target[a]: target[a + 1 : b] for a, b in pairwise(cuts)}
    return [word for token in source for word in spans.get(token, [token])]


def apart_from_marks(inputs: Inputs, answer: object) -> str | None:
    """Report words that differ from the text in its order; sentinels are ignored."""
    if not isinstance(answer, list):
        return f"return a list of token numbers; yours is of type {type(answer).__name__}"
    right, marks = restore(**inputs), {*inputs["sentinels"], inputs["end"]}
    words = [word for word in answer if word not in marks]
    if words == right:
        return None
    without = ", without sentinels and end tokens," if words != answer else ""
    return f"the text is {right}; yours{without} is {words}"


TASK = Exercise(
    id="08.restore",
    title="The missing spans, put back",
    level="medium",
    minutes=15,
    extra=True,
    concepts=("span-corruption-objective",),
    reference=restore,
    rungs=(
        Rung(
            name="rising sentinels: all words of the text and nothing else, in any order",
            points=1.0,
            draw=several_spans,
            law=all_words,
            compare=False,
            idea=WORDS,
        ),
        Rung(
            name="rising sentinels: the words that stayed keep their order, and others are put "
            "back",
            points=0.5,
            draw=several_spans,
            law=in_order,
            compare=False,
            idea=KEPT,
        ),
        rung("one span, put in its place", 0.5, one_span, apart_from_marks, NAMES),
        rung("several spans, each in its place", 0.5, several_spans, apart_from_marks, NAMES),
        rung(
            "several spans, with sentinels that fall, have gaps, or are smaller than words",
            1.5,
            other_sentinels,
            apart_from_marks,
            NAMES,
        ),
        rung("spans at the ends, or none", 0.25, at_the_ends, apart_from_marks),
        Rung(name="filler of any kind behind the end", points=0.5, draw=filled_up),
        Rung(name="all of it", points=0.25, draw=whole),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="in two passes", answer=in_two_passes),
        Alternative(name="reading on in the target", answer=reading_on),
        Alternative(name="joined pieces", answer=by_joining),
    ),
    hints=(
        "Where in the target does the span of the sentinel 91 begin, and where does it end?",
        "Two passes are easiest: first read the target, then write the text. What does the first "
        "pass have to keep?",
        "Keep, for each sentinel, the list of words behind it. What do you write for a token of "
        "the source that is a sentinel, and for any other token?",
    ),
)
