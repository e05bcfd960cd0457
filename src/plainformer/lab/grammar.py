"""Sentences of known entropy: a weighted grammar, and the probabilities of the next word.

A Markov chain depends only on the last few symbols. A grammar has longer dependencies: the verb
agrees with its subject, however many words are between them. The remaining uncertainty still has a
formula.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import SupportsInt

import numpy as np

from plainformer.lab.corpus import entropy
from plainformer.lab.rules import TALE_RULES, Given, Rules, check_length, check_rules, normalised

Stack = tuple[str, ...]  # the symbols still to come, next one first; () = a sentence has ended
State = tuple[tuple[Stack, float], ...]  # the derivations that match, with their probabilities

BEGIN: State = (((), 1.0),)
BLOCK = 4_096  # draws made at once


class Grammar:
    r"""A context-free grammar whose rules have probabilities; a text is a sequence of sentences.

    The entropies are those of derivations. They equal those of the text if no text has two
    derivations, which :meth:`ambiguity` checks; otherwise they are an upper bound.

    Args:
        rules: for each name its right-hand sides, as (weight, symbols). Symbols that are names
            are replaced in turn, all others are words. A string is split at its spaces.
        start: the name that a sentence begins with.

    Raises:
        ValueError: a weight is not a positive number; a right-hand side is empty; a name is not
            reachable, has no end or begins with itself; or the expected length is infinite.

    Ref: Soule 1974 (entropies of a derivation, a sentence, and a word in a stream of them).

    >>> coin = Grammar({"S": [(1, "heads"), (1, "tails")]})
    >>> coin.words, round(coin.sentence_entropy, 4)
    (('heads', 'tails'), 0.6931)
    """

    def __init__(self, rules: Given, *, start: str = "S") -> None:
        self.rules, self.start = normalised(rules), start
        check_rules(self.rules, start)
        self._names = list(self.rules)
        children = np.array([[self._mean(a, {b}) for b in self._names] for a in self._names])
        check_length(children, self._names)
        self._left = np.eye(len(self._names)) - children
        symbols = (s for sides in self.rules.values() for _, side in sides for s in side)
        self.words = tuple(dict.fromkeys(s for s in symbols if s not in self.rules))
        self._ids = {word: i for i, word in enumerate(self.words)}
        self._derivations = Derivations(self.rules, start, self.words)

    @property
    def sentence_entropy(self) -> float:
        r"""The entropy of a sentence, in nats.

        .. math:: H_A = -\sum_r p_r \log p_r + \sum_B M_{AB} H_B

        M is the mean number of occurrences of B in the right-hand side for A, over the rules r of
        A.
        """
        choice = [entropy(np.array([p for p, _ in self.rules[a]])) for a in self._names]
        return self._solved(np.array(choice))

    @property
    def mean_length(self) -> float:
        """The mean number of words of a sentence."""
        words = set(self.words)
        return self._solved(np.array([self._mean(a, words) for a in self._names]))

    @property
    def entropy_rate(self) -> float:
        """The entropy of a word given all before it, in nats, for a sequence of sentences."""
        return self.sentence_entropy / self.mean_length

    def sample(self, n_words: int, *, seed: int) -> np.ndarray:
        """Draw a sequence of sentences.

        Args:
            n_words: total number of words; the last sentence is cut off there.
            seed: seed of the random draws.

        Returns:
            The numbers of the words, as int64.

        Cost: one draw for each replacement.
        """
        draw = np.random.default_rng(seed)
        draws: Iterator[float] = iter(())
        ids: list[int] = []
        stack: list[str] = []
        sums = {
            name: np.cumsum([p for p, _ in sides]).tolist() for name, sides in self.rules.items()
        }
        while len(ids) < n_words:
            symbol = stack.pop() if stack else self.start
            if symbol in self._ids:
                ids.append(self._ids[symbol])
                continue
            sides = self.rules[symbol]
            if (chance := next(draws, None)) is None:
                draws = iter(draw.random(BLOCK).tolist())
                chance = next(draws)
            chosen = min(bisect_right(sums[symbol], chance), len(sides) - 1)
            stack.extend(reversed(sides[chosen][1]))
        return np.array(ids, dtype=np.int64)

    def encode(self, text: str) -> np.ndarray:
        """Return the numbers of the words of ``text``, which are separated by spaces.

        Raises:
            ValueError: a word is not in the vocabulary.
        """
        unknown = sorted(set(text.split()) - set(self.words))
        if unknown:
            raise ValueError(f"unknown words {unknown}: expected some of {self.words}")
        return np.array([self._ids[word] for word in text.split()], dtype=np.int64)

    def decode(self, ids: Iterable[SupportsInt]) -> str:
        """Return the words whose numbers are ``ids``, with a space between them."""
        return " ".join(self.words[int(i)] for i in ids)

    def next_word(self, prefix_ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return the probability of each word at the next place.

        Args:
            prefix_ids: the words so far, from the beginning of a sentence. After whole sentences,
                only the last unfinished one is used.

        Raises:
            ValueError: no text begins with these words.

        Cost: for each word, the derivations that still match.
        """
        state = BEGIN
        for i in prefix_ids:
            state = self._derivations.after(state, int(i))
        return self._derivations.next(state).copy()

    def surprisals(self, ids: Iterable[SupportsInt]) -> np.ndarray:
        """Return -log P(word | all words before it) for each word of a text, in nats.

        Args:
            ids: a text from the beginning of a sentence; it may stop at any word.

        Raises:
            ValueError: the grammar cannot generate this text.
        """
        state, found = BEGIN, []
        for i in ids:
            p, state = self._derivations.next(state), self._derivations.after(state, int(i))
            found.append(0.0 - np.log(p[int(i)]))
        return np.array(found)

    def floor(self, ids: Iterable[SupportsInt]) -> float:
        """Return the mean surprisal of a text, the lowest loss that can be expected of a model.

        Args:
            ids: as in :meth:`surprisals`.
        """
        return float(self.surprisals(ids).mean())

    def ambiguity(self, *, limit: int = 2_000) -> tuple[str | None, bool]:
        """Look for a text with two derivations, shortest first.

        Args:
            limit: number of sets of derivations to check.

        Returns:
            The beginning of such a text, or None; and whether the search was complete. (None, True)
            proves that there is none.

        Cost: ``limit`` steps.
        """
        return self._derivations.ambiguity(limit)

    def _mean(self, name: str, of: set[str]) -> float:
        return sum(p * sum(s in of for s in side) for p, side in self.rules[name])

    def _solved(self, each: np.ndarray) -> float:
        return float(np.linalg.solve(self._left, each)[self._names.index(self.start)])


