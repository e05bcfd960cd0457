"""Exercise 15.needle: a needle test without leaks, for readers in closed boxes."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch15.mistakes.needle import MISCONCEPTIONS
from exercise_bank.ch15.readers import Reader, reader
from exercise_bank.draws import more, some
from exercise_bank.skills import rung, through
from plaincourse.checking.compare import same
from plaincourse.exercise import Alternative, Exercise, Inputs

Facts = list[tuple[str, str]]
Found = tuple[dict[tuple[int, float], float], list[str]]
FILLERS = (
    "Rain fell all day.", "A door stood open.", "No one came.", "The road was long.",
    "Snow lay on the roof.", "They spoke of the war.", "A dog barked.", "Bread was dear.",
    "The river rose.", "It grew late.", "Old songs were sung.", "The lamp went out.",
    "Two men waited.", "Wind came from the north.", "The gate was shut.", "Hay was brought in.",
)  # fmt: skip
KEYS = ("Maren", "Tom", "Ilse", "Bo", "Henrik", "Ada", "Jonas")
VALUES = ("harp", "cat", "silver", "oak", "lantern", "ship", "art")


def facts_of(g: Generator, n: int) -> Facts:
    """Draw facts; no key and no value comes twice, and no filler holds one."""
    values = torch.randperm(len(VALUES), generator=g).tolist()
    return [(KEYS[i], VALUES[values[i]]) for i in range(n)]


def drawn(
    model: Reader, facts: Facts, lengths: list[int], depths: list[float], *more: str
) -> Inputs:
    """Make inputs; what the haystack tells besides its fillers comes first."""
    return {"model": model, "sentences": [*more, *FILLERS], "facts": facts, "lengths": lengths,
            "depths": depths}  # fmt: skip


def placed(g: Generator) -> list[Inputs]:
    """Readers who do not mind one place, or one sentence, more or less."""
    facts, a, b = facts_of(g, 3), 2 * more(g), 2 * more(g)
    some_missed = (KEYS[some(g, 0, 2)].lower(),)
    parts = [0.0, 0.5, 1.0]
    return [
        drawn(reader(), facts[:1], [3 + a], [0.5]),
        drawn(reader(misses=some_missed), facts, [5 + b, 9 + b], [0.0, 1.0]),
        drawn(reader(first=3), facts[:1], [9, 11 + a], parts),
        drawn(reader(last=3), facts[:2], [9, 11 + b], parts),
        drawn(reader(first=7, misses=some_missed), facts, [9, 17], parts),
        drawn(reader(single=True), facts, [9 + a], parts),
    ]


def worded(g: Generator) -> list[Inputs]:
    """Sentences that hold the value, in its own letters and between spaces."""
    facts, a, b = facts_of(g, 4), more(g), more(g)
    return [
        drawn(reader(says="It is {} I think"), facts[:1], [3 + a], [0.5]),
        drawn(reader(says="the {} of course", misses=(KEYS[1].lower(),)), facts, [5 + b], [0.5]),
        drawn(reader(says="I read of {} there"), facts[:3], [4 + a], [0.0, 1.0]),
    ]


def not_said(g: Generator) -> list[Inputs]:
    """Other words that hold the value's letters, and the values of two facts."""
    facts, a, b, c = facts_of(g, 3), more(g), more(g), more(g)
    (first, own), (second, other) = facts[:2]
    never = (second.lower(),)
    return [
        drawn(reader(says="un{} I think"), facts[:2], [3 + a], [0.5]),
        drawn(reader(says=f"{{}} or {other} I think", misses=never), facts[:2], [3 + b], [0.5]),
        drawn(reader(says=f"{other} or {{}} it was", misses=never), facts[:2], [4 + c], [0.0, 1.0]),
        drawn(reader(says=f"{{}} or {other} I think", loud=True, misses=never), facts[:2], [5 + c],
              [0.5]),
        drawn(reader(says="un{} I think", misses=(first.lower(),)), facts[:2], [5 + b], [0.5],
              f"The {own}s lay there."),
        drawn(reader(says="the {}s there"), facts, [5 + a], [0.5]),
        drawn(reader(says=f"all of {' or '.join(v for _, v in facts)} I think"), facts, [4 + b],
              [0.0, 1.0]),
    ]  # fmt: skip


