"""Draw fresh inputs of a rung: which, how many and when they are asked comes from the seed.

An answer that ignores its inputs may know the right results of the visible ones. It must not pass
for one that computes, so enough inputs are drawn that such a replay has next to no chance.
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
#: A replay of visible results passes a rung with a chance of at most 2 to the power of minus this.
BITS = 12.0
#: How many inputs a rung is given more than it draws, at most, from a seed's own choice.
EXTRA = 2
#: No rung gets more inputs than this, nor another draw that makes a replay hardly less likely.
MOST, LEAST_GAIN = 64, 0.5
#: Where the words of its engine are in a generator's state, and how many there are.
_WORDS = slice(24, 24 + 624 * 8)
_SMALL = (str, bool, int, type(None))


class Fresh(torch.Generator):
    """The generator of hidden inputs, by which a draw can tell that it may vary its sizes."""


def generator(seed: int, number: int) -> torch.Generator:
    """Return the generator of a rung's inputs, which depends on every bit of the seed.

    PyTorch itself reads only the last 32 bits of a seed. The visible draws keep its own way.

    Args:
        seed: of any width; 0 is the one that all may see.
        number: of the rung.

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
    """Yield what a rung draws, then a few more inputs, then whole draws without end.

    How many more, and which, comes from the generator.
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
    """Return the places of a number of calls in a random order."""
    return torch.randint(2**62, (count,), generator=source).tolist()


class Replays:
    """Answers that return what was right for visible inputs, whatever they are given.

    Args:
        known: what is right for each visible input of an exercise.
        passes: whether an outcome passes a trial.
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
        """Return how unlikely it is that one of the visible results passes a trial, in bits.

        Args:
            trial: a fresh one, with its rung and what is right.
        """
        passing = sum(count for known, key, count in self._known if self._pass(trial, known, key))
        return -math.log2(passing / self._count) if passing else math.inf

    def _pass(self, trial: Any, known: Outcome, key: Any) -> bool:
        """Ask whether a result passes; once for each pair of a word and a right word."""
        own = _small(trial.expected)
        if key is None or own is None:
            return bool(self._passes(trial, known))
        asked = (id(trial.rung.law), trial.rung.compare, own, key)
        if asked not in self._asked:
            self._asked[asked] = bool(self._passes(trial, known))
        return self._asked[asked]


def _small(outcome: Outcome) -> Any:
    """Return what tells an outcome that is a word, a truth value or a whole number from others."""
    value = outcome.value
    if outcome.error is not None:
        return type(outcome.error), "raised"
    return (type(value), value) if isinstance(value, _SMALL) else None
