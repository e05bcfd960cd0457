r"""Speculative sampling: a drafter guesses ahead, and the model judges all guesses in one pass.

A guess x, drawn from q, is accepted with probability :math:`\min(1, p(x)/q(x))`, where p is what
the model itself would draw from. In place of a refused one, a token is drawn from what p has and q
lacks. The tokens are then distributed as if the model had drawn each by itself.
"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from plainformer.generation.drafting import Draft, Drafter
from plainformer.generation.drawing import Dice
from plainformer.generation.reading import Reader
from plainformer.generation.results import Origin
from plainformer.generation.sampler import Sampler, log_probabilities


class VocabularyMismatch(ValueError):  # noqa: N818  (named after what is there)
    """Say that drafter and model do not share their vocabulary."""


def check_drafter(drafter: Drafter, vocabulary: int, ahead: int) -> None:
    """Refuse a drafter that cannot guess for a model.

    Args:
        drafter: guesses ahead.
        vocabulary: number of tokens v of the model.
        ahead: how many tokens it shall guess in a round.

    Raises:
        VocabularyMismatch: the drafter's vocabulary is not the model's.
        ValueError: ``ahead`` is below 1, or the drafter is none.
    """
    if not hasattr(drafter, "propose"):
        raise ValueError(
            f"drafter is a {type(drafter).__name__}; expected one of "
            "plainformer.generation.drafting, such as ModelDrafter(model)"
        )
    if ahead < 1:
        raise ValueError(f"ahead={ahead}: expected at least 1 token to be guessed in a round")
    if drafter.vocabulary not in (None, vocabulary):
        raise VocabularyMismatch(
            f"the drafter knows {drafter.vocabulary} tokens, the model {vocabulary}: both must "
            "have been trained with one tokenizer"
        )


def acceptance(p: Float[Tensor, " v"], q: Float[Tensor, " v"], token: int) -> float:
    r"""Return the probability with which a guessed token is accepted.

    .. math:: \min(1,\ p(x) / q(x))

    Args:
        p: what the model draws from.
        q: what the guess was drawn from; above 0 at the token.
        token: the guess x.

    Cost: one division.

    Ref: Leviathan et al. 2023, section 2.3.

    >>> acceptance(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]), 0)
    0.5
    """
    return min(1.0, float(p[token]) / float(q[token]))


def residual(p: Float[Tensor, " v"], q: Float[Tensor, " v"]) -> Float[Tensor, " v"]:
    r"""Return what a token is drawn from in place of a refused guess.

    .. math:: p'(x) = \frac{\max(0,\ p(x) - q(x))}{\sum_y \max(0,\ p(y) - q(y))}

    Args:
        p: what the model draws from.
        q: what the guess was drawn from.

    Returns:
        Probabilities; p itself where p is nowhere above q, which is where they are equal and
        nothing is refused.

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

    Args:
        draft: the guesses, one fewer than there are logits.
        logits: the model's, before each guess and after the last.
        sampler: turns logits into what is drawn from.
        dice: decide and draw.
        where: the sequence and the number of its tokens so far, for messages.

    Raises:
        NaNLogits: a row that is needed holds no number to draw by.

    Ref: Leviathan et al. 2023, algorithm 1.
    """
    sequence, step = where
    q = draft.probabilities
    if q is None:
        q = F.one_hot(torch.tensor(draft.tokens, dtype=torch.long), logits.shape[-1])
    for i in range(len(draft.tokens) + 1):
        # Row by row: what stands behind a refused guess is nobody's business.
        p = sampler.probabilities(logits[i : i + 1], where=[(sequence, step + i)])[0]
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
    """Yield tokens that follow a prompt, their log-probabilities, and who chose them.

    Args:
        reader: reads with the model that judges, one sequence.
        prompt: tokens, at least one.
        drafter: guesses ahead.
        sampler: the same for model and drafter.
        dice: decide and draw, for this sequence.
        limit: how many tokens, at most.
        ahead: how many are guessed in a round, at most.
        sequence: its number, for messages.

    Raises:
        NaNLogits: the logits hold no number to draw by.

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
        tokens = torch.tensor([[*text, *draft.tokens]])
        logits = reader.ask(tokens, last=len(draft.tokens) + 1)[0]
        for i, (token, origin) in enumerate(
            judged(draft, logits, sampler=sampler, dice=dice, where=(sequence, made))
        ):
            text.append(token)
            made += 1
            log = log_probabilities(logits[i : i + 1], torch.tensor([token], device=logits.device))
            yield token, float(log), origin
        reader.rewind(len(text) - 1)  # the last one is new; refused guesses stand behind it
