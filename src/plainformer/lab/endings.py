"""Sentences in free word order: a stem says what a word means, an ending what it does.

A full sentence has five words and tells five facts: who acts and of what kind, the verb, to whom
it is done and of what kind. *bela vidi toro* and *toro bela vidi* both mean *wolf sees dog*.
"""

import torch
from jaxtyping import Int
from torch import Tensor

STEMS = ("bel", "tor", "mik", "sun", "rav", "gol", "ken", "fam", "dir", "hos", "vid", "pak", "lom")
ENGLISH = (
    *("wolf", "dog", "cat", "bird", "horse", "fish"),  # 0 to 5: nouns
    *("old", "small", "red", "tired"),  # 6 to 9: adjectives
    *("sees", "hears", "follows"),  # 10 to 12: verbs
)
LETTERS = "aoi"  # for the one who acts, the one to whom it is done, and the verb
_ENDING = torch.tensor([0, 0, 2, 1, 1])  # of the five facts


def sentences(
    n: int, parts: tuple[int, ...] = (0, 1, 2, 3, 4)
) -> tuple[Int[Tensor, "n k"], Int[Tensor, "n k"], Int[Tensor, "n k"], Int[Tensor, "n k"]]:
    """Draw sentences, each in an order of its own.

    Args:
        n: how many.
        parts: which of the five facts a sentence tells: which, who, verb, which, whom.

    Returns:
        Stems and endings of the words as they stand, ``order``, which says which fact stands at
        which place, and the facts in English order.
    """
    adjective, noun = torch.randint(6, 10, (2, n)), torch.randint(6, (2, n))
    verb = torch.randint(10, 13, (n,))
    told = [adjective[0], noun[0], verb, adjective[1], noun[1]]
    facts, ending = torch.stack(told, dim=1)[:, list(parts)], _ENDING[list(parts)]
    order = torch.rand(n, len(parts)).argsort(dim=1)
    return facts.gather(1, order), ending[order], order, facts


def spell(stem: Int[Tensor, " k"], ending: Int[Tensor, " k"]) -> str:
    """Write a sentence out, from the numbers of its stems, ``stem``, and endings, ``ending``."""
    words = zip(stem.tolist(), ending.tolist(), strict=True)
    return " ".join(STEMS[s] + LETTERS[e] for s, e in words)


def two_nouns(n: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Draw ``n`` sentences of noun, verb and noun, and ask for who and whom."""
    stem, ending, _, facts = sentences(n, (1, 2, 4))
    return (stem, ending), facts[:, [0, 2]]


def five_facts(n: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Draw ``n`` full sentences, and ask for all five facts."""
    stem, ending, _, facts = sentences(n)
    return (stem, ending), facts