def given_away(g: Generator) -> list[Inputs]:
    """A fact whose key, or value, the haystack tells, and one that the model knows."""
    facts, i, a, b = facts_of(g, 3), some(g, 0, 1), more(g), more(g)
    key, value = facts[i]
    missed = reader(misses=(key.lower(),))
    return [
        drawn(missed, facts[: i + 2], [4 + a], [0.0, 1.0], f"They lost a {value} there."),
        drawn(missed, facts, [5 + b], [0.0, 1.0], f"Then {key} went home."),
        drawn(reader(knows={key.lower(): value}, first=3), facts[: i + 2], [9 + a], [0.0, 1.0]),
        drawn(reader(knows={key.lower(): value}, first=3), facts, [11 + b], [0.0, 1.0]),
    ]


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
        drawn(reader(limit=5 + a), facts[:1], [3 + a, 5 + a, 7 + a], [0.5]),
        drawn(reader(single=True), facts, [5 + b], [0.0, 0.5, 1.0]),
        drawn(reader(limit=k, single=True, misses=("ilse",)), facts, [k - 1, k, k + 1], [0.0, 1.0]),
        drawn(reader(tale=FILLERS), facts[:2], [5 + c, 8 + c], [0.0, 0.5]),
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
        drawn(reader(says="{} or " + other), facts, [4], [0.5], f"They lost a {other}."),
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


def needle(
    model: Callable[[list[str], str], str],
    sentences: list[str],
    facts: list[tuple[str, str]],
    lengths: list[int],
    depths: list[float],
) -> tuple[dict[tuple[int, float], float], list[str]]:
    """Return the share found for each length and depth, and the keys that were asked for."""

    def words(text: str) -> set[str]:
        return set(re.findall("[a-z]+", text.lower()))

    def finds(prompt: list[str], key: str, value: str) -> bool:
        reply = words(model(prompt, f"What is the word of {key}?"))
        named = {other for _, other in facts if other in reply}
        return named == {value}

    told = words(" ".join(sentences))
    kept = [
        (key, value)
        for key, value in facts
        if not told & {key.lower(), value} and not finds([], key, value)
    ]
    if not kept:
        raise ValueError("no fact is left that only the needle tells")
    scores = {}
    for n in lengths:
        for depth in depths:
            place = round(depth * (n - 1))
            found = 0
            for key, value in kept:
                prompt = sentences[: n - 1]
                prompt.insert(place, f"The word of {key} is {value}.")
                found += finds(prompt, key, value)
            scores[n, depth] = found / len(kept)
    return scores, [key for key, _ in kept]


def by_regular_expressions(
    model: Callable[[list[str], str], str],
    sentences: list[str],
    facts: list[tuple[str, str]],
    lengths: list[int],
    depths: list[float],
) -> tuple[dict[tuple[int, float], float], list[str]]:
    def holds(text: str, word: str) -> bool:
        return re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None

    def correct(reply: str, value: str) -> bool:
        others = [v for _, v in facts if v != value]
        return holds(reply, value) and not any(holds(reply, v) for v in others)

    def ask(prompt: list[str], key: str) -> str:
        return model(prompt, f"What is the word of {key}?")

    asked = []
    for key, value in facts:
        if any(holds(s, key) or holds(s, value) for s in sentences):
            continue
        if not correct(ask([], key), value):
            asked.append((key, value))
    if len(asked) == 0:
        raise ValueError("nothing to ask")
    found = {(n, depth): 0.0 for n in lengths for depth in depths}
    for n, depth in found:
        before = int(depth * (n - 1) + 0.5)
        for key, value in asked:
            line = f"The word of {key} is {value}."
            prompt = [*sentences[:before], line, *sentences[before : n - 1]]
            found[n, depth] += correct(ask(prompt, key), value) / len(asked)
    return found, [key for key, _ in asked]


def by_splitting(
    model: Callable[[list[str], str], str],
    sentences: list[str],
    facts: list[tuple[str, str]],
    lengths: list[int],
    depths: list[float],
) -> tuple[dict[tuple[int, float], float], list[str]]:
    def split(text: str) -> list[str]:
        return "".join(c if c.isalpha() else " " for c in text.lower()).split()

    seen = [word for sentence in sentences for word in split(sentence)]
    values = [value for _, value in facts]
    kept, scores = {}, {}
    for key, value in facts:
        guess = split(model([], f"What is the word of {key}?"))
        guessed = [v for v in values if v in guess] == [value]
        if key.lower() not in seen and value.lower() not in seen and not guessed:
            kept[key] = value
    if not kept:
        raise ValueError(f"every one of {len(facts)} facts leaks")
    for depth in depths:
        for n in lengths:
            hits = []
            for key, value in kept.items():
                before = round(depth * (n - 1))
                prompt = [*sentences[:before], f"The word of {key} is {value}."]
                prompt += sentences[before : n - 1]
                reply = split(model(prompt, f"What is the word of {key}?"))
                hits.append([v for v in values if v in reply] == [value])
            scores[(n, depth)] = sum(hits) / len(hits)
    return scores, list(kept)


def right(inputs: Inputs) -> Found:
    """Return the right answer, worked out once for the same inputs."""
    lists = ("sentences", "facts", "lengths", "depths")
    return _right(inputs["model"], *(tuple(inputs[name]) for name in lists))


