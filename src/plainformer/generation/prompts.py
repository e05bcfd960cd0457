"""Prompts: what is refused before anything is generated, and padding on the left."""

from collections.abc import Sequence
from operator import index
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor


class EmptyPrompt(ValueError):  # noqa: N818  (named after what is there)
    """Say that a prompt has no tokens, so that there is nothing to continue."""


class PromptTooLong(ValueError):  # noqa: N818
    """Say that a prompt has more tokens than the model's context."""


class UnknownToken(ValueError):  # noqa: N818
    """Say that a prompt has a token which the model's vocabulary has not."""


def read_prompts(
    prompts: Sequence[Sequence[int] | Tensor] | Tensor,
    *,
    vocabulary: int,
    context: int,
    bos: int | None = None,
) -> list[list[int]]:
    """Turn prompts into lists of tokens, and refuse those that the model cannot read.

    Args:
        prompts: one sequence of token numbers for each; of any lengths.
        vocabulary: number of tokens v.
        context: the longest sequence that the model can read, in tokens.
        bos: a token that is put before each prompt, also before an empty one.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the context.
        UnknownToken: a token is outside the vocabulary.
        ValueError: a prompt is not a sequence of whole numbers.

    >>> read_prompts([[3, 1], []], vocabulary=5, context=8, bos=0)
    [[0, 3, 1], [0]]
    """
    if bos is not None and not hasattr(bos, "__index__"):
        raise ValueError(f"bos={bos!r}: expected a token number, or None")
    read = [[*([] if bos is None else [bos]), *_whole(i, p)] for i, p in enumerate(prompts)]
    for i, tokens in enumerate(read):
        if not tokens:
            raise EmptyPrompt(
                f"prompt {i} is empty: give at least one token, or bos=, the token that begins text"
            )
        for place, token in enumerate(tokens):
            if not 0 <= token < vocabulary:
                raise UnknownToken(
                    f"prompt {i} has token {token} at place {place}, outside the vocabulary of "
                    f"{vocabulary}: is this the tokenizer that the model was trained with?"
                )
        if len(tokens) > context:
            raise PromptTooLong(
                f"prompt {i} has {len(tokens)} tokens, more than the model's context of {context}: "
                f"keep the last {context}, or fewer, to leave room for new ones"
            )
    return read


def check_whole(**given: object) -> None:
    """Refuse what is no whole number.

    Args:
        given: by their names.

    Raises:
        ValueError: one is not.
    """
    for name, value in given.items():
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ValueError(f"{name}={value!r}: expected a whole number")


def left_padded(sequences: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "b n"], Tensor | None]:
    """Lay sequences side by side so that all end together.

    Args:
        sequences: at least one.

    Returns:
        The tokens, padded on the left with token 0, and where each sequence starts, (b,); None
        where all are equally long.

    >>> left_padded([[1, 2, 3], [4]])
    (tensor([[1, 2, 3],
            [0, 0, 4]]), tensor([0, 2]))
    """
    n = max(len(s) for s in sequences)
    starts = [n - len(s) for s in sequences]
    padded = [[0] * start + list(s) for start, s in zip(starts, sequences, strict=True)]
    return torch.tensor(padded), torch.tensor(starts) if any(starts) else None


def _whole(number: int, prompt: Any) -> list[int]:
    try:
        return [index(token) for token in prompt]
    except TypeError as error:
        raise ValueError(
            f"prompt {number} is {prompt!r:.80}: expected a sequence of whole numbers, such as "
            "prompts=[[5, 3], [8]]"
        ) from error
