"""Sentences in free word order, with a stem for a word's meaning and an ending for its role.

A full sentence has five words for five facts: the agent and its adjective, the verb, the patient
and its adjective. *bela vidi toro* and *toro bela vidi* both mean *wolf sees dog*.
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
LETTERS = "aoi"  # for the agent, the patient and the verb
_ENDING = torch.tensor([0, 0, 2, 1, 1])  # of the five facts


def sentences(
    n: int, parts: tuple[int, ...] = (0, 1, 2, 3, 4)
) -> tuple[Int[Tensor, "n k"], Int[Tensor, "n k"], Int[Tensor, "n k"], Int[Tensor, "n k"]]:
    """Draw sentences, each in a random word order.

    Args:
        n: number of sentences.
        parts: which of the five facts are in a sentence: which, who, verb, which, whom.

    Returns:
        Stems and endings of the words in the order of the sentence, ``order``, the index of the
        fact at each place, and the facts in English order.
    """
    adjective, noun = torch.randint(6, 10, (2, n)), torch.randint(6, (2, n))
    verb = torch.randint(10, 13, (n,))
    told = [adjective[0], noun[0], verb, adjective[1], noun[1]]
    facts, ending = torch.stack(told, dim=1)[:, list(parts)], _ENDING[list(parts)]
    order = torch.rand(n, len(parts)).argsort(dim=1)
    return facts.gather(1, order), ending[order], order, facts


def spell(stem: Int[Tensor, " k"], ending: Int[Tensor, " k"]) -> str:
    """Write out a sentence from the numbers of its stems, ``stem``, and endings, ``ending``."""
    words = zip(stem.tolist(), ending.tolist(), strict=True)
    return " ".join(STEMS[s] + LETTERS[e] for s, e in words)


def two_nouns(n: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Draw ``n`` sentences of noun, verb and noun; the targets are agent and patient."""
    stem, ending, _, facts = sentences(n, (1, 2, 4))
    return (stem, ending), facts[:, [0, 2]]


def five_facts(n: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Draw ``n`` full sentences; the targets are all five facts."""
    stem, ending, _, facts = sentences(n)
    return (stem, ending), facts
