r"""Speculative sampling: a drafter guesses tokens, and the model checks all in one pass.

A guess x, drawn from q, is accepted with probability :math:`\min(1, p(x)/q(x))`, where p is the
model's own distribution. A refused guess is replaced by a token drawn from the part of p that
exceeds q. The tokens then have the same distribution as if the model had drawn each by itself. The
guesses can come from a smaller model, or from the text itself.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.generation.drafting import Draft, Drafter
from plainformer.generation.drawing import Dice, log_probabilities
from plainformer.generation.fingerprint import Glance
from plainformer.generation.reading import (
    LanguageModel,
    MakeCaches,
    Reader,
    caches_named,
    growing,
)
from plainformer.generation.sampling import Sampler
from plainformer.generation.stopping import Origin
from plainformer.whole_numbers import Whole, whole


def acceptance(p: Float[Tensor, " v"], q: Float[Tensor, " v"], token: int) -> float:
    r"""Return the probability with which a guessed token is accepted.

    .. math:: \min(1,\ p(x) / q(x))

    Args:
        p: the model's distribution.
        q: the drafter's distribution; above 0 at the token.
        token: the guess x.

    Cost: one division.

    Ref: Leviathan et al. 2023, section 2.3.

    >>> acceptance(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]), 0)
    0.5
    """
    return min(1.0, float(p[token]) / float(q[token]))


def residual(p: Float[Tensor, " v"], q: Float[Tensor, " v"]) -> Float[Tensor, " v"]:
    r"""Return the distribution of the token that replaces a refused guess.

    .. math:: p'(x) = \frac{\max(0,\ p(x) - q(x))}{\sum_y \max(0,\ p(y) - q(y))}

    Args:
        p: the model's distribution.
        q: the drafter's distribution.

    Returns:
        Probabilities; p itself if p is nowhere above q, so that they are equal and no guess is
        refused.

    Cost: v subtractions.

    Ref: Leviathan et al. 2023, section 2.3; Chen et al. 2023, theorem 1.

    >>> residual(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0])).tolist()
    [0.0, 1.0]
    """
    more = (p - q).clamp_min(0)
    total = more.sum()
    return more / total if total > 0 else p


def judged(
    draft: Draft,
    logits: Float[Tensor, "n v"],
    *,
    sampler: Sampler,
    dice: Dice,
    where: tuple[int, int],
) -> Iterator[tuple[int, Origin]]:
    """Yield the tokens of one round: accepted guesses, then one token of the model's own.

    One of the two vocabularies may be padded: tokens that the other does not have get probability
    0.

    Args:
        draft: the guesses, one fewer than the rows of logits; or an equal number, if the last one
            is beyond the model's vocabulary.
        logits: the model's, before each guess and after the last.
        sampler: converts logits to probabilities.
        dice: provides the random draws.
        where: the sequence and the number of its tokens so far, for messages.

    Raises:
        NaNLogits: a row that is needed has no finite number.

    Ref: Leviathan et al. 2023, algorithm 1.
    """
    sequence, step = where
    q, v = draft.probabilities, max([logits.shape[-1], *(token + 1 for token in draft.tokens)])
    if q is None:
        q = F.one_hot(torch.tensor(draft.tokens, dtype=torch.long, device="cpu"), v)
    v = max(v, q.shape[-1])
    q = F.pad(q, (0, v - q.shape[-1]))
    for i in range(len(logits)):
        # Row by row, because the rows after a refused guess are not used.
        p = sampler.probabilities(logits[i : i + 1], where=[(sequence, step + i)])[0]
        p = F.pad(p, (0, v - len(p)))
        if i == len(draft.tokens):
            yield dice.draw(p), "model"
            return
        q_i, guess = q[i].to(p.device, p.dtype), draft.tokens[i]
        if not dice.coin(acceptance(p, q_i, guess)):
            yield dice.draw(residual(p, q_i)), "correction"
            return
        yield guess, "draft"


def speculate(
    reader: Reader,
    prompt: Sequence[int],
    drafter: Drafter,
    *,
    sampler: Sampler,
    dice: Dice,
    limit: int,
    ahead: int = 4,
    sequence: int = 0,
) -> Iterator[tuple[int, float, Origin]]:
    """Yield tokens that follow a prompt, their log-probabilities, and their origin.

    Args:
        reader: reads one sequence with the model that checks the guesses.
        prompt: tokens, at least one.
        drafter: guesses the next tokens.
        sampler: the same for model and drafter.
        dice: provides the random draws for this sequence.
        limit: the largest number of tokens.
        ahead: the largest number of guesses in a round.
        sequence: its number, for messages.

    Raises:
        NaNLogits: a row of logits has no finite number.

    Cost: a round reads up to ``ahead`` + 1 tokens in one pass of the model, and yields 1 to
    ``ahead`` + 1.

    Ref: Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2.
    """
    config = reader.model.config
    text, made = list(prompt), 0
    while made < limit and len(text) <= config.context:
        count = min(ahead, limit - made - 1, config.context - len(text))
        draft = Draft([], None)
        if count > 0:
            draft = drafter.propose(text, count, sampler=sampler, dice=dice)
        # A guess beyond the model's vocabulary cannot be read, so it is refused and ends the round.
        read = list(takewhile(lambda token: token < config.vocabulary, draft.tokens))
        draft = Draft(draft.tokens[: len(read) + 1], draft.probabilities)
        logits = reader.ask([[*text, *read]], last=len(read) + 1)[0]
        for i, (token, origin) in enumerate(
            judged(draft, logits, sampler=sampler, dice=dice, where=(sequence, made))
        ):
            text.append(token)
            made += 1
            log = log_probabilities(logits[i : i + 1], torch.tensor([token], device=logits.device))
            yield token, float(log), origin
        reader.rewind(len(text) - 1)  # the last one is new; refused guesses come after it


class ModelDrafter:
    """Guess with a smaller model of the same vocabulary.

    It keeps the state of the text it has read, and removes the tokens that the model has refused.

    Args:
        model: the smaller model.
        caches: makes its caches; as in :func:`~plainformer.generation.generate.generate`.

    Raises:
        ValueError: ``caches`` is an unknown name, or does not make caches.

    Ref: Leviathan et al. 2023, section 2.1; Chen et al. 2023, algorithm 2.
    """

    def __init__(self, model: LanguageModel, *, caches: MakeCaches | str | None = growing) -> None:
        self.model, self.caches = model, caches_named(caches)
        self.vocabulary: int | None = model.config.vocabulary
        self._reader: Reader | None = None
        self._glance: Glance | None = None
        self._read: list[int] = []

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Draw up to ``count`` tokens after ``tokens`` with ``sampler`` and ``dice``.

        The number is smaller at the end of the smaller model's context, and 0 after a token that is
        not in its vocabulary.
        """
        context = self.model.config.context
        count = min(count, context + 1 - len(tokens))
        if count < 1 or max(tokens) >= self.model.config.vocabulary:  # it cannot read them
            return Draft([], None)
        reader, self._reader = self._reader, None  # so that an error leaves no partly read state
        if self._glance is None or self._glance.differs():  # the state is of other weights
            reader = None
            self._glance = Glance(self.model) if isinstance(self.model, nn.Module) else None
        if reader is None:
            self._read = []
            reader = Reader(self.model, self.caches, b=1, capacity=context)
        reader.rewind(min(_shared(self._read, tokens), len(tokens) - 1))
        text, drawn_from = list(tokens), []
        for _ in range(count):
            logits = reader.ask([text])[0]
            where = [(0, len(text))]
            drawn_from.append(sampler.probabilities(logits, where=where)[0])
            text.append(dice.draw(drawn_from[-1]))
        self._reader, self._read = reader, text[:-1]
        return Draft(text[len(tokens) :], torch.stack(drawn_from))


class PromptLookup:
    """Guess that the tokens which followed the latest ones earlier in the text follow again.

    This needs no computation, and works well if text repeats itself, as in code, quotations and
    summaries.

    Args:
        longest: the largest number of latest tokens to search for; if they are not found, fewer are
            used, down to 1.

    Raises:
        ValueError: ``longest`` is below 1.

    Cost: a search of the text for each length.

    Ref: Saxena 2023 (prompt lookup decoding); Yang et al. 2023 (LLMA).
    """

    vocabulary: int | None = None

    def __init__(self, longest: Whole = 3) -> None:
        longest = whole(longest, "longest")
        if longest < 1:
            raise ValueError(f"longest={longest}: expected at least 1 token to look for")
        self.longest = longest

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Return up to ``count`` of the tokens that followed the last occurrence in ``tokens``.

        ``sampler`` and ``dice`` are not used.
        """
        text = list(tokens)
        for width in range(min(self.longest, len(text) - 1), 0, -1):
            wanted = text[-width:]
            for begin in range(len(text) - width - 1, -1, -1):
                if text[begin : begin + width] == wanted:
                    return Draft(text[begin + width :][:count], None)
        return Draft([], None)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the common beginning of two sequences."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
