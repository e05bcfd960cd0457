"""One language per seed, so that training on other text is of no use.

The words and the rules are those of the ballads. The seed determines the number of each word, and
the frequency of each noun, verb and adjective. So a model must learn from the text that it is
given.
"""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from plainformer.lab.ballads import Ballads
from plainformer.lab.grammar import Grammar
from plainformer.lab.rules import TALE_RULES, Given

SHORT, LONG = 64, 256  # positions in training, and in the longer measurement
VOCABULARY = len(Ballads().words)
DOCUMENTS = 16_384
WORDY = ("Noun", "Sees", "Sleeps", "Adjective", "How")  # each right-hand side is one word


@lru_cache(maxsize=4)
def language(seed: int) -> Ballads:
    """Return the language of a seed.

    Args:
        seed: 0 for the public one.
    """
    draw = np.random.default_rng([seed, 17])
    rules: dict[str, list[tuple[float, tuple[str, ...]]]] = {}
    names = ["S", *draw.permutation([name for name in TALE_RULES if name != "S"])]
    for name in names:
        sides = [(float(weight), _symbols(side)) for weight, side in TALE_RULES[name]]
        if name.startswith(WORDY):
            sides = [(float(draw.integers(1, 5)), side) for _, side in sides]
        rules[name] = [sides[i] for i in draw.permutation(len(sides))]
    given: Given = rules
    return Ballads(Grammar(given), chance=0.8, shortest=4, longest=8)


def text(seed: int, count: int = DOCUMENTS) -> Tensor:
    """Return the training text of a language, (count, SHORT + 1) word numbers.

    Args:
        seed: seed of the language and of the documents.
        count: number of documents.

    Cost: a tenth of a millisecond per document.
    """
    return torch.from_numpy(language(seed).sample(count, SHORT + 1, seed=_number(seed, 1)))


def held_out(seed: int, count: int, length: int) -> Tensor:
    """Return documents that are in no training text, (count, length + 1).

    Args:
        seed: seed of the language and of the documents.
        count: number of documents.
        length: number of predicted words in each.
    """
    return torch.from_numpy(language(seed).sample(count, length + 1, seed=_number(seed, 2)))


def floor(seed: int, documents: Tensor) -> float:
    """Return the lowest loss that can be expected on documents, in nats per word.

    Args:
        seed: seed of their language.
        documents: (b, n + 1); the first word of each is given, the others are predicted.
    """
    ballads = language(seed)
    return float(np.mean([ballads.surprisals(row)[1:] for row in documents.numpy()]))


def _number(seed: int, what: int) -> int:
    return int(np.random.default_rng([seed, what]).integers(1, 2**31))


def _symbols(side: object) -> tuple[str, ...]:
    return tuple(side.split()) if isinstance(side, str) else tuple(side)  # type: ignore[arg-type]
