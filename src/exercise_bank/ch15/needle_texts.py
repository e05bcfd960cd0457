"""The facts, the haystacks and the readers for 15.needle."""

import torch
from torch import Generator

from exercise_bank.ch15.readers import Reader, reader
from exercise_bank.draws import more, some
from plaincourse.exercise import Inputs

Facts = list[tuple[str, str]]
FILLERS = (
    "Rain fell all day.", "A door stood open.", "No one came.", "The road was long.",
    "Snow lay on the roof.", "They spoke of the war.", "A dog barked.", "Bread was dear.",
    "The river rose.", "It grew late.", "Old songs were sung.", "The lamp went out.",
    "Two men waited.", "Wind came from the north.", "The gate was shut.", "Hay was brought in.",
)  # fmt: skip
KEYS = ("Maren", "Tom", "Ilse", "Bo", "Henrik", "Ada", "Jonas")
VALUES = ("harp", "cat", "silver", "oak", "lantern", "ship", "art")


def facts_of(g: Generator, n: int) -> Facts:
    """Draw facts without repeated keys or values, none of which occur in the fillers."""
    values = torch.randperm(len(VALUES), generator=g).tolist()
    return [(KEYS[i], VALUES[values[i]]) for i in range(n)]


def drawn(
    model: Reader, facts: Facts, lengths: list[int], depths: list[float], *more: str
) -> Inputs:
    """Make inputs; further sentences of the haystack come before its fillers."""
    return {"model": model, "sentences": [*more, *FILLERS], "facts": facts, "lengths": lengths,
            "depths": depths}  # fmt: skip


def placed(g: Generator) -> list[Inputs]:
    """Draw readers that tolerate a needle one place, or one sentence, away.

    The length of each haystack depends on the seed, so that shares for another seed are rarely
    right.
    """
    facts = facts_of(g, 3)
    a, b, c, d, e = (2 * more(g) for _ in range(5))
    some_missed = (KEYS[some(g, 0, 2)].lower(),)
    parts = [0.0, 0.5, 1.0]
    return [
        drawn(reader(), facts[:1], [3 + a], [0.5]),
        drawn(reader(misses=some_missed), facts, [5 + b, 9 + b], [0.0, 1.0]),
        drawn(reader(first=3), facts[:1], [9, 11 + c], parts),
        drawn(reader(last=3), facts[:2], [9, 11 + d], parts),
        drawn(reader(first=7, misses=some_missed), facts, [9, 17], parts),
        drawn(reader(single=True), facts, [9 + e], parts),
    ]


def worded(g: Generator) -> list[Inputs]:
    """Draw replies that contain the value, spelled exactly and between spaces.

    At depth 0.4 no whole length puts the needle halfway between two places.
    """
    facts = facts_of(g, 4)
    a, b, c = (more(g, 6) for _ in range(3))
    return [
        drawn(reader(says="It is {} I think"), facts[:1], [3 + a], [0.4]),
        drawn(reader(says="the {} of course", misses=(KEYS[1].lower(),)), facts, [5 + b], [0.4]),
        drawn(reader(says="I read of {} there"), facts[:3], [4 + c], [0.0, 1.0]),
    ]


def not_said(g: Generator) -> list[Inputs]:
    """Draw replies with a longer word that contains the value, or with the values of two facts."""
    facts, a, b, c = facts_of(g, 3), more(g), more(g), more(g)
    (first, own), (second, other) = facts[:2]
    never = (second.lower(),)
    return [
        drawn(reader(says="un{} I think"), facts[:2], [3 + a], [0.4]),
        drawn(reader(says=f"{{}} or {other} I think", misses=never), facts[:2], [3 + b], [0.4]),
        drawn(reader(says=f"{other} or {{}} it was", misses=never), facts[:2], [4 + c], [0.0, 1.0]),
        drawn(reader(says=f"{{}} or {other} I think", loud=True, misses=never), facts[:2], [5 + c],
              [0.4]),
        drawn(reader(says="un{} I think", misses=(first.lower(),)), facts[:2], [5 + b], [0.4],
              f"The {own}s lay there."),
        drawn(reader(says=f"{{}} or {other} I think", misses=never), facts[:2], [4 + a], [0.4],
              f"They lost a {other} there."),
        drawn(reader(says="the {}s there"), facts, [5 + a], [0.4]),
        drawn(reader(says=f"all of {' or '.join(v for _, v in facts)} I think"), facts, [4 + b],
              [0.0, 1.0]),
    ]  # fmt: skip


