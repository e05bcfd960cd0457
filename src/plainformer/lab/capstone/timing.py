"""Speed relative to a plain model, timed in pairs; the timed answers are checked afterwards.

In each round both models run in turn, in alternating order. A busy machine slows down both; because
it may be busy in some rounds only, the result is the median of the ratios and not a ratio of sums.
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

POOL = 1 << 18  # bytes of pages in every engine
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
    """Return the speed of ours relative to theirs, as the median over rounds.

    Args:
        ours: the function to measure.
        theirs: the function to compare with, for the same amount of work.
        right: returns whether answers are right. It is called with the answers of the timed rounds,
            after the last one.
        rounds: number of rounds; one more is a warm-up.
        clock: in seconds.

    Raises:
        Refused: an answer of a timed round is not right.
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
    """Return a function that decodes one sequence, a token at a time, with the caches.

    Args:
        model: the model.
        prompt: the prompt.
        make: from a number of sequences to one cache per layer.
        new: number of tokens.
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
    """Return a function that serves all prompts at once, by an engine whose pages fill POOL bytes.

    Args:
        model: the model.
        prompts: the prompts.
        serving: settings of the engine; those left out are the plain model's.
        new: number of tokens for each.

    Raises:
        Refused: the engine cannot be made with these settings, or cannot answer a prompt.
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
    """Return a check of whether each prompt got the same answer as the model gives it alone.

    Args:
        model: a newly built model, not the timed one.
        prompts: the prompts.
        new: number of tokens that each should have got.
    """

    def right(answers: Answers) -> bool:
        return len(answers) == len(prompts) and all(
            len(answer) == new and likeliest(model, prompt, answer)
            for prompt, answer in zip(prompts, answers, strict=True)
        )

    return right
