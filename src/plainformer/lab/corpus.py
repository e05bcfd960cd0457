"""Text of known entropy, so that the lowest possible loss can be computed.

A Markov chain draws each symbol from a distribution that depends on the last few symbols. The
uncertainty that remains after training is its entropy rate, and that has a formula.
"""

import numpy as np

DEFAULT_ALPHABET = b"abcdefghijklmnop"


class Chain:
    r"""A random Markov chain over a small alphabet, with sparse transitions.

    After each context of ``order`` symbols, ``branch`` symbols are likely, with random weights; a
    fraction ``noise`` of the probability is spread over all symbols, so that every context can be
    reached from every other and the stationary distribution is unique.

    Args:
        alphabet: the symbols, as bytes.
        order: number of symbols that the next one depends on.
        branch: number of likely symbols after a context.
        noise: the fraction that is spread uniformly.
        seed: seed of the transitions.

    Raises:
        ValueError: a number is out of range, a symbol occurs twice, or there are more than 20,000
            contexts.

    Ref: Shannon 1948, sections 3 to 7.
    """

    def __init__(
        self,
        *,
        alphabet: bytes = DEFAULT_ALPHABET,
        order: int = 2,
        branch: int = 3,
        noise: float = 0.02,
        seed: int = 0,
    ) -> None:
        v = len(alphabet)
        if v < 2 or len(set(alphabet)) < v:
            raise ValueError(f"alphabet={alphabet!r}: expected two different bytes or more")
        if order < 1 or not 1 <= branch <= v or not 0 < noise <= 1:
            raise ValueError(
                f"order={order}, branch={branch}, noise={noise}: expected an order of at least 1, "
                f"1 to {v} branches, and a noise above 0 and up to 1"
            )
        if v**order > 20_000:
            raise ValueError(f"{v}^{order} contexts: more than 20000; lower the order")
        self.alphabet, self.order, self.seed = alphabet, order, seed
        draw = np.random.default_rng([seed, v, order, branch])
        likely = np.argsort(draw.random((v**order, v)), axis=1)[:, :branch]
        sparse = np.zeros((v**order, v))
        np.put_along_axis(sparse, likely, draw.dirichlet(np.ones(branch), v**order), axis=1)
        self.transitions = (1 - noise) * sparse + noise / v
        self.stationary = self._stationary()

    @property
    def entropy_rate(self) -> float:
        r"""The entropy of a symbol given all before it, in nats.

        .. math:: H = -\sum_s \pi(s) \sum_c P(c \mid s) \log P(c \mid s)

        Ref: Cover and Thomas 2006, theorem 4.2.4.
        """
        return float(self.stationary @ entropy(self.transitions))

    @property
    def unigram_entropy(self) -> float:
        """The entropy of a single symbol without context, in nats."""
        return float(entropy(self.stationary.reshape(-1, len(self.alphabet)).sum(0)))

    def entropy_at(self, position: int) -> float:
        """Return the entropy of the symbol at a position, given those before it, in nats.

        Args:
            position: 0 is the first symbol of a window that begins at a random place in the text.

        Ref: Cover and Thomas 2006, theorem 2.5.1 (chain rule).
        """
        if position >= self.order:
            return self.entropy_rate
        v = len(self.alphabet)
        longer = self.stationary.reshape(v ** (position + 1), -1).sum(1)
        shorter = self.stationary.reshape(v**position, -1).sum(1)
        return float(entropy(longer) - entropy(shorter))

    def floor(self, context: int) -> float:
        """Return the lowest mean loss of predicting windows' next tokens, in nats per token.

        Args:
            context: inputs in a window; the targets are at positions 1 to ``context``.
        """
        early = [self.entropy_at(i) for i in range(1, min(context + 1, self.order))]
        rest = (context - len(early)) * self.entropy_rate
        return (sum(early) + rest) / context

    def sample(self, length: int, *, seed: int = 0) -> np.ndarray:
        """Draw text from the stationary distribution.

        Args:
            length: number of symbols.
            seed: seed of the draw, combined with the chain's own seed.

        Returns:
            The bytes, as uint8.

        Cost: a search in ``len(alphabet)`` numbers for each symbol.
        """
        draw = np.random.default_rng([self.seed, seed, 1])
        v, contexts = len(self.alphabet), len(self.stationary)
        sums = np.cumsum(self.transitions, axis=1)
        sums[:, -1] = 1.0  # rounding must not leave a gap at the end
        state = int(np.searchsorted(np.cumsum(self.stationary), draw.random()))
        state = min(state, contexts - 1)
        first = [state // v**i % v for i in reversed(range(self.order))]
        symbols = np.empty(max(length, self.order), dtype=np.int64)
        symbols[: self.order] = first
        noise = draw.random(len(symbols))
        for i in range(self.order, length):
            symbol = int(sums[state].searchsorted(noise[i], side="right"))
            symbols[i] = symbol
            state = (state * v + symbol) % contexts
        return np.frombuffer(self.alphabet, dtype=np.uint8)[symbols[:length]]

    def _stationary(self) -> np.ndarray:
        """Solve π = πP by iteration: each step shrinks the error, as every symbol is possible."""
        v, contexts = self.transitions.shape[1], len(self.transitions)
        pi = np.full(contexts, 1 / contexts)
        for _ in range(100_000):
            joint = (pi[:, None] * self.transitions).reshape(v, -1, v)  # oldest symbol, rest, new
            new = joint.sum(0).reshape(-1)
            if np.abs(new - pi).sum() < 1e-15:
                break
            pi = new / new.sum()
        return pi


class Copies:
    """Documents whose second half repeats the first, so that only copying can predict it.

    Args:
        chain: the chain that draws the first half.
        half: symbols in a half.

    Raises:
        ValueError: ``half`` is below 1.

    Ref: Olsson et al. 2022 (induction heads).
    """

    def __init__(self, chain: Chain, half: int) -> None:
        if half < 1:
            raise ValueError(f"half={half}: expected at least one symbol")
        self.chain, self.half = chain, half

    def entropy_at(self, position: int) -> float:
        """Return the entropy of the symbol at ``position``, 0 in the second half, in nats."""
        return self.chain.entropy_at(position) if position < self.half else 0.0

    def floor(self, context: int) -> float:
        """Return the lowest mean loss over targets at positions 1 to ``context``, in nats."""
        return sum(self.entropy_at(i) for i in range(1, context + 1)) / context

    def sample(self, count: int, *, seed: int = 0) -> list[np.ndarray]:
        """Draw ``count`` documents of twice ``half`` bytes each, from ``seed``."""
        halves = (self.chain.sample(self.half, seed=seed * 1_000_003 + i) for i in range(count))
        return [np.concatenate([half, half]) for half in halves]


def entropy(p: np.ndarray) -> np.ndarray:
    """Return the entropy of distributions on the last axis, in nats.

    Args:
        p: probabilities; zeros contribute nothing.

    Ref: Shannon 1948, section 6.

    >>> float(entropy(np.array([0.5, 0.5, 0.0]))) == float(np.log(2))
    True
    """
    terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
    return np.asarray(-terms.sum(-1))
