"""Tales with a refrain, whose words a model can predict only by copying.

The words of a refrain are drawn at random, so only its first occurrence determines how it
continues. A model that copies saves log 45 nats per word; the exact probability of each next word
is known.
"""

from collections.abc import Iterable
from typing import SupportsInt

import numpy as np

from plainformer.lab.corpus import entropy
from plainformer.lab.grammar import TALES, Grammar

STAR = "*"


class Ballads:
    """Sentences of a grammar, with a refrain between some of them.

    Wherever a sentence could begin, a star opens the refrain with a fixed probability. At its first
    occurrence its words are drawn uniformly from all but the full stop, without repeats, and its
    length uniformly from a range. Later occurrences repeat it word for word from a random word to
    the end, so counting the words since the star does not help. A full stop ends it.

    Args:
        grammar: grammar of the sentences; each ends with ``"."``, which occurs nowhere else.
        chance: probability of a refrain wherever a sentence could begin.
        shortest: words in a refrain, without star and full stop, at least.
        longest: the same, at most.

    Raises:
        ValueError: a number is out of range, or the grammar has no full stop.

    Ref: Olsson et al. 2022 (repeated random tokens).
    """

    def __init__(
        self,
        grammar: Grammar = TALES,
        *,
        chance: float = 0.4,
        shortest: int = 4,
        longest: int = 12,
    ) -> None:
        if not 0 < chance < 1 or not 1 <= shortest <= longest:
            raise ValueError(
                f"chance={chance}, shortest={shortest}, longest={longest}: expected a chance "
                "between 0 and 1, and 1 <= shortest <= longest"
            )
        if "." not in grammar.words or STAR in grammar.words:
            raise ValueError(f"words {grammar.words}: expected a '.' among them, and no {STAR!r}")
        if longest > len(grammar.words) - 1:
            raise ValueError(f"longest={longest}: there are only {len(grammar.words) - 1} words")
        self.grammar, self.chance, self.shortest, self.longest = grammar, chance, shortest, longest
        self.words = (*grammar.words, STAR)
        self.stop, self.star = grammar.words.index("."), len(grammar.words)

    def sample(self, count: int, length: int, *, seed: int = 0) -> np.ndarray:
        """Draw documents.

        Args:
            count: number of documents.
            length: words in each; longer documents are cut off.
            seed: seed of the random draws.

        Returns:
            The numbers of the words, (count, length), as int64.
        """
        draw = np.random.default_rng([seed, count, length])
        source = self.grammar.sample(count * length + 1_000, seed=seed)
        ends = np.flatnonzero(source == self.stop) + 1
        sentences = iter(np.split(source, ends))
        open_ = np.delete(np.arange(self.star), self.stop)
        rows = np.empty((count, length), dtype=np.int64)
        for row in rows:
            size = int(draw.integers(self.shortest, self.longest + 1))
            refrain = [*draw.choice(open_, size, replace=False), self.stop]
            at = told = 0
            while at < length:
                if draw.random() < self.chance:
                    part = np.array([self.star, *refrain[draw.integers(size) if told else 0 :]])
                    told = 1
                else:
                    part = next(sentences)
                row[at : at + len(part)] = part[: length - at]
                at += len(part)
        return rows

    def encode(self, text: str) -> np.ndarray:
        """Return the numbers of the words of ``text``, which are separated by spaces.

        Raises:
            ValueError: a word is not in the vocabulary.
        """
        unknown = sorted(set(text.split()) - set(self.words))
        if unknown:
            raise ValueError(f"unknown words {unknown}: expected some of {self.words}")
        return np.array([self.words.index(word) for word in text.split()], dtype=np.int64)

    def decode(self, ids: Iterable[SupportsInt]) -> str:
        """Return the words whose numbers are ``ids``, with a space between them."""
        return " ".join(self.words[int(i)] for i in ids)

    def probabilities(self, ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return the probability of each word at each place of a document, given those before.

        Args:
            ids: a document, from its beginning; it may stop at any word.

        Returns:
            (n, v), one row for each word of the document; the first row is for the first word.

        Raises:
            ValueError: the document has probability 0.

        Cost: a row of v numbers for each word.
        """
        document = [int(i) for i in ids]
        found = np.zeros((len(document), len(self.words)))
        refrain: list[int] | None = None  # known after its first occurrence
        start = 0  # of the current sentence or refrain
        for t, i in enumerate(document):
            said = document[start:t]
            if said and said[0] == self.star:
                found[t] = self._in_refrain(said, refrain)
            else:
                found[t, : self.star] = self.grammar.next_word(said)
                if not said:
                    found[t] *= 1 - self.chance
                    found[t, self.star] = self.chance
            if not found[t, i]:
                raise ValueError(f"{self.decode([i])!r} cannot stand at place {t}")
            if i == self.stop:
                if refrain is None and said[0] == self.star:
                    refrain = [*said[1:], i]
                start = t + 1
        return found

    def surprisals(self, ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return -log P(word | words before it) for each of ``ids``, in nats."""
        document = np.array([int(i) for i in ids])
        chances = self.probabilities(document)[np.arange(len(document)), document]
        return np.asarray(0.0 - np.log(chances))

    def entropies(self, ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return, for each of ``ids``, the entropy of the word there given those before, in nats.

        The surprisal has this value on average.
        """
        return entropy(self.probabilities(ids))

    def copied(self, ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return for each of ``ids`` whether it follows from copying the refrain alone.

        The word after a star is False, because the refrain may continue from any of its words.
        """
        document = [int(i) for i in ids]
        found = np.zeros(len(document), dtype=bool)
        inside, told = False, False
        for t, i in enumerate(document):
            found[t] = inside and told and document[t - 1] != self.star
            if i == self.stop:
                inside, told = False, told or inside
            inside = inside or i == self.star
        return found

    def _in_refrain(self, said: list[int], refrain: list[int] | None) -> np.ndarray:
        p = np.zeros(len(self.words))
        n = len(said) - 1
        if refrain is not None:
            after = refrain[refrain.index(said[-1]) + 1 :][:1] if n else refrain[:-1]
            p[after] = 1 / len(after)
            return p
        ends = 0.0 if n < self.shortest else 1 / (self.longest - n + 1)
        p[: self.star] = (1 - ends) / (self.star - 1 - n)
        p[said[1:]] = 0
        p[self.stop] = ends
        return p
