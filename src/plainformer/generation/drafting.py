"""What a drafter is: it guesses ahead, and a model judges its guesses."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from torch import Tensor

from plainformer.generation.drawing import Dice
from plainformer.generation.sampling import Sampler


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


class VocabularyMismatch(ValueError):  # noqa: N818  (named after what is there)
    """Say that drafter and model do not share their vocabulary."""


def check_drafter(
    drafter: Drafter, vocabulary: int, ahead: int, *, longest: int, fixed: int | None
) -> None:
    """Refuse a drafter that cannot guess for a model.

    Args:
        drafter: guesses ahead.
        vocabulary: number of tokens v of the model.
        ahead: how many tokens it shall guess in a round.
        longest: the most positions that a sequence can get.
        fixed: up to how many the model's rotary angles do not follow the length; None for all.

    Raises:
        VocabularyMismatch: the drafter's vocabulary is not the model's, padded or not.
        ValueError: ``ahead`` is below 1, the drafter is none, or a sequence gets so long that what
            the model says of a guess would depend on how many are read with it.
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
    """Return whether tables can hold one tokenizer's tokens, and rows that are padding."""
    rounded = {-(-smaller // 2**power) * 2**power for power in range(11)}
    return larger - smaller <= smaller // 10 or (larger in rounded and larger < 2 * smaller)
