"""What enters a model is checked first: tokens, their kinds, the length of the sequence."""

import torch
from torch import Tensor

from plainformer.models.config import Config


def check_length(length: int, config: Config) -> None:
    """Refuse sequences longer than the context.

    Args:
        length: number of positions, those in caches included.
        config: the model's configuration.

    Raises:
        ValueError: says how many positions there are, and how many there may be.
    """
    if length > config.context:
        raise ValueError(
            f"{length} positions do not fit the model's context of {config.context}: shorten the "
            "prompt, generate fewer tokens, or use a sliding window"
        )


def check_kind(tokens: object) -> None:
    """Refuse what is no batch of token numbers.

    Args:
        tokens: what was given as token numbers (b, q).

    Raises:
        ValueError: says what it is.
    """
    if not isinstance(tokens, Tensor):
        what = f"a {type(tokens).__name__}"
    elif tokens.ndim != 2 or tokens.is_floating_point() or tokens.dtype == torch.bool:
        what = f"a tensor of shape {tuple(tokens.shape)} and {tokens.dtype}"
    else:
        return
    raise ValueError(
        f"tokens is {what}; expected a tensor (b, q) of whole numbers, such as "
        "torch.tensor([[5, 3, 8]]) for one sequence of three"
    )


def check_tokens(tokens: Tensor, config: Config) -> None:
    """Refuse tokens outside the vocabulary.

    It waits for the GPU where the tokens are on one.

    Args:
        tokens: token numbers (b, q).
        config: the model's configuration.

    Raises:
        ValueError: says which token.
    """
    bad = _outside(tokens, config.vocabulary)
    if bad is not None:
        raise ValueError(
            f"token {bad} is outside the vocabulary of {config.vocabulary}: is this the "
            "tokenizer that the model was trained with?"
        )


def check_types(types: Tensor | None, config: Config) -> None:
    """Refuse kinds of tokens that the model does not tell apart.

    Args:
        types: the kind of each token (b, q), or None.
        config: the model's configuration.

    Raises:
        ValueError: says which kind, and how many there are.
    """
    if types is None:
        return
    if not config.token_types:
        raise ValueError("types are given, but token_types=0: this model knows no kinds of tokens")
    bad = _outside(types, config.token_types)
    if bad is not None:
        raise ValueError(f"type {bad} is outside the {config.token_types} kinds of tokens")


def _outside(numbers: Tensor, count: int) -> int | None:
    if not numbers.numel():
        return None
    low, high = torch.stack(torch.aminmax(numbers)).tolist()  # one wait for the device, not two
    if low < 0:
        return int(low)
    return int(high) if high >= count else None
