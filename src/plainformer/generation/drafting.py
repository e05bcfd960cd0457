"""The interface of a drafter, which guesses the next tokens for a model to check."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from torch import Tensor

from plainformer.generation.drawing import Dice
from plainformer.generation.sampling import Sampler


class Draft(NamedTuple):
    """Guessed tokens, and their probabilities in the drafter.

    Attributes:
        tokens: n guesses, each after the ones before it.
        probabilities: (n, v), the distribution of each guess; None for deterministic guesses.
    """

    tokens: list[int]
    probabilities: Tensor | None


@runtime_checkable
class Drafter(Protocol):
    """Guess the next tokens of a sequence.

    Attributes:
        vocabulary: number of tokens v that it knows; None if it only repeats tokens of the input.
    """

    vocabulary: int | None

    def propose(self, tokens: Sequence[int], count: int, *, sampler: Sampler, dice: Dice) -> Draft:
        """Guess up to ``count`` tokens that follow ``tokens``.

        ``sampler`` turns logits into probabilities as for the model that checks the guesses, and
        ``dice`` provides the random draws.
        """
        ...


class VocabularyMismatch(ValueError):  # noqa: N818  (named after what is there)
    """The vocabularies of drafter and model differ."""


def check_drafter(
    drafter: Drafter, vocabulary: int, ahead: int, *, longest: int, fixed: int | None
) -> None:
    """Refuse a drafter that cannot guess for a model.

    Args:
        drafter: guesses the next tokens.
        vocabulary: number of tokens v of the model.
        ahead: number of tokens to guess in a round.
        longest: the largest possible length of a sequence.
        fixed: length up to which the model's rotary angles do not depend on the sequence length;
            None for any length.

    Raises:
        VocabularyMismatch: the drafter's vocabulary is not the model's, padded or not.
        ValueError: ``ahead`` is below 1, the object is not a drafter, or a sequence can become so
            long that the model's probabilities would depend on how many tokens are read at once.
    """
    if not hasattr(drafter, "propose"):
        raise ValueError(
            f"drafter is a {type(drafter).__name__}; expected one of "
            "plainformer.generation.speculative, such as ModelDrafter(model)"
        )
    if ahead < 1:
        raise ValueError(f"ahead={ahead}: expected at least 1 token to be guessed in a round")
    if fixed is not None and longest > fixed:
        raise ValueError(
            f"drafter: a sequence may get {longest} positions, and beyond {fixed} the model's "
            "rotary angles follow how many tokens are read at once: leave the drafter out, or load "
            "the model with another scaling, such as load(…, rotary_scaling='ntk')"
        )
    known = vocabulary if drafter.vocabulary is None else drafter.vocabulary
    if not _differ_by_padding(*sorted((known, vocabulary))):
        raise VocabularyMismatch(
            f"the drafter knows {known} tokens, the model {vocabulary}: both must have been "
            "trained with one tokenizer. Their tables may be padded to other sizes, by up to a "
            "tenth, or to a multiple of a power of two up to 1024 that is below twice the smaller"
        )


def _differ_by_padding(smaller: int, larger: int) -> bool:
    """Return whether both tables can hold the same tokenizer's tokens, except for padding."""
    rounded = {-(-smaller // 2**power) * 2**power for power in range(11)}
    return larger - smaller <= smaller // 10 or (larger in rounded and larger < 2 * smaller)
