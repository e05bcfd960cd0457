"""Follow all derivations of a text at once, word by word."""

from collections.abc import Sequence

import numpy as np

from plainformer.training.grammar_checks import Rules

Stack = tuple[str, ...]  # what must still come, next symbol first; () = a sentence has ended
State = tuple[tuple[Stack, float], ...]  # the derivations that fit, with their probabilities

BEGIN: State = (((), 1.0),)


class Derivations:
    """Say what can come next, with which probability, and what is left to come after it.

    Args:
        rules: as :func:`~plainformer.training.grammar_checks.normalised` gave them.
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
            ValueError: the word cannot stand there.
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
                if len(after) < len(rests):  # two ways have met
                    return text, False
                if after not in texts:
                    texts[after] = text
                    queue.append(after)
        return None, True

    def _opened(self, stack: Stack) -> list[tuple[str, float, Stack]]:
        """Return the words that can come next, each with a probability and what is left."""
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
