"""From scores to weights."""

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer import masks


def softmax(
    scores: Float[Tensor, "*batch k"], mask: Tensor | None = None
) -> Float[Tensor, "*batch k"]:
    """Turn each row of scores into weights: none negative, summing to 1 over the keys.

    The largest score of a row is subtracted before ``exp``, so that nothing overflows; the
    weights do not change, because softmax ignores a constant added to a whole row.

    Args:
        scores: one score per key on the last axis, any axes before it.
        mask: True where a query may attend to a key; broadcasts to the scores.

    Returns:
        Weights in the shape and dtype of the scores. A masked key gets exactly 0, and a fully
        masked row all zeros. float16 and bfloat16 are summed in float32.

    Raises:
        ValueError: the mask is invalid (see :func:`plainformer.masks.check`).

    Cost: three passes over the scores, one copy of them.

    Ref: Vaswani et al. 2017, equation 1.

    >>> softmax(torch.tensor([1000.0, 1000.0, -torch.inf])).tolist()
    [0.5, 0.5, 0.0]
    """
    dtype = scores.dtype
    scores = scores.to(torch.promote_types(dtype, torch.float32))
    if mask is not None:
        masks.check(mask, scores)
        scores = scores.masked_fill(~mask, -torch.inf)
    if scores.shape[-1] == 0:
        return scores.to(dtype)
    largest = scores.detach().amax(dim=-1, keepdim=True)
    nowhere = largest == -torch.inf
    weights = torch.exp(scores - largest.masked_fill(nowhere, 0))
    total = weights.sum(dim=-1, keepdim=True)
    return (weights / total.masked_fill(nowhere, 1)).to(dtype)
