"""A needle in a haystack: a long tale contains a refrain once, and the question is its next word.

The word in the question, the key, occurs nowhere else in the text. The answer is drawn uniformly,
so the rest of the tale contains no information about it. The place of the refrain is an argument.
"""

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from plainformer.lab.ballads import Ballads

WORDS_IN_NEEDLE = 6


def hide(
    ballads: Ballads, length: int, depth: float, *, count: int, seed: int = 0
) -> tuple[Int[Tensor, "count length"], Bool[Tensor, "count length"], Int[Tensor, " count"]]:
    """Draw tales of ``length`` words that contain a refrain of six words once.

    A text is tale, refrain, tale, a star and a word of the refrain: the key. The answer is the word
    after it in the refrain.

    Args:
        ballads: source of the sentences and words.
        length: words in a text, including the question.
        depth: 0 for a refrain at the beginning, 1 for one right before the question.
        count: number of texts.
        seed: seed of the random draws.

    Returns:
        The texts; True at the answer's place in the refrain, else False; and the answers.

    Raises:
        ValueError: ``depth`` is not between 0 and 1, or ``length`` below 32.

    Cost: one sentence after another, until the tale is long enough.

    Ref: Kamradt 2023 (needle in a haystack); Olsson et al. 2022 (random answer).
    """
    if not 0 <= depth <= 1 or length < 32:
        raise ValueError(
            f"length={length}, depth={depth}: expected at least 32 words, and a depth between 0 "
            "(at the beginning) and 1 (right before the question)"
        )
    draw = np.random.default_rng([seed, length, round(1000 * depth)])
    source = ballads.grammar.sample(length * 40 + 1_000, seed=seed)
    sentences = np.split(source, np.flatnonzero(source == ballads.stop) + 1)[:-1]
    words = np.delete(np.arange(ballads.star), ballads.stop)
    common = {int(word) for word in words if np.mean([word in s for s in sentences]) > 1 / 8}
    keys = [int(word) for word in words if int(word) not in common]

    def tale(size: int, key: int) -> list[int]:
        told: list[int] = []
        while len(told) < size:
            sentence = sentences[draw.integers(len(sentences))]
            if key not in sentence:
                told = [*sentence.tolist(), *told]
        return told[len(told) - size :]

    texts = np.empty((count, length), dtype=np.int64)
    places = np.zeros((count, length), dtype=bool)
    answers = np.empty(count, dtype=np.int64)
    for row in range(count):
        key = int(draw.choice(keys))
        others = draw.choice(words[words != key], WORDS_IN_NEEDLE - 1, replace=False)
        at = int(draw.integers(WORDS_IN_NEEDLE - 1))  # the last word has no successor
        refrain = [*others[:at].tolist(), key, *others[at:].tolist()]
        needle = [ballads.star, *refrain, ballads.stop]
        around = length - len(needle) - 2
        before = round(depth * around)
        texts[row] = [
            *tale(before, key),
            *needle,
            *tale(around - before, key),
            ballads.star,
            key,
        ]
        answers[row] = refrain[at + 1]
        places[row, before + 1 + at + 1] = True
    return torch.from_numpy(texts), torch.from_numpy(places), torch.from_numpy(answers)
