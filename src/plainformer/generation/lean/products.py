"""Products of a few vectors with a constant matrix, which are most of the work of a decode step.

A step with one vector multiplies each weight once, so with a good kernel its time is the time of
reading the weights. Each class here stores the weights in the layout that is best for one kernel,
and :func:`fastest` finds out which kernel that is.

A vector times a matrix is a bag: the sum of the matrix's rows, each times one component. PyTorch
has a kernel for such sums, ``embedding_bag``, written for recommender systems, where the table is
far larger than any cache. It keeps one block of the sum in registers while it reads the rows of
that block, which is the best order for a matrix–vector product. On some processors the BLAS reads
at half of its speed, on others faster. The kernel also reads rows of bytes, which it widens in
registers.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

SUM = 0  # the mode of embedding_bag
BYTES_OF_A_BLOCK = 128  # of a row; two registers of AVX-512 hold a block's sum
COLUMNS_OF_BYTES = 384  # each row of such a block has its own scale and zero
WIDTH, MATRICES, ROUNDS = 1024, 8, 5  # 32 MB of float32: more than a core's own cache holds


class Product(ABC):
    """Multiply by a matrix (n, o) and add a bias (o,).

    Attributes:
        table: the stored weights, or None if PyTorch does not expose them.
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
    """Use the matrix product of PyTorch; the weights are stored as (n, o).

    Args:
        weight: (n, o).
        bias: (o,), or None.
        dtype: dtype in which they are stored and multiplied.

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
    """Return the dtype in which this processor multiplies weights of a dtype; oneDNN is asked once.

    Without AVX-512 a CPU has no product in bfloat16. PyTorch's substitute takes a hundred times as
    long as the product in float32, which represents each bfloat16 exactly.

    Args:
        dtype: ``torch.float32`` or ``torch.bfloat16``.
    """
    try:
        torch.ops.mkldnn._reorder_linear_weight(torch.zeros(1, 1, dtype=dtype, device="cpu"), 1)
    except (AttributeError, RuntimeError):  # no oneDNN, or none for this dtype
        return torch.float32
    return dtype


class Packed(Product):
    """Use oneDNN, which chooses a layout of the weights once for a number of vectors.

    For 16 vectors that is up to 1.7 times as fast as :class:`Plain`, which rearranges them, or
    reads them slowly, in every call. Weights in bfloat16 are rounded everywhere; they are stored in
    float32 if the processor has no other product, with as many bytes as float32, and vectors are
    not rounded.

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
    """Cut a matrix into blocks of columns, stacked vertically.

    Args:
        weight: (n, o).
        width: columns of a block; the last block is padded with zeros.

    Returns:
        (blocks·n, width); rows i·n to (i + 1)·n are columns i·width to (i + 1)·width.

    Cost: one copy.

    >>> blocked(torch.tensor([[1, 2, 3], [4, 5, 6]]), 2).tolist()
    [[1, 2], [4, 5], [3, 0], [6, 0]]
    """
    n, o = weight.shape
    padded = torch.nn.functional.pad(weight, (0, -o % width))
    return padded.view(n, -1, width).transpose(0, 1).reshape(-1, width)


class Seats:
    """Memory for the factors of all bags of a shape, and the index of the row for each of them.

    Each block is a bag and needs the whole vector, so the vector is written once per block. All
    matrices of a shape share this memory, so that it stays in the cache.

    Args:
        blocks: number of bags.
        n: components of the vector.
        dtype: dtype of the factors.
        bias: whether each block has one more row, the bias, whose factor is always 1.
    """

    @torch.inference_mode(False)  # a step outside of it may also write to them
    def __init__(self, blocks: int, n: int, dtype: torch.dtype, bias: bool) -> None:
        rows = n + bias
        factors = torch.ones(blocks, rows, dtype=dtype, device="cpu")
        self.place, self.factors = factors[:, :n], factors.view(-1)
        self.indices = torch.arange(blocks * rows, dtype=torch.int32, device="cpu")
        self.offsets = torch.arange(0, blocks * rows, rows, dtype=torch.int32, device="cpu")


_of_thread = threading.local()


def seats(blocks: int, n: int, dtype: torch.dtype, bias: bool) -> Seats:
    """Return this thread's memory for a shape.

    Every step writes it before reading it, so the products of a thread can share it, but two
    threads cannot, even if they share the weights.

    Args:
        blocks: number of bags.
        n: components of the vector.
        dtype: dtype of the factors.
        bias: whether each block has one more row.
    """
    held: dict[tuple[object, ...], Seats] = vars(_of_thread).setdefault("seats", {})
    key = blocks, n, dtype, bias
    if key not in held:
        held[key] = Seats(*key)
    return held[key]


