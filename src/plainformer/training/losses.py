"""The loss of a batch with a weight for each position."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

IGNORED = -100  # the target that PyTorch ignores, whatever its weight


class NonFiniteLoss(ArithmeticError):  # noqa: N818 - it says what the loss is
    """A loss or a gradient became NaN or infinite; it has not changed the weights."""


def summed_cross_entropy(
    logits: Float[Tensor, "b q v"],
    targets: Int[Tensor, "b q"],
    weights: Float[Tensor, "b q"],
    *,
    smoothing: float = 0.0,
    trusted: bool = False,
) -> Float[Tensor, ""]:
    r"""Sum the cross-entropy of the targets, in nats.

    .. math:: -\sum_i w_i \sum_c t_{ic} \log p_{ic}, \qquad
              t_{ic} = (1 - \epsilon)\,[c = y_i] + \epsilon / v

    The sum is later divided by the weights of the whole batch, which several processes and several
    micro-steps share.

    Args:
        logits: the model's; float16 and bfloat16 are widened.
        targets: the right token at each position; any number if its weight is 0.
        weights: weight of each position; 0 for padding.
        smoothing: fraction ε of the target that is spread over the whole vocabulary.
        trusted: whether :func:`check_targets` was called already. Checking would wait for a GPU.

    Returns:
        One number, in float32 or wider.

    Raises:
        ValueError: ``smoothing`` is outside 0 to 1, or see :func:`check_targets`.

    Cost: one pass over the logits, and one copy of them for the gradient.

    Ref: Szegedy et al. 2016, section 7 (smoothing).

    >>> even = torch.zeros(1, 2, 4)
    >>> round(summed_cross_entropy(even, torch.tensor([[1, 0]]), torch.ones(1, 2)).item(), 4)
    2.7726
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing={smoothing}: expected a share, 0 or more and below 1")
    if not trusted:
        check_targets(targets, weights, logits.shape[-1])
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32)).flatten(0, 1)
    # With a weight of 0, the target need not be a token.
    safe = targets.masked_fill(weights == 0, IGNORED).flatten()
    each = F.cross_entropy(wide, safe, reduction="none", label_smoothing=smoothing)
    return (each * weights.flatten().to(each.dtype)).sum()


def check_targets(
    targets: Int[Tensor, "b q"], weights: Float[Tensor, "b q"], vocabulary: int
) -> None:
    """Refuse targets that are not tokens at positions with a weight.

    Args:
        targets: the right token at each position; any number if its weight is 0.
        weights: weight of each position.
        vocabulary: number of tokens v.

    Raises:
        ValueError: names the first such target and its place.

    Cost: one pass over the targets, which waits for the GPU if they are on one.
    """
    wrong = (weights != 0) & ((targets < 0) | (targets >= vocabulary))
    if not wrong.any():
        return
    row, place = wrong.nonzero()[0].tolist()
    target = int(targets[row, place])
    raise ValueError(
        f"target {target} at row {row}, position {place}, where the weight is "
        f"{float(weights[row, place]):g}: expected a token from 0 to {vocabulary - 1}. A position "
        "that does not count needs the weight 0: "
        f"weights=weights.masked_fill(targets == {target}, 0)"
    )
