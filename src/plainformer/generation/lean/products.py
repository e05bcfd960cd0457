"""Products of a few vectors with a matrix that never changes: the bulk of a decode step.

A step with one vector multiplies each weight once, so its time is that of reading the weights, if
the kernel lets it be. Each class here stores the weights as one kernel reads them best.
"""

from abc import ABC, abstractmethod
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor


class Product(ABC):
    """Multiply by a matrix (n, o) and add a bias (o,).

    Attributes:
        table: the weights as they are stored, or None where PyTorch hides them.
        n: components of a vector.
        o: components of its product.
    """

    table: Tensor | None = None
    n: int
    o: int

    @abstractmethod
    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply the vectors of one step."""

    def many(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply any number of vectors, such as a prompt's."""
        return self(x)


class Plain(Product):
    """Leave it to the matrix product of PyTorch; the weights lie as (n, o).

    Args:
        weight: (n, o).
        bias: (o,), or None.
        dtype: type in which they are stored and multiplied.

    Cost: n·o multiplications for each vector.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        self.n, self.o = weight.shape
        self.table: Tensor = weight.to(dtype).contiguous()
        self.bias = None if bias is None else bias.to(dtype)

    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply the vectors of one step."""
        narrow = x.to(self.table.dtype)
        if self.bias is None:
            return torch.mm(narrow, self.table).to(x.dtype)
        return torch.addmm(self.bias, narrow, self.table).to(x.dtype)


@cache
def multiplied_in(dtype: torch.dtype) -> torch.dtype:
    """Return the type in which this processor multiplies weights of a type: asked of oneDNN, once.

    Without AVX-512 a CPU has no product in bfloat16. PyTorch's way round it takes a hundred times
    as long as the product in float32, into which each bfloat16 fits exactly.

    Args:
        dtype: ``torch.float32`` or ``torch.bfloat16``.
    """
    try:
        torch.ops.mkldnn._reorder_linear_weight(torch.zeros(1, 1, dtype=dtype), 1)
    except (AttributeError, RuntimeError):  # no oneDNN, or none for this type
        return torch.float32
    return dtype


class Packed(Product):
    """Leave it to oneDNN, which lays the weights out once for a number of vectors.

    For 16 vectors that is up to 1.7 times as fast as :class:`Plain`, which lays them out, or reads
    them badly, at every call. Weights in bfloat16 are rounded everywhere, and lie in float32 where
    the processor has no other product: as many bytes as in float32, and vectors are not rounded.

    Args:
        weight: (n, o).
        bias: (o,), or None.
        dtype: ``torch.float32`` or ``torch.bfloat16``.
        rows: number of vectors b of a step.

    Cost: n·o multiplications for each vector.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype, *, rows: int
    ) -> None:
        self.n, self.o = weight.shape
        self.dtype = multiplied_in(dtype)
        transposed = weight.t().to(dtype).to(self.dtype).contiguous()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(transposed, rows)
        self.bias = None if bias is None else bias.to(dtype).to(self.dtype)

    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply the vectors of one step."""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.to(self.dtype), self.packed, self.bias, "none", [], ""
        )
        return y.to(x.dtype)


def blocked(weight: Tensor, width: int) -> Tensor:
    """Cut a matrix into blocks of columns, one below the other.

    Args:
        weight: (n, o).
        width: columns of a block; the last block is filled up with zeros.

    Returns:
        (blocks·n, width); rows i·n to (i + 1)·n are columns i·width to (i + 1)·width.

    Cost: one copy.

    >>> blocked(torch.tensor([[1, 2, 3], [4, 5, 6]]), 2).tolist()
    [[1, 2], [4, 5], [3, 0], [6, 0]]
    """
    n, o = weight.shape
    padded = torch.nn.functional.pad(weight, (0, -o % width))
    return padded.view(n, -1, width).transpose(0, 1).reshape(-1, width)