@lru_cache(maxsize=128)
def _right(model: Reader, sentences: Any, facts: Any, lengths: Any, depths: Any) -> Found:
    return needle(model, list(sentences), list(facts), list(lengths), list(depths))


def with_replies(inputs: Inputs) -> Inputs:
    """Add to inputs what the model replies: to an empty prompt, and in each test."""
    model, sentences, facts = (inputs[name] for name in ("model", "sentences", "facts"))

    def reply(key: str, *prompt: str) -> str:
        return model([*prompt], f"What is the word of {key}?")

    tests = {}
    for n in inputs["lengths"]:
        for depth in inputs["depths"]:
            at = round(depth * (n - 1))
            before, after = sentences[:at], sentences[at : n - 1]
            tests[n, depth] = {
                key: reply(key, *before, f"The word of {key} is {value}.", *after)
                for key, value in facts
            }
    untold = {key: reply(key) for key, _ in facts}
    return {**inputs, "replies in the tests": tests, "replies to an empty prompt": untold}


def scored(inputs: Inputs, answer: Any) -> str | None:
    """Say for which length and depth another share is found."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of two: the shares found, and the keys that were asked for"
    expected, yours = right(inputs)[0], answer[0]
    if not isinstance(yours, dict):
        return "the shares are a dict, from (length, depth) to a number"
    for at, share in expected.items():
        if at not in yours:
            return f"your shares have no entry for (length, depth) = {at}"
        found = yours[at]
        if not isinstance(found, (int, float)) or not abs(found - share) < 1e-6:
            n, depth = at
            return (
                f"in {n} sentences, at depth {depth}, this model finds a share of {share:.4g}; "
                f"you say {found!r:.9}"
            )
    if len(yours) != len(expected):
        extra = next(at for at in yours if at not in expected)
        return f"your shares have an entry {extra!r}, which was not asked for"
    return None


def asked(inputs: Inputs, answer: Any) -> str | None:
    """Say which facts were kept instead of which."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of two: the shares found, and the keys that were asked for"
    expected, yours = right(inputs)[1], answer[1]
    if not isinstance(yours, (list, tuple)) or list(yours) != expected:
        return f"the keys to ask for are {expected}; yours are {yours!r:.60}"
    return None


def both(inputs: Inputs, answer: Any) -> str | None:
    return asked(inputs, answer) or scored(inputs, answer)


def read(inputs: Inputs, answer: Any) -> Any:
    """Read shares by (depth, length), and numbers of facts that were found."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2 or not isinstance(answer[0], dict):
        return answer
    (expected, kept), yours = right(inputs), answer[0]
    if all(at[::-1] in yours for at in expected):
        yours = {at: yours[at[::-1]] for at in expected}
    counts = {at: share * len(kept) for at, share in expected.items()}
    counted = same(yours, counts, rtol=0, atol=1e-6)
    return (expected if counted else yours, answer[1])


def to_the_letter(g: Generator) -> list[Inputs]:
    every = (told, wordings, wrong_words, places, sizes, known)
    return [inputs for draw in every for inputs in draw(g)]


TASK = Exercise(
    id="15.needle",
    title="A needle that nothing else gives away",
    level="hard",
    minutes=17,
    concepts=("needle-tests", "lost-in-the-middle"),
    reference=needle,
    shown=with_replies,
    rungs=(
        rung(
            "where the needle lies, and among how many sentences",
            1.5,
            placed,
            through(read, scored),
            idea="one needle, at a depth of a length",
        ),
        rung(
            "a reply counts however it is worded",
            1.5,
            worded,
            through(read, scored),
            idea="a reply names one value, as a word",
        ),
        rung(
            "other words, and several values at once, do not count",
            1.5,
            not_said,
            through(read, scored),
            idea="a reply names one value, as a word",
        ),
        rung(
            "no fact that the haystack tells, or that the model knows",
            1.5,
            given_away,
            through(read, scored),
            idea="nothing else gives the fact away",
        ),
        rung(
            "to the letter: case, marks, places, the keys that were asked for",
            1.5,
            to_the_letter,
            both,
        ),
        rung("an error where no fact is left", 0.5, nothing_left, both),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by regular expressions", answer=by_regular_expressions),
        Alternative(name="by splitting into words", answer=by_splitting),
    ),
    hints=(
        "How could a model that does not read its prompt give the right answer? Go through the "
        "ways, and through those in which a right answer is counted as wrong.",
        "Write three helpers: the words of a text; whether a reply is right; whether a fact may "
        "be asked at all. Then go over lengths, depths and facts.",
        "A reply is right when, of all the values in `facts`, exactly this one is among its words. "
        "The same rule, with an empty prompt, tells what the model knows already.",
    ),
)