def given_away(g: Generator) -> list[Inputs]:
    """Draw haystacks with the key or value of a fact, and a fact that is known beforehand."""
    facts, i, a, b = facts_of(g, 3), some(g, 0, 1), more(g), more(g)
    key, value = facts[i]
    missed = reader(misses=(key.lower(),))
    return [
        drawn(missed, facts[: i + 2], [4 + a], [0.0, 1.0], f"They lost a {value} there."),
        drawn(missed, facts, [5 + b], [0.0, 1.0], f"Then {key} went home."),
        {**drawn(missed, facts[: i + 2], [4 + b], [0.0, 1.0]),
         "sentences": [*FILLERS, f"They lost a {value} there."]},
        drawn(reader(knows={key.lower(): value}, first=3), facts[: i + 2], [9 + a], [0.0, 1.0]),
        drawn(reader(knows={key.lower(): value}, first=3), facts, [11 + b], [0.0, 1.0]),
    ]  # fmt: skip


def places(g: Generator) -> list[Inputs]:
    facts, k = facts_of(g, 1), some(g, 2, 3)
    depths = [0.0, 0.2, 0.4, 0.85, 1.0]
    return [
        drawn(reader(last=1), facts, [3], [0.0, 1.0]),
        drawn(reader(first=1), facts, [5], [0.0, 1.0]),
        drawn(reader(first=k), facts, [5, 12], depths),
        drawn(reader(first=3), facts, [12], [0.2]),
        drawn(reader(last=2), facts, [9, 12], depths),
        drawn(reader(first=1, last=2), facts, [4, 8], [0.0, 0.3, 0.7, 1.0]),
        drawn(reader(first=5), facts_of(g, 2), [6, 14], depths),
    ]


def sizes(g: Generator) -> list[Inputs]:
    facts, k = facts_of(g, 3), some(g, 6, 8)
    a, b, c = more(g), more(g), more(g)
    return [
        drawn(reader(limit=5 + a), facts[:1], [3 + a, 5 + a, 7 + a], [0.4]),
        drawn(reader(single=True), facts, [5 + b], [0.0, 0.4, 1.0]),
        drawn(reader(limit=k, single=True, misses=("ilse",)), facts, [k - 1, k, k + 1], [0.0, 1.0]),
        drawn(reader(tale=FILLERS), facts[:2], [5 + c, 8 + c], [0.0, 0.4]),
        drawn(reader(exact=True), facts[:2], [4 + c], [0.4]),
    ]


def wordings(g: Generator) -> list[Inputs]:
    facts = facts_of(g, 6)
    value = facts[0][1]
    return [
        drawn(reader(says="It is {}."), facts[:1], [3], [0.5]),
        drawn(reader(says="the {} I think"), facts[:2], [3], [0.5]),
        drawn(reader(says=f"{value.upper()}, one of the {value}s"), facts[:1], [3], [0.5]),
        drawn(reader(loud=True), facts[:1], [3], [0.5]),
        drawn(reader(says=f"No {facts[1][1]}s there: {{}}"), facts[:2], [3], [0.5]),
        drawn(reader(says="all"), facts, [4], [0.0, 1.0]),
        drawn(reader(says="all", loud=True, last=2), facts, [3, 5], [0.0, 1.0]),
        drawn(reader(says="The word, as far as I remember what I read, is {}, no other."),
              facts[:3], [5], [0.5]),
    ]  # fmt: skip


def unspaced(g: Generator) -> list[Inputs]:
    """Draw words that end at a digit, _ or an apostrophe, in replies and in the haystack."""
    facts, i, a = facts_of(g, 3), some(g, 0, 2), more(g)
    key, value = facts[i]
    missed = reader(misses=(key.lower(),))
    return [
        drawn(reader(says="It is {}2, I think"), facts[:1], [3], [0.5]),
        drawn(reader(says="_{}_"), facts, [3 + a], [0.4]),
        drawn(reader(says="the '{}'"), facts, [4 + a], [0.4]),
        drawn(missed, facts, [3 + a], [0.0, 1.0], f"They saw {key}'s hat there."),
        drawn(missed, facts, [4 + a], [0.0, 1.0], f"They lost {value}_{some(g, 1, 9)} there."),
        drawn(missed, facts, [3], [0.0, 1.0], f"They asked {key}{some(g, 1, 9)} there."),
    ]