class Derivations:
    """Follow all derivations of a text in parallel, word by word, with probabilities of the next.

    Args:
        rules: the output of :func:`~plainformer.lab.rules.normalised`.
        start: the name that a sentence begins with.
        words: the vocabulary.

    Ref: Jelinek and Lafferty 1991 (the probability of a prefix).
    """

    def __init__(self, rules: Rules, start: str, words: Sequence[str]) -> None:
        self.rules, self.start, self.words = rules, start, tuple(words)
        self._ids = {word: i for i, word in enumerate(self.words)}
        self._seen: dict[State, tuple[np.ndarray, dict[str, State]]] = {}

    def next(self, state: State) -> np.ndarray:
        """Return the probability of each word after ``state``."""
        return self._step(state)[0]

    def after(self, state: State, i: int) -> State:
        """Return the state after ``state`` and word number ``i``.

        Raises:
            ValueError: the word cannot occur there.
        """
        p, after = self._step(state)
        if not 0 <= i < len(p) or not p[i]:
            can = [word for word, q in zip(self.words, p, strict=True) if q]
            what = self.words[i] if 0 <= i < len(p) else f"number {i}"
            raise ValueError(f"{what!r} cannot stand here: expected one of {can}")
        return after[self.words[i]]

    def ambiguity(self, limit: int) -> tuple[str | None, bool]:
        """Look for a text with two derivations; see ``Grammar.ambiguity`` for ``limit``."""
        begin = frozenset(stack for stack, _ in BEGIN)
        texts: dict[frozenset[Stack], str] = {begin: ""}
        queue = [begin]
        for stacks in queue:
            if len(texts) > limit:
                return None, False
            found: dict[str, list[Stack]] = {}
            for stack in stacks:
                for word, _, rest in self._opened(stack or (self.start,)):
                    found.setdefault(word, []).append(rest)
            for word, rests in found.items():
                after, text = frozenset(rests), f"{texts[stacks]} {word}".strip()
                if len(after) < len(rests):  # two derivations have met
                    return text, False
                if after not in texts:
                    texts[after] = text
                    queue.append(after)
        return None, True

    def _opened(self, stack: Stack) -> list[tuple[str, float, Stack]]:
        """Return the words that can come next, their probabilities, and the symbols that remain."""
        if stack[0] not in self.rules:
            return [(stack[0], 1.0, stack[1:])]
        return [
            (word, p * q, rest + stack[1:])
            for p, side in self.rules[stack[0]]
            for word, q, rest in self._opened(side)
        ]

    def _step(self, state: State) -> tuple[np.ndarray, dict[str, State]]:
        if state not in self._seen:
            after: dict[str, dict[Stack, float]] = {}
            for stack, weight in state:
                for word, p, rest in self._opened(stack or (self.start,)):
                    rests = after.setdefault(word, {})
                    rests[rest] = rests.get(rest, 0.0) + weight * p
            chances = np.zeros(len(self.words))
            states = {}
            for word, rests in after.items():
                chances[self._ids[word]] = total = sum(rests.values())
                states[word] = tuple((rest, weight / total) for rest, weight in rests.items())
            self._seen[state] = chances / chances.sum(), states
        return self._seen[state]


TALES = Grammar(TALE_RULES)
