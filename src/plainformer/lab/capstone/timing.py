"""How fast? A ratio to a plain model, timed in pairs, and what was timed is checked afterwards.

In each round both run, one right after the other, the first of them by turns. A machine that is
busy slows both; a ratio of sums would hide a round in which it was not, so the median counts.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from plainformer.cache import LayerCache
from plainformer.generation import generate
from plainformer.lab.capstone.checks import likeliest
from plainformer.lab.capstone.entry import Refused
from plainformer.models import Decoder
from plainformer.serving import Engine, Request

POOL = 1 << 18  # bytes of pages that every engine has
PLAIN_SERVING = {
    "page_size": 16, "token_budget": 64, "max_running": 8, "prefix_cache": False
}  # fmt: skip
Answers = list[list[int]]
MakeCaches = Callable[[int], Sequence[LayerCache]]


def paired(
    ours: Callable[[], Answers],
    theirs: Callable[[], Answers],
    *,
    right: Callable[[Answers], bool],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return how many times as fast ours is, as the median of rounds.

    Args:
        ours: what is measured.
        theirs: what it is compared with, of the same amount of work.
        right: says whether answers are right. It is asked of those of the timed rounds, after the
            last one.
        rounds: how many; one more warms up and does not count.
        clock: in seconds.

    Raises:
        Refused: what a timed round answered is not right.
    """
    ratios, given = [], []
    for number in range(rounds + 1):
        took = {}
        for run in (ours, theirs) if number % 2 else (theirs, ours):
            began = clock()
            answers = run()
            took[run] = clock() - began
            if run is ours and number:
                given.append(answers)
        if number:
            ratios.append(took[theirs] / took[ours])
    if not all(right(answers) for answers in given):
        raise Refused("what was answered while the clock ran is not what the model answers")
    return statistics.median(ratios)


def decode(
    model: Decoder, prompt: Sequence[int], make: MakeCaches, *, new: int
) -> Callable[[], Answers]:
    """Return what decodes: one sequence, a token at a time, through the caches.

    Args:
        model: the model.
        prompt: what is continued.
        make: from a number of sequences to a cache for each layer.
        new: tokens.
    """

    def caches(model: object, b: int, capacity: int) -> Sequence[LayerCache]:
        return make(b)

    def run() -> Answers:
        made = generate(model, [prompt], max_new_tokens=new, caches=caches, stop=[], fast=False)
        return made.tokens

    return run


def serve(
    model: Decoder, prompts: Sequence[Sequence[int]], serving: dict[str, Any], *, new: int
) -> Callable[[], Answers]:
    """Return what serves: all prompts at once, by an engine whose pages fill POOL bytes.

    Args:
        model: the model.
        prompts: what is asked.
        serving: of the engine; what is left out is as for the plain model.
        new: tokens that each gets.

    Raises:
        Refused: the engine cannot be made so, or cannot answer a prompt.
    """

    def run() -> Answers:
        engine = engine_of(model, serving)
        try:
            for prompt in prompts:
                engine.submit(Request(prompt=prompt, max_new_tokens=new, stop=[]))
        except (ValueError, TypeError) as error:
            raise Refused(f"serving: {error}") from error
        answers = engine.run()
        return [answers[i].tokens for i in range(len(prompts))]

    return run


def engine_of(model: Decoder, serving: dict[str, Any]) -> Engine:
    """Return an engine whose pages fill POOL bytes.

    Args:
        model: the model.
        serving: settings of the engine; those left out are the plain model's.

    Raises:
        Refused: the engine cannot be made with these settings.
    """
    shape = {**PLAIN_SERVING, **serving}
    config = model.config
    heads = config.n_heads if config.n_kv_heads is None else config.n_kv_heads
    token = 2 * config.n_layers * heads * config.width_of_heads * 4
    pages = POOL // max(1, token * shape["page_size"])
    try:
        return Engine(model, pages=pages, **shape)
    except (ValueError, TypeError) as error:
        raise Refused(f"serving: {error}") from error


def served_right(
    model: Decoder, prompts: Sequence[Sequence[int]], new: int
) -> Callable[[Answers], bool]:
    """Return what says whether each prompt got the whole answer that the model gives it alone.

    Args:
        model: built anew, not the one that was timed.
        prompts: what was asked.
        new: tokens that each should have got.
    """

    def right(answers: Answers) -> bool:
        return len(answers) == len(prompts) and all(
            len(answer) == new and likeliest(model, prompt, answer)
            for prompt, answer in zip(prompts, answers, strict=True)
        )

    return right