class Bags(Product):
    """Multiply one vector by blocks with 128 bytes per row.

    Args:
        weight: (n, o).
        bias: (o,), or None; it becomes one more row.
        dtype: ``torch.float32`` or ``torch.bfloat16``.

    Cost: reads n·o weights once, and for each row of a block a factor and an index.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> None:
        self.n, self.o = weight.shape
        rows = weight if bias is None else torch.cat([weight, bias[None]])
        self.table: Tensor = blocked(rows.to(dtype), BYTES_OF_A_BLOCK // dtype.itemsize)
        self.shape = len(self.table) // len(rows), self.n, dtype, bias is not None

    def __call__(self, x: Float[Tensor, "1 n"]) -> Float[Tensor, "1 o"]:
        """Multiply the vector of one step."""
        s = seats(*self.shape)
        s.place.copy_(x)
        y = torch.embedding_bag(self.table, s.indices, s.offsets, False, SUM, False, s.factors)[0]
        return y.view(1, -1)[:, : self.o].to(x.dtype)

    def many(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply any number of vectors by each block as a separate matrix."""
        table = self.table.to(multiplied_in(self.table.dtype))
        blocks = table.view(self.shape[0], -1, self.table.shape[1])
        vectors = x.to(blocks.dtype).expand(len(blocks), -1, -1)
        # After the n rows of a block comes the bias: one row, or none.
        y = torch.bmm(vectors, blocks[:, : self.n])
        y += blocks[:, self.n :].sum(dim=1, keepdim=True)
        return y.transpose(0, 1).reshape(len(x), -1)[:, : self.o].to(x.dtype)


class ByteBags(Product):
    """Multiply by weights of one byte, each a step between the minimum and the maximum of its row.

    The vectors stay in float32 and nothing else is rounded. Each row of a block has its own minimum
    and step size, so one large weight reduces the precision of at most 384 others.

    Args:
        weight: (n, o).
        bias: (o,), or None; it stays in float32.

    Cost: reads n·o bytes and 8 more for each row of a block. With several vectors a block is read
    once and then again from the cache, and multiplied for each of them.

    Ref: Guan et al. 2019 (post-training 4-bit quantization on embedding tables).
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self.n, self.o = weight.shape
        blocks = -(-self.o // COLUMNS_OF_BYTES)
        self.width = -(-self.o // (blocks * 16)) * 16
        whole = blocked(weight.to(torch.float32), self.width)
        self.table: Tensor = torch.ops.quantized.embedding_bag_byte_prepack(whole)
        self.bias = None if bias is None else bias.to(torch.float32)
        self.shape = blocks, self.n, torch.float32, False

    def __call__(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply the vectors of one step, one after another."""
        return torch.cat([self._one(row) for row in x[:, None]]) if len(x) > 1 else self._one(x)

    def _one(self, x: Tensor) -> Tensor:
        s = seats(*self.shape)
        s.place.copy_(x)
        y: Tensor = torch.ops.quantized.embedding_bag_byte_rowwise_offsets(
            self.table, s.indices, s.offsets, False, SUM, False, s.factors
        )
        y = y.view(1, -1)[:, : self.o]
        return y if self.bias is None else y.add_(self.bias)

    def many(self, x: Float[Tensor, "b n"]) -> Float[Tensor, "b o"]:
        """Multiply any number of vectors by the weights, converted back to floats."""
        wide = torch.ops.quantized.embedding_bag_byte_unpack(self.table)
        blocks = wide.view(-1, self.n, self.width)
        y = torch.bmm(x.expand(len(blocks), -1, -1), blocks)
        y = y.transpose(0, 1).reshape(len(x), -1)[:, : self.o]
        return y if self.bias is None else y.add_(self.bias)


@cache
def fastest(dtype: torch.dtype) -> type[Bags] | type[Plain]:
    """Return the kind of product that reads the weights faster here, for one vector.

    No rule about processors would stay valid: on one with matrix units and its vendor's BLAS, the
    plain product is a fifth faster than bags; on another bags are twice as fast. So both run once.

    Args:
        dtype: dtype of the weights.

    Cost: 70 MB temporarily and about 0.1 s, once for each dtype in a process.
    """
    kinds: tuple[type[Bags] | type[Plain], ...] = (Bags, Plain)
    weight = torch.full((WIDTH, WIDTH), 0.5, dtype=torch.float32, device="cpu")
    stacks = [[kind(weight, None, dtype) for _ in range(MATRICES)] for kind in kinds]
    x = torch.ones(1, WIDTH, dtype=torch.float32, device="cpu")
    with torch.inference_mode():
        rounds = [[_seconds(stack, x) for stack in stacks] for _ in range(ROUNDS)]
    times = [min(column) for column in zip(*rounds, strict=True)]
    return kinds[times.index(min(times))]


def _seconds(products: Sequence[Product], x: Tensor) -> float:
    start = time.perf_counter()
    for product in products:
        product(x)
    return time.perf_counter() - start
