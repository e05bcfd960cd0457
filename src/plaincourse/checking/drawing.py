"""Draw fresh inputs of a rung; the seed decides which, how many and in which order.

An answer that ignores its inputs may replay the right results of the visible ones. It must not pass
as one that computes, so enough inputs are drawn that a replay has almost no chance.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from plaincourse.checking.calling import Outcome
from plaincourse.checking.limits import clean_state
from plaincourse.exercise import Inputs, Rung

VISIBLE = 0
#: A replay of visible results passes a rung with a probability of at most 2 to the power of -BITS.
BITS = 12.0
#: Largest number of inputs, chosen by the seed, that a rung gets beyond its own draw.
EXTRA = 2
#: Limits: no rung gets more inputs than MOST, or another draw that adds fewer bits than LEAST_GAIN.
MOST, LEAST_GAIN = 64, 0.5
#: The position and number of the engine's words in a generator's state.
_WORDS = slice(24, 24 + 624 * 8)
_SMALL = (str, bool, int, type(None))


class Fresh(torch.Generator):
    """The generator of hidden inputs; its type lets a draw know that it may vary its sizes."""


def generator(seed: int, number: int) -> torch.Generator:
    """Return the generator of a rung's inputs, which depends on every bit of the seed.

    PyTorch itself reads only the last 32 bits of a seed. The visible draws still use PyTorch's
    seeding.

    Args:
        seed: an integer of any width; 0 is the public seed.
        number: the number of the rung.

    Raises:
        ValueError: the seed is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed is 0 or more; got {seed}")
    if seed == VISIBLE:
        return torch.Generator().manual_seed(number)
    made = Fresh()
    made.manual_seed(number)
    state = made.get_state()
    words = np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(624)
    state.numpy()[_WORDS].view(np.uint64)[:] = words
    made.set_state(state)
    return made


def rounds(rung: Rung, source: torch.Generator) -> Iterator[list[Inputs]]:
    """Yield one draw of a rung, then a few more inputs, then whole draws without end.

    The number and choice of the additional inputs come from the generator.
    """

    def drawn() -> list[Inputs]:
        with clean_state():
            return list(rung.draw(source))

    yield drawn()
    again = drawn()
    count = int(torch.randint(EXTRA + 1, (), generator=source))
    yield [again[i] for i in sorted(torch.randperm(len(again), generator=source)[:count].tolist())]
    while True:
        yield drawn()


def turns(source: torch.Generator, count: int) -> list[int]:
    """Return random sort keys that put a number of calls in a random order."""
    return torch.randint(2**62, (count,), generator=source).tolist()


class Replays:
    """Answers that return the right results of visible inputs, regardless of their arguments.

    Args:
        known: the right result for each visible input of an exercise.
        passes: returns whether an outcome passes a trial.
    """

    def __init__(self, known: Sequence[Outcome], passes: Any) -> None:
        self._passes = passes
        self._known: list[tuple[Outcome, Any, int]] = []
        self._asked: dict[Any, bool] = {}
        small: dict[Any, list[Outcome]] = {}
        for each in known:
            key = _small(each)
            if key is None:
                self._known.append((each, None, 1))
            else:
                small.setdefault(key, []).append(each)
        self._known += [(same[0], key, len(same)) for key, same in small.items()]
        self._count = len(known)

    def bits(self, trial: Any) -> float:
        """Return how unlikely it is, in bits, that a random visible result passes a trial.

        Args:
            trial: a fresh trial, with its rung and expected result.
        """
        passing = sum(count for known, key, count in self._known if self._pass(trial, known, key))
        return -math.log2(passing / self._count) if passing else math.inf

    def _pass(self, trial: Any, known: Outcome, key: Any) -> bool:
        """Return whether a result passes; small values are compared once per pair of values."""
        own = _small(trial.expected)
        if key is None or own is None:
            return bool(self._passes(trial, known))
        asked = (id(trial.rung.law), trial.rung.compare, own, key)
        if asked not in self._asked:
            self._asked[asked] = bool(self._passes(trial, known))
        return self._asked[asked]


def _small(outcome: Outcome) -> Any:
    """Return a key that identifies a word, truth value, integer or exception; else ``None``."""
    value = outcome.value
    if outcome.error is not None:
        return type(outcome.error), "raised"
    return (type(value), value) if isinstance(value, _SMALL) else None
