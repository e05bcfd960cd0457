"""Weights of several dtypes: what PyTorch cannot multiply is named."""

from types import TracebackType

import torch
from torch import nn


class one_dtype:  # noqa: N801  (a context, used like a function)
    """Name the weights of a model, if an error within the block comes from their dtypes.

    Norms and positions may be in float32 beside matrices of half precision. Matrices of several
    dtypes cannot be multiplied in a row, and PyTorch's error does not say where they are.

    Args:
        model: whose matrices are multiplied in the block.

    Raises:
        ValueError: PyTorch has raised an error, and the matrices are of several dtypes.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    def __enter__(self) -> None:
        """Do nothing yet."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raise the error that names the dtypes, if they are the reason."""
        if not isinstance(error, RuntimeError) or isinstance(error, torch.OutOfMemoryError):
            return
        kinds = nn.Linear, nn.Embedding
        first = {
            module.weight.dtype: f"{name}.weight"
            for name, module in reversed(list(self.model.named_modules()))
            if isinstance(module, kinds)
        }
        if len(first) > 1:
            examples = ", ".join(f"{name} in {dtype}" for dtype, name in first.items())
            raise ValueError(
                f"weights of several dtypes, such as {examples}: convert the model with "
                "model.to(torch.float32), or call it under torch.autocast"
            ) from error
