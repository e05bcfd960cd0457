"""Who guesses ahead for speculative decoding: a smaller model, or the text itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from plainformer.generation.drawing import Dice
from plainformer.generation.reading import LanguageModel, MakeCaches, Reader, growing
from plainformer.generation.sampler import Sampler


class Draft(NamedTuple):
    """Hold guessed tokens, and how likely the drafter was to guess them.

    Attributes:
        tokens: n guesses, each after the ones before it.
        probabilities: (n, v), what each was drawn from; None where nothing was left to chance.
    """

    tokens: list[int]
    probabilities: Tensor | None


@runtime_checkable
class Drafter(Protocol):
    """What guesses ahead.

    Attributes:
        vocabulary: number of tokens v that it knows; None where it only repeats what it is shown.
    """

    vocabulary: int | None

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Guess up to ``count`` tokens that follow ``tokens``.

        ``sampler`` turns logits into probabilities as it does for the model that will judge, and
        ``dice`` draw.
        """
        ...


class ModelDrafter:
    """Guess with a smaller model of the same vocabulary.

    It keeps what it has read, and forgets what the judge has refused.

    Args:
        model: the smaller model.
        caches: makes its caches; None works without.

    Ref: Leviathan et al. 2023, section 2.1; Chen et al. 2023, algorithm 2.
    """

    def __init__(self, model: LanguageModel, *, caches: MakeCaches | None = growing) -> None:
        self.model, self.caches = model, caches
        self.vocabulary: int | None = model.config.vocabulary
        self._reader: Reader | None = None
        self._read: list[int] = []

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Draw up to ``count`` tokens after ``tokens`` with ``sampler`` and ``dice``.

        They are fewer where the smaller model's context ends.
        """
        context = self.model.config.context
        count = min(count, context + 1 - len(tokens))
        if count < 1:
            return Draft([], None)
        reader, self._reader = self._reader, None  # an error leaves nothing half read behind
        if reader is None:
            reader = Reader(self.model, self.caches, b=1, capacity=context)
        reader.rewind(min(_shared(self._read, tokens), len(tokens) - 1))
        text, drawn_from = list(tokens), []
        for _ in range(count):
            logits = reader.ask(torch.tensor([text]))[0]
            where = [(0, len(text))]
            drawn_from.append(sampler.probabilities(logits, where=where)[0])
            text.append(dice.draw(drawn_from[-1]))
        self._reader, self._read = reader, text[:-1]
        return Draft(text[len(tokens) :], torch.stack(drawn_from))


class PromptLookup:
    """Guess that what followed the latest tokens earlier on follows them again.

    Nothing is computed: good where text repeats itself, as in code, quotations and summaries.

    Args:
        longest: how many of the latest tokens are looked for, at most; then fewer, down to 1.

    Raises:
        ValueError: ``longest`` is below 1.

    Cost: a search of the text for each length.

    Ref: Saxena 2023 (prompt lookup decoding); Yang et al. 2023 (LLMA), section 3.
    """

    vocabulary: int | None = None

    def __init__(self, longest: int = 3) -> None:
        if longest < 1:
            raise ValueError(f"longest={longest}: expected at least 1 token to look for")
        self.longest = longest

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Return up to ``count`` of the tokens that followed the last occurrence in ``tokens``.

        ``sampler`` and ``dice`` have no part in it.
        """
        text = list(tokens)
        for width in range(min(self.longest, len(text) - 1), 0, -1):
            wanted = text[-width:]
            for begin in range(len(text) - width - 1, -1, -1):
                if text[begin : begin + width] == wanted:
                    return Draft(text[begin + width :][:count], None)
        return Draft([], None)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Count the tokens with which both begin."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
