"""One vector per sequence: the vector of one token, or the mean of the real ones."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def token_pool(
    hidden: Float[Tensor, "b q m"], positions: Int[Tensor, " b"]
) -> Float[Tensor, "b m"]:
    """Return the vector of one token of each sequence, such as [CLS].

    Args:
        hidden: the output of a stack.
        positions: position of that token; 0 for a [CLS] at the start, the last real token for a
            decoder.

    Raises:
        ValueError: a position is outside the sequence.

    Cost: reads b·m numbers.

    Ref: Devlin et al. 2019 (BERT), section 3.

    >>> token_pool(torch.tensor([[[1.0], [2.0]]]), torch.tensor([1])).tolist()
    [[2.0]]
    """
    wrong = [int(p) for p in positions if not 0 <= p < hidden.shape[1]]
    if wrong:
        raise ValueError(f"position {wrong[0]} is outside 0..{hidden.shape[1] - 1}")
    return hidden[torch.arange(len(hidden), device=hidden.device), positions]


def mean_pool(hidden: Float[Tensor, "b q m"], real: Bool[Tensor, "b q"]) -> Float[Tensor, "b m"]:
    """Average the vectors of the real tokens of each sequence, without padding.

    Args:
        hidden: the output of a stack; half precision is summed in float32.
        real: True at the real tokens, False at padding.

    Returns:
        One vector for each sequence; zeros for a sequence without a real token.

    Cost: b·q·m additions.

    Ref: Reimers and Gurevych 2019 (Sentence-BERT), section 3.

    >>> hidden = torch.tensor([[[1.0], [3.0], [50.0]]])
    >>> mean_pool(hidden, torch.tensor([[True, True, False]])).tolist()
    [[2.0]]
    """
    kept = torch.where(real[..., None], hidden, 0.0)
    count = real.sum(dim=1, keepdim=True).clamp_min(1)
    wide = torch.promote_types(hidden.dtype, torch.float32)  # a sum may exceed float16
    return (kept.sum(dim=1, dtype=wide) / count).to(hidden.dtype)
