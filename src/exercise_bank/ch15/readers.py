"""Readers in closed boxes, for trying out a needle test.

A reader takes a prompt, which is a list of sentences, and a question, and returns a string. Each
understands the needles of the exercise, and has its own failures or wording.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from exercise_bank.closing import closed

NEEDLE = re.compile(r"[Tt]he word of (\w+) is (\w+)")
Reader = Callable[[list[str], str], str]
WORDINGS = (
    "{}",
    "It is {}.",
    "{}!",
    "I read it somewhere: the {}, of course.",
    'They call it "{}", I believe',
    "Asked for the word, I say {}; that is what stood there.",
)


def reader(
    *,
    first: int | None = None,
    last: int | None = None,
    limit: int | None = None,
    single: bool = False,
    tale: tuple[str, ...] | None = None,
    exact: bool = False,
    misses: tuple[str, ...] = (),
    knows: Mapping[str, str] | None = None,
    says: str = "{}",
    loud: bool = False,
) -> Reader:
    """Return a reader.

    Args:
        first: number of sentences read from the start of a prompt; with ``last``, both ends are
            read.
        last: number of sentences read from its end.
        limit: above this number of sentences, the reply is that the answer is unknown.
        single: whether several needles make it give up.
        tale: sentences to follow: it gives up if those around the needle are not the first of them,
            in their order.
        exact: whether it reads only a needle with exactly the requested wording.
        misses: keys that it does not find.
        knows: answers that it gives without reading, by key.
        says: the wording of an answer; "all" for all wordings in turn, by key.
        loud: whether it answers in capitals.
    """

    def model(prompt: list[str], question: str) -> str:
        asked = re.search(r"of (\w+)\?", question)
        key = asked[1].lower() if asked else ""
        if limit is not None and len(prompt) > limit:
            return "I do not know."
        if exact and question != f"What is the word of {asked[1] if asked else ''}?":
            return "I do not know."
        found = (knows or {}).get(key)
        read = _read(list(prompt), first, last)
        needles = [m for s in read if (m := _needle(s))]
        if exact:
            needles = [m for m in needles if asked and _exact(m, asked[1])]
        beside = [s for s in prompt if not _needle(s)]
        if tale is not None and tuple(beside) != tale[: len(beside)]:
            return "I do not know."
        if found is None and key not in misses and not (single and len(needles) > 1):
            found = next((m[2] for m in needles if m[1].lower() == key), None)
        if found is None:
            return "I do not know."
        wording = WORDINGS[len(key) % len(WORDINGS)] if says == "all" else says
        return wording.format(found.upper() if loud else found)

    made: Reader = closed(model, _taken, name="model")
    return made


def _taken(prompt: Any, question: Any) -> tuple[list[str], str]:
    listed = isinstance(prompt, (list, tuple)) and all(isinstance(x, str) for x in prompt)
    if not listed or not isinstance(question, str):
        raise TypeError("a model gets a list of sentences and a question, a string")
    return list(prompt), question


def _needle(sentence: str) -> re.Match[str] | None:
    return NEEDLE.match(sentence) if sentence[1:11] == "he word of" else None


def _exact(needle: re.Match[str], key: str) -> bool:
    return needle[1] == key and needle.string == f"The word of {key} is {needle[2].lower()}."


def _read(prompt: list[str], first: int | None, last: int | None) -> list[str]:
    if first is None and last is None:
        return prompt
    start = max(len(prompt) - (last or 0), first or 0)
    return prompt[: first or 0] + prompt[start:]
