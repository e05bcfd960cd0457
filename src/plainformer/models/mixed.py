"""Weights of several dtypes: name those that PyTorch cannot multiply."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def one_dtype(model: nn.Module) -> Iterator[None]:
    """Name the weights of a model, if an error within the block comes from their dtypes.

    Norms and positions may be in float32 along with matrices of half precision. Matrices of several
    dtypes cannot be multiplied in sequence, and PyTorch's error does not name them.

    Args:
        model: the model whose matrices are multiplied in the block.

    Raises:
        ValueError: PyTorch raised an error, and the matrices have several dtypes.
    """
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:
        first = {
            module.weight.dtype: f"{name}.weight"
            for name, module in reversed(list(model.named_modules()))
            if isinstance(module, nn.Linear | nn.Embedding)
        }
        if len(first) < 2:
            raise
        examples = ", ".join(f"{name} in {dtype}" for dtype, name in first.items())
        casts = torch.float64 not in first  # autocast leaves float64 as it is
        raise ValueError(
            f"weights of several dtypes, such as {examples}: convert the model with "
            f"model.to(torch.float32){', or call it under torch.autocast' if casts else ''}"
        ) from error