def wrong_words(g: Generator) -> list[Inputs]:
    facts = facts_of(g, 4)
    other = facts[1][1]
    everything = ", ".join(value for _, value in facts)
    return [
        drawn(reader(says="{}s"), facts[:1], [3], [0.5]),
        drawn(reader(says="un{}"), facts[:2], [3], [0.5]),
        drawn(reader(says="{} or " + other), facts[:2], [3], [0.5]),
        drawn(reader(says=f"One of {everything}."), facts, [4], [0.0, 1.0]),
        drawn(reader(says=other), facts, [5], [0.5]),
        drawn(reader(says=f"Not {other.upper()}: {{}}"), facts[1:], [5], [0.5]),
        drawn(reader(says="{} or " + other), facts, [5], [0.5], f"They lost a {other}."),
    ]


def told(g: Generator) -> list[Inputs]:
    facts, i = facts_of(g, 4), some(g, 0, 1)
    (key, own), (_, value) = facts[i], facts[i + 1]
    blind = reader(last=2, misses=(facts[3][0].lower(),))
    hasty = reader(last=2, says="I think it was {}", loud=True)
    shown = ["Rain fell.", "The cat slept.", "A door stood open.", "It grew late."]
    return [
        {"model": hasty, "sentences": shown, "facts": [("Maren", "harp"), ("Tom", "cat")],
         "lengths": [3, 5], "depths": [0.0, 1.0]},
        drawn(blind, facts[:3], [4], [0.0, 1.0], f"They lost a {value}."),
        drawn(blind, facts[:3], [4], [0.0, 1.0], f"Then {key} went home.",
              f"A {value} was lost."),
        drawn(blind, facts, [5], [1.0], f"“{value.title()}!”, {key} cried."),
        drawn(blind, facts, [3], [1.0], f"The word of {key} is {own}."),
        drawn(blind, facts, [3], [1.0], f"A {own} was lost.", f"Then {key} went home."),
        drawn(blind, facts, [3], [0.0, 1.0], f"The {value}like {value}s, the un{value}.",
              f"{key}s and {key}land."),
        drawn(blind, facts, [3], [1.0], f"“{key.upper()}!” they cried."),
        drawn(blind, facts, [3], [1.0], f"They cried {key.upper()} {own.upper()} again."),
        drawn(blind, facts, [3], [1.0], f"“{own}” was cried."),
        {**drawn(blind, facts, [3], [1.0]),
         "sentences": [*FILLERS[:9], f"{key} asked: was it the {own.upper()}?"]},
    ]  # fmt: skip


def known(g: Generator) -> list[Inputs]:
    facts = facts_of(g, 4)
    a, b = facts[some(g, 0, 1)], facts[2]
    always = {a[0].lower(): a[1]}
    twice = always | {b[0].lower(): b[1]}
    wrong = {a[0].lower(): b[1], b[0].lower(): "nothing"}
    shy = reader(knows=always, limit=3, first=1)
    return [
        drawn(reader(knows=always, first=1), facts[:3], [3], [0.0, 1.0]),
        drawn(shy, facts[:3], [3], [0.0]),
        drawn(reader(knows=always, limit=1), facts[:3], [3, 4], [0.0]),
        drawn(reader(knows=twice, says="all", last=2), facts, [5, 7], [0.0, 0.5]),
        drawn(reader(knows=wrong), facts, [4], [0.0, 1.0]),
        drawn(reader(knows=always, says="{} or " + b[1]), facts, [3], [1.0]),
        drawn(reader(knows=always, misses=(b[0].lower(),)), facts, [3], [1.0],
              f"A {facts[3][1]} was lost."),
    ]  # fmt: skip


def nothing_left(g: Generator) -> list[Inputs]:
    facts = facts_of(g, 2)
    (a, x), (b, y) = facts
    return [
        drawn(reader(), facts, [3], [0.5], f"{a} had a {y} once."),
        drawn(reader(knows={a.lower(): x, b.lower(): y}), facts, [3], [0.5]),
        drawn(reader(knows={a.lower(): x}), facts, [3], [0.5], f"{b} slept."),
    ]
