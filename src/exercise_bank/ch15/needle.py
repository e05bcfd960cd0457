"""Exercise 15.needle: a needle test without leaks, for readers in closed boxes."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from torch import Generator

from exercise_bank.ch15.mistakes.needle import MISCONCEPTIONS
from exercise_bank.ch15.needle_texts import (
    given_away,
    known,
    not_said,
    nothing_left,
    placed,
    places,
    sizes,
    told,
    unspaced,
    worded,
    wordings,
    wrong_words,
)
from exercise_bank.ch15.readers import Reader
from exercise_bank.skills import rung, through
from plaincourse.checking.compare import same
from plaincourse.exercise import Alternative, Exercise, Inputs

Found = tuple[dict[tuple[int, float], float], list[str]]


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
        return re.search(rf"(?<![a-z]){word}(?![a-z])", text, re.IGNORECASE) is not None

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
    """Return the right answer, computed once for the same inputs."""
    lists = ("sentences", "facts", "lengths", "depths")
    return _right(inputs["model"], *(tuple(inputs[name]) for name in lists))


@lru_cache(maxsize=128)
def _right(model: Reader, sentences: Any, facts: Any, lengths: Any, depths: Any) -> Found:
    return needle(model, list(sentences), list(facts), list(lengths), list(depths))


def with_replies(inputs: Inputs) -> Inputs:
    """Add the model's replies to the inputs: to an empty prompt, and in each test."""
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
    return {**inputs, "replies to the right prompts": tests, "replies to an empty prompt": untold}


def scored(inputs: Inputs, answer: Any) -> str | None:
    """Report a length and depth with a wrong share."""
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
    """Report wrong keys: facts that are wrongly kept or dropped."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of two: the shares found, and the keys that were asked for"
    expected, yours = right(inputs)[1], answer[1]
    if not isinstance(yours, (list, tuple)) or list(yours) != expected:
        return f"the keys to ask for are {expected}; yours are {yours!r:.60}"
    return None


def both(inputs: Inputs, answer: Any) -> str | None:
    return asked(inputs, answer) or scored(inputs, answer)


def read(inputs: Inputs, answer: Any) -> Any:
    """Read shares by (depth, length), and numbers of found facts."""
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
    title="A needle test without leaks",
    level="hard",
    minutes=17,
    concepts=("needle-tests", "lost-in-the-middle"),
    reference=needle,
    shown=with_replies,
    rungs=(
        rung(
            "a needle at the start, in the middle, at the end, give or take a place",
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
            "no fact that is in the haystack, or that the model answers without it",
            1.5,
            given_away,
            through(read, scored),
            idea="no other source of the fact",
        ),
        rung(
            "to the letter: case, marks, places, the keys that were asked for",
            1.25,
            to_the_letter,
            both,
        ),
        rung("a digit, an underscore or an apostrophe ends a word", 0.25, unspaced, both),
        rung("an error if no fact is left", 0.5, nothing_left, both),
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
        "A reply is right when, of all the values in `facts`, exactly this one is among its "
        "words. The same rule, with an empty prompt, finds the facts that need no prompt.",
    ),
)
